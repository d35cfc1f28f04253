"""Tables, events and records as JSON of the harness protocol, member by member."""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.column_types import Family
from reference_impl.errors import Rejected
from reference_impl.model import Claim, DdlEvent, Expression, Key, Record, RowChange, Watermark
from reference_impl.wire import (
    claim_from_json,
    claim_to_json,
    column_from_json,
    column_to_json,
    event_from_json,
    event_to_json,
    events_from_json,
    record_from_json,
    record_to_json,
    table_from_json,
    table_to_json,
)

PLAIN = {"name": "c", "type": "int", "nullable": True}
WHOLE = {"name": "c", "type": "varchar(10)", "nullable": False, "default": "x", "charset": "gbk"}
WHOLE |= {"collation": "gbk_bin", "generated": "stored", "comment": "it's", "auto_increment": True}
WHOLE |= {"on_update_now": True}
TABLE: dict[str, Any] = {"schema": "d", "name": "t", "table_id": 7, "partition_id": 8, "charset": "utf8mb4"}
TABLE |= {"comment": "what it is for", "clustered": False, "create_sql": "CREATE TABLE t …", "primary_key": ["a"]}
TABLE |= {"unique_keys": [{"name": "u", "columns": ["b", "a"]}], "indexes": [{"name": "i", "columns": ["b"]}]}
TABLE["columns"] = [{"name": name, "type": "int", "nullable": name == "b"} for name in "ab"]
WIDER = {**TABLE, "columns": [*TABLE["columns"], {"name": "c", "type": "int", "nullable": True}]}
ROW = {"kind": "row", "op": "update", "schema": "d", "table": "t", "commit_ts": "9", "source": {"server": "x"}}
ROW |= {"start_ts": "8", "partition_id": 5, "row_id": "6"}
ROW |= {"before": {"a": "1", "b": None}, "after": {"a": "1", "b": "2"}}
DDL = {"kind": "ddl", "schema": "d", "table": "t", "query": "ALTER TABLE t ADD c INT", "commit_ts": "7"}
DDL |= {"action": "add column", "action_code": 5, "source": {"server": "x"}}
DDL |= {"table_before": TABLE, "table_after": WIDER, "other_tables": [{**TABLE, "name": "o"}]}


def test_a_column_is_what_its_members_say() -> None:
    found = column_from_json(WHOLE)
    assert (found.name, found.type.family, found.type.length, found.nullable) == ("c", Family.VARCHAR, 10, False)
    assert (found.default, found.charset, found.collation, found.generated) == ("x", "gbk", "gbk_bin", "stored")
    assert (found.comment, found.auto_increment, found.on_update_now) == ("it's", True, True)


@pytest.mark.parametrize(
    ("written", "default"), [(None, None), ("5", "5"), ({"expression": "uuid()"}, Expression("uuid()"))]
)
def test_a_default_is_null_a_value_or_an_expression(written: object, default: object) -> None:
    found = column_from_json({**PLAIN, "default": written})
    assert (found.default, column_to_json(found)["default"]) == (default, written)


@pytest.mark.parametrize(
    ("charset", "own", "family"),
    [
        ("binary", {}, Family.VARBINARY),
        ("binary", {"charset": "utf8mb4"}, Family.VARCHAR),
        ("utf8mb4", {"charset": "binary"}, Family.VARBINARY),
        ("utf8mb4", {}, Family.VARCHAR),
    ],
)
def test_a_column_without_a_character_set_has_that_of_its_table(charset, own, family) -> None:
    column = {"name": "c", "type": "varchar(3)", **own}
    table = table_from_json({"schema": "d", "name": "t", "charset": charset, "columns": [column]})
    assert table.columns[0].type.family is family


def test_a_table_is_what_its_members_say() -> None:
    found = table_from_json(TABLE)
    assert (found.id, found.table_id, found.partition_id, found.clustered) == (("d", "t"), 7, 8, False)
    assert (found.primary_key, found.unique_keys) == (("a",), (Key("u", ("b", "a")),))
    assert (found.indexes, found.comment, found.charset) == ((Key("i", ("b",)),), "what it is for", "utf8mb4")
    assert found.create_sql == "CREATE TABLE t …"


EVENTS = [
    ROW,
    {"kind": "row", "op": "insert", "schema": "d", "table": "t", "before": None, "after": {"a": "1"}},
    {"kind": "row", "op": "delete", "schema": "d", "table": "t", "commit_ts": "9", "before": {"a": "1"}, "after": None},
    DDL,
    {"kind": "ddl", "schema": "d", "table": "", "query": "DROP DATABASE d"},
    {"kind": "watermark", "commit_ts": "415508881418485761"},
]


def test_an_event_is_what_its_members_say() -> None:
    row = event_from_json(ROW, {("d", "t"): table_from_json(TABLE)})
    assert row == RowChange("update", "d", "t", 9, ROW["before"], ROW["after"], 8, 5, "6", {"server": "x"})  # type: ignore[arg-type]
    ddl = event_from_json(DDL, {})
    assert isinstance(ddl, DdlEvent)
    assert (ddl.query, ddl.action, ddl.action_code, ddl.commit_ts) == (DDL["query"], "add column", 5, 7)
    assert (ddl.table_before, ddl.table_after) == (table_from_json(TABLE), table_from_json(WIDER))
    assert [table.name for table in ddl.other_tables] == ["o"]
    assert event_from_json({"kind": "watermark", "commit_ts": "7"}, {}) == Watermark(7)


def test_the_tables_after_a_statement_are_in_force_for_the_rows_that_follow() -> None:
    later = {**ROW, "before": None, "op": "insert", "after": {"a": "1", "c": "3"}}
    tables = [table_from_json(TABLE)]
    assert len(events_from_json([ROW, DDL, later], tables)) == 3
    assert len(events_from_json([DDL, {**ROW, "table": "o"}], tables)) == 2
    with pytest.raises(Rejected, match="'c'"):
        events_from_json([later, DDL], tables)


RECORD = {"key": "AGs=", "value": None, "partition": 3, "topic": "topic", "headers": [["h", "dg=="], ["n", None]]}
RECORD |= {"offset": 12, "timestamp": 1700000000000}
CLAIM = {"location": "file:///x/y.json", "value": "dg=="}


def test_a_record_and_a_claim_are_what_their_members_say() -> None:
    headers = (("h", b"v"), ("n", None))
    assert record_from_json(RECORD) == Record(b"\x00k", None, 3, "topic", headers, 12, 1700000000000)
    assert record_from_json({"key": None, "value": ""}) == Record(None, b"")
    assert claim_from_json(CLAIM) == Claim("file:///x/y.json", b"v")


@pytest.mark.parametrize(
    ("read", "write", "given"),
    [
        *((column_from_json, column_to_json, column) for column in (PLAIN, WHOLE)),
        *((column_from_json, column_to_json, {**PLAIN, name: WHOLE[name]}) for name in WHOLE),
        *((table_from_json, table_to_json, table) for table in (TABLE, WIDER)),
        *((lambda e: event_from_json(e, {("d", "t"): table_from_json(TABLE)}), event_to_json, e) for e in EVENTS),
        *((record_from_json, record_to_json, record) for record in (RECORD, {"key": None, "value": ""})),
        (claim_from_json, claim_to_json, CLAIM),
    ],
)
def test_what_is_read_is_written_as_it_was(read: Any, write: Any, given: dict[str, Any]) -> None:
    assert write(read(given)) == given
