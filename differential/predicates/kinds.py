"""What a predicate is given: a column, or its type, with values; or the changes of one key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from differential.model import Cell, Change
from reference_impl.column_types import ColumnType
from reference_impl.model import Column

__all__ = ["CellTest", "ColumnCellTest", "ColumnTest", "StepTest", "ValueTest"]

ColumnTest: TypeAlias = Callable[[Column], bool]
ColumnCellTest: TypeAlias = Callable[[Column, Cell, Cell], bool]
CellTest: TypeAlias = Callable[[ColumnType, Cell, Cell], bool]
ValueTest: TypeAlias = Callable[[ColumnType, Cell], bool]
StepTest: TypeAlias = Callable[[Sequence[Change], Sequence[Change]], bool]
