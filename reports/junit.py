"""JUnit XML for Jenkins, GitLab and similar: a suite a protocol, a class a group of requirements, a case a case.

The first case of a cause explains it; later cases name that one. Baselined failures are skipped with their reason.
Cases that were not selected, and records of a capture that were not judged, are no test cases: the property `excluded`
of their suite counts them. Those of an undeclared protocol or role are counted, with the reason, in `undeclared`. Where
the run itself proves nothing, a case of the suite `run` says so. Written with the elements and attributes that the
readers share.
"""

from __future__ import annotations

import hashlib
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO

from reports.causes import replay_command
from reports.clusters import clusters
from reports.failure import failure_text
from reports.gathering import GatheringRenderer, as_one_case
from reports.reasons import Unproven, failed_before, unproven_of
from reports.renderer import Event
from reports.texts import case_count, cut, difference_of, known_texts, path_of, printable, weight_text
from reports.unjudged import is_undeclared
from reports.vocabulary import without_numbers

__all__ = ["JunitRenderer"]

_LONGEST_VALUE = 80
_LONGEST, _LONGEST_NAME, _LONGEST_TEXT = 300, 200, 6_000
_ROOM = 2_000_000
"""The most characters of all explanations together, and of all stderr: readers refuse files beyond 30 MB."""

_ELEMENTS: Mapping[str, str] = {
    "fail": "failure",
    "xfail_changed": "failure",
    "false_claim": "failure",
    "crash": "error",
    "timeout": "error",
    "protocol_error": "error",
    "suite_error": "error",
    "xfail": "skipped",
    "unsupported": "skipped",
    "not_run": "skipped",
}
"""Verdict → element of the test case. The others pass; their findings are then in their output."""

_STARTED = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}")


@dataclass(slots=True)
class _Case:
    """A test case whose element has no class yet: that needs the end of the record."""

    element: ET.Element
    seconds: float = 0.0
    requirement: str = ""
    """The first requirement that the case names."""
    group: str = ""
    """The group of its first finding."""


@dataclass(slots=True)
class _Suite:
    cases: list[_Case] = field(default_factory=list)
    excluded: int = 0
    undeclared: Counter[str] = field(default_factory=Counter)


