"""What a Debezium JSON decoder must refuse, one fault at a time, and for which class."""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.debezium_json import Decoder, Options
from reference_impl.errors import Rejected
from reference_impl.model import Column, Record, Table
from tests.unit.debezium_json.messages import OMIT, changed, column_message, compact, refusal, without_schema

KEY = {"payload": {"tiny": 1}, "schema": {"type": "struct"}}
_SOURCE = {"db": "test", "table": "t", "commit_ts": 1}
_STATEMENT = {
    "payload": {
        "source": _SOURCE,
        "ts_ms": 1,
        "databaseName": "test",
        "schemaName": None,
        "ddl": "DROP TABLE t",
        "tableChanges": [{"type": "DROP", "id": "x", "table": None}],
    }
}
_WATERMARK = {
    "payload": {"source": {"db": "", "table": "", "commit_ts": 3}, "ts_ms": 1, "transaction": None, "op": "m"}
}


@pytest.mark.parametrize(("key", "value"), [(None, b""), (b"", compact(changed())), (b"", b"")])
def test_no_bytes_are_a_framing_fault(key: bytes | None, value: bytes) -> None:
    with pytest.raises(Rejected) as caught:
        Decoder().decode([Record(key, value)])
    assert caught.value.reason == "framing"


NOT_JSON = [
    b"{",
    b"nonsense",
    b"{}{}",
    b'\xef\xbb\xbf{"payload":{}}',
    b'{"payload":NaN}',
    b'{"payload":01}',
    b'{"payload":{},}',
    b"{'payload':{}}",
    b'{"payload":"\x01"}',
    b'{"payload":"\xff"}',
    b'{"payload":"\\ud800"}',
    b'{"payload":"\\x"}',
    compact(changed())[:-1],
    compact(changed()) + b"}",
]


@pytest.mark.parametrize("data", NOT_JSON)
def test_what_is_not_json_is_a_syntax_fault_in_the_value_and_in_the_key(data: bytes) -> None:
    assert refusal(data) == "syntax"
    assert refusal(changed(), key=data) == "syntax"
    assert refusal(b'{"payload":{},"payload":{}}', key=data) == "syntax"


@pytest.mark.parametrize("kind", ["lz4", "snappy"])
def test_a_value_that_is_not_compressed_as_configured_is_a_syntax_fault(kind: str) -> None:
    assert refusal(changed(), options=Options(large_message_handle_compression=kind)) == "syntax"


@pytest.mark.parametrize("value", [[], "x", 1, None, {}, {"schema": {}}, {"payload": None}, {"payload": []}])
def test_a_value_without_a_payload_is_a_schema_fault(value: Any) -> None:
    assert refusal(compact(value)) == "schema"


@pytest.mark.parametrize("schema", [None, [], "x", 5, {}, {"fields": {}}, {"type": "struct", "fields": []}])
def test_a_schema_that_is_none_is_a_schema_fault(schema: Any) -> None:
    assert refusal(changed({"schema": schema})) == "schema"


# What is replaced in the insert of a row, and the class; without and with a schema.
ROW_FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("schema", {"payload.source": OMIT}),
    ("schema", {"payload.source": None}),
    ("schema", {"payload.source.db": OMIT}),
    ("schema", {"payload.source.db": None}),
    ("schema", {"payload.source.db": 5}),
    ("schema", {"payload.source.db": []}),
    ("schema", {"payload.source.table": {}}),
    ("schema", {"payload.source.table": OMIT}),
    ("schema", {"payload.source.table": None}),
    ("schema", {"payload.source.name": 1}),
    ("schema", {"payload.source.cluster_id": None}),
    ("schema", {"payload.source.commit_ts": None}),
    ("schema", {"payload.source.commit_ts": "1"}),
    ("schema", {"payload.source.commit_ts": True}),
    ("schema", {"payload.source.start_ts": "1"}),
    ("schema", {"payload.source.ts_ms": []}),
    ("schema", {"payload.ts_ms": "1"}),
    ("schema", {"payload.op": OMIT}),
    ("schema", {"payload.op": None}),
    ("schema", {"payload.op": 1}),
    ("schema", {"payload.after": OMIT}),
    ("schema", {"payload.after": []}),
    ("schema", {"payload.before": "x"}),
    ("schema", {"payload.op": "d", "payload.before": OMIT, "payload.after": None}),
    ("schema", {"payload.op": "u", "payload.after": OMIT}),
    ("type", {"payload.op": "x"}),
    ("type", {"payload.op": "C"}),
    ("type", {"payload.op": ""}),
    ("type", {"payload.source.commit_ts": 1.5}),
    ("type", {"payload.ts_ms": 0.5}),
    ("range", {"payload.source.commit_ts": -1}),
    ("range", {"payload.source.commit_ts": 2**64}),
    ("range", {"payload.source.start_ts": -2}),
    ("range", {"payload.source.ts_ms": -1}),
    ("range", {"payload.ts_ms": 2**63}),
    ("semantics", {"payload.before": {"tiny": 1}}),
    ("semantics", {"payload.after": None}),
    ("semantics", {"payload.op": "r", "payload.before": {"tiny": 1}}),
    ("semantics", {"payload.op": "d", "payload.before": {"tiny": 1}}),
    ("semantics", {"payload.op": "d", "payload.before": None, "payload.after": None}),
    ("semantics", {"payload.op": "u", "payload.after": None}),
]


