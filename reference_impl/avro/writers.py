"""Converts values of columns to the data of an Avro writer: numbers, bytes and strings.  [AV-075 … AV-108]"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from reference_impl.avro.style import Style
from reference_impl.avro.types import AvroType
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.decimals import minimal_bytes, to_bytes, unscaled
from reference_impl.errors import Rejected
from reference_impl.floats import nearest_float32, vector_text
from reference_impl.model import RawText, Value
from reference_impl.values import check_text, enum_index, labels_of_mask, not_a_value, set_mask

__all__ = ["Writer", "writer"]

Writer: TypeAlias = Callable[[Value], Any]
_Maker: TypeAlias = Callable[[ColumnType, AvroType, Style], Writer]
"""All makers have the same parameters; some need the column type only."""

_MAX_LONG = 2**63 - 1


def _text_of(column_type: ColumnType, value: Value) -> str:
    """The value as a valid text of the column."""
    if not isinstance(value, str):
        raise not_a_value(column_type, value)
    check_text(column_type, value)
    return value


def _integer(column_type: ColumnType, avro_type: AvroType, style: Style) -> Writer:
    minimum, maximum = column_type.minimum, column_type.maximum

    def write(value: Value) -> int:
        try:
            number = int(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise not_a_value(column_type, value) from None
        if str(number) != value:
            raise not_a_value(column_type, value)
        if not minimum <= number <= maximum:
            raise Rejected("range", f"{number} is outside {column_type.text}")
        return number

    return write


def _bigint(column_type: ColumnType, avro_type: AvroType, style: Style) -> Writer:
    number_of = _integer(column_type, avro_type, style)
    if avro_type.avro == "string":
        return lambda value: str(number_of(value))  # [AV-081]
    if not column_type.unsigned:
        return number_of

    def write(value: Value) -> int:
        number: int = number_of(value)
        return number if number <= _MAX_LONG else number - 2**64  # [AV-080]

    return write


def _year(column_type: ColumnType, avro_type: AvroType, style: Style) -> Writer:
    return lambda value: int(_text_of(column_type, value))


def _float(column_type: ColumnType, avro_type: AvroType, style: Style) -> Writer:
    nearest = nearest_float32 if column_type.family is Family.FLOAT else float
    return lambda value: nearest(_text_of(column_type, value))


def _decimal(column_type: ColumnType, avro_type: AvroType, style: Style) -> Writer:
    if avro_type.decimal is None:
        return lambda value: _text_of(column_type, value)  # [AV-085]
    scale = avro_type.decimal[1]
    return lambda value: to_bytes(unscaled(_text_of(column_type, value), scale))


def _bit(column_type: ColumnType, avro_type: AvroType, style: Style) -> Writer:
    number_of = _integer(column_type, avro_type, style)
    if not style.fixed_bits:
        return lambda value: minimal_bytes(number_of(value))
    size = (column_type.bits + 7) // 8
    return lambda value: number_of(value).to_bytes(size, "big")


def _text(column_type: ColumnType, avro_type: AvroType, style: Style) -> Writer:
    def write(value: Value) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, RawText):
            raise Rejected("type", f"bytes of a {column_type.text} column that are not UTF-8 are no Avro string")
        raise not_a_value(column_type, value)

    return write


def _bytes(column_type: ColumnType, avro_type: AvroType, style: Style) -> Writer:
    def write(value: Value) -> bytes:
        if isinstance(value, bytes):
            return value
        raise not_a_value(column_type, value)

    return write


def _enum(column_type: ColumnType, avro_type: AvroType, style: Style) -> Writer:
    def write(value: Value) -> str:
        index = enum_index(column_type, value)
        if not 1 <= index <= len(column_type.members):  # [AV-108]
            raise Rejected("range", f"{index} is not the number of a member of {column_type.text}")
        return column_type.members[index - 1]

    return write


def _set(column_type: ColumnType, avro_type: AvroType, style: Style) -> Writer:
    def write(value: Value) -> str:
        mask = set_mask(column_type, value)
        if mask >> len(column_type.members):
            raise Rejected("range", f"{mask} is not a mask of {column_type.text}")
        return labels_of_mask(column_type.members, mask)

    return write


def _vector(column_type: ColumnType, avro_type: AvroType, style: Style) -> Writer:
    def write(value: Value) -> str:
        try:
            return vector_text(_text_of(column_type, value))
        except OverflowError:
            raise not_a_value(column_type, value) from None

    return write


def _checked_text(column_type: ColumnType, avro_type: AvroType, style: Style) -> Writer:
    return lambda value: _text_of(column_type, value)


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
    **dict.fromkeys((Family.DATE, Family.DATETIME, Family.TIMESTAMP, Family.TIME, Family.JSON), _checked_text),
}


def writer(column_type: ColumnType, avro_type: AvroType, style: Style) -> Writer:
    """A function from non-NULL values to the data of an Avro writer.

    It raises `Rejected`: class `type` for a value of another type and for NULL, `range` for a value outside the type.
    """
    return _WRITERS[column_type.family](column_type, avro_type, style)
