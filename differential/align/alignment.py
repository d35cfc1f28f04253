"""Aligns two sequences of changes of one key: finds the cheapest explanation of both.

An explanation is a sequence of steps. Each step takes changes from the front of one side or of both: a match, a fold,
vanished changes, a repeated message, a change without a partner, a moved change. `costs` has the cost of each. The
search for the cheapest sum (Dijkstra's algorithm on pairs of positions) begins at the first change in which the sides
differ. Equal changes of the same time are matched without a search, and a search ends after enough of them in a row,
since later changes cannot influence it then. So the time is linear where the sides agree. A search that visits too many
positions gives up: every change up to the nearest position at which the sides agree again gets no partner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum, StrEnum
from heapq import heappop, heappush
from typing import Any, NamedTuple, TypeAlias

from differential.align.costs import FOLD, NAMED, Fault, fault, faults_of, milliseconds
from differential.align.effects import effect_between, identity_of, quite_equal
from differential.align.groups import Group, chains, is_whole_transaction, of_one_time, vanishes_at_once
from differential.align.missing_before_image import begin_alike, goes_on, has_before_image
from differential.align.times import later
from differential.align.weighing import Weighing
from differential.model import Change

__all__ = ["WINDOW", "Step", "StepKind", "align"]

WINDOW = 64
"""No step takes more changes of a side than this; a search sees several times as many."""

_SEARCHED = 8 * WINDOW
_MOST_POSITIONS = 16_384  # positions that a search visits before it gives up
_CLEAN_MATCHES = 8  # clean matches in a row after which a search ends
_AGREE_AFTER_GIVING_UP = 3  # equal changes in a row at which the sides agree again after a search gave up
_FARTHEST = 8  # the largest number of changes that a moved change may have passed
_LONGEST_FOLD = 16  # the largest number of changes of the shorter of two matched groups, and of an unexplained fold

_GAP, _REPEATED, _MOVED, _STEPS = (fault(f) for f in (Fault.GAP, Fault.REPEATED, Fault.MOVED, Fault.STEPS))
_ELSEWHERE = fault(Fault.ELSEWHERE)

_LEAST_FAULT = min(_GAP, _REPEATED, _MOVED, _STEPS, fault(Fault.ONE_IMAGE), fault(Fault.OPERATION)) - 1

_Position: TypeAlias = tuple[int, int]  # the numbers of changes before it, left and right
_Step: TypeAlias = "tuple[StepKind, int, int, int]"  # kind, numbers of changes of the left and right side, cost


class _Stage(IntEnum):
    """The order in which steps from a position are tried: cheaper ones first."""

    EXACT = 0
    NAMED = 1
    NAMED_FOLD = 2
    FAULT = 3


_LEAST_COSTS = (0, NAMED, FOLD + NAMED, _LEAST_FAULT)
"""The lowest cost of a step of each stage."""


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


def align(left: Sequence[Change], right: Sequence[Change], weighing: Weighing) -> list[Step]:
    """The steps of the cheapest explanation, in order; each change is in exactly one.

    `weighing` learns the offset of the clocks from matches.
    """
    return list(_Alignment(left, right, weighing).steps())


class _Alignment:
    """The search for the cheapest explanation of two sequences of changes."""

    def __init__(self, left: Sequence[Change], right: Sequence[Change], weighing: Weighing) -> None:
        self._left, self._right, self._weighing = left, right, weighing
        self._naming, self._content = weighing.naming, effect_between(same_clock=weighing.same_clock)
        self._contents: list[set[Any]] | None = None  # cached: by side, the contents of its changes
        self._clean_pairs: dict[_Position, bool] = {}  # cached results of `_is_clean`
        # Cached: by side and position, the groups of changes that begin there.
        self._groups: tuple[dict[int, Sequence[Group]], dict[int, Sequence[Group]]] = ({}, {})
        self._stages = (self._exact, self._named, self._named_folds, self._faults)  # as in `_Stage`

    def steps(self) -> Iterator[Step]:
        """The steps: equal changes are counted off, and the changes from a difference on are searched."""
        i = j = 0  # the position: the numbers of changes already explained, left and right
        ends = len(self._left), len(self._right)
        if all(ends) and self._weighing.lag is None and not self._weighing.in_time(self._left[0], self._right[0]):
            self._estimate_lag()
        while (i, j) != ends:
            if count := self._count_agreeing(i, j):
                yield Step(StepKind.EQUAL, tuple(self._left[i : i + count]), tuple(self._right[j : j + count]))
                i, j = i + count, j + count
                self._learn_lag(i - 1, j - 1)
                continue
            for kind, m, n, cost in self._search(i, j):
                yield Step(kind, tuple(self._left[i : i + m]), tuple(self._right[j : j + n]), cost)
                i, j = i + m, j + n
                if kind is StepKind.MATCH:
                    self._learn_lag(i - 1, j - 1)

    def _learn_lag(self, i: int, j: int) -> None:
        self._weighing.learn_lag(self._left[i], self._right[j])

    def _estimate_lag(self) -> None:
        """Learn the offset of the clocks from the first change that each side has exactly once.

        If no change occurs once, the offset that most pairs of equal changes have is learned.
        """
        contents = [[self._content(one) for one in side[:WINDOW]] for side in (self._left, self._right)]
        counts = [Counter(of_side) for of_side in contents]
        for n, content in enumerate(contents[0]):
            if counts[0][content] == counts[1][content] == 1:
                self._learn_lag(n, contents[1].index(content))
                return
        by_offset: dict[int, list[_Position]] = {}
        for i, content in enumerate(contents[0]):
            for j, other in enumerate(contents[1]):
                if content == other and (offset := later(self._left[i], self._right[j])) is not None:
                    by_offset.setdefault(offset, []).append((i, j))
        most = max(map(len, by_offset.values()), default=0)
        most_frequent = [pairs for pairs in by_offset.values() if len(pairs) == most]
        if len(most_frequent) == 1:
            self._learn_lag(*most_frequent[0][0])

    def _count_agreeing(self, i: int, j: int) -> int:
        """The number of equal changes of the same time from a position on.

        Changes of one time are counted together or not at all. The cheapest explanation matches the counted changes:
        every other one leaves at least as many without a partner. The exception is several changes of one time on one
        side, which may be one step of the other side.
        """
        left, right, weighing = self._left, self._right, self._weighing
        most = min(len(left) - i, len(right) - j)
        certain = count = 0
        while count < most:
            a, b = left[i + count], right[j + count]
            if not (quite_equal(a, b) and weighing.in_time(a, b)):
                break
            count += 1
            goes_on = self._is_of_same_time(left, i + count), self._is_of_same_time(right, j + count)
            if not any(goes_on):
                certain = count
            elif not all(goes_on):
                break
        return certain

    @staticmethod
    def _is_of_same_time(changes: Sequence[Change], at: int) -> bool:
        """Whether a change has the same time as the change before it."""
        return at < len(changes) and of_one_time(changes[at - 1], changes[at])

    def _is_clean(self, i: int, j: int) -> bool:
        """Whether two changes have the same time, and each is the only one of that time on its side."""
        known = self._clean_pairs.get((i, j))
        if known is None:
            left, right = self._left, self._right
            known = self._clean_pairs[i, j] = (
                self._weighing.in_time(left[i], right[j])
                and not (i and of_one_time(left[i - 1], left[i]))
                and not (j and of_one_time(right[j - 1], right[j]))
                and not self._is_of_same_time(left, i + 1)
                and not self._is_of_same_time(right, j + 1)
            )
        return known

    def _search(self, i: int, j: int) -> list[_Step]:
        """The steps of the cheapest explanation from a position to the end, or until they are certain."""
        ends = min(len(self._left), i + _SEARCHED), min(len(self._right), j + _SEARCHED)
        sees_all = ends == (len(self._left), len(self._right))
        self._clean_pairs.clear()
        costs: dict[_Position, int] = {(i, j): 0}  # of the cheapest known path to a position
        came: dict[_Position, _Step] = {}  # the last step of that path
        clean: dict[_Position, int] = {(i, j): 0}  # the number of clean matches in a row at its end
        # A heap, the most promising first: least cost, minus the sum of the position, position, stage, cost so far.
        waiting: list[tuple[int, int, int, int, int, int]] = [(0, -i - j, i, j, 0, 0)]
        while waiting:
            _, _, a, b, stage, cost = heappop(waiting)
            if cost != costs[a, b]:
                continue  # a cheaper path to this position was found meanwhile
            if stage == _Stage.EXACT:
                is_certain = clean[a, b] >= _CLEAN_MATCHES
                if (a, b) == ends or is_certain or (not sees_all and (a == ends[0] or b == ends[1])):
                    path = _path(came, (i, j), (a, b))
                    if sees_all or is_certain:
                        return path
                    return path[: max(1, len(path) // 2)]  # later changes may influence the second half
                if len(costs) > _MOST_POSITIONS:
                    return self._gaps_to_agreement(i, j)
            found = self._stages[stage](a, b, ends)
            for kind, m, n, more in found:
                position, total = (a + m, b + n), cost + more
                if position not in costs or total < costs[position]:
                    costs[position], came[position] = total, (kind, m, n, more)
                    is_clean = kind is StepKind.MATCH and more < FOLD and self._is_clean(a, b)
                    clean[position] = clean[a, b] + 1 if is_clean else 0
                    heappush(waiting, (total, -sum(position), *position, 0, total))
            if stage != _Stage.FAULT:
                # Where changes simply match, other steps are tried only if no complete path is without a fault.
                least = _LEAST_FAULT if found else _LEAST_COSTS[stage + 1]
                heappush(waiting, (cost + least, -a - b, a, b, stage + 1, cost))
        raise AssertionError("there is always a path: every change without a partner")

    def _exact(self, i: int, j: int, ends: _Position) -> Sequence[_Step]:
        """The match of changes with the same effect; if there is none, folds with the same effect."""
        if i < ends[0] and j < ends[1]:
            cost = self._weighing.exact_cost(self._left[i], self._right[j])
            if cost is not None and (self._is_clean(i, j) or self._are_both_whole(i, 1, j, 1)):
                return ((StepKind.MATCH, 1, 1, cost),)
        return self._folds(i, j, ends)

    def _named(self, i: int, j: int, ends: _Position) -> Sequence[_Step]:
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

    def _faults(self, i: int, j: int, ends: _Position) -> Sequence[_Step]:
        """Steps that only a fault explains."""
        found: list[_Step] = []
        left, right = self._left, self._right
        if i < ends[0] and j < ends[1]:
            cost = self._weighing.match_cost(left[i], right[j])
            if cost is not None and faults_of(cost):
                found.append((StepKind.MATCH, 1, 1, cost + _ELSEWHERE * self._are_elsewhere(i, j)))
            found += self._moved(i, j, ends)
            found += self._net(i, j, ends)
        if i < ends[0]:
            found.append((StepKind.REPEATED, 1, 0, _REPEATED) if _is_repeat(left, i) else (StepKind.GAP, 1, 0, _GAP))
        if j < ends[1]:
            found.append((StepKind.REPEATED, 0, 1, _REPEATED) if _is_repeat(right, j) else (StepKind.GAP, 0, 1, _GAP))
        return found

    def _are_equal(self, i: int, j: int) -> bool:
        return self._content(self._left[i]) == self._content(self._right[j])

    def _are_elsewhere(self, i: int, j: int) -> bool:
        """Whether either of two changes occurs unaltered on the other side."""
        if self._contents is None:
            self._contents = [{*map(self._content, side)} for side in (self._left, self._right)]
        return self._content(self._left[i]) in self._contents[1] or self._content(self._right[j]) in self._contents[0]

    def _may_be_same_change(self, i: int, j: int) -> bool:
        return self._are_equal(i, j) and self._weighing.may_be_in_time(self._left[i], self._right[j])

    def _moved(self, i: int, j: int, ends: _Position) -> Iterator[_Step]:
        """A change that one side has before, and the other side after, changes that both sides have."""
        most = min(ends[0] - i, ends[1] - j, _FARTHEST + 1)
        if most < 2 or self._are_equal(i, j):
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

    def _folds(self, i: int, j: int, ends: _Position) -> Sequence[_Step]:
        """Explained folds: changes of one time that are one change of the other side, or vanish."""
        found: list[_Step] = []
        for group in self._groups_at(0, i, ends[0]):
            if vanishes_at_once(self._left, i, group) and self._naming.explains_steps(group, ()):
                found.append((StepKind.VANISHED, len(group), 0, FOLD))
        for group in self._groups_at(1, j, ends[1]):
            if vanishes_at_once(self._right, j, group) and self._naming.explains_steps((), group):
                found.append((StepKind.VANISHED, 0, len(group), FOLD))
        found += self._folds_if(i, j, ends, self._weighing.lead_to_equal_rows, FOLD)
        return found

    def _named_folds(self, i: int, j: int, ends: _Position) -> Sequence[_Step]:
        """As `_folds`, for rows that differ in explained values."""
        return self._folds_if(i, j, ends, self._weighing.lead_to_explained_rows, FOLD + NAMED)

    def _folds_if(
        self, i: int, j: int, ends: _Position, are_equivalent: Callable[[Group, Group], bool], cost: int
    ) -> Sequence[_Step]:
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

    def _net(self, i: int, j: int, ends: _Position) -> Iterator[_Step]:
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
                    cost = _STEPS + (count - 2) * _GAP
                    yield StepKind.NET, *((count, 1) if on_left else (1, count)), cost
                    break

    def _gaps_to_agreement(self, i: int, j: int) -> list[_Step]:
        """Gaps up to the nearest position from which both sides agree for a few changes."""
        left, right = self._left, self._right
        by_content: dict[Any, list[int]] = {}
        for n in range(j, len(right)):
            by_content.setdefault(self._content(right[n]), []).append(n)
        best: _Position | None = None
        for m in range(i, len(left)):
            if best is not None and m - i >= sum(best) - i - j:
                break
            for n in by_content.get(self._content(left[m]), ())[:_FARTHEST]:
                most = min(_AGREE_AFTER_GIVING_UP, len(left) - m, len(right) - n)
                if all(self._are_equal(m + k, n + k) for k in range(most)) and (best is None or m + n < sum(best)):
                    best = (m, n)
        m, n = best or (len(left), len(right))
        return [*[(StepKind.GAP, 1, 0, _GAP)] * (m - i), *[(StepKind.GAP, 0, 1, _GAP)] * (n - j)]


def _is_repeat(changes: Sequence[Change], at: int) -> bool:
    """Whether a change repeats the one before it, with the same contents and the same time."""
    return at > 0 and identity_of(changes[at - 1]) == identity_of(changes[at])


def _path(came: dict[_Position, _Step], begin: _Position, end: _Position) -> list[_Step]:
    """The steps that lead from one position to another."""
    steps = []
    while end != begin:
        step = came[end]
        steps.append(step)
        _, on_left, on_right, _ = step
        end = end[0] - on_left, end[1] - on_right
    return steps[::-1]
