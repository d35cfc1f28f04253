"""Inputs that add a column to a table with rows, and then change the old rows.

An old row has the column's default or, in a NOT NULL column without a default, the implicit default of its type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from conformance.cases.defaults import defaults_of, plain_values, type_axes
from conformance.cases.inputs import BASE, Input, altered, column, delete, insert, table, timed, update
from conformance.cases.model import Role
from conformance.cases.sql import definition
from conformance.catalogue.corpora import Declaration, Family, load_families
from reference_impl.column_types import INTEGERS, TEXT, ColumnType
from reference_impl.column_types import Family as TypeFamily
from reference_impl.model import Column, Event, Expression, Row, Value

__all__ = ["added_inputs", "implicit_default"]

_BLOBS = (TypeFamily.TINYBLOB, TypeFamily.BLOB, TypeFamily.MEDIUMBLOB, TypeFamily.LONGBLOB)


def _fraction(column_type: ColumnType) -> str:
    return "." + "0" * column_type.fsp if column_type.fsp else ""


_IMPLICIT: Mapping[TypeFamily, Callable[[ColumnType], Value]] = {
    **dict.fromkeys(
        (*INTEGERS, TypeFamily.FLOAT, TypeFamily.DOUBLE, TypeFamily.BIT, TypeFamily.YEAR), lambda column_type: "0"
    ),
    TypeFamily.DECIMAL: lambda column_type: "0." + "0" * column_type.scale if column_type.scale else "0",
    **dict.fromkeys((*TEXT, TypeFamily.SET), lambda column_type: ""),
    **dict.fromkeys((*_BLOBS, TypeFamily.VARBINARY), lambda column_type: b""),
    TypeFamily.BINARY: lambda column_type: bytes(column_type.characters),
    TypeFamily.DATE: lambda column_type: "0000-00-00",
    **dict.fromkeys(
        (TypeFamily.DATETIME, TypeFamily.TIMESTAMP), lambda column_type: "0000-00-00 00:00:00" + _fraction(column_type)
    ),
    TypeFamily.TIME: lambda column_type: "00:00:00" + _fraction(column_type),
    TypeFamily.ENUM: lambda column_type: column_type.members[0],
    TypeFamily.JSON: lambda column_type: "null",
}


def implicit_default(column_type: ColumnType) -> Value:
    """The value of old rows in a NOT NULL column that was added without a DEFAULT; None for VECTOR."""
    default_of = _IMPLICIT.get(column_type.family)
    return default_of(column_type) if default_of else None


def _added_input(
    name: str, added: Column, held: Value, other: Value, axes: Mapping[str, str], role: Role | None = None
) -> Input:
    """A column added to a table with two rows, which then hold `held` in it; `other` is another value."""
    new = table("t", (*BASE.columns, added))
    old: list[Row] = [{"id": str(i), "a": "x"} for i in (1, 2)]
    one, two = ({**row, "c": held} for row in old)
    statement = altered(BASE, new, f"ALTER TABLE `t` ADD COLUMN {definition(added)}", "add column")
    # A column with ON UPDATE changes in an update that does not name it; the next update puts it back.
    after_first, after_second = (other, held) if added.on_update_now else (held, other)
    if added.nullable and held is not None:
        after_second = None
    touched: Row = {**one, "a": "y", "c": after_first}
    events: list[Event] = [
        *(insert(BASE, row) for row in old),
        statement,
        update(new, one, touched),
        update(new, touched, {**touched, "c": after_second}),
        delete(new, two),
        insert(new, {"id": "3", "a": None, "c": None if added.nullable else other}),
    ]
    return Input(
        f"{name}/added later",
        (BASE,),
        timed(events),
        role=role,
        axes={
            **axes,
            "stream": "added later",
            "operation": "insert+update+delete",
            "nullability": "nullable" if added.nullable else "not null",
            "null": "yes" if added.nullable else "no",
        },
    )


def _added_inputs(number: int, family: Family, declaration: Declaration) -> Iterator[Input]:
    """Every default of a declaration in a column added later.

    The first default of a family has a nullable and a NOT NULL column; the others alternate. A decoder gets only the
    first of every declaration: it sees just the value of the row, which other inputs cover.
    """
    for index, (boundary, text, value, other) in enumerate(defaults_of(declaration)):
        is_first_of_family = number == index == 0
        for nullable in (True, False) if is_first_of_family else ((index + number) % 2 == 0,):
            yield _added_input(
                f"default/{declaration.label}/{boundary}{'' if nullable else '/not null'}",
                replace(declaration.column, nullable=nullable, default=text),
                value,
                other,
                type_axes(family, declaration, boundary=boundary, default="literal"),
                None if index == 0 else "encode",
            )


def _added_bare_inputs(family: Family) -> Iterator[Input]:
    """Columns added later with DEFAULT NULL, without a default, and NOT NULL without a default."""
    declaration = family.declarations[0]
    declared = declaration.column
    other = plain_values(declaration)[-1]
    axes = type_axes(family, declaration, default="NULL")
    yield _added_input(f"default/{declaration.label}/NULL", replace(declared, default=None), None, other, axes)
    axes = type_axes(family, declaration, default="none")
    yield _added_input(f"default/{declaration.label}/none", declared, None, other, axes)
    if (held := implicit_default(declared.type)) is not None:
        name = f"default/{declaration.label}/none/not null"
        yield _added_input(name, replace(declared, nullable=False), held, other, axes)


def _moment_inputs() -> Iterator[Input]:
    """Columns added later with CURRENT_TIMESTAMP as the default."""
    for type_name in ("datetime", "timestamp"):
        for digits, fraction in (("", ""), ("(3)", ".123"), ("(6)", ".123456")):
            now = Expression(f"CURRENT_TIMESTAMP{digits}")
            declared = column("c", f"{type_name}{digits}", nullable=False)
            axes = {"family": type_name, "type": f"{type_name}{digits}", "default": "expression"}
            for has_on_update in (False, True):
                yield _added_input(
                    f"default/{type_name}{digits}/{now.text}{' on update' if has_on_update else ''}",
                    replace(declared, default=now, on_update_now=has_on_update),
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
