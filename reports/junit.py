"""JUnit XML for Jenkins, GitLab and their like: a suite a protocol, a class a requirement, a test case a case.

Baselined failures are skipped with their reason. Written with the elements and attributes that the readers share.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO

from reports.renderer import Event, Renderer
from reports.texts import input_lines, options_text, oracle_text, value_text

__all__ = ["JunitRenderer"]

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
    "excluded": "skipped",
    "not_run": "skipped",
}
"""Verdict → element of the test case. The others pass; what was found is then in their output."""

# XML 1.0 has no way to write these, not even by number.
_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(slots=True)
class _Suite:
    element: ET.Element
    counts: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0


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
        elif kind == "case":
            self._case = event
        elif kind == "verdict":
            self._verdict(event, self._case if self._case.get("case") == event["case"] else {})
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
        for suite in self._suites.values():
            _count(suite.element, suite.counts, suite.seconds)
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
            element = ET.SubElement(self._root, "testsuite", name=protocol, package=_clean(label))
            self._suites[key] = _Suite(element)
            iut = self._iuts.get(label, {})
            given = {"iut": label, "address": iut.get("address"), "profile": iut.get("profile")}
            _properties(element, given)
        return self._suites[key]

    def _verdict(self, event: Event, case: Event) -> None:
        suite = self._suite(event["protocol"], event["iut"])
        verdict, findings = event["verdict"], event["findings"]
        classes = [f["requirement"] for f in findings] or [*event.get("requirements", ())] or [event["protocol"]]
        seconds = event.get("seconds", 0.0)
        element = ET.SubElement(
            suite.element,
            "testcase",
            name=_clean(f"{event['case']} ({event['role']})"),
            classname=_clean(f"{event['protocol']}.{classes[0]}"),
            time=f"{seconds:.3f}",
        )
        places = "; ".join(dict.fromkeys(f["place"] for f in findings if f.get("place")))
        given = {"verdict": verdict, "level": event["level"], "place": places, "replay": event.get("replay")}
        _properties(element, given | {"fingerprint": " ".join(event["fingerprints"])})
        suite.counts["tests"] = suite.counts.get("tests", 0) + 1
        suite.seconds += seconds
        tag = _ELEMENTS.get(verdict)
        if tag is not None:
            suite.counts[tag] = suite.counts.get(tag, 0) + 1
            outcome = ET.SubElement(element, tag, message=_clean(_headline(event)), type=verdict)
            if tag != "skipped":
                outcome.text = _clean(_body(event, case))
        elif findings or verdict != "pass":
            ET.SubElement(element, "system-out").text = _clean(f"{verdict}\n{_body(event, case)}")
        if event.get("stderr") and tag != "skipped":
            ET.SubElement(element, "system-err").text = _clean(event["stderr"])


def _count(element: ET.Element, counts: Mapping[str, int], seconds: float) -> None:
    for attribute, name in (("tests", "tests"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(counts.get(name, 0)))
    element.set("time", f"{seconds:.3f}")


def _properties(element: ET.Element, given: Mapping[str, Any]) -> None:
    properties = ET.SubElement(element, "properties")
    for name, value in given.items():
        if value:
            ET.SubElement(properties, "property", name=name, value=_clean(str(value)))


def _headline(event: Event) -> str:
    reasons = "; ".join(k["reason"] or k["issue"] or k["entry"] for k in event.get("known", ()))
    if event["verdict"] == "xfail":
        return f"known: {reasons}"
    if event["findings"]:
        first = event["findings"][0]
        return (
            f"{first['requirement']} {first['path']}: {value_text(first['got'])}, not {value_text(first['expected'])}"
        )
    return str(event.get("message") or reasons or event["verdict"])


def _body(event: Event, case: Event) -> str:
    lines = []
    for finding in event["findings"]:
        lines += [
            f"{finding['requirement']} {finding['level'].upper()} {finding['fingerprint']}",
            f"rule      {finding.get('rule', '')}",
            f"place     {finding.get('place', '')}",
            f"path      {finding['path']}",
            f"expected  {value_text(finding['expected'])}",
            f"got       {value_text(finding['got'])}",
            f"oracle    {oracle_text(finding)}",
        ]
    if event.get("message"):
        lines.append(str(event["message"]))
    lines += [f"options   {options}"] if (options := options_text(case)) else []
    lines += [f"input     {line}" for line in input_lines(case)]
    return "\n".join(lines)


def _clean(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", text)
