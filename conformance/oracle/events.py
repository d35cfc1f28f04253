"""The operations and values that a decoder may answer: compares the values of columns in its events."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from conformance.oracle.rules import Place
from conformance.oracle.tree import Kind
from reference_impl.column_types import ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.model import RawText, Value
from reference_impl.values import from_wire, loosely_same_value

__all__ = [
    "ANY_WRITE",
    "compare_event_alternatives",
    "compare_event_leaf",
    "with_replacement_characters",
]

ANY_WRITE = frozenset({"insert", "update", "upsert"})
"""The operations that a decoder may answer for a value without the previous row.  [AV-203, OP-243]"""


def with_replacement_characters(value: RawText) -> str:
    """The text of bytes that are not all UTF-8, with U+FFFD for each wrong byte."""
    text = value.data.decode("utf-8", "surrogateescape")
    return "".join("\ufffd" if "\udc80" <= char <= "\udcff" else char for char in text)


_FLOAT = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)


def _is_same_text(column_type: ColumnType, alternative: str, got: str) -> bool:
    """Whether two texts are one value; a DECIMAL may have an exponent: without the table a reader may see a float."""
    if column_type.family is Family.DECIMAL and _FLOAT.fullmatch(alternative) and _FLOAT.fullmatch(got):
        return Decimal(alternative) == Decimal(got)
    return loosely_same_value(column_type, alternative, got)


def _is_alternative(column_type: ColumnType, alternative: Any, got: Any) -> bool:
    if alternative == got:
        return True
    if isinstance(alternative, str) and isinstance(got, str) and _is_same_text(column_type, alternative, got):
        return True
    try:
        return loosely_same_value(column_type, from_wire(column_type, alternative), from_wire(column_type, got))
    except Rejected:
        return False


def compare_event_alternatives(place: Place) -> Kind | None:
    """Like `compare_event_leaf`, for a `frozenset` of expected values, any of which is right.

    A value need not fit the type, and may have another number of fractional digits.
    """
    column = place.column
    assert column is not None
    alternatives: Iterable[Any] = place.expected
    return None if any(_is_alternative(column.type, a, place.got) for a in alternatives) else Kind.VALUE


def compare_event_leaf(place: Place) -> Kind | None:
    """Compare a column's value in an answered event with the expected one, as values of the column's type."""
    column = place.column
    assert column is not None
    expected: Value = from_wire(column.type, place.expected)
    try:
        got = from_wire(column.type, place.got)
    except Rejected as e:
        return Kind.JSON_KIND if e.reason == "schema" else Kind.VALUE
    return None if loosely_same_value(column.type, expected, got) else Kind.VALUE
