"""Causes: one entry for each, the worst first, and the sentence that sums them up."""

from __future__ import annotations

from typing import Any

import pytest

from reports.causes import Cause, replay_command
from reports.gathering import Gathering
from reports.outcome import outcome_of
from tests.unit.reports.run_events import IUT, RUN, verdict
from tests.unit.reports.run_events import finding as one_finding
from tests.unit.reports.run_events import gathered as gathered_events


def finding(requirement: str, harm: str, level: str = "must", path: str = "value.a") -> dict[str, Any]:
    return one_finding(requirement, harm, level=level, path=path, fingerprint=f"value@{path}#0")


def gathered(*verdicts: dict[str, Any]) -> Gathering:
    return gathered_events([RUN, IUT, *(verdict(f"case-{number}") | one for number, one in enumerate(verdicts))])


def causes_of(gathering: Gathering) -> list[Cause]:
    return gathering.iuts["mine"].causes


def test_red_causes_stand_first_and_data_before_form() -> None:
    found = gathered(
        {"verdict": "warn", "findings": [finding("CJ-1", "schema", "should")]},
        {"verdict": "fail", "findings": [finding("CJ-2", "form")]},
        {"verdict": "fail", "findings": [finding("CJ-3", "changed")]},
        {"verdict": "crash", "message": "it ended with signal 11"},
    )
    causes = causes_of(found)
    assert [(cause.requirement or cause.word, cause.harm) for cause in causes] == [
        ("crash", "lost"),
        ("CJ-3", "changed"),
        ("CJ-2", "form"),
        ("CJ-1", "schema"),
    ]


@pytest.mark.parametrize(
    ("types", "sentence"),
    [
        (["decimal"], "1 data fault, in decimal"),
        (["decimal", "decimal"], "2 data faults, all in decimal"),
        (["decimal", "int", "decimal"], "3 data faults, 2 of them in decimal"),
        ([""], "1 data fault"),
    ],
)
def test_the_sentence_names_the_type_that_most_data_faults_are_in(types: list[str], sentence: str) -> None:
    found = gathered(
        *(
            {
                "verdict": "fail",
                "axes": {"type": name} if name else {},
                "findings": [finding(f"CJ-{n}", "lost", path=f"value.{n}")],
            }
            for n, name in enumerate(types)
        )
    )
    assert outcome_of(found).faults == sentence


def test_what_only_a_may_breaks_is_no_fault_of_the_sentence() -> None:
    found = gathered({"verdict": "pass", "findings": [finding("CJ-1", "lost", "may")]})
    assert outcome_of(found).faults == ""


def test_two_causes_of_a_run_that_fail_alike_have_an_address_each() -> None:
    causes = causes_of(
        gathered(
            {"verdict": "xfail", "findings": [finding("CJ-1", "lost")]},
            {"verdict": "fail", "findings": [finding("CJ-1", "lost")]},
        )
    )
    alone = causes_of(gathered({"verdict": "fail", "findings": [finding("CJ-1", "lost")]}))
    assert [cause.id for cause in causes] == [alone[0].id, f"{alone[0].id}-xfail"]


def test_a_crash_is_one_cause_whatever_request_it_was() -> None:
    crashes = [{"verdict": "crash", "message": f"it ended with signal 11 (request {n})"} for n in range(9)]
    assert len(causes_of(gathered(*crashes))) == 1


@pytest.mark.parametrize(
    ("word", "failure"),
    [
        ("fail", {"findings": [finding("CJ-1", "lost")]}),
        ("crash", {"fingerprints": ["crash@encode"], "message": "it ended"}),
    ],
)
def test_a_cause_keeps_its_address_when_it_becomes_known(word: str, failure: dict[str, Any]) -> None:
    new, known = (causes_of(gathered({"verdict": verdict, **failure})) for verdict in (word, "xfail"))
    assert [cause.id for cause in new] == [cause.id for cause in known]


@pytest.mark.parametrize(
    ("word", "sentence"), [("crash", "1 crash"), ("timeout", "1 time-out"), ("protocol_error", "1 malformed answer")]
)
def test_a_known_failure_that_crashes_now_is_a_crash_that_loses_data(word: str, sentence: str) -> None:
    gathering = gathered({"verdict": "xfail_changed", "fingerprints": [f"{word}@encode"], "message": "it ended"})
    [cause] = causes_of(gathering)
    assert (cause.failure, cause.harm, cause.is_red, cause.word) == (word, "lost", True, "xfail_changed")
    assert outcome_of(gathering).faults == sentence


@pytest.mark.parametrize(
    "message",
    [
        "line {n} of its output: an answer to request {n}, which was not asked: {{}}",
        'line {n} of its output: a member too many: {{"id": {n}, "x": 1}}',
        'line {n} of its output: no answer to encode: ok.records[0].value is a number: \'{{"id": 1, "x": {n}}}\'',
        "it ended with signal 11 during encode (request {n})",
    ],
)
def test_when_it_happened_in_a_session_makes_no_cause_of_its_own(message: str) -> None:
    found = gathered(*({"verdict": "protocol_error", "message": message.format(n=n)} for n in range(20)))
    [cause] = causes_of(found)
    assert cause.cases == 20


def test_what_an_answer_says_tells_causes_apart() -> None:
    texts = ("line 1 of its output: not JSON: 17", "line 2 of its output: not JSON: 18")
    found = gathered(*({"verdict": "protocol_error", "message": text} for text in texts))
    assert len(causes_of(found)) == 2


def test_what_one_difference_breaks_is_one_cause_that_the_most_special_requirement_leads() -> None:
    broken = [finding("T-9", "form", "should"), finding("T-1", "changed"), finding("T-2", "form", path="value.b")]
    found = gathered({"verdict": "fail", "findings": broken})
    causes = causes_of(found)
    assert [(cause.requirement, cause.word, cause.harm) for cause in causes] == [
        ("T-9", "fail", "changed"),
        ("T-2", "fail", "form"),
    ]
    assert [requirement for requirement, _ in causes[0].follows] == ["T-1"]


def test_the_command_that_runs_a_case_again_can_be_copied_whatever_its_file_is_called() -> None:
    verdict = {"case": "c", "replay": "my cases/c.json"}
    iut = {"address": "py:x", "profile": "classic"}
    assert replay_command({}, iut, verdict) == "ticdc-conformance replay 'my cases/c.json' --iut py:x --profile classic"


def test_a_case_that_passes_now_is_told_beside_the_advice_that_it_breaks() -> None:
    found = gathered({"verdict": "xpass", "findings": [finding("CJ-1", "form", "may")]})
    assert {cause.word for cause in causes_of(found)} == {"xpass", "may"}
