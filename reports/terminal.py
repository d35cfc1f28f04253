"""The report on a terminal: a block an implementation, a paragraph a cause, four lines that sum it up.

A failure reads, top to bottom: the rule and its place, the case, its input, expected and got, the oracle, who is
affected, and the command that replays it. Colour only repeats words; away from a terminal the text is plain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TextIO

from rich.console import Console
from rich.progress import Progress, TaskID
from rich.text import Text

from reports.bars import bar
from reports.cause_lines import cause_lines
from reports.causes import Cause, replay_command
from reports.gathering import GatheringRenderer, Iut, sum_text
from reports.progress import bar_columns
from reports.reasons import cut_text, plan_notes
from reports.renderer import Event
from reports.shortening import ends_of_stderr
from reports.texts import (
    baseline_text,
    case_count,
    counted,
    cut,
    explained_suite_text,
    inconclusive_red_text,
    known_texts,
    printable,
    visible,
    weight_text,
)
from reports.unjudged import Unjudged, merged
from reports.vocabulary import NEVER_RUN, VERDICTS

__all__ = ["TerminalRenderer"]

# Widths in characters: of the label of a line in a block, and of one that sums up.
_LABEL = 10
_SUM_LABEL = 14

# Of an implementation, no more is printed.
_MOST_PARAGRAPHS = 40
_MOST_REASONS = 10
_MOST_STDERR_LINES = 8

_SAY_EVERY = 1000
"""Cases between two lines of progress, where there is no moving bar."""

_IN_RECORD = "they are in the run record (--report jsonl=FILE)"

_STYLES: Mapping[str, str] = {
    "pass": "green",
    "fail": "bold red",
    "warn": "yellow",
    "may": "dim",
    "later": "dim",
    "xfail": "cyan",
    "xpass": "magenta",
    "flaky": "magenta",
    "suite_error": "bold magenta",
    "green": "bold green",
    "stale": "bold yellow",
    "red": "bold red",
    "inconclusive": "bold yellow",
}
_RED = "bold red"

_GAP = "  "
_HEADING_INDENT = " " * 6

# Words of causes: those with a paragraph each, in this order, and those with a line each.
_PARAGRAPHS = ("suite_error", "crash", "timeout", "protocol_error", "false_claim", "fail", "xfail_changed", "warn")
_LINES = ("xpass", "flaky", "xfail", "may", "later")


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Raise the error of a closed stream to the caller: status 1, which is a verdict, must not end the process."""
        raise


