"""Work that takes long, on standard error: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, TaskID

from reports.progress import bar_columns

__all__ = ["Seen", "progress"]


_SAY_EVERY = 1_000_000
_SAY_PARTS = 10


class Seen:
    """What is done so far. `shown`: somebody looks; `say` puts a line where no bar can be drawn."""

    def __init__(self, bar: Progress | None, task: TaskID | None, say: Callable[[str], None] | None = None) -> None:
        self._bar, self._task = bar, task
        self._say = say
        self._done = self._said = 0

    @property
    def shown(self) -> bool:
        """Whether there is a bar, or lines."""
        return self._bar is not None or self._say is not None

    def more(self, count: int) -> None:
        """So many more are done, of nobody knows how many."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, advance=count)
        self._done += count
        if self._say is not None and self._done // _SAY_EVERY > self._said:
            self._said = self._done // _SAY_EVERY
            self._say(f"{self._done:,}")

    def of(self, done: int, total: int) -> None:
        """So many are done, of so many that are known."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, total=total or None)
        part = done * _SAY_PARTS // total if total else 0
        if self._say is not None and part > self._said:
            self._said = part
            self._say(f"{done:,} of {total:,}")


@contextmanager
def progress(what: str, *, quiet: bool) -> Iterator[Seen]:
    """Counts `what` on standard error: a bar, or where that is no terminal a line now and then; nothing if `quiet`."""
    if quiet:
        yield Seen(None, None)
        return
    if not sys.stderr.isatty():
        yield Seen(None, None, lambda text: print(f"{text} {what}", file=sys.stderr, flush=True))
        return
    with Progress(*bar_columns(), console=Console(stderr=True), transient=True) as bar:
        yield Seen(bar, bar.add_task(what, total=None))
