"""Mutants of TiCDC's Debezium JSON: encoders and decoders with one deliberate fault each.

Faults of options and JSON text are in `options`, of keys, names and the order of rows in `keys`, of schemas in
`schemas`, of images and values in `values`, of DDL messages in `statements`, of sending DDL messages and watermarks in
`streams`, of decoders that refuse in `decoding`; further historical defects are in `historical`. A fault that one
changed value shows is pinned instead: `fixtures/pinned_faults.json`.
"""

from __future__ import annotations

from conformance.mutants.debezium import decoding, historical, keys, options, schemas, statements, streams, values
from conformance.mutants.model import Mutant

__all__ = ["MUTANTS"]

MUTANTS: tuple[Mutant, ...] = (
    *options.MUTANTS,
    *keys.MUTANTS,
    *schemas.MUTANTS,
    *values.MUTANTS,
    *statements.MUTANTS,
    *streams.MUTANTS,
    *decoding.MUTANTS,
    *historical.MUTANTS,
)
