"""The connector's records: keys, envelopes, positions, snapshots and transactions.

[DBZ-250 … DBZ-253, DBZ-350 … DBZ-359, DBZ-544, DBZ-700 … DBZ-709]
"""

from __future__ import annotations

from typing import Any

import pytest
from connector_messages import BARE, column, insert, payload_of, table_of, tree_of, write

from reference_impl.errors import Rejected
from reference_impl.model import Key, RowChange, Table
from reference_impl.settings import Settings

NEW = {"version": "3.6.1"}


def _key(table: Table, op: str = "insert") -> Any:
    row = {c.name: "1" for c in table.columns}
    [record] = write([RowChange("read" if op == "read" else "insert", "test", "t", None, None, row)], [table], BARE)
    return None if record.key is None else record.key.decode()


def test_a_key_is_the_primary_key_in_its_own_order() -> None:
    table = Table("test", "t", (column("a", "int", nullable=False), column("b", "int", nullable=False)), ("b", "a"))
    assert _key(table) == '{"b":1,"a":1}'


@pytest.mark.parametrize(
    ("keys", "nullable", "key", "in_snapshot"),
    [
        ((Key("u", ("b", "a")),), False, '{"b":1,"a":1}', '{"b":1,"a":1}'),
        ((Key("u", ("b", "a")),), True, None, None),
        ((Key("a", ("a",)),), True, '{"a":1}', None),  # declared with its column
        ((Key("n", ("a",)), Key("m", ("b",))), False, '{"a":1}', '{"a":1}'),
        ((), False, None, None),
    ],
)
def test_without_a_primary_key_the_first_fitting_unique_key_counts(
    keys: tuple[Key, ...], nullable: bool, key: str | None, in_snapshot: str | None
) -> None:
    columns = (column("a", "int", nullable=nullable), column("b", "int", nullable=nullable))
    table = Table("test", "t", columns, unique_keys=keys)
    assert (_key(table), _key(table, "read")) == (key, in_snapshot)


def test_a_change_of_the_key_is_a_deletion_a_tombstone_and_an_insertion() -> None:
    table = table_of(column("v", "int"))
    change = RowChange("update", "test", "t", None, {"id": "1", "v": "5"}, {"id": "2", "v": "5"})
    records = write([change], [table], BARE)
    assert [r.value if r.value is None else payload_of(r)["op"] for r in records] == ["d", None, "c"]
    assert [r.key for r in records] == [b'{"id":1}', b'{"id":1}', b'{"id":2}']
    new, old = ("__debezium.newkey", b'{"id":2}'), ("__debezium.oldkey", b'{"id":1}')
    assert [r.headers for r in records] == [(new,), (new,), (old,)]
    without = write([change], [table], {**BARE, "tombstones.on.delete": "false"})
    assert [payload_of(r)["op"] for r in without] == ["d", "c"]


@pytest.mark.parametrize(
    ("version", "members", "envelope", "source_version"),
    [
        ("2.4.0", ["before", "after", "source", "op", "ts_ms", "transaction"], 1, None),
        ("3.0.7", ["before", "after", "source", "transaction", "op", "ts_ms", "ts_us", "ts_ns"], 2, None),
        ("3.6.1", ["before", "after", "source", "transaction", "op", "ts_ms", "ts_us", "ts_ns"], 2, 1),
    ],
)
def test_the_envelope_of_a_version(version: str, members: list[str], envelope: int, source_version: int | None) -> None:
    [record] = write([insert()], [table_of()], {"version": version})
    tree = tree_of(record)
    assert list(tree) == ["schema", "payload"]
    assert list(tree["payload"]) == members == [field["field"] for field in tree["schema"]["fields"]]
    assert tree["schema"]["version"] == envelope
    assert tree["schema"]["fields"][2].get("version") == source_version
    assert tree["schema"]["name"] == "dbz.test.t.Envelope"
    assert tree["payload"]["source"]["version"] == version + ".Final"
    assert ("__debezium.context.taskId" in dict(record.headers)) == (version == "3.6.1")


