"""A run in Markdown, worst first, within the size that its reader takes: a job's page, a comment, a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from reports.causes import Cause, fails_gate, replay_command
from reports.gathering import Gathering, GatheringRenderer, Iut, sum_text
from reports.inputs import input_lines
from reports.markup import cell, fenced, row
from reports.outcome import Outcome, outcome_of
from reports.texts import (
    case_count,
    column_of,
    counted,
    difference_of,
    inconclusive_red_text,
    known_text,
    path_of,
    sentence,
    suite_text,
    weight_text,
)
from reports.vocabulary import HARMS, NEVER_RUN

__all__ = ["MarkdownRenderer", "Room", "summary_text"]

_WIDTH_OF_VALUE, _LINES_OF_VALUE = 100, 2
_MOST_INPUT_LINES, _MOST_ROWS = 5, 40
_RESERVE = 200
"""Bytes for the sentence that counts the rest, and for a closing tag."""
_SHOWN = ("suite_error", "crash", "timeout", "protocol_error", "false_claim", "fail", "xfail_changed", "warn", "xpass")
"""Words of the causes to show. Known and flaky cases are counted in the table alone, free differences nowhere."""


@dataclass(frozen=True, slots=True)
class Room:
    """The size limits of a summary."""

    bytes: int
    """Bytes of UTF-8, line breaks included."""
    whole: int
    """Causes of an implementation that are shown in full; the others are a line each."""
    lines: int
    """Causes of an implementation that are a line; the others are counted."""
    is_folded: bool = False
    """Whether causes are folded under a heading."""


_ROOM_OF_A_FILE = Room(bytes=1_000_000, whole=10, lines=40)


class MarkdownRenderer(GatheringRenderer):
    """Writes everything at the end: the gate, a table of the implementations by harm, and the causes, worst first."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._out = out

    def close(self) -> None:
        """Write the summary."""
        self._out.write(summary_text(self._gathering, _ROOM_OF_A_FILE))


def summary_text(gathering: Gathering, room: Room) -> str:
    """The summary; it counts what there is no room for."""
    head = "\n".join(_head(gathering)) + "\n"
    budget = room.bytes - len(head.encode())
    parts = [head]
    iuts = list(gathering.iuts.values())
    for number, iut in enumerate(iuts, 1):
        for block in _causes(gathering, iut, room):
            text = "\n".join(block.lines) + "\n"
            # Only a closing tag has no causes from here on: it is always written, within the reserve.
            if block.rest and len(text.encode()) > budget - _RESERVE:
                more = block.rest + sum(len(_to_show(other)) for other in iuts[number:])
                rest = f"\n… and {counted(more, 'more cause', 'more causes')}, for which there is no room here.\n"
                parts.append(f"\n</details>\n{rest}" if block.is_inside else rest)
                return "".join(parts)
            parts.append(text)
            budget -= len(text.encode())
    return "".join(parts)


# -- what stands above the causes ------------------------------------------------------------------------------------


def _head(gathering: Gathering) -> Iterator[str]:
    outcome, end = outcome_of(gathering), gathering.end
    yield f"## ticdc-conformance: {_word(outcome, end)}"
    yield ""
    yield f"**{cell(sentence(outcome.sentence), 600)}**"
    yield ""
    yield row(("implementation", "protocol", *HARMS, "other", "result"))
    yield row(("---", "---", *["--:"] * (len(HARMS) + 1), "---"))
    rows = [text for iut in gathering.iuts.values() for text in _rows(gathering, iut)]
    yield from rows[:_MOST_ROWS]
    yield ""
    if len(rows) > _MOST_ROWS:
        yield f"… and {counted(len(rows) - _MOST_ROWS, 'more row', 'more rows')}."
        yield ""
    yield f"Causes of failure by what they do to a reader. {_of_the_run(gathering)}"


def _word(outcome: Outcome, end: Any) -> str:
    if end is None:
        return "the run was cut"
    return f"{outcome.word}{inconclusive_red_text(end)} (exit {end['exit']})"


def _of_the_run(gathering: Gathering) -> str:
    run = gathering.run
    registers = run.get("registers", {})
    digests = ", ".join(f"{protocol} {one.get('digest', '')[:12]}" for protocol, one in registers.items())
    parts = [f"suite {suite_text(run)}" if run.get("suite") else "", f"gate {run['gate']}" if run.get("gate") else ""]
    parts += [str(run.get("started", "")), f"register {digests}" if digests else ""]
    text = " · ".join(filter(None, parts))
    return f"Run: {cell(text)}." if text else ""


