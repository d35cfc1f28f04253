"""Finds duplicate deliveries, immediate or late: changes that a side sends again.

A change is a duplicate if it does not continue from the row before it, or is older, and if the side sent it before with
the same time; unless the other side has it as often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
    suspects = [dict(_suspects(side, earlier(side is left))) for side in (left, right)]
    if not any(suspects):
        return (left, ()), (right, ())
    alike = _at_its_time if same_clock else does
    mine, theirs = (
        _Sent(side, list(map(alike, side)), signs, _again(side, signs, earlier(side is left)))
        for side, signs in zip((left, right), suspects, strict=True)
    )
    is_as_often = all(mine.counts[mine.doing[n]] == theirs.counts[mine.doing[n]] for n in mine.again)
    if mine.again and is_as_often and _origins(left, mine.again) == _origins(right, theirs.again):
        return (left, ()), (right, ())  # both have it as often, perhaps in different words
    new = (_equal_rows(mine, theirs), _equal_rows(theirs, mine)) if keyless else (set[int](), set[int]())
    sure = mine.sure(new[0]), theirs.sure(new[1])
    shared, in_place = mine.originals & theirs.originals, mine.places & theirs.places
    for one, other, of in ((mine, theirs, sure[0]), (theirs, mine, sure[1])):
        for n in one.again:
            if n not in of and one.counts[one.doing[n]] != other.counts[one.doing[n]]:
                shared[one.named[n]] = 0  # perhaps a new change to the same values
    return (
        mine.parted(sure[0], mine.counts - theirs.counts, shared.copy(), in_place.copy()),
        theirs.parted(sure[1], theirs.counts - mine.counts, shared.copy(), in_place.copy()),
    )


_Done: TypeAlias = tuple[Any, ...]
"""What a change does, with its time stamp where the sides share a clock."""


class _Sent:
    """The changes of one side: what each does (`doing`), and which were sent before (`again`), with their signs."""

    def __init__(
        self, changes: Sequence[Change], doing: Sequence[_Done], signs: Mapping[int, _Sign], again: Sequence[int]
    ) -> None:
        self.changes, self.doing, self.again, self._signs = changes, doing, again, signs
        self.counts = Counter(doing)
        self.named = self._named()
        self.originals = Counter(self.named[n] for n in again)
        """The duplicates by their originals."""
        self.places = Counter(map(self._place, again))
        """The duplicates by their originals and by what stands before them."""

    def _named(self) -> list[tuple[_Done, int]]:
        """What each change does, and its number among changes that do so; of a duplicate that of its original.

        Numbers begin at 1; 0 stands for an original among the earlier changes.
        """
        again, counts = {*self.again}, Counter[_Done]()
        numbers: dict[_Done, int] = {}
        found = []
        for n, (one, what) in enumerate(zip(self.changes, self.doing, strict=True)):
            counts[what] += n not in again
            number = numbers.get(_whole(one), 0) if n in again else counts[what]
            numbers.setdefault(_whole(one), number)
            found.append((what, number))
        return found

    def _place(self, n: int) -> object:
        return self.named[n], self.named[n - 1] if n else None

    def sure(self, new: Collection[int]) -> set[int]:
        """The duplicates that are such even if the other side has them as often; `new` may be other rows."""
        signs = self._signs
        return {
            n
            for n in self.again
            if signs[n] is _Sign.TIME
            or (signs[n] is _Sign.ROW and self.changes[n].commit_ts is not None and n not in new)
        }

    def parted(
        self, sure: Collection[int], over: Counter[_Done], shared: Counter[Any], in_place: Counter[object]
    ) -> Parted:
        """The changes without duplicates, and the duplicates that the other side does not have at the same place.

        `over` counts what this side has more often, `shared` the duplicates that both have, `in_place` those of them
        that stand behind the same change.
        """
        over.subtract(self.doing[n] for n in sure)
        kept, found = dict(enumerate(self.changes)), []
        for n in self.again:
            if shared[self.named[n]] > 0:
                shared[self.named[n]] -= 1
                one = kept.pop(n)
                if in_place[self._place(n)] <= 0:
                    found.append(one)  # an old row may be the last one on this side only
                in_place[self._place(n)] -= 1
            elif n in sure or over[self.doing[n]] > 0:
                over[self.doing[n]] -= n not in sure
                found.append(kept.pop(n))
        return [*kept.values()], found


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


def _equal_rows(mine: _Sent, theirs: _Sent) -> set[int]:
    """The positions of a side's changes that may be of further equal rows: the other has as many at about that time.

    One side may have the times of statements, the other that of their transaction.
    """
    there: dict[_Done, list[Change]] = {}
    for what, one in zip(theirs.doing, theirs.changes, strict=True):
        there.setdefault(what, []).append(one)
    usual: dict[_Done, int | None] = {}
    near: dict[tuple[_Done, int | None], int] = {}
    sent = Counter[tuple[_Done, int | None]]()
    found = set()
    for n, (what, one) in enumerate(zip(mine.doing, mine.changes, strict=True)):
        same, time = there.get(what, ()), (what, ms_of(one))
        if same and what not in usual:
            usual[what] = later(one, same[0])
        if time not in near:
            near[time] = _most_of_one_transaction(one, same, usual.get(what))
        if sent[time] < near[time]:
            found.add(n)
        sent[time] += 1
    return found


def _most_of_one_transaction(one: Change, same: Iterable[Change], usual: int | None) -> int:
    """The largest number of changes that may be of one transaction, at about the time of a change.

    `usual` is the offset of their clock, None if it is unknown.
    """
    names = Counter(
        transaction_in(other.instant)
        for other in same
        if usual is not None and (gap := later(one, other)) is not None and abs(gap - usual) <= _LONGEST_TRANSACTION
    )
    return max(names.values(), default=0)


_LONGEST_TRANSACTION = 5 * RESOLUTION
"""In milliseconds: the statements of a transaction are rarely further apart."""


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
