"""Mutants of the upstream dialects: each requirement has one in every role that it is judged in."""

from __future__ import annotations

from conformance.mutants.model import Mutant
from conformance.mutants.negatives import negative_mutants
from conformance.mutants.upstream.canal import ENCODERS as CANAL_ENCODERS
from conformance.mutants.upstream.connector import ENCODERS as CONNECTOR_ENCODERS
from conformance.mutants.upstream.decoding import decoders
from reference_impl.protocols import CANAL, CONNECTOR

__all__ = ["MUTANTS"]

MUTANTS: tuple[Mutant, ...] = (
    *CANAL_ENCODERS,
    *decoders(CANAL.name),
    *negative_mutants(CANAL.name),
    *CONNECTOR_ENCODERS,
    *decoders(CONNECTOR.name),
    *negative_mutants(CONNECTOR.name),
)
