"""Workflow commands for annotations on GitHub: one for each cause, worst first, up to the limit of a step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reports.causes import Cause, fails_gate, replay_command
from reports.gathering import Gathering, Iut
from reports.outcome import NO_PROOF, outcome_of
from reports.texts import case_count, counted, cut, difference_of, path_of, visible, weight_text

__all__ = ["MOST", "annotation_lines", "cause_count", "command"]

MOST = 10
"""Errors, and warnings, that GitHub shows for one step; it drops the rest."""
_WARNINGS = frozenset({"warn", "xpass", "flaky"})
_LONGEST_LINE, _LONGEST_TITLE, _LONGEST_FILE = 500, 200, 1000
_WIDTH = 160


def annotation_lines(gathering: Gathering) -> Iterator[str]:
    """Lines for the log of a step. Where there are more causes than GitHub shows, the last line counts the rest."""
    outcome = outcome_of(gathering)
    errors, warnings = _errors_and_warnings(gathering)
    room = MOST
    if outcome.word in NO_PROOF:
        yield command("error", f"ticdc-conformance: {outcome.word}", [outcome.sentence])
        room -= 1
    yield from _annotations("error", gathering, errors, room)
    yield from _annotations("warning", gathering, warnings, MOST)


def cause_count(gathering: Gathering) -> int:
    """The number of causes of failure and of warnings of a run."""
    return sum(map(len, _errors_and_warnings(gathering)))


def _errors_and_warnings(gathering: Gathering) -> tuple[list[tuple[Iut, Cause]], list[tuple[Iut, Cause]]]:
    """The causes that are errors, and those that are warnings."""
    errors, warnings = [], []
    policy = outcome_of(gathering).policy
    for iut in gathering.iuts.values():
        for cause in iut.causes:
            if cause.word == "suite_error" or fails_gate(cause, policy):
                errors.append((iut, cause))
            elif cause.is_red or cause.word in _WARNINGS:
                warnings.append((iut, cause))
    return errors, warnings


def _annotations(level: str, gathering: Gathering, found: Sequence[tuple[Iut, Cause]], room: int) -> Iterator[str]:
    shown = found if len(found) <= room else found[: room - 1]
    several = len(gathering.iuts) > 1
    for iut, cause in shown:
        title = f"{_title(cause)}{f' · {iut.label}' if several else ''}"
        yield command(level, title, _message(gathering, iut, cause), _origin(gathering, cause))
    if rest := found[len(shown) :]:
        title = f"{counted(len(rest), 'more cause', 'more causes')} of failure"
        names = ", ".join(dict.fromkeys(cause.requirement or cause.failure or cause.word for _, cause in rest))
        yield command(level, title, [f"GitHub shows {MOST} of each kind for a step. The others: {cut(names, 300)}"])


def _title(cause: Cause) -> str:
    return f"{cause.requirement or cause.failure or cause.word} {cause.harm}".rstrip()


def _message(gathering: Gathering, iut: Iut, cause: Cause) -> Iterator[str]:
    finding = cause.finding
    yield cause.title
    if finding is not None:
        expected, got, _ = difference_of(finding, _WIDTH)
        yield f"{weight_text(finding)}, {path_of(finding)}: got {got}, not {expected}"
    yield f"{case_count(cause.cases)}, one of them {cause.verdict['case']} ({cause.verdict['role']})"
    yield f"Replay: {replay_command(gathering.run, iut.event, cause.verdict)}"


def _origin(gathering: Gathering, cause: Cause) -> Mapping[str, Any]:
    """The place in its source that the answer or the run names; empty without one."""
    for event in (cause.finding or {}, cause.verdict, gathering.run):
        origin = event.get("origin")
        if isinstance(origin, dict) and isinstance(file := origin.get("file"), str) and file.strip():
            line = origin.get("line")
            return {"file": file} | ({"line": line} if isinstance(line, int) and line > 0 else {})
    return {}


# -- the form of a command -------------------------------------------------------------------------------------------


def command(
    level: str, title: str, lines: Sequence[str] | Iterator[str], origin: Mapping[str, Any] | None = None
) -> str:
    """`::error file=F,line=N,title=T::message`, on one line whatever the texts hold."""
    given: dict[str, Any] = dict(origin or {})
    if "file" in given:
        given["file"] = cut(visible(given["file"]), _LONGEST_FILE)
    given["title"] = cut(visible(title[: 2 * _LONGEST_TITLE]), _LONGEST_TITLE)
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in given.items())
    message = "\n".join(cut(visible(line[: 2 * _LONGEST_LINE]), _LONGEST_LINE) for line in lines)
    return f"::{level} {properties}::{_data(message)}"


def _data(text: str) -> str:
    return re.sub("[%\r\n]", lambda found: f"%{ord(found[0]):02X}", text)


def _property(text: str) -> str:
    return re.sub("[%\r\n:,]", lambda found: f"%{ord(found[0]):02X}", text)
