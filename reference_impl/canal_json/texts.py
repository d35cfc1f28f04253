"""Value texts of Canal-JSON: from a `Value` to the text in `data` and `old`, and back.  [CJ-380 … CJ-402]

JSON columns keep their text; TiDB has spaced and sorted it before any message is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from reference_impl.canal_json.types import CODES
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.floats import finite, plain
from reference_impl.model import Index, Mask, RawText, Value
from reference_impl.values import check_text, enum_index, set_mask

__all__ = ["Reader", "Writer", "reader", "surely", "writer"]

Writer: TypeAlias = Callable[[Value], str]
Reader: TypeAlias = Callable[[str], Value]

_MAX_SCALE = 30
_MAX_DIGITS = 65
_MAX_ENUM_INDEX = 65535
_LONGEST_NUMBER = len(str(2**64 - 1))
_NUMBER = re.compile(r"0|[1-9][0-9]*")

_SIZED = frozenset({Family.CHAR, Family.VARCHAR, Family.BINARY, Family.VARBINARY})
_CLOCKS = frozenset({Family.DATETIME, Family.TIMESTAMP, Family.TIME})


# Writing


def _unfit(kind: ColumnType, value: Value) -> Rejected:
    return Rejected("type", f"{value!r} is not a value of a {kind.text} column")


def _as_it_is(kind: ColumnType) -> Writer:
    def write(value: Value) -> str:
        if isinstance(value, str):
            return value
        raise _unfit(kind, value)

    return write


def _text(kind: ColumnType) -> Writer:
    def write(value: Value) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, RawText):
            return value.data.decode("utf-8", "surrogateescape")
        raise _unfit(kind, value)

    return write


def _latin1(kind: ColumnType) -> Writer:
    def write(value: Value) -> str:
        if isinstance(value, bytes):
            return value.decode("latin-1")
        raise _unfit(kind, value)

    return write


def _float(kind: ColumnType) -> Writer:
    bits = 32 if kind.family is Family.FLOAT else 64

    def write(value: Value) -> str:
        if not isinstance(value, str):
            raise _unfit(kind, value)
        try:
            return plain(finite(value, bits), bits)
        except (ValueError, OverflowError):
            raise _unfit(kind, value) from None

    return write


def _vector(kind: ColumnType) -> Writer:
    def write(value: Value) -> str:
        if not isinstance(value, str):
            raise _unfit(kind, value)
        try:
            check_text(kind, value)
            elements = json.loads(value, parse_int=str, parse_float=str)
            return "[" + ",".join(plain(element, 32) for element in elements) + "]"
        except OverflowError:
            raise _unfit(kind, value) from None

    return write


def _enum(kind: ColumnType) -> Writer:
    return lambda value: str(enum_index(kind, value))


def _set(kind: ColumnType) -> Writer:
    return lambda value: str(set_mask(kind, value))


_WRITERS: Mapping[Family, Callable[[ColumnType], Writer]] = {
    **dict.fromkeys(CODES, _as_it_is),
    **dict.fromkeys(TEXT, _text),
    **dict.fromkeys(BINARY, _latin1),
    Family.FLOAT: _float,
    Family.DOUBLE: _float,
    Family.VECTOR: _vector,
    Family.ENUM: _enum,
    Family.SET: _set,
}


@lru_cache(maxsize=4096)
def writer(kind: ColumnType) -> Writer:
    """A function from a value that is not NULL to its text, before any JSON escape.

    It raises `Rejected`: class `type` for a value that is not of the type, `range` for a label that is not a member.
    Bytes of a character column that are not UTF-8 come out as lone surrogates, U+DC80 to U+DCFF.
    """
    return _WRITERS[kind.family](kind)


# Reading


def _checked(kind: ColumnType, exact: bool) -> Reader:
    def read(text: str) -> Value:
        check_text(kind, text)
        if kind.unsigned and text.startswith("-") and text.strip("-0."):
            raise Rejected("range", f"{text} is outside {kind.text}")
        return text

    return read


def _read_bits(kind: ColumnType, exact: bool) -> Reader:
    return _checked(kind if exact else replace(kind, length=64), exact)


def _read_decimal(kind: ColumnType, exact: bool) -> Reader:
    if exact:
        return _checked(kind, exact)

    def read(text: str) -> Value:
        scale = len(text.partition(".")[2])
        check_text(replace(kind, length=_MAX_DIGITS, scale=scale), text)
        if scale > _MAX_SCALE:
            raise Rejected("range", f"{text} has more than {_MAX_SCALE} fractional digits")
        return text

    return read


def _read_clock(kind: ColumnType, exact: bool) -> Reader:
    if exact:
        return _checked(kind, exact)

    def read(text: str) -> Value:
        check_text(replace(kind, length=len(text.partition(".")[2])), text)
        return text

    return read


def _longest(kind: ColumnType, exact: bool) -> int | None:
    return kind.length if exact and kind.family in _SIZED else None


def _read_text(kind: ColumnType, exact: bool) -> Reader:
    longest = _longest(kind, exact)

    def read(text: str) -> Value:
        if longest is not None and len(text) > longest:
            raise Rejected("range", f"{len(text)} characters in a {kind.text}")
        return text

    return read


def _read_bytes(kind: ColumnType, exact: bool) -> Reader:
    longest = _longest(kind, exact)

    def read(text: str) -> Value:
        try:
            data = text.encode("latin-1")
        except UnicodeEncodeError as e:
            raise Rejected("type", f"U+{ord(text[e.start]):04X} in a {kind.text} is beyond a byte") from None
        if longest is not None and len(data) > longest:
            raise Rejected("range", f"{len(data)} bytes in a {kind.text}")
        return data

    return read


def _ordinal(kind: ColumnType, text: str, maximum: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise Rejected("type", f"{text!r} is not the number of a member of an {kind.family}")
    if len(text) > _LONGEST_NUMBER or int(text) > maximum:
        raise Rejected("range", f"{text} is beyond the members of {kind.text}")
    return int(text)


def _read_enum(kind: ColumnType, exact: bool) -> Reader:
    members = kind.members

    def read(text: str) -> Value:
        index = _ordinal(kind, text, len(members) or _MAX_ENUM_INDEX)
        return members[index - 1] if members and index else Index(index)

    return read


def _read_set(kind: ColumnType, exact: bool) -> Reader:
    members = kind.members

    def read(text: str) -> Value:
        mask = _ordinal(kind, text, (1 << (len(members) or 64)) - 1)
        if not members:
            return Mask(mask)
        return ",".join(label for bit, label in enumerate(members) if mask >> bit & 1)

    return read


_READERS: Mapping[Family, Callable[[ColumnType, bool], Reader]] = {
    **dict.fromkeys(CODES, _checked),
    **dict.fromkeys(TEXT, _read_text),
    **dict.fromkeys(BINARY, _read_bytes),
    **dict.fromkeys(_CLOCKS, _read_clock),
    Family.BIT: _read_bits,
    Family.DECIMAL: _read_decimal,
    Family.ENUM: _read_enum,
    Family.SET: _read_set,
}


@lru_cache(maxsize=4096)
def reader(kind: ColumnType, exact: bool) -> Reader:
    """A function from texts to values.

    Without `exact`, any length, scale and fraction are accepted.

    It raises `Rejected`: class `type` for a text that is not of the type, `range` for a value outside it.
    """
    return _READERS[kind.family](kind, exact)


_DATE = "[0-9]{4}-(?:0[0-9]|1[0-2])-(?:[0-2][0-9]|3[01])"
_MINUTES = ":[0-5][0-9]:[0-5][0-9]"


_MOST_TIMES = 2**31  # the limit of repetitions in a pattern; no text is so long


def _at_most(digits: str) -> str:
    """A pattern for numbers of as many digits as `digits`, up to that number.

    Leading zeros count as digits.
    """
    if not digits:
        return ""
    same = digits[0] + _at_most(digits[1:])
    return same if digits[0] == "0" else f"(?:[0-{int(digits[0]) - 1}][0-9]{{{len(digits) - 1}}}|{same})"


def _sure_integer(kind: ColumnType, exact: bool) -> str:
    largest = str((1 << (kind.bits - 1)) - 1)  # with the base code, signed or not
    sign = "" if kind.unsigned else "-?"
    return f"0|{sign}(?:[1-9][0-9]{{0,{len(largest) - 2}}}|(?!0){_at_most(largest)})"


def _sure_decimal(kind: ColumnType, exact: bool) -> str:
    sign = "" if kind.unsigned else "-?"
    if not exact:
        return sign + "(?:0|[1-9][0-9]{0,34})(?:[.][0-9]{1,30})?"
    scale = min(kind.scale or 0, _MOST_TIMES)
    whole = min((kind.length or 10) - scale, _MOST_TIMES)
    digits = f"(?:0|[1-9][0-9]{{0,{whole - 1}}})" if whole > 0 else "0"
    return sign + digits + (f"[.][0-9]{{{scale}}}" if scale else "")


def _sure_float(kind: ColumnType, exact: bool) -> str:
    return ("" if kind.unsigned else "-?") + "[0-9]{1,30}(?:[.][0-9]{1,30})?"


def _fraction(kind: ColumnType, exact: bool) -> str:
    if not exact:
        return "(?:[.][0-9]{1,6})?"
    return f"[.][0-9]{{{kind.fsp}}}" if kind.fsp else ""


def _sure_datetime(kind: ColumnType, exact: bool) -> str:
    return f"{_DATE} (?:[01][0-9]|2[0-3]){_MINUTES}" + _fraction(kind, exact)


def _sure_time(kind: ColumnType, exact: bool) -> str:
    return f"-?[0-9]{{2}}{_MINUTES}" + _fraction(kind, exact)


def _sure_text(kind: ColumnType, exact: bool) -> str:
    longest = _longest(kind, exact)
    return "(?s:.*)" if longest is None else f"(?s:.{{0,{min(longest, _MOST_TIMES)}}})"


_SURE: Mapping[Family, Callable[[ColumnType, bool], str]] = {
    **dict.fromkeys(INTEGERS, _sure_integer),
    **dict.fromkeys(TEXT, _sure_text),
    Family.DECIMAL: _sure_decimal,
    Family.FLOAT: _sure_float,
    Family.DOUBLE: _sure_float,
    Family.DATE: lambda kind, exact: _DATE,
    Family.DATETIME: _sure_datetime,
    Family.TIMESTAMP: _sure_datetime,
    Family.TIME: _sure_time,
    Family.YEAR: lambda kind, exact: "19[1-9][0-9]|20[0-9]{2}",
}


@lru_cache(maxsize=4096)
def surely(kind: ColumnType, exact: bool) -> Callable[[str], object] | None:
    """A quick test: True means that a text is a value of the type and has the base `sqlType` code.

    False leaves both open. The test is None for types whose values are more than their text.
    """
    pattern = _SURE.get(kind.family)
    return None if pattern is None else re.compile(pattern(kind, exact)).fullmatch
