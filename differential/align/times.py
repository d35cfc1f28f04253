"""Time gaps between changes of two sides, whose clocks may differ.

Times choose between alignments that are otherwise equally good. A time alone never makes a difference.
"""

from __future__ import annotations

from functools import lru_cache

from differential.model import Change, time_of
from reference_impl.tso import physical_ms

__all__ = ["RESOLUTION", "is_older", "later", "ms_at", "ms_of"]

RESOLUTION = 1000
"""In milliseconds: binary logs have times in seconds, so changes at most this far apart have the same time."""


def ms_of(change: Change) -> int | None:
    """The time of a change in milliseconds since 1970, None if it has none."""
    return ms_at(change.commit_ts, change.instant)


def ms_at(commit_ts: int | None, instant: str) -> int | None:
    """As `ms_of`, for a commit time stamp and an instant."""
    return physical_ms(commit_ts) if commit_ts is not None else _ms_of(instant)


def is_older(one: Change, before: Change) -> bool:
    """Whether a change is older than the one before it on its side."""
    times = ms_of(one), ms_of(before)
    return times[0] is not None and times[1] is not None and times[0] < times[1]


@lru_cache(maxsize=1024)
def _ms_of(instant: str) -> int | None:
    time = time_of(instant)
    return int(time) if time.isdecimal() else None


def later(a: Change, b: Change) -> int | None:
    """By how many milliseconds `b` is later than `a`; None if either has no time.

    If one of the times is in whole seconds, both are cut to seconds.
    """
    times = ms_of(a), ms_of(b)
    if times[0] is None or times[1] is None:
        return None
    if times[0] % RESOLUTION and times[1] % RESOLUTION:
        return times[1] - times[0]
    return times[1] // RESOLUTION * RESOLUTION - times[0] // RESOLUTION * RESOLUTION
