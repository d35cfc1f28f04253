"""Debezium JSON, read: what a message may look like, what tells the types, and what the imitated connector sends."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.debezium_json import Decoder
from reference_impl.errors import Unsupported
from reference_impl.model import Column, DdlEvent, Index, Record, RowChange, Table, Value, Watermark
from tests.unit.debezium_json.messages import (
    OMIT,
    TABLE1,
    changed,
    column_message,
    compact,
    decode_one,
    named,
    one_column,
    without_schema,
)

INSERT = RowChange("insert", "test", "table1", 1, after={"tiny": "1"})
TABLE_C = Table("test", "table1", (Column("c", parse_column_type("int")),))


def _reversed(tree: Any) -> Any:
    """The same JSON with every object's members in reverse order."""
    if isinstance(tree, dict):
        return {name: _reversed(value) for name, value in reversed(tree.items())}
    return [_reversed(item) for item in tree] if isinstance(tree, list) else tree


def _with_more(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {**{name: _with_more(value) for name, value in tree.items()}, "unknown": [1]}
    return [_with_more(item) for item in tree] if isinstance(tree, list) else tree


def _after(message: Any, *tables: Table, **how: Any) -> Value:
    event = decode_one(message, *tables, **how)
    assert isinstance(event, RowChange)
    assert event.after is not None
    return event.after["c"]


FORMS: dict[str, bytes] = {
    "as TiCDC writes it": compact(changed()),
    "without schema": compact(without_schema()),
    "members in another order": compact(_reversed(changed())),
    "blanks": json.dumps(changed(), indent=2).encode(),
    "escapes": compact(changed()).replace(b'"tiny"', b'"t\\u0069ny"').replace(b'"c"', b'"\\u0063"'),
    "a line at the end": compact(changed()) + b"\n",
    "unknown members": compact(_with_more(changed({"payload.after": None}))).replace(
        b'"after":null', b'"after":{"tiny":1}'
    ),
    "no before": compact(changed({"payload.before": OMIT})),
    "no wall clock": compact(changed({"payload.ts_ms": None})),
    "little of the source": compact(changed({"payload.source": {"db": "test", "table": "table1", "commit_ts": 1}})),
    "the payload alone": compact(changed()["payload"]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tables", [(), (TABLE1,)])
def test_a_message_may_take_any_legal_form(form: str, tables: tuple[Table, ...]) -> None:
    assert decode_one(FORMS[form], *tables) == INSERT


@pytest.mark.parametrize(
    ("changes", "event"),
    [
        (
            {"payload.op": "u", "payload.before": {"tiny": 2}},
            RowChange("update", "test", "table1", 1, before={"tiny": "2"}, after={"tiny": "1"}),
        ),
        ({"payload.op": "u", "payload.before": OMIT}, RowChange("update", "test", "table1", 1, after={"tiny": "1"})),
        (
            {"payload.op": "d", "payload.before": {"tiny": 2}, "payload.after": None},
            RowChange("delete", "test", "table1", 1, before={"tiny": "2"}),
        ),
        (
            {"payload.op": "d", "payload.before": {"tiny": 2}, "payload.after": OMIT},
            RowChange("delete", "test", "table1", 1, before={"tiny": "2"}),
        ),
        ({"payload.op": "r"}, RowChange("read", "test", "table1", 1, after={"tiny": "1"})),
        ({"payload.source.commit_ts": OMIT}, RowChange("insert", "test", "table1", None, after={"tiny": "1"})),
        (
            {"payload.source.commit_ts": 2**64 - 1},
            RowChange("insert", "test", "table1", 2**64 - 1, after={"tiny": "1"}),
        ),
        ({"payload.source.start_ts": 5}, RowChange("insert", "test", "table1", 1, after={"tiny": "1"}, start_ts=5)),
        ({"payload.source.start_ts": 0}, INSERT),
        ({"payload.source.start_ts": -1}, INSERT),
        ({"payload.source.db": "", "payload.source.table": ""}, RowChange("insert", "", "", 1, after={"tiny": "1"})),
    ],
)
def test_a_row_message_becomes_a_row_event(changes: dict[str, Any], event: RowChange) -> None:
    assert decode_one(changed(changes)) == event


def test_a_statement_has_neither_action_nor_tables() -> None:
    payload = {"ddl": "DROP TABLE t", "databaseName": "test", "schemaName": None, "tableChanges": []}
    message = changed({"payload": {"source": {"db": "test", "table": "t", "commit_ts": 7}, **payload}})
    key = {"payload": {"databaseName": "test"}, "schema": {}}
    assert decode_one(message, key=key) == DdlEvent("test", "t", "DROP TABLE t", commit_ts=7)


def test_a_watermark_has_its_time() -> None:
    message = changed({"payload": {"source": {"db": "", "table": "", "commit_ts": 3}, "op": "m"}})
    assert decode_one(message, key={"payload": {}}) == Watermark(3)


def test_a_tombstone_is_no_event() -> None:
    assert Decoder().decode([Record(b"{}", None), Record(None, None)]) == []


def test_a_truncation_of_the_imitated_connector_is_not_in_the_model() -> None:
    with pytest.raises(Unsupported):
        decode_one(changed({"payload.op": "t", "payload.after": None}))


# Types

# Members of a column's schema, what stands in the payload, the value when the schema alone is known.
DECLARED: list[tuple[dict[str, Any], Any, Value]] = [
    ({"type": "boolean"}, True, "1"),
    ({"type": "int16"}, -5, "-5"),
    ({"type": "int32"}, 2**31 - 1, "2147483647"),
    ({"type": "int64"}, -1, "-1"),
    ({"type": "int64", "tidb_type": "bigint unsigned"}, -1, "18446744073709551615"),
    ({"type": "int64", "tidb_type": "int unsigned"}, 2**32 - 1, "4294967295"),
    ({"type": "float"}, 1.5, "1.5"),
    ({"type": "double"}, 12, "12"),
    ({"type": "double", "tidb_type": "double"}, 1e35, "1e+35"),
    ({"type": "double", "tidb_type": "float"}, 5.61, "5.61"),
    ({"type": "double", "tidb_type": "decimal"}, 1e-30, "0.000000000000000000000000000001"),
    ({"type": "string"}, "x", "x"),
    ({"type": "string", "tidb_type": "varbinary"}, "/+++", b"\xff\xef\xbe"),
    ({"type": "string", "tidb_type": "blob"}, "_---", b"\xff\xef\xbe"),
    ({"type": "bytes"}, "/+++", b"\xff\xef\xbe"),
    (named("bytes", "data.Bits", length="10"), "QgE=", "322"),
    (named("bytes", "data.Bits", "bit", length="64"), "//////////8=", "18446744073709551615"),
    (named("int32", "time.Date"), 19691, "2023-11-30"),
    (named("int32", "time.Date"), -354285, "1000-01-01"),
    (named("int64", "time.Timestamp"), 1701347696100, "2023-11-30 12:34:56.1"),
    (named("int64", "time.Timestamp", "datetime"), -100, "1969-12-31 23:59:59.9"),
    (named("int64", "time.MicroTimestamp"), -1, "1969-12-31 23:59:59.999999"),
    (named("int64", "time.MicroTime"), -100000, "-00:00:00.1"),
    (named("int64", "time.MicroTime"), 3020399000000, "838:59:59"),
    (named("string", "time.ZonedTimestamp"), "2023-11-30T12:34:56.10Z", "2023-11-30 12:34:56.10"),
    (named("string", "time.ZonedTimestamp"), "2023-11-30T12:34:56+01:00", "2023-11-30 11:34:56"),
    (named("int32", "time.Year"), 0, "0"),
    (named("int32", "time.Year"), "2024", "2024"),
    (named("string", "data.Enum", allowed="a,c\\,d"), "c,d", "c,d"),
    (named("string", "data.EnumSet", allowed="a,b"), "a,b", "a,b"),
    (named("string", "data.EnumSet", allowed="a\\,b"), "a\\,b", "a\\,b"),
    (named("string", "data.Json"), '{"a": 1}', '{"a": 1}'),
    (named("string", "data.TiDBVectorFloat32"), "[1,2]", "[1,2]"),
    # The imitated connector, in its modes.
    (named("bytes", "connect.Decimal", scale="5"), "SZUp2Q==", "12345.12345"),
    (named("bytes", "connect.Decimal", scale="3"), "98E=", "-2.111"),
    (named("int32", "connect.Date"), 19691, "2023-11-30"),
    (named("int32", "connect.Time"), 45296100, "12:34:56.1"),
    (named("int64", "connect.Timestamp"), 1701347696100, "2023-11-30 12:34:56.1"),
    (named("array", "data.FloatVector"), [1, 2.5], "[1,2.5]"),
    (named("struct", "data.geometry.Point"), {"x": 1, "wkb": "AQ==", "srid": None}, b"\1"),
]


@pytest.mark.parametrize(("field", "given", "value"), DECLARED)
def test_without_a_table_the_schema_determines_the_type(field: dict[str, Any], given: Any, value: Value) -> None:
    assert _after(column_message(field, given)) == value


# Column type, what stands in the payload, the value when the table alone is known.
KNOWN: list[tuple[str, Any, Value]] = [
    ("bit(1)", True, "1"),
    ("bit(10)", "QgE=", "322"),
    ("tinyint unsigned", 255, "255"),
    ("bigint unsigned", -4000000000000000001, "14446744073709551615"),
    ("decimal(10,2)", 1.5, "1.50"),
    ("decimal(10,2)", -0.0, "0.00"),
    ("decimal(10,0)", 5, "5"),
    ("decimal(30,30)", 1, "1." + "0" * 30),
    ("decimal(65,0)", 1e65, "1" + "0" * 65),
    ("decimal(65,30)", 1e35, "1" + "0" * 35 + "." + "0" * 30),
    ("float(10,2)", 5.61, "5.61"),
    ("varbinary(3)", "/+++", b"\xff\xef\xbe"),
    ("date", 0, "1970-01-01"),
    ("datetime", 1701347696000, "2023-11-30 12:34:56"),
    ("datetime(3)", 1701347696100, "2023-11-30 12:34:56.100"),
    ("datetime(5)", 1700138096123460, "2023-11-16 12:34:56.12346"),
    ("time(2)", -100000, "-00:00:00.10"),
    ("timestamp(2)", "2001-09-09T01:46:40.00Z", "2001-09-09 01:46:40.00"),
    ("timestamp(2)", "1970-01-01T00:00:00Z", "1970-01-01 00:00:00.00"),
    ("year", 2155, "2155"),
    ("enum('a','b')", "b", "b"),
    ("enum('a','b')", "", Index(0)),
    ("set('a','b')", "", ""),
    ("json", "[1]", "[1]"),
    ("vector(2)", "[1,2]", "[1,2]"),
    ("text", None, None),
]


@pytest.mark.parametrize(("kind", "given", "value"), KNOWN)
def test_without_a_schema_the_table_determines_the_type(kind: str, given: Any, value: Value) -> None:
    message = without_schema({"payload.after": {"c": given}, "payload.source.table": "t"})
    assert _after(message, one_column(kind)) == value


@pytest.mark.parametrize(
    ("given", "value"), [(None, None), (True, "1"), (5, "5"), (1.5, "1.5"), ("x", "x"), (2**63, "9223372036854775808")]
)
def test_without_schema_and_table_a_value_is_its_text(given: Any, value: Value) -> None:
    assert _after(without_schema({"payload.after": {"c": given}})) == value


def test_a_table_that_a_silent_statement_changed_is_not_believed() -> None:
    assert _after(column_message({"type": "string"}, "now a text"), TABLE_C) == "now a text"
    assert _after(column_message({"type": "int32"}, 5), TABLE1) == "5"
    assert _after(without_schema({"payload.after": {"c": 5}}), TABLE1) == "5"


def test_a_statement_makes_the_decoder_forget_its_table() -> None:
    def statement(table: str, changes: list[Any]) -> Record:
        payload = {"ddl": "x", "databaseName": "test", "tableChanges": changes}
        return Record(None, compact({"payload": {"source": {"db": "test", "table": table}, **payload}}))

    row = Record(None, compact(without_schema({"payload.after": {"c": -1}})))
    table = Table("test", "table1", (Column("c", parse_column_type("bigint unsigned")),))
    change = {"type": "ALTER", "id": "x", "table": None}
    for first, value in (
        (statement("table1", [change]), "-1"),
        (statement("", []), "-1"),
        (statement("other", [change]), str(2**64 - 1)),
        (statement("table1", []), str(2**64 - 1)),
    ):
        _, event = Decoder().decode([first, row], [table])
        assert isinstance(event, RowChange)
        assert event.after == {"c": value}


@pytest.mark.parametrize(
    ("zone", "text"),
    [("+05:30", "2024-02-29 12:34:56"), ("-08:00", "2024-02-28 23:04:56"), ("UTC", "2024-02-29 07:04:56")],
)
def test_a_timestamp_is_shown_in_the_configured_zone(zone: str, text: str) -> None:
    field = named("string", "time.ZonedTimestamp")
    assert _after(column_message(field, "2024-02-29T07:04:56Z"), timezone=zone) == text


def test_a_column_declared_twice_alike_is_read_once() -> None:
    twice = changed()["schema"]["fields"][0]["fields"] * 2
    assert decode_one(changed({"schema.fields.0.fields": twice, "schema.fields.1.fields": twice})) == INSERT


def test_a_declared_column_may_be_missing_from_the_row() -> None:
    fields = [*changed()["schema"]["fields"][0]["fields"], {"field": "v", "type": "int32", "optional": True}]
    message = changed({"schema.fields.0.fields": fields, "schema.fields.1.fields": fields})
    assert decode_one(message, key={"payload": {"tiny": 1, "v": 2}}) == INSERT


def test_of_a_binary_default_written_twice_the_first_counts() -> None:
    field = {"type": "string", "tidb_type": "varbinary"}
    text = compact(column_message(field, "?")).replace(
        b'"c":"?"', b'"c":"' + b64encode("bé".encode()) + '","c":"bé"'.encode()
    )
    assert _after(text) == "bé".encode()


def test_rows_after_the_first_of_a_schema_are_read_alike() -> None:
    records = [Record(b'{"payload":{"tiny":1}}', compact(changed())) for _ in range(3)]
    assert Decoder().decode(records) == [INSERT] * 3
    assert Decoder().decode(records, [TABLE1]) == [INSERT] * 3


def test_a_new_table_version_is_taken_for_rows_of_a_known_schema() -> None:
    decoder = Decoder()
    record = Record(None, compact(without_schema({"payload.after": {"c": -1}})))
    unsigned = Table("test", "table1", (Column("c", parse_column_type("bigint unsigned")),))
    values = []
    for tables in ((TABLE_C,), (unsigned,), (TABLE_C,)):
        [event] = decoder.decode([record], tables)
        assert isinstance(event, RowChange)
        values.append((event.after or {})["c"])
    assert values == ["-1", str(2**64 - 1), "-1"]


# Messages as the imitated connector writes them.

_NATIVE_SOURCE = {
    "version": "2.4.0.Final", "connector": "mysql", "name": "dbz", "ts_ms": 1795248529000, "snapshot": "last",
    "db": "cap", "sequence": None, "table": "t", "server_id": 1, "gtid": None, "file": "binlog.000001", "pos": 4,
    "row": 0, "thread": None, "query": None,
}  # fmt: skip


@pytest.mark.parametrize("bare", [True, False])
def test_a_row_of_the_imitated_connector_has_no_commit_time(bare: bool) -> None:
    row = {"before": None, "after": {"id": 1}, "source": _NATIVE_SOURCE, "op": "r", "ts_ms": 1, "transaction": None}
    struct = [{"type": "int32", "optional": False, "field": "id"}]
    schema = {"type": "struct", "fields": [{"type": "struct", "fields": struct, "field": "after"}]}
    message = row if bare else {"schema": schema, "payload": row}
    key = {"id": 1} if bare else {"schema": {"type": "struct"}, "payload": {"id": 1}}
    assert decode_one(message, key=key) == RowChange("read", "cap", "t", None, after={"id": "1"})


def test_a_statement_of_the_imitated_connector_may_lack_a_table() -> None:
    source = {**_NATIVE_SOURCE, "table": None}
    message = {"source": source, "ts_ms": 1, "databaseName": "cap", "ddl": "create database cap", "tableChanges": []}
    assert decode_one(message, key={"databaseName": "cap"}) == DdlEvent("cap", "", "create database cap")
