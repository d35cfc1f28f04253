"""Reports from events alone: what is read back, what is passed over, and what JUnit's readers accept."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from reports import RENDERERS, read_record
from reports.texts import difference, value_text, visible
from tests.toy import run

WORDS = {
    "a": "ok",
    "b": "T-1 T-2",
    "c": "crash",
    "d": "unsupported",
    "e": "ours",
    "f": "T-3",
    "g": "timeout",
    "h": "protocol_error",
}


def render(kind: str, events: Sequence[Mapping[str, Any]]) -> str:
    out = io.StringIO()
    report = RENDERERS[kind](out)
    for event in events:
        report.handle(event)
    report.close()
    return out.getvalue()


# -- the run record ------------------------------------------------------------------------------------------------


def test_a_record_reads_back_as_it_was_written() -> None:
    _, events = run(WORDS)
    again, problems = read_record(render("jsonl", events).splitlines())
    assert (again, problems) == (json.loads(json.dumps(events)), [])


def test_a_broken_line_is_named_and_hides_no_other() -> None:
    lines = render("jsonl", run(WORDS)[1]).splitlines()
    broken = [*lines[:2], '{"event": "verd', "[1]", '{"event": "plan", "iut": "toy"}', *lines[2:]]
    events, problems = read_record(broken, "run.jsonl")
    assert len(events) == len(lines)
    assert [p.split(":")[0] for p in problems] == [f"run.jsonl, line {n}" for n in (3, 4, 5)]
    assert "without planned" in problems[2]


def test_a_record_without_its_end_says_that_it_was_cut() -> None:
    lines = render("jsonl", run(WORDS)[1]).splitlines()[:-1]
    assert "no 'end' event" in read_record(lines)[1][0]


def test_events_and_members_of_a_later_version_are_kept_when_read() -> None:
    lines = [*render("jsonl", run(WORDS)[1]).splitlines()]
    later = ['{"event": "weather", "rain": true}', *lines]
    events, problems = read_record(later)
    assert (events[0]["rain"], problems) == (True, [])


@pytest.mark.parametrize("kind", RENDERERS)
def test_what_a_report_does_not_know_it_passes_over(kind: str) -> None:
    _, events = run(WORDS)
    later = [{"event": "weather"}, *({**e, "new_member": [1]} for e in events)]
    if kind != "jsonl":
        assert render(kind, later) == render(kind, events)
    else:
        assert len(render(kind, later).splitlines()) == len(later)


@pytest.mark.parametrize("kind", RENDERERS)
def test_every_report_of_a_cut_record_can_be_finished(kind: str) -> None:
    _, events = run(WORDS)
    cut_at = [render(kind, events[:n]) for n in range(len(events))]
    if kind != "jsonl":
        assert all("cut" in text for text in cut_at)
    else:
        assert [len(text.splitlines()) for text in cut_at] == list(range(len(events)))


# -- JUnit ---------------------------------------------------------------------------------------------------------

# The elements, attributes and children that the common schema of JUnit reports knows; properties of test cases, which
# later ones add, included. A star marks what must be there.
GRAMMAR: Mapping[str, tuple[set[str], set[str]]] = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, {"testsuite"}),
    "testsuite": (
        {"name*", "tests*", "failures*", "errors*", "skipped", "time", "package"},
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


def test_a_junit_report_has_only_what_its_readers_know() -> None:
    root = ET.fromstring(render("junit", run(WORDS)[1]))
    assert faults(root) == []


def test_a_junit_report_counts_what_it_holds() -> None:
    root = ET.fromstring(render("junit", run(WORDS)[1]))
    [suite] = root.findall("testsuite")
    cases = suite.findall("testcase")
    assert int(suite.attrib["tests"]) == len(cases) == len(WORDS)
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.attrib[attribute]) == len(suite.findall(f"testcase/{tag}"))
    assert (suite.attrib["failures"], suite.attrib["errors"]) == ("2", "4")


def test_a_junit_report_is_xml_whatever_was_found() -> None:
    _, events = run({"a": "T-1"})
    [verdict] = [e for e in events if e["event"] == "verdict"]
    verdict["findings"][0]["got"] = "\x00\ufffe<&]]>\x1b"
    verdict["stderr"] = "\x1b[31mred\x00"
    assert ET.fromstring(render("junit", events)).find(".//system-err") is not None


# -- texts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("\x00\t\n\x7f", "␀␉␊␡"),
        ("  a  b ", "··a  b·"),
        ("\u2028\u200b\ufeff\u00a0", "<U+2028><U+200B><U+FEFF><U+00A0>"),
        ("\U0001f600ü", "\U0001f600ü"),
        ("   ", "···"),
    ],
)
def test_nothing_invisible_stays_invisible(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (5, "5"),
        ("x", '"x"'),
        ({"$number": "1.50"}, "1.50"),
        ({"$missing": True}, "(nothing there)"),
        ({"$any": ["a", 1]}, '"a" or 1'),
        ({"$bytes": "00 ff", "length": 2}, "00 ff (2 bytes)"),
        ({"$text": "ab", "length": 5000}, '"ab…" (5000 characters)'),
        ({"a": [1, {"b": None}]}, "{a: [1, {b: null}]}"),
        ({"a": 2, "$doubled": ["a"]}, "{a: 2} with a doubled"),
    ],
)
def test_a_value_reads_on_one_line(value: Any, text: str) -> None:
    assert value_text(value) == text


def test_a_difference_deep_in_a_long_text_is_brought_into_view() -> None:
    want, have, pointer = difference("x" * 500 + "1", "x" * 500 + "2", 40)
    assert max(map(len, (want, have, pointer))) <= 40
    at = pointer.index("^")
    assert (want[at], have[at]) == ("1", "2")


def test_colour_is_never_the_only_carrier(monkeypatch: pytest.MonkeyPatch) -> None:
    _, events = run(WORDS)
    plain = render("terminal", events)
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = render("terminal", events)
    assert "\x1b[" in coloured
    words = set(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", coloured).split())
    assert set(plain.split()) <= words
