"""Mutants of TiCDC's Canal-JSON: encoders and decoders with one deliberate fault each.

A fault of the envelope is in `envelope`, of the order of messages in `streams`, of columns in `columns` and of their
types in `types`, of NULL and zones in `values`, of the text of numbers in `numerals` and of other types in `texts`, of
`old` in `old`, of options and large messages in `options`, of DDL and JSON text in `statements`, of decoders alone in
`decoding` and `strict`; real defects that none of them is are in `historical`.
"""

from __future__ import annotations

from dataclasses import replace

from conformance.mutants.canal_json import (
    columns,
    decoding,
    envelope,
    historical,
    numerals,
    old,
    options,
    statements,
    streams,
    strict,
    texts,
    types,
    values,
)
from conformance.mutants.generations import generation_mutants
from conformance.mutants.model import Mutant
from conformance.mutants.negatives import negative_mutants

__all__ = ["MUTANTS"]

_MUTANTS: tuple[Mutant, ...] = (
    *envelope.MUTANTS,
    *streams.MUTANTS,
    *columns.MUTANTS,
    *types.MUTANTS,
    *values.MUTANTS,
    *numerals.MUTANTS,
    *texts.MUTANTS,
    *old.MUTANTS,
    *options.MUTANTS,
    *statements.MUTANTS,
    *decoding.MUTANTS,
    *strict.MUTANTS,
    *historical.MUTANTS,
    *negative_mutants("canal-json"),
    *generation_mutants("canal-json"),
)

# These faults also make the value, the time or the image a wrong one: the rule that says so is broken, too.
_WRONG_VALUES = (
    "null-empty",
    "null-word",
    "empty-null",
    "read-null-as-empty",
    "read-empty-as-null",
    "read-unsigned-one-less",
    "boolean-word",
    "read-float-text",
    "read-double-comma",
    "read-float-grouped",
    "read-tiny-zero",
    "read-decimal-comma",
    "bit-pattern",
    "read-bit-pattern",
    "enum-label",
    "read-enum-number",
    "read-set-blank",
    "date-american",
    "read-date-american",
    "datetime-fraction",
    "timestamp-zone",
    "time-unit",
    "read-time-unit",
    "year-date",
    "read-year-date",
    "text-mojibake",
    "read-text-mojibake",
    "read-bytes-encoded",
    "json-in-json",
    "read-json-in-json",
    "vector-bare",
    "read-vector-bare",
    "raw-question-mark",
    "read-raw-question-mark",
    "read-unsigned-wraps",
    "read-unsigned-clamped",
    "read-members-as-bytes",
    "read-integers-double",
    "read-bits-double",
)
_ALSO: dict[str, frozenset[str]] = {
    **{f"canal-json/{name}": frozenset({"CJ-034b"}) for name in _WRONG_VALUES},
    "canal-json/read-committs-double": frozenset({"CJ-042", "CJ-046"}),
    "canal-json/read-after-invented": frozenset({"CJ-032"}),
}

MUTANTS: tuple[Mutant, ...] = tuple(replace(m, may_also=m.may_also | _ALSO.get(m.name, frozenset())) for m in _MUTANTS)
