"""Inputs about DEFAULT and NULL: every type, every boundary as a default, and defaults that change.

This module decides which values can be a default. Columns that are added to tables with rows are in `added`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from conformance.cases.inputs import (
    Input,
    altered,
    column,
    delete,
    history,
    insert,
    numbered,
    table,
    timed,
    update,
)
from conformance.cases.sql import default_literal, definition
from conformance.catalogue.corpora import Declaration, Family, load_families
from reference_impl.column_types import TEXT
from reference_impl.column_types import Family as TypeFamily
from reference_impl.model import ABSENT, Column, DdlEvent, Event, Expression, Row, Table, Value

__all__ = [
    "Default",
    "declared_default_inputs",
    "default_inputs",
    "defaults_of",
    "literal_default",
    "plain_values",
    "type_axes",
]


_BLOBS = frozenset({TypeFamily.TINYBLOB, TypeFamily.BLOB, TypeFamily.MEDIUMBLOB, TypeFamily.LONGBLOB})
_NO_LITERAL = (TEXT - {TypeFamily.CHAR, TypeFamily.VARCHAR}) | _BLOBS | {TypeFamily.JSON, TypeFamily.VECTOR}


def literal_default(column_: Column, value: Value) -> str | None:
    """The text of a DEFAULT clause, as in the harness protocol, for a value.

    None if no such clause exists: for TEXT, BLOB, JSON and VECTOR, for bytes that are not UTF-8, for the invalid ENUM
    value and for NULL. The bytes that pad a BINARY(n) are not part of the literal.
    """
    if column_.type.family in _NO_LITERAL:
        return None
    if isinstance(value, bytes):
        try:
            return (value.rstrip(b"\0") if column_.type.family is TypeFamily.BINARY else value).decode()
        except UnicodeDecodeError:
            return None
    return value if isinstance(value, str) else None


def type_axes(family: Family, declaration: Declaration, **members: str) -> dict[str, str]:
    """The axes of a declaration and the axes in `members`."""
    return {"family": family.name, "type": declaration.label, **members}


def plain_values(declaration: Declaration) -> list[Value]:
    """The boundaries that every protocol can represent: without NULL and the invalid ENUM value."""
    return [value for value in declaration.boundaries.values() if isinstance(value, (str, bytes))]


class Default(NamedTuple):
    """A boundary that can be a default."""

    boundary: str
    text: str
    """As in a DEFAULT clause."""
    value: Value
    other: Value
    """The nearest other value before it among the boundaries, cyclically; else the same value."""


def defaults_of(declaration: Declaration) -> list[Default]:
    """The boundaries of a declaration that can be a default."""
    values, found = plain_values(declaration), []
    for boundary, value in declaration.boundaries.items():
        if (text := literal_default(declaration.column, value)) is not None:
            index = values.index(value)
            other = next((v for v in reversed(values[index:] + values[:index]) if v != value), value)
            found.append(Default(boundary, text, value, other))
    return found


# -- every boundary as a default -----------------------------------------------------------------------------------


def _row(n: Value, m: Value, id_: int = 1) -> Row:
    return {"id": str(id_), "n": n, "m": m}


def _defaulted(declaration: Declaration, text: str) -> Table:
    """A nullable column and a NOT NULL one with the same default."""
    nullable = replace(declaration.column, name="n", default=text)
    return numbered(nullable, replace(nullable, name="m", nullable=False))


def _boundary_inputs(family: Family, declaration: Declaration) -> Iterator[Input]:
    """Every boundary as a default: a column goes from NULL to it and back, and from it to another value."""
    for boundary, text, value, other in defaults_of(declaration):
        table_ = _defaulted(declaration, text)
        path = [(None, other), (None, value), (value, value), (None, value)]
        yield Input(
            f"default/{declaration.label}/{boundary}",
            (table_,),
            history(
                table_,
                [*(_row(n, m) for n, m in path), None],
                [_row(value, value, 2), _row(other, other, 2)],
            ),
            axes=type_axes(
                family, declaration, boundary=boundary, default="literal", operation="insert+update+delete", null="yes"
            ),
        )


def declared_default_inputs(options: Mapping[str, str], suffix: str) -> Iterator[Input]:
    """Every declaration once with a default, the last of its boundaries, under the options."""
    for family in load_families():
        for declaration in family.declarations:
            for boundary, text, value, other in defaults_of(declaration)[-1:]:
                table_ = _defaulted(declaration, text)
                yield Input(
                    f"default/{declaration.label}/{boundary}+{suffix}",
                    (table_,),
                    history(table_, [_row(None, other), _row(value, value), None]),
                    options=options,
                    role="encode",
                    axes=type_axes(
                        family, declaration, boundary=boundary, default="literal", operation="insert+update+delete"
                    ),
                )


def _step_inputs(family: Family) -> Iterator[Input]:
    """The last default of a family's first declaration, an input for each step, so that a fault is narrow."""
    declaration = family.declarations[0]
    boundary, text, value, other = defaults_of(declaration)[-1]
    table_ = _defaulted(declaration, text)
    null, default, another = _row(None, value), _row(value, value), _row(other, other)
    steps: Mapping[str, tuple[list[Row | None], str]] = {
        "insert null": ([null], "insert"),
        "insert the default": ([default], "insert"),
        "insert another value": ([another], "insert"),
        "to null": ([default, null], "update"),
        "another value to null": ([another, _row(None, other)], "update"),
        "from null": ([null, default], "update"),
        "null to another value": ([null, _row(other, value)], "update"),
        "null kept": ([null, _row(None, other)], "update"),
        "delete null": ([null, None], "delete"),
    }
    for name, (states, operation) in steps.items():
        yield Input(
            f"default/{declaration.label}/{boundary}/{name}",
            (table_,),
            history(table_, states),
            role="encode",
            axes=type_axes(
                family,
                declaration,
                boundary=boundary,
                default="literal",
                operation=operation,
                null="yes" if "null" in name else "no",
            ),
        )


