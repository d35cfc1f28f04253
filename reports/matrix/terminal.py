"""The kill matrix on a terminal: its progress; then each surviving mutant, with what to do; the sums last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from rich.console import Console
from rich.progress import Progress, TaskID

from reports.matrix.wording import (
    WRITE_ANEW,
    Record,
    faults_text,
    gate_text,
    history_text,
    levels,
    mutant_count,
    not_killed,
    not_shown_first,
    proofs_text,
    sum_of,
    to_do,
    unproven,
)
from reports.progress import bar_columns
from reports.texts import printable_line

__all__ = ["MatrixProgress", "terminal_lines"]

_SAY_EVERY = 250
_MOST_REQUIREMENTS = 12
"""With more requirements only those that nothing proves are listed."""
_LABEL = 10
_SUM_LABEL = 14


class MatrixProgress:
    """A bar on a terminal, elsewhere a line now and then. It has no thread: the caller may fork."""

    def __init__(self, out: TextIO, planned: int) -> None:
        self._console = Console(file=out, markup=False, highlight=False, emoji=False)
        self._planned = planned
        self._done = 0
        self._bar: Progress | None = None
        self._task = TaskID(0)
        if self._console.is_terminal:
            self._bar = Progress(*bar_columns(), console=self._console, transient=True, auto_refresh=False)
            self._task = self._bar.add_task("mutants", total=planned)
            self._bar.start()

    def advance(self) -> None:
        """Count one more mutant or fault."""
        self._done += 1
        if self._bar is not None:
            self._bar.update(self._task, advance=1, refresh=True)
        elif self._done % _SAY_EVERY == 0:
            print(f"{self._done:,} of {self._planned:,} mutants and faults", file=self._console.file, flush=True)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()


def terminal_lines(record: Record) -> Iterator[str]:
    """The report in lines, without invisible characters."""
    return map(printable_line, _lines(record))


def _lines(record: Record) -> Iterator[str]:
    for mutant in not_killed(record):
        yield from _trouble(mutant)
    for fault in not_shown_first(record):
        yield from _stale(fault)
    requirements = record["requirements"]
    shown = requirements if len(requirements) <= _MOST_REQUIREMENTS else unproven(record)
    yield from (_requirement(r) for r in shown)
    if shown:
        yield ""
    if record["message"]:
        yield _sum("problem", record["message"])
    for group in record["groups"]:
        yield _sum(group["protocol"], f"{group['role']}: {mutant_count(group['planned'])}, {sum_of(group['totals'])}")
    for level, statuses in levels(requirements).items():
        yield _sum(f"{level.upper()} rules", f"{sum(statuses.values()):,}: {sum_of(statuses)}")
    if faults := faults_text(record):
        yield f"generated faults: {faults}"
    if any(record["history_totals"].values()):
        yield f"historical defects: {history_text(record)}"
    yield f"{mutant_count(record['planned'])}: {sum_of(record['totals'])}; {gate_text(record)}"


def _trouble(mutant: Record) -> Iterator[str]:
    style = mutant["release"] or mutant["profile"]
    yield f"{mutant['outcome'].upper()}  {mutant['mutant']}  {mutant['role']}  {style}"
    yield _entry("fault", mutant["fault"])
    yield _entry("dies for", mutant["requirement"])
    yield _entry("tried on", f"{mutant['cases']} cases" + (f", {mutant['kills']} kill it" if mutant["kills"] else ""))
    if mutant["witness"]:
        yield _entry("differs on", mutant["witness"])
    if mutant["also"]:
        yield _entry("found by", ", ".join(mutant["also"]))
    yield _entry("to do", to_do(mutant))
    if mutant["again"]:
        yield _entry("see", mutant["again"])
    yield ""


def _stale(fault: Record) -> Iterator[str]:
    yield f"{fault['outcome'].upper()}  {fault['requirement']}  {fault['protocol']}, {fault['role']}"
    yield _entry("fault", fault["fault"])
    yield _entry("case", fault["case"])
    yield _entry("shown", fault["shown"] or "nothing")
    yield _entry("to do", WRITE_ANEW)
    yield ""


def _requirement(r: Record) -> str:
    proofs = proofs_text(r)
    return f"{r['id']:<9} {r['level'].upper():<6} {r['standing']}{f': {proofs}' if proofs else ''}"


def _entry(label: str, text: str) -> str:
    return f"  {label:<{_LABEL}} {text}"


def _sum(label: str, text: str) -> str:
    return f"{label:<{_SUM_LABEL}} {text}"