@pytest.mark.parametrize(("reason", "changes"), ROW_FAULTS)
def test_a_faulty_row_message_is_refused_with_and_without_schema(reason: str, changes: dict[str, Any]) -> None:
    assert refusal(changed(changes)) == reason
    assert refusal(without_schema(changes)) == reason


@pytest.mark.parametrize(("reason", "changes"), ROW_FAULTS)
def test_a_faulty_row_is_refused_also_when_good_rows_of_its_table_came_before(
    reason: str, changes: dict[str, Any]
) -> None:
    good, bad = Record(None, compact(changed())), Record(None, compact(changed(changes)))
    with pytest.raises(Rejected) as caught:
        Decoder().decode([good, good, bad])
    assert caught.value.reason == reason


@pytest.mark.parametrize("member", ["payload", "schema", "op", "after", "tiny", "commit_ts", "field"])
def test_a_doubled_member_is_a_schema_fault(member: str) -> None:
    name = f'"{member}":'.encode()
    before, found, after = compact(changed()).partition(name)
    assert refusal(before + found + b'"YQ==",' + found + after) == "schema"


@pytest.mark.parametrize(
    "members",
    [b'"c":"YQ==","c":"b"', b'"c":"YQ==","c":"a","c":"a"', b'"c":"a","c":"YQ=="', b'"c":"YQ==","c":1', b'"c":1,"c":1'],
)
def test_a_doubled_column_is_a_schema_fault_unless_it_is_a_binary_default(members: bytes) -> None:
    text = compact(column_message({"type": "string", "tidb_type": "blob"}, "?"))
    assert refusal(text.replace(b'"c":"?"', members)) == "schema"


def test_a_binary_default_twice_outside_of_a_row_is_a_schema_fault() -> None:
    text = compact(changed()).replace(b'"db":"test"', b'"db":"dGVzdA==","db":"test"')
    assert refusal(text) == "schema"


# What is replaced in the schema of the row, and the class.
_ANY = {"field": "tiny", "type": "int16", "optional": False}
_DECIMAL = {"type": "bytes", "name": "org.apache.kafka.connect.data.Decimal"}


def _declared(*fields: Any) -> dict[str, Any]:
    return {"schema.fields.0.fields": list(fields), "schema.fields.1.fields": list(fields)}


