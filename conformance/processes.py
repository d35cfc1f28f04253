"""Child processes of the suite: they end when the parent releases them, or with the parent."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, InvalidStateError, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from threading import Thread, current_thread, main_thread
from types import FrameType
from typing import Any, ClassVar
from weakref import WeakSet

__all__ = ["Leash", "processes", "signals_blocked"]


_ENDING = (signal.SIGINT, signal.SIGTERM)


class Leash:
    """Ends child processes with their parent: a pipe whose writing end only the parent holds.

    A child gets the leash as an argument of its target or initializer, and calls `tie` first. From then on it ignores
    Ctrl-C and SIGTERM, which the parent handles for the whole process group; `let_go` or SIGKILL ends it. It also ends
    within moments of its parent.
    """

    _all: ClassVar[WeakSet[Leash]] = WeakSet()
    """The leashes of this process; a forked child inherits them with their writing ends."""

    def __init__(self) -> None:
        self._ours: Connection
        self._theirs: Connection
        self._theirs, self._ours = Pipe(duplex=False)
        self._all.add(self)

    def tie(self) -> None:
        """In the child: ignore signals, and end once the parent lets go or ends."""
        for leash in {self, *self._all}:  # a child that is not forked has only its own, which is not in the set
            leash._ours.close()
        for number in _ENDING:
            signal.signal(number, _ignored)  # not SIG_IGN, which a child's own children would inherit
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        Thread(target=self._follow, name="leash", daemon=True).start()

    def let_go(self) -> None:
        """In the parent: end all children on the leash, at once. May be called again."""
        self._ours.close()

    def _follow(self) -> None:
        try:
            self._theirs.recv_bytes()
        except (EOFError, OSError):
            os._exit(1)


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Block Ctrl-C and SIGTERM for a child that is started in this context, until it ties itself to its leash.

    The child inherits the block, and `tie` removes it. A pool of `processes` needs none: see `_signals_deferred`.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ignored(number: int, frame: FrameType | None) -> None:
    """Do nothing: the parent handles signals for the whole process group."""


@contextmanager
def _signals_deferred() -> Iterator[None]:
    """Raise signals that arrive in this context at its end, so that its work is never left half done.

    A child that is forked in this context inherits the handler that only notes signals, until it ties itself to its
    leash.
    """
    arrived: list[int] = []
    before: dict[signal.Signals, Any] = {}

    def remember(number: int, frame: FrameType | None) -> None:
        arrived.append(number)

    try:
        if current_thread() is main_thread():
            for number in _ENDING:
                handler = signal.getsignal(number)
                is_of_python = callable(handler)  # the defaults of the system raise nothing that could interrupt
                if is_of_python:
                    before[number] = handler
                    signal.signal(number, remember)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for signal_number in arrived:
            signal.raise_signal(signal_number)


class _Work(Future[Any]):
    """A future that may be cancelled while its process ends.

    The pool's thread then sets an exception on it, and a plain `Future` would raise `InvalidStateError` in that thread.
    Results need no such care: a pool sets them only on futures that run, which cannot be cancelled.
    """

    def set_exception(self, exception: BaseException | None) -> None:
        """Set the exception, unless the future was cancelled."""
        with suppress(InvalidStateError):
            super().set_exception(exception)


class _Pool(ProcessPoolExecutor):
    """A pool that a signal cannot interrupt while it starts: a pool with a process and no thread could not be ended."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with _signals_deferred():
            work = super().submit(fn, *args, **kwargs)
            work.__class__ = _Work  # the pool has no other way to say of which class its futures are
            return work


@contextmanager
def processes(number: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes on a leash; an exception ends the processes at once, whatever they do."""
    leash = Leash()
    try:
        with _Pool(number, initializer=leash.tie) as pool:
            try:
                yield pool
            except BaseException:
                leash.let_go()
                raise
    finally:
        leash.let_go()