def _rows(gathering: Gathering, iut: Iut) -> Iterator[str]:
    """A row for each protocol and role; a cause counts in the row of its representative case."""
    causes = [cause for cause in iut.causes if fails_gate(cause, gathering.run.get("gate", ""))]
    name = cell(_name(iut), 80)
    for (protocol, role), verdicts in iut.verdicts.items():
        harms = [c.harm for c in causes if (c.verdict["protocol"], c.verdict["role"]) == (protocol, role)]
        numbers = [harms.count(harm) for harm in HARMS]
        numbers.append(len(harms) - sum(numbers))
        is_judged = not NEVER_RUN.issuperset(verdicts)
        shown = [f"**{n:,}**" if n else "0" if is_judged else "–" for n in numbers]
        yield row((name, cell(f"{protocol} {role}", 80), *shown, cell(sum_text(len(verdicts), Counter(verdicts)))))
    if iut.undeclared:
        text = f"{case_count(iut.undeclared.total())} unsupported: it does not declare these protocols"
        yield row((name, cell(", ".join(iut.undeclared)), *["–"] * (len(HARMS) + 1), text))
    if not iut.verdicts and not iut.undeclared:
        why = str(iut.event.get("message") or "no case was judged")
        yield row((name, "", *["–"] * (len(HARMS) + 1), cell(why, 200)))


def _name(iut: Iut) -> str:
    """Label, version and profile, without a part that an earlier one contains."""
    parts: list[str] = []
    for part in (iut.label, str(iut.event.get("version") or ""), str(iut.event.get("profile") or "")):
        if part and not any(part in other for other in parts):
            parts.append(part)
    return " ".join(parts)


# -- causes ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that appear together or not at all; `rest` is the number of causes from here on."""

    lines: Sequence[str]
    rest: int
    is_inside: bool = False
    """Whether it is inside an element that needs a closing tag."""


def _to_show(iut: Iut) -> list[Cause]:
    return [cause for cause in iut.causes if cause.word in _SHOWN]


def _causes(gathering: Gathering, iut: Iut, room: Room) -> Iterator[_Block]:
    causes = _to_show(iut)
    if not causes:
        return
    several = len(gathering.iuts) > 1
    yield _Block(["", f"### {cell(_name(iut), 80) if several else 'Causes'}"], len(causes))
    if room.is_folded:
        yield _Block(["", "<details>", f"<summary>{counted(len(causes), 'cause', 'causes')}</summary>"], len(causes))
    for number, cause in enumerate(causes[: room.whole], 1):
        lines = ["", f"{number}. {_lead(cause)}", "", *fenced(_facts(gathering, iut, cause))]
        yield _Block(lines, len(causes) - number + 1, room.is_folded)
    rest = causes[room.whole :]
    for number, cause in enumerate(rest[: room.lines]):
        lead = [""] if number == 0 else []
        yield _Block([*lead, f"- {_lead(cause)}"], len(rest) - number, room.is_folded)
    if len(rest) > room.lines:
        more = len(rest) - room.lines
        yield _Block(["", f"… and {counted(more, 'more cause', 'more causes')}."], more, room.is_folded)
    if room.is_folded:
        yield _Block(["", "</details>"], 0)


def _lead(cause: Cause) -> str:
    """`**changed** CJ-388 (MUST changed), 12 cases: the rule`."""
    word = cause.harm if cause.is_red and cause.harm else cause.word
    known = " known failure that has changed," if cause.word == "xfail_changed" else ""
    if cause.finding is None:
        name = cause.failure or cause.word
        failure = "" if word == name else f" {cell(name)}"
        return f"**{cell(word)}**{failure},{known} {case_count(cause.cases)}: {cell(cause.title)}"
    lead = f"**{cell(word)}** {cell(cause.requirement, 80)} ({cell(weight_text(cause.finding), 40)}),"
    return f"{lead}{known} {case_count(cause.cases)}: {cell(cause.title)}"


def _facts(gathering: Gathering, iut: Iut, cause: Cause) -> Iterator[str]:
    """The difference and the command that runs the case again, as labelled lines."""
    verdict, finding = cause.verdict, cause.finding
    yield f"case      {verdict['case']} ({verdict['role']})"
    lines = list(input_lines(cause.case, column_of(finding) if finding is not None else ""))
    if len(lines) > _MOST_INPUT_LINES:
        # The rows come last, and say the most: the first line, an ellipsis and the last lines fill the room.
        last = _MOST_INPUT_LINES - 2
        lines = [lines[0], "…", *lines[-last:]]
    yield from (f"{'input' if i == 0 else '':<10}{line}" for i, line in enumerate(lines))
    if finding is not None:
        expected, got, pointer = difference_of(finding, _WIDTH_OF_VALUE, _LINES_OF_VALUE)
        yield f"at        {path_of(finding)}"
        yield f"expected  {expected}"
        yield f"got       {got}"
        if pointer:
            yield f"          {pointer}"
        if finding.get("place"):
            yield f"rule at   {finding['place']}"
    if cause.follows:
        yield f"follows   {counted(len(cause.follows), 'more finding', 'more findings')}"
    for known in verdict.get("known", ()):
        yield f"known     {known_text(known)}"
    yield f"replay    {replay_command(gathering.run, iut.event, verdict)}"
