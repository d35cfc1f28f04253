"""Inputs for the forms of tables: key forms, generated columns and defaults, each under every operation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from conformance.cases.inputs import Input, column, encoding_in_turn, history, numbered, table, with_sql
from conformance.catalogue.corpora import TableForm, load_table_forms
from reference_impl.errors import RejectionClass
from reference_impl.keys import handle_key, key_columns
from reference_impl.model import Event, Expression, Key, Row, Table
from reference_impl.profiles import PROFILES

__all__ = ["form_lives", "option_on_table_inputs", "shape_inputs", "table_inputs", "whole_life"]


def _table_of(form: TableForm) -> Table:
    return with_sql(form.table, form.expressions)


def _one_column(form: TableForm) -> Row:
    """The new values if one column changes, the first one; with generated columns all, which depend on it."""
    return form.other if form.expressions else dict(list(form.other.items())[:1])


def _nulls(form: TableForm) -> Row:
    keys = key_columns(form.table)
    return {c.name: None for c in form.table.columns if c.nullable and c.name not in keys}


def _states(row: Row, *changes: Row) -> list[Row | None]:
    """The row, and the row after each of the changes."""
    states: list[Row | None] = [row]
    for members in changes:
        row = {**row, **members}
        states.append(row)
    return states


def form_lives(form: TableForm) -> dict[str, list[Row | None]]:
    """Operation → the states of a row that show it."""
    row, nulls = form.row, _nulls(form)
    lives: dict[str, list[Row | None]] = {
        "insert": [row],
        "update one": _states(row, _one_column(form)),
        "update all": _states(row, form.other),
        "update none": _states(row, {}),
        "delete": [row, None],
    }
    if nulls:
        lives["insert nulls"] = [{**row, **nulls}]
        lives["to null"] = _states(row, nulls)
        lives["from null"] = _states({**row, **nulls}, row)
        lives["delete nulls"] = [{**row, **nulls}, None]
    if form.rekeyed:
        lives["key change"] = _states(row, form.rekeyed)
        lives["key change and more"] = _states(row, {**form.other, **form.rekeyed})
    return lives


def whole_life(form: TableForm) -> tuple[Event, ...]:
    """Every operation on one row, one after the other."""
    row, nulls = form.row, _nulls(form)
    steps = [
        _one_column(form),
        {},
        form.other,
        *([nulls, row] if nulls else []),
        *([form.rekeyed] if form.rekeyed else []),
    ]
    return history(_table_of(form), [*_states(row, *steps), None])


def table_inputs() -> Iterator[Input]:
    """Every form: for encoders operation by operation, for decoders a row's whole life."""
    for number, form in enumerate(load_table_forms()):
        table_ = _table_of(form)
        for operation, states in form_lives(form).items():
            yield Input(
                f"table/{table_.name}/{operation}",
                (table_,),
                history(table_, states),
                role="encode",
                axes={"table": table_.name, "operation": operation},
            )
        yield Input(
            f"table/{table_.name}/whole life",
            (table_,),
            whole_life(form),
            in_both_styles=True,
            encoding=encoding_in_turn(number),
            axes={"table": table_.name, "operation": "insert+update+delete"},
        )


def option_on_table_inputs(
    options: Mapping[str, str],
    suffix: str,
    without_handle: tuple[str, ...] = (),
    handle_needed_by: frozenset[str] = frozenset(),
) -> Iterator[Input]:
    """Every form under an option.

    By the requirements in `without_handle`, an encoder must refuse a delete in a table without a handle key. The
    profiles `handle_needed_by` get no such table.
    """
    for form in load_table_forms():
        table_ = _table_of(form)
        keyless = not handle_key(table_)
        refused = bool(without_handle) and keyless
        yield Input(
            f"table/{table_.name}/whole life+{suffix}",
            (table_,),
            whole_life(form),
            options=options,
            role="encode",
            refused=frozenset({RejectionClass.SEMANTICS}) if refused else frozenset(),
            requirements=without_handle if refused else (),
            profiles=frozenset(PROFILES) - handle_needed_by if handle_needed_by and keyless else frozenset(),
            axes={"table": table_.name, "operation": "insert+update+delete", "option": suffix},
        )


_CYCLE = ("int", "varchar(10)", "decimal(10,2)", "datetime(3)", "varbinary(8)")
_VALUES = ("7", "v", "1.50", "2024-02-29 12:34:56.789", b"\x00\xff")


def shape_inputs() -> Iterator[Input]:
    """Tables of unusual shape: 200 columns, one column, a key of every column, all NULL, computed values."""
    count = 200
    names = [f"c{i:03d}" for i in range(count)]
    wide = table("wide", [column(n, _CYCLE[i % 5], nullable=i > 0) for i, n in enumerate(names)], names[:1])
    row: Row = {n: _VALUES[i % 5] for i, n in enumerate(names)}
    sparse: Row = {n: v if i % 7 == 0 else None for i, (n, v) in enumerate(row.items())}
    yield Input("shape/200 columns", (wide,), history(wide, [row, sparse, None]), axes={"table": "200 columns"})

    single = numbered(name="single")
    yield Input("shape/one column", (single,), history(single, [{"id": "1"}, None]), axes={"table": "one column"})

    keys = table("keys", [column(n, "int", nullable=False) for n in "cab"], ["a", "b", "c"])
    yield Input(
        "shape/every column in the key",
        (keys,),
        history(keys, [{"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "2", "c": "4"}, None]),
        axes={"table": "every column in the key"},
    )

    columns = [column(f"c{i}", "varchar(10)") for i in range(8)]
    empty = numbered(*columns, name="nothing")
    nulls: Row = {"id": "1"} | {c.name: None for c in columns}
    yield Input("shape/all null", (empty,), history(empty, [nulls, nulls, None]), axes={"table": "all null"})
    yield from _computed_inputs()


def _computed_inputs() -> Iterator[Input]:
    """Values that the database computes: expressions as defaults, and a key over a virtual column."""
    word = replace(column("u", "varchar(36)", nullable=False), default=Expression("uuid()"))
    number = replace(column("n", "bigint", nullable=False), default=Expression("rand()"))
    table_ = numbered(word, number, name="expressions")
    states: list[Row | None] = [{"id": "1", "u": "one", "n": n} for n in ("0", "1")]
    yield Input(
        "shape/expressions as defaults",
        (table_,),
        history(table_, [*states, None]),
        axes={"table": "expressions as defaults", "default": "expression"},
    )

    virtual = replace(column("v", "bigint", nullable=False), generated="virtual")
    bare = Table(
        "test",
        "virtual_key",
        (column("a", "int", nullable=False), virtual, column("c", "varchar(10)")),
        unique_keys=(Key("uk", ("v",)),),
    )
    keyed = with_sql(bare, {"v": "`a` + 1"})
    lives = [{"a": "1", "v": "2", "c": c} for c in ("x", "y")]
    yield Input(
        "shape/key over a virtual column",
        (keyed,),
        history(keyed, [*lives, None]),
        axes={"table": "key over a virtual column"},
    )
