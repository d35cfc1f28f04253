"""One cause of failure as labelled lines: rule, case, input, difference, oracle, and consequence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reports.causes import Cause
from reports.inputs import input_lines
from reports.shortening import without_middle
from reports.texts import (
    case_count,
    column_of,
    counted,
    difference_of,
    kind_of,
    known_text,
    options_text,
    oracle_text,
    path_of,
    visible,
)

__all__ = ["cause_lines"]

_MOST_INPUT_LINES = 12
_MOST_FOLLOWING = 6
_LINES_OF_A_VALUE = 6

Line = tuple[str, str]


def cause_lines(cause: Cause, room: int, *, again: bool = False) -> Iterator[Line]:
    """The lines of a cause as (label, text), from top to bottom; the caller folds the texts to `room`.

    `again`: the input was shown before.
    """
    finding, verdict, case = cause.finding, cause.verdict, cause.case
    if finding is not None:
        yield "rule", finding.get("rule", "")
        if finding.get("place"):
            yield "", finding["place"]
    axes = "".join(f"   {name}={value}" for name, value in case.get("axes", {}).items())
    yield "case", f"{verdict['case']}   {verdict['role']}{axes}"
    if again:
        yield "input", "as above"
    else:
        yield from _input(case, finding)
    if finding is not None:
        yield from _difference(finding, room)
        yield "oracle", oracle_text(finding)
        affected = [f"{a.get('consumer')}: {a.get('effect')}" for a in finding.get("affected", ())]
        if affected:
            yield "affects", "   ".join(affected)
    yield from _following(cause)
    if verdict.get("message"):
        yield "happened", visible(verdict["message"])
    for known in verdict.get("known", ()):
        yield "known", known_text(known)


def _input(case: Mapping[str, Any], finding: Mapping[str, Any] | None) -> Iterator[Line]:
    if options := options_text(case):
        yield "options", options
    column = column_of(finding) if finding is not None else ""
    lines = list(input_lines(case, column))
    for i, line in enumerate(without_middle(lines, _MOST_INPUT_LINES, _left_out)):
        yield "input" if i == 0 else "", line


def _left_out(lines: int) -> str:
    return f"… {counted(lines, 'line', 'lines')} …"


def _difference(finding: Mapping[str, Any], room: int) -> Iterator[Line]:
    path = path_of(finding)
    lead = f"{path}   " if len(path) <= room // 2 else ""
    if not lead:
        yield "at", path
    kinds = tuple(f"   ({kind})" if (kind := kind_of(finding[side])) else "" for side in ("expected", "got"))
    width = max(16, room - len(lead) - max(map(len, kinds)))
    expected, got, pointer = difference_of(finding, width, _LINES_OF_A_VALUE)
    yield "expected", f"{lead}{expected}{kinds[0]}"
    yield "got", f"{lead}{got}{kinds[1]}"
    if pointer:
        is_below_value = pointer.endswith("^")
        yield "", " " * len(lead) + pointer if is_below_value else pointer
    if finding.get("times", 1) > 1:
        yield "", f"and at {counted(finding['times'] - 1, 'more place', 'more places')} of this case"


def _following(cause: Cause) -> Iterator[Line]:
    """Further findings: those of the same difference, with their rules, then those that follow from it."""
    leading = cause.finding or {}
    kind = _difference_class(leading)
    same = [one for one in cause.follows.values() if _difference_class(one.finding) == kind]
    other = [one for one in cause.follows.values() if _difference_class(one.finding) != kind]
    for finding, cases in same:
        are_musts = finding["level"] == leading.get("level") == "must"
        level = "" if are_musts else f" {finding['level'].upper()}"
        number = "" if cases == cause.cases else f"   {case_count(cases)}"
        yield "also", f"{finding['requirement']}{level}  {finding.get('rule', '')}{number}"
    for i, (finding, cases) in enumerate(other[:_MOST_FOLLOWING]):
        level = "" if finding["level"] == "must" else f" {finding['level'].upper()}"
        text = f"{finding['requirement']}{level}  {path_of(finding)}   {case_count(cases)}"
        yield "follows" if i == 0 else "", text
    if len(other) > _MOST_FOLLOWING:
        yield "", f"and {len(other) - _MOST_FOLLOWING} more"


def _difference_class(finding: Mapping[str, Any]) -> str:
    """The kind of difference and the pattern of its path."""
    return str(finding.get("fingerprint", "")).partition("#")[0]
