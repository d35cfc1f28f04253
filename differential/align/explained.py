"""Which divergence explains what two changes of one key differ in, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from differential.align.meeting import Meeting
from differential.align.untold import begin_alike
from differential.classify.naming import Name, Namer
from differential.decode.canonical import agree, comparable, load
from differential.model import UNKNOWN, Change

__all__ = ["Naming", "alike", "one_op"]

_MAY_BE_UPSERTS = frozenset({"insert", "update", "upsert"})


def one_op(a: Change, b: Change) -> bool:
    """Whether both say that the same was done; an upsert is what a message says that does not tell which it was."""
    return a.op == b.op or ("upsert" in (a.op, b.op) and {a.op, b.op} <= _MAY_BE_UPSERTS)


def alike(a: Change, b: Change) -> bool:
    """Whether changes of two sides do the same, as far as their messages tell."""
    return one_op(a, b) and a.moved == b.moved and begin_alike(a, b) and agree(a.after, b.after)


class Naming:
    """A namer that knows where two sides meet, and with it the types of the columns."""

    __slots__ = ("_meeting", "_namer")

    def __init__(self, meeting: Meeting, namer: Namer) -> None:
        self._meeting, self._namer = meeting, namer

    def explains(self, a: Change, b: Change) -> bool:
        """Whether two changes are one, and every cell that differs does so by a name."""
        if not one_op(a, b) or a.moved != b.moved:
            return False
        for x, y in ((a.before, b.before), (a.after, b.after)):
            if UNKNOWN in (x, y) or x == y:
                continue
            if x is None or y is None:
                return False
            cells, others = load(x), load(y)
            if not all(self.is_explained(a, b, name, cells, others) for name in comparable(x, y, cells, others)):
                return False
        return True

    def do_the_same(self, a: Change, b: Change) -> bool:
        """Whether two changes are one, but for cells that differ by a name."""
        return alike(a, b) or self.explains(a, b)

    def names(self, left: Sequence[Change], right: Sequence[Change]) -> bool:
        """Whether it has a name that changes lead to the same row by other steps."""
        return self.of_run(left, right) is not None

    def is_explained(
        self, a: Change, b: Change, column: str, cells: Mapping[str, Any], others: Mapping[str, Any]
    ) -> bool:
        """Whether a column of two images is the same in both or differs by a name."""
        if column in cells and column in others and cells[column] == others[column]:
            return True
        return self.of_cell(a, b, column, cells, others) is not None

    def of_cell(
        self, a: Change, b: Change, column: str, cells: Mapping[str, Any], others: Mapping[str, Any]
    ) -> Name | None:
        """Of a column that differs, or that one of the images lacks."""
        where = (a.schema, a.table, column)
        kind = self._meeting.types.get(where)
        if column in cells and column in others:
            return self._namer.cell(where, kind, cells[column], others[column], (a.op, b.op))
        on_left = column in cells
        there, lacking, its = (cells[column], b, others) if on_left else (others[column], a, cells)
        return self._namer.absent(where, kind, on_left, there, lacking.op, its.keys())

    def of_run(self, left: Sequence[Change], right: Sequence[Change]) -> Name | None:
        """Of changes that lead to the same row by other steps, or from no row to no row."""
        return self._namer.run(left, right)

    def may_name(self, change: Change, column: str) -> bool:
        """Whether any name is known for cells of a column of this type."""
        return self._namer.names_cells(self._meeting.types.get((change.schema, change.table, column)))
