"""The steps of an explanation: their kinds and costs, and which of them are possible at a position.

A step is a match, a fold, vanished changes, a repeated message, a change without a partner, or a moved change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum, StrEnum
from typing import Any, NamedTuple, TypeAlias

from differential.align.costs import FOLD, NAMED, Fault, fault, faults_of, milliseconds
from differential.align.effects import effect_between, identity_of
from differential.align.groups import Group, chains, is_whole_transaction, of_one_time, vanishes_at_once
from differential.align.missing_before_image import begin_alike, goes_on, has_before_image
from differential.align.weighing import Weighing
from differential.model import Change

__all__ = [
    "GAP",
    "LEAST_COSTS",
    "LEAST_FAULT",
    "Position",
    "PossibleSteps",
    "Stage",
    "Step",
    "StepKind",
    "Taken",
    "is_of_same_time",
]

_FARTHEST = 8  # the largest number of changes that a moved change may have passed
_LONGEST_FOLD = 16  # the largest number of changes of the shorter of two matched groups, and of an unexplained fold


class StepKind(StrEnum):
    """The kinds of steps of an explanation."""

    EQUAL = "changes that are equal on both sides"
    MATCH = "one change, perhaps with a wrong value"
    FOLD = "several steps of one change, explained by a divergence"
    VANISHED = "steps of one side that lead back to their first row, explained by a divergence"
    NET = "several steps of one change of the other side, unexplained"
    REPEATED = "the change before it again"
    MOVED = "the first change of one side is the last of the other; the changes between are equal"
    GAP = "no partner"


class Step(NamedTuple):
    """A step of an explanation, and its changes."""

    kind: StepKind
    left: Group
    right: Group
    cost: int = 0


Position: TypeAlias = tuple[int, int]  # the numbers of changes before it, left and right
Taken: TypeAlias = "tuple[StepKind, int, int, int]"  # kind, numbers of changes of the left and right side, cost

GAP, _REPEATED, _MOVED, _STEPS = (fault(f) for f in (Fault.GAP, Fault.REPEATED, Fault.MOVED, Fault.STEPS))
_ELSEWHERE = fault(Fault.ELSEWHERE)

LEAST_FAULT = min(GAP, _REPEATED, _MOVED, _STEPS, fault(Fault.ONE_IMAGE), fault(Fault.OPERATION)) - 1


class Stage(IntEnum):
    """The order in which steps from a position are tried: cheaper ones first."""

    EXACT = 0
    NAMED = 1
    NAMED_FOLD = 2
    FAULT = 3


LEAST_COSTS = (0, NAMED, FOLD + NAMED, LEAST_FAULT)
"""The lowest cost of a step of each stage."""


class PossibleSteps:
    """The steps that are possible at the positions of two sequences of changes, in stages.

    `ends` is the position behind the last changes that a step may take.
    """

    def __init__(self, left: Sequence[Change], right: Sequence[Change], weighing: Weighing) -> None:
        self._left, self._right, self._weighing = left, right, weighing
        self._naming, self.content = weighing.naming, effect_between(same_clock=weighing.same_clock)
        self._contents: list[set[Any]] | None = None  # cached: by side, the contents of its changes
        self._clean_pairs: dict[Position, bool] = {}  # cached results of `is_clean`
        # Cached: by side and position, the groups of changes that begin there.
        self._groups: tuple[dict[int, Sequence[Group]], dict[int, Sequence[Group]]] = ({}, {})
        self.stages = (self._exact, self._named, self._named_folds, self._faults)  # as in `Stage`

    def begin_search(self) -> None:
        """Forget what depends on the offset of the clocks, which is learned between searches."""
        self._clean_pairs.clear()

    def is_clean(self, i: int, j: int) -> bool:
        """Whether two changes have the same time, and each is the only one of that time on its side."""
        known = self._clean_pairs.get((i, j))
        if known is None:
            left, right = self._left, self._right
            known = self._clean_pairs[i, j] = (
                self._weighing.in_time(left[i], right[j])
                and not (i and of_one_time(left[i - 1], left[i]))
                and not (j and of_one_time(right[j - 1], right[j]))
                and not is_of_same_time(left, i + 1)
                and not is_of_same_time(right, j + 1)
            )
        return known

    def are_equal(self, i: int, j: int) -> bool:
        """Whether two changes have the same content."""
        return self.content(self._left[i]) == self.content(self._right[j])

    def _exact(self, i: int, j: int, ends: Position) -> Sequence[Taken]:
        """The match of changes with the same effect; if there is none, folds with the same effect."""
        if i < ends[0] and j < ends[1]:
            cost = self._weighing.exact_cost(self._left[i], self._right[j])
            if cost is not None and (self.is_clean(i, j) or self._are_both_whole(i, 1, j, 1)):
                return ((StepKind.MATCH, 1, 1, cost),)
        return self._folds(i, j, ends)

    def _named(self, i: int, j: int, ends: Position) -> Sequence[Taken]:
        """The match of changes that differ in explained values only, and the steps that `_exact` left out."""
        if i == ends[0] or j == ends[1]:
            return ()
        a, b, are_both_whole = self._left[i], self._right[j], self._are_both_whole(i, 1, j, 1)
        cost = self._weighing.exact_cost(a, b)
        if cost is not None and are_both_whole:
            return self._folds(i, j, ends)
        if cost is None and (cost := self._weighing.explained_cost(a, b)) is None:
            return ()
        return ((StepKind.MATCH, 1, 1, cost + FOLD * (not are_both_whole)),)

    def _are_both_whole(self, i: int, m: int, j: int, n: int) -> bool:
        """Whether the changes are complete transactions on both sides, or incomplete ones on both."""
        are_whole = is_whole_transaction(self._left, i, m), is_whole_transaction(self._right, j, n)
        return None in are_whole or are_whole[0] == are_whole[1]

    def _faults(self, i: int, j: int, ends: Position) -> Sequence[Taken]:
        """Steps that only a fault explains."""
        found: list[Taken] = []
        left, right = self._left, self._right
        if i < ends[0] and j < ends[1]:
            cost = self._weighing.match_cost(left[i], right[j])
            if cost is not None and faults_of(cost):
                found.append((StepKind.MATCH, 1, 1, cost + _ELSEWHERE * self._are_elsewhere(i, j)))
            found += self._moved(i, j, ends)
            found += self._net(i, j, ends)
        if i < ends[0]:
            found.append((StepKind.REPEATED, 1, 0, _REPEATED) if _is_repeat(left, i) else (StepKind.GAP, 1, 0, GAP))
        if j < ends[1]:
            found.append((StepKind.REPEATED, 0, 1, _REPEATED) if _is_repeat(right, j) else (StepKind.GAP, 0, 1, GAP))
        return found

    def _are_elsewhere(self, i: int, j: int) -> bool:
        """Whether either of two changes occurs unaltered on the other side."""
        if self._contents is None:
            self._contents = [{*map(self.content, side)} for side in (self._left, self._right)]
        return self.content(self._left[i]) in self._contents[1] or self.content(self._right[j]) in self._contents[0]

    def _may_be_same_change(self, i: int, j: int) -> bool:
        return self.are_equal(i, j) and self._weighing.may_be_in_time(self._left[i], self._right[j])

    def _moved(self, i: int, j: int, ends: Position) -> Iterator[Taken]:
        """A change that one side has before, and the other side after, changes that both sides have."""
        most = min(ends[0] - i, ends[1] - j, _FARTHEST + 1)
        if most < 2 or self.are_equal(i, j):
            return
        for di, dj in ((1, 0), (0, 1)):
            count = 1
            gap = 0
            while count < most and self._may_be_same_change(i + di + count - 1, j + dj + count - 1):
                gap += self._weighing.time_gap(self._left[i + di + count - 1], self._right[j + dj + count - 1])
                count += 1
                first, last = (i, j + count - 1) if di else (i + count - 1, j)
                if self._may_be_same_change(first, last):
                    yield StepKind.MOVED, count, count, _MOVED + milliseconds(gap)
                    break

    def _groups_at(self, side: int, at: int, end: int) -> Sequence[Group]:
        """The groups of changes of a side (0 for left) that begin at a position and end by `end`."""
        known = self._groups[side]
        if at not in known:
            known[at] = [*chains(self._right if side else self._left, at)]
        found = known[at]  # the longest last
        return found if not found or at + len(found[-1]) <= end else [g for g in found if at + len(g) <= end]

    def _folds(self, i: int, j: int, ends: Position) -> Sequence[Taken]:
        """Explained folds: changes of one time that are one change of the other side, or vanish."""
        found: list[Taken] = []
        for group in self._groups_at(0, i, ends[0]):
            if vanishes_at_once(self._left, i, group) and self._naming.explains_steps(group, ()):
                found.append((StepKind.VANISHED, len(group), 0, FOLD))
        for group in self._groups_at(1, j, ends[1]):
            if vanishes_at_once(self._right, j, group) and self._naming.explains_steps((), group):
                found.append((StepKind.VANISHED, 0, len(group), FOLD))
        found += self._folds_if(i, j, ends, self._weighing.lead_to_equal_rows, FOLD)
        return found

    def _named_folds(self, i: int, j: int, ends: Position) -> Sequence[Taken]:
        """As `_folds`, for rows that differ in explained values."""
        return self._folds_if(i, j, ends, self._weighing.lead_to_explained_rows, FOLD + NAMED)

    def _folds_if(
        self, i: int, j: int, ends: Position, are_equivalent: Callable[[Group, Group], bool], cost: int
    ) -> Sequence[Taken]:
        """Explained folds from groups of the one side to equivalent groups of the other."""
        left, right = self._left, self._right
        left_groups, right_groups = self._groups_at(0, i, ends[0]), self._groups_at(1, j, ends[1])
        if i == ends[0] or j == ends[1] or not (left_groups or right_groups):
            return ()
        if not (has_before_image(left[i]) and has_before_image(right[j])):
            # The rows before cannot be compared whole: each side must go on from its last row.
            last_left, last_right = left[i - 1] if i else None, right[j - 1] if j else None
            if not (goes_on(last_left, left[i]) and goes_on(last_right, right[j])):
                return ()
        return [
            (StepKind.FOLD, len(a), len(b), cost + milliseconds(self._weighing.time_gap(a[-1], b[-1])))
            for a in ((left[i],), *left_groups)
            for b in ((right[j],), *right_groups)
            if len(a) + len(b) > 2 and min(len(a), len(b)) <= _LONGEST_FOLD
            if are_equivalent(a, b) and self._are_both_whole(i, len(a), j, len(b)) and self._naming.explains_steps(a, b)
        ]

    def _net(self, i: int, j: int, ends: Position) -> Iterator[Taken]:
        """Unexplained folds: several changes that have the effect of one change of the other side."""
        a, b = self._left[i], self._right[j]
        if not (has_before_image(a) and has_before_image(b) and begin_alike(a, b)):
            return
        for changes, at, end, one, on_left in (
            (self._left, i, ends[0], b, True),
            (self._right, j, ends[1], a, False),
        ):
            if one.before is None and one.after is None:
                continue
            for last in range(at + 1, min(end, at + _LONGEST_FOLD)):
                if changes[last - 1].after != changes[last].before:
                    break
                if changes[last].after == one.after:
                    count = last + 1 - at
                    cost = _STEPS + (count - 2) * GAP
                    yield StepKind.NET, *((count, 1) if on_left else (1, count)), cost
                    break


def is_of_same_time(changes: Sequence[Change], at: int) -> bool:
    """Whether a change has the same time as the change before it."""
    return at < len(changes) and of_one_time(changes[at - 1], changes[at])


def _is_repeat(changes: Sequence[Change], at: int) -> bool:
    """Whether a change repeats the one before it, with the same contents and the same time."""
    return at > 0 and identity_of(changes[at - 1]) == identity_of(changes[at])
