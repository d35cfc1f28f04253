"""A connection to a running implementation, as a conversation uses it, and the observer of its lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

__all__ = ["Connection", "Exit", "Launch", "Trace", "Traces"]


@dataclass(frozen=True, slots=True)
class Exit:
    """How an implementation ended."""

    text: str
    """In words, after "it": "ended with exit status 3"."""
    status: int | None = None
    """The exit status (negative: the signal that killed it); None if there is none."""


class Connection(Protocol):
    """A line channel to an implementation, and its end; `channel.Channel` documents the members without a docstring."""

    @property
    def lines_read(self) -> int: ...

    def send(self, line: bytes, deadline: float) -> None: ...

    def receive(self, deadline: float) -> bytes: ...

    def waiting(self) -> bytes | None: ...

    def stderr(self) -> str: ...

    def forget_stderr(self) -> None: ...

    def exit_within(self, patience: float) -> Exit | None:
        """How the implementation ended, waiting at most `patience` seconds; None while it runs."""
        ...

    def kill(self) -> None:
        """End the implementation and everything that it started, at once. May be called again."""
        ...

    def leave(self, patience: float, grace: float) -> str | None:
        """End the implementation after `bye`: wait, send SIGTERM, kill.

        `patience` is the time to end by itself, `grace` the time after SIGTERM, both in seconds. Returns a complaint
        unless the implementation ended by itself with status 0.
        """
        ...


Launch: TypeAlias = Callable[[], Connection]
"""Starts an implementation, or connects to one. Raises `HarnessLost` if that fails."""


class Trace(Protocol):
    """An observer of the lines: each with its `\\n` when sent, without it when received."""

    def launched(self) -> None:
        """An implementation was started, or connected to: the following lines belong to it."""
        ...

    def sent(self, line: bytes) -> None: ...

    def received(self, line: bytes) -> None: ...

    def close(self) -> None:
        """The session was closed: no lines follow. May be called again."""
        ...


class Traces:
    """A `Trace` that passes everything on to others."""

    def __init__(self, traces: Sequence[Trace]) -> None:
        self._traces = traces

    def launched(self) -> None:
        for trace in self._traces:
            trace.launched()

    def sent(self, line: bytes) -> None:
        for trace in self._traces:
            trace.sent(line)

    def received(self, line: bytes) -> None:
        for trace in self._traces:
            trace.received(line)

    def close(self) -> None:
        for trace in self._traces:
            trace.close()
