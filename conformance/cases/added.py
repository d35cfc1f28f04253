"""Inputs that add a column to a table with rows: the value of the old rows in it.

An old row has the default that the column was added with, or the implicit default of its type in a NOT NULL column that
was added without one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from conformance.cases.defaults import literals, other_value, plain_values, type_axes
from conformance.cases.inputs import BOTH, Input, column, ddl, delete, insert, table, timed, update
from conformance.cases.model import Role
from conformance.cases.sql import definition
from conformance.catalogue.corpora import Declaration, Family, load_families
from reference_impl.column_types import INTEGERS, TEXT, ColumnType
from reference_impl.column_types import Family as Kind
from reference_impl.model import Column, Event, Expression, Row, Value

__all__ = ["added_inputs", "implicit_default"]

_OLD = table("t", (column("id", "int", nullable=False), column("a", "varchar(20)")))
_BLOBS = (Kind.TINYBLOB, Kind.BLOB, Kind.MEDIUMBLOB, Kind.LONGBLOB)


def _fraction(kind: ColumnType) -> str:
    return "." + "0" * kind.fsp if kind.fsp else ""


_IMPLICIT: Mapping[Kind, Callable[[ColumnType], Value]] = {
    **dict.fromkeys((*INTEGERS, Kind.FLOAT, Kind.DOUBLE, Kind.BIT, Kind.YEAR), lambda kind: "0"),
    Kind.DECIMAL: lambda kind: "0." + "0" * kind.scale if kind.scale else "0",
    **dict.fromkeys((*TEXT, Kind.SET), lambda kind: ""),
    **dict.fromkeys((*_BLOBS, Kind.VARBINARY), lambda kind: b""),
    Kind.BINARY: lambda kind: bytes(kind.characters),
    Kind.DATE: lambda kind: "0000-00-00",
    **dict.fromkeys((Kind.DATETIME, Kind.TIMESTAMP), lambda kind: "0000-00-00 00:00:00" + _fraction(kind)),
    Kind.TIME: lambda kind: "00:00:00" + _fraction(kind),
    Kind.ENUM: lambda kind: kind.members[0],
    Kind.JSON: lambda kind: "null",
}


def implicit_default(kind: ColumnType) -> Value:
    """The value of old rows in a NOT NULL column that was added without a DEFAULT. None for VECTOR, which has none."""
    made = _IMPLICIT.get(kind.family)
    return made(kind) if made else None


def _added_input(
    name: str, added: Column, held: Value, other: Value, axes: Mapping[str, str], roles: frozenset[Role] = BOTH
) -> Input:
    """A column added to a table with rows, which then have the value `held` in it."""
    new = table("t", (*_OLD.columns, added))
    old: list[Row] = [{"id": str(i), "a": "x"} for i in (1, 2)]
    one, two = ({**row, "c": held} for row in old)
    statement = ddl(
        new,
        f"ALTER TABLE `t` ADD COLUMN {definition(added)}",
        "add column",
        5,
        table_before=_OLD,
        table_after=new,
    )
    # A column with ON UPDATE changes in an update that does not name it; the next one puts it back.
    first, second = (other, held) if added.on_update_now else (held, other)
    if added.nullable and held is not None:
        second = None
    touched: Row = {**one, "a": "y", "c": first}
    events: list[Event] = [
        *(insert(_OLD, row) for row in old),
        statement,
        update(new, one, touched),
        update(new, touched, {**touched, "c": second}),
        delete(new, two),
        insert(new, {"id": "3", "a": None, "c": None if added.nullable else other}),
    ]
    return Input(
        f"{name}/added later",
        (_OLD,),
        timed(events),
        roles=roles,
        axes={
            **axes,
            "stream": "added later",
            "operation": "insert+update+delete",
            "nullability": "nullable" if added.nullable else "not null",
            "null": "yes" if added.nullable else "no",
        },
    )


def _added_inputs(number: int, family: Family, declaration: Declaration) -> Iterator[Input]:
    """Every default in a column added later: the first of a family nullable and NOT NULL, then one of them in turn.

    A decoder gets the first of every declaration: it sees only the value of the row, which other inputs cover.
    """
    for at, (boundary, text) in enumerate(literals(declaration).items()):
        both = number == at == 0
        for nullable in (True, False) if both else ((at + number) % 2 == 0,):
            yield _added_input(
                f"default/{declaration.label}/{boundary}{'' if nullable else '/not null'}",
                replace(declaration.column, nullable=nullable, default=text),
                declaration.boundaries[boundary],
                other_value(declaration, boundary),
                type_axes(family, declaration, boundary=boundary, default="literal"),
                BOTH if at == 0 else frozenset({"encode"}),
            )


def _added_bare_inputs(family: Family) -> Iterator[Input]:
    """Columns added later with DEFAULT NULL, with no default, and NOT NULL with none."""
    declaration = family.declarations[0]
    given = declaration.column
    other = plain_values(declaration)[-1]
    axes = type_axes(family, declaration, default="NULL")
    yield _added_input(f"default/{declaration.label}/NULL", replace(given, default=None), None, other, axes)
    axes = type_axes(family, declaration, default="none")
    yield _added_input(f"default/{declaration.label}/none", given, None, other, axes)
    if (held := implicit_default(given.type)) is not None:
        name = f"default/{declaration.label}/none/not null"
        yield _added_input(name, replace(given, nullable=False), held, other, axes)


def _moment_inputs() -> Iterator[Input]:
    """The time of the statement itself as the default."""
    for kind in ("datetime", "timestamp"):
        for digits, fraction in (("", ""), ("(3)", ".123"), ("(6)", ".123456")):
            now = Expression(f"CURRENT_TIMESTAMP{digits}")
            given = column("c", f"{kind}{digits}", nullable=False)
            axes = {"family": kind, "type": f"{kind}{digits}", "default": "expression"}
            for updated in (False, True):
                yield _added_input(
                    f"default/{kind}{digits}/{now.text}{' on update' if updated else ''}",
                    replace(given, default=now, on_update_now=updated),
                    f"2024-02-29 12:34:56{fraction}",
                    f"2024-02-29 12:34:57{fraction}",
                    axes,
                )


def added_inputs() -> Iterator[Input]:
    """Columns added later: every default of every declaration; nullability alternates to limit the number."""
    for family in load_families():
        for number, declaration in enumerate(family.declarations):
            yield from _added_inputs(number, family, declaration)
        yield from _added_bare_inputs(family)
    yield from _moment_inputs()
