"""Cases of which several answers are right: each of them is, and no other."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.corpora import corpora_of, input_cases
from conformance.cases.model import Case, ExpectedOneOf, ExpectedRejection
from conformance.catalogue.harm import Harm
from conformance.catalogue.register import Level, load_register
from conformance.embedded import Embedded
from conformance.oracle import ORACLES
from conformance.oracle.findings import Judgement
from conformance.oracle.judge import Judge
from reference_impl.errors import RejectionClass
from reference_impl.profiles import NEWARCH

every_protocol = pytest.mark.parametrize("protocol", ["canal-json", "debezium", "open-protocol"])


def repeated(protocol: str, name: str) -> Case:
    given = next(i for i in corpora_of(protocol)["repeated"]() if i.name.endswith(f"/{name}"))
    return next(c for c in input_cases(protocol, given) if c.style == "newarch")


def judgement_of(case: Case, events: Sequence[Mapping[str, Any]], optional: Collection[str] = ()) -> Judgement:
    """The judgement where the requirements in `optional` are of level MAY."""
    register = load_register(case.protocol)
    levels = {id_: replace(register.requirements[id_], level=Level.MAY) for id_ in optional}
    lenient = replace(register, requirements={**register.requirements, **levels})
    return Judge(ORACLES[case.protocol], lenient, NEWARCH).judge(case, {"ok": {"events": events}})


def broken(case: Case, events: Sequence[Mapping[str, Any]]) -> set[str]:
    judgement = judgement_of(case, events)
    assert judgement.findings or set(case.requirements) <= judgement.evaluated
    return {finding.requirement for finding in judgement.findings}


def with_another_value(events: Sequence[Mapping[str, Any]], position: int) -> list[Mapping[str, Any]]:
    changed = {**events[position], "after": {**events[position]["after"], "a": "another"}}
    return [changed if i == position else event for i, event in enumerate(events)]


@every_protocol
def test_an_event_that_comes_again_below_a_watermark_may_be_answered_or_left_out(protocol: str) -> None:
    case = repeated(protocol, "two rows")
    events = Embedded().ask(case)["ok"]["events"]
    assert isinstance(case.expected, ExpectedOneOf)
    assert len(case.expected.without) == 4
    for left_out in case.expected.without:
        assert broken(case, [e for i, e in enumerate(events) if i not in left_out]) == set()


@every_protocol
@pytest.mark.parametrize("position", [2, 5, 6, 7])
def test_every_other_event_must_be_answered(protocol: str, position: int) -> None:
    case = repeated(protocol, "two rows")
    events = Embedded().ask(case)["ok"]["events"]
    assert broken(case, [e for i, e in enumerate(events) if i != position])


@every_protocol
@pytest.mark.parametrize("answer", [{"error": "broke down"}, {"rejected": {"class": "syntax", "message": ""}}])
def test_no_answer_is_none_of_those_allowed(protocol: str, answer: Mapping[str, Any]) -> None:
    case = repeated(protocol, "a row")
    assert Judge(ORACLES[protocol], load_register(protocol), NEWARCH).judge(case, answer).findings


@every_protocol
def test_an_event_that_comes_again_below_a_watermark_must_be_the_right_one(protocol: str) -> None:
    case = repeated(protocol, "a row")
    events = Embedded().ask(case)["ok"]["events"]
    events[2] = {**events[2], "after": {"id": "7", "a": "x"}}
    assert broken(case, events)


@every_protocol
@pytest.mark.parametrize("left_out", [(3,), (4,), (3, 4)])
def test_what_else_is_wrong_is_found_beside_events_that_are_left_out(protocol: str, left_out: tuple[int, ...]) -> None:
    case = repeated(protocol, "two rows")
    events = with_another_value(Embedded().ask(case)["ok"]["events"], 0)
    whole = judgement_of(case, events)
    less = judgement_of(case, [e for i, e in enumerate(events) if i not in left_out])
    assert less.findings == whole.findings
    assert {f.path for f in less.findings} == {"event.after.a"}


@every_protocol
def test_a_finding_of_may_makes_no_lost_event_of_one_that_is_left_out(protocol: str) -> None:
    case = repeated(protocol, "two rows")
    events = with_another_value(Embedded().ask(case)["ok"]["events"], 0)
    optional = broken(case, events)
    judgement = judgement_of(case, [e for i, e in enumerate(events) if i != 3], optional)
    assert {f.requirement for f in judgement.findings} == optional
    assert set(case.requirements) <= judgement.evaluated


def test_what_a_case_was_written_for_is_not_asserted_by_an_answer_that_is_none_of_those_allowed() -> None:
    case = repeated("canal-json", "two rows")
    events = with_another_value(Embedded().ask(case)["ok"]["events"], 0)
    wanted = replace(case, requirements=("CJ-889",))
    assert "CJ-889" not in broken(case, events)
    assert "CJ-889" not in judgement_of(wanted, events).evaluated
    assert "CJ-889" in judgement_of(wanted, Embedded().ask(case)["ok"]["events"]).evaluated


def test_a_judge_that_remembers_judges_such_a_case_alike_each_time() -> None:
    case = repeated("canal-json", "a row")
    judge = Judge(ORACLES["canal-json"], load_register("canal-json"), NEWARCH, remembers=True)
    answer = Embedded().ask(case)
    assert [judge.judge(case, answer).findings for _ in range(3)] == [[], [], []]


def test_a_judge_that_remembers_keeps_no_more_with_each_answer() -> None:
    case = repeated("canal-json", "a row")
    answer = Embedded().ask(case)
    assert isinstance(case.expected, ExpectedOneOf)
    optional = replace(case, expected=replace(case.expected, classes=frozenset({RejectionClass.SEMANTICS})))
    twin = replace(case, expected=None, events=())
    malformed = replace(case, expected=ExpectedRejection(frozenset({RejectionClass.TYPE}), twin))
    judge = Judge(ORACLES["canal-json"], load_register("canal-json"), NEWARCH, remembers=True)
    kept = set()
    for _ in range(3):
        assert judge.judge(optional, answer).findings == []
        assert judge.judge(optional, {"rejected": {"class": "semantics", "message": "no"}}).findings == []
        assert {found.harm for found in judge.judge(malformed, answer).findings} == {Harm.STRICTNESS}
        kept.add(len(judge._remembered))
    assert len(kept) == 1
