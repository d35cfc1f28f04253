"""Converts values of columns to the data of an Avro writer: numbers, bytes and strings.  [AV-075 … AV-108]"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from reference_impl.avro.decimals import minimal_bytes, to_bytes, unscaled
from reference_impl.avro.style import Style
from reference_impl.avro.types import AvroType
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.floats import nearest_float32, plain
from reference_impl.model import RawText, Value
from reference_impl.values import check_text, enum_index, set_mask

__all__ = ["Writer", "writer"]

Writer: TypeAlias = Callable[[Value], Any]
_Maker: TypeAlias = Callable[[ColumnType, AvroType, Style], Writer]

_MAX_LONG = 2**63 - 1


def _unfit(kind: ColumnType, value: Value) -> Rejected:
    return Rejected("type", f"{value!r} is not a value of a {kind.text} column")


def _text_of(kind: ColumnType, value: Value) -> str:
    """The value as a valid text of the column."""
    if not isinstance(value, str):
        raise _unfit(kind, value)
    check_text(kind, value)
    return value


def _integer_of(kind: ColumnType, value: Value) -> int:
    try:
        number = int(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise _unfit(kind, value) from None
    if str(number) != value:
        raise _unfit(kind, value)
    if not kind.minimum <= number <= kind.maximum:
        raise Rejected("range", f"{number} is outside {kind.text}")
    return number


def _integer(kind: ColumnType, avro: AvroType, style: Style) -> Writer:
    minimum, maximum = kind.minimum, kind.maximum

    def write(value: Value) -> int:
        try:
            number = int(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise _unfit(kind, value) from None
        if str(number) != value or not minimum <= number <= maximum:
            return _integer_of(kind, value)  # raises with the reason
        return number

    return write


def _bigint(kind: ColumnType, avro: AvroType, style: Style) -> Writer:
    number_of = _integer(kind, avro, style)
    if avro.avro == "string":
        return lambda value: str(number_of(value))  # [AV-081]
    if not kind.unsigned:
        return number_of

    def write(value: Value) -> int:
        number: int = number_of(value)
        return number if number <= _MAX_LONG else number - 2**64  # [AV-080]

    return write


def _year(kind: ColumnType, avro: AvroType, style: Style) -> Writer:
    return lambda value: int(_text_of(kind, value))


def _float(kind: ColumnType, avro: AvroType, style: Style) -> Writer:
    nearest = nearest_float32 if kind.family is Family.FLOAT else float
    return lambda value: nearest(_text_of(kind, value))


def _decimal(kind: ColumnType, avro: AvroType, style: Style) -> Writer:
    if avro.decimal is None:
        return lambda value: _text_of(kind, value)  # [AV-085]
    scale = avro.decimal[1]
    return lambda value: to_bytes(unscaled(_text_of(kind, value), scale))


def _bit(kind: ColumnType, avro: AvroType, style: Style) -> Writer:
    if not style.fixed_bits:
        return lambda value: minimal_bytes(_integer_of(kind, value))
    size = (kind.bits + 7) // 8
    return lambda value: _integer_of(kind, value).to_bytes(size, "big")


def _text(kind: ColumnType, avro: AvroType, style: Style) -> Writer:
    def write(value: Value) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, RawText):
            raise Rejected("type", f"bytes of a {kind.text} column that are not UTF-8 are no Avro string")
        raise _unfit(kind, value)

    return write


def _bytes(kind: ColumnType, avro: AvroType, style: Style) -> Writer:
    def write(value: Value) -> bytes:
        if isinstance(value, bytes):
            return value
        raise _unfit(kind, value)

    return write


def _enum(kind: ColumnType, avro: AvroType, style: Style) -> Writer:
    def write(value: Value) -> str:
        if value is None:
            raise _unfit(kind, value)
        index = enum_index(kind, value)
        if not 1 <= index <= len(kind.members):  # [AV-108]
            raise Rejected("range", f"{index} is not the number of a member of {kind.text}")
        return kind.members[index - 1]

    return write


def _set(kind: ColumnType, avro: AvroType, style: Style) -> Writer:
    def write(value: Value) -> str:
        if value is None:
            raise _unfit(kind, value)
        mask = set_mask(kind, value)
        if mask >> len(kind.members):
            raise Rejected("range", f"{mask} is not a mask of {kind.text}")
        return ",".join(label for bit, label in enumerate(kind.members) if mask >> bit & 1)

    return write


def _vector(kind: ColumnType, avro: AvroType, style: Style) -> Writer:
    def write(value: Value) -> str:
        elements = json.loads(_text_of(kind, value), parse_int=str, parse_float=str)
        try:
            return "[" + ",".join(plain(element, 32) for element in elements) + "]"
        except OverflowError:
            raise _unfit(kind, value) from None

    return write


def _checked(kind: ColumnType, avro: AvroType, style: Style) -> Writer:
    return lambda value: _text_of(kind, value)


_WRITERS: Mapping[Family, _Maker] = {
    **dict.fromkeys(INTEGERS, _integer),
    Family.BIGINT: _bigint,
    Family.YEAR: _year,
    Family.FLOAT: _float,
    Family.DOUBLE: _float,
    Family.DECIMAL: _decimal,
    Family.BIT: _bit,
    **dict.fromkeys(TEXT, _text),
    **dict.fromkeys(BINARY, _bytes),
    Family.ENUM: _enum,
    Family.SET: _set,
    Family.VECTOR: _vector,
    **dict.fromkeys((Family.DATE, Family.DATETIME, Family.TIMESTAMP, Family.TIME, Family.JSON), _checked),
}


def writer(kind: ColumnType, avro: AvroType, style: Style) -> Writer:
    """A function from non-NULL values to the data of an Avro writer.

    It raises `Rejected`: class `type` for a value of another type, and for NULL, `range` for one outside the type.
    """
    return _WRITERS[kind.family](kind, avro, style)
