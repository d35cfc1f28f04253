"""Why a run proves nothing: every report that CI shows says it."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.reports import rendered
from conformance.engine.selection import Expression, Selection
from reports import RENDERERS
from reports.reasons import plan_notes, reason_of
from tests.toy import Toy, run
from tests.unit.reports.run_events import gathered
from tests.unit.reports.test_github import texts


def shown(kind: str, events: list[dict[str, Any]]) -> str:
    if kind in ("annotations", "summary", "comment"):
        return str(getattr(texts(events), kind))
    return rendered(RENDERERS[kind], events)


DEAD = run({"a": "ok"}, toy=Toy(dead=True))[1]
NOTHING = run({"a": "ok"}, selection=Selection(expression=Expression("nothing")))[1]
WHY = "no such program ./x"
for _event in DEAD:
    if _event["event"] == "iut":
        _event["message"] = WHY
KINDS = ("annotations", "summary", "comment", "markdown", "junit")


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_says_why_an_implementation_was_not_judged(kind: str) -> None:
    assert f"the run is inconclusive: {WHY}" in shown(kind, DEAD).replace("The run", "the run")


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_says_which_term_matches_no_case(kind: str) -> None:
    text = shown(kind, NOTHING)
    assert "othing was judged: no case matches 'nothing'" in text


@pytest.mark.parametrize("kind", ["summary", "markdown"])
def test_a_sentence_that_ends_in_a_question_gets_no_full_stop(kind: str) -> None:
    near = [event | {"near": {"nothing": ["null"]}} if event["event"] == "plan" else event for event in NOTHING]
    assert "did you mean null?**" in shown(kind, near)


def reason(*events: dict[str, Any]) -> str:
    found = gathered(events)
    return reason_of(found, list(found.iuts.values()))


def lost(name: str, message: str) -> dict[str, Any]:
    return {"event": "iut", "iut": name, "started": False, "message": message, "problems": []}


def test_what_all_implementations_have_in_common_is_said_once() -> None:
    assert reason(lost("one", "no network"), lost("two", "no network")) == "no network"


def test_reasons_that_differ_have_the_names_of_their_implementations() -> None:
    assert reason(lost("one", "no network"), lost("two", "")) == "one: no network"


def test_a_long_list_of_reasons_is_counted() -> None:
    told = reason(*(lost(str(n), f"port {n} is closed") for n in range(5)))
    assert told == "0: port 0 is closed; 1: port 1 is closed; 2: port 2 is closed; and 2 more implementations"


def test_a_term_that_matches_nothing_is_named_with_what_is_near() -> None:
    plan = {"planned": 2, "by": [{"excluded": 2}], "unmatched": ["decimla"], "near": {"decimla": ["decimal"]}}
    assert list(plan_notes(plan)) == ["no case matches 'decimla'; did you mean decimal?"]


def test_of_a_shard_without_a_selected_case_the_terms_are_not_blamed() -> None:
    plan = {"planned": 2, "by": [{"excluded": 2}], "shard": {"index": 1, "count": 2}}
    assert list(plan_notes(plan)) == ["no selected case belongs to shard 1/2"]
