"""Compares two leaves of Canal-JSON: equal, spelled differently, or different."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from conformance.oracle.canal_json.reading import UNKNOWN, place_of_file
from conformance.oracle.conditions import event_kind
from conformance.oracle.rules import Place
from conformance.oracle.texts import JSON_TOKEN
from conformance.oracle.tree import Kind
from reference_impl import exact_json
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.floats import is_number, same_float
from reference_impl.values import loosely_same_value

__all__ = ["IMAGES", "compare", "is_another_value", "json_spelling", "unpadded"]

IMAGES = ("data", "old")

# Digits of a time in milliseconds for the years 2001 to 2286.  [CJ-661]
_MS_DIGITS = 13

_DIGITS = re.compile(r"[+-]?\d+", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_DATETIME = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d{1,6})?", re.ASCII)
_TIME = re.compile(r"-?\d{2,3}:\d{2}:\d{2}(?:\.\d{1,6})?", re.ASCII)
_VECTOR = re.compile(r"\[[-+0-9.eE, ]*\]", re.ASCII)

_FLOATS = frozenset({Family.FLOAT, Family.DOUBLE})
_ZEROS = frozenset({"0", "-0", "0.0", "-0.0"})
_INTEGRAL = INTEGERS | {Family.BIT, Family.YEAR, Family.ENUM, Family.SET}

# Family → whether a text has the form of its values (truthy).
_HAS_FORM: Mapping[Family, Callable[[str], object]] = {
    **dict.fromkeys(_INTEGRAL, _DIGITS.fullmatch),
    **dict.fromkeys((Family.DECIMAL, Family.FLOAT, Family.DOUBLE), is_number),
    Family.DATE: _DATE.fullmatch,
    Family.DATETIME: _DATETIME.fullmatch,
    Family.TIMESTAMP: _DATETIME.fullmatch,
    Family.TIME: _TIME.fullmatch,
    Family.VECTOR: _VECTOR.fullmatch,
}


def _same_number(column_type: ColumnType, a: str, b: str) -> bool:
    return is_number(a) and is_number(b) and Decimal(a) == Decimal(b)


def _same_float(column_type: ColumnType, a: str, b: str) -> bool:
    return same_float(a, b, 32 if column_type.family is Family.FLOAT else 64)


_SAME_NUMBER: Mapping[Family, Callable[[ColumnType, str, str], bool]] = {
    **dict.fromkeys((*_INTEGRAL, Family.DECIMAL), _same_number),
    Family.FLOAT: _same_float,
    Family.DOUBLE: _same_float,
}


def _compare_texts(column_type: ColumnType, expected: str, got: str) -> Kind | None:
    """The difference of two texts of a column's value: None if equal, `TEXT` if they are spellings of one value."""
    if expected == got:
        return None
    same = _SAME_NUMBER.get(column_type.family, loosely_same_value)
    return Kind.TEXT if same(column_type, expected, got) else Kind.VALUE


def _is_json(text: str) -> bool:
    try:
        exact_json.loads(text)
    except Rejected:
        return False
    return True


def _same_json(expected: Any, got: Any) -> bool:
    """Whether two leaves of one JSON kind are texts of the same JSON."""
    if not isinstance(expected, str):
        return False
    try:
        return exact_json.same(exact_json.loads(expected), exact_json.loads(got))
    except Rejected:
        return False


def _decoded(text: str) -> bytes | None:
    """The bytes of a base64 text; None for any other text."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return None


def unpadded(text: Any) -> bytes | None:
    """The bytes of a base64 text without zero bytes at their end; None for anything else."""
    data = _decoded(text) if isinstance(text, str) else None
    return None if data is None else data.rstrip(b"\0")


def is_another_value(place: Place) -> bool:
    """Whether the answer has a value of the column's type that is not the expected one, or NULL.

    False for the expected value, and for a text that is not a value of the type. Bytes are a value of the type if there
    are as many as expected, or none.
    """
    expected, got, column = place.expected, place.got, place.column
    if expected == got or column is None or not isinstance(expected, str):
        return False
    if got is None:
        return True
    if not isinstance(got, str):
        return False
    family = column.type.family
    if family in TEXT:
        return True
    if family is Family.JSON:
        return _is_json(got) and not loosely_same_value(column.type, expected, got)
    if family in BINARY:
        if place.role == "encode":
            return len(got) in (0, len(expected))
        data = _decoded(got)
        return data is not None and len(data) in (0, len(_decoded(expected) or b""))
    if place.role == "decode" and family in (Family.ENUM, Family.SET):
        return got == "" or {*got.split(",")} <= {*column.type.members}
    if family in _FLOATS and got in _ZEROS and expected in _ZEROS:
        return False
    return bool(_HAS_FORM[family](got)) and _compare_texts(column.type, expected, got) is Kind.VALUE


def compare(place: Place) -> Kind | None:
    """The kind of difference between two leaves of one JSON kind; None if they are equal or both allowed."""
    expected, got, path = place.expected, place.got, place.path
    if path[-2:] == ("value", "ts"):
        return None if len(str(got)) == _MS_DIGITS and isinstance(got, int) else Kind.VALUE
    if path == ("record", "partition"):
        return None if event_kind(place) != "ddl" or UNKNOWN in (expected, got) else Kind.VALUE
    if path[-1] == "claimCheckLocation":
        return None if place_of_file(got) == place_of_file(expected) else Kind.VALUE
    if path[:1] == ("claim",) and ("record" in path or _same_json(expected, got)):
        return None  # a claim-check file has no partition, and its texts are not compared as values of columns
    if place.column is not None and path[1] in IMAGES:
        return _compare_texts(place.column.type, expected, got)
    return None if expected == got else Kind.VALUE


def _member_order(tree: Any) -> Any:
    """The names of members in a tree as nested lists, without values: equal if all members are in the same order."""
    if isinstance(tree, dict):
        return [[name, _member_order(value)] for name, value in tree.items()]
    return [_member_order(part) for part in tree] if isinstance(tree, list) else None


def json_spelling(expected: str, got: str) -> str:
    """How two texts of one JSON value differ in spelling: `same`, `space`, `order`, `string` or `number`."""
    if expected == got:
        return "same"
    if _without_space(expected) == _without_space(got):
        return "space"
    if _member_order(json.loads(expected)) != _member_order(json.loads(got)):
        return "order"
    return "string" if _strings(expected) != _strings(got) else "number"


def _without_space(text: str) -> str:
    return "".join(string + other for string, _, other in JSON_TOKEN.findall(text))


def _strings(text: str) -> list[str]:
    return [string for string, _, _ in JSON_TOKEN.findall(text) if string]