def test_names_of_topics_keep_what_a_topic_may_have() -> None:
    table = Table("my-db", 'n weird.名 "q"', (column("a", "int"),))
    change = RowChange("insert", "my-db", 'n weird.名 "q"', None, None, {"a": "1"})
    [record] = write([change], [table], settings=Settings(topic="pre-fix.{schema}.{table}"))
    assert record.topic == "pre-fix.my-db.n_weird.___q_"
    assert tree_of(record)["schema"]["name"] == "pre-fix.my-db.n_weird.___q_.Envelope"
    assert payload_of(record)["source"]["name"] == "pre-fix"


def test_without_a_position_it_follows_from_commit_time_and_count() -> None:
    changes = [RowChange("insert", "test", "t", 1500 << 18, None, {"id": str(n)}) for n in (1, 2)]
    for given, ms in ((BARE, 1000), ({**BARE, **NEW}, 1500)):
        first, second = (payload_of(r) for r in write(changes, [table_of()], given))
        assert (first["ts_ms"], first["source"]["ts_ms"]) == (1500, ms)
        assert first["source"]["pos"] < second["source"]["pos"]
    [record] = write(changes[:1], [table_of()], BARE, Settings(topic="dbz", now_ms=7))
    assert payload_of(record)["ts_ms"] == 7


def test_rows_of_one_rows_event_are_counted() -> None:
    def change(number: int, pos: int) -> RowChange:
        source = {"source": {"pos": str(pos)}}
        return RowChange("insert", "test", "t", None, None, {"id": str(number)}, source=source)

    records = write([change(1, 5), change(2, 5), change(3, 6)], [table_of()], BARE)
    assert [payload_of(r)["source"]["row"] for r in records] == [0, 1, 0]


def test_a_snapshot_marks_its_first_and_its_last_rows() -> None:
    tables = [Table("test", name, (column("id", "int", nullable=False),), ("id",)) for name in "abc"]
    reads = [
        RowChange("read", "test", t, None, None, {"id": str(n)}) for t, n in (("a", 1), ("b", 1), ("b", 2), ("c", 1))
    ]
    sources = [payload_of(r)["source"] for r in write(reads, tables, BARE)]
    assert [s["snapshot"] for s in sources] == ["first", "first_in_data_collection", "last_in_data_collection", "last"]
    assert {s["server_id"] for s in sources} == {0}
    [alone] = write(reads[:1], tables, BARE)
    assert payload_of(alone)["source"]["snapshot"] == "last"


def test_a_transaction_has_records_around_its_rows() -> None:
    changes = [RowChange("insert", "test", "t", 7, None, {"id": str(n)}) for n in (1, 2)]
    changes.append(RowChange("insert", "test", "t", 8, None, {"id": "3"}))
    given = {**BARE, "provide.transaction.metadata": "true"}
    records = write(changes, [table_of()], given)
    assert [tree_of(r).get("status", "row") for r in records] == ["BEGIN", "row", "row", "END", "BEGIN", "row", "END"]
    assert tree_of(records[2])["transaction"] == {"id": "7", "total_order": 2, "data_collection_order": 2}
    end = tree_of(records[3])
    assert end["event_count"] == 2
    assert end["data_collections"] == [{"data_collection": "test.t", "event_count": 2}]
    assert (records[0].topic, records[0].key) == ("dbz.transaction", b'{"id":"7"}')


@pytest.mark.parametrize(
    "event",
    [
        RowChange("insert", "test", "unknown", None, None, {"id": "1"}),
        RowChange("insert", "test", "t", None, None, {}),
        RowChange("insert", "test", "t", None, {"id": "1"}, {"id": "1"}),
        RowChange("read", "test", "t", None, {"id": "1"}, {"id": "1"}),
        RowChange("upsert", "test", "t", None, None, {"id": "1"}),
        RowChange("insert", "test", "t", None, None, {"id": "1"}, source={"ts_ms": "soon"}),
        RowChange("insert", "test", "t", None, None, {"id": "1"}, source={"ts_ms": "9" * 5000}),
    ],
)
def test_an_event_that_contradicts_itself_is_refused(event: RowChange) -> None:
    with pytest.raises(Rejected) as caught:
        write([event], [table_of()])
    assert caught.value.reason == "semantics"


def test_a_key_of_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(Rejected) as caught:
        write([insert()], [table_of(primary_key=("other",))])
    assert caught.value.reason == "semantics"
