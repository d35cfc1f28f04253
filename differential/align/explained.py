"""Finds the divergences that explain the differences between two changes of a key, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from differential.align.pair_context import PairContext
from differential.classify.naming import Name, Namer
from differential.model import Change

__all__ = ["Naming", "one_op", "same_op"]

_MAY_BE_UPSERTS = frozenset({"insert", "update", "upsert"})


def same_op(one: str, other: str) -> bool:
    """Whether operations agree; an upsert, whose message does not say which it was, agrees with insert and update."""
    return one == other or ("upsert" in (one, other) and {one, other} <= _MAY_BE_UPSERTS)


def one_op(a: Change, b: Change) -> bool:
    """Whether the operations of two changes agree."""
    return same_op(a.op, b.op)


class Naming:
    """Finds divergences by the namer and the column types of a pair."""

    __slots__ = ("_context", "_namer")

    def __init__(self, context: PairContext, namer: Namer) -> None:
        self._context, self._namer = context, namer

    def explains_steps(self, left: Sequence[Change], right: Sequence[Change]) -> bool:
        """Whether a divergence explains that the sides lead to the same row in different steps."""
        return self.of_steps(left, right) is not None

    def is_explained(
        self, a: Change, b: Change, column: str, cells: Mapping[str, Any], others: Mapping[str, Any]
    ) -> bool:
        """Whether a column is equal in two images, or differs by a divergence."""
        if column in cells and column in others and cells[column] == others[column]:
            return True
        return self.of_cell(a, b, column, cells, others) is not None

    def of_cell(
        self, a: Change, b: Change, column: str, cells: Mapping[str, Any], others: Mapping[str, Any]
    ) -> Name | None:
        """The divergence of a column that differs, or that one of the images lacks."""
        where = (a.schema, a.table, column)
        column_type = self._context.types.get(where)
        if column in cells and column in others:
            return self._namer.cell(where, column_type, cells[column], others[column], (a.op, b.op))
        if column in cells:
            return self._namer.absent(where, column_type, True, cells[column], b.op, others.keys())
        return self._namer.absent(where, column_type, False, others[column], a.op, cells.keys())

    def of_steps(self, left: Sequence[Change], right: Sequence[Change]) -> Name | None:
        """The divergence of changes that lead to the same row, or back, in different steps."""
        return self._namer.steps(left, right)

    def may_explain_cells(self, change: Change, column: str) -> bool:
        """Whether any divergence concerns cells of this type of column."""
        return self._namer.explains_cells(self._context.types.get((change.schema, change.table, column)))
