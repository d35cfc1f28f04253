"""Ctrl-C and SIGTERM are one thing to every command: what is under way ends, reports are closed, the status is 2.

`interruptible` is for commands that have nothing to finish: the signal is a `KeyboardInterrupt`. `stopping` is for
those that have: the signal sets an event that they look at, and a `KeyboardInterrupt` is raised only in a function that
is `cuttable`, one that waits for somebody else and leaves nothing half written. Elsewhere than in the main thread, and
where somebody else listens to a signal or has it ignored, the signal is left as it is.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any, TypeAlias, TypeVar

__all__ = ["cuttable", "interruptible", "stopping"]

Handler: TypeAlias = Callable[[int, FrameType | None], None]
Function = TypeVar("Function", bound=Callable[..., Any])

_GRACE = 1.0
"""Seconds after a signal for the result of a wait."""

_GLANCE = 0.05
"""Seconds between two checks whether the main thread waits, once it is to be interrupted."""

_INSISTS = 3
"""The number of signals that raise `KeyboardInterrupt` wherever the main thread is."""

_CUTTABLE: set[CodeType] = set()
_stop: threading.Event | None = None


def cuttable(function: Function) -> Function:
    """Mark a function that a `KeyboardInterrupt` may leave at any point, as it only waits."""
    _CUTTABLE.add(function.__code__)
    return function


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Make SIGTERM raise `KeyboardInterrupt`, as Ctrl-C does."""
    with _handled(_interrupted, _interrupted):
        yield


@contextlib.contextmanager
def stopping() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set. Inside another `stopping` it is the event of that.

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
        if signals >= _INSISTS:
            raise KeyboardInterrupt
        _again(_GRACE if signals == 1 else _GLANCE)
        if signals > 1:
            _cut(number, frame)

    with _handled(on_signal, _cut):
        _stop = stop
        try:
            yield stop
        finally:
            _stop = None


def _again(seconds: float) -> None:
    """Make SIGALRM check again in so many seconds, if the timer is ours."""
    if _has_timer:
        signal.setitimer(signal.ITIMER_REAL, seconds, _GLANCE)


def _interrupted(number: int, frame: FrameType | None) -> None:
    _at_rest()
    raise KeyboardInterrupt


def _cut(number: int, frame: FrameType | None) -> None:
    """Raise `KeyboardInterrupt` if a function on the stack is `cuttable`, and look no more."""
    while frame is not None:
        if frame.f_code in _CUTTABLE:
            _at_rest()
            raise KeyboardInterrupt
        frame = frame.f_back


def _at_rest() -> None:
    if _has_timer:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _swallowed(unraisable: Any) -> None:
    """Raise an interruption again soon that came where nothing can be raised, as in a finalizer."""
    if unraisable.exc_type is KeyboardInterrupt:
        _again(_GLANCE)
    else:
        sys.__unraisablehook__(unraisable)


_has_timer = False


@contextlib.contextmanager
def _handled(ends: Handler, ticks: Handler) -> Iterator[None]:
    """Handle Ctrl-C and SIGTERM by `ends`, the timer by `ticks`: in the main thread, and only unhandled signals."""
    global _has_timer
    ours = (signal.SIG_DFL, signal.default_int_handler, _interrupted)
    before: dict[signal.Signals, Any] = {}
    had_timer, hook = _has_timer, sys.unraisablehook
    try:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
                known = signal.getsignal(number)
                if known in ours:
                    before[number] = known
                    signal.signal(number, ticks if number is signal.SIGALRM else ends)
            _has_timer = signal.SIGALRM in before
            sys.unraisablehook = _swallowed if before else hook
        yield
    finally:
        if before:
            _at_rest()
            sys.unraisablehook = hook
        for number, known in before.items():
            signal.signal(number, known)
        _has_timer = had_timer
