"""Encoders with wrong defaults in the descriptions of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.debezium.edits import (
    Tree,
    Wrap,
    described,
    encoder,
)
from conformance.mutants.model import Mutant
from reference_impl.column_types import Family
from reference_impl.model import Column, Expression

__all__ = [
    "MUTANTS",
    "is_plain",
]

Applies = Callable[[Column], bool]
Make = Callable[[Any, Column], Any]


def is_now(column: Column) -> bool:
    """Whether the default is CURRENT_TIMESTAMP."""
    return isinstance(column.default, Expression) and column.default.text.upper().startswith("CURRENT_TIMESTAMP")


def is_zero(column: Column) -> bool:
    """Whether the default is a date of zeros."""
    return isinstance(column.default, str) and column.default.startswith("0000")


def is_plain(*families: Family) -> Applies:
    """Whether a column is of one of these families and has a literal default."""
    return lambda column: column.type.family in families and isinstance(column.default, str)


def _default(applies: Applies, make: Make) -> Wrap:
    """Replaces the described default by what `make` makes of it; removes it if this is None."""

    def edit(field: Tree, column: Column) -> None:
        if "default" not in field:
            return
        made = make(field["default"], column)
        if made is None:
            del field["default"]
        else:
            field["default"] = made

    return described(applies, edit)


def _lost(value: Any, column: Column) -> None:
    return None


def as_declared(value: Any, column: Column) -> Any:
    """The default as the table has it."""
    return column.default


# (requirement, name, description, columns, the written default of the right one)
_DESCRIBED: tuple[tuple[str, str, str, Applies, Make], ...] = (
    ("DBZ-143", "timestamp-text", "the default of a TIMESTAMP is its text", is_plain(Family.TIMESTAMP), as_declared),
    (
        "DBZ-143a",
        "timestamp-now-lost",
        "a TIMESTAMP that defaults to CURRENT_TIMESTAMP or zero has no default",
        lambda c: c.type.family is Family.TIMESTAMP and (is_now(c) or is_zero(c)),
        _lost,
    ),
)


def _descriptions() -> Iterator[Mutant]:
    for requirement, name, description, applies, make in _DESCRIBED:
        yield encoder(f"default-{name}", requirement, description, _default(applies, make))


MUTANTS: tuple[Mutant, ...] = tuple(_descriptions())
