"""Handles Ctrl-C and SIGTERM alike: a command ends its work, closes its reports and exits with status 2.

`interruptible` is for commands without work to finish: a signal raises `KeyboardInterrupt`. `stopping` is for the
others: a signal sets an event, which they check. `KeyboardInterrupt` is then raised only in a `cuttable` function, one
that waits for another process and leaves nothing half written. Both handle signals in the main thread only, and leave a
signal alone that already has another handler or is ignored. `end_at_once` is for the time before and after both.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any, TypeAlias, TypeVar

__all__ = ["INTERRUPTED", "cuttable", "end_at_once", "interruptible", "stopping"]

Handler: TypeAlias = Callable[[int, FrameType | None], None]
Function = TypeVar("Function", bound=Callable[..., Any])

_GRACE = 1.0
"""Seconds that a `cuttable` function may go on waiting after the first signal."""

_GLANCE = 0.05
"""Seconds between two checks whether the main thread is in a `cuttable` function, once it shall be interrupted."""

_FORCE = 3
"""The number of signals that raise `KeyboardInterrupt` wherever the main thread is."""

INTERRUPTED = 2
"""The exit status of an interrupted command."""

_DEFAULT = (signal.SIG_DFL, signal.default_int_handler)
"""The handlers that a process starts with."""

_CUTTABLE: set[CodeType] = set()
_stop: threading.Event | None = None


def cuttable(function: Function) -> Function:
    """Mark a function that only waits: `KeyboardInterrupt` may leave it at any point."""
    _CUTTABLE.add(function.__code__)
    return function


def end_at_once() -> None:
    """Make Ctrl-C and SIGTERM end the process with status 2 wherever no command handles them.

    A signal may come before the command starts, or be the second one, after the command has said that it was
    interrupted: without this, the first would end in a traceback and the second in another status.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) in _DEFAULT:
            signal.signal(number, _ended)


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Make SIGTERM raise `KeyboardInterrupt`, as Ctrl-C does."""
    with _handled(_interrupted, _interrupted):
        yield


@contextlib.contextmanager
def stopping() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set; a nested `stopping` yields the event of the outer one.

    A second after the first signal a `cuttable` function is interrupted; after the next signal at once.
    """
    global _stop
    if _stop is not None:
        yield _stop
        return
    stop = threading.Event()
    signals = 0

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal signals
        signals += 1
        stop.set()
        if signals >= _FORCE:
            raise KeyboardInterrupt
        _check_in(_GRACE if signals == 1 else _GLANCE)
        if signals > 1:
            _cut(number, frame)

    with _handled(on_signal, _cut):
        _stop = stop
        try:
            yield stop
        finally:
            _stop = None


def _check_in(seconds: float) -> None:
    """Make SIGALRM check after `seconds`, and then every `_GLANCE`, if the timer is ours."""
    if _has_timer:
        signal.setitimer(signal.ITIMER_REAL, seconds, _GLANCE)


def _ended(number: int, frame: FrameType | None) -> None:
    try:
        os.write(2, b"ticdc-conformance: interrupted\n")
    finally:  # whether anyone reads it or not
        os._exit(INTERRUPTED)


def _interrupted(number: int, frame: FrameType | None) -> None:
    _stop_timer()
    raise KeyboardInterrupt


def _cut(number: int, frame: FrameType | None) -> None:
    """Raise `KeyboardInterrupt` if a function on the stack is `cuttable`, and stop the timer."""
    while frame is not None:
        if frame.f_code in _CUTTABLE:
            _stop_timer()
            raise KeyboardInterrupt
        frame = frame.f_back


def _stop_timer() -> None:
    if _has_timer:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _swallowed(unraisable: Any) -> None:
    """Raise a `KeyboardInterrupt` again soon if Python swallowed it, as in a finalizer."""
    if unraisable.exc_type is KeyboardInterrupt:
        _check_in(_GLANCE)
    else:
        sys.__unraisablehook__(unraisable)


_has_timer = False


@contextlib.contextmanager
def _handled(on_signal: Handler, on_timer: Handler) -> Iterator[None]:
    """Handle Ctrl-C, SIGTERM and SIGALRM in the main thread, each unless it already has another handler."""
    global _has_timer
    ours = (*_DEFAULT, _ended, _interrupted)
    before: dict[signal.Signals, Any] = {}
    had_timer, hook = _has_timer, sys.unraisablehook
    try:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
                handler = signal.getsignal(number)
                if handler in ours:
                    before[number] = handler
                    signal.signal(number, on_timer if number is signal.SIGALRM else on_signal)
            _has_timer = signal.SIGALRM in before
            sys.unraisablehook = _swallowed if before else hook
        yield
    finally:
        if before:
            _stop_timer()
            sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)
        _has_timer = had_timer
