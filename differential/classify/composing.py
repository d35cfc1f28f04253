"""Explains differences between sides of two families by the divergences within each family."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import chain
from typing import TypeAlias

from differential.classify.naming import Name, Namer, Where
from differential.model import Cell, Change
from reference_impl.column_types import ColumnType

__all__ = ["Composed", "Meaning"]


Meaning: TypeAlias = Callable[[Where, Cell, Cell], "Name | None"]
"""From a column and its cells on both sides to the divergence of the value within one family."""


class Composed(Namer):
    """Combines namers: the first that finds a divergence wins.

    `of_cells` explain cells, `of_steps` explain steps. Across families, no spellings of values that both sides have are
    counted, and no divergence is in every pair of messages.
    """

    def __init__(self, of_cells: Sequence[Namer], of_steps: Sequence[Namer], meanings: Sequence[Meaning] = ()) -> None:
        self._of_cells, self._of_steps, self._meanings = of_cells, of_steps, meanings

    def cell(
        self, where: Where, column_type: ColumnType | None, left: Cell, right: Cell, ops: Collection[str]
    ) -> Name | None:
        """The divergence of a column whose values differ."""
        named = (one.cell(where, column_type, left, right, ops) for one in self._of_cells)
        meant = (meaning(where, left, right) for meaning in self._meanings)
        return next(filter(None, chain(named, meant)), None)

    def explains_cells(self, column_type: ColumnType | None) -> bool:
        """Whether any of the namers can explain values of that type."""
        return bool(self._meanings) or any(one.explains_cells(column_type) for one in self._of_cells)

    def absent(
        self, where: Where, column_type: ColumnType | None, on_left: bool, cell: Cell, op: str, others: Collection[str]
    ) -> Name | None:
        """The divergence of a column that only one side has."""
        named = (one.absent(where, column_type, on_left, cell, op, others) for one in self._of_cells)
        return next(filter(None, named), None)

    def steps(self, left: Sequence[Change], right: Sequence[Change]) -> Name | None:
        """The divergence of changes that lead to the same row in different steps."""
        return next(filter(None, (one.steps(left, right) for one in self._of_steps)), None)
