"""Finds duplicates, immediate or late: changes that a side sends again.

1. A change has a sign of a duplicate (`_Sign`) if, say, it is older than the change before it, or does not continue
   from the row that this left.
2. A change with a sign is a duplicate if the side sent it before, with the same time.
3. A duplicate is removed if its sign is certain. Others are removed only as far as the other side has the change less
   often, and those that both sides have are removed from both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, TypeAlias

from differential.align.effects import Effect, effect_between, identity_of
from differential.align.missing_before_image import follows
from differential.align.times import RESOLUTION, is_older, later, ms_of
from differential.model import Change, transaction_in

__all__ = ["Earlier", "may_repeat", "no_earlier_changes", "without_duplicates"]

Earlier: TypeAlias = Callable[[bool], Iterable[Change]]
"""Returns the earlier changes of a side (True: left), which are the same on both sides."""

Separated: TypeAlias = tuple[Sequence[Change], Sequence[Change]]
"""The changes of a side without its duplicates, and the duplicates."""


def no_earlier_changes(on_left: bool) -> Iterable[Change]:
    """No earlier changes."""
    return ()


def without_duplicates(
    left: Sequence[Change],
    right: Sequence[Change],
    earlier: Earlier = no_earlier_changes,
    *,
    same_clock: bool = False,
    keyless: bool = False,
) -> tuple[Separated, Separated]:
    """Separate the changes of both sides from their duplicates.

    With `same_clock` the sides share a clock. In a `keyless` table the changes are of equal rows.
    """
    left_signs, right_signs = dict(_signs(left, earlier(True))), dict(_signs(right, earlier(False)))
    if not (left_signs or right_signs):
        return (left, ()), (right, ())
    effect = effect_between(same_clock=same_clock)
    a = _SideChanges(left, list(map(effect, left)), left_signs, _duplicates(left, left_signs, earlier(True)))
    b = _SideChanges(right, list(map(effect, right)), right_signs, _duplicates(right, right_signs, earlier(False)))
    is_as_often = all(a.counts[a.effects[n]] == b.counts[a.effects[n]] for n in a.duplicates)
    if a.duplicates and is_as_often and _origins(left, a.duplicates) == _origins(right, b.duplicates):
        return (left, ()), (right, ())  # both have the same duplicates, perhaps in different words
    a_certain = a.certain(_equal_rows(a, b) if keyless else ())
    b_certain = b.certain(_equal_rows(b, a) if keyless else ())
    shared, shared_in_place = a.by_original & b.by_original, a.by_place & b.by_place
    for side, other, certain in ((a, b, a_certain), (b, a, b_certain)):
        for n in side.duplicates:
            if n not in certain and side.counts[side.effects[n]] != other.counts[side.effects[n]]:
                shared[side.originals[n]] = 0  # perhaps a new change to the same values
    return (
        a.separated(a_certain, a.counts - b.counts, shared.copy(), shared_in_place.copy()),
        b.separated(b_certain, b.counts - a.counts, shared.copy(), shared_in_place.copy()),
    )


class _Sign(Enum):
    """What suggests that a change is a duplicate."""

    TIME = "it is older than the change before it"
    ROW = "it does not continue from the row before it, or equals the change before it"
    STAMP = "only its commit time stamp: an earlier change has a larger one"


def _signs(changes: Sequence[Change], earlier: Iterable[Change]) -> Iterator[tuple[int, _Sign]]:
    """Positions of changes with a sign of a duplicate, and the signs; `earlier` changes are the same on both sides.

    A commit time stamp that is larger than a later one may be wrong itself. Equal time stamps alone mean nothing: in a
    table without a key, several rows of one transaction have one key.
    """
    last: Change | None = None  # the last change without the sign TIME or ROW
    before = ms_of(changes[0]) if changes else None  # the last known time of such changes
    if changes and before is None:
        before = next((time for time in map(ms_of, reversed([*earlier])) if time is not None), None)
    latest = 0  # the largest commit time stamp so far
    for n, change in enumerate(changes):
        time = ms_of(change)
        does_not_continue = last is not None and change.before != last.after and not follows(last, change)
        repeats_last = time == before and last is not None and (_is_same_change(change, last) or ms_of(last) is None)
        if time is not None and before is not None and time < before:
            yield n, _Sign.TIME
        elif does_not_continue or repeats_last:
            yield n, _Sign.ROW
        else:
            if change.commit_ts is not None and change.commit_ts < latest:
                yield n, _Sign.STAMP
            last, before = change, before if time is None else time
        latest = max(latest, change.commit_ts or 0)


def _duplicates(changes: Sequence[Change], signs: dict[int, _Sign], earlier: Iterable[Change]) -> list[int]:
    """The positions of duplicates: of changes with a sign that were sent before.

    A change without a time is a duplicate if it stands next to a duplicate, as its original stands next to that one's
    original. Such a change is added to `signs`, with the sign of its neighbour.
    """
    if not signs:
        return []
    sent = list(map(identity_of, earlier))
    begin = len(sent)
    sent += map(identity_of, changes)
    first: dict[tuple[Any, ...], int] = {}
    for at, identity in enumerate(sent):
        first.setdefault(identity, at)
    timeless = {n for n, change in enumerate(changes) if ms_of(change) is None}
    found = {n for n in signs if n not in timeless and first[sent[begin + n]] < begin + n}
    for n in sorted(timeless):
        for neighbour, step in ((n - 1, 1), (n + 1, -1)):
            if n not in found and neighbour in found:
                at = first[sent[begin + neighbour]] + step
                if 0 <= at < begin + n and sent[at] == sent[begin + n]:
                    signs[n] = signs[neighbour]
                    found.add(n)
    return sorted(found)


class _SideChanges:
    """The changes of a key on one side, with their effects, and what is known of their duplicates."""

    def __init__(
        self,
        changes: Sequence[Change],
        effects: Sequence[Effect],  # by change
        signs: Mapping[int, _Sign],  # by position of a duplicate
        duplicates: Sequence[int],  # their positions
    ) -> None:
        self.changes, self.effects, self.duplicates, self._signs = changes, effects, duplicates, signs
        self.counts = Counter(effects)
        self.originals = self._originals()
        self.by_original = Counter(self.originals[n] for n in duplicates)
        """The number of duplicates by original."""
        self.by_place = Counter(map(self._place, duplicates))
        """The number of duplicates by original and the change before them."""

    def _originals(self) -> list[tuple[Effect, int]]:
        """By change, its effect and its number among changes of that effect; a duplicate has those of its original.

        Numbers begin at 1; 0 stands for an original among the earlier changes.
        """
        duplicates, counts = {*self.duplicates}, Counter[Effect]()
        numbers: dict[Effect, int] = {}
        originals = []
        for n, (change, effect) in enumerate(zip(self.changes, self.effects, strict=True)):
            counts[effect] += n not in duplicates
            number = numbers.get(identity_of(change), 0) if n in duplicates else counts[effect]
            numbers.setdefault(identity_of(change), number)
            originals.append((effect, number))
        return originals

    def _place(self, n: int) -> object:
        return self.originals[n], self.originals[n - 1] if n else None

    def certain(self, equal_rows: Collection[int]) -> set[int]:
        """The positions of duplicates that are such even if the other side has the change as often.

        `equal_rows`: the positions of changes that may be of further equal rows.
        """
        signs = self._signs
        return {
            n
            for n in self.duplicates
            if signs[n] is _Sign.TIME
            or (signs[n] is _Sign.ROW and self.changes[n].commit_ts is not None and n not in equal_rows)
        }

    def separated(
        self, certain: Collection[int], more: Counter[Effect], shared: Counter[Any], shared_in_place: Counter[object]
    ) -> Separated:
        """The changes without duplicates, and the duplicates that the other side lacks in that place.

        `more` counts, by effect, how many changes this side has more than the other. `shared` counts the duplicates
        that both sides have, by original; `shared_in_place` those of them that stand behind the same change.
        """
        more.subtract(self.effects[n] for n in certain)
        kept, duplicates = dict(enumerate(self.changes)), []
        for n in self.duplicates:
            if shared[self.originals[n]] > 0:
                shared[self.originals[n]] -= 1
                change = kept.pop(n)
                if shared_in_place[self._place(n)] <= 0:
                    duplicates.append(change)  # an old row may be the last one on this side only
                shared_in_place[self._place(n)] -= 1
            elif n in certain or more[self.effects[n]] > 0:
                more[self.effects[n]] -= n not in certain
                duplicates.append(kept.pop(n))
        return [*kept.values()], duplicates


def _origins(changes: Sequence[Change], positions: Iterable[int]) -> list[tuple[int, int | None]]:
    """Positions of duplicates, each with that of its original; None for an original among the earlier changes."""
    first: dict[tuple[Any, ...], int] = {}
    for n, change in enumerate(changes):
        first.setdefault(identity_of(change), n)
    origins = ((n, first[identity_of(changes[n])]) for n in positions)
    return [(n, origin if origin < n else None) for n, origin in origins]


_LONGEST_TRANSACTION = 5 * RESOLUTION
"""In milliseconds: the statements of a transaction rarely take longer."""


def _equal_rows(mine: _SideChanges, theirs: _SideChanges) -> set[int]:
    """The positions of changes that may be of further equal rows, in a table without a key.

    The other side has as many such changes at about that time: one side may have the times of statements, the other
    that of their transaction.
    """
    with_effect: dict[Effect, list[Change]] = {}
    for effect, change in zip(theirs.effects, theirs.changes, strict=True):
        with_effect.setdefault(effect, []).append(change)
    usual: dict[Effect, int | None] = {}
    most_near: dict[tuple[Effect, int | None], int] = {}
    sent = Counter[tuple[Effect, int | None]]()
    positions = set()
    for n, (effect, change) in enumerate(zip(mine.effects, mine.changes, strict=True)):
        same, at_time = with_effect.get(effect, ()), (effect, ms_of(change))
        if same and effect not in usual:
            usual[effect] = later(change, same[0])
        if at_time not in most_near:
            most_near[at_time] = _most_of_one_transaction(change, same, usual.get(effect))
        if sent[at_time] < most_near[at_time]:
            positions.add(n)
        sent[at_time] += 1
    return positions


def _most_of_one_transaction(change: Change, same: Iterable[Change], usual: int | None) -> int:
    """The largest number of changes, out of `same`, in one transaction at about the time of a change.

    `usual` is the offset of their clock in milliseconds, None if it is unknown.
    """
    names = Counter(
        transaction_in(other.instant)
        for other in same
        if usual is not None and (gap := later(change, other)) is not None and abs(gap - usual) <= _LONGEST_TRANSACTION
    )
    return max(names.values(), default=0)


def may_repeat(change: Change, last: Change) -> bool:
    """Whether a change may be a duplicate: it is older than the change before it on its side (`last`), or the same.

    A change with a time behind one without a time may be a duplicate, too.
    """
    is_behind_timeless = ms_of(last) is None and ms_of(change) is not None
    return is_behind_timeless or is_older(change, last) or _is_same_change(change, last)


def _is_same_change(change: Change, last: Change) -> bool:
    """Whether a change repeats the one before it: a row has one change at a commit time stamp."""
    return change.commit_ts is not None and identity_of(change) == identity_of(last)
