"""Writes and reads values of columns as the texts of the flat message.  [CJ-440 … CJ-454]

`_WRITERS` and `_READERS` have a row for each family of types. The escapes of JSON are in `json_text`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from reference_impl.column_types import BINARY, INTEGERS, ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.floats import nearest_float32
from reference_impl.java_numbers import FEWEST_DIGITS_SINCE, double_text, float_text
from reference_impl.member_numbers import read_enum, read_set
from reference_impl.model import RawText, Value
from reference_impl.stored_json import stored_tree
from reference_impl.upstream.canal.json_text import stored_text
from reference_impl.upstream.canal.types import is_blob, is_latin1, is_string
from reference_impl.upstream.charsets import decoded, encoded, is_utf8, read_by_java
from reference_impl.values import check_text, enum_index, not_a_value, set_mask

__all__ = ["CanalColumn", "Reader", "Writer", "reader", "writer"]

Writer: TypeAlias = Callable[[Value], str]
Reader: TypeAlias = Callable[[str], Value]

_DIGITS_IN_GROUP = 9  # DECIMAL stores its digits in groups
_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class CanalColumn:
    """A column as Canal sees it."""

    type: ColumnType
    mysql_type: str  # the text in `mysqlType`
    charset: str | None  # of the column's bytes; None if a reader does not know it, which then keeps the text
    mariadb: bool  # whether the server is MariaDB
    java: int  # the release of Java


# Writing


def _checked(column: CanalColumn) -> Writer:
    def write(value: Value) -> str:
        if not isinstance(value, str):
            raise not_a_value(column.type, value)
        check_text(column.type, value)
        return value

    return write


def _decimal(column: CanalColumn) -> Writer:
    """A writer of the declared digits, without a last incomplete group that is all zeros.  [CJ-443]"""
    check = _checked(column)
    last_group = (column.type.scale or 0) % _DIGITS_IN_GROUP

    def write(value: Value) -> str:
        text = check(value)
        if last_group and not text[-last_group:].strip("0"):
            text = text[:-last_group]
            return text + "0" if text.endswith(".") else text
        return text

    return write


def _float(column: CanalColumn) -> Writer:
    check = _checked(column)
    if column.type.family is Family.FLOAT:
        return lambda value: float_text(nearest_float32(check(value)), column.java)
    return lambda value: double_text(float(check(value)), column.java)


def _year(column: CanalColumn) -> Writer:
    check = _checked(column)
    return lambda value: f"{int(check(value)):04d}"  # [CJ-449]


def _bytes(column: CanalColumn, value: Value) -> bytes:
    if isinstance(value, bytes):
        # BINARY(n) is logged without trailing zeros.  [CJ-453]
        return value.rstrip(b"\0") if column.type.family is Family.BINARY else value
    if isinstance(value, RawText):
        return value.data
    if isinstance(value, str) and column.type.family not in BINARY:
        return encoded(value, column.charset or "utf8mb4")
    raise not_a_value(column.type, value)


def _string(column: CanalColumn) -> Writer:
    """A writer of bytes as Latin-1 or, whatever the charset, as UTF-8.  [CJ-450 … CJ-452, DV-55]"""
    if is_latin1(column.type, column.mysql_type):
        return lambda value: _bytes(column, value).decode("latin-1")
    return lambda value: read_by_java(_bytes(column, value))


def _json(column: CanalColumn) -> Writer:
    def write(value: Value) -> str:
        if not isinstance(value, str):
            raise not_a_value(column.type, value)
        return stored_text(stored_tree(value), column.java)

    return write


_WRITERS: Mapping[Family, Callable[[CanalColumn], Writer]] = {
    **dict.fromkeys(INTEGERS, _checked),
    **dict.fromkeys((Family.BIT, Family.DATE, Family.DATETIME, Family.TIMESTAMP, Family.TIME), _checked),
    Family.DECIMAL: _decimal,
    Family.FLOAT: _float,
    Family.DOUBLE: _float,
    Family.YEAR: _year,
    Family.ENUM: lambda column: lambda value: str(enum_index(column.type, value)),
    Family.SET: lambda column: lambda value: str(set_mask(column.type, value)),
    Family.JSON: _json,
}


@lru_cache(maxsize=4096)
def writer(column: CanalColumn) -> Writer:
    """A function from a value that is not NULL to its text, before any JSON escape.

    The function raises `Rejected`: class `type` for a value that is not of the type, `range` for a value outside it.
    Raises `Rejected` (class `type`) for a type at which Canal stops.
    """
    if is_string(column.type) or is_blob(column.type, mariadb=column.mariadb):
        return _string(column)
    try:
        return _WRITERS[column.type.family](column)
    except KeyError:
        raise Rejected("type", f"{column.type.text}: Canal stops at such a column") from None  # [CJ-428]


# Reading


def _read_checked(column: CanalColumn) -> Reader:
    column_type = column.type

    def read(text: str) -> Value:
        check_text(column_type, text)
        if column_type.unsigned and text.startswith("-"):
            raise Rejected("range", f"{text} is outside {column_type.text}")
        return text

    return read


def _read_decimal(column: CanalColumn) -> Reader:
    check = _read_checked(column)
    write = _decimal(column)
    scale = column.type.scale or 0

    def read(text: str) -> Value:
        whole, point, fraction = text.partition(".")
        value = check(whole + point + fraction.ljust(scale, "0") if point else text)
        if write(value) != text:
            raise Rejected("type", f"{text} in a {column.type.text} is written {write(value)}")
        return value

    return read


def _read_float(column: CanalColumn) -> Reader:
    """A reader that accepts only texts that an older or a newer Java prints, since Canal writes no others."""
    check = _read_checked(column)
    writers = [_float(replace(column, java=java)) for java in (FEWEST_DIGITS_SINCE - 1, FEWEST_DIGITS_SINCE)]

    def read(text: str) -> Value:
        value = check(text)
        if all(write(value) != text for write in writers):
            raise Rejected("type", f"{text!r} is not a number as Java prints it")
        return value

    return read


def _read_year(column: CanalColumn) -> Reader:
    check = _read_checked(column)

    def read(text: str) -> Value:
        if text == "0":
            raise Rejected("type", "a year has four digits")
        return check("0" if text == "0000" else text)

    return read


def _check_length(column_type: ColumnType, size: int) -> None:
    if is_string(column_type) and column_type.length is not None and size > column_type.length:
        raise Rejected("range", f"{size} characters in a {column_type.text}")


def _read_string(column: CanalColumn) -> Reader:
    column_type, charset = column.type, column.charset
    spelt_as_latin1 = is_latin1(column_type, column.mysql_type)  # by `mysqlType`, whatever the charset is
    binary = charset == "binary"

    def read(text: str) -> Value:
        try:
            data = text.encode("latin-1" if spelt_as_latin1 else "utf-8")
        except UnicodeEncodeError as e:
            raise Rejected("type", f"U+{ord(text[e.start]):04X} in a {column.mysql_type} is beyond a byte") from None
        if binary:
            _check_length(column_type, len(data))
            return data.ljust(column_type.length or 0, b"\0") if column_type.family is Family.BINARY else data
        if charset is not None and not is_utf8(charset):
            # Canal has replaced bytes that are not UTF-8; such a text cannot be restored and stays as it is.
            return text if _REPLACEMENT in text else decoded(data, charset) or text
        if not spelt_as_latin1:
            _check_length(column_type, len(text))
            return text
        utf8_text = decoded(data, "utf8mb4")
        return RawText(data) if utf8_text is None else utf8_text

    return read


def _read_mariadb_json(column: CanalColumn) -> Reader:
    """A reader of JSON in MariaDB, sent as text or as the bytes of that text in Latin-1.  [CJ-422]"""

    def read(text: str) -> Value:
        if is_latin1(column.type, column.mysql_type):
            try:
                text = text.encode("latin-1").decode("utf-8")
            except UnicodeError:
                raise Rejected("type", "a JSON column holds bytes that are not UTF-8") from None
        check_text(column.type, text)
        return text

    return read


_READERS: Mapping[Family, Callable[[CanalColumn], Reader]] = {
    **dict.fromkeys(_WRITERS, _read_checked),
    Family.DECIMAL: _read_decimal,
    Family.FLOAT: _read_float,
    Family.DOUBLE: _read_float,
    Family.YEAR: _read_year,
    Family.ENUM: lambda column: read_enum(column.type),
    Family.SET: lambda column: read_set(column.type),
}


@lru_cache(maxsize=4096)
def reader(column: CanalColumn) -> Reader:
    """A function from the text of a value to the value.

    It raises `Rejected`: class `type` for a text that is not of the type, `range` for a value outside it.
    """
    if column.type.family is Family.JSON and column.mariadb:
        return _read_mariadb_json(column)
    if is_string(column.type) or is_blob(column.type, mariadb=False):  # JSON, a BLOB in MariaDB only, has returned
        return _read_string(column)
    return _READERS[column.type.family](column)
