"""A running implementation as a conversation sees it, over any channel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

__all__ = ["Fate", "Launch", "Peer", "Trace"]


@dataclass(frozen=True, slots=True)
class Fate:
    """How the other side ended.

    `text` describes it ("ended with exit status 3"); `status` is the exit status (negative: the signal that killed it),
    None if there is none.
    """

    text: str
    status: int | None = None


class Peer(Protocol):
    """The other end of a line channel; `channel.Channel` documents the first members."""

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
        """After `bye`: wait, ask it to terminate, kill. Returns a complaint unless it ended by itself with status 0.

        `patience` is the time to end by itself, `grace` the time after the request to terminate, both in seconds.
        """
        ...


Launch: TypeAlias = Callable[[], Peer]
"""Starts an implementation, or connects to one. Raises `HarnessLost` if that fails."""


class Trace(Protocol):
    """An observer of the lines: each with its `\\n` when sent, without it when received."""

    def launched(self) -> None:
        """A child was started, or a connection made: the following lines are its."""
        ...

    def sent(self, line: bytes) -> None: ...

    def received(self, line: bytes) -> None: ...

    def close(self) -> None:
        """The session was closed: no lines follow. May be called again."""
        ...
