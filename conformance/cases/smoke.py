"""The smoke set: a few inputs on which implementations have most often failed, a number for each kind.

Plain tables and rows are in `fixtures/corpora/smoke.toml`; the others are here: columns of every type, keys that
change, several changes of a row in one transaction, statements about names and partitions, and options that are
combined.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from conformance.cases.defaults import defaults_of
from conformance.cases.inputs import (
    BASE,
    Input,
    altered,
    column,
    commit_times,
    delete,
    history,
    insert,
    numbered,
    table,
    timed,
    update,
    with_sql,
)
from conformance.cases.sql import definition
from conformance.catalogue.corpora import OptionSpace, load_families, load_smoke_tables
from reference_impl.model import Column, Event, Key, Row, RowChange, Table, Value

__all__ = ["smoke_inputs"]


def _smoke(
    name: str,
    tables: Sequence[Table],
    events: Sequence[Event],
    options: Mapping[str, str] | None = None,
    *,
    transactions: Sequence[str] = (),
    in_both_styles: bool = False,
) -> Input:
    """An input by its number and name; `transactions` are its SQL where the events do not determine it."""
    axes = {"smoke": name[:2], "stream": name[3:]}
    return Input(
        f"smoke/{name}",
        tuple(tables),
        timed(events),
        options or {},
        transactions=tuple(transactions),
        in_both_styles=in_both_styles,
        axes=axes,
    )


# -- 01, 02: every type ----------------------------------------------------------------------------------------------


def _every_type() -> tuple[tuple[Column, ...], Row]:
    """A nullable column with a default for every family that can have one; and the row of these defaults."""
    columns: list[Column] = []
    values: dict[str, Value] = {}
    for family in load_families():
        declaration = family.declarations[0]
        for default in defaults_of(declaration)[-1:]:
            columns.append(replace(declaration.column, name=family.name.replace(" ", "_"), default=default.text))
            values[columns[-1].name] = default.value
    return tuple(columns), values


def _every_type_inputs(visible: Mapping[str, str]) -> Iterator[Input]:
    columns, values = _every_type()
    defaults: Row = {"id": "1", **values}
    nulls: Row = {"id": "1", **dict.fromkeys(values)}
    table_ = numbered(*columns)
    states = [nulls, defaults, nulls, None]
    yield _smoke("01 NULL over a default of every type", [table_], history(table_, states), in_both_styles=True)

    added = table("t", (*BASE.columns, *columns))
    query = f"ALTER TABLE `t` {', '.join(f'ADD COLUMN {definition(c)}' for c in columns)}"
    statement = altered(BASE, added, query, "alter table multi-schema change")
    one: Row = {**defaults, "a": "x"}
    two: Row = {**one, "id": "2"}
    touched: Row = {**one, "a": "y"}
    yield _smoke(
        "02 columns of every type added to a table with rows",
        [BASE],
        [
            *(insert(BASE, {"id": i, "a": "x"}) for i in "12"),
            statement,
            update(added, one, touched),
            update(added, touched, {**nulls, "a": "y"}),
            delete(added, two),
            insert(added, {**nulls, "id": "3", "a": None}),
        ],
        visible,
        in_both_styles=True,
    )


# -- 03 to 08: tables and rows ---------------------------------------------------------------------------------------


def _row_inputs() -> Iterator[Input]:
    for smoke_table in load_smoke_tables():
        table_, rows = with_sql(smoke_table.table), smoke_table.rows
        keys = table_.primary_key
        changed: list[Row] = [{**after, **{name: row[name] for name in keys}} for row, after in pairwise(rows)]
        events = [
            *(insert(table_, row) for row in rows),
            *(update(table_, row, after) for row, after in zip(rows, changed, strict=False)),
            *(delete(table_, row) for row in (*changed, rows[-1])),
        ]
        yield _smoke(smoke_table.name, [table_], events, in_both_styles=True)


# -- 09: keys that change --------------------------------------------------------------------------------------------


def _set_sql(name: str, value: str, where: str) -> str:
    return f"UPDATE `test`.`t` SET `{name}`={value} WHERE {where}"


def _key_inputs() -> Iterator[Input]:
    first, second = commit_times(2)
    one: Row = {"id": "1", "a": "one"}
    two: Row = {"id": "2", "a": "two"}
    inserts = [insert(BASE, row, first) for row in (one, two)]
    for clustered in (True, False):
        kind = "clustered" if clustered else "not clustered"
        table_ = with_sql(replace(BASE, clustered=clustered))
        states: list[Row | None] = [one, {**one, "id": "5"}, {"id": "6", "a": "six"}, None]
        yield _smoke(f"09 primary key changed, {kind}", [table_], history(table_, states))
        # In this order no update overwrites a row that is still to be moved.
        shifted = [update(table_, row, {**row, "id": new}, second) for row, new in ((two, "3"), (one, "2"))]
        yield _smoke(f"09 primary keys shifted, {kind}", [table_], [*inserts, *shifted])
    swapping = (
        *("BEGIN", "INSERT INTO `test`.`t` (`id`,`a`) VALUES (1,'one'),(2,'two')", "COMMIT"),
        "BEGIN",
        *(_set_sql("id", to, f"`id`={at}") for at, to in (("1", "-1"), ("2", "1"), ("-1", "2"))),
        "COMMIT",
    )
    # A clustered table stores rows by their keys, so the net change is two rows with new values.
    swapped = [update(BASE, row, {**row, "a": a}, second) for row, a in ((one, "two"), (two, "one"))]
    yield _smoke("09 primary keys swapped, clustered", [BASE], [*inserts, *swapped], transactions=swapping)
    # Split into deletes and inserts, the updates would lose one of the two rows; unsplit updates keep both.
    table_ = with_sql(replace(BASE, clustered=False))
    swapped = [update(table_, row, {**row, "id": i}, second) for row, i in ((one, "2"), (two, "1"))]
    options = {"output-raw-change-event": "true"}
    yield _smoke(
        "09 primary keys swapped, not clustered", [table_], [*inserts, *swapped], options, transactions=swapping
    )
    unique = with_sql(replace(BASE, unique_keys=(Key("a", ("a",)),)))
    yield _smoke("09 unique key changed", [unique], history(unique, [one, {**one, "a": "x"}, {**one, "a": None}, None]))


# -- 10: one row in one transaction ----------------------------------------------------------------------------------


def _transaction_inputs(visible: Mapping[str, str]) -> Iterator[Input]:
    """Several statements about a row in one transaction: their net change is one row change or none."""
    first, second, third = commit_times(3)
    row: Row = {"id": "1", "a": "one"}
    insert_sql = "INSERT INTO `test`.`t` (`id`,`a`) VALUES ({},'one')"
    delete_sql = "DELETE FROM `test`.`t` WHERE `id`={}"
    other: Row = {**row, "id": "2"}
    yield _smoke(
        "10 inserted and updated in one transaction",
        [BASE],
        [insert(BASE, {**row, "a": "two"}, first), delete(BASE, {**row, "a": "two"}, second)],
        visible,
        transactions=["BEGIN", insert_sql.format(1), _set_sql("a", "'two'", "`id`=1"), "COMMIT", delete_sql.format(1)],
    )
    yield _smoke(
        "10 inserted and deleted in one transaction",
        [BASE],
        [insert(BASE, other, first), delete(BASE, other, second)],
        visible,
        transactions=[
            *("BEGIN", insert_sql.format(1), insert_sql.format(2), delete_sql.format(1), "COMMIT"),
            delete_sql.format(2),
        ],
    )
    yield _smoke(
        "10 updated twice, deleted and inserted again in one transaction",
        [BASE],
        [
            insert(BASE, row, first),
            update(BASE, row, {**row, "a": "three"}, second),
            update(BASE, {**row, "a": "three"}, row, third),
        ],
        visible,
        transactions=[
            insert_sql.format(1),
            *("BEGIN", _set_sql("a", "'two'", "`id`=1"), _set_sql("a", "'three'", "`id`=1"), "COMMIT"),
            *("BEGIN", delete_sql.format(1), insert_sql.format(1), "COMMIT"),
        ],
    )


# -- 11: names and partitions ----------------------------------------------------------------------------------------


def _renamed(old: Table, new: Table, query: str) -> list[Event]:
    """A row, the renaming statement, then changes of this row and of another one."""
    row: Row = {"id": "1", "a": "x"}
    return [
        insert(old, row),
        altered(old, new, query, "rename table"),
        update(new, row, {**row, "a": "y"}),
        insert(new, {"id": "2", "a": None}),
        delete(new, {**row, "a": "y"}),
    ]


def _name_inputs(visible: Mapping[str, str]) -> Iterator[Input]:
    elsewhere = numbered(name="s", schema="other")
    mixed = table("MyTable", BASE.columns, schema="MyDb")
    names: Mapping[str, tuple[Sequence[Table], Table, str]] = {
        "renamed without a schema": ([BASE], table("renamed", BASE.columns), "RENAME TABLE `t` TO `renamed`"),
        "renamed by ALTER": ([BASE], table("renamed", BASE.columns), "ALTER TABLE `t` RENAME TO `renamed`"),
        "renamed into another schema": (
            [BASE, elsewhere],
            table("t", BASE.columns, schema="other"),
            "RENAME TABLE `test`.`t` TO `other`.`t`",
        ),
        "renamed into another schema, the first not named": (
            [BASE, elsewhere],
            table("renamed", BASE.columns, schema="other"),
            "RENAME TABLE `t` TO `other`.`renamed`",
        ),
        "renamed in mixed case": (
            [mixed],
            table("myTable2", BASE.columns, schema="MyDb"),
            "RENAME TABLE `MyDb`.`MyTable` TO `MyDb`.`myTable2`",
        ),
    }
    for name, (tables, new, query) in names.items():
        yield _smoke(f"11 {name}", tables, _renamed(tables[0], new, query), visible, in_both_styles=True)


def _partitioned(name: str, first: int) -> Table:
    """A table of two partitions, rows below 10 and below 20, with ids of their own."""
    table_ = table(name, BASE.columns)
    ranges = "PARTITION `p0` VALUES LESS THAN (10),PARTITION `p1` VALUES LESS THAN (20)"
    return replace(
        table_, table_id=90, partition_id=first, create_sql=f"{table_.create_sql} PARTITION BY RANGE (`id`) ({ranges})"
    )


def _in_partition(partition_id: int, event: RowChange) -> RowChange:
    return replace(event, partition_id=partition_id)


_SINGLE: Row = {"id": "1", "a": "x"}


def _two_renamed() -> tuple[list[Table], list[Event]]:
    """A plain table and a partitioned one, renamed by one statement, with a message for each."""
    plain, partitioned = table("t", BASE.columns), _partitioned("p", 101)
    new_plain, new_partitioned = table("t2", BASE.columns), _partitioned("p2", 101)
    commit_ts = commit_times(3)[2]
    renames: list[Event] = [
        altered(
            before,
            after,
            f"RENAME TABLE `test`.`{before.name}` TO `test`.`{after.name}`",
            "rename table",
            commit_ts=commit_ts,
        )
        for before, after in ((plain, new_plain), (partitioned, new_partitioned))
    ]
    inserts = [insert(plain, _SINGLE), _in_partition(101, insert(partitioned, _SINGLE))]
    deletes = [delete(new_plain, _SINGLE), _in_partition(101, delete(new_partitioned, _SINGLE))]
    return [plain, partitioned], [*inserts, *renames, *deletes]


def _truncated() -> tuple[list[Table], list[Event]]:
    before, after = _partitioned("t", 101), _partitioned("t", 103)
    eleven: Row = {"id": "11", "a": "x"}
    return [before], [
        _in_partition(101, insert(before, _SINGLE)),
        _in_partition(102, insert(before, eleven)),
        altered(before, after, "ALTER TABLE `t` TRUNCATE PARTITION `p0`", "truncate partition"),
        _in_partition(103, insert(after, _SINGLE)),
        _in_partition(103, update(after, _SINGLE, {**_SINGLE, "a": None})),
        _in_partition(102, delete(after, eleven)),
    ]


def _exchanged() -> tuple[list[Table], list[Event]]:
    before, single = _partitioned("t", 101), replace(table("x", BASE.columns), table_id=110)
    swapped, left = _partitioned("t", 110), replace(single, table_id=101)
    three: Row = {"id": "3", "a": "z"}
    query = "ALTER TABLE `t` EXCHANGE PARTITION `p0` WITH TABLE `x`"
    return [before, single], [
        _in_partition(101, insert(before, _SINGLE)),
        insert(single, three),
        altered(before, swapped, query, "exchange partition", other_tables=(left,)),
        _in_partition(110, update(swapped, three, {**three, "a": None})),
        delete(left, _SINGLE),
        _in_partition(110, insert(swapped, _SINGLE)),
        insert(left, three),
    ]


def _partition_inputs(visible: Mapping[str, str]) -> Iterator[Input]:
    yield _smoke("11 two tables renamed at once", *_two_renamed(), visible)
    yield _smoke("11 partition truncated", *_truncated(), visible)
    yield _smoke("11 partition exchanged", *_exchanged(), visible)


# -- 12: options -----------------------------------------------------------------------------------------------------

_TOGETHER = ("only-output-updated-columns", "enable-tidb-extension")


def _option_inputs(space: OptionSpace) -> Iterator[Input]:
    options = space.with_needs({option: "true" for option in _TOGETHER if option in space.values})
    table_ = table("t", (*BASE.columns, column("b", "blob"), column("n", "int")))
    row: Row = {"id": "1", "a": "x", "b": b"\x00\xff", "n": "1"}
    states: list[Row | None] = [row, {**row, "n": "2"}, {**row, "n": "2", "a": None}, {**row, "n": None}, None]
    nulls: list[Row | None] = [{**row, "id": "2", "a": None}, {**row, "id": "2", "a": None, "n": None}]
    yield _smoke("12 updated columns and extension", [table_], history(table_, states, nulls), options)


def smoke_inputs(space: OptionSpace) -> Iterator[Input]:
    """The smoke set in the order of its numbers; statements are under the options that show their time stamps."""
    yield from _every_type_inputs(space.visible)
    yield from _row_inputs()
    yield from _key_inputs()
    yield from _transaction_inputs(space.visible)
    yield from _name_inputs(space.visible)
    yield from _partition_inputs(space.visible)
    yield from _option_inputs(space)
