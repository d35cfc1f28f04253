"""Writes the values of columns as JSON texts in a payload, type by type.  [DBZ-100 … DBZ-139]

`types` has the schemas of the columns, `defaults` the texts that stand for NULL.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import TypeAlias

from reference_impl import epochs
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.debezium_json.json_text import literal, number
from reference_impl.debezium_json.style import Style
from reference_impl.errors import Rejected
from reference_impl.model import Column, Index, Mask, RawText, Value
from reference_impl.settings import Settings
from reference_impl.values import check_text, labels_of_mask, not_a_value
from reference_impl.zones import zone_of

__all__ = ["Writer", "base64_literal", "bits_of", "bits_text", "signed", "writer"]

Writer: TypeAlias = Callable[[Value], str]
# Makes the writer of a column; the arguments are those of `writer`.
_WriterMaker: TypeAlias = Callable[[Column, Style, Settings], Writer]

_SIGN_BIT = 1 << 63


def writer(column: Column, style: Style, settings: Settings) -> Writer:
    """A function that turns a value of the column into its JSON text; the value is never NULL.

    The function raises `Rejected` (class `type`) for a value that the column cannot hold.
    """
    return _WRITERS[column.type.family](column, style, settings)


def _checked(column: Column, write: Callable[[str], str]) -> Writer:
    """A writer for a column whose values are texts.

    `write` turns a text into JSON. It raises ValueError or OverflowError for a text that the column cannot hold.
    """

    def checked(value: Value) -> str:
        if not isinstance(value, str):
            raise not_a_value(column.type, value)
        try:
            return write(value)
        except (ValueError, OverflowError):
            raise not_a_value(column.type, value) from None

    return checked


def _from_text(write: Callable[[str], str]) -> _WriterMaker:
    """A maker of writers for a type with one form: `write` turns its texts into JSON in every column."""
    return lambda column, style, settings: _checked(column, write)


def base64_literal(data: bytes) -> str:
    """Bytes as a JSON string: base64, standard alphabet, padded.  [DBZ-424]"""
    return f'"{b64encode(data).decode("ascii")}"'


def bits_of(column_type: ColumnType, text: str) -> int | None:
    """The number in the text of a BIT; None if the column cannot hold it."""
    try:
        check_text(column_type, text)
    except Rejected:
        return None
    return int(text)


def bits_text(column_type: ColumnType, value: int) -> str:
    """A BIT value: a boolean, or base64 of its little-endian bytes.  [DBZ-100, DBZ-101, DBZ-101a]"""
    if column_type.bits == 1:
        return "true" if value else "false"
    return base64_literal(value.to_bytes((column_type.bits + 7) // 8, "little"))


def signed(value: int) -> int:
    """An unsigned 64-bit number as the signed number with the same bits.  [DBZ-119]"""
    return value - (1 << 64) if value & _SIGN_BIT else value


def _integer(column: Column, style: Style, settings: Settings) -> Writer:
    if column.type.family is Family.BIGINT and column.type.unsigned:
        return _checked(column, lambda text: str(signed(int(text))))
    return _checked(column, str)


def _bits(column: Column, style: Style, settings: Settings) -> Writer:
    column_type = column.type
    return _checked(column, lambda text: bits_text(column_type, int(text)))


def _text(column: Column, style: Style, settings: Settings) -> Writer:
    # Lone surrogates keep the bytes of invalid UTF-8, for a style that writes them unchanged.
    errors = "surrogateescape" if style.raw_invalid_utf8 else "replace"

    def write(value: Value) -> str:
        if isinstance(value, str):
            return literal(value)
        if isinstance(value, RawText):
            return literal(value.data.decode("utf-8", errors))
        raise not_a_value(column.type, value)

    return write


def _binary(column: Column, style: Style, settings: Settings) -> Writer:
    def write(value: Value) -> str:
        if isinstance(value, bytes):
            return base64_literal(value)
        raise not_a_value(column.type, value)

    return write


def _enum(column: Column, style: Style, settings: Settings) -> Writer:
    members = column.type.members

    def write(value: Value) -> str:
        if isinstance(value, Index):
            return literal(members[value.number - 1]) if 0 < value.number <= len(members) else '""'
        if isinstance(value, str):
            return literal(value)
        raise not_a_value(column.type, value)

    return write


def _set(column: Column, style: Style, settings: Settings) -> Writer:
    members = column.type.members

    def write(value: Value) -> str:
        if isinstance(value, Mask):
            return literal(labels_of_mask(members, value.bits))
        if isinstance(value, str):
            return literal(value)
        raise not_a_value(column.type, value)

    return write


def _count(column: Column, count: Callable[[str], int | None]) -> Writer:
    """A writer of dates as numbers. `count` gives None for an invalid date, which is null or 0."""
    invalid = "null" if column.nullable else "0"  # [DBZ-135]

    def text_of(text: str) -> str:
        counted = count(text)
        return invalid if counted is None else str(counted)

    return _checked(column, text_of)


def _date(column: Column, style: Style, settings: Settings) -> Writer:
    return _count(column, epochs.days)


def _datetime(column: Column, style: Style, settings: Settings) -> Writer:
    unit = epochs.datetime_unit(column.type)
    return _count(column, lambda text: None if (micros := epochs.micros(text)) is None else micros // unit)


def _timestamp(column: Column, style: Style, settings: Settings) -> Writer:
    zone, by_wall_clock = zone_of(settings.timezone), style.early_timestamp_as_zero

    def text_of(text: str) -> str:
        iso = epochs.zoned(text, zone, by_wall_clock=by_wall_clock) or epochs.EPOCH_TEXT
        return f'"{iso}"'

    return _checked(column, text_of)


_WRITERS: Mapping[Family, _WriterMaker] = {
    **dict.fromkeys(INTEGERS, _integer),
    **dict.fromkeys(TEXT, _text),
    **dict.fromkeys(BINARY, _binary),
    Family.BIT: _bits,
    Family.FLOAT: _from_text(lambda text: number(text, 32)),
    Family.DOUBLE: _from_text(lambda text: number(text, 64)),
    Family.DECIMAL: _from_text(lambda text: number(text, 64)),
    Family.DATE: _date,
    Family.DATETIME: _datetime,
    Family.TIMESTAMP: _timestamp,
    Family.TIME: _from_text(lambda text: str(epochs.time_micros(text))),
    Family.YEAR: _from_text(str),
    Family.ENUM: _enum,
    Family.SET: _set,
    Family.JSON: _from_text(literal),
    Family.VECTOR: _from_text(literal),
}