def _key_input(family: Family) -> Input:
    """A key column with a default, in a row with this value and in a row with another value."""
    declaration = family.declarations[0]
    boundary, text, value, other = defaults_of(declaration)[-1]
    table_ = table("t", (replace(declaration.column, nullable=False, default=text), column("v", "int")), ("c",))
    states: list[list[Row | None]] = [[{"c": c, "v": "1"}, {"c": c, "v": None}, None] for c in (value, other)]
    return Input(
        f"default/{declaration.label}/{boundary}/key",
        (table_,),
        history(table_, *states),
        role="encode",
        axes=type_axes(family, declaration, boundary=boundary, default="literal", operation="insert+update+delete"),
    )


def _default_null_input(family: Family) -> Input:
    """Columns with DEFAULT NULL, without a default, and NOT NULL, also for types without a literal default."""
    declaration = family.declarations[0]
    declared = declaration.column
    values = plain_values(declaration)
    columns = (
        replace(declared, name="dn", default=None),
        replace(declared, name="n"),
        replace(declared, name="m", nullable=False),
    )
    table_ = numbered(*columns)
    path = [(None, None, values[0]), (values[0], None, values[0]), (None, values[-1], values[-1])]
    states: list[Row | None] = [{"id": "1", "dn": dn, "n": n, "m": m} for dn, n, m in path]
    return Input(
        f"default/{declaration.label}/NULL and none",
        (table_,),
        history(table_, [*states, None]),
        axes=type_axes(family, declaration, default="NULL", operation="insert+update+delete", null="yes"),
    )


# -- the time of the statement as a default ------------------------------------------------------------------------

_MOMENTS = ("2024-02-29 12:34:56", "2024-02-29 12:34:57", "2037-12-31 23:59:59")


