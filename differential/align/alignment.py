"""Aligns two sequences of changes of one key: finds the cheapest explanation of both.

An explanation is a sequence of steps, each of which takes changes from the front of one side or of both. `steps` says
which steps are possible at a position, and what they cost. The search for the cheapest sum (Dijkstra's algorithm on
pairs of positions) begins at the first change in which the sides differ. Equal changes of the same time are matched
without a search, and a search ends after enough of them in a row, since later changes cannot influence it then. So the
time is linear where the sides agree. A search that visits too many positions gives up: every change up to the nearest
position at which the sides agree again gets no partner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import Any

from differential.align.costs import FOLD
from differential.align.effects import quite_equal
from differential.align.steps import (
    GAP,
    LEAST_COSTS,
    LEAST_FAULT,
    Position,
    PossibleSteps,
    Stage,
    Step,
    StepKind,
    Taken,
    is_of_same_time,
)
from differential.align.times import later
from differential.align.weighing import Weighing
from differential.model import Change

__all__ = ["WINDOW", "align"]

WINDOW = 64
"""No step takes more changes of a side than this; a search sees several times as many."""

_SEARCHED = 8 * WINDOW
_MOST_POSITIONS = 16_384  # positions that a search visits before it gives up
_CLEAN_MATCHES = 8  # clean matches in a row after which a search ends
_AGREE_AFTER_GIVING_UP = 3  # equal changes in a row at which the sides agree again after a search gave up
_MOST_TRIED = 8  # equal changes of the right side at which the sides may agree again


def align(left: Sequence[Change], right: Sequence[Change], weighing: Weighing) -> list[Step]:
    """The steps of the cheapest explanation, in order; each change is in exactly one.

    `weighing` learns the offset of the clocks from matches.
    """
    return list(_Alignment(left, right, weighing).steps())


class _Alignment:
    """The search for the cheapest explanation of two sequences of changes."""

    def __init__(self, left: Sequence[Change], right: Sequence[Change], weighing: Weighing) -> None:
        self._left, self._right, self._weighing = left, right, weighing
        self._possible = PossibleSteps(left, right, weighing)
        self._content = self._possible.content

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
        by_offset: dict[int, list[Position]] = {}
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
            goes_on = is_of_same_time(left, i + count), is_of_same_time(right, j + count)
            if not any(goes_on):
                certain = count
            elif not all(goes_on):
                break
        return certain

    def _search(self, i: int, j: int) -> list[Taken]:
        """The steps of the cheapest explanation from a position to the end, or until they are certain."""
        ends = min(len(self._left), i + _SEARCHED), min(len(self._right), j + _SEARCHED)
        sees_all = ends == (len(self._left), len(self._right))
        self._possible.begin_search()
        costs: dict[Position, int] = {(i, j): 0}  # of the cheapest known path to a position
        came: dict[Position, Taken] = {}  # the last step of that path
        clean: dict[Position, int] = {(i, j): 0}  # the number of clean matches in a row at its end
        # A heap, the most promising first: least cost, minus the sum of the position, position, stage, cost so far.
        waiting: list[tuple[int, int, int, int, int, int]] = [(0, -i - j, i, j, 0, 0)]
        while waiting:
            _, _, a, b, stage, cost = heappop(waiting)
            if cost != costs[a, b]:
                continue  # a cheaper path to this position was found meanwhile
            if stage == Stage.EXACT:
                is_certain = clean[a, b] >= _CLEAN_MATCHES
                if (a, b) == ends or is_certain or (not sees_all and (a == ends[0] or b == ends[1])):
                    path = _path(came, (i, j), (a, b))
                    if sees_all or is_certain:
                        return path
                    return path[: max(1, len(path) // 2)]  # later changes may influence the second half
                if len(costs) > _MOST_POSITIONS:
                    return self._gaps_to_agreement(i, j)
            found = self._possible.stages[stage](a, b, ends)
            for kind, m, n, more in found:
                position, total = (a + m, b + n), cost + more
                if position not in costs or total < costs[position]:
                    costs[position], came[position] = total, (kind, m, n, more)
                    is_clean = kind is StepKind.MATCH and more < FOLD and self._possible.is_clean(a, b)
                    clean[position] = clean[a, b] + 1 if is_clean else 0
                    heappush(waiting, (total, -sum(position), *position, 0, total))
            if stage != Stage.FAULT:
                # Where changes simply match, other steps are tried only if no complete path is without a fault.
                least = LEAST_FAULT if found else LEAST_COSTS[stage + 1]
                heappush(waiting, (cost + least, -a - b, a, b, stage + 1, cost))
        raise AssertionError("there is always a path: every change without a partner")

    def _gaps_to_agreement(self, i: int, j: int) -> list[Taken]:
        """Gaps up to the nearest position from which both sides agree for a few changes."""
        left, right, are_equal = self._left, self._right, self._possible.are_equal
        by_content: dict[Any, list[int]] = {}
        for n in range(j, len(right)):
            by_content.setdefault(self._content(right[n]), []).append(n)
        best: Position | None = None
        for m in range(i, len(left)):
            if best is not None and m - i >= sum(best) - i - j:
                break
            for n in by_content.get(self._content(left[m]), ())[:_MOST_TRIED]:
                most = min(_AGREE_AFTER_GIVING_UP, len(left) - m, len(right) - n)
                if all(are_equal(m + k, n + k) for k in range(most)) and (best is None or m + n < sum(best)):
                    best = (m, n)
        m, n = best or (len(left), len(right))
        return [*[(StepKind.GAP, 1, 0, GAP)] * (m - i), *[(StepKind.GAP, 0, 1, GAP)] * (n - j)]


def _path(came: dict[Position, Taken], begin: Position, end: Position) -> list[Taken]:
    """The steps that lead from one position to another."""
    steps = []
    while end != begin:
        step = came[end]
        steps.append(step)
        _, on_left, on_right, _ = step
        end = end[0] - on_left, end[1] - on_right
    return steps[::-1]
