"""SARIF 2.1.0, for code scanning and editors: a SARIF run an implementation, a result a cause, a rule a requirement.

The limits are those of GitHub's code scanning: at most 5,000 results a SARIF run, the worst first, and 10 MB for the
compressed file. A notification counts what is left out.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from typing import Any, TextIO

from reports.gathering import Gathering, GatheringRenderer, Iut
from reports.links import HOME
from reports.plain import plain_tree
from reports.renderer import Event
from reports.sarif.invocation import invocation_of, notification
from reports.sarif.results import Results, results_of
from reports.sarif.rules import rules_of
from reports.texts import case_count, counted

__all__ = ["MOST_RESULTS", "SarifRenderer"]

MOST_RESULTS = 5_000
"""Results a SARIF run: with more, code scanning chooses 5,000 itself."""
_MOST_BYTES = 10_000_000
"""Of the compressed file: a larger one is refused."""
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEFT_OUT = {
    "may": "of a kind that any implementation is free to make",
    "later": "by requirements later than the version that scores",
}
"""Word of causes without a result → what they are."""


class SarifRenderer(GatheringRenderer):
    """Writes everything at the end."""

    def __init__(self, out: TextIO, *, most_bytes: int = _MOST_BYTES) -> None:
        super().__init__()
        self._out = out
        self._most_bytes = most_bytes
        self._notes: dict[str, list[str]] = {}

    def handle(self, event: Event) -> None:
        """Take the next event."""
        super().handle(event)
        if event["event"] == "note":
            self._notes.setdefault(event["iut"], []).append(f"{event['text']} (first at {event['case']})")

    def close(self) -> None:
        """Write the log; if it would be too large, only the worst results."""
        found = {label: results_of(self._gathering, iut) for label, iut in self._gathering.iuts.items()}
        most = MOST_RESULTS
        text = self._text(found, most)
        while most > 1 and _is_larger(text, self._most_bytes):
            # The worst result of each run stays: without one, code scanning would close every alert of the run.
            most = max(1, min(most, max(map(len, found.values()), default=0)) // 2)
            text = self._text(found, most)
        self._out.write(text)

    def _text(self, found: Mapping[str, Results], most: int) -> str:
        categories: set[str] = set()
        runs = [self._run(iut, found[label], most, categories) for label, iut in self._gathering.iuts.items()]
        log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": runs or [self._empty()]}
        return json.dumps(plain_tree(log), ensure_ascii=False, indent=1) + "\n"

    def _run(self, iut: Iut, results: Results, most: int, categories: set[str]) -> dict[str, Any]:
        kept = results[:most]
        notes = [notification("error", text) for text in _problems(iut)]
        notes += [notification("warning", text) for text in self._notes.get(iut.label, ())]
        if left_out := results[most:]:
            cases = case_count(sum(result["occurrenceCount"] for result in left_out))
            causes = counted(len(left_out), "more cause", "more causes")
            verb = "is" if len(left_out) == 1 else "are"
            text = f"{causes}, in {cases}, {verb} left out: the worst {len(kept):,} are here"
            notes.append(notification("warning", text))
        for word, kind in _LEFT_OUT.items():
            if number := sum(cause.word == word for cause in iut.causes):
                text = f"{counted(number, 'difference', 'differences')} {kind}, left out"
                notes.append(notification("note", text))
        rules, rule_numbers = rules_of(kept)
        named = ("name", "version", "language", "address", "profile")
        return {
            "tool": {"driver": {**_driver(self._gathering), "rules": rules}},
            "automationDetails": {"id": f"ticdc-conformance/{_unique(iut.label, categories)}/"},
            "invocations": [invocation_of(self._gathering, notes)],
            "results": [_listed(result, rule_numbers) for result in kept],
            "properties": {
                "implementation": {name: str(iut.event[name]) for name in named if iut.event.get(name)},
                "gate": str(self._gathering.run.get("gate", "")),
                "registers": self._gathering.run.get("registers", {}),
            },
        }

    def _empty(self) -> dict[str, Any]:
        """The run for a record without an implementation."""
        return {"tool": {"driver": _driver(self._gathering)}, "invocations": [invocation_of(self._gathering, [])]}


def _driver(gathering: Gathering) -> dict[str, Any]:
    version = str(gathering.run.get("suite", "")) or "unknown"
    return {"name": "ticdc-conformance", "version": version, "informationUri": HOME}


def _listed(result: Mapping[str, Any], rule_numbers: Mapping[str, int]) -> dict[str, Any]:
    """A result for the log: with the index of its rule, and without the data of the rule."""
    kept = {name: value for name, value in result.items() if name != "rule"}
    return {"ruleId": kept.pop("ruleId"), "ruleIndex": rule_numbers[result["ruleId"]], **kept}


def _problems(iut: Iut) -> list[str]:
    verdicts = [cause.verdict for cause in iut.causes if cause.word == "suite_error"]
    of_suite = [f"suite error at {verdict['case']}: {verdict.get('message', '')}" for verdict in verdicts]
    return [*filter(None, [iut.event.get("message", "")]), *iut.event.get("problems", ()), *of_suite]


def _unique(label: str, categories: set[str]) -> str:
    """A category that is not in `categories`, and added there: code scanning would merge runs of one category."""
    name = base = re.sub(r"[^A-Za-z0-9._-]+", "-", label).strip("-")[:80] or "implementation"
    number = 1
    while name in categories:
        number += 1
        name = f"{base}-{number}"
    categories.add(name)
    return name


def _is_larger(text: str, most_bytes: int) -> bool:
    data = text.encode("utf-8")
    return len(data) > most_bytes and len(zlib.compress(data, 6)) > most_bytes
