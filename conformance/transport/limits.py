"""The time limits and restart limits of a session, as data."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.transport.channel import MAX_LINE

__all__ = ["MAX_RESTARTS", "Limits"]

MAX_RESTARTS = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one session. Times are in seconds."""

    start: float = 10.0
    """From the start to the answer to `hello`."""
    answer: float = 5.0
    bye: float = 2.0
    """From `bye` to the end of the implementation."""
    terminate: float = 1.0
    """From SIGTERM to SIGKILL."""
    line: int = MAX_LINE
    """Bytes of an answer line."""
    restarts: int | None = MAX_RESTARTS
    """Restarts without a good answer in between; None is for searches, where every example may crash."""
