"""Selects the changes that take part in a comparison of a window of commit time.

Changes that are outside the window by less than its slack also take part, as partners of those inside; differences
among them are dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from conformance.errors import UsageError
from differential.decode.contradictions import json_tree
from differential.decode.slim import Kind, Slim, statement_in
from differential.model import Change, Difference, Place, time_of
from differential.sides import Side
from differential.window import Window, moment
from reference_impl.errors import Rejected
from reference_impl.model import Record
from reference_impl.tso import MAX_TSO, compose

__all__ = ["WindowFilter", "differences_inside", "differences_inside_by_time", "window_of"]


def window_of(since: str | None, until: str | None, slack: float | None, sides: Sequence[Side]) -> Window | None:
    """The window of `--from`, `--until` and `--slack` (seconds), None if none of them is given.

    Raises `UsageError` for an empty window, for sides whose messages have no commit time, and for a slack that is
    missing for sides with two clocks, or impossible.
    """
    if since is None and until is None:
        if slack is not None:
            raise UsageError("--slack: needs a window, given by --from and --until")
        return None
    begin = 0 if since is None else moment("--from", since)
    end = MAX_TSO if until is None else moment("--until", until)
    if begin >= end:
        if until is None:
            raise UsageError(f"--from {since}: nothing is after it")
        why = "nothing is before it" if since is None else f"it is not after --from {since}"
        raise UsageError(f"--until {until}: {why}")
    for side in sides:
        option = side.traits.commit_time_option
        if option and side.every_option()[option] != "true":
            raise UsageError(f"--from, --until: {side.name}: {side.dialect} has no commit time without {option}")
    if slack is None and len({side.traits.is_of_ticdc for side in sides}) > 1:
        raise UsageError(
            "--from, --until: the sides use two clocks, TiDB's and the binlog's: "
            "give --slack SECONDS, how far apart they may be"
        )
    if slack is not None and not 0 <= slack < 86_400:
        raise UsageError(f"--slack {slack}: seconds, less than a day")
    return Window(begin, end, round(1000 * (slack or 0)))


def _time_of_change(commit_ts: int | str | None, instant: str) -> int | None:
    """The time stamp of a change (TSO), None if it has none."""
    if commit_ts is not None:
        return int(commit_ts)
    time = time_of(instant)
    return compose(int(time)) if time.isdecimal() else None


class WindowFilter:
    """Keeps the changes of a side that are in its window; `counts` gets the others, and those without a time."""

    def __init__(self, side: Side, window: Window, counts: Counter[str]) -> None:
        self._window, self._counts = window, counts
        traits = side.traits
        self._path = traits.time_path or ((traits.time_member,) if traits.time_member else ())

    def __call__(self, rows: Sequence[Slim], record: Record) -> tuple[list[Slim], bool]:
        """The rows of a message that take part, and whether it is inside the window.

        A message that is only within the slack is not inside. Rows without a time always take part. Oddities take part
        if the message is inside, or has nothing else.
        """
        kept: list[Slim] = []
        oddities: list[Slim] = []
        is_inside = all(row.kind == Kind.ODDITY for row in rows)  # then no row has a time
        for row in rows:
            if row.kind == Kind.ODDITY:
                oddities.append(row)
                continue
            time = self._time_of(row, record)
            if time is None or self._window.reaches(time):
                kept.append(row)
                is_inside = is_inside or time is None or self._window.has(time)
            else:
                self._counts["outside the window"] += 1
        return (kept + oddities if is_inside else kept), is_inside

    def _time_of(self, row: Slim, record: Record) -> int | None:
        """The time stamp of a change or a statement (TSO), None if it has none."""
        if row.kind == Kind.CHANGE:
            time = _time_of_change(row.commit_ts, row.instant)
            self._counts["without a commit time"] += time is None
            return time
        if row.kind == Kind.STATEMENT:
            commit_ts = statement_in(row).commit_ts
            return int(commit_ts) if commit_ts is not None else _time_in(record, self._path)
        return None


def _time_in(record: Record, path: Sequence[str]) -> int | None:
    """The time at a path of an upstream message, as a TSO; None if it is absent."""
    try:
        found = json_tree(record.value or b"")
        found = found.get("payload", found)
        for name in path:
            found = found[name]
    except (Rejected, ValueError, KeyError, TypeError, AttributeError):
        return None
    return compose(found) if type(found) is int and found >= 0 else None


def differences_inside(
    window: Window, found: Iterable[Difference], left: Iterable[Change], right: Iterable[Change]
) -> Iterator[Difference]:
    """The differences with a change inside the window, or of unknown time.

    All others concern only changes within the slack.
    """
    times = ({one.place: _time_of_change(one.commit_ts, one.instant) for one in changes} for changes in (left, right))
    return differences_inside_by_time(window, found, *times)


def differences_inside_by_time(
    window: Window, found: Iterable[Difference], left: Mapping[Place, int | None], right: Mapping[Place, int | None]
) -> Iterator[Difference]:
    """As `differences_inside`, by the time stamps (TSO) of messages; None if unknown."""
    times = left, right
    for difference in found:
        if any(_is_in(window, at, place) for at, place in zip(times, (difference.left, difference.right), strict=True)):
            yield difference


def _is_in(window: Window, times: Mapping[Place, int | None], place: Place | None) -> bool:
    if place is None:
        return False
    time = times.get(place)
    return time is None or window.has(time)