class TerminalRenderer(GatheringRenderer):
    """Renders to a stream. `quiet` leaves the last four lines; `width` is the terminal's where it is None.

    Away from a terminal there is no colour and no moving bar.
    """

    def __init__(self, out: TextIO, *, width: int | None = None, quiet: bool = False) -> None:
        super().__init__()
        plain = {"markup": False, "highlight": False, "emoji": False}
        self._console = _Console(file=out, width=width, soft_wrap=False, **plain)  # type: ignore[arg-type]
        self._quiet = quiet
        self._current: Iut | None = None  # the implementation whose block has begun
        self._shown: set[tuple[str, str]] = set()  # id and role of the cases whose input its block has shown
        self._progress: Progress | None = None  # the moving bar, and its only task
        self._task = TaskID(0)

    def handle(self, event: Event) -> None:
        """Take the next event; a block is printed at the end of its implementation."""
        kind = event["event"]
        if kind in ("iut", "end"):
            self._finish_block(is_alone=kind == "end" and len(self._gathering.iuts) == 1)
        super().handle(event)
        if kind == "iut":
            self._current = self._gathering.iuts[event["iut"]]
            self._begin_block(self._current.event)
        elif kind == "plan" and self._current is not None:
            self._planned(event, self._current)
        elif kind == "note" and not self._quiet:
            self._labelled("note", f"{visible(event['text'])}   (first at {event['case']})", "yellow")
        elif kind == "verdict" and self._current is not None:
            self._advance(self._current, event["verdict"])
        elif kind == "verdicts" and self._progress is not None:
            self._progress.advance(self._task, event["cases"])

    def close(self) -> None:
        """Print the sum, and before it that the record is cut if it has no end."""
        self._finish_block(is_alone=len(self._gathering.iuts) == 1)
        end = self._gathering.end
        if end is None:
            self._say("the record is cut: it has no 'end' event; only the verdicts in it are counted", _RED)
        self._sum(end)

    # -- one implementation --------------------------------------------------------------------------------------

    def _begin_block(self, event: Event) -> None:
        if self._quiet:
            if event.get("message"):
                # The reason for a run without judgement is always shown.
                self._labelled("problem", f"{event['iut']}: {event['message']}", _RED)
            return
        named = " ".join(filter(None, (event.get("name"), event.get("version"))))
        language = f" ({event['language']})" if event.get("language") else ""
        self._say()
        self._labelled("iut", f"{named or event['iut']}{language}{_profile(event)}")
        self._labelled("address", str(event["address"]))
        if suite := self._gathering.run.get("suite"):
            self._labelled("suite", explained_suite_text(self._gathering.run, str(suite)))
        if event.get("message"):
            self._labelled("lost" if not event.get("started") else "note", event["message"], _RED)
        self._stderr(event.get("stderr", ""))
        for problem in event.get("problems", ()):
            self._labelled("problem", problem, _RED)

    def _planned(self, event: Event, iut: Iut) -> None:
        nothing = iut.deselected == event["planned"] > 0
        if self._quiet and not nothing:
            return
        for note in plan_notes(event):
            self._labelled("note", note, "yellow")
        if self._quiet:
            return
        self._labelled("planned", self._planned_text(iut))
        if self._console.is_terminal:
            self._progress = Progress(*bar_columns(), console=self._console, transient=True)
            self._task = self._progress.add_task("judging", total=event["planned"] - iut.deselected)
            self._progress.start()

    @staticmethod
    def _planned_text(iut: Iut) -> str:
        planned, left_out = iut.plan.get("planned", iut.done), iut.deselected
        return f"{planned - left_out:,} of {case_count(planned)} are selected" if left_out else case_count(planned)

    def _advance(self, iut: Iut, verdict: str) -> None:
        if self._progress is not None:
            self._progress.advance(self._task)
        elif not self._quiet and verdict not in NEVER_RUN and iut.executed % _SAY_EVERY == 0:
            self._labelled("", f"{iut.executed:,} of {case_count(iut.to_run)}")

    def _finish_block(self, *, is_alone: bool) -> None:
        """Print what was found of the current implementation, if there is one.

        `is_alone`: the only implementation of a run, whose totals are those of the run.
        """
        iut, self._current = self._current, None
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
        if iut is None or self._quiet:
            return
        if iut.verdicts:
            self._say()
        self._bars(iut)
        self._shown.clear()
        causes = _with_words(iut, _PARAGRAPHS)
        for cause in causes[:_MOST_PARAGRAPHS]:
            self._paragraph(cause, iut)
        if len(causes) > _MOST_PARAGRAPHS:
            self._say()
            self._say(f"and {len(causes) - _MOST_PARAGRAPHS:,} more causes: {_IN_RECORD}", "bold")
        self._lines(iut)
        if not is_alone or iut.restarts:
            self._say()
        if not is_alone:
            self._summed("planned", sum_text(iut.plan.get("planned", iut.done), iut.counts))
            self._sum_requirements([iut])
        if iut.restarts:
            self._summed("restarts", f"{len(iut.restarts):,}")

    def _bars(self, iut: Iut) -> None:
        names = {key: printable(f"{key[0]} {key[1]}") for key in iut.verdicts}
        width = max(map(len, names.values()), default=0)
        for key, verdicts in iut.verdicts.items():
            good = sum(v in ("pass", "flaky") for v in verdicts)
            line = Text(f"{names[key]:<{width}}   ")
            line.append(bar(verdicts))
            line.append(f"  {good:>5,}/{len(verdicts):,}")
            self._console.print(line, no_wrap=True, overflow="ellipsis")

    # -- one cause -----------------------------------------------------------------------------------------------

    def _paragraph(self, cause: Cause, iut: Iut) -> None:
        self._say()
        self._heading(cause)
        shown = cause.verdict["case"], cause.verdict["role"]
        for label, text in cause_lines(cause, self._room, again=shown in self._shown):
            self._labelled(label, text)
        self._shown.add(shown)
        self._labelled("replay", replay_command(self._gathering.run, iut.event, cause.verdict))
        self._stderr(cause.verdict.get("stderr", ""))

    def _heading(self, cause: Cause) -> None:
        finding = cause.finding
        parts = [finding["requirement"], weight_text(finding), finding["fingerprint"]] if finding else []
        if cause.failure and cause.failure != cause.word:
            parts.append(cause.failure)
        if cause.cases > 1:
            parts.append(case_count(cause.cases))
        head = Text(cause.word.upper(), _STYLES.get(cause.word, _RED))
        used = len(head)
        for part in map(printable, parts):
            fits = used + len(_GAP + part) <= self._console.width
            head.append((_GAP if fits else f"\n{_HEADING_INDENT}") + part, "bold")
            used = used + len(_GAP + part) if fits else len(_HEADING_INDENT + part)
        self._console.print(head, overflow="fold")

    def _stderr(self, text: str) -> None:
        lines = text.splitlines()
        if lines:
            self._labelled("stderr", f"({counted(len(lines), 'line', 'lines')})")
        for line in ends_of_stderr(text, _MOST_STDERR_LINES):
            # The indent of a traceback stays an indent.
            text = line.lstrip(" ")
            self._labelled("", " " * (len(line) - len(text)) + cut(visible(text), 2 * self._room))

    def _lines(self, iut: Iut) -> None:
        """Known failures, free differences, unexpected passes and unjudged cases: a line for each cause or reason."""
        causes = _with_words(iut, _LINES)
        if causes or iut.unjudged or iut.undeclared:
            self._say()
        for cause in causes:
            finding = cause.finding
            names = [finding["requirement"], finding["fingerprint"]] if finding else [cause.verdict["case"]]
            names += [f"later than {finding['later_than']}"] if finding and "later_than" in finding else []
            text = "  ".join(filter(None, [*names, case_count(cause.cases), known_texts(cause.verdict)]))
            self._summed(cause.word.upper(), text, label_style=_STYLES.get(cause.word, ""))
        self._unjudged(iut)

    def _unjudged(self, iut: Iut) -> None:
        reasons = merged(iut.unjudged.values())
        for reason in reasons[:_MOST_REASONS]:
            text = f"{case_count(reason.cases)}: {reason.why}{self._places(iut, reason)}"
            self._summed(reason.verdict.upper(), text)
        if len(reasons) > _MOST_REASONS:
            self._summed("", f"and {len(reasons) - _MOST_REASONS:,} more reasons: {_IN_RECORD}")
        if iut.undeclared:
            number = case_count(iut.undeclared.total())
            self._summed("UNSUPPORTED", f"{number} of protocols that it does not declare: {', '.join(iut.undeclared)}")

    @staticmethod
    def _places(iut: Iut, reason: Unjudged) -> str:
        """Where a capture holds unjudged records: the first places, and the number of others."""
        if iut.event.get("contact") != "capture" or not reason.first:
            return ""
        others = reason.cases - len(reason.first)
        more = [f"and {others:,} more"] if others > 0 else []
        return f" ({'; '.join([*reason.first, *more])})"

    # -- the sum -------------------------------------------------------------------------------------------------

    def _sum(self, end: Event | None) -> None:
        iuts = list(self._gathering.iuts.values())
        if not self._quiet:
            self._say()
            self._say("-" * min(self._console.width, 78))
            if len(iuts) > 1 and any(iut.verdicts for iut in iuts):
                self._table(iuts)
                self._say()
        counts = sum((iut.counts for iut in iuts), Counter[str]())
        accounting = (end or {}).get("accounting", {})
        planned = accounting.get("planned", sum(iut.plan.get("planned", 0) for iut in iuts))
        self._summed("planned", sum_text(planned, accounting.get("counts", counts)))
        self._sum_requirements(iuts)
        self._summed("baseline", baseline_text((end or {}).get("baseline", {}), counts))
        if end is None:
            self._summed("gate", f"UNKNOWN   {cut_text(self._gathering)}", _RED)
            return
        colour = end["gate"]["colour"]
        message = f"   {end['message']}" if end.get("message") else ""
        policy = end["gate"].get("policy", "")
        text = f"{colour.upper()}{inconclusive_red_text(end)}   exit {end['exit']}   policy {policy}{message}"
        style = _STYLES.get(colour, "")
        self._summed("gate", text, style, label_style=style)

    def _sum_requirements(self, iuts: Sequence[Iut]) -> None:
        if all(0 < iut.plan.get("planned", 0) == iut.deselected for iut in iuts):
            return  # nothing was judged
        statuses = self._gathering.status_counts(iuts)
        parts = ", ".join(f"{n:,} {status}" for status, n in statuses.items())
        self._summed("requirements", f"{sum(statuses.values()):,} apply: {parts or 'none'}")

    def _table(self, iuts: Sequence[Iut]) -> None:
        """Implementation × protocol and role, with every verdict that occurs."""
        rows = [(iut, key, verdicts) for iut in iuts for key, verdicts in iut.verdicts.items()]
        seen = {verdict for *_, verdicts in rows for verdict in verdicts}
        columns = [*(v for v in VERDICTS if v in seen), *sorted(seen.difference(VERDICTS))]
        texts = ["implementation", "profile", "protocol", "role"]
        table = [[*texts, "planned", *columns]]
        for iut, (protocol, role), verdicts in rows:
            counts = [f"{n:,}" if (n := verdicts.count(column)) else "." for column in columns]
            table.append([iut.label, iut.event.get("profile", ""), protocol, role, f"{len(verdicts):,}", *counts])
        widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
        if sum(widths) + len(_GAP) * len(widths) > self._console.width:
            self._list(iuts)
            return
        for row in table:
            cells = [
                cell.ljust(width) if i < len(texts) else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            self._say(_GAP.join(cells).rstrip(), "bold" if row is table[0] else None)

    def _list(self, iuts: Sequence[Iut]) -> None:
        """What `_table` shows, where the terminal is too narrow for a table."""
        for iut in iuts:
            self._say(f"{iut.label}{_profile(iut.event)}", "bold")
            width = max((len(f"{protocol} {role}") for protocol, role in iut.verdicts), default=0)
            for (protocol, role), verdicts in iut.verdicts.items():
                name = f"{protocol} {role}"
                self._folded(f"  {name:<{width}}   ", sum_text(len(verdicts), Counter(verdicts)), "", "")

    # -- lines ---------------------------------------------------------------------------------------------------

    @property
    def _room(self) -> int:
        """Characters beside a label."""
        return max(24, self._console.width - _LABEL - 2)

    def _say(self, text: str = "", style: str | None = None) -> None:
        self._console.print(Text(printable(text), style or ""), overflow="fold")

    def _labelled(self, label: str, text: str, style: str = "") -> None:
        """`  label     text`, the text folded beside its label."""
        self._folded(f"  {label:<{_LABEL}}", text, "dim", style)

    def _summed(self, label: str, text: str, style: str = "", label_style: str = "") -> None:
        """`label         text`, the text folded beside its label."""
        self._folded(f"{label:<{_SUM_LABEL}}", text, label_style, style)

    def _folded(self, label: str, text: str, label_style: str, style: str) -> None:
        """The label and, beside it, the text, whose further lines are indented by the length of the label."""
        room = max(24, self._console.width - len(label))
        for i, line in enumerate(Text(printable(text), style).wrap(self._console, room, overflow="fold")):
            line.rstrip()
            head = Text(label if i == 0 else " " * len(label), label_style)
            if not line.plain:
                head.rstrip()
            self._console.print(head + line, no_wrap=True, overflow="ignore", crop=False)


def _with_words(iut: Iut, words: Sequence[str]) -> list[Cause]:
    """The causes with one of these words, in the order of the words and then by requirement."""
    causes = [cause for cause in iut.causes_by_key.values() if cause.word in words]
    return sorted(causes, key=lambda cause: (words.index(cause.word), cause.requirement))


def _profile(event: Event) -> str:
    """The profile behind a name; empty for dialects that have none."""
    return f"   profile {profile}" if (profile := event.get("profile", "?")) else ""