def _moment_inputs() -> Iterator[Input]:
    """DATETIME and TIMESTAMP with CURRENT_TIMESTAMP, with and without ON UPDATE, nullable and not."""
    for type_name in ("datetime", "timestamp"):
        for fsp in range(7):
            digits = f"({fsp})" if fsp else ""
            now = Expression(f"CURRENT_TIMESTAMP{digits}")
            declared = column("n", f"{type_name}{digits}")
            columns = (
                replace(declared, default=now),
                replace(declared, name="nu", default=now, on_update_now=True),
                replace(declared, name="u", on_update_now=True),
                replace(declared, name="m", nullable=False, default=now),
                replace(declared, name="mu", nullable=False, default=now, on_update_now=True),
            )
            table_ = numbered(*columns, column("v", "int"))
            one, two, three = (text + ("." + "123456"[:fsp] if fsp else "") for text in _MOMENTS)
            kept: Row = {"id": "1", "n": one, "m": one}
            states: list[Row | None] = [
                {**kept, "nu": one, "u": None, "mu": one, "v": "1"},
                {**kept, "nu": two, "u": two, "mu": two, "v": "2"},
                {**kept, "nu": None, "u": None, "mu": three, "n": None, "v": "2"},
                {**kept, "nu": None, "u": None, "mu": three, "n": None, "v": None},
                None,
            ]
            yield Input(
                f"default/{type_name}{digits}/{now.text}",
                (table_,),
                history(table_, states),
                axes={
                    "family": type_name,
                    "type": f"{type_name}{digits}",
                    "default": "expression",
                    "operation": "insert+update+delete",
                    "null": "yes",
                },
            )


# -- defaults that change ------------------------------------------------------------------------------------------


def _altered(before: Table, after: Table) -> DdlEvent:
    """ALTER COLUMN … SET or DROP DEFAULT, to the default of `after`."""
    now = after.columns[1]
    what = "DROP DEFAULT" if now.default is ABSENT else f"SET DEFAULT {default_literal(now)}"
    query = f"ALTER TABLE `t` ALTER COLUMN `c` {what}"
    return altered(before, after, query, "set default value")


def _modified(before: Table, after: Table) -> DdlEvent:
    query = f"ALTER TABLE `t` MODIFY COLUMN {definition(after.columns[1])}"
    return altered(before, after, query, "modify column")


def _changes_input(family: Family) -> Input:
    """A default that is changed, dropped and set again while there are rows: they keep their values."""
    declaration = family.declarations[0]
    defaults = defaults_of(declaration)
    first, last = defaults[0], defaults[-1]
    one, two = first.value, last.value
    declared, number = declaration.column, column("v", "int")

    def version(changed: Column) -> Table:
        return numbered(changed, number)

    def row(id_: int, c: Value, v: Value = "0") -> Row:
        return {"id": str(id_), "c": c, "v": v}

    original = version(replace(declared, default=first.text))
    set_ = version(replace(declared, default=last.text))
    dropped = version(declared)
    modified = version(replace(declared, nullable=False, default=first.text))
    events: Sequence[Event] = [
        *(insert(original, row(id_, c)) for id_, c in ((1, one), (2, None), (3, one))),
        _altered(original, set_),
        update(set_, row(1, one), row(1, one, "1")),
        insert(set_, row(4, two)),
        update(set_, row(2, None), row(2, None, "1")),
        _altered(set_, dropped),
        update(dropped, row(2, None, "1"), row(2, two, "1")),
        insert(dropped, row(5, None)),
        delete(dropped, row(5, None)),
        _modified(dropped, modified),
        update(modified, row(1, one, "1"), row(1, two, "1")),
        delete(modified, row(3, one)),
        insert(modified, row(6, one)),
    ]
    return Input(
        f"default/{declaration.label}/changes",
        (original,),
        timed(events),
        axes=type_axes(
            family,
            declaration,
            stream="default changes",
            default="literal",
            operation="insert+update+delete",
            null="yes",
        ),
    )


def default_inputs() -> Iterator[Input]:
    """Every boundary of every type as a default, and other forms and changes of a DEFAULT clause."""
    for family in load_families():
        for declaration in family.declarations:
            yield from _boundary_inputs(family, declaration)
        if defaults_of(family.declarations[0]):
            yield from _step_inputs(family)
            yield _changes_input(family)
            yield _key_input(family)
        yield _default_null_input(family)
    yield from _moment_inputs()
