"""Predicates of the checks of Avro on how an answered value relates to the row: to its value there, or to another."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from typing import Any

from conformance.oracle.avro.compare import read_text, value_of
from conformance.oracle.conditions import old_and_new, truth
from conformance.oracle.rules import Condition, Place
from reference_impl.column_types import ColumnType
from reference_impl.errors import Rejected
from reference_impl.model import Value
from reference_impl.values import from_wire, loosely_same_value

__all__ = ["PREDICATES"]

_UNIT_OF_FLOAT32 = Decimal(2) ** -23
_UNTRAPPED = Context(traps=[])  # an answer may have an exponent that no calculation bears


def _comparable(column_type: ColumnType, value: Value) -> Any:
    """A value of a row in the form in which answered values are compared."""
    if isinstance(value, bytes):
        return read_text(value.hex(), {"type": "bytes"}, column_type)
    return read_text(value, {"type": "string"}, column_type) if isinstance(value, str) else value


def _answered(place: Place) -> Any:
    """The answered value in that form; the answer itself if it is not a value of the column's type."""
    assert place.column is not None
    column_type, got = place.column.type, place.got
    if place.path[0] != "event":
        return value_of(place, place.got_tree, got) if isinstance(got, str) else got
    try:
        return _comparable(column_type, from_wire(column_type, got))
    except Rejected:
        return got


def _is_same(column_type: ColumnType, a: Any, b: Any) -> bool:
    return bool(a == b) or (isinstance(a, str) and isinstance(b, str) and loosely_same_value(column_type, a, b))


def is_of_other_image(place: Place) -> bool:
    """The column of an update has its value of the other image: the old one for the new one, or the reverse."""
    values, column = old_and_new(place), place.column
    if values is None or column is None:
        return False
    old, new = (_comparable(column.type, value) for value in values)
    other = new if "before" in place.path[:2] else old
    return _is_same(column.type, _answered(place), other) and not _is_same(column.type, old, new)


def is_inexact(place: Place) -> bool:
    """The decimal is not that of the row, but as near to it as a float may be."""
    if place.column is None:
        return False
    own, got = _comparable(place.column.type, truth(place)), _answered(place)
    if not (isinstance(own, Decimal) and isinstance(got, Decimal)):
        return False
    return own != got and _UNTRAPPED.subtract(own, got).copy_abs() <= abs(own) * _UNIT_OF_FLOAT32


PREDICATES: Sequence[Condition] = (is_inexact, is_of_other_image)
