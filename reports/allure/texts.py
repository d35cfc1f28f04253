"""The description and attachments of a case in Allure, beside its labels; no files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.allure.labels import worst_first
from reports.inputs import input_lines
from reports.plain import plain
from reports.renderer import Event
from reports.texts import column_of, difference_of, options_text, path_of, value_text

__all__ = ["Attached", "FirstOfACause", "attachments_of", "description_of"]

_LONGEST_ATTACHMENT = 65_536
_LONGEST_VALUE = 160
_MOST_DIFFERENCES = 3


@dataclass(frozen=True, slots=True)
class Attached:
    """An attachment. `kind` is the name of an `AttachmentType` of allure-python-commons."""

    name: str
    kind: str
    text: str


def description_of(verdict: Event, replay: str) -> str:
    """The difference, the place of the rule, and the command that runs the case again; at most three differences.

    A block of Markdown in which no character has a meaning.
    """
    broken = worst_first(verdict)
    lines = []
    for finding in broken[:_MOST_DIFFERENCES]:
        expected, got, _ = difference_of(finding, _LONGEST_VALUE)
        lines.append(f"{finding['requirement']}  {path_of(finding)}: expected {expected}, got {got}")
    if len(broken) > _MOST_DIFFERENCES:
        lines.append(f"and {len(broken) - _MOST_DIFFERENCES:,} more")
    if broken and broken[0].get("place"):
        lines.append(f"rule: {broken[0]['place']}")
    if replay:
        lines.append(f"again: {replay}")
    text = plain("\n".join(lines))
    # After four blanks no character opens or ends anything.
    return "\n".join(f"    {line}" for line in text.split("\n")) if text else ""


def attachments_of(verdict: Event, case: Event, answer: Mapping[str, Any] | None = None) -> Iterator[Attached]:
    """Input, request, expected and got, the whole answer, and stderr, where they are available.

    `case` is the `case` event, or empty.
    """
    findings = worst_first(verdict)
    if lines := list(_input(case, column_of(findings[0]) if findings else "")):
        yield Attached("Input", "TEXT", _bounded("\n".join(lines)))
    if case.get("input"):
        yield _tree("Request", case["input"])
    if findings:
        yield Attached("Expected", "TEXT", _sides(findings, "expected"))
        yield Attached("Got", "TEXT", _sides(findings, "got"))
    if answer is not None:
        yield _tree("Answer", answer)
    if verdict.get("stderr"):
        yield Attached("stderr", "TEXT", _bounded(str(verdict["stderr"])))


def _input(case: Event, column: str) -> Iterator[str]:
    if options := options_text(case):
        yield f"options: {options}"
    yield from input_lines(case, column)


def _sides(findings: Sequence[Mapping[str, Any]], side: str) -> str:
    """One side of every difference: the value at its path; for a single difference only the value."""
    lines = [f"{path_of(finding)}\n{value_text(finding[side])}\n" for finding in findings]
    return _bounded("\n".join(lines))


def _tree(name: str, tree: Any) -> Attached:
    """JSON; a plain text where it is too long to be complete."""
    text = json.dumps(tree, ensure_ascii=True, indent=1)
    if len(text) <= _LONGEST_ATTACHMENT:
        return Attached(name, "JSON", text + "\n")
    return Attached(name, "TEXT", _bounded(text))


def _bounded(text: str) -> str:
    shown = plain(text, _LONGEST_ATTACHMENT)
    return shown if shown.endswith("\n") else shown + "\n"


class FirstOfACause:
    """Chooses the cases with attachments: the first ones of a cause; the others would repeat them.

    In a run with thousands of causes, the first thousand cases have some: a report is for reading.
    """

    most = 10
    most_in_all = 1_000

    def __init__(self) -> None:
        self._cases: dict[tuple[str, ...], int] = {}
        self._in_all = 0

    def __call__(self, verdict: Event) -> bool:
        """Whether the next case that did not pass gets attachments."""
        cause = tuple(map(str, (verdict["iut"], verdict["verdict"], *verdict["fingerprints"])))
        self._cases[cause] = self._cases.get(cause, 0) + 1
        has_room = self._cases[cause] <= self.most and self._in_all < self.most_in_all
        self._in_all += has_room
        return has_room