SCHEMA_FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("schema", {"schema.type": "map"}),
    ("schema", {"schema.fields": None}),
    ("schema", {"schema.fields.2": 5}),
    ("schema", {"schema.fields.2": {"type": "string"}}),
    ("schema", {"schema.fields.1.fields": OMIT}),
    ("schema", {"schema.fields.1.fields": {}}),
    ("schema", _declared(5)),
    ("schema", _declared({"type": "int16"})),
    ("schema", _declared({"field": "tiny"})),
    ("schema", _declared(_ANY | {"field": 1})),
    ("schema", _declared(_ANY | {"type": 16})),
    ("schema", _declared(_ANY | {"optional": "no"})),
    ("schema", _declared(_ANY | {"name": None})),
    ("schema", _declared(_ANY | {"tidb_type": 5})),
    ("schema", _declared(_ANY | {"parameters": []})),
    ("schema", _declared(_ANY, _ANY | {"optional": True})),
    ("schema", _declared({"field": "other", "type": "int16"})),
    ("schema", _declared()),
    ("schema", _declared(_ANY | {"type": "string", "name": "io.debezium.data.Enum"})),
    ("schema", _declared(_ANY | {"type": "bytes", "name": "io.debezium.data.Bits", "parameters": {"length": 5}})),
    ("type", _declared(_ANY | {"type": "int8"})),
    ("type", _declared(_ANY | {"type": "INT16"})),
    ("type", _declared(_ANY | {"name": "io.debezium.time.Date"})),
    ("type", _declared(_ANY | {"type": "int32", "name": "io.debezium.time.Dates"})),
    ("type", _declared(_ANY | {"tidb_type": "tiny"})),
    ("type", _declared(_ANY | {"tidb_type": "tinyint(1)"})),
    ("type", _declared(_ANY | {"tidb_type": "TINYINT"})),
    ("type", _declared(_ANY | {"tidb_type": "point"})),
    ("type", _declared(_ANY | {"tidb_type": "decimal unsigned"})),
    ("type", _declared(_ANY | {"tidb_type": "bigint"})),
    ("type", _declared(_ANY | {"tidb_type": "varchar"})),
    ("type", _declared(_ANY | {"type": "bytes", "name": "io.debezium.data.Bits", "parameters": {"length": "x"}})),
    ("range", _declared(_ANY | {"type": "bytes", "name": "io.debezium.data.Bits", "parameters": {"length": "65"}})),
    ("type", _declared(_ANY | _DECIMAL | {"parameters": {"scale": "-1"}})),
    ("range", _declared(_ANY | _DECIMAL | {"parameters": {"scale": "31"}})),  # no DECIMAL has more than 30
    ("semantics", {"schema.fields.0.fields": [_ANY, {"field": "more", "type": "int16"}]}),
]


@pytest.mark.parametrize(("reason", "changes"), SCHEMA_FAULTS)
def test_a_faulty_schema_is_refused(reason: str, changes: dict[str, Any]) -> None:
    # An empty string is no value of bits, so that only the schema is at fault or comes first.
    message = changed({"payload.after": {"tiny": "AA=="}, **changes}) if reason == "range" else changed(changes)
    assert refusal(message) == reason


def test_null_where_the_schema_does_not_allow_it_is_a_type_fault() -> None:
    assert refusal(changed({"payload.after": {"tiny": None}})) == "type"


