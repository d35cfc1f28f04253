"""JUnit XML for Jenkins, GitLab and their like: a suite a protocol, a class a requirement, a test case a case.

Baselined failures are skipped with their reason. Cases that were not selected are counted in the property `excluded` of
their suite, and in `undeclared`, with the reason, those of a protocol or a role that is not declared at all: they are
no test cases. Written with the elements and attributes that the readers share.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO

from reports.failure import failure_text
from reports.gathering import clusters
from reports.renderer import Event, Renderer
from reports.texts import case_count, difference, path_of, printable

__all__ = ["JunitRenderer"]

_LONGEST_VALUE = 120

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
"""Verdict → element of the test case. The others pass; what was found is then in their output."""


@dataclass(slots=True)
class _Suite:
    element: ET.Element
    counts: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    excluded: int = 0
    undeclared: dict[str, int] = field(default_factory=dict)


class JunitRenderer(Renderer):
    """Keeps the test cases until it is closed."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._root = ET.Element("testsuites", name="ticdc-conformance")
        self._suites: dict[tuple[str, str], _Suite] = {}
        self._iuts: dict[str, Event] = {}
        self._case: Event = {}
        self._ended = False

    def handle(self, event: Event) -> None:
        """Take the next event."""
        kind = event["event"]
        if kind == "iut":
            self._iuts[event["iut"]] = event
        elif kind == "plan":
            for part in event.get("by", ()):
                if event["iut"] in self._iuts:
                    self._suite(part["protocol"], event["iut"]).excluded += part["excluded"]
        elif kind == "case":
            self._case = event
        elif kind == "verdict":
            self._verdict(event, self._case if self._case.get("case") == event["case"] else {})
        elif kind == "verdicts":
            self._together(event)
        elif kind == "end":
            self._ended = True

    def close(self) -> None:
        """Write the document. A record that was cut is an error of a test case of its own."""
        if not self._ended:
            suite = self._suite("record", "")
            case = ET.SubElement(suite.element, "testcase", name="the run came to its end", classname="record")
            message = "the record has no 'end' event: the run was cut"
            ET.SubElement(case, "error", message=message, type="truncated").text = message
            suite.counts["error"] = 1
            suite.counts["tests"] = 1
        for (_, label), suite in self._suites.items():
            _count(suite.element, suite.counts, suite.seconds)
            iut = self._iuts.get(label, {})
            given = {"iut": label, "address": iut.get("address"), "profile": iut.get("profile")}
            given["undeclared"] = "; ".join(f"{case_count(n)}: {reason}" for reason, n in suite.undeclared.items())
            suite.element.insert(0, _properties(given | {"excluded": suite.excluded}))
        total: dict[str, int] = {}
        for suite in self._suites.values():
            for name, n in suite.counts.items():
                total[name] = total.get(name, 0) + n
        _count(self._root, total, sum(s.seconds for s in self._suites.values()))
        # The element that sums up has no member for what was skipped.
        del self._root.attrib["skipped"]
        ET.indent(self._root)
        self._out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        self._out.write(ET.tostring(self._root, encoding="unicode") + "\n")

    def _suite(self, protocol: str, label: str) -> _Suite:
        key = protocol, label
        if key not in self._suites:
            element = ET.SubElement(self._root, "testsuite", name=_clean(protocol), package=_clean(label))
            self._suites[key] = _Suite(element)
        return self._suites[key]

    def _together(self, event: Event) -> None:
        """Cases that were settled together are one test case, or counted where their protocol is not declared."""
        suite, message = self._suite(event["protocol"], event["iut"]), str(event.get("message", ""))
        if event["verdict"] == "unsupported" and _is_whole(event["protocol"], message):
            suite.undeclared[message] = suite.undeclared.get(message, 0) + event["cases"]
            return
        named = {"case": f"{event['protocol']}: {case_count(event['cases'])}", "level": "", "replay": ""}
        self._verdict({**event, **named, "findings": (), "fingerprints": ()}, {})

    def _verdict(self, event: Event, case: Event) -> None:
        suite = self._suite(event["protocol"], event["iut"])
        verdict, findings = event["verdict"], event["findings"]
        if verdict == "excluded":
            return
        if verdict == "unsupported" and _is_whole(event["protocol"], message := str(event.get("message", ""))):
            suite.undeclared[message] = suite.undeclared.get(message, 0) + 1
            return
        classes = [f["requirement"] for f in findings] or [*event.get("requirements", ())] or [event["protocol"]]
        seconds = event.get("seconds", 0.0)
        element = ET.SubElement(
            suite.element,
            "testcase",
            name=_clean(f"{event['case']} ({event['role']})"),
            classname=_clean(f"{event['protocol']}.{classes[0]}"),
            time=f"{seconds:.3f}",
        )
        if verdict != "pass":
            given = {"verdict": verdict, "level": event["level"], "replay": event.get("replay")}
            given["place"] = next((f["place"] for f in findings if f.get("place")), "")
            given["harm"] = " ".join(dict.fromkeys(f["harm"] for f in findings if f.get("harm")))
            element.append(_properties(given | {"fingerprint": " ".join(event["fingerprints"])}))
        suite.counts["tests"] = suite.counts.get("tests", 0) + 1
        suite.seconds += seconds
        tag = _ELEMENTS.get(verdict)
        if tag is not None:
            suite.counts[tag] = suite.counts.get(tag, 0) + 1
            outcome = ET.SubElement(element, tag, message=_clean(_headline(event)), type=verdict)
            if tag != "skipped":
                outcome.text = _clean(failure_text(event, case))
        elif findings or verdict != "pass":
            ET.SubElement(element, "system-out").text = _clean(f"{verdict}\n{failure_text(event, case)}")
        if event.get("stderr") and tag != "skipped":
            ET.SubElement(element, "system-err").text = _clean(event["stderr"])


def _is_whole(protocol: str, reason: str) -> bool:
    """Whether the reason is that a protocol or a role of it is not declared at all."""
    named = f"it does not declare {protocol}"
    return reason == named or reason.startswith(f"for {protocol} it does not declare the role ")


def _count(element: ET.Element, counts: Mapping[str, int], seconds: float) -> None:
    for attribute, name in (("tests", "tests"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(counts.get(name, 0)))
    element.set("time", f"{seconds:.3f}")


def _properties(given: Mapping[str, Any]) -> ET.Element:
    properties = ET.Element("properties")
    for name, value in given.items():
        if value:
            ET.SubElement(properties, "property", name=name, value=_clean(str(value)))
    return properties


def _headline(event: Event) -> str:
    reasons = "; ".join(k["reason"] or k["issue"] or k["entry"] for k in event.get("known", ()))
    if event["verdict"] == "xfail":
        return f"known: {reasons}"
    if event["findings"]:
        first = clusters(event["findings"])[0][0]
        want, have, _ = difference(first["expected"], first["got"], _LONGEST_VALUE)
        return f"{first['requirement']} {path_of(first)}: {have}, not {want}"
    return str(event.get("message") or reasons or event["verdict"])


def _clean(text: str) -> str:
    """The text with controls as signs, for which XML has no way to write, not even by number."""
    return printable(text)
