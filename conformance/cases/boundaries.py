"""Inputs for every column type and boundary, and for types with flags, defaults and generated columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby

from conformance.cases.defaults import literal_default, type_axes
from conformance.cases.inputs import Input, column, delete, encoding_in_turn, history, insert, numbered, timed
from conformance.catalogue.corpora import Declaration, Family, load_families, load_samples
from reference_impl.model import Column, Index, RawText, Row, Table, Value

__all__ = [
    "boundary_inputs",
    "changed_only_inputs",
    "declared_type_inputs",
    "flag_inputs",
    "subtle_change_inputs",
    "whole_family_inputs",
]

_OF_SOME_FORMATS = (Index, RawText)
"""Values that some format cannot represent: they have inputs of their own."""


def _table(declaration: Declaration) -> Table:
    return numbered(declaration.column)


def _row(value: Value, id_: int = 1) -> Row:
    return {"id": str(id_), "c": value}


def _previous_value(declaration: Declaration, boundary: str) -> Value:
    """The value of the boundary before this one that every format can represent; the last one is before the first."""
    names = list(declaration.boundaries)
    index = names.index(boundary)
    others = [declaration.boundaries[name] for name in (*names[index + 1 :], *names[:index])]
    return next((v for v in reversed(others) if not isinstance(v, _OF_SOME_FORMATS)), declaration.boundaries[boundary])


def _states(declaration: Declaration, boundary: str) -> list[Row | None]:
    """The states of a row: another value, the boundary, NULL, the boundary again."""
    value, other = declaration.boundaries[boundary], _previous_value(declaration, boundary)
    values = [one for one, _ in groupby([other, value, None, value])]  # each differs from the one before it
    return [_row(one) for one in values]


def _inputs_by_operation(family: Family, declaration: Declaration, boundary: str) -> Iterator[Input]:
    table_, value = _table(declaration), declaration.boundaries[boundary]
    lives = {
        "insert": history(table_, [_row(value)]),
        "update": history(table_, _states(declaration, boundary)),
        "delete": timed([insert(table_, _row(value)), delete(table_, _row(value))]),
    }
    for operation, events in lives.items():
        yield Input(
            f"type/{declaration.label}/{boundary}/{operation}",
            (table_,),
            events,
            role="encode",
            axes=type_axes(family, declaration, boundary=boundary, operation=operation),
        )


def _whole_life(family: Family, declaration: Declaration, boundary: str) -> Input:
    table_ = _table(declaration)
    return Input(
        f"type/{declaration.label}/{boundary}",
        (table_,),
        history(table_, [*_states(declaration, boundary), None]),
        axes=type_axes(family, declaration, boundary=boundary, operation="insert+update+delete"),
    )


def boundary_inputs() -> Iterator[Input]:
    """Every boundary of every declaration; for encoders, each operation by itself in the first one of a family."""
    for family in load_families():
        for number, declaration in enumerate(family.declarations):
            for boundary in declaration.boundaries:
                whole = _whole_life(family, declaration, boundary)
                if number == 0:
                    yield from _inputs_by_operation(family, declaration, boundary)
                    whole = replace(whole, role="decode")
                yield whole


def whole_family_inputs() -> Iterator[Input]:
    """Every boundary of a family's first declaration, a row each: for decoders, with and without the table."""
    for number, family in enumerate(load_families()):
        declaration = family.declarations[0]
        table_ = _table(declaration)
        rows = [_row(value, i) for i, value in enumerate(declaration.boundaries.values(), 1)]
        yield Input(
            f"type/{declaration.label}/every boundary",
            (table_,),
            timed(insert(table_, row) for row in rows),
            role="decode",
            in_both_styles=True,
            encoding=encoding_in_turn(number),
            blind=True,
            axes=type_axes(family, declaration, boundary="every", operation="insert"),
        )


def declared_type_inputs(options: Mapping[str, str], suffix: str) -> Iterator[Input]:
    """Every declaration once, in all three operations, under the options that change the form of a type."""
    for family in load_families():
        for declaration in family.declarations:
            boundary = [b for b in declaration.boundaries if b != "NULL"][-1]
            whole = _whole_life(family, declaration, boundary)
            name = f"{whole.name}+{suffix}"
            yield replace(whole, name=name, options=options)


def changed_only_inputs(options: Mapping[str, str], suffix: str) -> Iterator[Input]:
    """Every family with a column that an update leaves alone, changes, makes NULL and fills again."""
    for family in load_families():
        declaration = family.declarations[0]
        table_ = numbered(declaration.column, column("n", "int"))
        boundaries = declaration.boundaries.values()
        values = [v for v in boundaries if v is not None and not isinstance(v, _OF_SOME_FORMATS)]
        path = [(values[0], "1"), (values[0], "2"), (values[-1], "2"), (None, "2"), (None, "3"), (values[0], "3")]
        states: list[Row | None] = [{"id": "1", "c": c, "n": n} for c, n in path]
        yield Input(
            f"type/{declaration.label}/changed and unchanged+{suffix}",
            (table_,),
            history(table_, states),
            options=options,
            axes=type_axes(family, declaration, boundary="every", operation="insert+update"),
        )


def subtle_change_inputs(options: Mapping[str, str], suffix: str) -> Iterator[Input]:
    """Updates of every column from one value to another that is easily mistaken for it, and back."""
    samples = load_samples("updates")
    table_ = numbered(*(sample.column for sample in samples), column("same", "varchar(10)"))
    one: Row = {"id": "1", **{sample.column.name: sample.value for sample in samples}, "same": "x"}
    two: Row = {**one, **{sample.column.name: sample.other for sample in samples}}
    yield Input(
        f"neighbours/changes easily missed+{suffix}",
        (table_,),
        history(table_, [one, two, one]),
        options=options,
        axes={"stream": "changes easily missed"},
    )


def _flagged(declaration: Declaration, value: Value) -> tuple[Column, ...]:
    declared = declaration.column
    columns = [
        replace(declared, name="plain"),
        replace(declared, name="nn", nullable=False),
        replace(declared, name="dn", default=None),
        replace(declared, name="gs", generated="stored"),
        replace(declared, name="gv", generated="virtual"),
    ]
    if (text := literal_default(declared, value)) is not None:
        columns += [
            replace(declared, name="d", default=text),
            replace(declared, name="nnd", nullable=False, default=text),
        ]
    return tuple(columns)


def flag_inputs() -> Iterator[Input]:
    """Every family with NOT NULL, DEFAULT NULL, DEFAULT, stored and virtual generated columns side by side."""
    for family in load_families():
        declaration = family.declarations[0]
        values = [v for v in declaration.boundaries.values() if isinstance(v, (str, bytes)) and len(v) < 40]
        first, second = values[0], values[-1]
        columns = _flagged(declaration, second)
        table_ = numbered(*columns, expressions={"gs": "`plain`", "gv": "`plain`"})

        def row(value: Value, filler: Value, columns: tuple[Column, ...] = columns) -> Row:
            return {"id": "1"} | {c.name: value if c.nullable else filler for c in columns}

        yield Input(
            f"flags/{declaration.label}",
            (table_,),
            history(table_, [row(first, first), row(None, second), row(second, first), None]),
            axes=type_axes(family, declaration, boundary="flags", operation="insert+update+delete"),
        )