# Members of a column's schema, what stands in the payload, the class.
VALUE_FAULTS: list[tuple[dict[str, Any], Any, str]] = [
    ({"type": "boolean"}, 1, "type"),
    ({"type": "int16"}, "1", "type"),
    ({"type": "int16"}, True, "type"),
    ({"type": "int16"}, 1.5, "type"),
    ({"type": "int16"}, [], "type"),
    ({"type": "int16"}, 2**15, "range"),
    ({"type": "int16", "tidb_type": "tinyint"}, 128, "range"),
    ({"type": "int16", "tidb_type": "tinyint unsigned"}, -1, "range"),
    ({"type": "int32"}, -(2**31) - 1, "range"),
    ({"type": "int64"}, 2**63, "range"),
    ({"type": "int64", "tidb_type": "bigint unsigned"}, 2**64, "range"),
    ({"type": "int64", "tidb_type": "bigint unsigned"}, -(2**63) - 1, "range"),
    ({"type": "int64", "tidb_type": "int unsigned"}, -1, "range"),
    ({"type": "float"}, "1.5", "type"),
    ({"type": "float"}, 1e39, "range"),
    ({"type": "double", "tidb_type": "double unsigned"}, -1.5, "range"),
    ({"type": "double"}, False, "type"),
    ({"type": "double", "tidb_type": "decimal"}, "1.5", "type"),
    ({"type": "string"}, 1, "type"),
    ({"type": "string", "tidb_type": "blob"}, "YQ", "type"),
    ({"type": "string", "tidb_type": "blob"}, "Y Q=", "type"),
    ({"type": "bytes"}, "_w==", "type"),
    ({"type": "bytes", "name": "io.debezium.data.Bits", "parameters": {"length": "9"}}, "AA==", "type"),
    ({"type": "bytes", "name": "io.debezium.data.Bits", "parameters": {"length": "9"}}, "AAI=", "range"),
    ({"type": "bytes", "name": "io.debezium.data.Bits", "parameters": {"length": "9"}}, True, "type"),
    ({"type": "int32", "name": "io.debezium.time.Date"}, "2024-01-01", "type"),
    ({"type": "int32", "name": "io.debezium.time.Date"}, 2932897, "range"),
    ({"type": "int32", "name": "io.debezium.time.Date"}, -719163, "range"),
    ({"type": "int64", "name": "io.debezium.time.Timestamp"}, 253402300800000, "range"),
    ({"type": "int64", "name": "io.debezium.time.MicroTimestamp"}, 2**63 - 1, "range"),
    ({"type": "int64", "name": "io.debezium.time.MicroTimestamp"}, 1.5, "type"),
    ({"type": "int64", "name": "io.debezium.time.MicroTime"}, 3020399000001, "range"),
    ({"type": "int64", "name": "io.debezium.time.MicroTime"}, "1", "type"),
    ({"type": "string", "name": "io.debezium.time.ZonedTimestamp"}, "2024-01-01 00:00:00", "type"),
    ({"type": "string", "name": "io.debezium.time.ZonedTimestamp"}, "2024-01-01T00:00:00", "type"),
    ({"type": "string", "name": "io.debezium.time.ZonedTimestamp"}, "2024-13-01T00:00:00Z", "range"),
    ({"type": "string", "name": "io.debezium.time.ZonedTimestamp"}, 5, "type"),
    ({"type": "int32", "name": "io.debezium.time.Year"}, 1900, "range"),
    ({"type": "int32", "name": "io.debezium.time.Year"}, "x", "type"),
    ({"type": "string", "name": "io.debezium.data.Enum", "parameters": {"allowed": "a,b"}}, "c", "range"),
    ({"type": "string", "name": "io.debezium.data.Enum", "parameters": {"allowed": "a,b"}}, 1, "type"),
    ({"type": "string", "name": "io.debezium.data.EnumSet", "parameters": {"allowed": "a,b"}}, "a,c", "range"),
    ({"type": "string", "name": "io.debezium.data.Json"}, "{", "type"),
    ({"type": "string", "name": "io.debezium.data.Json"}, {}, "type"),
    ({"type": "string", "name": "io.debezium.data.TiDBVectorFloat32"}, "1,2", "type"),
    ({"type": "array", "name": "io.debezium.data.FloatVector"}, "[1]", "type"),
    ({"type": "struct", "name": "io.debezium.data.geometry.Geometry"}, {}, "type"),
]


@pytest.mark.parametrize(("field", "given", "reason"), VALUE_FAULTS)
def test_a_value_that_its_schema_does_not_allow_is_refused(field: dict[str, Any], given: Any, reason: str) -> None:
    assert refusal(column_message(field, given)) == reason


def test_a_double_beyond_all_doubles_is_out_of_range() -> None:
    for field in ({"type": "double"}, {"type": "double", "tidb_type": "decimal"}):
        assert refusal(compact(column_message(field, 0)).replace(b'"c":0', b'"c":1e400')) == "range"


# Column type of a table without schema, what stands in the payload, the class.
@pytest.mark.parametrize(
    ("kind", "given", "reason"),
    [
        ("varchar(2)", "abc", "range"),
        ("binary(2)", "YWJj", "range"),
        ("decimal(5,2)", 1.234, "type"),
        ("decimal(5,2)", 1000, "range"),
        ("decimal(5,2) unsigned", -1, "range"),
        ("datetime", 1, "type"),
        ("datetime(4)", 1, "type"),
        ("time(1)", 10000, "type"),
        ("timestamp(2)", "2024-01-01T00:00:00Z", "type"),
        ("timestamp(2)", "2024-01-01T00:00:00.123Z", "type"),
        ("bit(1)", "AQ==", "type"),
        ("bit(2)", True, "type"),
        ("bit(2)", "AQE=", "type"),
        ("enum('a')", "b", "range"),
        ("vector(2)", "[1]", "range"),
        ("int", {}, "type"),
        ("json", 1, "type"),
    ],
)
def test_a_value_that_its_table_does_not_allow_is_refused(kind: str, given: Any, reason: str) -> None:
    table = Table("test", "table1", (Column("c", parse_column_type(kind)),))
    assert refusal(without_schema({"payload.after": {"c": given}}), table) == reason


@pytest.mark.parametrize("given", [[], {}, [1]])
def test_a_value_that_is_none_in_any_type_is_refused(given: Any) -> None:
    assert refusal(without_schema({"payload.after": {"c": given}})) == "type"


