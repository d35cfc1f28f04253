"""What a running implementation looks like to a conversation, whatever carries the lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

__all__ = ["Fate", "Launch", "Peer", "Trace"]


@dataclass(frozen=True, slots=True)
class Fate:
    """How the other side ended.

    `text` says what it did ("ended with exit status 3"); `status` is the exit status (negative: the signal that killed
    it), None where there is none.
    """

    text: str
    status: int | None = None


class Peer(Protocol):
    """The other end of a line channel. `channel.Channel` says what the first members do and raise."""

    @property
    def lines_read(self) -> int: ...

    def send(self, line: bytes, deadline: float) -> None: ...

    def receive(self, deadline: float) -> bytes: ...

    def waiting(self) -> bytes | None: ...

    def stderr(self) -> str: ...

    def forget_stderr(self) -> None: ...

    def fate(self, patience: float) -> Fate | None:
        """How it ended, waiting at most `patience` seconds; None while it runs."""
        ...

    def kill(self) -> None:
        """End it and everything it started, at once. May be called again."""
        ...

    def leave(self, patience: float, grace: float) -> str | None:
        """It was told to go: wait, ask it to terminate, kill. A complaint where it did not go by itself with status 0.

        `patience` is the time to go by itself, `grace` the time after the request to terminate, both in seconds.
        """
        ...


Launch: TypeAlias = Callable[[], Peer]
"""Starts an implementation, or attaches to it. Raises `HarnessLost` where that is not possible."""


class Trace(Protocol):
    """Somebody who wants to see the lines, each with its `\\n` as it was sent, without one as it was received."""

    def launched(self) -> None:
        """A child was started, or a connection made: the lines that follow are its."""
        ...

    def sent(self, line: bytes) -> None: ...

    def received(self, line: bytes) -> None: ...

    def close(self) -> None:
        """The session was closed: no lines follow. May be called again."""
        ...
