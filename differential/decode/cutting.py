"""Which changes take part in a comparison of a window of commit time, by what their messages say.

Changes that are outside of the window by less than its slack are read, too, as partners of those inside; among
themselves they make no difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from conformance.errors import UsageError
from differential.decode.slim import Kind, Slim, text_payload
from differential.model import Difference, Place, time_of
from differential.sides import Side
from differential.window import Window, moment
from reference_impl.model import Record
from reference_impl.tso import MAX_TSO, compose

__all__ = ["Cut", "inside", "window_of"]


def window_of(since: str | None, until: str | None, slack: float | None, sides: Sequence[Side]) -> Window | None:
    """The window that `--from`, `--until` and `--slack` (seconds) ask for, None where they ask for none.

    Raises `UsageError` for one that is empty, and for sides that cannot be cut by it.
    """
    if since is None and until is None:
        if slack is not None:
            raise UsageError("--slack: it is of a window, which --from and --until give")
        return None
    begin = 0 if since is None else moment("--from", since)
    end = MAX_TSO if until is None else moment("--until", until)
    if begin >= end:
        raise UsageError(f"--until {until}: it is not after --from {since}")
    for side in sides:
        option = side.traits.commit_time_option
        if option and side.settled()[option] != "true":
            raise UsageError(f"--from, --until: {side.name}: {side.dialect} tells no commit time without {option}")
    if slack is None and len({side.traits.own for side in sides}) > 1:
        raise UsageError(
            "--from, --until: the sides tell the time of two clocks, TiDB's and the binlog's: "
            "give --slack SECONDS, how far apart they may be"
        )
    if slack is not None and not 0 <= slack < 86_400:
        raise UsageError(f"--slack {slack}: seconds, less than a day")
    return Window(begin, end, round(1000 * (slack or 0)))


def _time(row: Slim) -> int | None:
    """The time stamp of a change, None where it tells none."""
    if row.commit_ts is not None:
        return int(row.commit_ts)
    time = time_of(row.instant)
    return compose(int(time)) if time.isdecimal() else None


class Cut:
    """Leaves of each message of a side what is in its window; `counts` tells what was left out."""

    def __init__(self, side: Side, window: Window, counts: Counter[str]) -> None:
        self._window, self._counts = window, counts
        traits = side.traits
        self._path = traits.instant or ((traits.time,) if traits.time else ())

    def __call__(self, rows: Iterable[Slim], record: Record) -> list[Slim]:
        """The slim records of a message that take part. What has no time takes part."""
        kept: list[Slim] = []
        oddities: list[Slim] = []
        for row in rows:
            if row.kind == Kind.ODDITY:
                oddities.append(row)
            elif self._takes_part(row, record):
                kept.append(row)
            else:
                self._counts["outside the window"] += 1
        # What is odd about a message is odd about its changes.
        return kept + oddities if kept else kept

    def _takes_part(self, row: Slim, record: Record) -> bool:
        if row.kind == Kind.CHANGE:
            time = _time(row)
            if time is None:
                self._counts["without a commit time"] += 1
            return time is None or self._window.reaches(time)
        if row.kind == Kind.STATEMENT:
            # A statement waits for no partner.
            told = text_payload(row)[2]
            time = int(told) if told is not None else _told(record, self._path)
            return time is None or self._window.has(time)
        return True


def _told(record: Record, path: Sequence[str]) -> int | None:
    """The time that a message of upstream tells at a path, None without."""
    try:
        found: Any = orjson.loads(record.value or b"")
        found = found.get("payload", found)
        for name in path:
            found = found[name]
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        return None
    return compose(found) if type(found) is int and found >= 0 else None


def inside(
    window: Window, found: Iterable[Difference], left: Iterable[Slim], right: Iterable[Slim]
) -> Iterator[Difference]:
    """The differences of which a change is inside the window; the others are of partners alone."""
    times = [{Place(*row.place): _time(row) for row in rows} for rows in (left, right)]
    for difference in found:
        if any(_is_in(window, at, place) for at, place in zip(times, (difference.left, difference.right), strict=True)):
            yield difference


def _is_in(window: Window, times: Mapping[Place, int | None], place: Place | None) -> bool:
    if place is None:
        return False
    time = times.get(place)
    return time is None or window.has(time)
