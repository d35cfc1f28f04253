"""The values to try in a column: boundaries of its type, values of the corpora, plausible values.

They depend on the column's definition alone: two columns with the same declaration get the same values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from conformance.cases.upstream.losses import prints_as_json
from conformance.errors import UsageError
from differential.generate.boundaries import boundaries_of, fitted
from differential.generate.draw import Draw
from differential.generate.values import maker_of
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.model import Column, Value

__all__ = ["LEFT_OUT", "plain_value", "values_of"]

LEFT_OUT = (
    "values that no strict server stores: bytes that are no text in a character column, ENUM numbers without a label",
    "the character U+FFFD, which stands for bytes that are no text",
    "values longer than 600 characters",
)
"""Values that a trial never contains."""

_DRAWN = 12  # plausible values of a column
_KEPT = 4096  # columns whose values are cached
_ZERO_DATE = "0000-00-00"
_MOST_LABELS = 12  # of an ENUM or SET


def _decimal(column_type: ColumnType) -> Iterator[str]:
    scale = column_type.scale or 0
    digits = (column_type.length or 10) - scale

    def text(whole: str, fraction: str) -> str:
        return f"{whole or '0'}.{fraction}" if scale else whole or "0"

    most = text("9" * digits, "9" * scale)
    small, none = text("0", "0" * (scale - 1) + "1" if scale else ""), text("0", "0" * scale)
    yield from (most, none, small, text("1"[:digits], "0" * scale))
    yield text("1234567890"[: min(digits, 10)], "50"[:scale].ljust(scale, "0"))
    if not column_type.unsigned:
        yield from (f"-{most}", f"-{text('1'[:digits], '5'.ljust(scale, '0')[:scale])}")


def _integer(column_type: ColumnType) -> Iterator[str]:
    half = 1 << (column_type.bits - 1)
    yield from map(str, (column_type.minimum, 0, 1, 7, half - 1, half, half + 1, column_type.maximum))


def _bit(column_type: ColumnType) -> Iterator[str]:
    yield from map(str, (0, 1, 1 << (column_type.bits - 1), column_type.maximum))


def _members(column_type: ColumnType) -> Iterator[str]:
    yield from column_type.members[:_MOST_LABELS]
    yield from column_type.members[-1:]


def _sets(column_type: ColumnType) -> Iterator[str]:
    yield ""
    yield from column_type.members[:_MOST_LABELS]
    yield ",".join(column_type.members)


def _dates(column_type: ColumnType) -> Iterator[str]:
    yield from (_ZERO_DATE, "1000-01-01", "9999-12-31", "2024-02-29")


def _moments(column_type: ColumnType) -> Iterator[str]:
    yield _fraction(column_type, f"{_ZERO_DATE} 00:00:00.000000")
    for text in ("2024-02-29 12:34:56.123456", "1970-01-02 00:00:00.000001", "2038-01-18 03:14:07.999999"):
        yield _fraction(column_type, text)
    if column_type.family is Family.DATETIME:
        yield from (
            _fraction(column_type, text) for text in ("9999-12-31 23:59:59.000000", "1000-01-01 00:00:00.000000")
        )


def _times(column_type: ColumnType) -> Iterator[str]:
    for text in ("00:00:00.000000", "23:59:59.999999", "-00:00:01.500000", "-12:30:00.000000", "100:00:00.000000",
                 "838:59:59.000000", "-838:59:59.000000", "08:30:00.120000"):  # fmt: skip
        yield _fraction(column_type, text)


def _no_edges(column_type: ColumnType) -> Iterable[str | bytes]:
    return ()


def _fraction(column_type: ColumnType, text: str) -> str:
    whole, _, digits = text.partition(".")
    return f"{whole}.{digits[: column_type.fsp]}" if column_type.fsp else whole


def _floats(column_type: ColumnType) -> Iterator[str]:
    yield from ("0", "1", "0.1", "1.5", "0.001", "10000000", "100", "123456.789", "1e-5", "1e20", "3.3333333")


_SHORT = (
    *("<", ">", "&", '"', "'", "\\", "/", "é", "数", "😀", "\t", "\n", "\x01", "\b", "\f", "\x7f", "\u2028", "0", "1"),
)
"""Texts of one character: one for each spelling that some dialect treats in its own way."""


_BYTES = (
    *(bytes([n]) for n in b'\0\x08\n\x0c"&<>\\a\x7f\x80\xe9\xff'),
    b"",
    b"ab\0\0",
    b"\xfb\xef\xbe",
    b"caf\xc3\xa9",
)


def _bytes(column_type: ColumnType) -> Iterable[bytes]:
    """One byte of each kind that some dialect spells in its own way, and bytes that are a text or padded base64."""
    return _BYTES


def _rounded(column_type: ColumnType) -> Iterator[str]:
    """Numbers for FLOAT(M,D) and DOUBLE(M,D), with so few digits that the server does not round them."""
    scale, length = column_type.scale, column_type.length or 0
    if column_type.family in (Family.FLOAT, Family.DOUBLE) and scale is not None and length > scale:
        for digits in ("61", "1", "99"):
            text = f"5.{digits[:scale].ljust(scale, '0')}" if scale else "5"
            yield from (text,) if column_type.unsigned else (text, f"-{text}")


def _texts(column_type: ColumnType) -> Iterator[str]:
    longest = (
        column_type.length
        if column_type.family in (Family.CHAR, Family.VARCHAR) and column_type.length is not None
        else 255
    )
    yield from (text for text in ("a", "", "x" * min(longest, 255), *_SHORT) if len(text) <= longest)


_EDGES: Mapping[Family, Callable[[ColumnType], Iterable[str | bytes]]] = {
    **dict.fromkeys(INTEGERS, _integer),
    **dict.fromkeys(TEXT, _texts),
    **dict.fromkeys(BINARY - {Family.GEOMETRY}, _bytes),
    Family.DECIMAL: _decimal,
    Family.BIT: _bit,
    Family.ENUM: _members,
    Family.SET: _sets,
    Family.DATE: _dates,
    Family.DATETIME: _moments,
    Family.TIMESTAMP: _moments,
    Family.TIME: _times,
    Family.FLOAT: _floats,
    Family.DOUBLE: _floats,
}


@lru_cache(_KEPT)
def _drawn(column: Column) -> tuple[Value, ...]:
    try:
        make = maker_of(column)
    except UsageError:
        return ()
    draw = Draw("migrate", column.type.text, column.charset)
    return tuple(make(draw) for _ in range(_DRAWN))


@lru_cache(_KEPT)
def values_of(column: Column) -> tuple[Value, ...]:
    """The values to try in a column: a plausible one first, NULL last if the column allows it.

    Empty for a type whose values cannot be made up.
    """
    column_type = column.type
    drawn = [value for value in _drawn(column) if value is not None]
    edges = [
        *_rounded(column_type),
        *(fitted(column, edge) for edge in _EDGES.get(column_type.family, _no_edges)(column_type)),
    ]
    tried = [value for value in (*edges, *boundaries_of(column)) if value is not None and _is_tried(column_type, value)]
    found = dict.fromkeys([*drawn[:1], *tried, *drawn])
    return (*found, None) if column.nullable and found else tuple(found)


def _is_tried(column_type: ColumnType, value: Value) -> bool:
    """Whether every dialect has a message for a value: for some names in JSON, Canal has none."""
    return column_type.family is not Family.JSON or (isinstance(value, str) and prints_as_json(value))


def plain_value(column: Column, number: int) -> Value:
    """A plausible value; another number gives another value where the type has several."""
    values = list(dict.fromkeys(value for value in _drawn(column) if value is not None))
    return values[number % len(values)] if values else None
