"""Boundary values of a column: those of the corpora that fit it, and the limits of its type.

Values that only a lenient server stores (a zero date, broken text, an invalid label) are included only if the column's
default is such a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

from conformance.catalogue.corpora import load_families
from differential.generate.draw import Draw
from differential.generate.values import Maker, NumberedMaker, maker_of, numbered, with_charset
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.model import Column, Index, RawText, Table, Value
from reference_impl.upstream.charsets import encoded
from reference_impl.values import check_text

__all__ = ["boundaries_of", "fitted", "is_representable", "keys_of", "makers_of", "mixed"]

_SHORT = ("<", "&", "\b", "\f", "\x01", "\u2028", "é", "数", "😀", '"', "\\", "\t")
"""Characters with a spelling of their own in some dialect; each fits a column of one character."""
_LONGEST = 600
_BYTES_OF_A_NUMBER = 8
_ZERO_DATE = re.compile(r"[0-9]{4}-00-|[0-9]{4}-[0-9]{2}-00")
_QUOTED_NAME = re.compile(r'\{"[^"]*\\"')
_NARROW = {"ascii": 0x80, "utf8": 0x10000, "utf8mb3": 0x10000}
"""Charsets that hold only characters below this code, although their codec accepts more."""
_ALL = 0x110000
_HALF = 0.5


def is_representable(value: Value) -> bool:
    """Whether both databases store the value by default, and every dialect can write it.

    Broken text, invalid labels and zero dates are excluded, and so is JSON with quotes in member names, which Canal
    writes as invalid JSON.
    """
    if value is None or isinstance(value, (Index, RawText)):
        return False
    return not isinstance(value, str) or not (_ZERO_DATE.match(value) or _QUOTED_NAME.search(value))


def mixed(column: Column, boundaries: tuple[Value, ...]) -> Maker:
    """A maker of values of a column, half of them boundaries."""
    drawn = maker_of(column)

    def make(draw: Draw) -> Value:
        return draw.of(boundaries) if boundaries and draw.chance(_HALF) else drawn(draw)

    return make


def makers_of(table: Table) -> Mapping[str, Maker]:
    """The makers of values of a table's columns, by name. Raises `UsageError`, see `maker_of`."""
    columns = [with_charset(column, table) for column in table.columns]
    return {column.name: mixed(column, boundaries_of(column)) for column in columns}


def keys_of(table: Table) -> Mapping[str, NumberedMaker]:
    """The makers of values of key columns that number rows: texts and bytes that end in boundaries."""
    columns = (with_charset(column, table) for column in table.columns)
    return {column.name: made for column in columns if (made := _numbered_to_boundaries(column)) is not None}


def _numbered_to_boundaries(column: Column) -> NumberedMaker | None:
    given, column_type, ends = numbered(column), column.type, boundaries_of(column)
    if given is None or not ends or column_type.family not in (*TEXT, Family.BINARY, Family.VARBINARY):
        return given
    make, capacity = given
    return partial(_with_end, column, make, ends), capacity


def _with_end(column: Column, make: Callable[[int], Value], ends: Sequence[Value], number: int) -> Value:
    """The value of a number; three of four have a boundary after the unique part."""
    begun, end = make(number), ends[number * 3 // 4 % len(ends)]
    if number % 4 and isinstance(begun, str) and isinstance(end, str):
        return fitted(column, f"{begun}-{end}") or begun
    if number % 4 and isinstance(begun, bytes) and isinstance(end, bytes):
        return _bytes(column.type, begun[:_BYTES_OF_A_NUMBER] + end) or begun
    return begun


@cache
def _corpus() -> Mapping[Family, tuple[Value, ...]]:
    """The boundaries of the corpora by family."""
    found: dict[Family, dict[Value, None]] = {}
    for family in load_families():
        for declaration in family.declarations:
            of_family = found.setdefault(declaration.column.type.family, {})
            of_family.update(dict.fromkeys(filter(is_representable, declaration.boundaries.values())))
    return {family: tuple(values) for family, values in found.items()}


def boundaries_of(column: Column) -> tuple[Value, ...]:
    """The boundaries of a column's values, without NULL; empty for an unsupported type."""
    column_type = column.type
    alike = next((families for families in (TEXT, BINARY) if column_type.family in families), {column_type.family})
    given = [*_ends(column_type), *(value for family in sorted(alike) for value in _corpus().get(family, ()))]
    found = (fitted(column, value) for value in given)
    default = [column.default] if isinstance(column.default, str) and column_type.family not in BINARY else []
    return tuple(dict.fromkeys(value for value in (*found, *default) if value is not None))


def _ends(column_type: ColumnType) -> Iterable[Value]:
    """The first and the last value of a type, by its parameters."""
    if column_type.family in INTEGERS or column_type.family is Family.BIT:
        return map(str, (column_type.minimum, 0, 1, column_type.maximum))
    if column_type.family is Family.DECIMAL:
        return _decimals(column_type)
    if column_type.family in (Family.ENUM, Family.SET):
        return (
            *column_type.members[:1],
            *column_type.members[-1:],
            *([",".join(column_type.members)] if column_type.family is Family.SET else []),
        )
    if column_type.family is Family.BINARY:
        return (b"\0" * column_type.characters, b"\xff" * column_type.characters)
    if column_type.family in TEXT:
        return (*_SHORT, "", *(["x" * min(column_type.length, _LONGEST)] if column_type.length is not None else []))
    return ()


def _decimals(column_type: ColumnType) -> Iterator[str]:
    scale = column_type.scale or 0
    whole = "9" * ((column_type.length or 10) - scale) or "0"
    for head, tail in ((whole, "9"), ("0", "0"), (whole, "0")):
        text = f"{head}.{tail * scale}" if scale else head
        yield text
        if not column_type.unsigned and head != "0":
            yield f"-{text}"


def fitted(column: Column, value: Value) -> Value:
    """The value in the form of the column, None if it does not fit."""
    column_type = column.type
    if isinstance(value, bytes):
        return _bytes(column_type, value)
    if not isinstance(value, str) or len(value) > _LONGEST or "\ufffd" in value:
        return None
    if column_type.family in (Family.TIME, Family.DATETIME, Family.TIMESTAMP):
        whole, _, digits = value.partition(".")
        value = f"{whole}.{digits[: column_type.fsp].ljust(column_type.fsp, '0')}" if column_type.fsp else whole
    if column_type.family in (Family.FLOAT, Family.DOUBLE) and (
        column_type.scale is not None or (column_type.unsigned and value[:1] == "-")
    ):
        return None
    if column_type.family in TEXT:
        return _text(column, value)
    try:
        check_text(column_type, value)
    except (Rejected, ValueError, ArithmeticError):
        return None
    return value


def _bytes(column_type: ColumnType, value: bytes) -> Value:
    if column_type.family not in BINARY or len(value) > _LONGEST:
        return None
    if column_type.family is Family.BINARY:
        return value[: column_type.characters].ljust(column_type.characters, b"\0")
    return value if column_type.length is None or len(value) <= column_type.length else None


def _text(column: Column, value: str) -> Value:
    column_type = column.type
    value = value.rstrip(" ") if column_type.family is Family.CHAR else value
    longest = column_type.length if column_type.family in (Family.CHAR, Family.VARCHAR) else None
    if longest is not None and len(value) > longest:
        return None
    beyond = _NARROW.get(column.charset or "", _ALL)
    if any(ord(character) >= beyond for character in value):
        return None
    try:
        encoded(value, column.charset or "utf8mb4")
    except Rejected:
        return None
    return value
