"""Shapes of answers: our own checks and the published JSON Schemas agree, on good frames and on bad ones."""

from __future__ import annotations

from typing import Any

import pytest
from frame_schemas import answer_validator

from conformance.transport.answers import Answer, BadShape, read_answer

HELLO = {"harness": 1, "name": "n", "version": "1", "language": "go", "protocols": {}}
RECORD = {"key": None, "value": ""}
ROW = {"kind": "row", "op": "insert", "schema": "s", "table": "t"}
DDL = {"kind": "ddl", "schema": "s", "table": "", "query": "CREATE DATABASE s"}
COLUMN = {"name": "c", "type": "int", "nullable": True}
TABLE = {"schema": "s", "name": "t", "columns": [COLUMN]}
MARK = {"kind": "watermark", "commit_ts": "1"}


def records(**members: Any) -> dict[str, Any]:
    return {"ok": {"records": [RECORD, {**RECORD, **members}]}}


def events(event: Any, **members: Any) -> dict[str, Any]:
    return {"ok": {"events": [{**event, **members}]}}


def column(**members: Any) -> dict[str, Any]:
    return events(DDL, table_after={**TABLE, "columns": [{**COLUMN, **members}]})


GOOD = [
    ("hello", {"ok": HELLO}),
    ("hello", {"ok": {**HELLO, "clock": "own", "window": 4, "homepage": "h", "later": 1}}),
    ("hello", {"ok": {**HELLO, "protocols": {"avro": {"roles": ["decode"], "options": ["x"], "events": []}}}}),
    ("configure", {"ok": {}}),
    ("reset", {"ok": {"later": 1}}),
    ("bye", {"ok": {}}),
    ("encode", {"ok": {"records": []}}),
    ("encode", records(key="QQ==", partition=0, topic="t", headers=[["h", None], ["h", "QUI="]])),
    ("encode", records(offset=2**40, timestamp=-1, later=[])),
    ("encode", {"ok": {"records": [], "claims": [{"location": "l", "value": ""}]}}),
    ("encode", {"rejected": {"class": "range", "message": "m", "origin": "f:1"}}),
    ("encode", {"unsupported": ""}),
    ("encode", {"error": "e", "later": 1}),
    ("decode", {"ok": {"events": []}}),
    ("decode", events(ROW, commit_ts="447984084414103554", start_ts="1", row_id="1", partition_id=7, source={"x": 1})),
    ("decode", events(ROW, before=None, after={"a": None, "b": "", "c": {"base64": "/w=="}, "d": {"index": "0"}})),
    ("decode", events(ROW, op="upsert", after={"s": {"mask": "5"}})),
    ("decode", events(ROW, op="read")),
    ("decode", events(DDL, action="create schema", action_code=1, table_before=TABLE, other_tables=[TABLE])),
    ("decode", column(default=None, generated="stored", auto_increment=False)),
    ("decode", column(default={"expression": "now()"})),
    ("decode", events(MARK)),
    ("decode", events({"kind": "transaction"}, status="BEGIN", position={"gtid": "x"})),
    ("decode", events({"kind": "heartbeat"})),
]

