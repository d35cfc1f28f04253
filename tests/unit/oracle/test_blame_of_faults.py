"""Each thing that an implementation can do wrong is held against the requirements that speak of it, and no other.

The faults are those that are recorded in `fixtures`, and those of `faults_of_*` which no recorded fault shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.catalogue.faults import load_faults
from conformance.oracle.showing import headlines
from conformance.sweep.proofs import proofs_of
from tests.unit.oracle import (
    avro_answers,
    canal_answers,
    debezium_answers,
    faults_of_avro_lists,
    faults_of_avro_messages,
    faults_of_canal_json,
    faults_of_debezium_lists,
    faults_of_debezium_messages,
    faults_of_open_protocol,
    open_answers,
)
from tests.unit.oracle.changes import Fault
from tests.unit.oracle.judging import Change, answer_of, judged, with_records

OF_MESSAGES = (faults_of_avro_messages, faults_of_canal_json, faults_of_debezium_messages, faults_of_open_protocol)
OF_LISTS = (faults_of_avro_lists, faults_of_canal_json, faults_of_debezium_lists, faults_of_open_protocol)
WITH_MESSAGE: Mapping[str, Callable[[Case, Change], dict[str, Any]]] = {
    "avro": avro_answers.with_message,
    "canal-json": lambda case, change: canal_answers.with_message(answer_of(case), change),
    "debezium": debezium_answers.with_message,
    "open-protocol": open_answers.with_message,
}


def every(table: str) -> list[Any]:
    """The rows of every protocol's table of that name."""
    modules = OF_MESSAGES if table == "MESSAGES" else OF_LISTS
    rows: list[Fault] = [row for module in modules for row in getattr(module, table)]
    return [pytest.param(*row, id=f"{row[1].protocol}-{n}-{row[0] or 'allowed'}") for n, row in enumerate(rows)]


def held_against(case: Case, answer: Mapping[str, Any]) -> str:
    """The requirements of the findings, behind a slash those that never stand first at their place."""
    findings = judged(case, answer).findings
    first = {finding.requirement for finding in headlines(findings)}
    rest = {finding.requirement for finding in findings} - first
    parts = (sorted(one.partition("-")[2] for one in ids) for ids in (first, rest))
    return " / ".join(" ".join(part) for part in parts if part)


CASES = {id(row.values[1]): row.values[1] for table in ("MESSAGES", "RECORDS", "EVENTS") for row in every(table)}


@pytest.mark.parametrize("case", CASES.values())
def test_the_right_answer_to_a_case_with_faults_is_held_against_nothing(case: Case) -> None:
    assert held_against(case, answer_of(case)) == ""


@pytest.mark.parametrize(("protocol", "role"), dict.fromkeys((fault.protocol, fault.role) for fault in load_faults()))
def test_a_recorded_fault_is_held_against_the_requirements_that_it_names_and_no_other(protocol: str, role: str) -> None:
    faults = [fault for fault in load_faults() if (fault.protocol, fault.role) == (protocol, role)]
    assert [proof for proof in proofs_of(faults) if not proof.is_as_recorded] == []


@pytest.mark.parametrize(("requirements", "case", "change"), every("MESSAGES"))
def test_a_wrong_message_is_held_against_the_requirements_that_speak_of_it(
    requirements: str, case: Case, change: Change
) -> None:
    assert held_against(case, WITH_MESSAGE[case.protocol](case, change)) == requirements


@pytest.mark.parametrize(("requirements", "case", "change"), every("RECORDS"))
def test_wrong_records_are_held_against_the_requirements_that_speak_of_them(
    requirements: str, case: Case, change: Callable[[list[Any]], list[Any]]
) -> None:
    assert held_against(case, with_records(case, change)) == requirements


@pytest.mark.parametrize(("requirements", "case", "change"), every("EVENTS"))
def test_a_wrong_event_is_held_against_the_requirements_that_speak_of_it(requirements: str, case: Case, change: Change):
    answer = answer_of(case)
    change(answer["ok"]["events"])
    assert held_against(case, answer) == requirements


@pytest.mark.parametrize(("requirement", "case", "refusal"), every("REFUSED"))
def test_a_refusal_is_held_against_what_the_records_show(requirement: str, case: Case, refusal: str) -> None:
    reason, _, message = refusal.partition(": ")
    assert held_against(case, {"rejected": {"class": reason, "message": message or "no"}}) == requirement
