"""Processes of the suite: they end when they are released, and with the process that started them."""

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
from typing import Any

__all__ = ["Leash", "processes", "unheard"]


class Leash:
    """The leash of the suite's own processes: a pipe whose writing end the parent alone holds.

    A new process calls `tie` first of all; a leash travels to it as an argument of its target or initializer. Signals
    to a group of processes are then its parent's business: it ignores Ctrl-C and SIGTERM, and is ended by `let_go`, or
    by SIGKILL. It also ends, within moments, when its parent does.
    """

    def __init__(self) -> None:
        self._ours: Connection
        self._theirs: Connection
        self._theirs, self._ours = Pipe(duplex=False)

    def tie(self) -> None:
        """In the new process: tie it to the leash."""
        self._ours.close()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _deaf)  # a child would inherit ignored signals
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        Thread(target=self._follow, name="leash", daemon=True).start()

    def let_go(self) -> None:
        """In the parent: end all processes on the leash, at once. May be called again."""
        self._ours.close()

    def _follow(self) -> None:
        try:
            self._theirs.recv_bytes()
        except (EOFError, OSError):
            os._exit(1)


_ENDING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def unheard() -> Iterator[None]:
    """Block signals for a process that is started in here, until it ties itself to its leash."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _deaf(number: int, frame: FrameType | None) -> None:
    """Signals to a group of processes are the parent's business."""


@contextmanager
def _held() -> Iterator[None]:
    """Hold back an interrupting signal until this context ends, for work that must not be left half done."""
    came: list[int] = []
    before: dict[signal.Signals, Any] = {}

    def later(number: int, frame: FrameType | None) -> None:
        came.append(number)

    try:
        if current_thread() is main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                known = signal.getsignal(number)
                if callable(known):
                    before[number] = known
                    signal.signal(number, later)
        yield
    finally:
        for number, known in before.items():
            signal.signal(number, known)
        for heard in came:
            signal.raise_signal(heard)


class _Work(Future[Any]):
    """Work that may be cancelled while its process ends: the thread of the pool, which then fails it, dies of that."""

    def set_exception(self, exception: BaseException | None) -> None:
        """Fail, unless it was cancelled."""
        with suppress(InvalidStateError):
            super().set_exception(exception)


class _Pool(ProcessPoolExecutor):
    """A pool whose start a signal does not cut: one with a process and without its thread could not be ended."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with _held():
            work = super().submit(fn, *args, **kwargs)
            work.__class__ = _Work
            return work


@contextmanager
def processes(number: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes on a leash; an exception ends it without a wait for its work."""
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