BAD = [
    # op, frame without its id, what is said of it
    ("encode", {}, "an answer has exactly one of ok, rejected, unsupported, error; this one has none"),
    ("encode", {"ok": {"records": []}, "error": "x"}, "this one has ok and error"),
    ("encode", {"rejected": {"class": "bad", "message": ""}}, "rejected.class is not one of framing, syntax, schema, "),
    ("encode", {"rejected": {"class": "type"}}, "rejected has no member 'message'"),
    ("encode", {"rejected": "type"}, "rejected is a string, not an object"),
    ("encode", {"unsupported": True}, "unsupported is a truth value, not a string"),
    ("encode", {"error": None}, "error is null, not a string"),
    ("configure", {"ok": None}, "ok is null, not an object"),
    ("reset", {"ok": True}, "ok is a truth value, not an object"),
    ("bye", {"ok": []}, "ok is a list, not an object"),
    ("hello", {"ok": {**HELLO, "harness": 2}}, "ok.harness is not one of 1"),
    ("hello", {"ok": {**HELLO, "harness": True}}, "ok.harness is not one of 1"),
    ("hello", {"ok": {"harness": 1}}, "ok has no member 'name'"),
    ("hello", {"ok": {**HELLO, "protocols": []}}, "ok.protocols is a list, not an object"),
    (
        "hello",
        {"ok": {**HELLO, "protocols": {"avro": {"roles": ["read"]}}}},
        "ok.protocols.avro.roles[0] is not one of",
    ),
    ("hello", {"ok": {**HELLO, "window": 0}}, "ok.window is not a positive integer"),
    ("hello", {"ok": {**HELLO, "clock": "mine"}}, "ok.clock is not one of given, own"),
    ("encode", {"ok": {}}, "ok has no member 'records'"),
    ("encode", {"ok": {"records": {}}}, "ok.records is an object, not a list"),
    ("encode", {"ok": {"records": [None]}}, "ok.records[0] is null, not an object"),
    ("encode", {"ok": {"records": [{"value": None}]}}, "ok.records[0] has no member 'key'"),
    ("encode", records(value=7), "ok.records[1].value is a number, not base64"),
    ("encode", records(value="QQ"), "ok.records[1].value is not standard base64 with padding"),
    ("encode", records(value="Q-_="), "ok.records[1].value is not standard base64"),
    ("encode", records(value="QUI=\n"), "ok.records[1].value is not standard base64"),
    ("encode", records(value="é==="), "ok.records[1].value is not standard base64"),
    ("encode", records(partition="0"), "ok.records[1].partition is a string, not an integer"),
    ("encode", records(partition=True), "ok.records[1].partition is a truth value, not an integer"),
    (
        "encode",
        records(partition=-1),
        "ok.records[1].partition is below 0: partitions count from 0, and an unknown one is left out",
    ),
    ("encode", records(partition=None), "ok.records[1].partition is null, not an integer"),
    ("encode", records(headers=[["h"]]), "ok.records[1].headers[0] is not a list of a name and a value"),
    ("encode", records(headers=[["h", "?"]]), "ok.records[1].headers[0][1] is not standard base64"),
    ("encode", {"ok": {"records": [], "claims": [{"location": "l", "value": None}]}}, "ok.claims[0].value is null"),
    ("decode", {"ok": {}}, "ok has no member 'events'"),
    ("decode", {"ok": {"events": ["row"]}}, "ok.events[0] is a string, not an object"),
    ("decode", {"ok": {"events": [{}]}}, "ok.events[0].kind is not one of row, ddl, watermark, transaction, heartbeat"),
    ("decode", events(ROW, kind=["row"]), "ok.events[0].kind is not one of"),
    ("decode", events(ROW, op="replace"), "ok.events[0].op is not one of insert, update, delete, upsert, read"),
    ("decode", events(ROW, commit_ts=447984084414103554), "ok.events[0].commit_ts is not a string of decimal digits"),
    ("decode", events(ROW, commit_ts="٣"), "ok.events[0].commit_ts is not a string of decimal digits"),
    ("decode", events(ROW, after=[]), "ok.events[0].after is a list, not a row or null"),
    (
        "decode",
        events(ROW, after={"id": 1}),
        "ok.events[0].after.id is a number, not a value string, null or an object",
    ),
    ("decode", events(ROW, after={"b": True}), "ok.events[0].after.b is a truth value, not a value string"),
    ("decode", events(ROW, after={"e": {"label": "x"}}), "ok.events[0].after.e is an object, but not one of base64, "),
    ("decode", events(ROW, after={"e": {"index": 3}}), "ok.events[0].after.e.index is not a string of decimal digits"),
    ("decode", events(ROW, before={"e": {"index": "1", "mask": "1"}}), "ok.events[0].before.e is an object, but not"),
    ("decode", {"ok": {"events": [{"kind": "row", "op": "insert", "schema": "s"}]}}, "has no member 'table'"),
    ("decode", events(DDL, query=None), "ok.events[0].query is null, not a string"),
    ("decode", events(DDL, action_code="3"), "ok.events[0].action_code is a string, not an integer"),
    ("decode", events(DDL, table_after={}), "ok.events[0].table_after has no member 'schema'"),
    ("decode", column(nullable="YES"), "ok.events[0].table_after.columns[0].nullable is a string, not a truth value"),
    ("decode", column(default=5), "ok.events[0].table_after.columns[0].default is a number, not an object"),
    ("decode", column(generated="always"), "table_after.columns[0].generated is not one of virtual, stored"),
    ("decode", {"ok": {"events": [{"kind": "watermark"}]}}, "ok.events[0] has no member 'commit_ts'"),
]


@pytest.mark.parametrize(("op", "frame"), GOOD)
def test_a_good_answer_is_read_and_valid_by_the_schema_of_its_op_and_by_that_of_any(op, frame) -> None:
    kind = next(name for name in frame if name != "later")
    assert read_answer(op, {"id": 1, **frame}) == Answer(kind, frame[kind])
    answer_validator(op).validate({"id": 1, **frame})
    answer_validator().validate({"id": 1, **frame})


@pytest.mark.parametrize(("op", "frame", "message"), BAD)
def test_a_bad_answer_is_refused_with_the_member_that_is_wrong_and_by_the_schema_of_its_op(op, frame, message) -> None:
    with pytest.raises(BadShape) as caught:
        read_answer(op, {"id": 1, **frame})
    assert message in str(caught.value)
    assert not answer_validator(op).is_valid({"id": 1, **frame})


def test_a_record_is_in_a_partition_of_the_topic_or_in_none() -> None:
    frame = {"id": 1, **records(partition=2)}
    assert read_answer("encode", frame, partitions=3).payload is frame["ok"]
    with pytest.raises(BadShape, match=r"ok.records\[1\].partition is 2: .* had \"partitions\": 2"):
        read_answer("encode", frame, partitions=2)