class JunitRenderer(GatheringRenderer):
    """Collects test cases and writes the document at the end, since its root has the totals."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._out = out
        self._suites: dict[tuple[str, str], _Suite] = {}
        self._explained: dict[tuple[str, ...], str] = {}
        """Implementation and cause → the name of the test case that explains it."""
        self._room = {"text": _ROOM, "stderr": _ROOM}

    def handle(self, event: Event) -> None:
        """Take the next event."""
        super().handle(event)
        kind = event["event"]
        if kind == "plan" and event["iut"] in self._gathering.iuts:
            for part in event.get("by", ()):
                self._suite(part["protocol"], event["iut"]).excluded += part["excluded"]
        elif kind == "verdict":
            self._verdict(event, 1)
        elif kind == "verdicts":
            # Cases with a common verdict are one test case.
            self._verdict(as_one_case(event), event["cases"])

    def close(self) -> None:
        """Write the document. A run without proof becomes an error of a test case of its own."""
        root = ET.Element("testsuites", name="ticdc-conformance")
        if (unproven := unproven_of(self._gathering)) is not None:
            _add_suite(root, "run", "", [("run", _case_of_the_run(unproven))], {})
        for (protocol, label), suite in self._suites.items():
            several = len(self._gathering.iuts) > 1
            lead = f"{label}.{protocol}" if several else protocol
            cases = [(f"{lead}.{self._group(label, protocol, case)}", case) for case in suite.cases]
            name = f"{protocol} ({label})" if several else protocol
            _add_suite(root, name, label, cases, self._properties(protocol, label, suite), self._started())
        for attribute in ("tests", "failures", "errors"):
            root.set(attribute, str(sum(int(suite.get(attribute, "0")) for suite in root)))
        root.set("time", f"{sum(case.seconds for suite in self._suites.values() for case in suite.cases):.3f}")
        ET.indent(root)
        self._out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        self._out.write(ET.tostring(root, encoding="unicode") + "\n")

    # -- what is collected -------------------------------------------------------------------------------------------

    def _suite(self, protocol: str, label: str) -> _Suite:
        return self._suites.setdefault((protocol, label), _Suite())

    def _verdict(self, event: Event, cases: int) -> None:
        """Add a test case for the event of so many cases; those of an undeclared protocol are only counted."""
        suite, message = self._suite(event["protocol"], event["iut"]), str(event.get("message", ""))
        verdict, findings = event["verdict"], event["findings"]
        if verdict == "excluded":
            # In records of schema 1 the plan counts these, too.
            suite.excluded += self._gathering.run.get("schema", 2) >= 2
            return
        if verdict == "unsupported" and is_undeclared(event["protocol"], message):
            suite.undeclared[message] += cases
            return
        tag = self._element(event)
        requirements = [*event.get("requirements", ()), *(one["requirement"] for one in findings)]
        seconds = float(event.get("seconds", 0.0))
        element = _test_case(_name_of(event), seconds)
        if verdict != "pass":
            harms = dict.fromkeys(str(one["harm"]) for one in findings if one.get("harm"))
            replay = str(event.get("replay") or "")
            _add_properties(element, {"verdict": verdict, "harm": " ".join(harms), "replay": replay})
        if tag:
            text = "" if tag == "skipped" else self._explanation(event)
            _add_result(element, tag, _headline(event, tag), verdict, text)
        elif verdict != "pass" or findings:
            _add_output(element, "system-out", self._output(event))
        if event.get("stderr") and tag in ("failure", "error"):
            stderr = self._within("stderr", cut(str(event["stderr"]), _LONGEST_TEXT))
            _add_output(element, "system-err", stderr)
        requirement = str(requirements[0]) if requirements else ""
        group = str(findings[0].get("group") or "") if findings else ""
        suite.cases.append(_Case(element, seconds, requirement, group))

    def _element(self, event: Event) -> str:
        """The element of a verdict by the gate of the run; empty for a case that passes."""
        gate, verdict = self._gathering.run.get("gate"), event["verdict"]
        if gate == "should" and verdict == "warn":
            return "failure"
        tag = _ELEMENTS.get(verdict, "")
        return "skipped" if tag in ("failure", "error") and failed_before(event, gate) else tag

    def _explanation(self, event: Event) -> str:
        """The fault, in full for the first case of a cause, else with a reference to that one."""
        references = self._references(event)
        iut = self._gathering.iuts.get(event["iut"])
        replay = f"replay    {replay_command(self._gathering.run, iut.event, event)}" if iut is not None else ""
        if references:
            return "\n".join([*references, replay])
        return "\n".join(filter(None, (self._in_full(event) or "explained by the replay", replay)))

    def _output(self, event: Event) -> str:
        """The output of a case that passes: its verdict if that is another word, and its findings."""
        references = self._references(event)
        if event["verdict"] == "pass":
            return "" if references else self._in_full(event)
        lead = "; ".join(filter(None, (event["verdict"], known_texts(event))))
        if not event["findings"]:
            return lead
        return "\n".join([lead, *(references or [self._in_full(event)])])

    def _references(self, event: Event) -> list[str]:
        """A line for each cause, with the earlier case that explains it; empty where a cause is new."""
        if event["findings"]:
            leads = [cluster[0] for cluster in clusters(event["findings"])]
            keys = [(event["iut"], lead["requirement"], lead["fingerprint"]) for lead in leads]
            names = [f"{lead['requirement']} {weight_text(lead)}" for lead in leads]
        else:
            message = without_numbers(str(event.get("message", "")))
            keys, names = [(event["iut"], event["verdict"], message)], [event["verdict"]]
        first = [self._explained.get(key, "") for key in keys]
        for key in keys:
            self._explained.setdefault(key, _name_of(event))
        return [f"{name}: as in {case}" for name, case in zip(names, first, strict=True)] if all(first) else []

    def _in_full(self, event: Event) -> str:
        return self._within("text", cut(failure_text(event, self._gathering.case_of(event)), _LONGEST_TEXT))

    def _within(self, what: str, text: str) -> str:
        """The text, as long as there is room for texts of its kind."""
        self._room[what] -= len(text)
        return text if self._room[what] >= 0 else ""

    # -- the end of a run -------------------------------------------------------------------------------------------

    def _group(self, label: str, protocol: str, case: _Case) -> str:
        """The group of the case's first requirement: the same whether it passes or fails, for its history."""
        iut = self._gathering.iuts.get(label)
        requirement = iut.requirements.get((protocol, case.requirement), {}) if iut is not None else {}
        # Jenkins takes the part before the last dot for a package.
        return str(requirement.get("group") or case.group or "other").replace(".", "·")

    def _properties(self, protocol: str, label: str, suite: _Suite) -> Mapping[str, Any]:
        run = self._gathering.run
        iut = self._gathering.iuts.get(label)
        event: Event = iut.event if iut is not None else {}
        given = {"iut": label} | {name: event.get(name) for name in ("version", "language", "address", "profile")}
        given |= {"suite": run.get("suite"), "gate": run.get("gate"), "started": run.get("started")}
        given["register"] = run.get("registers", {}).get(protocol, {}).get("digest")
        given["undeclared"] = "; ".join(f"{case_count(n)}: {reason}" for reason, n in suite.undeclared.items())
        return given | {"excluded": suite.excluded}

    def _started(self) -> str:
        found = _STARTED.match(str(self._gathering.run.get("started", "")))
        return found[0] if found else ""


