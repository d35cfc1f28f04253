"""When changes say the same: their effect, and with it the times that sides or messages share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from differential.model import Change

__all__ = ["Effect", "effect_between", "effect_of", "identity_of", "quite_equal"]

Effect: TypeAlias = tuple[Any, ...]
"""`effect_of` a change, with its time stamp where the sides share a clock."""


def quite_equal(a: Change, b: Change) -> bool:
    """Whether two changes have the same effect."""
    return a.after == b.after and a.before == b.before and a.op == b.op and a.moved == b.moved


def effect_of(change: Change) -> Effect:
    """The effect of a change: its images and operation."""
    return change.after, change.before, change.op, change.moved


def _effect_at_its_time(change: Change) -> Effect:
    return *effect_of(change), change.commit_ts


def effect_between(*, same_clock: bool) -> Callable[[Change], Effect]:
    """The function of what equal changes of two sides share, with the time stamp if the sides share a clock."""
    return _effect_at_its_time if same_clock else effect_of


def identity_of(change: Change) -> tuple[Any, ...]:
    """What a change that is sent again shares with its original: the effect and both times."""
    return *effect_of(change), change.instant, change.commit_ts
