"""When Ctrl-C and SIGTERM become a `KeyboardInterrupt`, and when they only set an event."""

from __future__ import annotations

import signal
from collections.abc import Callable
from itertools import repeat

import pytest

from conformance.signals import cuttable, interruptible, stopping

BOTH = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])


class Finalized:
    """A signal comes while it is finalized, where nothing that is raised goes anywhere."""

    def __init__(self, number: signal.Signals) -> None:
        self._number = number

    def __del__(self) -> None:
        signal.raise_signal(self._number)


def for_ever() -> None:
    """Waits until something is raised by a signal."""
    for _ in repeat(None):
        signal.pause()


@BOTH
def test_a_signal_is_an_interruption_where_nothing_has_to_be_finished(number: signal.Signals) -> None:
    with interruptible(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)


@BOTH
def test_an_interruption_that_a_finalizer_swallows_is_raised_again(number: signal.Signals) -> None:
    def interrupted() -> None:
        Finalized(number)
        for_ever()

    with interruptible(), pytest.raises(KeyboardInterrupt):
        interrupted()


@BOTH
def test_the_first_signal_only_sets_the_event(number: signal.Signals) -> None:
    with stopping() as stop:
        assert not stop.is_set()
        signal.raise_signal(number)
        assert stop.is_set()
        with stopping() as inner:
            assert inner is stop


def test_what_waits_for_somebody_else_is_left_after_a_while() -> None:
    waiting: Callable[[], None] = cuttable(lambda: for_ever())
    with stopping():
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            waiting()


def test_the_second_signal_leaves_what_waits_at_once_and_the_third_everything() -> None:
    waiting: Callable[[], None] = cuttable(lambda: signal.raise_signal(signal.SIGINT))
    with stopping() as stop:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            waiting()
        assert stop.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)


@BOTH
def test_a_signal_that_somebody_else_handles_is_theirs(number: signal.Signals) -> None:
    heard: list[int] = []
    before = signal.signal(number, lambda number, frame: heard.append(number))
    try:
        with interruptible(), stopping() as stop:
            signal.raise_signal(number)
        assert heard == [number]
        assert not stop.is_set()
    finally:
        signal.signal(number, before)


def test_all_handlers_are_again_what_they_were() -> None:
    def handlers() -> list[object]:
        return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)]

    before = handlers()
    with interruptible():
        between = handlers()
        with stopping():
            assert len({*map(id, handlers()), *map(id, between), *map(id, before)}) > len(before)
        assert handlers() == between
    assert handlers() == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