def _case_of_the_run(unproven: Unproven) -> _Case:
    """The test case for a run that proves nothing."""
    element = _test_case(unproven.name, 0.0)
    tag = "error" if unproven.is_error else "failure"
    _add_result(element, tag, cut(unproven.text, _LONGEST), unproven.type, unproven.text)
    return _Case(element)


# -- elements --------------------------------------------------------------------------------------------------------


def _add_suite(
    root: ET.Element,
    name: str,
    label: str,
    cases: list[tuple[str, _Case]],
    properties: Mapping[str, Any],
    started: str = "",
) -> None:
    suite = ET.SubElement(root, "testsuite", name=_short(name), package=_short(label))
    suite.set("tests", str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(case.element.find(tag) is not None for _, case in cases)))
    suite.set("time", f"{sum(case.seconds for _, case in cases):.3f}")
    if started:
        suite.set("timestamp", started)
    _add_properties(suite, properties)
    for classname, case in cases:
        case.element.set("classname", _short(classname))
        suite.append(case.element)


def _test_case(name: str, seconds: float) -> ET.Element:
    return ET.Element("testcase", name=name, classname="", time=f"{seconds:.3f}")


def _add_result(test_case: ET.Element, tag: str, message: str, kind: str, text: str) -> None:
    """Add the element of a case that does not pass: `failure`, `error` or `skipped`."""
    ET.SubElement(test_case, tag, message=_short(message), type=kind).text = printable(text) or None


def _add_output(test_case: ET.Element, tag: str, text: str) -> None:
    if text:
        ET.SubElement(test_case, tag).text = printable(text)


def _add_properties(element: ET.Element, given: Mapping[str, Any]) -> None:
    shown = {name: value for name, value in given.items() if value}
    if shown:
        properties = ET.SubElement(element, "properties")
        for name, value in shown.items():
            ET.SubElement(properties, "property", name=name, value=_short(str(value)))


def _headline(event: Event, tag: str) -> str:
    reasons = "; ".join(k["reason"] or k["issue"] or k["entry"] for k in event.get("known", ()))
    if event["verdict"] == "xfail":
        return f"known: {reasons}"
    lead = "failed before: " if tag == "skipped" and event["verdict"] in _ELEMENTS and event["findings"] else ""
    if event["findings"]:
        first = clusters(event["findings"])[0][0]
        expected, got, _ = difference_of(first, _LONGEST_VALUE)
        return f"{lead}{first['requirement']} {path_of(first)}: {got}, not {expected}"
    return str(event.get("message") or reasons or event["verdict"])


def _short(text: str) -> str:
    """A text for an attribute: cut to a limit, and without control characters, which XML cannot hold."""
    return cut(printable(text[: 2 * _LONGEST]).replace("\n", " "), _LONGEST)


def _name_of(event: Event) -> str:
    """The name of a test case; one that is too long ends in a hash, so that names stay distinct."""
    text = f"{event['case']} ({event['role']})"
    if len(text) <= _LONGEST_NAME:
        return _short(text)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{_short(text[:_LONGEST_NAME])}… {digest}"
