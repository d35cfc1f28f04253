"""Mutants of the upstream dialects."""

from __future__ import annotations

from conformance.mutants.model import Mutant
from conformance.mutants.negatives import negative_mutants
from conformance.mutants.upstream.records import MUTANTS as OF_RECORDS
from reference_impl.protocols import CANAL, CONNECTOR

__all__ = ["MUTANTS"]

MUTANTS: tuple[Mutant, ...] = (*OF_RECORDS, *negative_mutants(CANAL.name), *negative_mutants(CONNECTOR.name))
