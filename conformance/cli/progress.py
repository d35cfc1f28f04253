"""A bar on a terminal for work that takes long; nothing where nobody looks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

__all__ = ["Seen", "progress"]


class Seen:
    """What is done so far. `shown`: somebody looks."""

    def __init__(self, bar: Progress | None, task: TaskID | None) -> None:
        self._bar, self._task = bar, task

    @property
    def shown(self) -> bool:
        """Whether there is a bar."""
        return self._bar is not None

    def more(self, count: int) -> None:
        """So many more are done, of nobody knows how many."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, advance=count)

    def of(self, done: int, total: int) -> None:
        """So many are done, of so many that are known."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, total=total or None)


@contextmanager
def progress(what: str, *, quiet: bool) -> Iterator[Seen]:
    """A bar that counts `what` on standard error; none where that is no terminal, or with `quiet`."""
    if quiet or not sys.stderr.isatty():
        yield Seen(None, None)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Seen(bar, bar.add_task(what, total=None))
