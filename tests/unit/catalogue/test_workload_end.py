"""The rows and tables that a workload leaves behind, as far as its truth and its script tell."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.catalogue.altered_rows import Cell, Unclear, altered, table_and_actions
from conformance.catalogue.final_state import final_rows
from conformance.catalogue.workload import column_type
from reference_impl.model import ABSENT, Expression
from tests.unit.catalogue.workload_truths import ID, column, rows_line, truth_of, truth_of_lines


def left(sql: str, *rows: dict[str, Any]) -> list[tuple[str, str | None, str]]:
    truth = truth_of([ID, column("v", "int")], *rows)
    moved = [(row.change.table.name, (row.change.after or {}).get("v"), row.reason) for row in final_rows(truth, sql)]
    return [(name, value if isinstance(value, str) else None, reason) for name, value, reason in moved]


ENDS = {
    "dropped": ("drop table if exists `t`, u", []),
    "dropped as tables": ("drop tables if exists t", []),
    "truncated": ("truncate s.t", []),
    "with its schema": ("drop database s", []),
    "renamed": ("rename table t to u", [("u", "7", "")]),
    "renamed as tables": ("rename tables t to u", [("u", "7", "")]),
    "renamed if it exists": ("rename table if exists t to u", [("u", "7", "")]),
    "renamed within a time": ("rename table t wait 5 to u", [("u", "7", "")]),
    "moved within a time": ("alter table t nowait rename u", [("u", "7", "")]),
    "moved": ("alter table s.t rename as s.u", [("u", "7", "")]),
    "moved if it exists": ("alter online ignore table if exists t rename u", [("u", "7", "")]),
    "moved to a name like a word": ("alter table t rename to keys_of", [("keys_of", "7", "")]),
    "moved while altered": ("alter table t add index (v), rename u", [("u", "7", "")]),
    "as it was": ("alter table t add index (v)", [("t", "7", "")]),
    "in doubt": (
        "alter table t modify v decimal(5,2)",
        [("t", "7", "a statement changed its columns after it was written")],
    ),
}


@pytest.mark.parametrize(("sql", "expected"), ENDS.values(), ids=ENDS)
def test_the_rows_of_a_table_at_the_end(sql: str, expected: list[tuple[str, str, str]]) -> None:
    assert left(f"use s; insert; {sql}", {"id": "1", "v": "0"}, {"id": "2", "v": "7"})[-1:] == expected[-1:]


@pytest.mark.parametrize("names", ["tu", "t"])
@pytest.mark.parametrize(
    "actions",
    [
        "exchange partition p0 with table u without validation",
        "wait 5 exchange partition `table` with table s.u",
        "convert partition p0 to table u",
        "convert table u to partition p0 values less than (5)",
    ],
)
def test_each_row_of_tables_that_exchange_a_partition_may_be_in_both(actions: str, names: str) -> None:
    columns = [ID, column("v", "int")]
    tables = [{"schema": "s", "name": name, "columns": columns, "primary_key": ["id"]} for name in names]
    lines = [{"kind": "table", "version": version, "table": table} for version, table in enumerate(tables, 1)]
    truth = truth_of_lines([*lines, rows_line(0, "I", None, {"id": "1", "v": "7"})])
    rows = final_rows(truth, f"insert; use s; alter table if exists t {actions}")
    assert [(row.change.table.name, row.change.after, bool(row.reason)) for row in rows] == [
        ("t", {"id": "1", "v": "7"}, True),
        ("u", {"id": "1", "v": "7"}, True),
    ]


ALTERED: dict[str, dict[str, str | None] | None] = {
    "add column c int default 3": {"v": "7", "n": None, "c": "3"},
    "add (c varchar(3) not null default 'it''s', d text not null)": {"v": "7", "n": None, "c": "it's", "d": ""},
    "add c int first, add unique index u (v), add constraint k check (v > 0)": {"v": "7", "n": None, "c": None},
    "drop v, drop index u, drop primary key": {"n": None},
    "add if not exists (v int, c int default 3), drop column if exists n, drop if exists x": {"v": "7", "c": "3"},
    "rename column if exists v to w, rename column if exists x to y": {"w": "7", "n": None},
    "change if exists v w bigint, modify column if exists x int": {"w": "7", "n": None},
    "rename column v to w": {"w": "7", "n": None},
    "rename column v to n, rename column n to v": {"n": "7", "v": None},
    "modify d decimal(8,3) comment 'as before'": {"v": "7", "n": None},
    "modify d decimal(8,3) unsigned": {"v": "7", "n": None},
    "modify d decimal(8,2)": None,
    "change v `w x` varchar(9) charset latin1 after n": {"w x": "7", "n": None},
    "modify n bigint unsigned not null comment 'a, b'": {"v": "7", "n": "0"},
    "engine = InnoDB, convert to character set utf8mb4": {"v": "7", "n": None},
    "modify v decimal(5,2)": None,
    "add c timestamp default current_timestamp": None,
    "add c int as (v + 1)": None,
}


@pytest.mark.parametrize(("actions", "expected"), ALTERED.items(), ids=ALTERED)
def test_rows_that_are_there_follow_their_table_as_far_as_that_is_plain(actions, expected) -> None:
    statement = f"alter table s.t {actions}"
    cells = {
        "v": Cell(column_type("int"), "7"),
        "n": Cell(column_type("int"), None),
        "d": Cell(column_type("decimal(8,3)"), "1.125"),
    }
    try:
        _, parts = table_and_actions(statement, "")
        found = {name: cell.value for name, cell in altered(cells, statement, parts).items()}
    except Unclear:
        found = None
    assert found == (None if expected is None else {"d": "1.125"} | expected)


DEFAULTS = {
    "": Expression("5"),
    "alter table t alter column v set default 8": Expression("8"),
    "alter table t add index (id), alter v set default (1 + 1)": Expression("(1 + 1)"),
    "alter table t alter v set default null": None,
    "alter table t alter v set default 8; alter table t alter v drop default": ABSENT,
    "alter table t alter v set default 8; rename table t to u": Expression("8"),
    "alter table t alter index v invisible": Expression("5"),
    "alter table t alter column if exists v set default 8": Expression("8"),
    "alter table t wait 5 alter v set default 8": Expression("8"),
    "alter table t alter v set default 8; rename table if exists x to t": Expression("8"),
    "alter table t alter v set default 8; alter table if exists x drop y, rename t": Expression("8"),
    "alter table t alter v set default 8; alter table if exists x alter v set default 9, rename t": Expression("8"),
    "rename table t to x; rename table x to t; alter table t alter v set default 8; rename table if exists x to t": (
        Expression("8")
    ),
    "create table x; drop table x; alter table t alter v set default 8; rename table if exists x to t": Expression("8"),
}


@pytest.mark.parametrize(("sql", "default"), DEFAULTS.items(), ids=DEFAULTS)
def test_a_default_is_the_one_that_was_set_last(sql: str, default: object) -> None:
    truth = truth_of([ID, column("v", "int", default={"sql": "5"})], {"id": "1", "v": "0"})
    [row] = final_rows(truth, f"insert; use s; {sql}")
    found = row.change.table.column("v")
    assert found is not None
    assert found.default == default


@pytest.mark.parametrize("dropped", ["drop table t", "drop database s"])
def test_a_table_that_is_created_again_has_no_default_of_the_dropped_one(dropped: str) -> None:
    columns = [ID, column("v", "int", default={"sql": "5"})]
    lines = [
        {
            "kind": "table",
            "version": 1,
            "table": {"schema": "s", "name": "t", "columns": columns, "primary_key": ["id"]},
        },
        rows_line(0, "I", None, {"id": "1", "v": "0"}),
        rows_line(5, "I", None, {"id": "2", "v": "0"}),
    ]
    sql = f"insert; use s; alter table t alter v set default 8; {dropped}; create table t; insert"
    [row] = final_rows(truth_of_lines(lines), sql)
    assert row.change.table.columns[1].default == Expression("5")


def test_a_later_version_of_the_table_has_its_defaults() -> None:
    table = {
        "schema": "s",
        "name": "t",
        "columns": [ID, column("v", "int", default={"sql": "9"})],
        "primary_key": ["id"],
    }
    lines = [
        {"kind": "table", "version": 1, "table": table},
        rows_line(0, "I", None, {"id": "1", "v": "1"}),
        {"kind": "table", "version": 2, "table": table},
        {**rows_line(3, "I", None, {"id": "2", "v": "1"}), "table_version": 2},
    ]
    truth = truth_of_lines(lines)
    sql = "insert; use s; alter table t alter v set default 8; insert"
    assert {row.change.table.column("v").default for row in final_rows(truth, sql)} == {Expression("9")}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "then", ["", "truncate t", "drop table t", "rename table t to w", "drop table t; rename table u to t"]
)
def test_a_renamed_table_keeps_its_columns_where_its_name_is_used_again(then: str) -> None:
    old = {"schema": "s", "name": "t", "columns": [ID, column("v", "int")], "primary_key": ["id"]}
    lines = [
        {"kind": "table", "version": 1, "table": old},
        rows_line(0, "I", None, {"id": "1", "v": "7"}),
        {"kind": "table", "version": 2, "table": {**old, "columns": [ID]}},
        {**rows_line(4, "I", None, {"id": "2"}), "table_version": 2},
    ]
    rows = final_rows(truth_of_lines(lines), f"insert; use s; rename table t to u; create table t; insert; {then}")
    contents = [row.change.after for row in rows]
    assert {"id": "1", "v": "7"} in contents
    assert ({"id": "2"} in contents) == (then in ("", "rename table t to w"))


def test_a_table_has_its_own_columns_under_the_name_of_a_dropped_one() -> None:
    table = {"schema": "s", "name": "t", "columns": [ID, column("v", "int")], "primary_key": ["id"]}
    lines = [
        {"kind": "table", "version": 1, "table": table},
        rows_line(0, "I", None, {"id": "1", "v": "7"}),
        {"kind": "table", "version": 2, "table": {**table, "name": "u", "columns": [ID]}},
        {**rows_line(2, "I", None, {"id": "2"}), "table": "u", "table_version": 2},
    ]
    [row] = final_rows(truth_of_lines(lines), "insert; use s; insert; drop table u; rename table t to u")
    assert row.change.after == {"id": "1", "v": "7"}


@pytest.mark.parametrize("renamed", [False, True])
def test_a_definition_that_no_change_follows_is_the_last_one_of_its_table(renamed: bool) -> None:
    table = {"schema": "s", "name": "t", "columns": [ID], "primary_key": ["id"]}
    lines = [
        {"kind": "table", "version": 1, "table": table},
        rows_line(0, "I", None, {"id": "1"}),
        {"kind": "table", "version": 2, "table": {**table, "columns": [ID, column("v", "int")]}},
    ]
    sql = "insert; use s; alter table t add v int" + ("; rename table t to u" if renamed else "")
    [row] = final_rows(truth_of_lines(lines), sql)
    assert row.change.after == {"id": "1", "v": None}


@pytest.mark.parametrize(
    ("names", "sql", "columns"),
    [
        ("t", "rename table t to u; create table t (id int)", {"u": "id"}),
        ("t", "rename table t to u; create table if not exists s.t like x; rename table t to v, u to t", {"t": "id"}),
        ("t", "create table if not exists x (id int); alter table t add v int; rename table t to u", {"u": "id v"}),
        ("tt", "alter table t add v int; rename table t to u; create table t (id int, w int)", {"u": "id v"}),
        ("u", "rename table t to u; alter table u add v int; rename table u to w", {"w": "id v"}),
        ("u", "rename table t to u; alter table u add v int; rename table u to t", {"t": "id v"}),
        ("u", "create table u (id int, v int); rename table u to x", {"t": "id"}),
        ("u", "create table u (id int, v int); rename table t to x, u to t, x to u", {"u": "id"}),
        ("t", "", {"t": "id v"}),
    ],
)
def test_a_definition_that_no_change_follows_is_that_of_the_table_whose_statement_made_it(
    names: str, sql: str, columns: dict[str, str]
) -> None:
    table = {"schema": "s", "name": "t", "columns": [ID], "primary_key": ["id"]}
    later = [{**table, "name": name, "columns": [ID, column("vw"[n], "int")]} for n, name in enumerate(names)]
    lines = [{"kind": "table", "version": 1, "table": table}, rows_line(0, "I", None, {"id": "1"})]
    lines += [{"kind": "table", "version": version, "table": one} for version, one in enumerate(later, 2)]
    rows = final_rows(truth_of_lines(lines), f"insert; use s; {sql}")
    assert {row.change.table.name: " ".join(row.change.after or {}) for row in rows} == columns


def test_definitions_without_changes_lie_between_those_with_changes() -> None:
    """The first ALTER makes version 2, which has changes; the second one version 3; a CREATE behind it none."""
    table = {"schema": "s", "name": "t", "columns": [ID], "primary_key": ["id"]}
    lines = [
        {"kind": "table", "version": 1, "table": table},
        rows_line(0, "I", None, {"id": "1"}),
        {"kind": "table", "version": 2, "table": {**table, "columns": [ID, column("v", "int")]}},
        {**rows_line(3, "I", None, {"id": "2", "v": None}), "table_version": 2},
        {"kind": "table", "version": 3, "table": {**table, "columns": [ID, column("v", "int"), column("w", "int")]}},
    ]
    sql = "insert; use s; alter table t add v int; insert; alter table t add w int; rename table t to u"
    rows = final_rows(truth_of_lines(lines), sql)
    assert [(row.change.table.name, [*(row.change.after or {})]) for row in rows] == [("u", ["id", "v", "w"])] * 2


def test_a_table_that_is_replaced_has_no_rows() -> None:
    rows = ({"id": "1", "v": "0"}, {"id": "2", "v": "7"})
    assert left("use s; insert; insert; create or replace table t (id int)", *rows) == []
    assert len(left("use s; insert; insert; create table if not exists t (id int)", *rows)) == 2


def test_a_table_that_is_renamed_twice_keeps_the_columns_that_it_got_under_the_name_between() -> None:
    table = {"schema": "s", "name": "t", "columns": [ID], "primary_key": ["id"]}
    lines = [
        {"kind": "table", "version": 1, "table": table},
        rows_line(0, "I", None, {"id": "1"}),
        {"kind": "table", "version": 2, "table": {**table, "name": "u", "columns": [ID, column("v", "int")]}},
        {**rows_line(4, "I", None, {"id": "2", "v": "7"}), "table": "u", "table_version": 2},
    ]
    sql = "insert; use s; rename table t to u; alter table u add v int; insert; rename table u to w"
    rows = [row.change for row in final_rows(truth_of_lines(lines), sql)]
    assert [(row.table.name, row.after) for row in rows] == [
        ("w", {"id": "1", "v": None}),
        ("w", {"id": "2", "v": "7"}),
    ]


def test_the_time_of_a_statement_stays_in_its_column_under_every_name() -> None:
    table = {"schema": "s", "name": "t", "columns": [ID, column("at", "datetime")], "primary_key": ["id"]}
    renamed = {**table, "columns": [ID, column("since", "datetime")]}
    lines = [
        {"kind": "table", "version": 1, "table": table},
        rows_line(0, "I", None, {"id": "1", "at": {"now": True}}),
        {"kind": "table", "version": 2, "table": renamed},
        {**rows_line(3, "I", None, {"id": "2", "since": None}), "table_version": 2},
    ]
    sql = "insert; use s; alter table t rename column at to since; insert"
    rows = final_rows(truth_of_lines(lines), sql)
    assert [row.change.now for row in rows] == [(("after", "since"),), ()]


def test_updates_and_deletes_find_their_row_by_the_key() -> None:
    rows = [
        {"kind": "table", "version": 1, "table": {"schema": "s", "name": "t", "columns": [ID], "primary_key": ["id"]}},
        rows_line(0, "I", None, {"id": "1"}),
        rows_line(1, "I", None, {"id": "2"}),
        rows_line(2, "U", {"id": "1"}, {"id": "3"}),
        rows_line(3, "D", {"id": "2"}, None),
    ]
    truth = truth_of_lines(rows)
    assert [row.change.after for row in final_rows(truth, None)] == [{"id": "3"}]
