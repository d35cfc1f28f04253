"""Compares two leaves of Debezium JSON: equal, spelled differently, or different.

Equal numbers are equal here, however they are written: their spelling is compared with the text of the message.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal

from conformance.oracle.conditions import truth
from conformance.oracle.debezium.places import is_in_payload, type_of
from conformance.oracle.rules import Place
from conformance.oracle.tree import Kind
from reference_impl.column_types import BINARY, ColumnType, Family
from reference_impl.floats import same_float
from reference_impl.model import RawText
from reference_impl.values import loosely_same_value

__all__ = ["bytes_of", "compare", "is_canonical"]

# Digits of a time in milliseconds for the years 2001 to 2286.  [DBZ-042]
_MS_DIGITS = 13
_WALL_CLOCK = ("value", "payload", "ts_ms")

_STANDARD = str.maketrans("-_", "+/")


def bytes_of(text: str) -> bytes | None:
    """The bytes of a base64 text, also of another alphabet or without padding; None for any other text."""
    body = text.translate(_STANDARD).rstrip("=")
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4), validate=True)
    except ValueError:
        return None


def is_canonical(text: str) -> bool:
    """Whether a text is base64 in the standard alphabet, with padding.  [DBZ-424]"""
    data = bytes_of(text)
    return data is not None and base64.b64encode(data).decode() == text


def _same_bytes(column_type: ColumnType, expected: str, got: str) -> bool:
    a, b = bytes_of(expected), bytes_of(got)
    if a is None or b is None:
        return False
    if column_type.family in (Family.BIT, Family.BINARY):
        return a.rstrip(b"\0") == b.rstrip(b"\0")
    return a == b


_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z")


def _same_instant(column_type: ColumnType, expected: str, got: str) -> bool:
    """Whether two texts are the same instant in UTC, in ISO form with Z."""
    try:
        both_in_utc = _INSTANT.fullmatch(expected) and _INSTANT.fullmatch(got)
        return bool(both_in_utc) and datetime.fromisoformat(expected) == datetime.fromisoformat(got)
    except ValueError:
        return False


def _same_value(column_type: ColumnType, expected: str, got: str) -> bool:
    return loosely_same_value(column_type, expected, got)


# Whether two texts of a column are the same value, by family; in other families only equal texts are.
_IS_SAME: Mapping[Family, Callable[[ColumnType, str, str], bool]] = {
    **dict.fromkeys((*BINARY, Family.BIT), _same_bytes),
    Family.TIMESTAMP: _same_instant,
    Family.JSON: _same_value,
    Family.VECTOR: _same_value,
}


def _keeps_utf8_of(raw: RawText, got: str) -> bool:
    """Whether a text keeps all parts of the bytes that are UTF-8, with anything in place of the others.  [DBZ-130a]"""
    text = raw.data.decode("utf-8", "surrogateescape")
    kept = re.split("[\udc80-\udcff]+", text)
    return re.fullmatch(".*?".join(map(re.escape, kept)), got, re.DOTALL) is not None


def _compare_texts(place: Place, expected: str, got: str) -> Kind | None:
    assert place.column is not None
    column_type, value = place.column.type, truth(place)
    if expected == got:
        return None
    if isinstance(value, RawText):
        return Kind.TEXT if _keeps_utf8_of(value, got) else Kind.VALUE
    same = _IS_SAME.get(column_type.family)
    return Kind.TEXT if same is not None and same(column_type, expected, got) else Kind.VALUE


def _compare_numbers(expected: int | Decimal, got: int | Decimal, *, is_float: bool) -> Kind | None:
    if expected == got:
        signs = {Decimal(number).is_signed() for number in (expected, got)}
        return None if len(signs) == 1 else Kind.TEXT  # 0 and -0
    return Kind.TEXT if is_float and same_float(str(expected), str(got), 64) else Kind.VALUE


_FLOATS = frozenset({Family.FLOAT, Family.DOUBLE, Family.DECIMAL})  # all are written as 64-bit floats


def compare(place: Place) -> Kind | None:
    """The kind of difference between two leaves of one JSON kind; None if they are equal or both allowed."""
    expected, got = place.expected, place.got
    if place.path == _WALL_CLOCK:
        right = isinstance(got, int) and (got == expected or len(str(got)) == _MS_DIGITS)
        return None if right else Kind.VALUE
    if is_in_payload(place) and isinstance(expected, str):
        return _compare_texts(place, expected, got)
    if isinstance(expected, (int, Decimal)):
        is_float = is_in_payload(place) and type_of(place).family in _FLOATS
        return _compare_numbers(expected, got, is_float=is_float)
    return None if expected == got else Kind.VALUE
