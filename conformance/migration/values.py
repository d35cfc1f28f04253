"""The values that are tried in a column: boundaries of its type, values of the corpora, and plausible ones.

They depend on the column's definition alone, so that two columns that are declared alike have the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from conformance.cases.upstream.losses import prints_as_json
from conformance.catalogue.corpora import load_families
from conformance.errors import UsageError
from differential.generate.draw import Draw
from differential.generate.values import maker_of
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.model import Column, Index, Mask, RawText, Value
from reference_impl.upstream.charsets import encoded
from reference_impl.values import check_text

__all__ = ["LEFT_OUT", "plain_value", "values_of"]

LEFT_OUT = (
    "values that no strict server stores: bytes that are no text in a character column, ENUM numbers without a label",
    "the character U+FFFD, which stands for bytes that are no text",
    "values longer than 600 characters",
)
"""What is never among the values."""

_LONGEST = 600
_DRAWN = 12
_MEMBERS = 12
_NARROW = {"ascii": 0x80, "utf8": 0x10000, "utf8mb3": 0x10000}
"""Charsets that hold the characters below a code alone."""


def _decimal(kind: ColumnType) -> Iterator[str]:
    scale = kind.scale or 0
    digits = (kind.length or 10) - scale

    def text(whole: str, fraction: str) -> str:
        return f"{whole or '0'}.{fraction}" if scale else whole or "0"

    most = text("9" * digits, "9" * scale)
    small, none = text("0", "0" * (scale - 1) + "1" if scale else ""), text("0", "0" * scale)
    yield from (
        most,
        none,
        small,
        text("1"[:digits], "0" * scale),
        text("1234567890"[: min(digits, 10)], "50"[:scale].ljust(scale, "0")),
    )
    if not kind.unsigned:
        yield from (f"-{most}", f"-{text('1'[:digits], '5'.ljust(scale, '0')[:scale])}")


def _integer(kind: ColumnType) -> Iterator[str]:
    half = 1 << (kind.bits - 1)
    yield from map(str, (kind.minimum, 0, 1, 7, half - 1, half, half + 1, kind.maximum))


def _bit(kind: ColumnType) -> Iterator[str]:
    yield from map(str, (0, 1, 1 << (kind.bits - 1), kind.maximum))


def _members(kind: ColumnType) -> Iterator[str]:
    yield from kind.members[:_MEMBERS]
    yield from kind.members[-1:]


def _sets(kind: ColumnType) -> Iterator[str]:
    yield ""
    yield from kind.members[:_MEMBERS]
    yield ",".join(kind.members)


def _moments(kind: ColumnType) -> Iterator[str]:
    for text in ("2024-02-29 12:34:56.123456", "1970-01-02 00:00:00.000001", "2038-01-18 03:14:07.999999"):
        yield _fraction(kind, text)
    if kind.family is Family.DATETIME:
        yield from (_fraction(kind, text) for text in ("9999-12-31 23:59:59.000000", "1000-01-01 00:00:00.000000"))


def _times(kind: ColumnType) -> Iterator[str]:
    for text in ("00:00:00.000000", "23:59:59.999999", "-00:00:01.500000", "-12:30:00.000000", "100:00:00.000000",
                 "838:59:59.000000", "-838:59:59.000000", "08:30:00.120000"):  # fmt: skip
        yield _fraction(kind, text)


def _no_edges(kind: ColumnType) -> Iterable[str]:
    return ()


def _fraction(kind: ColumnType, text: str) -> str:
    whole, _, digits = text.partition(".")
    return f"{whole}.{digits[: kind.fsp]}" if kind.fsp else whole


def _floats(kind: ColumnType) -> Iterator[str]:
    yield from ("0", "1", "0.1", "1.5", "0.001", "10000000", "100", "123456.789", "1e-5", "1e20", "3.3333333")


_SHORT = (
    "<",
    ">",
    "&",
    '"',
    "'",
    "\\",
    "/",
    "é",
    "数",
    "😀",
    "\t",
    "\n",
    "\x01",
    "\b",
    "\f",
    "\x7f",
    "\u2028",
    "0",
    "1",
)
"""Texts that a column of one character holds: one of each that some dialect writes in its own way."""


def _texts(kind: ColumnType) -> Iterator[str]:
    longest = kind.length if kind.family in (Family.CHAR, Family.VARCHAR) and kind.length is not None else 255
    yield from (text for text in ("a", "", "x" * min(longest, 255), *_SHORT) if len(text) <= longest)


_EDGES: Mapping[Family, Callable[[ColumnType], Iterable[str]]] = {
    **dict.fromkeys(INTEGERS, _integer),
    **dict.fromkeys(TEXT, _texts),
    Family.DECIMAL: _decimal,
    Family.BIT: _bit,
    Family.ENUM: _members,
    Family.SET: _sets,
    Family.DATETIME: _moments,
    Family.TIMESTAMP: _moments,
    Family.TIME: _times,
    Family.FLOAT: _floats,
    Family.DOUBLE: _floats,
}


@cache
def _corpus() -> Mapping[Family, tuple[Value, ...]]:
    """The boundaries of the corpora by family of types, in their order."""
    found: dict[Family, dict[Value, None]] = {}
    for family in load_families():
        for declaration in family.declarations:
            of = found.setdefault(declaration.column.type.family, {})
            of.update(dict.fromkeys(declaration.boundaries.values()))
    return {family: tuple(values) for family, values in found.items()}


def _fitted(column: Column, value: Value) -> Value:
    """The value in the form of the column, None where the column does not hold it."""
    kind = column.type
    if isinstance(value, bytes):
        return _bytes(kind, value)
    if value is None or isinstance(value, (Index, Mask, RawText)) or len(value) > _LONGEST:
        return None
    if kind.family in (Family.TIME, Family.DATETIME, Family.TIMESTAMP):
        whole, _, digits = value.partition(".")
        value = f"{whole}.{digits[: kind.fsp].ljust(kind.fsp, '0')}" if kind.fsp else whole
    if "\ufffd" in value:
        return None
    if kind.family in TEXT:
        return _text(column, value)
    if kind.family is Family.JSON and not prints_as_json(value):
        return None
    try:
        check_text(kind, value)
    except (Rejected, ValueError, ArithmeticError):
        return None
    return value


def _bytes(kind: ColumnType, value: bytes) -> Value:
    if kind.family not in BINARY or len(value) > _LONGEST:
        return None
    if kind.family is Family.BINARY:
        width = kind.length or 1
        return value[:width].ljust(width, b"\0")
    return value if kind.family is not Family.VARBINARY or len(value) <= (kind.length or len(value)) else None


def _text(column: Column, value: str) -> Value:
    kind = column.type
    if kind.family is Family.CHAR:
        value = value.rstrip(" ")
    longest = kind.length if kind.family in (Family.CHAR, Family.VARCHAR) else None
    if longest is not None and len(value) > longest:
        return None
    charset = column.charset or "utf8mb4"
    if charset in _NARROW and any(ord(character) >= _NARROW[charset] for character in value):
        return None
    try:
        encoded(value, charset)
    except Rejected:
        return None
    return value


def _is_storable(column: Column, value: Value) -> bool:
    """Whether both databases keep the value: FLOAT(M,D) and unsigned floats hold fewer numbers."""
    kind = column.type
    if kind.family in (Family.FLOAT, Family.DOUBLE) and isinstance(value, str):
        if kind.unsigned and value.startswith("-"):
            return False
        if kind.scale is not None:
            return False
    return True


def _drawn(column: Column) -> Iterator[Value]:
    try:
        make = maker_of(column)
    except UsageError:
        return
    draw = Draw("migrate", column.type.text, column.charset)
    for _ in range(_DRAWN):
        yield make(draw)


def values_of(column: Column) -> tuple[Value, ...]:
    """The values that are tried in a column, a plausible one first, NULL last where it may be; () of a type that has

    none that could be made up.
    """
    drawn = [value for value in _drawn(column) if value is not None]
    edges = _EDGES.get(column.type.family, _no_edges)(column.type)
    tried = [_fitted(column, value) for value in (*edges, *_corpus().get(column.type.family, ()))]
    found = dict.fromkeys([*drawn[:1], *(v for v in tried if v is not None and _is_storable(column, v)), *drawn])
    return (*found, None) if column.nullable and found else tuple(found)


def plain_value(column: Column, number: int) -> Value:
    """A plausible value, another one for another number where the type has several."""
    values = list(dict.fromkeys(value for value in _drawn(column) if value is not None))
    return values[number % len(values)] if values else None