# What is replaced in the key of the row, and the class.
@pytest.mark.parametrize(
    ("reason", "key"),
    [
        ("schema", []),
        ("schema", {}),
        ("schema", {"tiny": 1}),
        ("schema", {"payload": None}),
        ("schema", {"payload": [], "schema": {}}),
        ("schema", {"payload": {"tiny": 1}, "schema": None}),
        ("schema", {"payload": {"tiny": 1}, "schema": "x"}),
        ("semantics", {"payload": {"tiny": 2}}),
        ("semantics", {"payload": {"tiny": "1"}}),
        ("semantics", {"payload": {"tiny": True}}),
        ("semantics", {"payload": {"tiny": 1, "more": 1}}),
        ("semantics", {"payload": {"tiny": None}}),
    ],
)
def test_a_key_that_is_none_or_contradicts_the_row_is_refused(reason: str, key: Any) -> None:
    assert refusal(changed(), key=key) == reason
    assert refusal(without_schema(), key=key) == reason
    records = [Record(compact(KEY), compact(changed())) for _ in range(2)]
    with pytest.raises(Rejected) as caught:
        Decoder().decode([*records, Record(compact(key), compact(changed()))])
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("reason", "changes"),
    [
        ("schema", {"payload.source": OMIT}),
        ("schema", {"payload.ddl": OMIT}),
        ("schema", {"payload.ddl": None}),
        ("schema", {"payload.ddl": 5}),
        ("schema", {"payload.databaseName": 5}),
        ("schema", {"payload.tableChanges": OMIT}),
        ("schema", {"payload.tableChanges": {}}),
        ("schema", {"payload.tableChanges": [5]}),
        ("schema", {"payload.tableChanges.0.type": OMIT}),
        ("schema", {"payload.tableChanges.0.id": None}),
        ("schema", {"payload.tableChanges.0.table": "x"}),
        ("type", {"payload.tableChanges.0.type": "RENAME"}),
        ("range", {"payload.source.commit_ts": 2**64}),
        ("semantics", {"payload.ddl": ""}),
        ("semantics", {"payload.databaseName": "other"}),
    ],
)
def test_a_faulty_statement_is_refused(reason: str, changes: dict[str, Any]) -> None:
    assert refusal(changed(changes, base=_STATEMENT)) == reason


@pytest.mark.parametrize(
    ("reason", "key"),
    [
        ("schema", {"payload": {}}),
        ("schema", {"payload": {"databaseName": None}}),
        ("semantics", {"payload": {"databaseName": "other"}}),
    ],
)
def test_the_key_of_a_statement_names_its_database(reason: str, key: Any) -> None:
    assert refusal(_STATEMENT, key=key) == reason


@pytest.mark.parametrize(
    ("reason", "changes"),
    [
        ("schema", {"payload.source.commit_ts": OMIT}),
        ("schema", {"payload.source.db": OMIT}),
        ("type", {"payload.source.commit_ts": 1.5}),
        ("range", {"payload.source.commit_ts": -1}),
        ("semantics", {"payload.after": {}}),
        ("semantics", {"payload.before": {"a": 1}}),
        ("semantics", {"payload.source.db": "test"}),
        ("semantics", {"payload.source.table": "t"}),
    ],
)
def test_a_faulty_watermark_is_refused(reason: str, changes: dict[str, Any]) -> None:
    assert refusal(changed(changes, base=_WATERMARK)) == reason


# Two faults in one message: the class that is looked for first is the right one.
@pytest.mark.parametrize(
    ("reason", "changes"),
    [
        ("schema", {"payload.op": "x", "payload.source.db": 5}),
        ("schema", {"payload.op": "x", "schema.fields": 5}),
        ("schema", {"payload.before": [], "payload.after": {"tiny": "x"}}),
        ("schema", {"payload.after": {"tiny": 2**20, "other": 1}}),
        ("type", {"payload.after": {"tiny": "x"}, "payload.source.commit_ts": -1}),
        ("type", {"payload.before": {"tiny": "x"}}),
        ("range", {"payload.before": {"tiny": 2**20}}),
        ("range", {"payload.after": None, "payload.ts_ms": -1}),
    ],
)
def test_of_two_faults_the_class_that_comes_first_counts(reason: str, changes: dict[str, Any]) -> None:
    assert refusal(changed(changes)) == reason
    assert refusal(changed(changes), key={"payload": {"tiny": 7}}) == reason
