"""The run record against its published schema, and how values are shown in it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from conformance.catalogue.fixtures import fixtures_root
from conformance.engine import run_suite
from conformance.engine.baseline import Known
from conformance.engine.shown import jsonable
from conformance.oracle.tree import MISSING
from reference_impl.exact_json import Object
from tests.toy import Toy, case, config, run, target

SCHEMA = json.loads((fixtures_root() / "schemas" / "run-event.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA, format_checker=FormatChecker())

_WORDS = ("ok", "T-1 T-2 T-3", "T-2", "crash", "unsupported", "ours", "lost", "T-1", "T-5", "ok", ["T-1", "ok"])
WORDS = dict(zip("abcdefghijk", _WORDS, strict=True))
WORDS |= {"n": "T-1 @pkg/encoder.go:12", "o": "ok @/usr/src/encoder.go:12", "l": "lose", "m": "ok"}
MARK = "value@value.data[].{column}"
KNOWN = tuple(Known(match=f"toy/{name}", fingerprints=(f"{MARK}#T-1",), expires=date(2027, 1, 1)) for name in "hij")
FLAKY = Known(match="toy/k", flaky=True)


def everything() -> list[dict[str, Any]]:
    judged = run(WORDS, baseline=(*KNOWN, FLAKY), started="2026-01-01T00:00:00Z")[1]
    undeclared = run(toy=Toy(protocols={}))[1]
    return [*judged, *(event for event in undeclared if event["event"] == "verdicts")]


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"].endswith("2020-12/schema")


@pytest.mark.parametrize("kind", SCHEMA["properties"]["event"]["enum"])
def test_every_event_validates_and_every_kind_occurs(kind: str) -> None:
    found = [e for e in json.loads(json.dumps(everything())) if e["event"] == kind]
    assert found
    for event in found:
        VALIDATOR.validate(event)


def test_every_verdict_but_the_ones_of_other_runs_occurs_here() -> None:
    found = {str(e["verdict"]) for e in everything() if e["event"] == "verdict"}
    assert set(SCHEMA["$defs"]["verdictName"]["enum"]) - found == {
        "excluded",
        "unsupported",
        "timeout",
        "protocol_error",
    }


@pytest.mark.parametrize("kind", SCHEMA["properties"]["event"]["enum"])
def test_an_event_has_no_member_that_the_schema_does_not_name(kind: str) -> None:
    named = set(SCHEMA["$defs"][kind]["properties"])
    assert [set(e) - named for e in everything() if e["event"] == kind and set(e) - named] == []


@pytest.mark.parametrize("member", ["iut", "case", "verdict", "findings"])
def test_a_verdict_without_a_member_does_not_validate(member: str) -> None:
    verdict = next(e for e in everything() if e["event"] == "verdict")
    del verdict[member]
    assert not VALIDATOR.is_valid(verdict)


def test_only_cases_that_did_not_pass_stand_in_the_record() -> None:
    events = everything()
    verdict = {e["case"]: e["verdict"] for e in events if e["event"] == "verdict"}
    without = {"pass", "not_run", "unsupported"}
    assert {e["case"] for e in events if e["event"] == "case"} == {c for c, v in verdict.items() if v not in without}


def test_a_case_event_goes_right_before_its_verdict() -> None:
    events = everything()
    for event, following in itertools.pairwise(events):
        if event["event"] == "case":
            assert (following["event"], following["case"]) == ("verdict", event["case"])


def test_the_input_stands_in_the_record_once_for_each_cause() -> None:
    _, events = run({"a": "T-1", "b": "T-1", "c": "T-1 T-2", "d": "crash", "e": "crash", "f": "timeout"})
    shown = {e["case"].removeprefix("toy/"): "input" in e and "sql" in e for e in events if e["event"] == "case"}
    assert shown == {"a": True, "b": False, "c": True, "d": True, "e": False, "f": True}


def test_two_implementations_show_the_input_of_one_cause_each() -> None:
    cases = [case("a")]
    events: list[dict[str, Any]] = []
    run_suite(config(target(Toy({"a": "T-1"}), cases), target(Toy({"a": "T-1"}), cases)), [events.append])
    assert ["input" in e for e in events if e["event"] == "case"] == [True, True]


def volatile(tree: Any, name: str = "") -> Iterator[str]:
    """The names of the members that a schema marks as volatile."""
    if isinstance(tree, dict):
        if tree.get("x-volatile") is True:
            yield name
        for inner, part in tree.items():
            yield from volatile(part, inner)


def test_two_runs_differ_in_nothing_but_what_the_schema_calls_volatile() -> None:
    members = set(volatile(SCHEMA["$defs"]))
    assert members == {"command", "started", "host", "stderr", "seconds"}

    def stable(clock: Callable[[], float], started: str) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = []
        given = config(target(Toy(WORDS), [case(name) for name in WORDS]), started=started)
        run_suite(replace(given, clock=clock), [events.append])
        return [{name: value for name, value in e.items() if name not in members} for e in events]

    ticks = iter(range(10_000))
    assert stable(lambda: next(ticks) / 7, "now") == stable(lambda: 0.0, "then")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, None),
        (True, True),
        ("x", "x"),
        (2**53 - 1, 2**53 - 1),
        (2**53, {"$number": "9007199254740992"}),
        (-(2**64), {"$number": "-18446744073709551616"}),
        (Decimal("1.50"), {"$number": "1.50"}),
        (b"\x00\xff", {"$bytes": "00 ff", "length": 2}),
        (MISSING, {"$missing": True}),
        (frozenset({"b", "a"}), {"$any": ["a", "b"]}),
        ([1, [MISSING]], [1, [{"$missing": True}]]),
        ({"$bytes": 5, "a$": 1}, {"\\$bytes": 5, "a$": 1}),
        (Object([("a", 1), ("a", 2)]), {"a": 2, "$doubled": ["a"]}),
        ("x" * 1001, {"$text": "x" * 1000, "length": 1001}),
        (list(range(61)), [*range(60), {"$more": 1}]),
        ("\ud800", "\\ud800"),
    ],
)
def test_a_value_is_shown_exactly_or_says_that_it_was_cut(value: Any, shown: Any) -> None:
    assert jsonable(value) == shown
    json.dumps(shown).encode("utf-8")
