"""Makes values of a column as applications store them: mostly plausible, sometimes extreme."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

import orjson

from conformance.errors import UsageError
from differential.generate.draw import Draw
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.model import Column, Table, Value
from reference_impl.upstream.charsets import is_national

__all__ = ["Maker", "NumberedMaker", "clock_text", "maker_of", "numbered", "with_charset"]

Maker: TypeAlias = Callable[[Draw], Value]
"""Makes a value that is not NULL."""

NumberedMaker: TypeAlias = tuple[Callable[[int], Value], int]
"""A function from numbers to distinct values, and the number of its values."""

_EXTREME = 0.03
_VOCABULARY = (
    "amber basket blue cotton dollar engine fabric garden hammer island jacket kettle ladder large magnet needle "
    "orange paper quartz refill ribbon silver small steel timber umbrella velvet window yellow zipper"
)
_WORDS = _VOCABULARY.split()
_ODD = (
    'said "yes"',
    "it's",
    "C:\\temp\\",
    "<b>&</b>",
    "crème brûlée",
    "数据",
    "😀",
    "a\tb",
    "two\nlines",
    "100 %",
    "null",
    "",
)
_ODD_ASCII = tuple(text for text in _ODD if text.isascii())
_OF_16_BITS = frozenset({"utf8", "utf8mb3", "ucs2"})
_UNICODE = _OF_16_BITS | {None, "utf8mb4", "utf16", "utf16le", "utf32"}
_NAMES = ("kind", "tags", "count", "size", "weight", "note", "ok", "origin")
_FIRST_DAY = datetime(2023, 1, 1, tzinfo=UTC)
_DAYS = 1200


def _integer(column_type: ColumnType) -> Maker:
    low, high = column_type.minimum, column_type.maximum

    def make(draw: Draw) -> Value:
        if draw.chance(_EXTREME):
            return str(draw.of((low, high, 0)))
        number = draw.below(10 ** draw.between(1, 9))
        return str(max(low, -number) if draw.chance(0.1) else min(high, number))

    return make


def _decimal(column_type: ColumnType) -> Maker:
    scale = column_type.scale or 0
    whole_digits = (column_type.length or 10) - scale
    most = "9" * whole_digits or "0"

    def make(draw: Draw) -> Value:
        digits = "".join(str(draw.below(10)) for _ in range(scale))
        whole = str(draw.below(10 ** draw.between(0, min(whole_digits, 6))))
        if draw.chance(_EXTREME):
            digits, whole = draw.of((("9" * scale, most), ("0" * scale, "0")))
        text = f"{whole}.{digits}" if scale else whole
        negative = not column_type.unsigned and text.strip("0.") != "" and draw.chance(0.15)
        return f"-{text}" if negative else text

    return make


def _float(column_type: ColumnType) -> Maker:
    """Halves, quarters and eighths, which are exact in every width.

    For DOUBLE also numbers with more digits.
    """
    scale = 3 if column_type.scale is None else min(column_type.scale, 3)
    digits = min(
        6, 6 if column_type.length is None or column_type.scale is None else column_type.length - column_type.scale
    )
    divisor = 2**scale
    fine = column_type.family is Family.DOUBLE and column_type.scale is None

    def make(draw: Draw) -> Value:
        sign = "-" if not column_type.unsigned and draw.chance(0.15) else ""
        if fine and draw.chance(0.5):
            return f"{sign}{draw.between(1, 10**6)}.{draw.between(1, 10**8):09}".rstrip("0")
        number = draw.between(1, 10**digits * divisor - 1)
        whole, rest = divmod(number, divisor)
        return f"{sign}{whole}" + f"{rest / divisor:.{scale}f}".lstrip("0").rstrip("0").rstrip(".")

    return make


def _bit(column_type: ColumnType) -> Maker:
    return lambda draw: str(
        draw.of((0, column_type.maximum)) if draw.chance(_EXTREME) else draw.below(1 << column_type.bits)
    )


def _phrase(draw: Draw, odd: tuple[str, ...]) -> str:
    words = [draw.of(_WORDS) for _ in range(draw.between(1, 6))]
    if draw.chance(0.2):
        words.insert(draw.below(len(words)), str(draw.below(10_000)))
    if draw.chance(0.1):
        words.insert(draw.below(len(words)), draw.of(odd))
    return " ".join(words)


def _text(column: Column) -> Maker:
    column_type = column.type
    odd = _ODD if column.charset in _UNICODE else _ODD_ASCII
    if column.charset in _OF_16_BITS:
        odd = tuple(text for text in _ODD if all(ord(character) < 0x10000 for character in text))
    longest = column_type.length if column_type.family in (Family.CHAR, Family.VARCHAR) else 255 // 4
    end = longest if longest is not None else 255
    # No text ends in spaces: the server removes those of a CHAR.
    return lambda draw: _phrase(draw, odd)[:end].rstrip(" ") if end else ""


def _binary(column_type: ColumnType) -> Maker:
    def make(draw: Draw) -> Value:
        length = column_type.characters
        if column_type.family is not Family.BINARY:
            length = draw.below(min(column_type.length if column_type.length is not None else 64, 64) + 1)
        return bytes(draw.below(256) for _ in range(length))

    return make


def _moment(draw: Draw) -> datetime:
    return _FIRST_DAY + timedelta(days=draw.below(_DAYS), microseconds=draw.below(86_400_000_000))


def clock_text(column_type: ColumnType, when: datetime) -> str:
    """A time as the text of a DATE, DATETIME or TIMESTAMP column."""
    if column_type.family is Family.DATE:
        return f"{when:%Y-%m-%d}"
    fraction = f"{when.microsecond:06}"[: column_type.fsp]
    return f"{when:%Y-%m-%d %H:%M:%S}" + (f".{fraction}" if fraction else "")


def _clock(column_type: ColumnType) -> Maker:
    return lambda draw: clock_text(column_type, _moment(draw))


def _time(column_type: ColumnType) -> Maker:
    def make(draw: Draw) -> Value:
        hours = draw.below(839) if draw.chance(0.1) else draw.below(24)
        parts = draw.below(10**column_type.fsp) if column_type.fsp and hours < 838 else 0
        fraction = f".{parts:0{column_type.fsp}}" if column_type.fsp else ""
        text = f"{hours:02}:{draw.below(60):02}:{draw.below(60):02}{fraction}"
        return f"-{text}" if text.strip("0:.") and draw.chance(0.1) else text

    return make


def _year(column_type: ColumnType) -> Maker:
    return lambda draw: str(draw.between(1901, 2155) if draw.chance(_EXTREME) else draw.between(1990, 2026))


def _enum(column_type: ColumnType) -> Maker:
    return lambda draw: draw.of(column_type.members)


def _set(column_type: ColumnType) -> Maker:
    return lambda draw: ",".join(label for label in column_type.members if draw.chance(0.4))


def _json_value(draw: Draw, depth: int) -> object:
    form = draw.below(8 if depth else 6)
    if form == 6:
        return [_json_value(draw, depth - 1) for _ in range(draw.below(4))]
    if form == 7:
        return _json_object(draw, depth - 1)
    plain = (draw.of(_WORDS), draw.below(100), draw.below(2**40), draw.below(4000) / 8, draw.chance(0.5), None)
    return plain[form]


def _json_object(draw: Draw, depth: int) -> dict[str, object]:
    return {name: _json_value(draw, depth) for name in _NAMES if draw.chance(0.4)}


def _json(column_type: ColumnType) -> Maker:
    return lambda draw: orjson.dumps(_json_object(draw, 2)).decode()


def _vector(column_type: ColumnType) -> Maker:
    return lambda draw: "[" + ",".join(str(draw.below(800) / 8) for _ in range(column_type.length or 3)) + "]"


_MAKERS: Mapping[Family, Callable[[ColumnType], Maker]] = {
    **dict.fromkeys(INTEGERS, _integer),
    Family.DECIMAL: _decimal,
    **dict.fromkeys((Family.FLOAT, Family.DOUBLE), _float),
    Family.BIT: _bit,
    **dict.fromkeys(BINARY, _binary),
    **dict.fromkeys((Family.DATE, Family.DATETIME, Family.TIMESTAMP), _clock),
    Family.TIME: _time,
    Family.YEAR: _year,
    Family.ENUM: _enum,
    Family.SET: _set,
    Family.JSON: _json,
    Family.VECTOR: _vector,
}


def with_charset(column: Column, table: Table) -> Column:
    """The column with an explicit charset; the default is the table's, and utf8mb3 for a national type."""
    if column.charset or column.type.family not in TEXT:
        return column
    return replace(column, charset="utf8mb3" if is_national(column.type) else table.charset)


