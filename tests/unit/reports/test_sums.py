"""What stands at the end of a report: each total once, nothing red hidden, nothing told as judged that was not."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pytest

from benchmarks.reports import rendered
from conformance.engine import Gate, run_suite
from conformance.engine.selection import Expression, Selection
from reports import RENDERERS, TerminalRenderer
from tests.toy import Toy, config, run, target
from tests.toy import case as toy_case


def told(events: Sequence[Mapping[str, Any]], **more: Any) -> list[str]:
    """The lines on a terminal."""
    return rendered(partial(TerminalRenderer, **{"width": 80, **more}), events).splitlines()


def starting(lines: Sequence[str], label: str) -> list[str]:
    return [line for line in lines if line.startswith(label)]


@pytest.mark.parametrize("quiet", [False, True])
def test_the_totals_of_one_implementation_stand_once(quiet: bool) -> None:
    lines = told(run({"a": "ok", "b": "T-1"})[1], quiet=quiet)
    assert starting(lines, "planned") == ["planned       2 = pass 1 + fail 1"]
    assert len(starting(lines, "requirements")) == 1


def test_each_of_several_implementations_has_its_totals_and_so_has_the_run() -> None:
    events: list[dict[str, Any]] = []
    cases = [toy_case("a")]
    run_suite(config(target(Toy({"a": "ok"}), cases), target(Toy({"a": "T-1"}), cases)), [events.append])
    assert [line.split("=")[1].strip() for line in starting(told(events), "planned")] == [
        "pass 1",
        "fail 1",
        "pass 1 + fail 1",
    ]


@pytest.mark.parametrize("quiet", [False, True])
def test_where_nothing_is_selected_no_requirement_is_summed_up(quiet: bool) -> None:
    status, events = run({"insert": "ok"}, selection=Selection(expression=Expression("insret")))
    lines = told(events, quiet=quiet)
    assert (status, starting(lines, "requirements")) == (5, [])
    assert "did you mean" in "\n".join(lines)
    assert starting(lines, "planned") == ["planned       1 = excluded 1"]


@pytest.mark.parametrize(("policy", "said"), [("data", "and red: 1 fail"), ("should", "and red: 1 fail + 1 warn")])
def test_what_is_red_is_told_where_the_gate_is_inconclusive(policy: Any, said: str) -> None:
    words = {"a": "T-1", "b": "T-2", "c": "ours", "d": "ok"}
    status, events = run(words, policy=Gate(policy))
    assert (status, starting(told(events), "gate")) == (
        3,
        [f"gate          INCONCLUSIVE ({said})   exit 3   policy {policy}"],
    )


def test_a_summary_in_markdown_tells_it_too() -> None:
    text = rendered(RENDERERS["markdown"], run({"a": "T-1", "b": "ours"})[1])
    assert text.startswith("## ticdc-conformance: inconclusive (and red: 1 fail) (exit 3)\n")


def test_nothing_is_called_red_beside_a_gate_that_is_red_or_that_has_nothing_red() -> None:
    assert starting(told(run({"a": "T-1"})[1]), "gate") == ["gate          RED   exit 1   policy data"]
    assert starting(told(run({"a": "ours"})[1]), "gate") == ["gate          INCONCLUSIVE   exit 3   policy data"]


def test_a_long_message_of_the_gate_is_folded_with_nothing_left_over_at_the_end_of_a_line() -> None:
    events = run({"a": "T-1"})[1]
    lines = told([*events[:-1], events[-1] | {"message": "word " * 40 + "end"}])
    assert all(line == line.rstrip() for line in lines)
    assert "end" in lines[-1]


def test_what_a_capture_holds_unread_is_told_with_up_to_three_places() -> None:
    events = run(dict.fromkeys("abcd", "unsupported") | {"e": "ok"})[1]
    captured = []
    for event in events:
        if event["event"] == "iut":
            event = event | {"contact": "capture"}
        if event.get("verdict") == "false_claim":
            at = f"dump.jsonl, line {1 + 'abcd'.index(event['case'][-1])}"
            event = event | {"verdict": "not_run", "message": "a record has no member 'key'", "case": at}
        captured.append(event)
    [line] = starting(told(captured, width=400), "NOT_RUN")
    assert line == (
        "NOT_RUN       4 cases: a record has no member 'key' "
        "(dump.jsonl, line 1; dump.jsonl, line 2; dump.jsonl, line 3; and 1 more)"
    )


@pytest.mark.parametrize("reason", ["it does not declare toy", "for toy it does not declare the role encode"])
def test_a_junit_report_counts_what_is_not_declared_at_all_in_a_property(reason: str) -> None:
    events = run({"a": "ok", "b": "ok", "c": "ok"})[1]
    for event in [e for e in events if e["event"] == "verdict"][1:]:
        event |= {"verdict": "unsupported", "message": reason}
    [suite] = ET.fromstring(rendered(RENDERERS["junit"], events)).findall("testsuite")
    [undeclared] = suite.findall("properties/property[@name='undeclared']")
    assert undeclared.attrib["value"] == f"2 cases: {reason}"
    assert (suite.attrib["tests"], suite.attrib["skipped"], len(suite.findall("testcase"))) == ("1", "0", 1)


def test_a_junit_report_has_a_test_case_for_what_is_declared_in_part() -> None:
    events = run({"a": "ok"})[1]
    [verdict] = [e for e in events if e["event"] == "verdict"]
    verdict |= {"verdict": "unsupported", "message": "for toy it does not declare columns of type set"}
    [suite] = ET.fromstring(rendered(RENDERERS["junit"], events)).findall("testsuite")
    assert (suite.attrib["skipped"], len(suite.findall("testcase/skipped"))) == ("1", 1)
