"""Writes and reads values of columns as the texts of the flat message.  [CJ-440 … CJ-454]

A writer has one row in `_WRITERS` per family of types, a reader one in `_READERS`. What JSON does to a text is in
`json_text`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from reference_impl.column_types import BINARY, INTEGERS, ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.floats import nearest_float32
from reference_impl.java_numbers import FEWEST_DIGITS_SINCE, double_text, float_text
from reference_impl.model import Index, Mask, RawText, Value
from reference_impl.stored_json import stored_tree
from reference_impl.upstream.canal.json_text import stored_text
from reference_impl.upstream.canal.types import is_blob, is_latin1, is_string
from reference_impl.upstream.charsets import decoded, encoded, is_utf8
from reference_impl.values import check_text, enum_index, labels_of_mask, not_a_value, set_mask

__all__ = ["Reader", "Source", "Writer", "reader", "writer"]

Writer: TypeAlias = Callable[[Value], str]
Reader: TypeAlias = Callable[[str], Value]

_GROUP = 9  # decimal digits that DECIMAL stores together
_NUMBER = re.compile(r"0|[1-9][0-9]{0,19}", re.ASCII)
_MAX_ENUM_INDEX = 65535
_UNREADABLE = "\ufffd"


@dataclass(frozen=True, slots=True)
class Source:
    """A column as Canal sees it: its type, its `mysqlType`, the charset of its bytes, the server, and Java.

    `charset` is None if a reader cannot know it; the reader keeps the text then.
    """

    column_type: ColumnType
    shown: str
    charset: str | None
    mariadb: bool
    java: int


# Writing


def _checked(source: Source) -> Writer:
    def write(value: Value) -> str:
        if not isinstance(value, str):
            raise not_a_value(source.column_type, value)
        check_text(source.column_type, value)
        return value

    return write


def _decimal(source: Source) -> Writer:
    """The declared digits, without a last group that is incomplete and all zeros.  [CJ-443]"""
    check = _checked(source)
    spare = (source.column_type.scale or 0) % _GROUP

    def write(value: Value) -> str:
        text = check(value)
        if spare and not text[-spare:].strip("0"):
            text = text[:-spare]
            return text + "0" if text.endswith(".") else text
        return text

    return write


def _float(source: Source) -> Writer:
    check = _checked(source)
    if source.column_type.family is Family.FLOAT:
        return lambda value: float_text(nearest_float32(check(value)), source.java)
    return lambda value: double_text(float(check(value)), source.java)


def _year(source: Source) -> Writer:
    check = _checked(source)
    return lambda value: f"{int(check(value)):04d}"  # [CJ-449]


def _bytes(source: Source, value: Value) -> bytes:
    if isinstance(value, bytes):
        # BINARY(n) is logged without trailing zeros.  [CJ-453]
        return value.rstrip(b"\0") if source.column_type.family is Family.BINARY else value
    if isinstance(value, RawText):
        return value.data
    if isinstance(value, str) and source.column_type.family not in BINARY:
        return encoded(value, source.charset or "utf8mb4")
    raise not_a_value(source.column_type, value)


def _string(source: Source) -> Writer:
    """Bytes as characters, or read as UTF-8, which garbles other charsets.  [CJ-450 … CJ-452, DV-55]"""
    if is_latin1(source.column_type, source.shown):
        return lambda value: _bytes(source, value).decode("latin-1")
    return lambda value: _bytes(source, value).decode("utf-8", "replace")


def _json(source: Source) -> Writer:
    def write(value: Value) -> str:
        if not isinstance(value, str):
            raise not_a_value(source.column_type, value)
        return stored_text(stored_tree(value), source.java)

    return write


_WRITERS: Mapping[Family, Callable[[Source], Writer]] = {
    **dict.fromkeys(INTEGERS, _checked),
    **dict.fromkeys((Family.BIT, Family.DATE, Family.DATETIME, Family.TIMESTAMP, Family.TIME), _checked),
    Family.DECIMAL: _decimal,
    Family.FLOAT: _float,
    Family.DOUBLE: _float,
    Family.YEAR: _year,
    Family.ENUM: lambda source: lambda value: str(enum_index(source.column_type, value)),
    Family.SET: lambda source: lambda value: str(set_mask(source.column_type, value)),
    Family.JSON: _json,
}


@lru_cache(maxsize=4096)
def writer(source: Source) -> Writer:
    """A function from a value that is not NULL to its text, before any JSON escape.

    It raises `Rejected`: class `type` for a value that is not of the type, `range` for one outside it. Making it
    raises `Rejected` (class `type`) for a type that Canal stops at.
    """
    if is_string(source.column_type) or is_blob(source.column_type, mariadb=source.mariadb):
        return _string(source)
    try:
        return _WRITERS[source.column_type.family](source)
    except KeyError:
        raise Rejected("type", f"{source.column_type.text}: Canal stops at such a column") from None  # [CJ-428]


# Reading


def _read_checked(source: Source) -> Reader:
    column_type = source.column_type

    def read(text: str) -> Value:
        check_text(column_type, text)
        if column_type.unsigned and text.startswith("-"):
            raise Rejected("range", f"{text} is outside {column_type.text}")
        return text

    return read


def _read_decimal(source: Source) -> Reader:
    check = _read_checked(source)
    write = _decimal(source)
    scale = source.column_type.scale or 0

    def read(text: str) -> Value:
        value = check(f"{text:0<{len(text.partition('.')[0]) + 1 + scale}}" if "." in text else text)
        if write(value) != text:
            raise Rejected("type", f"{text} in a {source.column_type.text} is written {write(value)}")
        return value

    return read


def _read_float(source: Source) -> Reader:
    """A reader that accepts only what an older or newer Java prints.

    Canal writes no other text.
    """
    check = _read_checked(source)
    prints = [_float(replace(source, java=java)) for java in (FEWEST_DIGITS_SINCE - 1, FEWEST_DIGITS_SINCE)]

    def read(text: str) -> Value:
        value = check(text)
        if all(write(value) != text for write in prints):
            raise Rejected("type", f"{text!r} is not a number as Java prints it")
        return value

    return read


def _read_year(source: Source) -> Reader:
    check = _read_checked(source)

    def read(text: str) -> Value:
        if text == "0":
            raise Rejected("type", "a year has four digits")
        return check("0" if text == "0000" else text)

    return read


def _longest(column_type: ColumnType, size: int) -> None:
    if is_string(column_type) and column_type.length is not None and size > column_type.length:
        raise Rejected("range", f"{size} characters in a {column_type.text}")


def _read_string(source: Source) -> Reader:
    column_type, charset = source.column_type, source.charset
    latin1 = is_latin1(column_type, source.shown)
    binary = charset == "binary"

    def read(text: str) -> Value:
        try:
            data = text.encode("latin-1" if latin1 else "utf-8")
        except UnicodeEncodeError as e:
            raise Rejected("type", f"U+{ord(text[e.start]):04X} in a {source.shown} is beyond a byte") from None
        if binary:
            _longest(column_type, len(data))
            return data.ljust(column_type.length or 0, b"\0") if column_type.family is Family.BINARY else data
        if charset is not None and not is_utf8(charset):
            # Bytes that were not UTF-8 are lost; the text that is left is taken as it is.
            return text if _UNREADABLE in text else decoded(data, charset) or text
        if not latin1:
            _longest(column_type, len(text))
            return text
        restored = decoded(data, "utf8mb4")
        return RawText(data) if restored is None else restored

    return read


def _read_json(source: Source) -> Reader:
    def read(text: str) -> Value:
        check_text(source.column_type, text)
        return text

    return read


def _read_text_json(source: Source) -> Reader:
    """JSON of MariaDB: the bytes of its text as characters, or the text itself.  [CJ-422]"""

    def read(text: str) -> Value:
        if is_latin1(source.column_type, source.shown):
            try:
                text = text.encode("latin-1").decode("utf-8")
            except UnicodeError:
                raise Rejected("type", "a JSON column holds bytes that are not UTF-8") from None
        check_text(source.column_type, text)
        return text

    return read


def _ordinal(column_type: ColumnType, text: str, maximum: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise Rejected("type", f"{text!r} is not the number of a member of an {column_type.family}")
    if int(text) > maximum:
        raise Rejected("range", f"{text} is beyond the members of {column_type.text}")
    return int(text)


def _read_enum(source: Source) -> Reader:
    members = source.column_type.members

    def read(text: str) -> Value:
        index = _ordinal(source.column_type, text, len(members) or _MAX_ENUM_INDEX)
        return members[index - 1] if members and index else Index(index)

    return read


def _read_set(source: Source) -> Reader:
    members = source.column_type.members

    def read(text: str) -> Value:
        mask = _ordinal(source.column_type, text, (1 << (len(members) or 64)) - 1)
        if not members:
            return Mask(mask)
        return labels_of_mask(members, mask)

    return read


_READERS: Mapping[Family, Callable[[Source], Reader]] = {
    **dict.fromkeys(_WRITERS, _read_checked),
    Family.DECIMAL: _read_decimal,
    Family.FLOAT: _read_float,
    Family.DOUBLE: _read_float,
    Family.YEAR: _read_year,
    Family.ENUM: _read_enum,
    Family.SET: _read_set,
    Family.JSON: _read_json,
}


@lru_cache(maxsize=4096)
def reader(source: Source) -> Reader:
    """A function from the text of a value to the value.

    It raises `Rejected`: class `type` for a text that is not of the type, `range` for a value outside it.
    """
    if source.column_type.family is Family.JSON and source.mariadb:
        return _read_text_json(source)
    if is_string(source.column_type) or is_blob(source.column_type, mariadb=False):
        return _read_string(source)
    return _READERS[source.column_type.family](source)
