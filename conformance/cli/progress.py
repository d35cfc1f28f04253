"""Shows the progress of long work on standard error: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import Progress, TaskID

from reports.progress import bar_columns, rate_text

__all__ = ["ProgressDisplay", "progress"]


_SAY_EVERY = 1_000_000
"""Steps between two lines, where their total is unknown."""
_SAY_PARTS = 10
"""Lines for all steps, where their total is known."""
_FEW = 1_000
"""There are no lines for a smaller total that was expected."""


class ProgressDisplay:
    """Shows the progress: by `bar`, or by lines that `say` prints; with neither it shows nothing."""

    def __init__(
        self,
        bar: Progress | None,
        task: TaskID | None,
        say: Callable[[str], None] | None = None,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._bar, self._task = bar, task
        self._say, self._now = say, now
        self._done = self._total = 0  # steps; the total is 0 while it is unknown
        self._lines = 0  # that were printed, or skipped because the work was faster
        self._begun = now()

    @property
    def is_shown(self) -> bool:
        """Whether there is a bar, or lines."""
        return self._bar is not None or self._say is not None

    def expect(self, total: int) -> None:
        """Set the number of all steps."""
        self._total = total
        self._update(total=total or None)

    def advance(self, count: int) -> None:
        """Count more finished steps."""
        if self._total:
            self._done += count
            self.set_done(self._done, self._total)
            return
        self._update(advance=count)
        self._done += count
        if self._say is not None and self._done // _SAY_EVERY > self._lines:
            self._lines = self._done // _SAY_EVERY
            self._say(f"{self._done:,}")

    def set_done(self, done: int, total: int) -> None:
        """Set the number of finished steps, and that of all steps."""
        self._update(completed=done, total=total or None)
        part = done * _SAY_PARTS // total if total else 0
        if self._say is not None and part > self._lines and (total >= _FEW or not self._total):
            self._lines = part
            self._say(f"{done:,} of {total:,}{self._pace(done, total)}")

    def _update(self, **fields: Any) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, **fields)

    def _pace(self, done: int, total: int) -> str:
        """The speed, and the remaining time; empty where no time has passed."""
        seconds = self._now() - self._begun
        if seconds <= 0:
            return ""
        left = round((total - done) * seconds / done)
        return f", {rate_text(done / seconds)}" + (f", {timedelta(seconds=left)} left" if done < total else "")


@contextmanager
def progress(what: str, *, quiet: bool) -> Iterator[ProgressDisplay]:
    """Count `what` on standard error: as a bar, or away from a terminal as lines; not at all if `quiet`."""
    if quiet:
        yield ProgressDisplay(None, None)
        return
    if not sys.stderr.isatty():
        yield ProgressDisplay(None, None, lambda text: print(f"{what}: {text}", file=sys.stderr, flush=True))
        return
    with Progress(*bar_columns(), console=Console(stderr=True), transient=True) as bar:
        yield ProgressDisplay(bar, bar.add_task(what, total=None))