def maker_of(column: Column) -> Maker:
    """The maker of a column's values. Raises `UsageError` for an unsupported type."""
    if column.type.family in TEXT:
        return _text(column)
    make = _MAKERS.get(column.type.family)
    if make is None:
        raise UsageError(f"column {column.name!r}: values of {column.type.text} cannot be generated")
    return make(column.type)


_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def _base36(number: int) -> str:
    text = ""
    while number or not text:
        number, rest = divmod(number, 36)
        text = _DIGITS[rest] + text
    return text


def numbered(column: Column) -> NumberedMaker | None:
    """The maker of distinct values of a key column; None for an unsupported type."""
    column_type = column.type
    if column_type.family in INTEGERS:
        return (lambda number: str(number + 1)), column_type.maximum
    if column_type.family in TEXT:
        length = 12 if column_type.length is None else min(column_type.length, 12)
        if length < 2:
            return (_base36, 36) if length else None
        return (lambda number: f"k{_base36(number)}"), 36 ** (length - 1)
    if column_type.family in (Family.BINARY, Family.VARBINARY):
        width = min(column_type.characters, 8)
        padding = column_type.characters - width if column_type.family is Family.BINARY else 0
        return (lambda number: number.to_bytes(width, "big") + b"\0" * padding), 256**width
    if column_type.family is Family.DECIMAL:
        scale = column_type.scale or 0
        return (lambda number: f"{number}.{'0' * scale}" if scale else str(number)), 10 ** (
            (column_type.length or 10) - scale
        )
    return _numbered_rarely(column_type)


_FIRST_SECOND = datetime(2001, 9, 9, tzinfo=UTC)


def _numbered_rarely(column_type: ColumnType) -> NumberedMaker | None:
    """Makers for types that are rarely the only column of a key; most have few distinct values."""
    if column_type.family is Family.DATE:
        return (lambda number: clock_text(column_type, _FIRST_SECOND + timedelta(days=number))), 2**21
    if column_type.family in (Family.DATETIME, Family.TIMESTAMP):  # up to the year 2035, which fits a TIMESTAMP
        return (lambda number: clock_text(column_type, _FIRST_SECOND + timedelta(seconds=number))), 2**30
    if column_type.family is Family.TIME:
        return (lambda number: _clock_time(column_type, number)), 838 * 3600
    if column_type.family is Family.YEAR:
        return (lambda number: str(1901 + number)), 255
    if column_type.family is Family.BIT:
        return str, 1 << column_type.bits
    if column_type.family is Family.ENUM:
        return (lambda number: column_type.members[number]), len(column_type.members)
    return None


def _clock_time(column_type: ColumnType, seconds: int) -> str:
    fraction = "." + "0" * column_type.fsp if column_type.fsp else ""
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{fraction}"
