"""Compares the events of a decoder's answer with the expected ones.

A decoder may add information that the format does not carry (`source`, ids, definitions of tables); it must not invent
an image, a column, or a time stamp.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING, Kind
from reference_impl.column_types import ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.model import RawText, Value
from reference_impl.values import from_wire, loosely_same_value

__all__ = [
    "ANY_WRITE",
    "comparable_event",
    "compare_event_alternatives",
    "compare_event_leaf",
    "with_replacement_characters",
]

ANY_WRITE = frozenset({"insert", "update", "upsert"})
"""The operations that a decoder may answer for a value without the previous row.  [AV-203, OP-243]"""

_INFORMATION = frozenset(
    {"source", "partition_id", "row_id", "action", "action_code", "table_before", "table_after"}
    | {"other_tables", "status", "position"}
)


# An insert has no before image, a delete no after image: an empty image there is an invented one.
_NEVER_THERE = frozenset({("insert", "before"), ("delete", "after")})


def comparable_event(expected: Mapping[str, Any], got: Mapping[str, Any]) -> dict[str, Any]:
    """The answered event without additional information; an empty image counts as null where the format permits it."""
    tree = {name: value for name, value in got.items() if name in expected or name not in _INFORMATION}
    # A null image on one side equals an absent or an empty one on the other, but for the images of `_NEVER_THERE`.
    for image in ("before", "after"):
        if image in tree and tree[image] is None and image not in expected:
            del tree[image]
        is_empty_for_null = tree.get(image) == {} and expected.get(image, MISSING) is None
        if is_empty_for_null and (expected.get("op"), image) not in _NEVER_THERE:
            tree[image] = None
        if expected.get(image) == {} and tree.get(image, MISSING) is None:
            tree[image] = {}
        if image not in tree and expected.get(image, MISSING) is None:
            tree[image] = None
    return tree


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
