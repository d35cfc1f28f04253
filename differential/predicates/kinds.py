"""What a predicate is given: a column's type and values, or the changes of one key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from differential.model import Cell, Change
from reference_impl.column_types import ColumnType

__all__ = ["CellTest", "StepTest", "ValueTest"]

CellTest: TypeAlias = Callable[[ColumnType, Cell, Cell], bool]
ValueTest: TypeAlias = Callable[[ColumnType, Cell], bool]
StepTest: TypeAlias = Callable[[Sequence[Change], Sequence[Change]], bool]
