"""The columns of every progress bar: the count, the speed, and the remaining time."""

from __future__ import annotations

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

__all__ = ["bar_columns", "rate_text"]


def rate_text(speed: float | None) -> str:
    """A speed in steps a second in the usual form: `1,234/s`, `0.5/s`; empty where it is unknown."""
    if not speed:
        return ""
    return f"{speed:,.0f}/s" if speed >= 10 else f"{speed:.1f}/s"


class _Rate(ProgressColumn):
    """The speed."""

    def render(self, task: Task) -> Text:
        """The speed of the last half minute; of all of it once it is finished."""
        return Text(rate_text(task.finished_speed or task.speed))


class _Remaining(TimeRemainingColumn):
    """The remaining time, where the end is known; else the elapsed time."""

    _elapsed = TimeElapsedColumn()

    def render(self, task: Task) -> Text:
        """`0:01:23 left`, or `0:01:23`."""
        if task.total is None:
            return self._elapsed.render(task)
        left = super().render(task)
        return left.append(" left") if task.time_remaining is not None else left


def bar_columns() -> tuple[ProgressColumn, ...]:
    """New columns for one bar."""
    return TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate(), _Remaining()
