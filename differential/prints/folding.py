"""Finds, by fingerprints alone, changes that one side sends in several steps and the other in one.

TiDB keeps the result of a transaction for each row, while a database's log has each step: in such a pair of streams
most differing keys differ by this only. They need no alignment if the steps are unambiguous:

* on each side no image occurs twice before the changes of the key, and none twice after them, so that every change has
  one position;
* all images are complete, and no message of the left side holds several changes of the key;
* the steps belong to one transaction, each starts from the row that the step before it left, and together they do what
  the one change of the other side does;
* the changes are complete transactions on both sides, or incomplete ones on both, if messages name them;
* both sides continue alike after them, or end;
* a divergence explains the steps.

The same holds for a change of the same rows that is half of an update on only one side, if a divergence explains it.
All other changes go to the alignment, and so do those of two sides with one clock, of a window with a slack, and of
tables whose updates may change the key unseen. For the changes described here the alignment would give the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import orjson

from differential.align.pair_context import difference, message_op
from differential.align.pairs import Pair
from differential.classify.naming import Name
from differential.decode.fingerprints import NO_ROW, UNKNOWN_IMAGE
from differential.model import Cell, Change, Class, Difference
from differential.prints.layout import PARTIAL_IMAGE

__all__ = ["Folded", "Folding", "Steps"]

ChangesOf: TypeAlias = Callable[[int, int], list[Change]]
"""Returns changes of a key, given the row number of the first and their number."""

_MOST_STEPS = 8  # of one change


@dataclass(frozen=True, slots=True)
class Steps:
    """The changes of a key on one side, in order; a sequence has an item for each change."""

    first: int  # the row number of the first change in the part
    op_codes: Sequence[int]  # see `reading.PRINTS`
    before: Sequence[bytes]  # fingerprints
    after: Sequence[bytes]  # fingerprints
    times: Sequence[tuple[int, int, int]]  # equal for changes of one transaction; without a time, the last is below 0
    transactions: Sequence[object]  # the identities of the transactions, None if a message has none
    has_shared_message: bool  # a message holds more than one of the changes

    @property
    def is_plain(self) -> bool:
        """Whether the images before the changes differ, those after them differ, and all are complete."""
        for rows in (self.before, self.after):
            images = [row for row in rows if row != NO_ROW]
            if len({*images}) < len(images) or UNKNOWN_IMAGE in images:
                return False
        return max(self.op_codes, default=0) < PARTIAL_IMAGE

    def is_whole_transaction(self, at: int, count: int) -> bool | None:
        """As `align.groups.is_whole_transaction`: whether `count` changes from `at` on are a whole transaction."""
        transaction = self.transactions[at]
        if transaction is None or (at and self._may_begin_transaction(at - 1)):
            return None
        neighbours = (*self.transactions[max(0, at - 1) : at], *self.transactions[at + count : at + count + 1])
        return transaction not in neighbours

    def _may_begin_transaction(self, at: int) -> bool:
        """Whether a delete without a time may be of the transaction of the insert behind it."""
        return self.times[at][-1] < 0 and self.after[at] == NO_ROW == self.before[at + 1]

    def chain(self, start: int, end: bytes) -> int:
        """The number of linked steps of a transaction from the position `start` on that lead to the row `end`, or 0."""
        for at in range(start, min(start + _MOST_STEPS, len(self.op_codes))):
            if at > start and (self.before[at] != self.after[at - 1] or self.times[at] != self.times[start]):
                break
            if self.after[at] == end:
                return at + 1 - start
        return 0


def _are_both_whole(left: Steps, i: int, a: int, right: Steps, j: int, b: int) -> bool:
    """Whether the changes are complete transactions on both sides, or incomplete ones on both."""
    are_whole = left.is_whole_transaction(i, a), right.is_whole_transaction(j, b)
    return None in are_whole or are_whole[0] == are_whole[1]


@dataclass(frozen=True, slots=True)
class Folded:
    """The result for a key: its differences, and the number of alike changes."""

    differences: list[Difference]
    alike: int


class Folding:
    """Finds steps of one change for one pair; `cells` is `cells_of` of `Aligner`."""

    def __init__(self, pair: Pair, cells: Callable[[int, str], tuple[Sequence[str], bytes] | None]) -> None:
        self._pair, self._cells = pair, cells

    def __call__(self, table: tuple[str, str], changes: ChangesOf, left: Steps, right: Steps) -> Folded | None:
        """The result for a key, None if it must be aligned; `changes` returns some of its changes."""
        context = self._pair.context
        if context.same_clock or self._pair.has_slack or any(table in tables for tables in context.new_rows_only):
            return None
        if left.has_shared_message or not (left.is_plain and right.is_plain):
            return None
        differences: list[Difference] = []
        i = j = alike = 0
        ends = len(left.op_codes), len(right.op_codes)
        while i < ends[0] and j < ends[1]:
            match = self._match(changes, left, i, right, j)
            if match is None:
                return None
            a, b, found = match
            if found is None:
                alike += 1
            else:
                differences.append(found)
            i, j = i + a, j + b
        return Folded(differences, alike) if (i, j) == ends else None

    def _match(
        self, changes: ChangesOf, left: Steps, i: int, right: Steps, j: int
    ) -> tuple[int, int, Difference | None] | None:
        """How many changes from the positions `i` and `j` on match, on both sides, and their difference, if any.

        None if the key must be aligned.
        """
        if left.before[i] != right.before[j]:
            return None
        if left.after[i] == right.after[j]:
            if not _are_both_whole(left, i, 1, right, j, 1):
                return None
            if left.op_codes[i] == right.op_codes[j]:
                return 1, 1, None
            found = self._operation(changes, left.first + i, right.first + j)
            return None if found is None else (1, 1, found)
        a, b = left.chain(i, right.after[j]), 1
        if a <= 1:
            a, b = 1, right.chain(j, left.after[i])
        if (a <= 1 and b <= 1) or not self._continue_alike(left, i + a, right, j + b):
            return None
        leads_back = left.before[i] == left.after[i + a - 1]
        if leads_back or not _are_both_whole(left, i, a, right, j, b):
            return None
        found = self._step_difference(changes, (left.first + i, a), (right.first + j, b))
        return None if found is None else (a, b, found)

    def _operation(self, changes: ChangesOf, left: int, right: int) -> Difference | None:
        """The difference of two changes of the same rows, of which only one is half of an update.

        None if the operations differ as well, or without a divergence.
        """
        ours, theirs = changes(left, 1), changes(right, 1)
        one, other = ours[0], theirs[0]
        if one.op != other.op:
            return None
        name = self._pair.namer.steps(ours, theirs)
        if name is None:
            return None
        return difference(
            self._pair.context, Class.SHAPE, one, other, values=(message_op(one), message_op(other)), name=name
        )

    @staticmethod
    def _continue_alike(left: Steps, i: int, right: Steps, j: int) -> bool:
        """Whether the next changes from these positions on have the same images, or both sides end."""
        are_at_end = i == len(left.op_codes), j == len(right.op_codes)
        if any(are_at_end):
            return all(are_at_end)
        return left.before[i] == right.before[j] and left.after[i] == right.after[j]

    def _step_difference(self, changes: ChangesOf, left: tuple[int, int], right: tuple[int, int]) -> Difference | None:
        """The difference of steps on one side and one change on the other, each given by its first row and its number.

        None without a divergence, or if the first step may match the other side's change.
        """
        ours, theirs = changes(*left), changes(*right)
        one, other = ours[0], theirs[0]
        if (
            one.moved == other.moved
            and self._have_compatible_operations(one, other)
            and not self._has_unexplained_difference(one, other, left[0], right[0])
        ):
            return None
        name = self._pair.namer.steps(ours, theirs)
        if name is None:
            return None
        values = " ".join(map(message_op, ours)), " ".join(map(message_op, theirs))
        return difference(self._pair.context, Class.SHAPE, one, other, values=values, name=name)

    @staticmethod
    def _have_compatible_operations(one: Change, other: Change) -> bool:
        return one.op == other.op or "upsert" in (one.op, other.op)

    def _has_unexplained_difference(self, one: Change, other: Change, left: int, right: int) -> bool:
        """Whether the rows after two changes have the same columns, and differ in one without a divergence for it."""
        ours, theirs = (self._cells(row, "after") for row in (left, right))
        if ours is None or theirs is None or ours[0] != theirs[0]:
            return False
        cells = zip(ours[0], orjson.loads(ours[1]), orjson.loads(theirs[1]), strict=True)
        return any(a != b and self._cell_name(one, other, column, a, b) is None for column, a, b in cells)

    def _cell_name(self, one: Change, other: Change, column: str, left: Cell, right: Cell) -> Name | None:
        """The divergence of a column whose values differ."""
        where = one.schema, one.table, column
        column_type = self._pair.context.types.get(where)
        return self._pair.namer.cell(where, column_type, left, right, (one.op, other.op))
