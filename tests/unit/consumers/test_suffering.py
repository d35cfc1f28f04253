"""Which consumers a fault of an encoder hurts, in words without values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from conformance.consumers.suffering import suffering
from reference_impl.model import Record
from reference_impl.wire import table_from_json

TABLE = table_from_json(
    {
        "schema": "test",
        "name": "t",
        "columns": [{"name": "id", "type": "int"}, {"name": "v", "type": "decimal(10,2)"}],
        "primary_key": ["id"],
    }
)
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
    return dict(suffering("canal-json", [TABLE], [record(RIGHT)], [record(wrong)]))


def test_a_lost_digit_is_read_without_an_error() -> None:
    found = effects(RIGHT | {"data": [{"id": "1", "v": "1.40"}]})
    assert found == dict.fromkeys(
        ("flink@2.3.0", "seatunnel@2.3.8", "paimon@1.3.1"), "reads another value in v without an error"
    )


def test_a_lost_value_is_null() -> None:
    assert set(effects(RIGHT | {"data": [{"id": "1"}]}).values()) == {"reads NULL in v without an error"}


def test_a_value_that_is_no_number_fails_the_job() -> None:
    assert effects(RIGHT | {"data": [{"id": "1", "v": "much"}]})["flink@2.3.0"] == "fails on the message"


def test_a_row_of_another_kind_is_said_to_be_one() -> None:
    assert effects(RIGHT | {"type": "DELETE"})["flink@2.3.0"] == "reads a delete for an insert"


def test_other_bytes_of_one_meaning_hurt_nobody() -> None:
    assert effects(dict(reversed(RIGHT.items()))) == {}


def test_who_fails_on_the_right_record_does_not_suffer() -> None:
    statement = {"database": "test", "table": "t", "isDdl": True, "type": "ALTER", "data": None, "sql": "ALTER"}
    assert suffering("canal-json", [TABLE], [record(statement)], [record(statement | {"sql": "x"})]) == []


def test_no_value_of_a_row_is_in_an_effect() -> None:
    assert all("1.40" not in text for text in effects(RIGHT | {"data": [{"id": "1", "v": "1.40"}]}).values())


def test_a_lost_envelope_is_no_row_for_a_job_that_is_set_up_for_it() -> None:
    row = {"op": "c", "before": None, "after": {"id": 1, "v": 1.5}}
    found = dict(suffering("debezium", [TABLE], [record({"payload": row})], [record(row)]))
    assert found["flink@2.3.0"] == "fails on the message"
