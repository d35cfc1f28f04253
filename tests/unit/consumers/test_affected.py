"""Which consumers a fault of an encoder hurts, in words without values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from conformance.consumers.affected import Sent, affected_consumers
from reference_impl.model import Record, RowChange
from reference_impl.options import parse
from reference_impl.protocols import CODECS
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings
from reference_impl.wire import table_from_json
from tests.unit.consumers.shown import table

TABLE, AVRO_TABLE = (table_from_json(table(v=type_)) for type_ in ("decimal(10,2)", "varchar(9)"))
RIGHT: Mapping[str, Any] = {
    "database": "test",
    "table": "t",
    "isDdl": False,
    "type": "INSERT",
    "mysqlType": {"id": "int", "v": "decimal(10,2)"},
    "data": [{"id": "1", "v": "1.50"}],
    "old": None,
}


def record(tree: Mapping[str, Any]) -> Record:
    return Record(key=None, value=json.dumps(tree).encode())


def effects(wrong: Mapping[str, Any]) -> dict[str, str]:
    return dict(affected_consumers("canal-json", [TABLE], Sent([record(RIGHT)]), Sent([record(wrong)])))


FAULTS = {
    "a lost digit": ({"data": [{"id": "1", "v": "1.40"}]}, "reads another value in v without an error"),
    "a lost value": ({"data": [{"id": "1"}]}, "reads NULL in v without an error"),
    "no number": ({"data": [{"id": "1", "v": "much"}]}, "fails on the message"),
    "another operation": ({"type": "DELETE"}, "reads a delete for an insert"),
    "a row too many": ({"data": [{"id": "1", "v": "1.50"}] * 2}, "reads 2 rows for 1"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_effect_of_a_fault_is_what_the_consumer_does_with_the_message(fault: str) -> None:
    wrong, effect = FAULTS[fault]
    assert effects(RIGHT | wrong)["flink@2.3.0"] == effect


def test_one_row_is_not_called_rows() -> None:
    two = Sent([record(RIGHT | {"data": RIGHT["data"] * 2})])
    found = dict(affected_consumers("canal-json", [TABLE], two, Sent([record(RIGHT)])))
    assert found["flink@2.3.0"] == "reads 1 row for 2"


def test_every_consumer_that_reads_the_protocol_is_affected() -> None:
    assert effects(RIGHT | FAULTS["a lost digit"][0]).keys() == {
        *("flink@2.3.0", "seatunnel@2.3.8", "paimon@1.3.1", "spark@4.1.1")
    }


def test_other_bytes_of_one_meaning_hurt_nobody() -> None:
    assert effects(dict(reversed(RIGHT.items()))) == {}


def test_who_fails_on_the_right_record_does_not_suffer() -> None:
    statement = {"database": "test", "table": "t", "isDdl": True, "type": "ALTER", "data": None, "sql": "ALTER"}
    assert (
        affected_consumers("canal-json", [TABLE], Sent([record(statement)]), Sent([record(statement | {"sql": "x"})]))
        == []
    )


def test_a_lost_envelope_is_no_row_for_a_job_that_is_set_up_for_it() -> None:
    row = {"op": "c", "before": None, "after": {"id": 1, "v": 1.5}}
    found = dict(affected_consumers("debezium", [TABLE], Sent([record({"payload": row})]), Sent([record(row)])))
    assert found["flink@2.3.0"] == "fails on the message"
    assert found["spark@4.1.1"] == "skips the message without an error"


def avro(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Sent:
    """What the reference sends of a change, and the schemas that it registers."""
    codec, registry = CODECS["avro"], MemoryRegistry()
    op = "insert" if before is None else "delete"
    encoder = codec.encoder(parse(codec.options, {}), settings=Settings(registry=registry))
    records = encoder.encode([RowChange(op, "test", "t", 1, before, after)], [AVRO_TABLE]).records
    return Sent(records, {one.id: one.schema for one in registry.requests})


def test_readers_of_avro_are_shown_each_record_with_its_own_schema() -> None:
    right, wrong = avro(None, {"id": "1", "v": "b"}), avro(None, {"id": "1", "v": "c"})
    found = dict(affected_consumers("avro", [AVRO_TABLE], right, wrong))
    assert found == dict.fromkeys(
        ("flink-avro@2.3.0", "connect-avro@2.6.13", "spark@4.1.1"), "reads another value in v without an error"
    )
    assert affected_consumers("avro", [AVRO_TABLE], right, right) == []


def test_from_avro_reads_nulls_where_the_schema_is_not_that_of_the_bytes() -> None:
    right = avro(None, {"id": "1", "v": "b"})
    shorter = {number: text.replace('"int"', '"string"') for number, text in right.schemas.items()}
    found = dict(affected_consumers("avro", [AVRO_TABLE], right, Sent(right.records, shorter)))
    assert found["spark@4.1.1"] == "reads NULL in id without an error"
    assert found["flink-avro@2.3.0"] == "fails on the message"


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "7", '{"type":"record"}'])
def test_a_schema_that_is_none_ends_no_judgement(text: str) -> None:
    right = avro(None, {"id": "1", "v": "b"})
    found = affected_consumers("avro", [AVRO_TABLE], right, Sent(right.records, dict.fromkeys(right.schemas, text)))
    assert {one.effect for one in found} <= {"fails on the message"}
    assert (
        affected_consumers("avro", [AVRO_TABLE], Sent(right.records, dict.fromkeys(right.schemas, text)), right) == []
    )


@pytest.mark.parametrize("kind", ["{}", '["null",{}]', "[{}]", '{{"type":"array","items":{}}}'])
@pytest.mark.parametrize("is_whole", [True, False], ids=["beside the columns", "alone"])
def test_a_schema_that_contains_itself_ends_no_process(kind: str, is_whole: bool) -> None:
    right = avro(None, {"id": "1", "v": "b"})
    schemas = {}
    for number, text in right.schemas.items():
        tree = json.loads(text)
        name = f"{tree['namespace']}.{tree['name']}"
        itself = {"name": "self", "type": json.loads(kind.format(f'"{name}"'))}
        schemas[number] = json.dumps({**tree, "fields": [itself, *(tree["fields"] if is_whole else ())]})
    for record in (right.records[0], replace(right.records[0], value=b"\0\0\0\0\2" + b"\2" * 1_000_000)):
        found = dict(affected_consumers("avro", [AVRO_TABLE], right, Sent([record], schemas)))
        assert found == ({} if is_whole else {"spark@4.1.1": "fails on the message"})  # which lacks the columns
    assert affected_consumers("avro", [AVRO_TABLE], Sent(right.records, schemas), right) == []


def test_a_schema_that_calls_itself_parsed_is_parsed() -> None:
    right = avro(None, {"id": "1", "v": "b"})
    x = {"type": "record", "name": "x", "fields": [{"name": "id", "type": "x"}]}
    marks = {"__fastavro_parsed": True, "__named_schemas": {"x": x}}
    text = json.dumps({**x, "name": "y", **marks})
    found = affected_consumers("avro", [AVRO_TABLE], right, Sent(right.records, dict.fromkeys(right.schemas, text)))
    assert {one.effect for one in found} == {"fails on the message"}


def test_a_deletion_that_names_another_key_hurts_who_deletes_by_the_key() -> None:
    right, wrong = avro({"id": "1", "v": "b"}, None), avro({"id": "2", "v": "b"}, None)
    assert (
        dict(affected_consumers("avro", [AVRO_TABLE], right, wrong))["spark@4.1.1"]
        == "reads another value in id without an error"
    )
