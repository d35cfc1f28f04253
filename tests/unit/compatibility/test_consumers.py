"""What a reader makes of rows: lossless, lossy, rejected or silently wrong, held against what went into the encoder."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.compatibility.cells import Fidelity, Reading, Trouble, worst
from conformance.compatibility.consumers import read_by_model
from conformance.compatibility.encoders import EncodedCase
from conformance.compatibility.table import _example
from conformance.consumers import MODELS
from conformance.consumers.model import Message, Prediction
from reference_impl.model import Record
from reference_impl.wire import event_from_json, table_from_json


def case(type_: str, value: str | None, written: str | None, **more: Any) -> Case:
    """An insert of one value, and a Canal-JSON message with what an encoder wrote for it."""
    columns = [{"name": "id", "type": "int"}, {"name": "v", "type": type_}]
    table = table_from_json({"schema": "test", "name": "t", "columns": columns, "primary_key": ["id"]})
    event = {
        "kind": "row",
        "op": "insert",
        "schema": "test",
        "table": "t",
        "commit_ts": "1",
        "after": {"id": "1", "v": value},
    }
    message = {
        "database": "test",
        "table": "t",
        "type": "INSERT",
        "isDdl": False,
        "mysqlType": {"id": "int", "v": type_},
        "data": [{"id": "1", "v": written}],
    }
    return Case(
        "canal-json/x",
        "canal-json",
        "encode",
        tables=(table,),
        events=(event_from_json(event, {table.id: table}),),
        records=(Record(key=None, value=json.dumps(message | more).encode()),),
    )


def read(consumer: str, given: Case) -> Reading:
    [reading] = read_by_model(MODELS[consumer]("2.3.0"), [EncodedCase(given)])
    return reading


@pytest.mark.parametrize(
    ("type_", "value", "written", "verdict"),
    [
        ("int", "7", "7", Fidelity.LOSSLESS),
        ("decimal(10,2)", "1.50", "1.5", Fidelity.LOSSLESS),
        ("json", '{"a": 1}', '{"a":1}', Fidelity.LOSSLESS),
        ("int", "7", "8", Fidelity.WRONG),
        ("int", "7", None, Fidelity.WRONG),
        ("int", None, "7", Fidelity.WRONG),
        ("json", '{"a": 1}', None, Fidelity.WRONG),
        ("int", "7", "seven", Fidelity.REJECTED),
        ("double", "1234567890.123456", "1234567890.1234", Fidelity.LOSSY),
        ("tinyint(1)", "1", "1", Fidelity.WRONG),  # Flink's BOOLEAN takes the text `1` for false
        ("time(6)", "12:34:56.789012", "12:34:56.789012", Fidelity.LOSSY),  # Flink keeps milliseconds
    ],
)
def test_a_value_is_held_against_what_went_in_and_not_against_the_message(type_, value, written, verdict) -> None:
    assert read("flink", case(type_, value, written)).verdict is verdict


def test_a_row_that_the_reader_skips_is_silently_wrong() -> None:
    assert read("paimon", case("int", "7", "7", isDdl=True)).verdict is Fidelity.WRONG


def test_an_encoder_of_a_protocol_that_the_reader_has_no_format_for_is_not_read() -> None:
    assert list(read_by_model(MODELS["connect"]("3.9.1"), [EncodedCase(case("int", "7", "7"))])) == []


def test_the_worst_counts_and_nothing_tried_is_no_green() -> None:
    assert worst([Fidelity.LOSSLESS, Fidelity.LOSSY, Fidelity.NOT_TRIED]) is Fidelity.LOSSY
    assert worst([Fidelity.LOSSLESS, Fidelity.REJECTED, Fidelity.WRONG]) is Fidelity.WRONG
    assert worst([]) is Fidelity.NOT_TRIED


class Reads:
    """A reader that has what it is told to have."""

    name, version, protocols = "flink", "0", ("canal-json",)

    def __init__(self, *predictions: Prediction) -> None:
        self._left = list(predictions)

    def predict(self, message: Message) -> Prediction:
        return self._left.pop(0)


def updated(*predictions: Prediction) -> Reading:
    """An update from 1 to 2 of a column INT, and a reader of as many records."""
    given = case("int", "2", "2")
    event = replace(given.events[0], op="update", before={"id": "1", "v": "1"})  # type: ignore[type-var]
    several = replace(given, events=(event,), records=given.records * len(predictions))
    [reading] = read_by_model(Reads(*predictions), [EncodedCase(several)])
    return reading


BEFORE, AFTER, OTHER = ({"id": "1", "v": text} for text in ("1", "2", "3"))


def test_an_update_that_is_read_as_a_deletion_is_silently_wrong() -> None:
    assert updated(Prediction("rows", [("-D", BEFORE)])).verdict is Fidelity.WRONG


def test_a_reader_that_shows_the_row_after_alone_loses_nothing() -> None:
    assert updated(Prediction("rows", [("+I", AFTER)])).verdict is Fidelity.LOSSLESS


@pytest.mark.parametrize("outcome", ["error", "abstained"])
def test_a_job_that_stops_later_does_not_hide_what_it_read_wrong_before(outcome: Any) -> None:
    wrong = Prediction("rows", [("-U", BEFORE), ("+U", OTHER)])
    assert updated(wrong, Prediction(outcome)).verdict is Fidelity.WRONG


def test_digits_of_a_bit_that_are_taken_for_base64_are_another_value() -> None:
    assert read("flink", case("bit(16)", "1234", "1234")).verdict is Fidelity.WRONG


@pytest.mark.parametrize(("value", "written"), [("1000000.00", "1000001.00"), ("100000000.00", "99999999.99")])
def test_another_number_of_as_many_digits_is_no_rounding(value: str, written: str) -> None:
    assert read("flink", case("decimal(20,2)", value, written)).verdict is Fidelity.WRONG


def test_what_the_message_itself_has_wrong_is_said_to_be_so() -> None:
    assert read("flink", case("int", "7", "8")).effect == "another value, as the message says"
    assert read("flink", case("tinyint(1)", "1", "1")).effect == "another value"


def test_a_value_of_more_than_400_characters_is_cut_in_an_example() -> None:
    trouble = Trouble(Fidelity.WRONG, "another value", went_in="x" * 400, read="x" * 401)
    example = _example(case("text", "x", "x"), trouble)
    assert (example["went_in"], example["read"]) == ("x" * 400, "x" * 400 + "…")
