"""Finds the positions at which the changes of a key may be cut between rounds of `--live`.

A faultless alignment matches the changes of both sides in steps, from the first change on, without an unexplained
difference. There may be several: upstream's A→B, B→A, A→B in one second may be three changes of TiCDC or one. A
position is a number of changes on each side. The changes may be cut at a position that every faultless alignment
passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import chain, pairwise, starmap
from typing import TypeAlias

from differential.align.groups import Group, groups_at, is_whole_transaction, of_one_time, unmoved, vanishes
from differential.align.missing_before_image import goes_on
from differential.model import Change

__all__ = ["common_positions"]

_MOST = 64
"""The search ends after so many positions per change, on average."""

_LONGEST = 16  # the largest number of changes of the shorter of two matched groups

_Position: TypeAlias = tuple[int, int]
Alike: TypeAlias = Callable[[Change, Change], bool]
"""Whether two changes are equal except for explained values."""

Explained: TypeAlias = Callable[[Group, Group], bool]
"""Whether a divergence explains that both sides lead to the same row in different steps."""


def common_positions(
    left: Sequence[Change], right: Sequence[Change], alike: Alike, explained: Explained, due: _Position
) -> frozenset[_Position] | None:
    """Positions that every faultless alignment passes, whatever changes come later.

    None if no faultless alignment covers all due changes. `due`: by side, the number of changes whose partners, if any,
    have arrived.
    """
    if not all(starmap(goes_on, chain(pairwise(left), pairwise(right)))):
        return None
    alignments = _Alignments(left, right, alike, explained)
    covers_due = False  # an alignment covers all due changes
    may_continue = False  # such an alignment may continue in a way that is not known yet
    waiting, known = [(0, 0, 0)], {(0, 0)}  # positions to go on from, the nearest first
    found = set()
    while waiting and len(known) <= _MOST * (len(left) + len(right)):
        _, i, j = heappop(waiting)
        if not (waiting or may_continue):  # all alignments have led to this position
            found.add((i, j))
        if i >= due[0] and j >= due[1]:
            covers_due = True
            may_continue = may_continue or _may_grow(left, i, due[0]) or _may_grow(right, j, due[1])
        for m, n in alignments.steps(i, j):
            if (i + m, j + n) not in known:
                known.add((i + m, j + n))
                heappush(waiting, (i + m + j + n, i + m, j + n))
    return frozenset(found) if covers_due else None


def _may_grow(side: Sequence[Change], at: int, due: int) -> bool:
    """Whether changes that come later may belong to the next step from a position.

    At the end of a side they may. Elsewhere they may only if all changes from the position on can belong to a single
    transaction, since the rest of that transaction can still come.
    """
    if at == len(side):
        return True
    return due < len(side) and side[at].commit_ts is None and all(starmap(of_one_time, pairwise(side[at:])))


@dataclass(frozen=True, slots=True)
class _Alignments:
    """All faultless alignments of two sides, step by step."""

    left: Sequence[Change]
    right: Sequence[Change]
    alike: Alike
    explained: Explained

    def steps(self, i: int, j: int) -> Iterator[tuple[int, int]]:
        """The possible next steps from a position, as numbers of changes on both sides."""
        left_groups, right_groups = groups_at(self.left, i), groups_at(self.right, j)
        for group in right_groups:
            if vanishes(group) and self.explained((), group):
                yield 0, len(group)
        for group in left_groups:
            if vanishes(group) and self.explained(group, ()):
                yield len(group), 0
        if i == len(self.left) or j == len(self.right):
            return
        are_whole = is_whole_transaction(self.left, i), is_whole_transaction(self.right, j)
        if self.alike(self.left[i], self.right[j]) and (None in are_whole or are_whole[0] == are_whole[1]):
            yield 1, 1
        singles = [
            [] if is_whole is False else [(side[at],)]
            for is_whole, side, at in zip(are_whole, (self.left, self.right), (i, j), strict=True)
        ]
        for a in (*singles[0], *left_groups):
            for b in (*singles[1], *right_groups):
                is_fold = len(a) + len(b) > 2 and min(len(a), len(b)) <= _LONGEST
                if is_fold and self.alike(unmoved(a), unmoved(b)) and self.explained(a, b):
                    yield len(a), len(b)
