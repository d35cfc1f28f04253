"""What a decoder may say of the action of a statement, and of the time at which a transaction began."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from conformance.cases.model import Case
from reference_impl.model import DdlEvent, RowChange
from reference_impl.settings import Settings
from reference_impl.wire import table_from_json
from tests.unit.oracle.judging import TS, answer_of, judged, put_to_a_decoder

TABLE = table_from_json(
    {"schema": "s", "name": "t", "columns": [{"name": "id", "type": "int", "nullable": False}], "primary_key": ["id"]}
)
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "avro": {"enable-tidb-extension": "true", "avro-enable-watermark": "true"},
    "debezium": {"debezium-include-start-ts": "true"},
}


def statement(query: str, code: int, action: str | None = None) -> DdlEvent:
    return DdlEvent("s", "t", query, action=action, action_code=code, commit_ts=TS, table_after=TABLE)


CREATED = statement("CREATE TABLE `t` (`id` INT PRIMARY KEY)", 3)
ALTERED = statement("ALTER TABLE `t` REORGANIZE PARTITION", 64)
UNKNOWN = statement("ALTER TABLE `t` SOMETHING", 200)
NAMED = statement("ALTER TABLE `t` SOMETHING", 200, "ALTER SOMETHING")
ROW = RowChange("insert", "s", "t", TS, after={"id": "1"}, start_ts=TS - 9)


def decoded(protocol: str, event: DdlEvent | RowChange) -> tuple[Case, dict[str, Any]]:
    """A case whose records tell that event, and what the reference answers to it."""
    options = OPTIONS.get(protocol, {})
    case = Case("toy", protocol, "encode", (TABLE,), (event,), options=options, settings=Settings(now_ms=1))
    case = put_to_a_decoder(case)
    return case, answer_of(case)["ok"]["events"][0]


def blamed(protocol: str, event: DdlEvent | RowChange, **members: Any) -> list[str]:
    """The requirements of the findings where the reference's event has these members besides, without those of None."""
    case, answered = decoded(protocol, event)
    given = {name: value for name, value in {**answered, **members}.items() if value is not None}
    judgement = judged(case, {"ok": {"events": [given]}})
    return [finding.requirement for finding in judgement.findings]


@pytest.mark.parametrize(
    ("protocol", "event", "action", "requirements"),
    [
        ("open-protocol", CREATED, "create table", []),
        ("open-protocol", CREATED, "create view", ["OP-143"]),
        ("open-protocol", CREATED, "CREATE TABLE", ["OP-143"]),
        ("open-protocol", CREATED, "", ["OP-143"]),
        ("open-protocol", ALTERED, "reorganize partition", []),
        ("open-protocol", ALTERED, "alter table reorganize partition", []),
        ("open-protocol", ALTERED, "alter table remove partitioning", ["OP-143a"]),
        ("open-protocol", UNKNOWN, "alter something", []),
        ("avro", CREATED, "create table", []),
        ("avro", CREATED, "create view", ["AV-130e"]),
        ("avro", ALTERED, "drop table", ["AV-130e"]),
        ("canal-json", CREATED, "create table", []),
        ("canal-json", CREATED, "create view", ["CJ-886"]),
        ("canal-json", ALTERED, "add column", []),
        ("canal-json", ALTERED, "rename table", ["CJ-886"]),
        ("canal-json", UNKNOWN, "alter something", []),
        ("canal-json", NAMED, "alter something", []),
        ("canal-json", NAMED, "create schema", []),
        ("canal-json", NAMED, "create table", ["CJ-886"]),
        ("debezium", CREATED, "create view", []),
        ("debezium", CREATED, "drop table", ["DBZ-451b"]),
        ("debezium", ALTERED, "add column", []),
        ("debezium", ALTERED, "truncate table", ["DBZ-451b"]),
    ],
)
def test_an_action_that_is_named_is_one_that_the_message_tells(
    protocol: str, event: DdlEvent, action: str, requirements: list[str]
) -> None:
    assert blamed(protocol, event, action=action) == requirements


@pytest.mark.parametrize(
    ("protocol", "code", "requirements"),
    [
        ("open-protocol", 4, ["OP-143"]),
        ("avro", 4, ["AV-130e"]),
        ("canal-json", 3, []),
        ("canal-json", 4, ["CJ-886"]),
        ("debezium", 21, []),
        ("debezium", 4, ["DBZ-451b"]),
    ],
)
def test_a_code_that_is_given_is_one_that_the_message_tells(protocol: str, code: int, requirements: list[str]) -> None:
    assert blamed(protocol, CREATED, action_code=code) == requirements


@pytest.mark.parametrize("protocol", ["open-protocol", "canal-json", "debezium", "avro"])
def test_the_name_of_an_action_may_be_left_out(protocol: str) -> None:
    assert blamed(protocol, CREATED, action=None) == []


@pytest.mark.parametrize(("protocol", "needed"), [("open-protocol", True), ("avro", True), ("canal-json", False)])
def test_a_code_that_the_message_tells_may_not_be_left_out(protocol: str, needed: bool) -> None:
    assert bool(blamed(protocol, CREATED, action_code=None)) is needed


@pytest.mark.parametrize(
    ("protocol", "start_ts", "requirements"),
    [
        ("debezium", str(TS - 9), []),
        ("debezium", None, []),
        ("debezium", str(TS - 8), ["DBZ-451z"]),
        ("debezium", str(TS), ["DBZ-451z"]),
        ("canal-json", "5", ["CJ-886"]),  # the message does not tell it
        ("open-protocol", "5", ["OP-258"]),
        ("avro", "5", ["AV-203b"]),
    ],
)
def test_the_start_of_a_transaction_is_the_one_that_the_message_tells(
    protocol: str, start_ts: str | None, requirements: list[str]
) -> None:
    assert blamed(protocol, ROW, start_ts=start_ts) == requirements
