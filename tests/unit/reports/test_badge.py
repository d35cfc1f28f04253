"""The badge: green only for a run that judged something and found nothing that counts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from benchmarks.reports import rendered
from conformance.engine.selection import Expression, Selection
from reports.badge import BadgeRenderer, badge_of
from reports.gathering import Gathering
from reports.outcome import outcome_of
from tests.amounts import examples
from tests.toy import PROTOCOL, Toy, run
from tests.unit.reports.eventful import hostile_texts, record
from tests.unit.reports.hostile import LARGE, spoiled

RECORD = record()


def badge(events: list[dict[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(rendered(BadgeRenderer, events))
    return made


def said(events: list[dict[str, Any]]) -> tuple[str, str]:
    made = badge(events)
    return made["message"], made["color"]


@pytest.mark.parametrize(
    ("words", "message", "colour"),
    [
        ({"a": "ok"}, "passing · 1 requirement", "brightgreen"),
        ({"a": "T-1/lost"}, "1 data fault", "red"),
        ({"a": "T-1/lost", "b": "T-5/form"}, "1 data fault and more", "red"),
        ({"a": "T-1/strictness"}, "1 refusal missing", "orange"),
        ({"a": "crash"}, "1 crash", "red"),
        ({"a": "ours"}, "inconclusive", "lightgrey"),
        ({"a": "ours", "b": "T-1/lost"}, "inconclusive · 1 data fault", "red"),
    ],
)
def test_a_badge_says_the_worst(words: dict[str, Any], message: str, colour: str) -> None:
    assert said(run(words)[1]) == (message, colour)


@pytest.mark.parametrize(
    ("words", "earlier", "said_of_it"),
    [
        ({"a": "T-1/lost"}, "a", ("no new failure · 1 data fault", "yellow")),
        ({"a": "T-1/lost", "b": "T-5/form"}, "a", ("1 fault of form", "orange")),
        ({"a": "T-1/lost", "b": "T-5/form"}, "b", ("1 data fault", "red")),
    ],
)
def test_with_the_gate_regress_earlier_failures_neither_pass_nor_count_as_new(words, earlier, said_of_it) -> None:
    events = [dict(event) for event in run(words)[1]]
    for event in events:
        if event["event"] == "verdict":
            event["new"] = event["case"] != f"toy/{earlier}"
    events[-1]["gate"] = {"policy": "regress", "colour": "green" if len(words) == 1 else "red"}
    assert said(events) == said_of_it


def test_a_cut_run_with_the_gate_regress_says_what_failed_before() -> None:
    gathering = Gathering()
    for event in run({"a": "T-1/lost"})[1][:-1]:
        members = {"run": {"gate": "regress"}, "verdict": {"new": False}}.get(str(event["event"]), {})
        gathering.handle({**event, **members})
    assert outcome_of(gathering).sentence.endswith("failing as before: 1 data fault")
    assert badge_of(outcome_of(gathering))["color"] == "lightgrey"


NOTHING = {
    "nothing is selected": run({"a": "ok"}, selection=Selection(expression=Expression("toy/none")))[1],
    "nothing is declared": run({"a": "ok"}, toy=Toy({}, {"other": {}}))[1],
    "it does not start": run({"a": "ok"}, toy=Toy(dead=True))[1],
    "it supports nothing": run({"a": "unsupported"}, toy=Toy({"a": "unsupported"}, {PROTOCOL: {"events": []}}))[1],
    "there is no end": run({"a": "ok"})[1][:-1],
    "there is nothing": [],
}


@pytest.mark.parametrize("events", NOTHING.values(), ids=NOTHING)
def test_a_run_that_proves_nothing_is_never_green(events: list[dict[str, Any]]) -> None:
    assert "green" not in said(events)[1]
    assert "passing" not in said(events)[0]


def test_a_record_that_says_green_of_nothing_is_not_believed() -> None:
    _, events = run({"a": "ok"}, selection=Selection(expression=Expression("toy/none")))
    events[-1] |= {"exit": 0, "gate": {"policy": "data", "colour": "green"}}
    events[-1]["accounting"]["iuts"] = []
    assert said(events) == ("nothing judged", "lightgrey")


@given(hostile_texts)
@settings(max_examples=examples(40), deadline=None)
def test_a_badge_is_json_without_invisible_characters(text: str) -> None:
    made = badge(spoiled(RECORD, text))
    assert set(made) == {"schemaVersion", "label", "message", "color"}
    assert "".join(str(v) for v in made.values()).isprintable()


def test_a_message_is_short() -> None:
    assert len(badge(spoiled(RECORD, LARGE))["message"]) < 120
