"""Encoders with wrong defaults in the descriptions of columns."""

from __future__ import annotations

from collections.abc import Callable

from conformance.mutants.debezium.edits import Tree, described, encoder
from conformance.mutants.model import Mutant
from reference_impl.column_types import Family
from reference_impl.model import Column, Expression

__all__ = ["MUTANTS", "is_plain"]


def is_plain(*families: Family) -> Callable[[Column], bool]:
    """Whether a column is of one of these families and has a literal default."""
    return lambda column: column.type.family in families and isinstance(column.default, str)


def _is_now_or_zero(column: Column) -> bool:
    """Whether a column is a TIMESTAMP that defaults to CURRENT_TIMESTAMP or zero."""
    default = column.default
    text = default.text.upper() if isinstance(default, Expression) else default
    return (
        column.type.family is Family.TIMESTAMP
        and isinstance(text, str)
        and text.startswith(("CURRENT_TIMESTAMP", "0000"))
    )


def _as_declared(field: Tree, column: Column) -> None:
    if "default" in field:
        field["default"] = column.default


def _without_default(field: Tree, column: Column) -> None:
    field.pop("default", None)


MUTANTS: tuple[Mutant, ...] = (
    encoder(
        "default-timestamp-text",
        "DBZ-143",
        "the default of a TIMESTAMP is its text",
        described(is_plain(Family.TIMESTAMP), _as_declared),
    ),
    encoder(
        "default-timestamp-now-lost",
        "DBZ-143a",
        "a TIMESTAMP that defaults to CURRENT_TIMESTAMP or zero has no default",
        described(_is_now_or_zero, _without_default),
    ),
)
