"""Findings name the record and the message, or the event, that their path is in, and the operation of its event."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import pytest

from conformance.catalogue.harm import Harm
from conformance.oracle.findings import Finding, where_of
from conformance.oracle.tree import Kind
from reference_impl.model import Record
from reference_impl.open_protocol.framing import unframe
from tests.unit.oracle import open_answers
from tests.unit.oracle.canal_answers import case_of, row
from tests.unit.oracle.judging import answer_of, judged, put_to_a_decoder, with_records, written


def spoilt(record: dict[str, Any]) -> dict[str, Any]:
    text = base64.b64decode(record["value"]).decode()
    assert text.count('"n":"7"') == 1
    return record | {"value": base64.b64encode(text.replace('"n":"7"', '"n":"8"').encode()).decode()}


INSERT_AND_DELETE = row("insert", b="1"), row("delete", b="2")


@pytest.mark.parametrize(("broken", "operation"), [(0, "insert"), (1, "delete")])
def test_a_finding_in_one_of_several_records_names_the_record_and_the_operation_of_its_event(
    broken: int, operation: str
) -> None:
    case = case_of(*INSERT_AND_DELETE)
    ok = answer_of(case)["ok"]
    records = [spoilt(record) if i == broken else record for i, record in enumerate(ok["records"])]
    found, *_ = judged(case, {"ok": ok | {"records": records}}).findings
    assert (found.where, found.path, found.operation) == (f"records[{broken}]", "value.data[0].n", operation)


def test_a_finding_in_the_only_record_names_neither() -> None:
    case = case_of(row("insert"))
    ok = answer_of(case)["ok"]
    found, *_ = judged(case, {"ok": ok | {"records": [spoilt(ok["records"][0])]}}).findings
    assert (found.where, found.path, found.operation) == ("", "value.data[0].n", "")


@pytest.mark.parametrize(("broken", "image", "operation"), [(0, "after", "insert"), (1, "before", "delete")])
def test_a_finding_in_one_of_several_events_names_the_event_and_its_operation(broken: int, image: str, operation: str):
    case = put_to_a_decoder(case_of(*INSERT_AND_DELETE))
    answer = answer_of(case)
    answer["ok"]["events"][broken][image]["n"] = "8"
    found, *_ = judged(case, answer).findings
    assert (found.where, found.path, found.operation) == (f"events[{broken}]", f"event.{image}.n", operation)


@pytest.mark.parametrize("broken", [0, 1, 2])
def test_a_finding_about_one_of_several_records_that_cannot_be_read_names_the_record(broken: int) -> None:
    case = case_of(*(row("insert", b=str(i)) for i in range(3)))

    def cut(records: list[Record]) -> list[Record]:
        return [replace(record, value=b"{") if i == broken else record for i, record in enumerate(records)]

    findings = judged(case, with_records(case, cut)).findings
    assert {found.where for found in findings} == {f"records[{broken}]"}


def test_a_finding_about_the_frame_of_the_only_record_names_no_message() -> None:
    case = open_answers.case_of("encode", *(open_answers.row("insert", id=str(i)) for i in range(2)))
    assert len(unframe(written(case)[0].key, written(case)[0].value)) == 2
    answer = with_records(case, lambda records: [replace(records[0], headers=(("h", b""),))])
    assert [(found.where, found.path) for found in judged(case, answer).findings] == [("", "frame.headers[0]")]


@pytest.mark.parametrize("empty", [0, 1])
def test_a_record_without_messages_is_a_finding_of_its_own_wherever_it_stands(empty: int) -> None:
    case = open_answers.case_of("encode", open_answers.row("insert"))
    nothing = Record((1).to_bytes(8, "big"), b"")
    answer = with_records(case, lambda records: [*records[:empty], nothing, *records[empty:]])
    findings = judged(case, answer).findings
    assert {(found.where, found.path) for found in findings} == {(f"records[{empty}]", "frame.events")}


def test_an_event_that_is_lost_is_a_finding_of_its_operation() -> None:
    case = put_to_a_decoder(case_of(*INSERT_AND_DELETE))
    answer = answer_of(case)
    del answer["ok"]["events"][1]
    assert {found.operation for found in judged(case, answer).findings} == {"delete"}


def test_a_refusal_of_several_events_is_a_finding_of_no_operation() -> None:
    rejected = {"rejected": {"class": "type", "message": "no"}}
    assert {found.operation for found in judged(case_of(*INSERT_AND_DELETE), rejected).findings} == {""}


@pytest.mark.parametrize(
    ("record", "records", "messages", "named"),
    [
        (0, 1, 1, [""]),
        (2, 3, 1, ["records[2]"]),
        (0, 1, 2, ["messages[0]", "messages[1]"]),
        (1, 2, 2, ["records[1].messages[0]", "records[1].messages[1]"]),
    ],
)
def test_a_part_of_which_there_is_one_is_not_named(record: int, records: int, messages: int, named: list[str]) -> None:
    assert where_of(record, records, messages) == named


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        ({}, True),
        ({"where": "records[1]"}, True),
        ({"operation": "delete"}, True),
        ({"advisory": True}, False),
        ({"harm": Harm.LOST}, False),
        ({"path": "y"}, False),
    ],
)
def test_the_part_and_the_operation_do_not_make_another_finding(other: dict[str, Any], is_same: bool) -> None:
    one = Finding("CJ-001", "x", Kind.VALUE, 1, 2, "", Harm.FORM)
    assert (one == replace(one, **other)) is is_same
    assert (one.advisory, one.where, one.operation) == (False, "", "")
