"""The time limits and restart limits of a session, as data."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.transport.channel import MAX_LINE

__all__ = ["MAX_RESTARTS", "Limits"]

MAX_RESTARTS = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one session. Times are in seconds.

    `restarts` counts restarts without a good answer in between; None is for searches, where every example may crash.
    """

    start: float = 10.0
    answer: float = 5.0
    bye: float = 2.0
    terminate: float = 1.0
    line: int = MAX_LINE
    restarts: int | None = MAX_RESTARTS
