"""Converts data of an Avro reader to values of columns, by the column's schema.  [AV-100, AV-206]

Readers ignore the declared type of a column, which may be out of date, since no message has the table after a DDL
statement. The schema always describes its own record.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from reference_impl.avro.types import AvroType
from reference_impl.column_types import ColumnType, parse_column_type
from reference_impl.decimals import decimal_text, from_bytes
from reference_impl.errors import Rejected
from reference_impl.floats import plain
from reference_impl.model import Value
from reference_impl.values import check_text, escaped_label

__all__ = ["Reader", "reader"]

Reader: TypeAlias = Callable[[Any], Value]

_LONGEST_PRECISION = 65
_LONGEST_SCALE = 30


def _whole(number: int, bits: int) -> int:
    """The number, if it fits an Avro integer of that many bits; fastavro does not check this."""
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise Rejected("syntax", f"{number} is no number of {bits} bits")
    return number


def _int(avro: AvroType) -> Reader:
    if avro.avro == "int":
        return lambda number: str(_whole(number, 32))
    return str


def _unsigned_int(avro: AvroType) -> Reader:
    bits = 32 if avro.avro == "int" else 64

    def read(number: int) -> Value:
        if not 0 <= _whole(number, bits) < 1 << 32:
            raise Rejected("range", f"{number} is outside int unsigned")
        return str(number)

    return read


def _unsigned_bigint(avro: AvroType) -> Reader:
    if avro.avro == "string":
        return _checked(parse_column_type("bigint unsigned"))
    return lambda number: str(number if number >= 0 else number + 2**64)  # [AV-080]


def _year(avro: AvroType) -> Reader:
    year = _checked(parse_column_type("year"))
    return lambda number: year(str(_whole(number, 32)))


def _float(avro: AvroType) -> Reader:
    bits = 32 if avro.tidb == "FLOAT" else 64

    def read(number: float) -> Value:
        try:
            text = plain(repr(number), bits) if math.isfinite(number) else None
        except OverflowError:
            text = None
        if text is None:
            raise Rejected("range", f"{number} is outside {avro.tidb}")
        return text

    return read


@lru_cache(maxsize=256)
def _decimal_kind(precision: int, scale: int) -> ColumnType:
    return parse_column_type(f"decimal({precision},{scale})")


def _decimal(avro: AvroType) -> Reader:
    if avro.decimal is None:
        return _decimal_string
    precision, scale = avro.decimal
    limit = 10**precision

    def read(data: bytes) -> Value:
        if not data:
            raise Rejected("type", "a decimal without bytes")
        number = from_bytes(data)
        if not -limit < number < limit:
            raise Rejected("range", f"{decimal_text(number, scale)} is outside decimal({precision},{scale})")
        return decimal_text(number, scale)

    return read


def _decimal_string(text: str) -> Value:
    scale = len(text.partition(".")[2])
    check_text(_decimal_kind(_LONGEST_PRECISION, scale), text)
    if scale > _LONGEST_SCALE:
        raise Rejected("range", f"{text} has more than {_LONGEST_SCALE} fractional digits")
    return text


def _bit(avro: AvroType) -> Reader:
    length = int(avro.parameters["length"])
    size = (length + 7) // 8

    def read(data: bytes) -> Value:
        if not 1 <= len(data) <= size:
            raise Rejected("type", f"{len(data)} bytes in a bit({length})")
        number = int.from_bytes(data, "big")
        if number >> length:
            raise Rejected("range", f"{number} is outside bit({length})")
        return str(number)

    return read


def _label(avro: AvroType) -> Reader:
    # The search is for the escaped label, since the escapes in `allowed` cannot always be undone.  [AV-109]
    members = f",{avro.parameters['allowed']},"

    def read(label: str) -> Value:
        if f",{escaped_label(label)}," not in members:
            raise Rejected("range", f"{label!r} is not one of {avro.parameters['allowed']!r}")
        return label

    return read


def _labels(avro: AvroType) -> Reader:
    label = _label(avro)

    def read(labels: str) -> Value:
        for text in labels.split(",") if labels else ():
            label(text)
        return labels

    return read


def _checked(column_type: ColumnType) -> Reader:
    def read(text: str) -> Value:
        check_text(column_type, text)
        return text

    return read


# Texts that certainly belong to a temporal type; others need a full check.
_HOUR, _MINUTES = "(?:[01][0-9]|2[0-3])", ":[0-5][0-9]:[0-5][0-9](?:[.][0-9]{1,6})?"
_DATE = "[0-9]{4}-(?:0[0-9]|1[0-2])-(?:[0-2][0-9]|3[01])"
_SURE: Mapping[str, re.Pattern[str]] = {
    "datetime": re.compile(f"{_DATE} {_HOUR}{_MINUTES}"),
    "timestamp": re.compile(f"{_DATE} {_HOUR}{_MINUTES}"),
    "time": re.compile(f"-?{_HOUR}{_MINUTES}"),
}


def _clock(word: str) -> Callable[[AvroType], Reader]:
    """A temporal type; the schema does not give the number of fractional digits."""
    kinds = tuple(parse_column_type(f"{word}({digits})") for digits in range(7))
    surely = _SURE[word].fullmatch

    def read(text: str) -> Value:
        if not surely(text):
            digits = len(text.partition(".")[2])
            check_text(kinds[min(digits, 6)], text)
        return text

    return lambda avro: read


_READERS: Mapping[str, Callable[[AvroType], Reader]] = {
    "INT": _int,
    "INT UNSIGNED": _unsigned_int,
    "BIGINT": _int,
    "BIGINT UNSIGNED": _unsigned_bigint,
    "FLOAT": _float,
    "DOUBLE": _float,
    "DECIMAL": _decimal,
    "BIT": _bit,
    **dict.fromkeys(("TEXT", "BLOB"), lambda avro: lambda value: value),
    "ENUM": _label,
    "SET": _labels,
    "JSON": lambda avro: _checked(parse_column_type("json")),
    "DATE": lambda avro: _checked(parse_column_type("date")),
    "DATETIME": _clock("datetime"),
    "TIMESTAMP": _clock("timestamp"),
    "TIME": _clock("time"),
    "YEAR": _year,
    "TiDBVECTORFloat32": lambda avro: _checked(parse_column_type("vector")),
}


def reader(avro: AvroType) -> Reader:
    """A function from non-null data to the column's values.

    It raises `Rejected`: class `syntax` for a number that Avro's type does not hold, `type` for a form that is not of
    the column's type, `range` for a value outside it.
    """
    return _READERS[avro.tidb](avro)
