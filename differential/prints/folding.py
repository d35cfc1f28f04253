"""Changes of a key that one side tells in several steps and the other in one, found by their fingerprints alone.

TiDB keeps of a row what a transaction made of it, and a database's log has each step: in such a pair of streams most
keys that are not alike differ by nothing else. They need no alignment where it is plain which steps are meant:

* no row that a side starts from or leaves comes twice in the changes of the key, so that every change has one place;
* the steps of one side are of one transaction, each starts where the one before it ended, and together they do what the
  one change of the other side does;
* behind them both sides go on alike, or end;
* the steps have a name.

So it is with a change of the same rows that is half of an update on one side alone, where that has a name. Everything
else is left to the alignment, which finds the same in such changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import orjson

from differential.align.pair_context import did, difference
from differential.align.merging import Pair
from differential.decode.fingerprints import NO_ROW, UNTOLD
from differential.model import Change, Class, Difference
from differential.prints.reading import PARTLY_TOLD

__all__ = ["Folded", "Folding", "Steps"]

ChangesOf: TypeAlias = Callable[[int, int], "list[Change] | None"]
"""Gives some changes of a key, by the row of the first of them and how many there are."""

_MOST = 8  # steps that are one change


@dataclass(frozen=True, slots=True)
class Steps:
    """The changes of a key on one side, in order: what they say was done, and the fingerprints of their rows.

    `times` tell transactions apart; `first` is the row of the part in which the first of them stands. `several`: a
    message has more than one of them.
    """

    first: int
    did: Sequence[int]
    before: Sequence[bytes]
    after: Sequence[bytes]
    times: Sequence[tuple[int, int, int]]
    several: bool

    @property
    def is_plain(self) -> bool:
        """Whether every row that is told is told once, and none is told in part or not at all."""
        for rows in (self.before, self.after):
            there = [row for row in rows if row != NO_ROW]
            if len({*there}) < len(there) or UNTOLD in there:
                return False
        return max(self.did, default=0) < PARTLY_TOLD

    def chain(self, start: int, end: bytes) -> int:
        """How many steps of one transaction lead from a place on to a row, each from where the last one ended."""
        for at in range(start, min(start + _MOST, len(self.did))):
            if at > start and (self.before[at] != self.after[at - 1] or self.times[at] != self.times[start]):
                break
            if self.after[at] == end:
                return at + 1 - start
        return 0


@dataclass(frozen=True, slots=True)
class Folded:
    """What the changes of a key show: how many are alike, and the differences, each with its place on the left side."""

    differences: list[Difference]
    places: list[int]
    alike: int


class Folding:
    """Finds such steps for one pair.

    `cells` gives the names and cells of an image of a row of the part as it is kept, None for one that is kept in
    another form.
    """

    def __init__(self, pair: Pair, cells: Callable[[int, str], tuple[Sequence[str], bytes] | None]) -> None:
        self._pair, self._cells = pair, cells
        self._named: dict[tuple[str, str], frozenset[str]] = {}

    def __call__(self, table: tuple[str, str], changes: ChangesOf, left: Steps, right: Steps) -> Folded | None:
        """What the changes of a key show, None where the alignment has to look; `changes` gives some of them."""
        context = self._pair.context
        if context.same_clock or any(table in tables for tables in context.new_alone):
            return None
        if left.several or not (left.is_plain and right.is_plain):
            return None
        found = Folded([], [], 0)
        i = j = alike = 0
        ends = len(left.did), len(right.did)
        while i < ends[0] and j < ends[1]:
            same = left.before[i] == right.before[j]
            if same and left.after[i] == right.after[j]:
                if left.did[i] == right.did[j]:
                    i, j, alike = i + 1, j + 1, alike + 1
                    continue
                if (operation := self._operation(changes, left.first + i, right.first + j)) is None:
                    return None
                found.differences.append(operation)
                found.places.append(i)
                i, j = i + 1, j + 1
                continue
            a, b = left.chain(i, right.after[j]), right.chain(j, left.after[i])
            a, b = (a, 1) if a > 1 else (1, b)
            if not same or a + b <= 2 or not self._go_on_alike(left, i + a, right, j + b):
                return None
            if left.before[i] == left.after[i + a - 1]:
                return None
            told = self._told(table, changes, (left.first + i, a), (right.first + j, b))
            if told is None:
                return None
            found.differences.append(told)
            found.places.append(i)
            i, j = i + a, j + b
        return Folded(found.differences, found.places, alike) if (i, j) == ends else None

    def _operation(self, changes: ChangesOf, left: int, right: int) -> Difference | None:
        """The difference of two changes of the same rows, one of which is half of an update; None without a name."""
        mine, others = changes(left, 1), changes(right, 1)
        if not mine or not others or mine[0].op != others[0].op:
            return None
        name = self._pair.namer.run(mine, others)
        if name is None:
            return None
        one, other = mine[0], others[0]
        return difference(self._pair.context, Class.SHAPE, one, other, values=(did(one), did(other)), name=name)

    @staticmethod
    def _go_on_alike(left: Steps, i: int, right: Steps, j: int) -> bool:
        if i == len(left.did) or j == len(right.did):
            return i == len(left.did) and j == len(right.did)
        return left.before[i] == right.before[j] and left.after[i] == right.after[j]

    def _told(
        self, table: tuple[str, str], changes: ChangesOf, left: tuple[int, int], right: tuple[int, int]
    ) -> Difference | None:
        """The difference of steps, by their rows; None without a name, or where the first may be the other side's."""
        mine, others = changes(*left), changes(*right)
        if not mine or not others:
            return None
        one, other = mine[0], others[0]
        if one.moved == other.moved and self._may_be_one(one, other) and not self._is_apart(table, left[0], right[0]):
            return None
        name = self._pair.namer.run(mine, others)
        if name is None:
            return None
        values = " ".join(map(did, mine)), " ".join(map(did, others))
        return difference(self._pair.context, Class.SHAPE, one, other, values=values, name=name)

    @staticmethod
    def _may_be_one(one: Change, other: Change) -> bool:
        return one.op == other.op or "upsert" in (one.op, other.op)

    def _is_apart(self, table: tuple[str, str], left: int, right: int) -> bool:
        """Whether a column differs for which no divergence has a name, in the rows that two changes leave."""
        mine, others = (self._cells(row, "after") for row in (left, right))
        if mine is None or others is None or mine[0] != others[0]:
            return False
        cells = zip(mine[0], orjson.loads(mine[1]), orjson.loads(others[1]), strict=True)
        named = self._nameable(table, mine[0])
        return any(a != b and name not in named for name, a, b in cells)

    def _nameable(self, table: tuple[str, str], columns: Sequence[str]) -> frozenset[str]:
        """The columns of a table for whose values a divergence may have a name."""
        found = self._named.get(table)
        if found is None:
            types, namer = self._pair.context.types, self._pair.namer
            found = frozenset(name for name in columns if namer.names_cells(types.get((*table, name))))
            self._named[table] = found
        return found
