"""Messages and values of columns that a Debezium JSON decoder must refuse, one fault at a time, and for which class."""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, RowChange, Table
from tests.unit.debezium_json.messages import (
    changed,
    column_message,
    compact,
    decode_one,
    named,
    refusal,
    without_schema,
)

NOT_JSON = [b"nonsense", b'{"payload":NaN}', b'{"payload":"\xff"}', b'{"payload":"\\ud800"}', compact(changed()) + b"}"]


@pytest.mark.parametrize("data", NOT_JSON)
def test_what_is_not_json_is_a_syntax_fault_in_the_value_and_in_the_key(data: bytes) -> None:
    assert refusal(data) == "syntax"
    assert refusal(changed(), key=data) == "syntax"
    assert refusal(b'{"payload":{},"payload":{}}', key=data) == "syntax"


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


# Members of a column's schema, what stands in the payload, the class.
VALUE_FAULTS: list[tuple[dict[str, Any], Any, str]] = [
    ({"type": "int16"}, 2**15, "range"),
    ({"type": "int32"}, -(2**31) - 1, "range"),
    ({"type": "float"}, 1e39, "range"),
    (named("int32", "time.Date"), 2932897, "range"),
    (named("int32", "time.Date"), -719163, "range"),
    (named("int64", "time.Timestamp"), 253402300800000, "range"),
    (named("int64", "time.MicroTimestamp"), 2**63 - 1, "range"),
    (named("int64", "time.MicroTime"), 3020399000001, "range"),
    (named("string", "time.ZonedTimestamp"), "2024-01-01 00:00:00", "type"),
    (named("string", "time.ZonedTimestamp"), "2024-01-01T00:00:00", "type"),
    (named("string", "time.ZonedTimestamp"), "2024-13-01T00:00:00Z", "range"),
    (named("int32", "time.Year"), 1900, "range"),
    (named("int32", "time.Year"), "x", "type"),
    (named("string", "data.EnumSet", allowed="a,b"), "a,c", "range"),
    (named("string", "data.Json"), "{", "type"),
    (named("string", "data.TiDBVectorFloat32"), "1,2", "type"),
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
        ("datetime", 1, "type"),
        ("datetime(4)", 1, "type"),
        ("time(1)", 10000, "type"),
        ("timestamp(2)", "2024-01-01T00:00:00Z", "type"),
        ("timestamp(2)", "2024-01-01T00:00:00.123Z", "type"),
        ("bit(1)", "AQ==", "type"),
        ("bit(2)", True, "type"),
        ("vector(2)", "[1]", "range"),
    ],
)
def test_a_value_that_its_table_does_not_allow_is_refused(kind: str, given: Any, reason: str) -> None:
    table = Table("test", "table1", (Column("c", parse_column_type(kind)),))
    assert refusal(without_schema({"payload.after": {"c": given}}), table) == reason


@pytest.mark.parametrize("given", [[], {}, [1]])
def test_a_value_of_no_type_is_refused(given: Any) -> None:
    assert refusal(without_schema({"payload.after": {"c": given}})) == "type"
