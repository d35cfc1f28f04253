"""A table that loses its primary key beside a unique one: each producer takes another key for its key from then on.

TiCDC takes the unique key, Canal keeps a primary key that was declared with its column, a connector has none. Rows meet
by the unique key, which all versions of the table have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from conformance.ddl import tables_of_sql
from differential.counts import Counts
from differential.model import Class, Difference, Status
from differential.result.streams import every_difference
from differential.sides import Side, with_common_keys
from reference_impl.model import DdlEvent, Record, Row, RowChange, Table
from reference_impl.tso import compose
from tests.comparing import compare_locally
from tests.unit.differential.building import NOON, numbered, pairs_for, row_change

COLUMNS = "u INT NOT NULL, c INT, UNIQUE KEY u (u)"
DROP = "ALTER TABLE `t` DROP PRIMARY KEY"


def table(body: str) -> Table:
    (made,) = tables_of_sql(f"USE shop; CREATE TABLE t ({body})", "the test")
    return made


AFTER = table(f"id INT NOT NULL, {COLUMNS}")
BEFORE: Mapping[str, Table] = {
    "declared with its column": table(f"id INT NOT NULL PRIMARY KEY, {COLUMNS}"),
    "in a list of its own": table(f"id INT NOT NULL, {COLUMNS}, PRIMARY KEY (id)"),
}
PAIRS: Mapping[str, tuple[str, str, Mapping[str, str]]] = {
    "canal": ("canal-json", "canal", {}),
    "canal that asks the server": ("canal-json", "canal", {"tsdb": "false"}),
    "canal and open-protocol": ("open-protocol", "canal", {}),
    "connector 2.4": ("debezium", "debezium-connector", {"version": "2.4.0"}),
    "connector 3.6": ("debezium", "debezium-connector", {"version": "3.6.1"}),
}


def sides_of(name: str, tables: Sequence[Table]) -> list[Side]:
    ticdc, upstream, options = PAIRS[name]
    return with_common_keys(
        [Side("left", ticdc, tables=(*tables,)), Side("right", upstream, options, tables=(*tables,))]
    )


def row(c: int, **more: str) -> Row:
    return {"id": "1", "u": "11", "c": str(c), **more}


def change(before: Row | None, after: Row | None, second: int) -> RowChange:
    return row_change(before, after, NOON + 1000 * second)


def sent(of: Side, before: Table, after: Table = AFTER, query: str = DROP, **more: str) -> list[Record]:
    """A row made before the statement, altered behind it, and one that is there for a while."""
    ts = compose(NOON + 1000)
    statement = DdlEvent("shop", "t", query, "drop primary key", None, ts, table_before=before, table_after=after)
    other = row(5, **more) | {"id": "2", "u": "12"}
    events = [
        (change(None, row(1), 0), before),
        (statement, before),
        (change(row(1, **more), row(2, **more), 2), after),
        (change(None, other, 3), after),
        (change(other, None, 4), after),
    ]
    encoder = of.encoder()
    records = [record for event, version in events for record in encoder.encode([event], [version]).records]
    return numbered(record for record in records if record.value is not None)


def unexplained(sides: Sequence[Side], streams: Sequence[Sequence[Record]]) -> list[Difference]:
    pairs = pairs_for(sides)
    outcome = compare_locally(sides, streams, pairs)
    counts = Counts.from_json(outcome.counts.to_json())
    found = every_difference(outcome.differences, counts, sides, pairs)
    return [d for d in found if d.status is Status.UNEXPLAINED]


@pytest.mark.parametrize("how", BEFORE)
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("newest_first", [False, True])
def test_rows_before_and_after_a_dropped_key_match_by_the_remaining_key(
    name: str, how: str, newest_first: bool
) -> None:
    versions = [BEFORE[how], AFTER]
    sides = sides_of(name, versions[::-1] if newest_first else versions)
    assert unexplained(sides, [sent(of, BEFORE[how]) for of in sides]) == []


@pytest.mark.parametrize("how", BEFORE)
@pytest.mark.parametrize("name", PAIRS)
def test_a_row_that_is_lost_after_it_is_missed(name: str, how: str) -> None:
    sides = sides_of(name, [BEFORE[how], AFTER])
    left, right = (sent(of, BEFORE[how]) for of in sides)
    found = unexplained(sides, [left, right[:-1]])
    assert [(d.kind, d.key) for d in found] == [(Class.MISSING, '["12"]')]


def replaced(records: Sequence[Record], old: bytes, new: bytes) -> list[Record]:
    return [replace(record, value=(record.value or b"").replace(old, new)) for record in records]


WIDER = table(f"id INT NOT NULL, {COLUMNS}, d INT")


@pytest.mark.parametrize(("how", "is_sound"), [("declared with its column", True), ("in a list of its own", False)])
def test_a_key_of_the_list_that_canal_still_names_is_no_message_of_canal(how: str, is_sound: bool) -> None:
    """The column that the statement adds tells the versions apart."""
    sides = sides_of("canal", [BEFORE[how], WIDER])
    query = f"{DROP}, ADD COLUMN d INT"
    left, right = (sent(of, BEFORE[how], WIDER, query, d="9") for of in sides)
    named = replaced(right, b'"pkNames":null,"sql":""', b'"pkNames":["id"],"sql":""')
    assert (named == right, unexplained(sides, [left, right])) == (is_sound, [])
    assert (unexplained(sides, [left, named]) == []) is is_sound
    elsewhere = replaced(named, b'"pkNames":["id"]', b'"pkNames":["c"]')
    assert {d.kind for d in unexplained(sides, [left, elsewhere])} >= {Class.UNDECODABLE}


@pytest.mark.parametrize("version", ["connector 2.4", "connector 3.6"])
def test_a_record_without_a_key_is_a_connector_s_only_where_the_table_lost_one(version: str) -> None:
    """A table that never had another key than the unique one has that as its key."""
    sides = sides_of(version, [AFTER])
    left, right = (sent(of, AFTER)[:1] for of in sides)
    assert unexplained(sides, [left, right]) == []
    [found] = unexplained(sides, [left, [replace(right[0], key=None)]])
    assert (found.kind, found.column) == (Class.SHAPE, "key")


@pytest.mark.parametrize(
    ("query", "columns"), [(DROP, []), (f"{DROP} , ADD COLUMN c INT", ["tableChanges.primaryKeyColumnNames"])]
)
def test_the_key_that_stands_in_is_known_of_the_table_before_where_nothing_else_was_done(
    query: str, columns: list[str]
) -> None:
    before = BEFORE["in a list of its own"]
    sides = sides_of("connector 2.4", [before])
    streams = [
        [record for record in sent(of, before, query=query) if b'"ddl"' in (record.value or b"")] for of in sides
    ]
    found = [d.column for d in unexplained(sides, streams) if d.column.startswith("tableChanges.primary")]
    assert (len(streams[0]), found) == (1, columns)


def test_rows_match_by_the_key_of_their_version_if_deletes_have_only_keys() -> None:
    sides = [Side(name, "canal-json", options, tables=(BEFORE["in a list of its own"], AFTER)) for name, options in
             (("left", {}), ("right", {"delete-only-output-handle-key-columns": "true"}))]  # fmt: skip
    assert [side.keys for side in with_common_keys(sides)] == [{}, {}]
    assert [side.keys for side in with_common_keys(sides[:1])] == [{("shop", "t"): ("u",)}]
    assert unexplained(with_common_keys(sides), [sent(of, BEFORE["in a list of its own"]) for of in sides]) == []
