"""Streams out of a seed: the truth, and the messages that dialects write for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pytest

from conformance.catalogue.corpora import Family, load_families
from conformance.ddl import tables_of_sql
from conformance.errors import UsageError
from differential.generate.boundaries import boundaries_of, keys_of
from differential.generate.presets import PRESETS
from differential.generate.rows import Source
from differential.generate.truth import Logged, Plan, collapsed, shard
from differential.generate.values import numbered, with_charset
from differential.sides import DIALECT_TRAITS, Side
from reference_impl.column_types import TEXT
from reference_impl.column_types import Family as Kind
from reference_impl.keys import handle_key
from reference_impl.model import DdlEvent, Row
from reference_impl.tso import physical_ms
from reference_impl.values import check_text
from tests.unit.differential.building import row_change
from tests.unit.differential.generated import sent, side, tables, transactions, unexplained

A, B, C = ({"id": "1", "n": n} for n in "abc")
D = {"id": "2", "n": "c"}


def logged(before: Row | None, after: Row | None) -> Logged:
    identities = ((0, int(row["id"])) if row else None for row in (before, after))  # type: ignore[arg-type]
    return Logged(*identities, row_change(before, after))


COLLAPSED: Mapping[str, tuple[list[tuple[Row | None, Row | None]], list[tuple[Row | None, Row | None]]]] = {
    "an update and an update are one update": ([(A, B), (B, C)], [(A, C)]),
    "an insert and an update are one insert": ([(None, A), (A, B)], [(None, B)]),
    "an update and a delete are a delete of what was there": ([(A, B), (B, None)], [(A, None)]),
    "an insert and a delete are nothing": ([(None, A), (A, None)], []),
    "a delete and an insert are an update": ([(A, None), (None, B)], [(A, B)]),
    "an update that changes the key is a delete and an insert": ([(A, D)], [(A, None), (None, D)]),
    "rows of other keys stay apart": ([(A, B), (None, D)], [(A, B), (None, D)]),
}


@pytest.mark.parametrize("rule", COLLAPSED)
def test_tidb_keeps_what_a_transaction_made_of_a_row(rule: str) -> None:
    given, expected = COLLAPSED[rule]
    made = collapsed([logged(*ends) for ends in given])
    assert [(change.before, change.after) for change in made] == expected


PLAN = Plan(PRESETS["shop"].sources(), seed=5, changes=900, shards=3)


def test_every_shard_has_its_part_of_the_changes_and_rows_of_its_own() -> None:
    rows: Counter[tuple[object, ...]] = Counter()
    keys = {table.name: handle_key(table) for table in tables("shop")}
    counts = []
    for number in range(PLAN.shards):
        changes = [change for one in shard(PLAN, number) for change in one.upstream]
        counts.append(len(changes))
        images = ((c.table, row) for c in changes for row in (c.before, c.after) if row)
        rows.update({(table, *(row[name] for name in keys[table])) for table, row in images})
    assert counts == [300, 300, 300]
    assert set(rows.values()) == {1}


def test_each_change_starts_at_the_row_that_the_one_before_it_left() -> None:
    live: dict[tuple[object, ...], Row] = {}
    keys = {table.name: handle_key(table) for table in tables("shop")}
    for transaction in transactions("shop", 900, 5):
        for change in transaction.upstream:
            if change.before is not None:
                assert live.pop((change.table, *(change.before[n] for n in keys[change.table]))) == change.before
            if change.after is not None:
                key = (change.table, *(change.after[n] for n in keys[change.table]))
                assert key not in live
                live[key] = change.after


def test_commits_follow_one_another_and_upstream_counts_whole_seconds() -> None:
    given = transactions("shop", 900, 5)
    times = [one.commit_ts for one in given]
    assert times == sorted(set(times))
    for one in given:
        seconds = str(physical_ms(one.commit_ts) // 1000 * 1000)
        assert {change.source["es"] for change in one.upstream if change.source} == {seconds}
        assert all(change.start_ts and change.start_ts < one.commit_ts for change in one.ticdc)


def test_a_stream_has_all_that_happens_in_a_database() -> None:
    seen: Counter[str] = Counter()
    for one in transactions("shop", 3000, 5):
        seen.update(change.op for change in one.upstream)
        seen["several"] += len(one.upstream) > 1
        seen["collapsed"] += len(one.ticdc) < len(one.upstream)
        seen["one statement"] += len({c.source["rows_event"] for c in one.upstream if c.source}) < len(one.upstream)
        moved = [c for c in one.upstream if c.op == "update" and c.table == "orders" and c.before and c.after]
        seen["key"] += any(c.before["id"] != c.after["id"] for c in moved if c.before and c.after)
    assert all(
        seen[what] > 3 for what in ("insert", "update", "delete", "several", "collapsed", "one statement", "key")
    )


def test_a_hot_row_has_a_shard_and_its_share_of_the_changes_to_itself() -> None:
    plan = Plan(PRESETS["hot"].sources(), 5, 1000, 4, PRESETS["hot"].hot)
    counts = [sum(len(one.upstream) for one in shard(plan, number)) for number in range(4)]
    assert counts == [120, 294, 293, 293]
    hot = {(c.after or c.before or {})["id"] for one in shard(plan, 0) for c in one.upstream}
    assert len(hot) == 1


def test_every_column_type_of_the_corpora_that_mysql_has_is_in_the_preset_types() -> None:
    families = {c.type.family.value for table in tables("types") for c in table.columns}
    assert families >= {"json", "bit", "year", "set", "enum", "decimal", "longblob", "timestamp", "time"}
    assert "vector" not in families


@pytest.mark.parametrize("preset", PRESETS)
def test_every_value_is_one_of_its_column(preset: str) -> None:
    kinds = {(t.name, c.name): c for t in tables(preset) for c in t.columns}
    for one in transactions(preset, 400, 9):
        for change in one.ticdc:
            for name, value in (change.after or {}).items():
                column = kinds[change.table, name]
                assert value is not None or column.nullable
                if isinstance(value, str):
                    check_text(column.type, value)


@pytest.mark.parametrize("dialect", DIALECT_TRAITS)
def test_every_dialect_writes_every_type(dialect: str) -> None:
    assert len(sent(side("left", dialect, "types"), transactions("types", 200, 2))) > 150


REFUSED = {
    "key's columns c can number rows": "CREATE TABLE t (c char(0) NOT NULL PRIMARY KEY)",
    "none of the key's columns": "CREATE TABLE t (a float NOT NULL PRIMARY KEY)",
    "too few for 300 shards": "CREATE TABLE t (a tinyint NOT NULL PRIMARY KEY)",
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_table_whose_rows_cannot_be_made_up_is_refused_by_name(why: str) -> None:
    [table] = tables_of_sql(f"USE s; {REFUSED[why]}", "test")
    with pytest.raises(UsageError, match=r"s\.t: .*") as raised:
        Plan((Source(table),), 1, 1000, 300).check()
    assert why.removeprefix("a ") in str(raised.value)


SMALL = {
    "a handle key": ("u", "CREATE TABLE t (u enum('a','b') PRIMARY KEY, v int)"),
    "a handle key and nothing else": ("u", "CREATE TABLE t (u enum('a','b') PRIMARY KEY)"),
    "another unique key": ("u", "CREATE TABLE t (id int PRIMARY KEY, u enum('a','b','c') NOT NULL UNIQUE, v int)"),
    "a unique key of numbers": ("u", "CREATE TABLE t (id int PRIMARY KEY, u tinyint NOT NULL UNIQUE, v int)"),
}


@pytest.mark.parametrize("what", SMALL)
def test_a_key_of_few_values_has_only_these_and_each_once_at_a_time(what: str) -> None:
    key, sql = SMALL[what]
    [table] = tables_of_sql(f"USE s; {sql}", "test")
    column = table.column(key)
    assert column is not None
    held: set[object] = set()
    changes = 0
    for one in shard(Plan((Source(table),), 4, 1200, statements=9), 0):
        if isinstance(one, DdlEvent):
            if one.action == "truncate table":
                held.clear()
            continue
        for change in one.upstream:
            changes += 1
            if change.before:
                held.remove(change.before[key])
            if change.after:
                value = change.after[key]
                assert value not in held
                check_text(column.type, str(value))
                held.add(value)
    assert changes == 1200


def test_a_unique_key_of_few_values_takes_no_comparison_with_every_row_for_each_number() -> None:
    [table] = tables_of_sql("CREATE TABLE s.t (id int PRIMARY KEY, u int NOT NULL UNIQUE, v int)", "test")
    made: list[int] = []

    def value(number: int) -> str:
        made.append(number)
        return str(number)

    changes = [
        change
        for one in shard(Plan((Source(table, keys={"u": (value, 60)}),), 4, 3000), 0)
        if not isinstance(one, DdlEvent)
        for change in one.upstream
    ]
    assert len(made) < 10 * len(changes)


GENERATED = """CREATE TABLE s.t (id int PRIMARY KEY, a int, v int AS (a + 1) VIRTUAL NOT NULL,
w varchar(9) AS ('x') STORED, u int AS (a) STORED NOT NULL UNIQUE)"""


def test_a_generated_column_follows_from_the_others_and_no_update_is_of_it_alone() -> None:
    [table] = tables_of_sql(GENERATED, "test")
    of: dict[object, set[object]] = {}
    updates = 0
    for one in shard(Plan((Source(table),), 3, 2000), 0):
        for change in one.upstream:
            for row in filter(None, (change.before, change.after)):
                of.setdefault((row["id"], row["a"], row["u"]), set()).add((row["v"], row["w"]))
            if change.op == "update" and change.before and change.after:
                updates += 1
                assert any(change.before[name] != change.after[name] for name in ("id", "a", "u"))
    assert updates > 100
    assert {len(values) for values in of.values()} == {1}
    assert len({values for found in of.values() for values in found}) > 20


@pytest.mark.parametrize(("upstream", "dialect"), [("canal", "canal-json"), ("debezium-connector", "debezium")])
def test_every_difference_of_generated_columns_has_a_name(upstream: str, dialect: str) -> None:
    given = tuple(tables_of_sql(GENERATED, "test"))
    happened = tuple(shard(Plan((Source(given[0]),), 3, 400), 0))
    sides = Side("left", upstream, tables=given), Side("right", dialect, tables=given)
    assert unexplained(sides, [sent(one, happened) for one in sides]) == []


KEYS = ("date", "datetime(3)", "timestamp", "time(2)", "year", "bit(20)", "enum('a','b','c')", "char(1)", "binary(16)",
        "varbinary(3)", "varchar(60)", "decimal(12,4)", "mediumint unsigned")  # fmt: skip


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("with_boundaries", [False, True], ids=["plain", "boundaries"])
def test_a_key_of_any_ordered_type_has_distinct_values(kind: str, with_boundaries: bool) -> None:
    [table] = tables_of_sql(f"CREATE TABLE s.t (c {kind} NOT NULL PRIMARY KEY, n int)", "test")
    make, capacity = (keys_of(table) if with_boundaries else {"c": numbered(table.columns[0])})["c"]  # type: ignore[misc]
    values = [make(number) for number in range(min(capacity, 500))]
    assert len(set(values)) == len(values) == min(capacity, 500)
    for value in values:
        if isinstance(value, str):
            check_text(table.columns[0].type, value)
    assert list(shard(Plan((Source(table, keys=keys_of(table)),), 3, 50), 0))


@pytest.mark.parametrize("family", load_families(), ids=lambda family: family.name)
def test_the_boundaries_of_a_column_are_values_of_it(family: Family) -> None:
    for declaration in family.declarations:
        column = declaration.column
        for value in boundaries_of(column):
            if isinstance(value, str):
                check_text(column.type, value)
                assert column.type.length is None or column.type.family not in TEXT or len(value) <= column.type.length
            elif column.type.family is Kind.BINARY:
                assert len(value) == (column.type.length or 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("definition", "held", "not_held"),
    [
        ("varchar(9) CHARACTER SET ascii", "xxxxxxxxx", "é"),
        ("text CHARACTER SET utf8mb3", "é", "😀"),
        ("national varchar(9)", "é", "😀"),
        ("text CHARACTER SET latin1", "é", "数"),
        ("longtext", "😀", "\ufffd"),
        ("datetime DEFAULT '0000-00-00 00:00:00'", "0000-00-00 00:00:00", "2024-00-00 00:00:00"),
        ("datetime", "9999-12-31 23:59:59", "0000-00-00 00:00:00"),
    ],
)
def test_a_boundary_is_one_that_the_column_stores(definition: str, held: str, not_held: str) -> None:
    [table] = tables_of_sql(f"CREATE TABLE s.t (c {definition})", "test")
    texts = [value for value in boundaries_of(with_charset(table.columns[0], table)) if isinstance(value, str)]
    assert any(held in text for text in texts)
    assert not any(not_held in text for text in texts)


@pytest.mark.parametrize("zone", ["+08:00", "Asia/Kolkata"])
def test_sides_of_two_zones_show_the_same_instants(zone: str) -> None:
    left = side("left", "canal-json", "types", enable_tidb_extension="true")
    right = side("right", "canal", "types")
    right = replace(right, settings=replace(right.settings, timezone=zone))
    given = transactions("types", 200, 3)
    streams = [sent(left, given), sent(right, given)]
    assert unexplained([left, right], streams) == []
    in_utc = replace(right, settings=left.settings)
    assert {one.table for one in unexplained([left, in_utc], streams)} == {"t_timestamp"}
