"""Mutants of TiCDC's Avro: encoders and decoders with one deliberate fault each.

Faults of records and framing are in `records`, of the versions of schemas in `registering`, of the content of schemas
in `schemas`, of values in `values`, of decoders in `decoding`; further historical defects are in `historical`.
`rewriting` edits schemas and records between an encoder and its registry.
"""

from __future__ import annotations

from conformance.mutants.avro import decoding, historical, records, registering, schemas, values
from conformance.mutants.model import Mutant

__all__ = ["MUTANTS"]

MUTANTS: tuple[Mutant, ...] = (
    *records.MUTANTS,
    *registering.MUTANTS,
    *schemas.MUTANTS,
    *values.MUTANTS,
    *decoding.MUTANTS,
    *historical.MUTANTS,
)
