"""What a Spark job makes of a text that is no value, of a time alone, and of a key whose row is gone."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from conformance.consumers.json_tree import parse
from conformance.consumers.model import Message, Prediction
from conformance.consumers.spark import SparkModel
from conformance.consumers.spark.fields import text_of
from tests.unit.consumers.shown import table


def message(protocol: str, type_: str, value: str, options: Mapping[str, str]) -> Message:
    row = {"id": "1" if protocol == "canal-json" else 1, "c": json.loads(value)}
    tree = {"type": "INSERT", "data": [row]} if protocol == "canal-json" else {"op": "c", "before": None, "after": row}
    return Message(protocol, None, json.dumps(tree).encode(), table(c=type_), options)


def read(version: str, protocol: str, type_: str, value: str, **options: str) -> Prediction:
    return SparkModel(version).predict(message(protocol, type_, value, options))


@pytest.mark.parametrize(
    ("type_", "text"), [("date", "0000-00-00"), ("int", "1.5e1"), ("decimal(3,1)", "1234"), ("double", "x")]
)
def test_a_cast_that_fails_ends_a_job_of_spark_4_and_is_null_in_spark_3(type_: str, text: str) -> None:
    assert read("4.1.1", "canal-json", type_, json.dumps(text)).outcome == "error"
    before = read("3.5.7", "canal-json", type_, json.dumps(text))
    assert (before.outcome, before.rows) == ("rows", [("+I", {"id": "1", "c": None})])


def test_a_member_of_another_type_is_null_in_the_default_mode_and_ends_a_job_that_fails_fast() -> None:
    given = "debezium-connector", "decimal(5,2)", '"AQ=="'
    assert read("4.1.1", *given).rows == [("+I", {"id": "1", "c": None})]
    assert read("4.1.1", *given, **{"parse-mode": "FAILFAST"}).outcome == "error"


def test_a_message_that_is_no_json_is_left_out_in_the_default_mode_and_ends_a_job_that_fails_fast() -> None:
    for mode, outcome in (("PERMISSIVE", "skipped"), ("FAILFAST", "error")):
        broken = Message("canal", None, b'{"type":', {"columns": []}, {"parse-mode": mode})
        assert SparkModel("4.1.1").predict(broken).outcome == outcome


def test_a_time_alone_in_a_timestamp_is_left_open_unless_the_day_is_named() -> None:
    given = "canal-json", "timestamp", '"12:34:56"'
    assert read("4.1.1", *given).outcome == "abstained"
    assert read("4.1.1", *given, today="named").rows == [("+I", {"id": "1", "c": "today 12:34:56"})]
    assert read("4.1.1", "canal-json", "varchar(9)", '"today or"').outcome == "rows"


def test_a_decimal_of_more_than_38_digits_keeps_a_job_over_avro_from_beginning() -> None:
    wide = {"type": "bytes", "logicalType": "decimal", "precision": 65, "scale": 0}
    schema = {"type": "record", "name": "t", "fields": [{"name": "c", "type": wide}]}
    columns = {"columns": [{"name": "c", "type": "decimal(65,0)"}]}
    found = SparkModel("4.1.1").predict(Message("avro", None, b"\0\0\0\0\1\2\1", columns, {}, schema))  # type: ignore[arg-type]
    assert (found.outcome, found.column) == ("error", "c")


def test_the_names_in_an_object_read_as_a_string_stay_as_they_are() -> None:
    text = r'{"ä\u001F":["ä\u001F",null,true]}'
    assert text_of(parse(text.encode())) == text
