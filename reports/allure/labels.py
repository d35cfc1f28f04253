"""The place and severity of a case in Allure: labels, parameters, status, headline and category; no files.

The report and the pytest plug-in share these functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reports.clusters import clusters
from reports.plain import plain
from reports.reasons import failed_before
from reports.renderer import Event
from reports.texts import cut, known_texts
from reports.vocabulary import rank, without_numbers, worst_harm

__all__ = [
    "CATEGORIES",
    "SEVERITIES",
    "STATUSES",
    "Rules",
    "harm_of",
    "headline",
    "labels_of",
    "parameters_of",
    "status_of",
    "worst_first",
]

SEVERITIES: Mapping[str, str] = {
    "lost": "blocker",
    "changed": "critical",
    "schema": "normal",
    "metadata": "normal",
    "strictness": "minor",
    "form": "trivial",
}
"""Harm → severity."""

STATUSES: Mapping[str, str] = {
    "pass": "passed",
    "warn": "passed",
    "flaky": "passed",
    "xpass": "passed",
    "fail": "failed",
    "xfail_changed": "failed",
    "false_claim": "failed",
    "crash": "broken",
    "timeout": "broken",
    "protocol_error": "broken",
    "suite_error": "broken",
    "xfail": "skipped",
    "unsupported": "skipped",
    "not_run": "skipped",
}
"""Verdict → status under the usual gate. A deselected case has no entry."""

_OF_HARM: Mapping[str, str] = {
    "lost": "Lost: a value or a row is missing",
    "changed": "Changed: a reader gets another value",
    "schema": "Schema: a type or a column is described wrongly",
    "metadata": "Metadata: a time or a position is wrong",
    "strictness": "Strictness: malformed input is taken",
    "form": "Form: the same is written in other bytes",
}

CATEGORIES: Sequence[Mapping[str, object]] = [
    *(
        {"name": f"{number} {name}", "matchedStatuses": ["failed"], "messageRegex": f"(?s){harm}: .*"}
        for number, (harm, name) in enumerate(_OF_HARM.items(), 1)
    ),
    {
        "name": "0 No answer: a crash, a time-out or a malformed line",
        "matchedStatuses": ["broken"],
        "messageRegex": "(?s)lost: .*",
    },
    {"name": "7 Errors of the suite", "matchedStatuses": ["broken"], "messageRegex": "(?s)suite_error.*"},
    {"name": "8 Known failures", "matchedStatuses": ["skipped"], "messageRegex": "(?s)known: .*"},
    {"name": "9 Not supported, by its own word", "matchedStatuses": ["skipped"], "messageRegex": "(?s)unsupported.*"},
]
"""The categories of failures, by the beginning of their `headline`; Allure sorts them by name, hence the numbers."""

Rules = Mapping[tuple[str, str], tuple[str, str]]
"""(protocol, id of a requirement) → its group and its rule."""

_INPUTS = "Inputs"
"""Feature of the cases that were written for no single requirement."""
_TAGGED = frozenset({"warn", "flaky", "xpass", "xfail", "xfail_changed", "not_run"})
"""Verdicts that share a status with others: tags distinguish them."""
_LONGEST_LABEL = 120


def status_of(verdict: Event, gate: str) -> str:
    """The status of a verdict by the gate of the run."""
    word = str(verdict["verdict"])
    status = STATUSES.get(word, "unknown")
    if gate == "should" and word == "warn":
        return "failed"
    return "skipped" if status in ("failed", "broken") and failed_before(verdict, gate) else status


def harm_of(verdict: Event) -> str:
    """The worst harm of a case, which is `lost` without an answer; empty without a finding above MAY."""
    return worst_harm((finding for finding in verdict["findings"] if finding["level"] != "may"), verdict)


def labels_of(verdict: Event, rules: Rules) -> list[tuple[str, str]]:
    """(name, value) of the labels: epic, feature and story, severity, suites, and tags. One story a case."""
    protocol, role = str(verdict["protocol"]), str(verdict["role"])
    feature, story = _behaviour(verdict, rules)
    family = _family(str(verdict["case"]))[0]
    found = [("epic", protocol), ("feature", feature), ("story", story)]
    harm = harm_of(verdict)
    found += [("severity", SEVERITIES[harm])] if harm in SEVERITIES else []
    found += [("parentSuite", protocol), ("suite", role), ("subSuite", family)]
    found.append(("package", ".".join(filter(None, (protocol, role, family)))))
    word = str(verdict["verdict"])
    tags = [role, str(verdict.get("level", "")), harm, word if word in _TAGGED else ""]
    found += [("tag", tag) for tag in dict.fromkeys(tags) if tag]
    return [(name, plain(cut(value, _LONGEST_LABEL)) or "-") for name, value in found]


def parameters_of(verdict: Event, *, several: bool) -> dict[str, str]:
    """The subject of the case, by name: its role and axes; implementation and profile where there are several."""
    whose = {"implementation": verdict["iut"], "profile": verdict.get("profile")} if several else {}
    found = {**whose, "role": verdict["role"], **verdict.get("axes", {})}
    return {plain(str(name)): plain(cut(str(value), _LONGEST_LABEL)) for name, value in found.items() if value}


def _behaviour(verdict: Event, rules: Rules) -> tuple[str, str]:
    """The group and the requirement that the case breaks, or else was written for; or the kind of its input."""
    for broken in worst_first(verdict):
        if broken["level"] != "may":
            return str(broken.get("group") or _INPUTS), f"{broken['requirement']} {broken.get('rule', '')}".rstrip()
    for number in verdict.get("requirements", ()):
        if (verdict["protocol"], number) in rules:
            group, rule = rules[verdict["protocol"], number]
            return group or _INPUTS, f"{number} {rule}".rstrip()
    return _INPUTS, " ".join(filter(None, _family(str(verdict["case"]))))


def _family(case: str) -> tuple[str, str]:
    """The second and the third part of a case's id, `type` and `int`."""
    parts = [*case.split("/")[1:-1], "", ""]
    return parts[0], parts[1]


def worst_first(verdict: Event) -> list[Mapping[str, Any]]:
    """The most informative finding of each cause; those of a MAY last."""
    leads = [cluster[0] for cluster in clusters(verdict["findings"])]
    return sorted(leads, key=lambda one: (one["level"] == "may", rank(str(one.get("harm", "")))))


def headline(verdict: Event) -> str:
    """The headline of a failure, beginning with the harm. Allure groups failures by it: one headline is one cause."""
    word, harm = str(verdict["verdict"]), harm_of(verdict)
    lead = f"{harm}: " if harm else ""
    if word == "xfail":
        return plain(f"known: {known_texts(verdict)}")
    if broken := worst_first(verdict):
        return plain(f"{lead}{broken[0]['requirement']} {broken[0].get('rule', '')}".rstrip())
    message = without_numbers(str(verdict.get("message", "")))
    return plain(": ".join(filter(None, (f"{lead}{word}", message)))) if word != "pass" else ""
