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
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO

from reports.causes import replay_command
from reports.failure import failure_text
from reports.gathering import Gathering, clusters, is_undeclared
from reports.happened import without_when
from reports.reasons import unproven_of
from reports.renderer import Event, Renderer
from reports.texts import case_count, cut, difference, known_text, path_of, printable, weight_text

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
    """A test case without its class, which needs the end of the record."""

    name: str
    requirement: str
    group: str
    seconds: float
    tag: str = ""
    message: str = ""
    type: str = ""
    text: str = ""
    out: str = ""
    err: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Suite:
    cases: list[_Case] = field(default_factory=list)
    excluded: int = 0
    undeclared: dict[str, int] = field(default_factory=dict)


class JunitRenderer(Renderer):
    """Collects test cases and writes the document at the end, since its root has the totals."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._gathering = Gathering()
        self._suites: dict[tuple[str, str], _Suite] = {}
        self._case: Event = {}
        self._explained: dict[tuple[str, ...], str] = {}
        self._room = {"text": _ROOM, "stderr": _ROOM}

    def handle(self, event: Event) -> None:
        """Take the next event."""
        self._gathering.handle(event)
        kind = event["event"]
        if kind == "plan":
            for part in event.get("by", ()):
                if event["iut"] in self._gathering.iuts:
                    self._suite(part["protocol"], event["iut"]).excluded += part["excluded"]
        elif kind == "case":
            self._case = event
        elif kind == "verdict":
            self._verdict(event, self._case if self._case.get("case") == event["case"] else {})
        elif kind == "verdicts":
            self._settled_together(event)

    def close(self) -> None:
        """Write the document. A run without proof becomes an error of a test case of its own."""
        root = ET.Element("testsuites", name="ticdc-conformance")
        if (about := self._about_the_run()) is not None:
            _add_suite(root, "run", "", [("run", about)], {})
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

    def _settled_together(self, event: Event) -> None:
        """Cases with a common verdict are one test case; those of an undeclared protocol are only counted."""
        suite, message = self._suite(event["protocol"], event["iut"]), str(event.get("message", ""))
        if event["verdict"] == "unsupported" and is_undeclared(event["protocol"], message):
            suite.undeclared[message] = suite.undeclared.get(message, 0) + event["cases"]
            return
        named = {"case": f"{event['protocol']}: {case_count(event['cases'])}", "level": "", "replay": ""}
        self._verdict({**event, **named, "findings": (), "fingerprints": ()}, {})

    def _verdict(self, event: Event, case: Event) -> None:
        suite = self._suite(event["protocol"], event["iut"])
        verdict, findings = event["verdict"], event["findings"]
        if verdict == "excluded":
            # In records of schema 1 the plan counts these, too.
            suite.excluded += self._gathering.run.get("schema", 2) >= 2
            return
        if verdict == "unsupported" and is_undeclared(event["protocol"], message := str(event.get("message", ""))):
            suite.undeclared[message] = suite.undeclared.get(message, 0) + 1
            return
        tag = self._element(event)
        named = [*event.get("requirements", ()), *(one["requirement"] for one in findings)]
        test_case = _Case(
            _name(f"{event['case']} ({event['role']})"),
            str(named[0]) if named else "",
            str(findings[0].get("group") or "") if findings else "",
            float(event.get("seconds", 0.0)),
            tag,
        )
        if verdict != "pass":
            harms = dict.fromkeys(str(one["harm"]) for one in findings if one.get("harm"))
            test_case.properties = {
                "verdict": verdict,
                "harm": " ".join(harms),
                "replay": str(event.get("replay") or ""),
            }
        if tag:
            test_case.message, test_case.type = _headline(event, tag), verdict
            test_case.text = "" if tag == "skipped" else self._explanation(event, case)
        elif verdict != "pass" or findings:
            test_case.out = self._output(event, case)
        if event.get("stderr") and tag in ("failure", "error"):
            test_case.err = self._within("stderr", cut(str(event["stderr"]), _LONGEST_TEXT))
        suite.cases.append(test_case)

    def _element(self, event: Event) -> str:
        """The element of a verdict by the gate of the run; empty for a case that passes."""
        gate, verdict = self._gathering.run.get("gate"), event["verdict"]
        if gate == "should" and verdict == "warn":
            return "failure"
        tag = _ELEMENTS.get(verdict, "")
        # A failure that the compared run already had does not fail this one.
        known = gate == "regress" and event.get("new") is False and verdict != "suite_error"
        return "skipped" if known and tag in ("failure", "error") else tag

    def _explanation(self, event: Event, case: Event) -> str:
        """The fault, in full for the first case of a cause, else with a reference to that one."""
        again = self._again(event)
        iut = self._gathering.iuts.get(event["iut"])
        replay = f"replay    {replay_command(self._gathering, iut, event)}" if iut is not None else ""
        if again:
            return "\n".join([*again, replay])
        text = self._within("text", cut(failure_text(event, case), _LONGEST_TEXT))
        return "\n".join(filter(None, (text or "explained by the replay", replay)))

    def _output(self, event: Event, case: Event) -> str:
        """The output of a case that passes: its verdict if that is another word, and its findings."""
        again = self._again(event)
        if event["verdict"] == "pass":
            return "" if again else self._within("text", cut(failure_text(event, case), _LONGEST_TEXT))
        known = [known_text(one) for one in event.get("known", ())]
        lead = "; ".join([event["verdict"], *known])
        if not event["findings"]:
            return lead
        return "\n".join([lead, *(again or [self._within("text", cut(failure_text(event, case), _LONGEST_TEXT))])])

    def _again(self, event: Event) -> list[str]:
        """A line for each cause that an earlier case explains; empty where one is new."""
        if event["findings"]:
            leads = [cluster[0] for cluster in clusters(event["findings"])]
            keys = [(event["iut"], lead["requirement"], lead["fingerprint"]) for lead in leads]
            names = [f"{lead['requirement']} {weight_text(lead)}" for lead in leads]
        else:
            keys, names = (
                [(event["iut"], event["verdict"], without_when(str(event.get("message", ""))))],
                [event["verdict"]],
            )
        lines = [f"{n}: as in {self._explained[k]}" for k, n in zip(keys, names, strict=True) if k in self._explained]
        for key in keys:
            self._explained.setdefault(key, _name(f"{event['case']} ({event['role']})"))
        return lines if len(lines) == len(keys) else []

    def _within(self, what: str, text: str) -> str:
        """The text, as long as there is room for texts of its kind."""
        self._room[what] -= len(text)
        return text if self._room[what] >= 0 else ""

    # -- the end of a run -------------------------------------------------------------------------------------------

    def _about_the_run(self) -> _Case | None:
        if (about := unproven_of(self._gathering)) is None:
            return None
        tag = "error" if about.is_error else "failure"
        return _Case(about.name, "", "", 0.0, tag, cut(about.text, _LONGEST), about.type, about.text)

    def _group(self, label: str, protocol: str, case: _Case) -> str:
        """The group of the case's first requirement: the same whether it passes or fails, for its history."""
        iut = self._gathering.iuts.get(label)
        of = iut.requirements.get((protocol, case.requirement), {}) if iut is not None else {}
        # Jenkins takes the part before the last dot for a package.
        return str(of.get("group") or case.group or "other").replace(".", "·")

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
        suite.set(attribute, str(sum(case.tag == tag for _, case in cases)))
    suite.set("time", f"{sum(case.seconds for _, case in cases):.3f}")
    if started:
        suite.set("timestamp", started)
    _add_properties(suite, properties)
    for classname, case in cases:
        seconds = f"{case.seconds:.3f}"
        element = ET.SubElement(suite, "testcase", name=case.name, classname=_short(classname), time=seconds)
        _add_properties(element, case.properties)
        if case.tag:
            given = {"message": _short(case.message), "type": case.type}
            ET.SubElement(element, case.tag, given).text = printable(case.text) or None
        for tag, text in (("system-out", case.out), ("system-err", case.err)):
            if text:
                ET.SubElement(element, tag).text = printable(text)


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
        want, have, _ = difference(first["expected"], first["got"], _LONGEST_VALUE)
        return f"{lead}{first['requirement']} {path_of(first)}: {have}, not {want}"
    return str(event.get("message") or reasons or event["verdict"])


def _short(text: str) -> str:
    """A text for an attribute: cut to a limit, and without control characters, which XML cannot hold."""
    return cut(printable(text[: 2 * _LONGEST]).replace("\n", " "), _LONGEST)


def _name(text: str) -> str:
    """The name of a case; one that is too long ends in a hash, so that names stay distinct."""
    if len(text) <= _LONGEST_NAME:
        return _short(text)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{_short(text[:_LONGEST_NAME])}… {digest}"
