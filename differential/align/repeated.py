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
from differential.align.times import RESOLUTION, is_older, later, ms_of
from differential.model import Change, transaction_in

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
    left: Sequence[Change],
    right: Sequence[Change],
    earlier: Earlier = nothing_earlier,
    *,
    same_clock: bool = False,
    keyless: bool = False,
) -> tuple[Parted, Parted]:
    """Separate the changes of both sides from their duplicates.

    With `same_clock` the sides share a clock. In a `keyless` table the changes are of equal rows.
    """
    alike = _at_its_time if same_clock else does
    suspects = [dict(_suspects(side, earlier(side is left))) for side in (left, right)]
    if not any(suspects):
        return (left, ()), (right, ())
    sides = left, right
    again = [_again(side, signs, earlier(side is left)) for side, signs in zip(sides, suspects, strict=True)]
    doing = [list(map(alike, side)) for side in sides]
    counts = [Counter(of) for of in doing]
    is_as_often = all(counts[0][doing[0][n]] == counts[1][doing[0][n]] for n in again[0])
    if again[0] and is_as_often and _origins(left, again[0]) == _origins(right, again[1]):
        return (left, ()), (right, ())  # both have it as often, perhaps in different words
    named = [_named(side, of, at) for side, of, at in zip(sides, doing, again, strict=True)]
    whose = [{n: of[n] for n in at} for of, at in zip(named, again, strict=True)]
    new = (_equal_rows(sides, doing), _equal_rows(sides[::-1], doing[::-1])) if keyless else (set[int](), set[int]())
    sure = [
        {n for n in again[mine] if _is_sure(side[n], suspects[mine][n], may_be_new=n in new[mine])}
        for mine, side in enumerate(sides)
    ]
    shared = Counter(whose[0].values()) & Counter(whose[1].values())
    for mine, of in enumerate(doing):
        for n in again[mine]:
            if n not in sure[mine] and counts[0][of[n]] != counts[1][of[n]]:
                shared[whose[mine][n]] = 0  # perhaps a new change to the same values
    behind = [{n: (of[n], of[n - 1] if n else None) for n in at} for of, at in zip(named, again, strict=True)]
    in_place = Counter(behind[0].values()) & Counter(behind[1].values())
    parted = []
    for mine, side in enumerate(sides):
        alike_there = in_place.copy()
        over, both = counts[mine] - counts[1 - mine], shared.copy()
        over.subtract(doing[mine][n] for n in sure[mine])
        kept, found = dict(enumerate(side)), []
        for n in again[mine]:
            what = doing[mine][n]
            if both[whose[mine][n]] > 0:  # the other side repeats it as well
                both[whose[mine][n]] -= 1
                one = kept.pop(n)
                if alike_there[behind[mine][n]] <= 0:
                    found.append(one)  # but elsewhere: an old row may be the last on one side only
                alike_there[behind[mine][n]] -= 1
            elif n in sure[mine] or over[what] > 0:
                over[what] -= n not in sure[mine]
                found.append(kept.pop(n))
        parted.append(([*kept.values()], found))
    return parted[0], parted[1]


def _named(
    changes: Sequence[Change], doing: Sequence[tuple[Any, ...]], again: Iterable[int]
) -> list[tuple[tuple[Any, ...], int]]:
    """What each change does, and its number among changes that do so; of a duplicate that of its original.

    Numbers begin at 1; 0 stands for an original among the earlier changes.
    """
    places, counts = {*again}, Counter[tuple[Any, ...]]()
    numbers: dict[tuple[Any, ...], int] = {}
    found = []
    for n, (one, what) in enumerate(zip(changes, doing, strict=True)):
        counts[what] += n not in places
        number = numbers.get(_whole(one), 0) if n in places else counts[what]
        numbers.setdefault(_whole(one), number)
        found.append((what, number))
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


