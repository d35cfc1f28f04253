"""Both sides of a key read as one story: every change has its like, or is of steps that have a name.

Laying changes side by side one by one goes wrong where a row takes on, within a transaction, values that it had or will
have: an early step is then taken for the late one. Here the whole of both sides is read at once, and only a reading
counts that leaves nothing over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import chain, pairwise, starmap
from typing import TypeAlias

from differential.align.alignment import Run, transaction_of
from differential.align.pairing import Group, as_one, chains
from differential.align.untold import goes_on
from differential.model import Change

__all__ = ["narrow_places", "read_whole"]

_MOST = 64
"""How many places a change may be looked at, on the average, before the reading is given up."""

_Place: TypeAlias = tuple[int, int]
Alike: TypeAlias = Callable[[Change, Change], bool]
"""Whether two changes do the same, but for values that differ by a name."""

Named: TypeAlias = Callable[[Group, Group], bool]
"""Whether it has a name that changes of both sides lead to the same row by other steps."""


def read_whole(left: Sequence[Change], right: Sequence[Change], alike: Alike, named: Named) -> list[Run] | None:
    """The runs of a reading in which everything does the same or has a name, of few names; None without one.

    There is none where a change does not go on from the one before it on its side: there something is lost or twice.
    """
    if not all(starmap(goes_on, chain(pairwise(left), pairwise(right)))):
        return None
    reading = _Reading(left, right, alike, named)
    end = len(left), len(right)
    costs: dict[_Place, int] = {(0, 0): 0}
    came: dict[_Place, _Place] = {}
    waiting = [(0, 0, 0)]  # sum of the place, and the place: each is reached from smaller ones alone
    seen: set[_Place] = set()
    while waiting and len(seen) <= _MOST * sum(end):
        _, i, j = heappop(waiting)
        if (i, j) in seen:
            continue
        seen.add((i, j))
        if (i, j) == end:
            return _runs(left, right, came)
        for m, n in reading.steps(i, j):
            place, cost = (i + m, j + n), costs[i, j] + (m + n > 2 or not (m and n))
            if place not in costs or cost < costs[place]:
                costs[place], came[place] = cost, (i, j)
                heappush(waiting, (sum(place), *place))
    return None


def narrow_places(
    left: Sequence[Change], right: Sequence[Change], alike: Alike, named: Named, due: _Place
) -> frozenset[_Place] | None:
    """Places through which every reading goes, whatever comes behind the changes; None where nothing reads all due.

    `due` is how many of each side have their partners there, if they have any.
    """
    if not all(starmap(goes_on, chain(pairwise(left), pairwise(right)))):
        return None
    reading, reads_all, is_open = _Reading(left, right, alike, named), False, False
    waiting, known = [(0, 0, 0)], {(0, 0)}
    found = set()
    while waiting and len(known) <= _MOST * (len(left) + len(right)):
        _, i, j = heappop(waiting)
        if not (waiting or is_open):
            found.add((i, j))
        if i >= due[0] and j >= due[1]:
            reads_all = True
            is_open = is_open or i == len(left) or j == len(right)  # what is to come may go on from here
        for m, n in reading.steps(i, j):
            if (i + m, j + n) not in known:
                known.add((i + m, j + n))
                heappush(waiting, (i + m + j + n, i + m, j + n))
    return frozenset(found) if reads_all else None


@dataclass(frozen=True, slots=True)
class _Reading:
    left: Sequence[Change]
    right: Sequence[Change]
    alike: Alike
    named: Named

    def steps(self, i: int, j: int) -> Iterator[tuple[int, int]]:
        """How many changes of both sides may be read together from a place on."""
        mine, others = _groups(self.left, i), _groups(self.right, j)
        for group in others:
            if _vanishes(group) and self.named((), group):
                yield 0, len(group)
        for group in mine:
            if _vanishes(group) and self.named(group, ()):
                yield len(group), 0
        if i == len(self.left) or j == len(self.right):
            return
        parts = _is_part(self.left, i), _is_part(self.right, j)
        if self.alike(self.left[i], self.right[j]) and (None in parts or parts[0] == parts[1]):
            yield 1, 1
        singles = [
            [] if is_part else [(side[at],)]
            for is_part, side, at in zip(parts, (self.left, self.right), (i, j), strict=True)
        ]
        for a in (*singles[0], *mine):
            for b in (*singles[1], *others):
                if len(a) + len(b) > 2 and self.alike(_whole(a), _whole(b)) and self.named(a, b):
                    yield len(a), len(b)


def _is_part(changes: Sequence[Change], at: int) -> bool | None:
    """Whether a change is one of several of its transaction; None where no transaction is told."""
    told = transaction_of(changes[at])
    if told is None:
        return None
    return any(told == transaction_of(one) for one in (*changes[max(at - 1, 0) : at], *changes[at + 1 : at + 2]))


def _groups(changes: Sequence[Change], at: int) -> Sequence[Group]:
    """Several changes of one time from a place on; of a transaction that is told, all or none."""
    if at == len(changes):
        return ()
    found = [*chains(changes, at)]
    told = transaction_of(changes[at])
    if not found or told is None:
        return found
    end = at + len(found[-1])
    whole = (at == 0 or transaction_of(changes[at - 1]) != told) and (
        end == len(changes) or transaction_of(changes[end]) != told
    )
    return found[-1:] if whole else ()


def _whole(group: Group) -> Change:
    """The change that a group makes; that one of its steps is half of a change of the key does not matter to it."""
    return replace(as_one(group), moved=False)


def _vanishes(group: Group) -> bool:
    return group[0].before is None and group[-1].after is None


def _runs(left: Sequence[Change], right: Sequence[Change], came: dict[_Place, _Place]) -> list[Run]:
    runs = []
    place = len(left), len(right)
    while place != (0, 0):
        before = came[place]
        a, b = tuple(left[before[0] : place[0]]), tuple(right[before[1] : place[1]])
        runs.append(Run(a, b, same=False, as_it_is=bool(a and b)))
        place = before
    return runs[::-1]
