"""All ways to read both sides of a key without a fault, whatever comes later: where a key may be cut between rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import chain, pairwise, starmap
from typing import TypeAlias

from differential.align.groups import Group, groups_at, is_whole, vanishes, whole
from differential.align.missing_before_image import goes_on
from differential.model import Change

__all__ = ["narrow_places"]

_MOST = 64
"""How many places a change may be looked at, on the average, before the reading is given up."""

_LONGEST = 16  # of groups that are a group of the other side

_Place: TypeAlias = tuple[int, int]
Alike: TypeAlias = Callable[[Change, Change], bool]
"""Whether two changes do the same, but for values that differ by a name."""

Named: TypeAlias = Callable[[Group, Group], bool]
"""Whether it has a name that changes of both sides lead to the same row by other steps."""


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
        mine, others = groups_at(self.left, i), groups_at(self.right, j)
        for group in others:
            if vanishes(group) and self.named((), group):
                yield 0, len(group)
        for group in mine:
            if vanishes(group) and self.named(group, ()):
                yield len(group), 0
        if i == len(self.left) or j == len(self.right):
            return
        wholes = is_whole(self.left, i), is_whole(self.right, j)
        if self.alike(self.left[i], self.right[j]) and (None in wholes or wholes[0] == wholes[1]):
            yield 1, 1
        singles = [
            [] if is_all is False else [(side[at],)]
            for is_all, side, at in zip(wholes, (self.left, self.right), (i, j), strict=True)
        ]
        for a in (*singles[0], *mine):
            for b in (*singles[1], *others):
                is_fold = len(a) + len(b) > 2 and min(len(a), len(b)) <= _LONGEST
                if is_fold and self.alike(whole(a), whole(b)) and self.named(a, b):
                    yield len(a), len(b)
