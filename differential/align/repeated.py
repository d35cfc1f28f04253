"""Finds duplicate deliveries, immediate or late: changes that a side sends again.

A change is a duplicate if it does not continue from the row before it, or is older, and if the side sent it before with
the same time; unless the other side has it as often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, TypeAlias

from differential.align.missing_before_image import follows
from differential.align.times import is_older, ms_of
from differential.model import Change

__all__ = ["Earlier", "does", "may_repeat", "nothing_earlier", "without_repeated"]

Earlier: TypeAlias = Callable[[bool], Iterable[Change]]
"""Returns the earlier changes of a side (True: left), which are the same on both sides."""


Parted: TypeAlias = tuple[Sequence[Change], Sequence[Change]]


def nothing_earlier(on_left: bool) -> Iterable[Change]:
    """No earlier changes."""
    return ()


def does(change: Change) -> tuple[Any, ...]:
    """The effect of a change, equal for changes that do the same."""
    return change.after, change.before, change.op, change.moved


def _at_its_time(change: Change) -> tuple[Any, ...]:
    return *does(change), change.commit_ts


def _whole(change: Change) -> tuple[Any, ...]:
    return *does(change), change.instant, change.commit_ts


def without_repeated(
    left: Sequence[Change], right: Sequence[Change], earlier: Earlier = nothing_earlier, *, same_clock: bool = False
) -> tuple[Parted, Parted]:
    """Separate the changes of both sides from their duplicates.

    With `same_clock` the sides share a clock.
    """
    alike = _at_its_time if same_clock else does
    suspects = [dict(_suspects(side)) for side in (left, right)]
    if not any(suspects):
        return (left, ()), (right, ())
    sides = left, right
    again = [_again(side, places, earlier(side is left)) for side, places in zip(sides, suspects, strict=True)]
    doing = [list(map(alike, side)) for side in sides]
    counts = [Counter(of) for of in doing]
    is_as_often = all(counts[0][doing[0][n]] == counts[1][doing[0][n]] for n in again[0])
    if again[0] and is_as_often and _origins(left, again[0]) == _origins(right, again[1]):
        return (left, ()), (right, ())  # both have it as often, perhaps in different words
    whose = [_whose(side, *of) for side, of in zip(sides, zip(doing, again, strict=True), strict=True)]
    sure = [{n for n in again[mine] if _is_sure(side[n], suspects[mine][n])} for mine, side in enumerate(sides)]
    shared = Counter(whose[0].values()) & Counter(whose[1].values())
    for mine, of in enumerate(doing):
        for n in again[mine]:
            if n not in sure[mine] and counts[0][of[n]] != counts[1][of[n]]:
                shared[whose[mine][n]] = 0  # perhaps a new change to the same values
    parted = []
    for mine, side in enumerate(sides):
        over, both = counts[mine] - counts[1 - mine], shared.copy()
        kept, found = dict(enumerate(side)), []
        for n in again[mine]:
            what = doing[mine][n]
            if both[whose[mine][n]] > 0:  # the other side repeats it as well
                both[whose[mine][n]] -= 1
                del kept[n]
            elif n in sure[mine] or over[what] > 0:
                over[what] -= n not in sure[mine]
                found.append(kept.pop(n))
        parted.append(([*kept.values()], found))
    return parted[0], parted[1]


def _whose(
    changes: Sequence[Change], doing: Sequence[tuple[Any, ...]], again: Iterable[int]
) -> dict[int, tuple[tuple[Any, ...], int]]:
    """By position of a duplicate: the effect of the change, and the number of its original among changes like it.

    Numbers begin at 1; 0 stands for an original among the earlier changes.
    """
    places, counts = {*again}, Counter[tuple[Any, ...]]()
    numbers: dict[tuple[Any, ...], int] = {}
    found = {}
    for n, one in enumerate(changes):
        if n in places:
            found[n] = doing[n], numbers.get(_whole(one), 0)
        else:
            counts[doing[n]] += 1
            numbers.setdefault(_whole(one), counts[doing[n]])
    return found


def _origins(changes: Sequence[Change], places: Iterable[int]) -> list[tuple[int, int | None]]:
    """Positions of duplicates and of their originals.

    None for an original among the earlier changes.
    """
    known: dict[tuple[Any, ...], int] = {}
    for n, one in enumerate(changes):
        known.setdefault(_whole(one), n)
    return [(n, first if (first := known[_whole(changes[n])]) < n else None) for n in places]


class _Sign(Enum):
    """What speaks for a duplicate: it is older than the change before it, its row, or its commit time stamp alone."""

    TIME, ROW, STAMP = range(3)


def _is_sure(change: Change, sign: _Sign) -> bool:
    """Whether a change is a duplicate even if the other side has it as often."""
    return sign is _Sign.TIME or (sign is _Sign.ROW and change.commit_ts is not None)


def _suspects(changes: Sequence[Change]) -> Iterator[tuple[int, _Sign]]:
    """Positions of changes that may be duplicates, and why.

    Such a change does not continue from the row before it, is older than the change before it, or equals it, or it has
    a smaller commit time stamp than one before it, which may be wrong itself. Equal time stamps alone say nothing:
    in a table without a key, several rows of one transaction have one key.
    """
    last: Change | None = None
    before: int | None = None
    latest = 0
    for place, one in enumerate(changes):
        time = ms_of(one)
        lags = last is not None and one.before != last.after and not follows(last, one)
        if time is not None and before is not None and time < before:
            yield place, _Sign.TIME
        elif lags or (time == before and last is not None and _is_that(one, last)):
            yield place, _Sign.ROW
        else:
            if one.commit_ts is not None and one.commit_ts < latest:
                yield place, _Sign.STAMP
            last, before = one, time
        latest = max(latest, one.commit_ts or 0)


def may_repeat(one: Change, last: Change) -> bool:
    """Whether a change may be a repeat: it is older than the one before it on its side, or the same."""
    return is_older(one, last) or _is_that(one, last)


def _is_that(one: Change, last: Change) -> bool:
    """Whether a change repeats the one before it: a row has one change at a commit time stamp."""
    return one.commit_ts is not None and _whole(one) == _whole(last)


def _again(changes: Sequence[Change], places: Iterable[int], earlier: Iterable[Change]) -> list[int]:
    """The positions, out of `places`, whose change was sent before."""
    suspects, found = frozenset(places), list[int]()
    known = {_whole(one) for one in earlier} if suspects else set()
    for place, one in enumerate(changes if suspects else ()):
        identity = _whole(one)
        if place in suspects and identity in known and ms_of(one) is not None:
            found.append(place)
        known.add(identity)
    return found
