"""Converts columns of Avro's datums to canonical cells; equal datums are converted once.

Common datums whose cell is certain are converted directly. The reference reads all others and writes them again: a
datum that the dialect writes in another way is `UNSURE`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import orjson

from differential.decode.canonical import canonical
from differential.decode.quick.cells import NULL, UNSURE
from differential.decode.quick.grammar import exact
from differential.decode.quick.scalars import decimal_cell, document
from reference_impl.avro.options import Options
from reference_impl.avro.readers import reader
from reference_impl.avro.registered import RecordSchema
from reference_impl.avro.style import Style
from reference_impl.avro.types import AvroType, avro_type
from reference_impl.avro.writers import writer
from reference_impl.column_types import INTEGERS, TEXT, ColumnType, Family
from reference_impl.decimals import to_bytes
from reference_impl.errors import Rejected
from reference_impl.model import Column
from reference_impl.names import sanitized

__all__ = ["DatumCells"]

_MOST = 1 << 15  # cached values of a column
_LARGEST = 2**63 - 1
_NUMBER = b'"%d"'.__mod__

_Convert: TypeAlias = Callable[[Any], bytes]
_Quick: TypeAlias = Callable[[ColumnType, AvroType, _Convert], _Convert]


def _decimal(kind: ColumnType, avro: AvroType, convert: _Convert) -> _Convert:
    if avro.decimal is None:
        return convert
    precision, scale = avro.decimal
    most = 10**precision
    least = 0 if kind.unsigned else 1 - most

    def cell(data: bytes) -> bytes:
        number = int.from_bytes(data, "big", signed=True)
        if not least <= number < most or to_bytes(number) != data:
            return convert(data)
        return decimal_cell(number, scale)

    return cell


def _clock(kind: ColumnType, avro: AvroType, convert: _Convert) -> _Convert:
    is_sure = re.compile(exact(kind) or "").fullmatch
    return lambda text: b'"%b"' % text.encode() if is_sure(text) else convert(text)


def _document(kind: ColumnType, avro: AvroType, convert: _Convert) -> _Convert:
    cell = document(lambda token: convert(orjson.loads(token)))
    return lambda text: cell(orjson.dumps(text))


_QUICK: Mapping[Family, _Quick] = {
    Family.DECIMAL: _decimal,
    Family.DATETIME: _clock,
    Family.TIMESTAMP: _clock,
    Family.JSON: _document,
}


class DatumCells(dict[Any, bytes]):
    """The cells of a column by its datums, as the slow path has them.

    `UNSURE` stands for a datum that the dialect writes in another way. A FLOAT or DOUBLE is looked up by its digits,
    since 0.0 equals -0.0.
    """

    def __init__(self, column: Column, schema: RecordSchema, options: Options, style: Style) -> None:
        super().__init__({None: NULL})
        self.field, self._kind = sanitized(column.name), column.type
        family, avro = column.type.family, avro_type(column.type, options, style)
        self._read = reader(next(one for one in schema.columns if one.name == self.field).type)
        self._write = writer(column.type, avro, style)
        self._is_float, self._is_text = family in (Family.FLOAT, Family.DOUBLE), family in TEXT
        is_number = family in INTEGERS and avro.avro in ("int", "long")
        # The cells of all numbers between these bounds are their digits.
        self._bounds = (column.type.minimum, min(column.type.maximum, _LARGEST)) if is_number else None
        quick = _QUICK.get(family)
        self._convert = self._cell if quick is None else quick(column.type, avro, self._cell)

    def of(self, column: Sequence[Any]) -> list[bytes]:
        """The cells of datums."""
        if self._is_text:
            return list(map(orjson.dumps, column))
        if self._bounds is not None and (cells := self._of_numbers(column, *self._bounds)) is not None:
            return cells
        if self._is_float:
            column = [None if datum is None else repr(datum) for datum in column]
        return list(map(self.__getitem__, column))

    @staticmethod
    def _of_numbers(column: Sequence[Any], least: int, most: int) -> list[bytes] | None:
        """The cells of numbers; None if one of them is out of bounds."""
        if None not in column:
            return list(map(_NUMBER, column)) if least <= min(column) and max(column) <= most else None
        given = [number for number in column if number is not None]
        if given and not (least <= min(given) and max(given) <= most):
            return None
        return [NULL if number is None else b'"%d"' % number for number in column]

    def __missing__(self, known: Any) -> bytes:
        if len(self) >= _MOST:
            self.clear()
            self[None] = NULL
        cell = self[known] = self._convert(float(known) if self._is_float else known)
        return cell

    def _cell(self, datum: Any) -> bytes:
        try:
            value = self._read(datum)
            written = self._write(value)
            cell = orjson.dumps(canonical(self._kind, value))
        except (Rejected, ValueError, TypeError, OverflowError):
            return UNSURE
        return cell if repr(written) == repr(datum) else UNSURE
