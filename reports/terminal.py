"""The report on a terminal: a block an implementation, a paragraph a cause, four lines that sum it up.

A failure reads, top to bottom: the rule and its place, the case, its input, expected and got, which oracle says so, who
is affected, and the line that replays it. Colour only repeats what words say; away from a terminal the text is plain.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.text import Text

from reports.gathering import ORDER, Gathering, Group, Iut, sum_text
from reports.renderer import Event, Renderer
from reports.texts import case_count, cut, difference, input_lines, kind_of, options_text, oracle_text, visible

__all__ = ["TerminalRenderer"]

_ADDRESS = re.compile("[a-z]+:")
_LABEL = 10
_SUM_LABEL = 14
_BAR = 20
_MOST_PARAGRAPHS = 40
_MOST_INPUT_LINES = 10
_MOST_STDERR_LINES = 6
_SAY_EVERY = 1000

_STYLES: Mapping[str, str] = {
    "pass": "green",
    "fail": "bold red",
    "warn": "yellow",
    "may": "dim",
    "xfail": "cyan",
    "xpass": "magenta",
    "flaky": "magenta",
    "suite_error": "bold magenta",
    "green": "bold green",
    "red": "bold red",
    "inconclusive": "bold yellow",
}
_RED = "bold red"

_MARKS: Mapping[str, str] = {
    "pass": "#",
    "flaky": "#",
    "warn": "w",
    "xfail": "x",
    "xpass": "X",
    "unsupported": "-",
    "excluded": "-",
    "not_run": "?",
    "suite_error": "S",
}
_WEIGHTS = "-#xXw?SF"
"""Marks of a bar, the weightiest last: of the cases behind one character the weightiest shows."""

# Told in a paragraph of their own, in this order; the rest in a line each.
_PARAGRAPHS = ("suite_error", "crash", "timeout", "protocol_error", "false_claim", "fail", "xfail_changed", "warn")
_LINES = ("xpass", "flaky", "xfail", "may")


class TerminalRenderer(Renderer):
    """Renders to a stream. `quiet` leaves the last four lines; `width` is the terminal's where it is None.

    Nothing is coloured, and no bar moves, where the stream is not a terminal.
    """

    def __init__(self, out: TextIO, *, width: int | None = None, quiet: bool = False) -> None:
        plain = {"markup": False, "highlight": False, "emoji": False}
        self._console = Console(file=out, width=width, soft_wrap=False, **plain)  # type: ignore[arg-type]
        self._quiet = quiet
        self._gathering = Gathering()
        self._current: Iut | None = None
        self._shown: set[tuple[str, str]] = set()
        self._progress: Progress | None = None
        self._task = TaskID(0)

    def handle(self, event: Event) -> None:
        """Take the next event; a block is printed when its implementation is through."""
        kind = event["event"]
        if kind in ("iut", "end"):
            self._finish_block()
        self._gathering.handle(event)
        if kind == "iut":
            self._current = self._gathering.iuts[event["iut"]]
            self._begin_block(event)
        elif kind == "plan" and self._current is not None:
            self._planned(event)
        elif kind == "verdict" and self._current is not None:
            self._advance(self._current)

    def close(self) -> None:
        """Print the sum, or that the record was cut."""
        self._finish_block()
        end = self._gathering.end
        if end is None:
            self._say("the record is cut: it has no 'end' event; what follows counts what was there", _RED)
        self._sum(end)

    # -- one implementation --------------------------------------------------------------------------------------

    def _begin_block(self, event: Event) -> None:
        if self._quiet:
            if event.get("message"):
                # Why nothing could be judged is never left out.
                self._labelled("problem", f"{event['iut']}: {event['message']}", _RED)
            return
        named = " ".join(filter(None, (event.get("name"), event.get("version"))))
        language = f" ({event['language']})" if event.get("language") else ""
        self._say()
        self._labelled("iut", f"{named or event['iut']}{language}   profile {event.get('profile', '?')}")
        self._labelled("contact", str(event["address"]))
        if suite := self._gathering.run.get("suite"):
            self._labelled("suite", str(suite))
        if event.get("message"):
            self._labelled("lost" if not event.get("started") else "note", event["message"], _RED)
        self._stderr(event.get("stderr", ""))
        for problem in event.get("problems", ()):
            self._labelled("problem", problem, _RED)

    def _planned(self, event: Event) -> None:
        if self._quiet:
            return
        for term in event.get("unmatched", ()):
            self._labelled("note", f"no case answers to {term!r}", "yellow")
        self._labelled("planned", case_count(event["planned"]))
        if self._console.is_terminal:
            bar = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
            self._progress = Progress(*bar, console=self._console, transient=True)
            self._task = self._progress.add_task("judging", total=event["planned"])
            self._progress.start()

    def _advance(self, iut: Iut) -> None:
        if self._progress is not None:
            self._progress.advance(self._task)
        elif not self._quiet and iut.done % _SAY_EVERY == 0:
            self._labelled("", f"{iut.done:,} of {case_count(iut.plan.get('planned', iut.done))}")

    def _finish_block(self) -> None:
        iut, self._current = self._current, None
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
        if iut is None or self._quiet:
            return
        self._say()
        self._bars(iut)
        self._shown.clear()
        told = sorted((g for g in iut.groups.values() if g.word in _PARAGRAPHS), key=_order)
        for group in told[:_MOST_PARAGRAPHS]:
            self._paragraph(group, iut)
        if len(told) > _MOST_PARAGRAPHS:
            self._say()
            self._say(f"and {len(told) - _MOST_PARAGRAPHS:,} more causes: they are in the run record", "bold")
        self._lines(iut)
        self._say()
        self._summed("planned", sum_text(iut.plan.get("planned", iut.done), iut.counts))
        self._summed("requirements", self._requirements([iut]))
        if iut.restarts:
            self._summed("restarts", f"{iut.restarts:,}")

    def _bars(self, iut: Iut) -> None:
        names = {key: f"{key[0]} {key[1]}" for key in iut.line}
        width = max(map(len, names.values()), default=0)
        for key, verdicts in iut.line.items():
            good = sum(v in ("pass", "flaky") for v in verdicts)
            line = Text(f"{names[key]:<{width}}   ")
            for mark in _bar(verdicts):
                line.append(mark, {"F": _RED, "#": "green", "w": "yellow", "x": "cyan"}.get(mark, ""))
            line.append(f"  {good:>5,}/{len(verdicts):,}")
            self._console.print(line, no_wrap=True, overflow="ellipsis")

    # -- one cause -----------------------------------------------------------------------------------------------

    def _paragraph(self, group: Group, iut: Iut) -> None:
        finding, verdict, case = group.finding, group.verdict, group.case
        self._say()
        self._heading(group)
        if finding is not None:
            self._labelled("rule", finding.get("rule", ""))
            if finding.get("place"):
                self._labelled("", finding["place"])
        axes = "".join(f"   {name}={value}" for name, value in case.get("axes", {}).items())
        self._labelled("case", f"{verdict['case']}   {verdict['role']}{axes}")
        self._input(verdict, case)
        if finding is not None:
            self._difference(finding)
            self._labelled("oracle", oracle_text(finding))
            affected = [f"{a.get('consumer')}: {a.get('effect')}" for a in finding.get("affected", ())]
            if affected:
                self._labelled("affects", "   ".join(affected))
        if verdict.get("message"):
            self._labelled("happened", visible(verdict["message"]))
        for known in verdict.get("known", ()):
            self._labelled("known", _known_text(known))
        self._labelled("replay", self._replay(verdict, iut))
        self._stderr(verdict.get("stderr", ""))

    def _input(self, verdict: Event, case: Event) -> None:
        shown = verdict["case"], verdict["role"]
        if shown in self._shown:
            self._labelled("input", "as above")
            return
        self._shown.add(shown)
        if options := options_text(case):
            self._labelled("options", options)
        lines = list(input_lines(case))
        for i, line in enumerate(lines[:_MOST_INPUT_LINES]):
            self._labelled("input" if i == 0 else "", cut(line, 2 * self._room))
        if len(lines) > _MOST_INPUT_LINES:
            self._labelled("", f"and {len(lines) - _MOST_INPUT_LINES} more lines")

    def _heading(self, group: Group) -> None:
        finding = group.finding
        parts = [finding["requirement"], finding["level"].upper(), finding["fingerprint"]] if finding else []
        if group.cases > 1:
            parts.append(case_count(group.cases))
        head = Text(group.word.upper(), _STYLES.get(group.word, _RED))
        head.append("".join(f"  {part}" for part in parts), "bold")
        self._console.print(head, overflow="fold")

    def _difference(self, finding: Mapping[str, Any]) -> None:
        path = finding.get("path", "")
        lead = f"{path}   " if len(path) <= self._room // 2 else ""
        if not lead:
            self._labelled("at", path)
        kinds = tuple(f"   ({kind})" if (kind := kind_of(finding[side])) else "" for side in ("expected", "got"))
        width = max(16, self._room - len(lead) - max(map(len, kinds)))
        want, have, pointer = difference(finding["expected"], finding["got"], width)
        self._labelled("expected", f"{lead}{want}{kinds[0]}")
        self._labelled("got", f"{lead}{have}{kinds[1]}")
        if pointer:
            self._labelled("", " " * len(lead) + pointer)
        if finding.get("times", 1) > 1:
            self._labelled("", f"and at {finding['times'] - 1:,} more places of this case")

    def _replay(self, verdict: Event, iut: Iut) -> str:
        if iut.event.get("contact") == "capture":
            # What was captured is only judged again, and the place is what to look at.
            return f"{shlex.join(self._gathering.run['command'])}   # {verdict['case']}"
        profile = iut.event.get("profile", "newarch")
        style = "" if profile == "newarch" else f" --profile {profile}"
        address = str(iut.event["address"])
        # What is judged by default has a name instead of an address.
        given = f" --iut {shlex.quote(address)}" if _ADDRESS.match(address) else ""
        return f"ticdc-conformance replay {verdict.get('replay', verdict['case'])}{given}{style}"

    def _stderr(self, text: str) -> None:
        lines = text.splitlines()
        if lines:
            self._labelled("stderr", f"({len(lines)} line{'' if len(lines) == 1 else 's'})")
        for line in lines[-_MOST_STDERR_LINES:]:
            self._labelled("", cut(visible(line), 2 * self._room))

    def _lines(self, iut: Iut) -> None:
        """What is known, free, passing unexpectedly or not judged: a line a cause."""
        groups = sorted((g for g in iut.groups.values() if g.word in _LINES), key=_order)
        if groups or iut.reasons:
            self._say()
        for group in groups:
            finding = group.finding
            what = [finding["requirement"], finding["fingerprint"]] if finding else [group.verdict["case"]]
            known = "; ".join(_known_text(k) for k in group.verdict.get("known", ()))
            text = "  ".join([*what, case_count(group.cases), *filter(None, [known])])
            self._summed(group.word.upper(), text, label_style=_STYLES.get(group.word, ""))
        for reason, cases in iut.reasons.items():
            word, _, why = reason.partition(": ")
            self._summed(word.upper(), f"{case_count(cases)}: {why}")

    # -- the sum -------------------------------------------------------------------------------------------------

    def _sum(self, end: Event | None) -> None:
        iuts = list(self._gathering.iuts.values())
        if not self._quiet:
            self._say()
            self._say("-" * min(self._console.width, 78))
            if len(iuts) > 1:
                self._table(iuts)
                self._say()
        counts: dict[str, int] = {}
        for iut in iuts:
            for verdict, n in iut.counts.items():
                counts[verdict] = counts.get(verdict, 0) + n
        accounting = (end or {}).get("accounting", {})
        planned = accounting.get("planned", sum(iut.plan.get("planned", 0) for iut in iuts))
        self._summed("planned", sum_text(planned, accounting.get("counts", counts)))
        self._summed("requirements", self._requirements(iuts))
        self._summed("baseline", _baseline_text(end, counts))
        if end is None:
            self._summed("gate", "UNKNOWN   the run was cut", _RED)
            return
        colour = end["gate"]["colour"]
        message = f"   {end['message']}" if end.get("message") else ""
        policy = end["gate"].get("policy", "")
        self._say(
            f"gate          {colour.upper()}   exit {end['exit']}   policy {policy}{message}", _STYLES.get(colour)
        )

    def _requirements(self, iuts: Iterable[Iut]) -> str:
        standings = self._gathering.standings(iuts)
        counted = ", ".join(f"{n:,} {standing}" for standing, n in standings.items())
        return f"{sum(standings.values()):,} apply: {counted or 'none'}"

    def _table(self, iuts: Sequence[Iut]) -> None:
        """Implementation × protocol and role, with every verdict that occurs."""
        rows = [(iut, key, verdicts) for iut in iuts for key, verdicts in iut.line.items()]
        seen = {verdict for *_, verdicts in rows for verdict in verdicts}
        columns = [*(v for v in ORDER if v in seen), *sorted(seen.difference(ORDER))]
        table = [["implementation", "profile", "protocol", "role", "planned", *columns]]
        for iut, (protocol, role), verdicts in rows:
            counts = [f"{n:,}" if (n := verdicts.count(column)) else "." for column in columns]
            table.append([iut.label, iut.event.get("profile", ""), protocol, role, f"{len(verdicts):,}", *counts])
        widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
        if sum(widths) + 2 * len(widths) > self._console.width:
            self._list(iuts)
            return
        for row in table:
            cells = [
                f"{cell:<{width}}" if i < 4 else f"{cell:>{width}}"
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            self._say("  ".join(cells).rstrip(), "bold" if row is table[0] else None)

    def _list(self, iuts: Sequence[Iut]) -> None:
        """The same where the terminal is too narrow for a table."""
        for iut in iuts:
            self._say(f"{iut.label}   profile {iut.event.get('profile', '')}", "bold")
            width = max((len(f"{protocol} {role}") for protocol, role in iut.line), default=0)
            for (protocol, role), verdicts in iut.line.items():
                counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
                named = f"{protocol} {role}"
                self._folded(f"  {named:<{width}}   ", sum_text(len(verdicts), counts), "", "")

    # -- lines ---------------------------------------------------------------------------------------------------

    @property
    def _room(self) -> int:
        """Characters beside a label."""
        return max(24, self._console.width - _LABEL - 2)

    def _say(self, text: str = "", style: str | None = None) -> None:
        self._console.print(Text(text, style or ""), overflow="fold")

    def _labelled(self, label: str, text: str, style: str = "") -> None:
        """`  label     text`, the text folded beside its label."""
        self._folded(f"  {label:<{_LABEL}}", text, "dim", style)

    def _summed(self, label: str, text: str, style: str = "", label_style: str = "") -> None:
        """`label         text`, the text folded beside its label."""
        self._folded(f"{label:<{_SUM_LABEL}}", text, label_style, style)

    def _folded(self, label: str, text: str, label_style: str, style: str) -> None:
        room = max(24, self._console.width - len(label))
        for i, line in enumerate(Text(text, style).wrap(self._console, room, overflow="fold")):
            line.rstrip()
            head = Text(label if i == 0 else " " * len(label), label_style)
            if not line.plain:
                head.rstrip()
            self._console.print(head + line, no_wrap=True, overflow="ignore", crop=False)


def _order(group: Group) -> tuple[int, str]:
    words = (*_PARAGRAPHS, *_LINES)
    return words.index(group.word), group.finding["requirement"] if group.finding else ""


def _bar(verdicts: list[str]) -> Iterator[str]:
    """The verdicts in their order as one bar."""
    size = min(_BAR, len(verdicts))
    for i in range(size):
        part = verdicts[i * len(verdicts) // size : (i + 1) * len(verdicts) // size]
        yield max((_MARKS.get(v, "F") for v in part), key=_WEIGHTS.index)
    yield from " " * (_BAR - size)


def _known_text(known: Mapping[str, Any]) -> str:
    expires = f"until {known['expires']}" if known.get("expires") else ""
    parts = (known.get("reason"), known.get("issue"), known.get("owner"), expires)
    return ", ".join(filter(None, parts)) or f"entry {known.get('entry', '')}"


def _baseline_text(end: Event | None, counts: Mapping[str, int]) -> str:
    baseline: Mapping[str, Any] = (end or {}).get("baseline", {})
    if not baseline.get("known"):
        return "none"
    passing = f", {case_count(counts['xpass'])} passing now" if counts.get("xpass") else ""
    stale = [f"{entry} ({why})" for why in ("unmatched", "expired") for entry in baseline.get(why, ())]
    told = f": {'; '.join(stale)}" if stale else ""
    entries = f"{baseline['known']:,} entries, {case_count(counts.get('xfail', 0))} known to fail"
    return f"{entries}{passing}, {len(stale)} stale{told}"