def _equal_rows(sides: Sequence[Sequence[Change]], doing: Sequence[Sequence[Any]]) -> set[int]:
    """The positions of a side's changes that may be of further equal rows: the other has as many at about that time.

    One side may have the times of statements, the other that of their transaction.
    """
    (mine, others), (doing_here, doing_there) = sides, doing
    there: dict[Any, list[Change]] = {}
    for what, one in zip(doing_there, others, strict=True):
        there.setdefault(what, []).append(one)
    first: dict[Any, int] = {}
    sent = Counter[tuple[Any, int | None]]()
    found = set()
    for n, (what, one) in enumerate(zip(doing_here, mine, strict=True)):
        same = there.get(what, [])
        usual = later(mine[first.setdefault(what, n)], same[0]) if same else None
        near = Counter(
            transaction_in(b.instant)
            for b in same
            if usual is not None and (gap := later(one, b)) is not None and abs(gap - usual) <= _LONGEST_TRANSACTION
        )
        if sent[what, one.commit_ts] < max(near.values(), default=0):
            found.add(n)
        sent[what, one.commit_ts] += 1
    return found


_LONGEST_TRANSACTION = 5 * RESOLUTION
"""In milliseconds: the statements of a transaction are rarely further apart."""


def _is_sure(change: Change, sign: _Sign, *, may_be_new: bool) -> bool:
    """Whether a change is a duplicate even if the other side has it as often."""
    return sign is _Sign.TIME or (sign is _Sign.ROW and change.commit_ts is not None and not may_be_new)


def _suspects(changes: Sequence[Change], earlier: Iterable[Change]) -> Iterator[tuple[int, _Sign]]:
    """Positions of changes that may be duplicates, and why; `earlier` changes are the same on both sides.

    Such a change does not continue from the row before it, is older than the change before it, or equals it, or it has
    a smaller commit time stamp than one before it, which may be wrong itself. Equal time stamps alone say nothing:
    in a table without a key, several rows of one transaction have one key.
    """
    last: Change | None = None
    begin = changes[0] if changes else None
    if begin is not None and ms_of(begin) is None:
        begin = next((one for one in reversed([*earlier]) if ms_of(one) is not None), begin)
    before = None if begin is None else ms_of(begin)
    latest = 0
    for place, one in enumerate(changes):
        time = ms_of(one)
        lags = last is not None and one.before != last.after and not follows(last, one)
        if time is not None and before is not None and time < before:
            yield place, _Sign.TIME
        elif lags or (time == before and last is not None and (_is_that(one, last) or ms_of(last) is None)):
            yield place, _Sign.ROW
        else:
            if one.commit_ts is not None and one.commit_ts < latest:
                yield place, _Sign.STAMP
            last, before = one, before if time is None else time
        latest = max(latest, one.commit_ts or 0)


def may_repeat(one: Change, last: Change) -> bool:
    """Whether a change may be a repeat: it is older than the one before it on its side, or the same.

    Behind a change without a time it may be.
    """
    is_behind_timeless = ms_of(last) is None and ms_of(one) is not None
    return is_behind_timeless or is_older(one, last) or _is_that(one, last)


def _is_that(one: Change, last: Change) -> bool:
    """Whether a change repeats the one before it: a row has one change at a commit time stamp."""
    return one.commit_ts is not None and _whole(one) == _whole(last)


def _again(changes: Sequence[Change], signs: dict[int, _Sign], earlier: Iterable[Change]) -> list[int]:
    """The positions, out of those with a sign, whose change was sent before.

    A change without a time is one if it stands behind a duplicate, or ahead of one, as it did at first. It gets the
    sign of that.
    """
    if not signs:
        return []
    sent = list(map(_whole, earlier))
    begin = len(sent)
    sent += map(_whole, changes)
    first: dict[tuple[Any, ...], int] = {}
    for at, identity in enumerate(sent):
        first.setdefault(identity, at)
    timeless = {place for place, one in enumerate(changes) if ms_of(one) is None}
    found = {place for place in signs if place not in timeless and first[sent[begin + place]] < begin + place}
    for place in sorted(timeless):
        for beside, step in ((place - 1, 1), (place + 1, -1)):
            if place not in found and beside in found:
                at = first[sent[begin + beside]] + step
                if 0 <= at < begin + place and sent[at] == sent[begin + place]:
                    signs[place] = signs[beside]
                    found.add(place)
    return sorted(found)
