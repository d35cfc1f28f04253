"""Encoders that get wrong what may be NULL, and the defaults of columns.  [AV-030a, AV-045 … AV-068]"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.avro.edits import (
    Applies,
    any_column,
    column_fields,
    data_of,
    encoder,
    has_default,
    in_families,
    is_signed,
    is_unsigned,
    type_of,
)
from conformance.mutants.avro.forgery import Forgery, Tree
from conformance.mutants.model import Mutant
from reference_impl.column_types import TEXT, Family
from reference_impl.model import Column, Expression

__all__ = ["MUTANTS"]

_EMPTY: dict[str, Any] = {"string": "", "bytes": "", "int": 0, "long": 0, "float": 0, "double": 0}


def _fields(edit: Callable[[Tree, Column], Any], applies: Applies = any_column, sides: str = "key value") -> Forgery:
    return Forgery(column_fields(applies, edit, sides))


def _empty(field: Tree) -> Any:
    return _EMPTY[type_of(field)["type"]]


def _is_precise(field: Tree) -> bool:
    return "logicalType" in type_of(field)


# -- what may be NULL --------------------------------------------------------------------------------------------------


def _nullable_all(field: Tree, column: Column) -> None:
    """A NOT NULL column is a union with null all the same."""
    if isinstance(field["type"], dict):
        field["type"] = [field["type"], "null"] if "default" in field else ["null", field["type"]]


def _null_last(field: Tree, column: Column) -> None:
    if field.get("default", 0) is None and not _is_precise(field):
        field["type"].reverse()
        field["default"] = _empty(field)


def _null_first(field: Tree, column: Column) -> None:
    if isinstance(field["type"], list) and field["type"][0] != "null" and column.default != "null":
        field["type"].reverse()
        field["default"] = None


def _decimal_not_null_with_default(field: Tree, column: Column) -> None:
    if isinstance(field["type"], dict) and _is_precise(field) and has_default(column):
        field["default"] = str(column.default)


def _empty_default(field: Tree, column: Column) -> None:
    if isinstance(field["type"], dict) and not _is_precise(field):
        field.setdefault("default", _empty(field))


_NULLS = (
    encoder("not-null-in-a-union", "AV-045", "a NOT NULL column is a union with null", _fields(_nullable_all)),
    encoder(
        "not-null-with-empty-default", "AV-045a", "a NOT NULL column has a zero for default", _fields(_empty_default)
    ),
    encoder("null-last", "AV-047", "null is the last branch, and the default a zero", _fields(_null_last)),
    encoder(
        "null-first",
        "AV-048",
        "null is the first branch and the default, whatever default there is",
        _fields(_null_first),
    ),
    encoder(
        "decimal-with-default",
        "AV-050",
        "a NOT NULL DECIMAL in precise mode has a default",
        _fields(_decimal_not_null_with_default),
    ),
    encoder(
        "empty-as-null",
        "AV-052",
        "an empty text of a nullable column is NULL",
        data_of(
            lambda value, column: None if value == "" and column.nullable else value,
            in_families(*TEXT, Family.SET),
        ),
    ),
    encoder(
        "zero-as-null",
        "AV-052",
        "a zero of a nullable column is NULL",
        data_of(lambda value, column: None if value == 0 and column.nullable else value),
    ),
)

# -- defaults ----------------------------------------------------------------------------------------------------------


def _default(applies: Applies, change: Callable[[Any, Column], Any]) -> Forgery:
    """A default that is not null is written otherwise."""

    def edit(field: Tree, column: Column) -> None:
        if field.get("default") is not None:
            field["default"] = change(field["default"], column)

    return _fields(edit, applies)


def _text(value: Any, column: Column) -> Any:
    return str(value)


def _quoted(value: Any, column: Column) -> Any:
    return f"'{value}'"


def _is_expression(column: Column) -> bool:
    return isinstance(column.default, Expression)


_TIMES = (Family.DATE, Family.DATETIME, Family.TIME)
_BIGINT_UNSIGNED = is_unsigned(Family.BIGINT)


def _is_big_int(column: Column) -> bool:
    return is_unsigned(Family.INT)(column) or is_signed(Family.BIGINT)(column)


# (name, requirement, clause, which columns, what becomes of the default)
_DEFAULTS: tuple[tuple[str, str, str, Applies, Callable[[Any, Column], Any]], ...] = (
    ("year-default-as-text", "AV-055", "the default of YEAR is a string", in_families(Family.YEAR), _text),
    ("bigint-default-as-text", "AV-056", "the default of BIGINT is a string", _is_big_int, _text),
    ("unsigned-default-as-text", "AV-057", "the default of BIGINT UNSIGNED is a string", _BIGINT_UNSIGNED, _text),
    (
        "digits-default-as-number",
        "AV-058",
        "the default of BIGINT UNSIGNED in mode string is a number",
        _BIGINT_UNSIGNED,
        lambda value, column: int(value),
    ),
    ("float-default-as-text", "AV-059", "the default of FLOAT is a string", in_families(Family.FLOAT), _text),
    ("double-default-as-text", "AV-060", "the default of DOUBLE is a string", in_families(Family.DOUBLE), _text),
    (
        "decimal-default-as-number",
        "AV-061",
        "the default of DECIMAL is a number",
        in_families(Family.DECIMAL),
        lambda value, column: float(value),
    ),
    (
        "time-default-quoted",
        "AV-065",
        "the default of DATE, DATETIME or TIME is in quotes",
        in_families(*_TIMES),
        _quoted,
    ),
    (
        "timestamp-default-iso-8601",
        "AV-066",
        "the default of TIMESTAMP has a T between date and time",
        lambda column: column.type.family is Family.TIMESTAMP and not _is_expression(column),
        lambda value, column: value.replace(" ", "T"),
    ),
)


def _defaults() -> Iterator[Mutant]:
    for name, requirement, clause, applies, change in _DEFAULTS:
        yield encoder(name, requirement, clause, _default(applies, change))


MUTANTS: tuple[Mutant, ...] = (*_NULLS, *_defaults())
