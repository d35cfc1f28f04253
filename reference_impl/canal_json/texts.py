"""Value texts of Canal-JSON: from a `Value` to the text in `data` and `old`, and back; `literal` quotes a text.

[CJ-380 … CJ-402, CJ-701 … CJ-709]

JSON columns keep their text, which TiDB has normalized: its blanks, and the order of its members.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from reference_impl.canal_json.types import CODES
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.exact_json import CONTROL_ESCAPES, HTML_ESCAPES, INVALID_UTF8_ESCAPES, string_writer
from reference_impl.floats import finite, plain, vector_text
from reference_impl.member_numbers import read_enum, read_set
from reference_impl.model import RawText, Value
from reference_impl.values import check_text, enum_index, not_a_value, set_mask

__all__ = ["Reader", "Writer", "literal", "quick_test", "reader", "writer"]

Writer: TypeAlias = Callable[[Value], str]
Reader: TypeAlias = Callable[[str], Value]

_MAX_SCALE = 30
_MAX_DIGITS = 65

_CLOCKS = frozenset({Family.DATETIME, Family.TIMESTAMP, Family.TIME})


# Writing

literal = string_writer(CONTROL_ESCAPES | HTML_ESCAPES | INVALID_UTF8_ESCAPES)
"""Writes a text as a JSON string.  [CJ-402, CJ-701 … CJ-709]"""


def _unchanged(column_type: ColumnType) -> Writer:
    def write(value: Value) -> str:
        if isinstance(value, str):
            return value
        raise not_a_value(column_type, value)

    return write


def _text(column_type: ColumnType) -> Writer:
    def write(value: Value) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, RawText):
            return value.data.decode("utf-8", "surrogateescape")
        raise not_a_value(column_type, value)

    return write


def _latin1(column_type: ColumnType) -> Writer:
    def write(value: Value) -> str:
        if isinstance(value, bytes):
            return value.decode("latin-1")
        raise not_a_value(column_type, value)

    return write


def _float(column_type: ColumnType) -> Writer:
    bits = 32 if column_type.family is Family.FLOAT else 64

    def write(value: Value) -> str:
        if not isinstance(value, str):
            raise not_a_value(column_type, value)
        try:
            return plain(finite(value, bits), bits)
        except (ValueError, OverflowError):
            raise not_a_value(column_type, value) from None

    return write


def _vector(column_type: ColumnType) -> Writer:
    def write(value: Value) -> str:
        if not isinstance(value, str):
            raise not_a_value(column_type, value)
        check_text(column_type, value)
        try:
            return vector_text(value)
        except OverflowError:  # as a double, a number just below the limit is the limit itself
            raise not_a_value(column_type, value) from None

    return write


def _enum(column_type: ColumnType) -> Writer:
    return lambda value: str(enum_index(column_type, value))


def _set(column_type: ColumnType) -> Writer:
    return lambda value: str(set_mask(column_type, value))


_WRITERS: Mapping[Family, Callable[[ColumnType], Writer]] = {
    **dict.fromkeys(CODES, _unchanged),
    **dict.fromkeys(TEXT, _text),
    **dict.fromkeys(BINARY, _latin1),
    Family.FLOAT: _float,
    Family.DOUBLE: _float,
    Family.VECTOR: _vector,
    Family.ENUM: _enum,
    Family.SET: _set,
}


@lru_cache(maxsize=4096)
def writer(column_type: ColumnType) -> Writer:
    """A function from a value that is not NULL to its text, before any JSON escape.

    It raises `Rejected`: class `type` for a value that is not of the type, `range` for a label that is not a member.
    Bytes of a character column that are not UTF-8 come out as lone surrogates, U+DC80 to U+DCFF.
    """
    return _WRITERS[column_type.family](column_type)


# Reading


def _checked(column_type: ColumnType, exact: bool) -> Reader:
    def read(text: str) -> Value:
        check_text(column_type, text)
        if column_type.unsigned and text.startswith("-") and text.strip("-0."):
            raise Rejected("range", f"{text} is outside {column_type.text}")
        return text

    return read


def _read_bits(column_type: ColumnType, exact: bool) -> Reader:
    return _checked(column_type if exact else replace(column_type, length=64), exact)


def _read_decimal(column_type: ColumnType, exact: bool) -> Reader:
    if exact:
        return _checked(column_type, exact)

    def read(text: str) -> Value:
        scale = len(text.partition(".")[2])
        check_text(replace(column_type, length=_MAX_DIGITS, scale=scale), text)
        if scale > _MAX_SCALE:
            raise Rejected("range", f"{text} has more than {_MAX_SCALE} fractional digits")
        return text

    return read


def _read_clock(column_type: ColumnType, exact: bool) -> Reader:
    if exact:
        return _checked(column_type, exact)

    def read(text: str) -> Value:
        check_text(replace(column_type, length=len(text.partition(".")[2])), text)
        return text

    return read


def _read_text(column_type: ColumnType, exact: bool) -> Reader:
    longest = column_type.longest if exact else None

    def read(text: str) -> Value:
        if longest is not None and len(text) > longest:
            raise Rejected("range", f"{len(text)} characters in a {column_type.text}")
        return text

    return read


def _read_bytes(column_type: ColumnType, exact: bool) -> Reader:
    longest = column_type.longest if exact else None

    def read(text: str) -> Value:
        try:
            data = text.encode("latin-1")
        except UnicodeEncodeError as e:
            raise Rejected("type", f"U+{ord(text[e.start]):04X} in a {column_type.text} is beyond a byte") from None
        if longest is not None and len(data) > longest:
            raise Rejected("range", f"{len(data)} bytes in a {column_type.text}")
        return data

    return read


_READERS: Mapping[Family, Callable[[ColumnType, bool], Reader]] = {
    **dict.fromkeys(CODES, _checked),
    **dict.fromkeys(TEXT, _read_text),
    **dict.fromkeys(BINARY, _read_bytes),
    **dict.fromkeys(_CLOCKS, _read_clock),
    Family.BIT: _read_bits,
    Family.DECIMAL: _read_decimal,
    Family.ENUM: lambda column_type, exact: read_enum(column_type),
    Family.SET: lambda column_type, exact: read_set(column_type),
}


@lru_cache(maxsize=4096)
def reader(column_type: ColumnType, exact: bool) -> Reader:
    """A function from the text of a value to the value.

    Without `exact` it accepts any length, scale and fraction.

    It raises `Rejected`: class `type` for a text that is not of the type, `range` for a value outside it.
    """
    return _READERS[column_type.family](column_type, exact)


_DATE = "[0-9]{4}-(?:0[0-9]|1[0-2])-(?:[0-2][0-9]|3[01])"
_MINUTES = ":[0-5][0-9]:[0-5][0-9]"


_MOST_TIMES = 2**31  # the limit of repetitions in a pattern; no text is so long


def _at_most(digits: str) -> str:
    """A pattern for the numbers up to `digits` that have as many digits. Leading zeros count as digits."""
    if not digits:
        return ""
    same = digits[0] + _at_most(digits[1:])
    return same if digits[0] == "0" else f"(?:[0-{int(digits[0]) - 1}][0-9]{{{len(digits) - 1}}}|{same})"


def _quick_integer(column_type: ColumnType, exact: bool) -> str:
    largest = str((1 << (column_type.bits - 1)) - 1)  # a larger unsigned value has another `sqlType` code
    sign = "" if column_type.unsigned else "-?"
    return f"0|{sign}(?:[1-9][0-9]{{0,{len(largest) - 2}}}|(?!0){_at_most(largest)})"


def _quick_decimal(column_type: ColumnType, exact: bool) -> str:
    sign = "" if column_type.unsigned else "-?"
    if not exact:
        return sign + "(?:0|[1-9][0-9]{0,34})(?:[.][0-9]{1,30})?"
    scale = min(column_type.scale or 0, _MOST_TIMES)
    whole = min((column_type.length or 10) - scale, _MOST_TIMES)
    digits = f"(?:0|[1-9][0-9]{{0,{whole - 1}}})" if whole > 0 else "0"
    return sign + digits + (f"[.][0-9]{{{scale}}}" if scale else "")


def _quick_float(column_type: ColumnType, exact: bool) -> str:
    return ("" if column_type.unsigned else "-?") + "[0-9]{1,30}(?:[.][0-9]{1,30})?"


def _fraction(column_type: ColumnType, exact: bool) -> str:
    if not exact:
        return "(?:[.][0-9]{1,6})?"
    return f"[.][0-9]{{{column_type.fsp}}}" if column_type.fsp else ""


def _quick_datetime(column_type: ColumnType, exact: bool) -> str:
    return f"{_DATE} (?:[01][0-9]|2[0-3]){_MINUTES}" + _fraction(column_type, exact)


def _quick_time(column_type: ColumnType, exact: bool) -> str:
    return f"-?[0-9]{{2}}{_MINUTES}" + _fraction(column_type, exact)


def _quick_text(column_type: ColumnType, exact: bool) -> str:
    longest = column_type.longest if exact else None
    return "(?s:.*)" if longest is None else f"(?s:.{{0,{min(longest, _MOST_TIMES)}}})"


_QUICK_PATTERNS: Mapping[Family, Callable[[ColumnType, bool], str]] = {
    **dict.fromkeys(INTEGERS, _quick_integer),
    **dict.fromkeys(TEXT, _quick_text),
    Family.DECIMAL: _quick_decimal,
    Family.FLOAT: _quick_float,
    Family.DOUBLE: _quick_float,
    Family.DATE: lambda column_type, exact: _DATE,
    Family.DATETIME: _quick_datetime,
    Family.TIMESTAMP: _quick_datetime,
    Family.TIME: _quick_time,
    Family.YEAR: lambda column_type, exact: "19[1-9][0-9]|20[0-9]{2}",
}


@lru_cache(maxsize=4096)
def quick_test(column_type: ColumnType, exact: bool) -> Callable[[str], object] | None:
    """A quick test: a match means that a text is its own value, is valid, and has the base `sqlType` code.

    Without a match all this is open. The test is None for types whose values are not their texts.
    """
    pattern = _QUICK_PATTERNS.get(column_type.family)
    return None if pattern is None else re.compile(pattern(column_type, exact)).fullmatch
