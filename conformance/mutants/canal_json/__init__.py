"""Mutants of TiCDC's Canal-JSON: encoders and decoders with one deliberate fault each.

A fault of the envelope is in `envelope`, of the order of messages in `streams`, of columns in `columns` and of their
types in `types`, of NULL and zones in `values` and of the text of each type in `texts`, of options, large messages and
`old` in `options`, of DDL and JSON text in `statements`, of decoders alone in `decoding`.
"""

from __future__ import annotations

from conformance.mutants.canal_json import (
    columns,
    decoding,
    envelope,
    options,
    statements,
    streams,
    texts,
    types,
    values,
)
from conformance.mutants.model import Mutant

__all__ = ["MUTANTS"]

MUTANTS: tuple[Mutant, ...] = (
    *envelope.MUTANTS,
    *streams.MUTANTS,
    *columns.MUTANTS,
    *types.MUTANTS,
    *values.MUTANTS,
    *texts.MUTANTS,
    *options.MUTANTS,
    *statements.MUTANTS,
    *decoding.MUTANTS,
)
