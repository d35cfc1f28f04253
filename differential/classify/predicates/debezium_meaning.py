"""Explains values that the whole Debezium family replaces, as NULL by a default.

Within the family such a value does not differ; compared with a dialect of another family it is a divergence. Each case
is exactly as narrow as its divergence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import TypeAlias

from differential.classify.predicates.debezium_defaults import EPOCHS, zero_of
from differential.decode.canonical import canonical
from differential.model import Cell
from reference_impl.column_types import Family
from reference_impl.model import Column
from reference_impl.upstream.debezium.literals import Literal, LiteralKind, literal_of

__all__ = ["stands_for"]

_DIGITS = 400
_LARGEST = 2**63 - 1
_TRUTHS = {"true": "1", "false": "0"}
_NULL, _YEAR_0, _NO_DATE, _TWO_DIGITS = "UN-3.2-11", "DBZ-564", "DBZ-565", "UN-3.2-20"
_SIGN, _SATURATED, _AS_WRITTEN, _ZERO_TIMESTAMP = "DBZ-584", "DBZ-240", "DBZ-240a", "DBZ-706"


def stands_for(column: Column, value: Cell, cell: Cell) -> str | None:
    """The divergence by which a cell of the Debezium family stands for a value of the column; None if none does.

    `value` is that of the other family, which writes it unchanged.
    """
    return next((name for case in _CASES for name, stand_in in case(column, value) if stand_in == cell), None)


_Case: TypeAlias = Callable[[Column, Cell], Iterator[tuple[str, Cell]]]
"""Yields the cells that may stand for a value, each after the divergence that explains it."""


def _default(column: Column, value: Cell) -> Iterator[tuple[str, Cell]]:
    """NULL in a column with a default."""
    given = literal_of(column)
    if value is not None or given is None:
        return
    yield _NULL, _default_value(column, given)
    if given.text.startswith("-00:"):
        yield _SIGN, canonical(column.type, given.text[1:])
    if given.text.isdecimal() and int(given.text) > _LARGEST:
        yield _SATURATED, str(_LARGEST)
    if given.kind is LiteralKind.QUOTED:
        yield _AS_WRITTEN, given.text


def _default_value(column: Column, given: Literal) -> Cell:
    """The value that a column has by its default."""
    column_type, text = column.type, given.text
    if given.kind is LiteralKind.BITS:
        return str(int(text or "0", 2))
    if given.kind is LiteralKind.NUMBER:
        text = _TRUTHS.get(text.lower(), text)
    if given.kind is LiteralKind.QUOTED:
        text = text.replace("''", "'").replace("\\\\", "\\")
    if column_type.family is Family.DECIMAL:
        return canonical(column_type, _rounded(text, column_type.scale or 0))
    if column_type.family in (Family.BINARY, Family.VARBINARY):
        size = column_type.characters if column_type.family is Family.BINARY else 0
        return canonical(column_type, text.encode().ljust(size, b"\0"))
    return canonical(column_type, text)


def _rounded(text: str, scale: int) -> str:
    try:
        return f"{Decimal(text).quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, Context(prec=_DIGITS)):f}"
    except InvalidOperation:
        return text


def _no_date(column: Column, value: Cell) -> Iterator[tuple[str, Cell]]:
    """A zero date, a date with a zero month or day, and a date of the year 0."""
    if column.type.family not in EPOCHS or not isinstance(value, str):
        return
    year, _, rest = value[:10].partition("-")
    has_zero_part = "00" in rest.split("-")
    if year != "0000" and not has_zero_part:
        return
    name = _NO_DATE if has_zero_part else _YEAR_0
    given = literal_of(column)
    if given is not None:
        yield name, _default_value(column, given)
    yield name, None if column.nullable else canonical(column.type, EPOCHS[column.type.family])


def _zero_timestamp(column: Column, value: Cell) -> Iterator[tuple[str, Cell]]:
    """The zero TIMESTAMP in a column with a default, which replaces it."""
    given = literal_of(column)
    if column.type.family is Family.TIMESTAMP and value == zero_of(column.type) and given is not None:
        yield _ZERO_TIMESTAMP, _default_value(column, given)


_CENTURY = "00"
_PIVOT = 70  # the first year of two digits that is read as 19xx


def _two_digits(column: Column, value: Cell) -> Iterator[tuple[str, Cell]]:
    """A date of the years 0 to 99, which is read as one of 1970 to 2069."""
    if column.type.family in EPOCHS and isinstance(value, str) and value.startswith(_CENTURY):
        yield _TWO_DIGITS, ("20" if int(value[2:4]) < _PIVOT else "19") + value[2:]


_CASES: Sequence[_Case] = (_default, _no_date, _zero_timestamp, _two_digits)
