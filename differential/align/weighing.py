"""Weighs how well two changes match: the cost of a match follows from what differs between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from differential.align.costs import NAMED, Fault, fault, milliseconds
from differential.align.effects import quite_equal
from differential.align.explained import Naming, one_op, same_op
from differential.align.groups import Group, op_of, unmoved
from differential.align.missing_before_image import begin_alike
from differential.align.pair_context import PairContext
from differential.align.times import RESOLUTION, later
from differential.classify.naming import Namer
from differential.decode.canonical import agree, comparable, load
from differential.model import UNKNOWN, Change

__all__ = ["Weighing"]

_ONE_EQUAL_CELL_OF = 2
"""Two changes match only if at least one cell in this many is equal."""

_CACHED = 4096

_OPERATION = fault(Fault.OPERATION)
_TIME = fault(Fault.TIME)
_IMAGES = (0, fault(Fault.ONE_IMAGE), fault(Fault.TWO_IMAGES))
_ANOTHER_TIME = fault(Fault.ANOTHER_TIME)


class Weighing:
    """Weighs pairs of changes; it learns the offset between the clocks of the sides from the pairs that match."""

    def __init__(self, context: PairContext, namer: Namer) -> None:
        self.naming, self.same_clock = Naming(context, namer), context.same_clock
        self.lag: int | None = None
        """How many milliseconds the right side's clock is ahead, None if unknown."""
        # Caches: the parts of an image (`_parts`); whether a divergence concerns the cells of a column; whether
        # divergences explain every difference of two images, by the operations on both sides.
        self._read: dict[bytes, tuple[tuple[str, ...], tuple[Any, ...], Mapping[str, Any]]] = {}
        self._columns: dict[str, bool] = {}
        self._explained: dict[tuple[bytes, bytes, tuple[str, str]], bool] = {}

    def time_gap(self, a: Change, b: Change) -> int:
        """The gap between the times of two changes in milliseconds, beyond the lag of the clocks."""
        if self.same_clock or (time := later(a, b)) is None:
            return 0
        return abs(time - (self.lag or 0))

    def in_time(self, a: Change, b: Change) -> bool:
        """Whether two changes have the same time, or one has no time; an unknown lag counts as 0."""
        if self.same_clock:
            return a.commit_ts == b.commit_ts or None in (a.commit_ts, b.commit_ts)
        time = later(a, b)
        return time is None or abs(time - (self.lag or 0)) <= RESOLUTION

    def may_be_in_time(self, a: Change, b: Change) -> bool:
        """As `in_time`; with an unknown lag any two times may be the same."""
        return (self.lag is None and not self.same_clock) or self.in_time(a, b)

    def learn_lag(self, a: Change, b: Change) -> None:
        """Learn the lag from two matched changes."""
        found = later(a, b)
        if found is not None:
            self.lag = found

    def match_cost(self, a: Change, b: Change) -> int | None:
        """The cost of matching two changes; None if they cannot match."""
        cost = milliseconds(self.time_gap(a, b))
        if self._times_differ(a, b):
            cost += _TIME
        if quite_equal(a, b):
            return cost
        unlike = 0  # how many of the two pairs of images differ without an explanation
        same = total = 0  # cells of images that differ: those alike, and all
        has_explained = False
        equal: list[bytes] = []  # the images that both changes have
        for x, y, are_before in ((a.before, b.before, True), (a.after, b.after, False)):
            if x == y:
                equal += [x] if x else ()
                continue
            if UNKNOWN in (x, y):
                if are_before and not begin_alike(a, b):
                    unlike += 1
                continue
            if x is None or y is None:
                unlike, total = unlike + 1, total + 1
                continue
            shared, count, is_unlike = self._counted(a, b, x, y)
            same, total, unlike = same + shared, total + count, unlike + is_unlike
            has_explained = has_explained or not is_unlike
        is_certain = not unlike or (self.same_clock and a.commit_ts is not None and a.commit_ts == b.commit_ts)
        if not is_certain:
            shared = sum(len(self._parts(x)[0]) for x in equal)
            if _ONE_EQUAL_CELL_OF * (same + shared) < total + shared or (unlike > 1 and _follow(a, b)):
                return None
        cost += _IMAGES[unlike]
        if unlike > 1 and not (is_certain or self.may_be_in_time(a, b)):
            cost += _ANOTHER_TIME
        if not one_op(a, b) or a.moved != b.moved:
            if self.naming.explains_steps((a,), (b,)):
                has_explained = True
            elif not one_op(a, b):
                cost += _OPERATION
        return cost + NAMED * has_explained

    def exact_cost(self, a: Change, b: Change) -> int | None:
        """The cost of matching changes with equal rows, whose operations may differ as explained; None for others."""
        if not (agree(a.after, b.after) and begin_alike(a, b)) or self._times_differ(a, b):
            return None
        cost = milliseconds(self.time_gap(a, b))
        if a.op == b.op and a.moved == b.moved:
            return cost
        if self.naming.explains_steps((a,), (b,)):
            return cost + NAMED
        return cost if one_op(a, b) else None

    def explained_cost(self, a: Change, b: Change) -> int | None:
        """The cost of matching changes that differ in explained values only; None for others."""
        if self._times_differ(a, b) or not self._differ_as_explained((a,), (b,), (a.op, b.op)):
            return None
        if not one_op(a, b) and not self.naming.explains_steps((a,), (b,)):
            return None
        return milliseconds(self.time_gap(a, b)) + NAMED

    def are_equivalent(self, a: Change, b: Change) -> bool:
        """Whether two changes are equal except for explained values."""
        if not one_op(a, b) or a.moved != b.moved:
            return False
        return self.exact_cost(a, b) is not None or self.explained_cost(a, b) is not None

    def _times_differ(self, a: Change, b: Change) -> bool:
        """Whether two changes have different time stamps of one clock."""
        return self.same_clock and None not in (a.commit_ts, b.commit_ts) and a.commit_ts != b.commit_ts

    def lead_to_equal_rows(self, left: Group, right: Group) -> bool:
        """Whether two groups of changes, one of each side, begin with the same row and end with the same row."""
        if not agree(left[-1].after, right[-1].after):
            return False
        a, b = unmoved(left), unmoved(right)
        return one_op(a, b) and begin_alike(a, b)

    def lead_to_explained_rows(self, left: Group, right: Group) -> bool:
        """As `lead_to_equal_rows`, for rows that may differ in explained values."""
        ops = op_of(left), op_of(right)
        return same_op(*ops) and self._differ_as_explained(left, right, ops)

    def _differ_as_explained(self, left: Group, right: Group, ops: tuple[str, str]) -> bool:
        """Whether the first and last rows of both groups are equal except for explained values."""
        x, y, u, v = left[0].before, right[0].before, left[-1].after, right[-1].after
        if not (agree(u, v) or (u and v and self._are_all_explained(left, right, u, v, ops))):
            return False
        return begin_alike(unmoved(left), unmoved(right)) or bool(
            x and y and self._are_all_explained(left, right, x, y, ops)
        )

    def cells(self, image: bytes) -> Mapping[str, Any]:
        """The cells of an image; of a partial image those that it holds."""
        return self._parts(image)[2]

    def _parts(self, image: bytes) -> tuple[tuple[str, ...], tuple[Any, ...], Mapping[str, Any]]:
        """The names, the values and the cells of an image; cached."""
        found = self._read.get(image)
        if found is None:
            if len(self._read) >= _CACHED:
                self._read.clear()
            cells = load(image)
            found = self._read[image] = (*cells,), (*cells.values(),), cells
        return found

    def _counted(self, a: Change, b: Change, x: bytes, y: bytes) -> tuple[int, int, bool]:
        """The number of cells that are equal or explained, that of all cells, and whether others differ."""
        unlike, total = self._unlike(x, y)
        if not unlike:
            return total, total, False
        cells, others = self.cells(x), self.cells(y)
        explained = sum(self._is_explained(a, b, name, cells, others) for name in unlike)
        return total - len(unlike) + explained, total, explained < len(unlike)

    def _unlike(self, x: bytes, y: bytes) -> tuple[Sequence[str], int]:
        """The columns in which two images differ, and the number of all columns."""
        names, values, cells = self._parts(x)
        others_names, others_values, others = self._parts(y)
        if names == others_names:
            return [name for name, u, v in zip(names, values, others_values, strict=True) if u != v], len(names)
        union = {*comparable(x, y, cells, others)}
        shared = {name for name in union if name in cells and name in others and cells[name] == others[name]}
        return sorted(union - shared), len(union)

    def _are_all_explained(self, left: Group, right: Group, x: bytes, y: bytes, ops: tuple[str, str]) -> bool:
        """Whether a divergence explains every cell in which two images differ."""
        known = self._explained.get((x, y, ops))
        if known is None:
            a, b, cells, others = unmoved(left), unmoved(right), self.cells(x), self.cells(y)
            known = all(self._is_explained(a, b, name, cells, others) for name in self._unlike(x, y)[0])
            if len(self._explained) >= _CACHED:
                self._explained.clear()
            self._explained[x, y, ops] = known
        return known

    def _is_explained(
        self, a: Change, b: Change, column: str, cells: Mapping[str, Any], others: Mapping[str, Any]
    ) -> bool:
        if isinstance(cells.get(column), str) and isinstance(others.get(column), str):
            may_be_explained = self._columns.get(column)
            if may_be_explained is None:
                may_be_explained = self._columns[column] = self.naming.may_explain_cells(a, column)
            if not may_be_explained:
                return False
        return self.naming.is_explained(a, b, column, cells, others)


def _follow(a: Change, b: Change) -> bool:
    """Whether one change starts from the row that the other left, in either order."""
    return (a.after == b.before and a.after != UNKNOWN) or (b.after == a.before and b.after != UNKNOWN)
