"""The signatures of predicates.

Of two values, or two sequences of changes, upstream's is the first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from differential.model import Cell, Change
from reference_impl.column_types import ColumnType
from reference_impl.model import Column, Table

__all__ = ["CellTest", "ColumnCellTest", "ColumnTest", "KeyStepTest", "StepTest", "ValueTest"]

ColumnTest: TypeAlias = Callable[[Table, Column, Collection[str]], bool]
"""The last argument: the columns that TiCDC has."""

ColumnCellTest: TypeAlias = Callable[[Column, Cell, Cell], bool]
CellTest: TypeAlias = Callable[[ColumnType, Cell, Cell], bool]
ValueTest: TypeAlias = Callable[[ColumnType, Cell], bool]
StepTest: TypeAlias = Callable[[Sequence[Change], Sequence[Change]], bool]
KeyStepTest: TypeAlias = Callable[[Table, Sequence[Change], Sequence[Change]], bool]
