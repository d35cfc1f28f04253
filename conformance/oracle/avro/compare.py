"""Compares two leaves of Avro: equal, the same value in another form, or another value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from conformance.oracle.rules import Place
from conformance.oracle.tree import Kind, part_in
from reference_impl.column_types import BINARY, INTEGERS, ColumnType, Family
from reference_impl.floats import is_number, same_float
from reference_impl.model import DdlEvent
from reference_impl.values import loosely_same_value

__all__ = ["compare", "fields_at", "is_row_leaf", "read_text", "value_of"]

_IMAGES = ("row", "before")


def is_row_leaf(place: Place) -> bool:
    """The place is a column's value in a record."""
    return len(place.path) == 3 and place.path[1] in _IMAGES


def fields_at(place: Place) -> tuple[str | int, ...]:
    """The path of the fields in the schema that the place belongs to: of the key, the value, or the row before."""
    if place.path[1:2] == ("before",) or place.path[1:3] == ("schema", "before"):
        return ("value", "schema", "before", "type", "fields")
    return (place.path[0], "schema", "fields")


# -- values ------------------------------------------------------------------------------------------------------------


def _octets(text: str, avro_type: Mapping[str, Any]) -> bytes:
    return bytes.fromhex(text) if avro_type.get("type") in ("bytes", "fixed") else text.encode()


def _numeric(text: str) -> str:
    """The text of a number. Raises ValueError for a text that is a number only to Python, such as `1_0`."""
    if not is_number(text):
        raise ValueError(text)
    return text


def _integer(text: str, avro_type: Mapping[str, Any], column_type: ColumnType) -> Any:
    if avro_type.get("type") in ("bytes", "fixed"):
        return int.from_bytes(bytes.fromhex(text))
    number = {"true": 1, "false": 0}.get(text)
    number = int(_numeric(text)) if number is None else number
    wraps = column_type.unsigned and column_type.family is Family.BIGINT and avro_type.get("type") != "string"
    return number % 2**64 if wraps else number


def _decimal(text: str, avro_type: Mapping[str, Any], column_type: ColumnType) -> Any:
    if avro_type.get("type") not in ("bytes", "fixed"):
        return Decimal(_numeric(text))
    scale = avro_type.get("scale")
    unscaled = int.from_bytes(bytes.fromhex(text), signed=True)
    return Decimal(f"{unscaled}e{-scale if type(scale) is int else 0}")


def _string(text: str, avro_type: Mapping[str, Any], column_type: ColumnType) -> Any:
    return _octets(text, avro_type).decode(errors="backslashreplace")


def _bytes(text: str, avro_type: Mapping[str, Any], column_type: ColumnType) -> Any:
    octets = _octets(text, avro_type)
    return octets.rstrip(b"\0") if column_type.family is Family.BINARY else octets


def _labels(text: str, avro_type: Mapping[str, Any], column_type: ColumnType) -> Any:
    return frozenset(_string(text, avro_type, column_type).split(","))


_MOMENT = re.compile(
    r"(-?)(?:([0-9]{4})-?([0-9]{1,2})-?([0-9]{1,2}))?[ T]?(?:([0-9]+):([0-9]+):([0-9]+)(?:[.]([0-9]+))?)?", re.ASCII
)


def _moment(text: str, avro_type: Mapping[str, Any], column_type: ColumnType) -> Any:
    """(sign, numbers …, fraction) of a date or time, whatever separates them; a missing time of day is midnight."""
    written = _string(text, avro_type, column_type)
    match = _MOMENT.fullmatch(written)
    if match is None:
        return written
    sign, *numbers, fraction = match.groups()
    return sign, *(int(number or 0) for number in numbers), (fraction or "").rstrip("0")


_READERS: Mapping[Family, Callable[[str, Mapping[str, Any], ColumnType], Any]] = {
    **dict.fromkeys((*INTEGERS, Family.YEAR, Family.BIT), _integer),
    Family.DECIMAL: _decimal,
    **dict.fromkeys(BINARY, _bytes),
    Family.SET: _labels,
    **dict.fromkeys((Family.DATE, Family.DATETIME, Family.TIMESTAMP, Family.TIME), _moment),
}
_FLOATS = {Family.FLOAT: 32, Family.DOUBLE: 64}


def value_of(place: Place, tree: Mapping[str, Any], text: str) -> Any:
    """The value of a leaf in `tree`, read by its Avro type there; the text itself if it has another form."""
    assert place.column is not None
    avro_type = part_in(tree, *fields_at(place), place.path[-1], "type") or {}
    return read_text(text, avro_type, place.column.type)


def read_text(text: str, avro_type: Mapping[str, Any], column_type: ColumnType) -> Any:
    """The value of a text of an Avro type; the text itself if it has another form."""
    try:
        return _READERS.get(column_type.family, _string)(text, avro_type, column_type)
    except (ValueError, ArithmeticError):
        return text


def _is_same_value(place: Place) -> bool:
    assert place.column is not None
    column_type = place.column.type
    if column_type.family in _FLOATS:
        return same_float(place.expected, place.got, _FLOATS[column_type.family])
    expected, got = value_of(place, place.expected_tree, place.expected), value_of(place, place.got_tree, place.got)
    if expected == got:
        return True
    return isinstance(expected, str) and isinstance(got, str) and loosely_same_value(column_type, expected, got)


def _compare_values(place: Place) -> Kind | None:
    if not _is_same_value(place):
        return Kind.VALUE
    assert place.column is not None
    if place.column.type.family in _FLOATS:
        return None
    path = (*fields_at(place), place.path[-1], "type", "type")
    return Kind.TEXT if part_in(place.expected_tree, *path) == part_in(place.got_tree, *path) else None


# -- everything --------------------------------------------------------------------------------------------------------


def _compare_versions(place: Place) -> Kind | None:
    """`VALUE` if two subjects have each other's schema; other faults of a schema show in the records that use it."""
    subject = place.path[2]

    def is_elsewhere(schema: Any, tree: Mapping[str, Any]) -> bool:
        return any(schema in versions for s, versions in tree["registry"]["subjects"].items() if s != subject)

    is_exchanged = is_elsewhere(place.got, place.expected_tree) and is_elsewhere(place.expected, place.got_tree)
    return Kind.VALUE if is_exchanged else None


def compare(place: Place) -> Kind | None:
    """The kind of difference between two leaves of one JSON kind; None if they are equal or both allowed."""
    if is_row_leaf(place) and place.column is not None:
        return _compare_values(place)
    if place.expected == place.got:
        return None
    if place.path[:2] == ("registry", "subjects"):
        return _compare_versions(place)
    if place.path == ("registry", "repeated") and _tables_change(place):
        return None
    if place.path[-1] == "allowed" and _unescaped(place.expected) == _unescaped(place.got):
        return Kind.TEXT
    return Kind.VALUE


def _tables_change(place: Place) -> bool:
    """The case has a DDL statement: a changed table may be registered again although its schema stays the same."""
    return any(isinstance(event, DdlEvent) for event in place.case.events)


def _unescaped(allowed: str) -> str:
    return allowed.replace("\\,", ",").replace("\\'", "'").replace("''", "'")
