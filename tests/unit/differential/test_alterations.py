"""Streams in which tables are altered on the way, and how messages of several versions of a table are read."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from conformance.ddl import tables_of_sql
from differential.align.missing_before_image import goes_on
from differential.decode.changes import ChangeReader
from differential.decode.contents import Statement
from differential.generate.alterations import versions
from differential.generate.messages import StreamWriter
from differential.generate.presets import PRESETS
from differential.generate.rows import Source
from differential.generate.truth import Plan, Transaction, shard
from differential.model import Change, Place, Status
from differential.sides import Side
from reference_impl.keys import handle_key
from reference_impl.model import DdlEvent, Record, Table
from tests.amounts import ordinarily
from tests.unit.differential.building import outcome_of
from tests.unit.differential.generated import side, tables

PLAN = Plan(PRESETS["shop"].sources(), seed=8, changes=ordinarily(250, 700), shards=2, statements=20)
_HANDLES = {table.id: handle_key(table) for table in tables("shop")}
STREAM = [tuple(shard(PLAN, number)) for number in range(PLAN.shards)]


def events(number: int) -> list[DdlEvent]:
    return [given for given in STREAM[number] if isinstance(given, DdlEvent)]


def records(of: Side, plan: Plan = PLAN) -> list[Record]:
    writers = [StreamWriter(of, number, plan.shards) for number in range(plan.shards)]
    streams = STREAM if plan == PLAN else [tuple(shard(plan, number)) for number in range(plan.shards)]
    return [
        r for writer, stream in zip(writers, streams, strict=True) for given in stream for r in writer.records(given)
    ]


def first_name(name: str) -> str:
    """The name of a table before it was renamed."""
    return re.sub(r"_\d+$", "", name)


def of_all_versions(of: Side) -> Side:
    return replace(of, tables=tuple(versions(of.tables, PLAN.alterations())))


def test_every_shard_has_every_statement_once_and_in_order() -> None:
    told = [[(event.query, event.commit_ts) for event in events(number)] for number in range(PLAN.shards)]
    assert told[0] == told[1]
    assert len(told[0]) == PLAN.statements
    assert all(first[1] < then[1] for first, then in pairwise(told[0]))  # type: ignore[operator]


def test_each_version_of_a_table_follows_from_the_one_before_it_and_keeps_its_keys() -> None:
    now = {table.id: table for table in tables("shop")}
    for event in events(0):
        before, after = event.table_before, event.table_after
        assert before is not None
        assert after is not None
        assert before == now.pop(before.id)
        assert handle_key(after) == handle_key(before)
        assert (after == before) is (event.action == "truncate table")
        assert (after.id == before.id) is (event.action != "rename table")
        assert (event.schema, event.table) == after.id
        now[after.id] = after


def test_a_table_is_renamed_to_a_name_that_no_table_ever_has() -> None:
    made = replace(PLAN, statements=300).alterations()
    renamed = [one.event for one in made if one.event.action == "rename table"]
    names = [str(event.table) for event in renamed]
    assert len({*names, *(source.table.name for source in PLAN.sources)}) == len(names) + len(PLAN.sources)
    for event in renamed:
        assert event.table_before is not None
        before, after = (f"`shop`.`{name}`" for name in (event.table_before.name, event.table))
        assert event.query in (f"RENAME TABLE {before} TO {after}", f"ALTER TABLE {before} RENAME TO {after}")
    assert len({event.query.split()[0] for event in renamed}) == 2


def test_another_name_is_never_that_of_a_table_and_no_longer_than_a_name_may_be() -> None:
    first = PLAN.sources[0]
    long = replace(first, table=replace(first.table, name="n" * 64))
    names = [replace(first, table=replace(first.table, name=f"{'N' * 56}_{number}")) for number in range(50)]
    plan = replace(PLAN, sources=(replace(long, weight=1000), *names), statements=50)
    found = {one.source.table.name for one in plan.alterations() if one.event.action == "rename table"}
    assert found
    assert all(len(name) <= 64 for name in found)
    assert not {name.lower() for name in found} & {one.table.name.lower() for one in names}


def test_a_back_quote_in_a_name_is_doubled_in_statements() -> None:
    [table] = tables_of_sql("CREATE TABLE s.`a``b` (id int PRIMARY KEY)", "test")
    made = Plan((Source(table),), seed=3, changes=90, statements=9).alterations()
    assert all("`s`.`a``b" in one.event.query for one in made)


def test_only_added_columns_are_dropped_renamed_or_indexed() -> None:
    sql = "CREATE TABLE s.t (id int, added_at date, Added_3 int, PRIMARY KEY (id, added_at), KEY k (added_at))"
    [table] = tables_of_sql(sql, "test")
    plan = Plan((Source(table),), seed=3, changes=400, statements=80)
    for one in plan.alterations():
        now = one.source.table
        assert now.columns[:3] == table.columns
        assert now.indexes[:1] == table.indexes
        assert len({column.name.lower() for column in now.columns}) == len(now.columns)
    assert sum(len(one.upstream) for one in shard(plan, 0) if isinstance(one, Transaction)) == plan.changes


def test_every_usual_statement_is_drawn() -> None:
    plan = replace(PLAN, statements=300)
    words = {" ".join(re.sub(r"`[^ ]*`\.?", "", one.event.query).split()[:4]) for one in plan.alterations()}
    usual = ("ADD COLUMN", "DROP COLUMN", "MODIFY COLUMN", "CHANGE COLUMN", "RENAME COLUMN", "ADD INDEX", "DROP INDEX")
    assert [one for one in usual if not any(text.startswith(f"ALTER TABLE {one}") for text in words)] == []
    assert {"TRUNCATE TABLE", "RENAME TABLE TO", "ALTER TABLE RENAME TO"} <= words
    longest = {c.name for one in plan.alterations() for c in one.source.table.columns if c.type.text.lower() == "text"}
    assert {
        name for one in plan.alterations() for key in one.source.table.indexes for name in key.columns
    } & longest == set()


@pytest.mark.parametrize("number", range(PLAN.shards))
def test_no_row_is_left_behind_a_truncate(number: int) -> None:
    known: dict[tuple[str, str], set[str]] = {}
    emptied = 0
    for given in shard(replace(PLAN, statements=60), number):
        if isinstance(given, DdlEvent):
            if given.action == "truncate table":
                emptied += 1
                known.pop((given.schema, str(given.table)), None)
            if given.action == "rename table":
                assert given.table_before is not None
                assert given.table_after is not None
                moved = known.pop(given.table_before.id, set())
                known[given.table_after.id] = moved
            continue
        for change in given.upstream:
            there, handle = (
                known.setdefault((change.schema, change.table), set()),
                _HANDLES[change.schema, first_name(change.table)],
            )
            keys = [None if row is None else repr([row[n] for n in handle]) for row in (change.before, change.after)]
            if keys[0] is not None:
                there.remove(keys[0])
            if keys[1] is not None:
                assert keys[1] not in there
                there.add(keys[1])
    assert emptied > 1


@pytest.mark.parametrize("number", range(PLAN.shards))
def test_rows_have_the_columns_of_their_table_at_the_time(number: int) -> None:
    now: dict[tuple[str, str], Table] = {table.id: table for table in tables("shop")}
    last = 0
    for given in STREAM[number]:
        if isinstance(given, DdlEvent):
            after = given.table_after
            assert after is not None
            now[after.id] = after
            continue
        assert isinstance(given, Transaction)
        assert given.commit_ts > last
        last = given.commit_ts
        for change in given.upstream:
            columns = [column.name for column in now[change.schema, change.table].columns]
            assert all(list(row) == columns for row in (change.before, change.after) if row is not None)


@pytest.mark.parametrize(
    ("dialect", "partitions"),
    [("canal-json", {0}), ("debezium", {0, 1}), ("open-protocol", {0, 1}), ("canal", {0}), ("debezium-connector", {0})],
)
def test_a_statement_is_in_the_partitions_that_its_dialect_writes_it_into(dialect: str, partitions: set[int]) -> None:
    of = side("left", dialect)
    reader = ChangeReader(of_all_versions(of))
    written = records(of, replace(PLAN, changes=60))
    seen = Counter(
        record.partition for record in written for read in reader.read(record) if isinstance(read, Statement)
    )
    assert seen == dict.fromkeys(partitions, PLAN.statements)


PAIRS = {
    "canal-json and canal": (side("left", "canal-json", enable_tidb_extension="true"), side("right", "canal")),
    "debezium and connector": (side("left", "debezium"), side("right", "debezium-connector", version="3.6.1")),
    "canal-json without what is deleted": (
        side("left", "canal-json", delete_only_output_handle_key_columns="true"),
        side("right", "canal"),
    ),
    "debezium without the row before": (
        side("left", "debezium", debezium_output_old_value="false"),
        side("right", "debezium-connector"),
    ),
    "open-protocol and canal-json": (
        side("left", "open-protocol"),
        side("right", "canal-json", enable_tidb_extension="true", content_compatible="true"),
    ),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_messages_are_read_by_the_version_of_their_table_and_nothing_is_unexplained(pair: str) -> None:
    streams = [records(of) for of in PAIRS[pair]]
    sides = [of_all_versions(of) for of in PAIRS[pair]]
    found = outcome_of(sides, streams)
    assert [d for d in found.differences if d.status is Status.UNEXPLAINED] == []
    assert [found.counts.control[number, "unchecked"] for number in range(2)] == [0, 0]
    assert [found.counts.control[number, "messages"] for number in range(2)] == [*map(len, streams)]


@pytest.mark.parametrize(
    ("left", "found", "does"),
    [
        ('{"a":"1","b":"2"}', '{"a":"1","b":"2","c":null}', True),
        ('{"a":"1","b":"2"}', '{"a":"1","c":"2"}', True),
        ('{"a":"1","b":"2"}', '{"a":"1","b":"3","c":null}', False),
        ('{"a":"1","b":"2"}', '{"a":"1","b":"3"}', False),
        ('{"a":"1"}', '{"b":"1"}', False),
    ],
)
def test_a_row_goes_on_across_a_statement_by_the_columns_that_are_left(left: str, found: str, does: bool) -> None:
    one = Change("s", "t", b"[1]", "update", None, left.encode(), Place())
    assert goes_on(one, replace(one, before=found.encode())) is does
