"""Mutants of Open Protocol: encoders by the place of the fault, then decoders, then historical defects of TiCDC.

A fault that one changed value shows is pinned instead: `fixtures/pinned_faults.json`.
"""

from __future__ import annotations

from conformance.mutants.generations import generation_mutants
from conformance.mutants.historical import historical_mutants
from conformance.mutants.model import Mutant
from conformance.mutants.negatives import negative_mutants
from conformance.mutants.open_protocol import columns, decoding, historical, options, streams, texts

__all__ = ["MUTANTS"]

MUTANTS: tuple[Mutant, ...] = (
    *columns.MUTANTS,
    *options.MUTANTS,
    *streams.MUTANTS,
    *texts.MUTANTS,
    *decoding.MUTANTS,
    *historical.MUTANTS,
    *historical_mutants("open-protocol"),
    *negative_mutants("open-protocol"),
    *generation_mutants("open-protocol"),
)
