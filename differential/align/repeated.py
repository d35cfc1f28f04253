"""Changes that a side sends again, right behind themselves or after later changes of their row.

A change that does not go on from what is before it, or is older, and that the side told before with the same time, is
that one again: unless the other side has it as often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from differential.align.times import ms_of
from differential.align.untold import goes_on
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
    counts = [Counter(map(alike, side)) for side in (left, right)]
    found = []
    for mine, (side, places) in enumerate(zip((left, right), suspects, strict=True)):
        over = counts[mine] - counts[1 - mine]
        places = [n for n in places if over[alike(side[n])] > 0]
        known = {_whole(one) for one in earlier(mine == 0)} if places else set()
        found.append(frozenset(_again(side, places, known, over, alike)))
    if all(found) and len(left) == len(right):
        return (left, ()), (right, ())  # both have it as often, in words that differ
    return _parted(left, found[0]), _parted(right, found[1])


def _parted(changes: Sequence[Change], places: frozenset[int]) -> Parted:
    again = [changes[n] for n in sorted(places)]
    return [one for n, one in enumerate(changes) if n not in places] if again else changes, again


def _suspects(changes: Sequence[Change]) -> Iterable[int]:
    """Places of changes that do not go on from the one before them that does, or are older than it."""
    last: Change | None = None
    before: int | None = None
    for place, one in enumerate(changes):
        time = ms_of(one)
        is_older = time is not None and before is not None and time < before
        if is_older or not goes_on(last, one):
            yield place
        else:
            last, before = one, time


def _again(
    changes: Sequence[Change],
    places: Sequence[int],
    known: set[tuple[Any, ...]],
    over: Counter[tuple[Any, ...]],
    alike: Callable[[Change], tuple[Any, ...]],
) -> Iterable[int]:
    """Those of the places whose change was there before, as many as the other side has not."""
    suspects = frozenset(places)
    for place, one in enumerate(changes):
        told = _whole(one)
        if place in suspects and told in known and over[alike(one)] > 0 and ms_of(one) is not None:
            over[alike(one)] -= 1
            yield place
        known.add(told)
