"""Mutants of TiCDC's Debezium JSON: encoders and decoders with one deliberate fault each.

A fault of records, options or JSON text is in `framing`, of payloads in `envelope`, of keys and order in `keys`, of
schemas in `schemas`, of the description of columns in `columns` and of their defaults and NULL in `defaults`, of values
in `values`, of DDL messages in `statements` and `changes`, of watermarks and of what is sent in `streams`, of decoders
in `decoding` and `reading`.
"""

from __future__ import annotations

from conformance.mutants.debezium import (
    changes,
    columns,
    decoding,
    defaults,
    envelope,
    framing,
    keys,
    reading,
    schemas,
    statements,
    streams,
    values,
)
from conformance.mutants.model import Mutant

__all__ = ["MUTANTS"]

MUTANTS: tuple[Mutant, ...] = (
    *framing.MUTANTS,
    *envelope.MUTANTS,
    *keys.MUTANTS,
    *schemas.MUTANTS,
    *columns.MUTANTS,
    *defaults.MUTANTS,
    *values.MUTANTS,
    *statements.MUTANTS,
    *changes.MUTANTS,
    *streams.MUTANTS,
    *decoding.MUTANTS,
    *reading.MUTANTS,
)
