"""What a decoder of Canal's flat message must refuse, one fault at a time, and for which class."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Record, RowChange
from reference_impl.upstream.canal import Decoder
from reference_impl.upstream.canal.message import MEMBERS
from tests.unit.upstream.canal.flat_messages import (
    OMIT,
    ROW,
    TP_INT,
    changed,
    column,
    decode_one,
    options,
    refusal,
    row_event,
    table_of,
    write,
)

_NO_ROWS = {"data": None, "mysqlType": None, "old": None, "pkNames": None, "sqlType": None}
_DDL: dict[str, Any] = {**_NO_ROWS, "isDdl": True, "sql": "truncate t", "type": "TRUNCATE"}
_UPDATE: dict[str, Any] = {"type": "UPDATE", "old": [{"c_int": "1"}]}
_BIG: dict[str, Any] = {
    "mysqlType": {"id": "int", "c_tinyint": "tinyint", "c_int": "bigint"},
    "sqlType": {"id": 4, "c_tinyint": -6, "c_int": -5},
}
_TWO: dict[str, Any] = {"data": [dict(ROW), {**ROW, "id": "3"}]}


@pytest.mark.parametrize(
    "record", [Record(None, None), Record(None, b""), Record(b"k", json.dumps(changed()).encode())]
)
def test_a_record_without_a_value_or_with_a_key_is_a_framing_fault(record: Record) -> None:
    with pytest.raises(Rejected) as caught:
        Decoder().decode([record])
    assert caught.value.reason == "framing"


@pytest.mark.parametrize("data", [b"{", b'{"id":NaN}', b'{"id":"\xff"}'])
def test_a_value_that_is_not_json_is_a_syntax_fault(data: bytes) -> None:
    assert refusal(data) == "syntax"


@pytest.mark.parametrize("name", MEMBERS)
def test_a_message_has_every_member_in_its_json_kind(name: str) -> None:
    assert refusal(changed(**{name: OMIT})) == "schema"
    assert refusal(changed(**{name: 1.5 if name != "isDdl" else "false"})) in ("schema", "type")
    assert refusal(changed(**{name: {"x": []}})) == "schema"


@pytest.mark.parametrize(
    "message",
    [
        b"[]",
        b'{"data":null,"data":null}',
        changed(_tidb={"commitTs": 1}),
        dict(reversed(changed().items())),
        changed(data=[]),
        changed(data=None),
        changed(pkNames=[]),
        changed(sqlType={}),
        changed(data=[{**ROW, "c_int": 5}]),
        changed(data=[{"id": "2", "c_tinyint": "127"}]),
        changed(mysqlType={"id": "int", "c_tinyint": "tinyint"}),
        changed(sqlType={"c_int": 4, "id": 4, "c_tinyint": -6}),
        changed(**_UPDATE | {"old": [{"c_int": "1"}, {}]}),
        changed(**_UPDATE | {"old": [{"other": "1"}]}),
        changed(**_TWO | {"data": [dict(ROW), {"id": "3"}]}),
    ],
)
def test_a_message_of_another_shape_is_a_schema_fault(message: dict[str, Any] | bytes) -> None:
    assert refusal(message) == "schema"


@pytest.mark.parametrize(
    "message",
    [
        changed(type="UPSERT"),
        changed(type="TRUNCATE"),
        changed(**_DDL | {"type": "INSERT"}),
        changed(es=1639633141000.5),
        changed(sqlType={"id": 4, "c_tinyint": -6, "c_int": 5}),
        changed(mysqlType={"id": "int", "c_tinyint": "tinyint", "c_int": "what"}),
        column("vector(3)", "[1,2,3]", 12),
        column("int unsigned", "2147483648", 4),
        column("int unsigned", "1", -5),
        column("set('a')", None, -7),
        column("json", None, 12),
        column("json", "{}", 2004),
        column("text(100)", "x", 2005),
        column("varbinary(10)", "x", 12),
        column("int", "x", 4),
        column("int", "01", 4),
        column("decimal(10,2)", "1.00", 3),
        column("decimal(10,4)", "1.5", 3),
        column("double", "1", 8),
        column("double", "1.0e7", 8),
        column("float", "1.50", 7),
        column("year", "0", 12),
        column("datetime(3)", "2024-01-01 00:00:00", 93),
        column("blob", "Ā", 2004),
        column("json", "{", 12),
        column("json", "JSON_REPLACE(j, '$.a', 1)", 12),
        column("enum('a')", "a", 4),
    ],
)
def test_a_value_of_another_form_is_a_type_fault(message: dict[str, Any]) -> None:
    assert refusal(message) == "type"


@pytest.mark.parametrize(
    "message",
    [
        changed(ts=-1),
        changed(id=2**63),
        column("tinyint", "128", -6),
        column("int unsigned", "-1", 4),
        column("decimal(3,0)", "1000", 3),
        column("float", "3.4028236E39", 7),
        column("year", "1900", 12),
        column("enum('a')", "2", 4),
        column("set('a')", "2", -7),
        column("enum('a')", "100000000000000000000", 4),  # 21 digits
        column("set('a')", "9" * 5000, -7),  # more digits than Python reads
        column("char(2)", "abc", 1),
        column("binary(2)", "abc", 2004),
        column("bit(3)", "8", -7),
    ],
)
def test_a_value_beyond_its_type_is_a_range_fault(message: dict[str, Any]) -> None:
    assert refusal(message) == "range"


@pytest.mark.parametrize(
    "message",
    [
        changed(es=1639633141001),
        changed(gtid="uuid:1"),
        changed(sql="insert"),
        changed(old=[{"c_int": "1"}]),
        changed(type="UPDATE"),
        changed(type="DELETE", old=[{"c_int": "1"}]),
        changed(**_UPDATE | {"old": [{"c_int": ROW["c_int"]}]}),
        changed(**_UPDATE | _TWO | {"old": [{"c_int": "1"}, {"c_tinyint": "1"}]}),
        changed(pkNames=["id", "id"]),
        changed(pkNames=["other"]),
        changed(**_DDL | {"data": [dict(ROW)]}),
        changed(**_DDL | {"sql": ""}),
        changed(**_DDL | {"type": "ERASE"}),
        changed(**_DDL | {"sql": "create view v as select 1", "type": "QUERY"}),
        changed(type="QUERY", sql="insert"),
    ],
)
def test_a_message_that_contradicts_itself_is_a_semantics_fault(message: dict[str, Any]) -> None:
    assert refusal(message) == "semantics"


@pytest.mark.parametrize(
    "message", [changed(pkNames=["c_int"]), changed(pkNames=None), changed(**_BIG), column("int", "1", 4)]
)
def test_a_message_that_contradicts_its_table_is_a_semantics_fault(message: dict[str, Any]) -> None:
    assert refusal(message, TP_INT) == "semantics"


def test_the_class_with_the_highest_precedence_is_reported() -> None:
    assert refusal(changed(pkNames=["other"], es=1, id=-1)) == "range"
    assert refusal(changed(pkNames=["other"], ts=OMIT)) == "schema"


def test_an_old_row_lists_what_a_row_before_it_changed() -> None:
    events = decode_one(changed(**_UPDATE | _TWO | {"old": [{"c_int": "1"}, {"c_int": ROW["c_int"]}]}))
    befores = [event.before for event in events if isinstance(event, RowChange)]
    assert befores == [{"c_int": "1"}, {"c_int": ROW["c_int"]}]


def test_a_statement_before_its_rows_comes_with_them() -> None:
    messages = [
        changed(**_NO_ROWS | {"type": "QUERY", "sql": "insert …", "database": "", "table": ""}),
        changed(**_NO_ROWS | {"type": "XACOMMIT", "sql": "XA COMMIT", "database": "", "table": ""}),
        changed(),
        changed(),
    ]
    first, second = Decoder().decode([Record(None, json.dumps(m).encode()) for m in messages])
    assert (first.source or {})["query"] == "insert …"  # type: ignore[union-attr]
    assert "query" not in (second.source or {})  # type: ignore[union-attr]


def test_a_table_is_forgotten_when_a_statement_about_it_passes_by() -> None:
    other = column("int", "1", 4)
    statement = changed(**_DDL | {"sql": "alter table tp_int add a int", "type": "ALTER"})
    truncated = changed(**_DDL | {"sql": "truncate tp_int"})
    records = [Record(None, json.dumps(m).encode()) for m in (statement, other)]
    ddl, row = Decoder().decode(records, [TP_INT])
    assert isinstance(ddl, DdlEvent)
    assert isinstance(row, RowChange)
    with pytest.raises(Rejected):
        Decoder().decode([Record(None, json.dumps(m).encode()) for m in (truncated, other)], [TP_INT])


@pytest.mark.parametrize(
    ("charset", "text", "value"),
    [
        ("latin1", "cafe", "cafe"),
        ("latin1", "é", "Ã©"),
        ("latin1", "caf\ufffd", "caf\ufffd"),
        ("utf16", "\0i", "i"),
        ("utf16", "i", "i"),
        ("gbk", "x", "x"),
    ],
)
def test_text_of_another_charset_is_restored_as_far_as_possible(charset: str, text: str, value: str) -> None:
    [event] = decode_one(column("varchar(20)", text, 12), table_of("varchar(20)", charset))
    assert isinstance(event, RowChange)
    assert event.after == {"c": value}


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (row_event("read", after=ROW), "semantics"),
        (row_event("insert", before=ROW), "semantics"),
        (row_event("insert", after={"id": "1"}), "semantics"),
        (row_event("insert", after={**ROW, "c_int": "x"}), "type"),
        (row_event("insert", after={**ROW, "c_int": "2147483648"}), "range"),
        (row_event("insert", after=ROW, es="soon"), "type"),
        (row_event("insert", after=ROW, es=5), "schema"),
        (row_event("insert", after=ROW, binlog_row_image="SMALL"), "semantics"),
        (RowChange("insert", "test", "tp_int", None, after=ROW), "semantics"),
        (RowChange("insert", "test", "nowhere", 1, after=ROW), "semantics"),
    ],
)
def test_an_encoder_refuses_what_no_server_could_have_logged(event: RowChange, reason: str) -> None:
    with pytest.raises(Rejected) as caught:
        write(event)
    assert caught.value.reason == reason


def test_the_rows_of_a_rows_event_are_of_one_operation() -> None:
    with pytest.raises(Rejected) as caught:
        write(row_event("insert", after=ROW, rows_event="e"), row_event("delete", before=ROW, rows_event="e"))
    assert caught.value.reason == "semantics"


def test_another_release_or_option_is_not_known() -> None:
    with pytest.raises(Rejected):
        options(version="1.1.6")
    with pytest.raises(Unsupported):
        options(content_compatible="true")


@pytest.mark.parametrize("es", ["", "x", "-1", "1" * 20])
def test_a_position_is_a_number_of_64_bits(es: str) -> None:
    with pytest.raises(Rejected) as refused:
        write(row_event("insert", None, dict(ROW), es=es))
    assert (refused.value.reason, refused.value.message[:10]) == ("type", "source.es ")
