"""Mutants of the upstream dialects: each requirement has one in every role that it is judged in."""

from __future__ import annotations

from conformance.mutants.model import Mutant
from conformance.mutants.negatives import negative_mutants
from conformance.mutants.upstream.canal import ENCODERS as CANAL_ENCODERS
from conformance.mutants.upstream.connector import ENCODERS as CONNECTOR_ENCODERS
from conformance.mutants.upstream.decoding import decoders

__all__ = ["MUTANTS"]

MUTANTS: tuple[Mutant, ...] = (
    *CANAL_ENCODERS,
    *decoders("canal"),
    *negative_mutants("canal"),
    *CONNECTOR_ENCODERS,
    *decoders("debezium-connector"),
    *negative_mutants("debezium-connector"),
)
