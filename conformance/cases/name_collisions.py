"""Inputs that expose caches with too small a key, and other confusions.

Tables with one name in several schemas, columns with one name in two tables, a column that is dropped and added with
another type, columns of one type with different parameters, and unusually many rows and columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from conformance.cases.inputs import (
    NOW,
    Input,
    altered,
    column,
    commit_times,
    history,
    insert,
    numbered,
    table,
    timed,
    update,
    with_sql,
)
from conformance.cases.sql import definition
from conformance.catalogue.corpora import Sample, load_samples
from reference_impl.model import Column, DdlEvent, Event, Key, Row, RowChange, Table, Watermark

__all__ = ["name_collision_inputs"]


# -- names -------------------------------------------------------------------------------------------------------------


def _alternating(*lives: Sequence[Event]) -> tuple[Event, ...]:
    """The rows and statements of several streams in turn, with rising time stamps."""
    events = (event for turn in zip_longest(*lives) for event in turn)
    return timed(replace(e, commit_ts=None) for e in events if isinstance(e, RowChange | DdlEvent))


def _one_name_in_three_schemas() -> tuple[tuple[Table, ...], tuple[Event, ...]]:
    """Tables with one name in three schemas: other types, other columns, another key."""
    in_test = numbered(column("a", "varchar(20)"), column("b", "decimal(10,2)"))
    in_other = table("t", (column("a", "bigint unsigned"), column("id", "varchar(10)", nullable=False)), schema="other")
    in_third = table("t", (column("b", "json"), column("k", "date", nullable=False)), ("k",), schema="third")
    first: Row = {"id": "1", "a": "x", "b": "0.50"}
    second: Row = {"a": "18446744073709551615", "id": "1"}
    last: Row = {"b": '{"a": 1}', "k": "2024-02-29"}
    lives = (
        history(in_test, [first, {**first, "a": None}, None]),
        history(in_other, [second, {**second, "a": "0"}, None]),
        history(in_third, [last, {**last, "b": None}, None]),
    )
    return (in_test, in_other, in_third), _alternating(*lives)


def _table_of_types(name: str, samples: Sequence[Sample]) -> tuple[Table, tuple[Event, ...]]:
    """A table with a column of each type and a key of two decimals, and the changes of a row."""
    named = [replace(sample, column=replace(sample.column, name=f"c{i:02d}")) for i, sample in enumerate(samples)]
    key = (column("p", "decimal(5,1)", nullable=False), column("q", "decimal(9,3)", nullable=False))
    table_ = table(name, (key[0], *(sample.column for sample in named), key[1]), ("p", "q"))
    one: Row = {"p": "1.5", **{sample.column.name: sample.value for sample in named}, "q": "0.001"}
    two: Row = {**one, **{sample.column.name: sample.other for sample in named}}
    empty: Row = {**one, **{sample.column.name: None for sample in named}}
    return table_, history(table_, [one, two, empty, {**two, "q": "-0.001"}, None])


def _types_side_by_side() -> tuple[tuple[Table, ...], tuple[Event, ...]]:
    """Two tables with the same column names; each column has the type of another column in the other table."""
    samples = load_samples("types")
    (one, first), (two, second) = (
        _table_of_types("one", samples),
        _table_of_types("two", (*samples[1:], samples[0])),
    )
    return (one, two), _alternating(first, second)


def _confusable_values() -> tuple[Table, Sequence[Event]]:
    """Values that become others if their letter case, escapes or leading zeros are lost."""
    samples = load_samples("forms")
    table_ = numbered(*(sample.column for sample in samples))
    row: Row = {"id": "1", **{sample.column.name: sample.value for sample in samples}}
    empty: Row = {"id": "1", **{sample.column.name: None for sample in samples}}
    return table_, history(table_, [row, empty, row, None])


# -- columns that change -----------------------------------------------------------------------------------------------


def _altered(before: Table, after: Table, query: str, action: str, code: int) -> DdlEvent:
    return altered(before, after, f"ALTER TABLE `t` {query}", action, code)


def _table_with(*columns: Column, **members: object) -> Table:
    return with_sql(replace(numbered(*columns), **members))  # type: ignore[arg-type]


def _column_comes_back() -> tuple[Table, Sequence[Event]]:
    """A column that is dropped and added again with another type."""
    number = replace(column("a", "decimal(6,3)", nullable=False), default="1.500")
    text, bare, again = _table_with(column("a", "varchar(20)")), _table_with(), _table_with(number)
    held: Row = {"id": "1", "a": "1.500"}
    first: list[Event] = [
        insert(text, {"id": "1", "a": "x"}),
        _altered(text, bare, "DROP COLUMN `a`", "drop column", 6),
        insert(bare, {"id": "2"}),
        _altered(bare, again, f"ADD COLUMN {definition(number)}", "add column", 5),
        update(again, held, {**held, "a": "-0.125"}),
    ]
    return text, _alternating([*first, *history(again, [{"id": "3", "a": "999.999"}, {"id": "3", "a": "0.000"}, None])])


def _converted() -> tuple[Table, Sequence[Event]]:
    """A table that is converted to another character set while it has rows."""
    latin, wide = (
        _table_with(replace(column("a", "varchar(20)"), charset=c), charset=c) for c in ("latin1", "utf8mb4")
    )
    old: Row = {"id": "1", "a": "caf\u00e9"}
    query = "CONVERT TO CHARACTER SET utf8mb4"
    return latin, [
        insert(latin, old),
        _altered(latin, wide, query, "modify table charset and collate", 22),
        update(wide, old, {**old, "a": "\U0001f600"}),
        insert(wide, {"id": "2", "a": "\u4e2d"}),
    ]


def _unique_values() -> tuple[Table, Sequence[Event]]:
    """A nullable unique key that is NULL, gets a value, changes it and loses it, beside a primary key."""
    table_ = _table_with(column("u", "varchar(10)"), unique_keys=(Key("u", ("u",)),))
    states: list[Row | None] = [{"id": "1", "u": u} for u in (None, "a", "b", None)]
    return table_, history(table_, [*states, None])


def _watermarked() -> tuple[Table, Sequence[Event]]:
    """Watermarks before a statement, between it and a row, and after the row."""
    before, after = _table_with(column("a", "int")), _table_with(column("a", "bigint"))
    times = commit_times(6)
    statement = _altered(before, after, "MODIFY COLUMN `a` bigint", "modify column", 12)
    return before, [
        insert(before, {"id": "1", "a": "-1"}, times[0]),
        Watermark(times[1]),
        replace(statement, commit_ts=times[2]),
        Watermark(times[3]),
        update(after, {"id": "1", "a": "-1"}, {"id": "1", "a": "4294967296"}, times[4]),
        Watermark(times[5]),
    ]


# -- numbers -----------------------------------------------------------------------------------------------------------

_MANY_ROWS = 130
_MANY_COLUMNS = 1017
"""The most columns that TiDB allows by default."""


def _many_rows() -> tuple[Table, Sequence[Event]]:
    """More rows in one transaction than a small buffer takes."""
    table_ = _table_with(column("a", "varchar(20)"))
    [once] = commit_times(1)
    rows: list[Row] = [{"id": str(i), "a": f"row {i}" if i % 7 else None} for i in range(_MANY_ROWS)]
    return table_, [insert(table_, row, once) for row in rows]


def _many_columns() -> tuple[Table, Sequence[Event]]:
    """A row with the most columns, every third of them NULL."""
    names = [f"c{i:04d}" for i in range(1, _MANY_COLUMNS)]
    table_ = _table_with(*(column(name, "int" if i % 2 else "varchar(10)") for i, name in enumerate(names)))
    row: Row = {"id": "1", **{name: None if i % 3 == 0 else str(i) for i, name in enumerate(names)}}
    return table_, [insert(table_, row)]


def name_collision_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """All inputs of this module under the options, which make watermarks visible."""
    several = {"one name in three schemas": _one_name_in_three_schemas(), "types side by side": _types_side_by_side()}
    single = {
        "a column comes back as another": _column_comes_back(),
        "a table is converted": _converted(),
        "a unique key from NULL and to NULL": _unique_values(),
        "watermarks about a statement": _watermarked(),
        "values easily mistaken": _confusable_values(),
        "many rows": _many_rows(),
        "many columns": _many_columns(),
    }
    streams = several | {name: ((table_,), timed(events)) for name, (table_, events) in single.items()}
    for name, (tables, events) in streams.items():
        yield Input(f"neighbours/{name}", tables, events, options, axes={"stream": name})
    tables, events = _one_name_in_three_schemas()
    three = replace(NOW, partitions=3)
    name = "one name in three schemas, three partitions"
    yield Input(f"neighbours/{name}", tables, events, options, three, axes={"stream": name, "partitions": "3"})
