"""Messages that a Debezium JSON decoder must refuse, one fault at a time, and for which class; not those of columns."""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.debezium_json import Decoder, Options
from reference_impl.errors import Rejected
from reference_impl.model import Record, RowChange
from tests.unit.debezium_json.messages import (
    OMIT,
    changed,
    column_message,
    compact,
    decode_one,
    refusal,
    without_schema,
)

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
def test_a_malformed_schema_is_a_schema_fault(schema: Any) -> None:
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


# Members of the payload, their numbers, and what the event has of them.
@pytest.mark.parametrize(
    ("name", "given", "times"),
    [
        *(("ts_ms", given, (1, None)) for given in (0, 2**63 - 1, None)),
        *(("source.ts_ms", given, (1, None)) for given in (0, 2**63 - 1, None)),
        *(("source.commit_ts", given, (given, None)) for given in (0, 1, 2**64 - 1)),
        *(("source.start_ts", given, (1, None)) for given in (-1, 0, None)),
        *(("source.start_ts", given, (1, given)) for given in (1, 2**64 - 1)),
    ],
)
def test_the_first_and_the_last_number_of_a_member_are_read(
    name: str, given: int | None, times: tuple[int, int | None]
) -> None:
    for message in (changed({f"payload.{name}": given}), without_schema({f"payload.{name}": given})):
        event = decode_one(message)
        assert isinstance(event, RowChange)
        assert (event.commit_ts, event.start_ts) == times


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
def test_a_malformed_key_or_one_that_contradicts_the_row_is_refused(reason: str, key: Any) -> None:
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
