"""Changes that a side sends again, right behind themselves or after later changes of their row.

A change that does not go on from what is before it, or is older, and that the side told before with the same time, is
that one again: unless the other side has it as often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeAlias

from differential.align.times import ms_of
from differential.align.untold import follows
from differential.model import Change

__all__ = ["Earlier", "does", "nothing_earlier", "without_repeated"]

Earlier: TypeAlias = Callable[[bool], Iterable[Change]]
"""The changes of a side (whether the left one) before those given, which are the same on both sides."""


Parted: TypeAlias = tuple[Sequence[Change], Sequence[Change]]


def nothing_earlier(on_left: bool) -> Iterable[Change]:
    """There are none."""
    return ()


def does(change: Change) -> tuple[Any, ...]:
    """What is the same of changes that do the same."""
    return change.after, change.before, change.op, change.moved


def _at_its_time(change: Change) -> tuple[Any, ...]:
    return *does(change), change.commit_ts


def _whole(change: Change) -> tuple[Any, ...]:
    return *does(change), change.instant, change.commit_ts


def without_repeated(
    left: Sequence[Change], right: Sequence[Change], earlier: Earlier = nothing_earlier, *, same_clock: bool = False
) -> tuple[Parted, Parted]:
    """The changes of both sides, and those of them that are there again. With `same_clock` the sides share a clock."""
    alike = _at_its_time if same_clock else does
    suspects = [list(_suspects(side)) for side in (left, right)]
    if not any(suspects):
        return (left, ()), (right, ())
    sides = left, right
    again = [_again(side, places, earlier(side is left)) for side, places in zip(sides, suspects, strict=True)]
    counts = [Counter(map(alike, side)) for side in sides]
    found = []
    for mine, side in enumerate(sides):
        over, both = counts[mine] - counts[1 - mine], Counter(alike(sides[1 - mine][n]) for n in again[1 - mine])
        found.append({n for n in again[mine] if _is_over(side[n], alike(side[n]), over, both)})
    if all(found) and len(left) == len(right):
        return (left, ()), (right, ())  # both have it as often, in words that differ
    return _parted(left, found[0]), _parted(right, found[1])


def _is_over(
    change: Change, doing: tuple[Any, ...], over: Counter[tuple[Any, ...]], both: Counter[tuple[Any, ...]]
) -> bool:
    """Whether the other side has not what is there again: not as often, or not again with its time stamp."""
    if both[doing] > 0:
        both[doing] -= 1
        return False
    is_over = change.commit_ts is not None or over[doing] > 0
    over[doing] -= is_over
    return is_over


def _parted(changes: Sequence[Change], places: Collection[int]) -> Parted:
    again = [changes[n] for n in sorted(places)]
    return [one for n, one in enumerate(changes) if n not in places] if again else changes, again


def _suspects(changes: Sequence[Change]) -> Iterable[int]:
    """Places of changes that do not go on from the one before them that does, are older than it, or are that one."""
    last: Change | None = None
    before: int | None = None
    for place, one in enumerate(changes):
        time = ms_of(one)
        is_older = time is not None and before is not None and time < before
        lags = last is not None and one.before != last.after and not follows(last, one)
        if is_older or lags or (time == before and last is not None and _is_that(one, last)):
            yield place
        else:
            last, before = one, time


def _is_that(one: Change, last: Change) -> bool:
    """Whether a change is the one before it again: it has its commit time stamp, of which a row has one change."""
    return one.commit_ts is not None and _whole(one) == _whole(last)


def _again(changes: Sequence[Change], places: Iterable[int], earlier: Iterable[Change]) -> list[int]:
    """Those of the places whose change was there before."""
    suspects, found = frozenset(places), list[int]()
    known = {_whole(one) for one in earlier} if suspects else set()
    for place, one in enumerate(changes if suspects else ()):
        told = _whole(one)
        if place in suspects and told in known and ms_of(one) is not None:
            found.append(place)
        known.add(told)
    return found
