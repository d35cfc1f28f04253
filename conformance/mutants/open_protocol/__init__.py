"""Mutants of Open Protocol: encoders by the place of the fault, then decoders, then historical defects of TiCDC.

A fault that one changed value shows is pinned instead: `fixtures/pinned_faults.json`.
"""

from __future__ import annotations

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol import columns, decoding, historical, options, streams, texts

__all__ = ["MUTANTS"]

MUTANTS: tuple[Mutant, ...] = (
    *columns.MUTANTS,
    *options.MUTANTS,
    *streams.MUTANTS,
    *texts.MUTANTS,
    *decoding.MUTANTS,
    *historical.MUTANTS,
)
