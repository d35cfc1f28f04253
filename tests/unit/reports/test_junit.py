"""JUnit as Jenkins and GitLab show it: names that last, one explanation a cause, nothing green without a proof."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings

from benchmarks.reports import rendered
from conformance.engine import run_suite
from conformance.engine.selection import Expression, Selection
from reports.junit import JunitRenderer
from tests.amounts import examples
from tests.toy import Toy, case, config, run, target
from tests.unit.reports.eventful import hostile_texts, record
from tests.unit.reports.hostile import LARGE, forbidden_in, spoiled

EVENTFUL = record()


# The elements, attributes and children that the common schema of JUnit reports knows; properties of test cases, which
# later ones add, included. A star marks what must be there.
GRAMMAR: Mapping[str, tuple[set[str], set[str]]] = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, {"testsuite"}),
    "testsuite": (
        {"name*", "tests*", "failures*", "errors*", "skipped", "time", "package", "timestamp"},
        {"properties", "testcase"},
    ),
    "properties": (set(), {"property"}),
    "property": ({"name*", "value*"}, set()),
    "testcase": (
        {"name*", "classname", "time"},
        {"properties", "skipped", "error", "failure", "system-out", "system-err"},
    ),
    "skipped": ({"message", "type"}, set()),
    "error": ({"message", "type"}, set()),
    "failure": ({"message", "type"}, set()),
    "system-out": (set(), set()),
    "system-err": (set(), set()),
}


def faults(element: ET.Element) -> list[str]:
    attributes, children = GRAMMAR[element.tag]
    names = {a.rstrip("*") for a in attributes}
    found = [f"{element.tag}@{a}" for a in set(element.attrib) - names]
    found += [f"{element.tag} lacks {a}" for a in attributes if a.endswith("*") and a[:-1] not in element.attrib]
    found += [f"{element.tag}/{child.tag}" for child in element if child.tag not in children]
    return found + [fault for child in element if child.tag in GRAMMAR for fault in faults(child)]


def text_of(events: list[dict[str, Any]]) -> str:
    return rendered(JunitRenderer, events)


def junit(events: list[dict[str, Any]]) -> ET.Element:
    """The document, which has only what its readers know, and counts what it holds."""
    root = ET.fromstring(text_of(events))
    assert faults(root) == []
    for attribute, path in (("tests", ""), ("failures", "/failure"), ("errors", "/error"), ("skipped", "/skipped")):
        counts = [len(suite.findall(f"testcase{path}")) for suite in root]
        assert [int(suite.attrib[attribute]) for suite in root] == counts
        assert int(root.attrib.get(attribute, sum(counts))) == sum(counts)
    return root


def outcomes(events: list[dict[str, Any]]) -> dict[str, str]:
    """Name of a test case → its element."""
    found = {case.attrib["name"]: case for case in junit(events).iter("testcase")}
    tags = ("failure", "error", "skipped")
    return {name: next((tag for tag in tags if of.find(tag) is not None), "passed") for name, of in found.items()}


def test_a_case_keeps_its_name_and_class_whether_it_passes_or_fails() -> None:
    named = []
    for word in ("ok", "T-5", "crash", "unsupported"):
        [of] = junit(run({"a": word})[1]).findall("testsuite[@name='toy']/testcase")
        named.append((of.attrib["classname"], of.attrib["name"]))
    assert set(named) == {("toy.toys", "toy/a (encode)")}


def test_a_group_with_a_dot_is_no_package() -> None:
    _, events = run({"a": "ok"})
    for event in events:
        if event["event"] == "requirement":
            event["group"] = "v1.2 rules"
    assert next(junit(events).iter("testcase")).attrib["classname"] == "toy.v1·2 rules"


def test_implementations_of_one_run_have_classes_and_suites_of_their_own() -> None:
    events: list[dict[str, Any]] = []
    run_suite(config(*(target(Toy(), [case("a")]) for _ in range(2))), [events.append])
    root = junit(events)
    assert [suite.attrib["name"] for suite in root] == ["toy (toy)", "toy (toy #2)"]
    assert [of.attrib["classname"] for of in root.iter("testcase")] == ["toy.toy.toys", "toy #2.toy.toys"]


def test_a_cause_is_explained_once_and_later_cases_name_the_first() -> None:
    found = [of.text or "" for of in junit(run({"a": "T-1", "b": "T-1", "c": "T-1 T-5@w"})[1]).iter("failure")]
    assert ["rule      What T-1 asks for holds." in text for text in found] == [True, False, True]
    assert found[1].splitlines()[0] == "T-1 MUST schema: as in toy/a (encode)"
    assert all("replay    ticdc-conformance replay " in text for text in found)


@pytest.mark.parametrize(
    ("word", "outcome"),
    [
        ("ok", "passed"),
        ("T-1", "failure"),
        ("T-2", "passed"),
        ("T-3", "passed"),
        ("T-1 T-2", "failure"),
        ("unsupported", "failure"),
        ("protocol_error", "error"),
        ("crash", "error"),
        ("timeout", "error"),
        ("ours", "error"),
    ],
)
def test_a_verdict_is_a_failure_an_error_or_neither(word: str, outcome: str) -> None:
    assert outcomes(run({"a": word, "b": "ok"})[1])["toy/a (encode)"] == outcome


def test_a_warning_fails_where_the_gate_says_so_and_else_is_told_in_the_output() -> None:
    _, events = run({"a": "T-2"})
    assert next(junit(events).iter("system-out")).text.startswith("warn\nT-2 SHOULD")  # type: ignore[union-attr]
    events[0]["gate"] = "should"
    assert outcomes(events) == {"toy/a (encode)": "failure"}


def test_what_failed_before_is_skipped_under_the_gate_that_says_so() -> None:
    _, events = run({"a": "T-1", "b": "T-1"})
    events[0]["gate"] = "regress"
    next(e for e in events if e["event"] == "verdict")["new"] = False
    assert outcomes(events) == {"toy/a (encode)": "skipped", "toy/b (encode)": "failure"}


NO_PROOF = {
    "lost": (run({"a": "ok"}, toy=Toy(dead=True))[1], "error"),
    "of nothing": (run({"a": "ok"}, selection=Selection(expression=Expression("toy/none")))[1], "error"),
    "cut": (run({"a": "ok"})[1][:-1], "error"),
}


@pytest.mark.parametrize(("events", "outcome"), NO_PROOF.values(), ids=NO_PROOF)
def test_a_run_that_proves_nothing_is_not_green(events: list[dict[str, Any]], outcome: str) -> None:
    assert outcome in outcomes(events).values()


def test_a_stale_baseline_is_a_failure() -> None:
    _, events = run({"a": "ok"})
    events[-1] |= {"exit": 7, "gate": {"policy": "data", "colour": "stale"}}
    assert outcomes(events) == {"the run proves something": "failure", "toy/a (encode)": "passed"}


def test_a_junit_report_counts_cases_that_were_not_selected_in_a_property() -> None:
    words = dict.fromkeys("abcdefgh", "ok")
    root = junit(run(words, selection=Selection(expression=Expression("toy/a or toy/b")))[1])
    [suite] = root.findall("testsuite")
    [excluded] = suite.findall("properties/property[@name='excluded']")
    assert (excluded.attrib["value"], suite.attrib["tests"], suite.attrib["skipped"]) == (str(len(words) - 2), "2", "0")


def test_records_of_a_capture_that_were_not_judged_are_counted_in_the_property_too() -> None:
    _, events = run({"a": "ok", "b": "ok"})
    next(event for event in events if event["event"] == "verdict")["verdict"] = "excluded"
    [suite] = junit(events).findall("testsuite")
    [excluded] = suite.findall("properties/property[@name='excluded']")
    assert (excluded.attrib["value"], suite.attrib["tests"]) == ("1", "1")


def test_a_suite_says_which_versions_and_when() -> None:
    _, events = run({"a": "ok"})
    events[0]["started"] = "2026-11-22T17:13:39+00:00"
    [suite] = junit(events)
    given = {one.attrib["name"]: one.attrib["value"] for one in suite.findall("properties/property")}
    assert suite.attrib["timestamp"] == "2026-11-22T17:13:39"
    assert (given["version"], given["profile"], given["language"]) == ("2.0", "newarch", "wood")
    assert {"suite", "register", "gate", "address"} <= set(given)


@given(hostile_texts)
@settings(max_examples=examples(40))
def test_no_text_breaks_the_document(text: str) -> None:
    events = spoiled(EVENTFUL, text)
    written = text_of(events)
    assert forbidden_in(written) == []
    assert len(list(junit(events).iter("testcase"))) == len(list(junit(EVENTFUL).iter("testcase")))


def test_what_an_implementation_says_beside_its_answers_is_in_the_document() -> None:
    _, events = run({"a": "T-1"})
    next(e for e in events if e["event"] == "verdict")["stderr"] = "\x1b[31mred\x00"
    assert junit(events).find(".//system-err") is not None


def test_large_texts_are_cut_and_names_stay_different() -> None:
    events = spoiled(EVENTFUL, LARGE)
    assert len(text_of(events)) < 300_000  # one text that is not cut would be too much
    for suite in junit(events):
        names = [of.attrib["name"] for of in suite.findall("testcase")]
        assert len(set(names)) == len(names)
