"""The interface of namers, which find the divergence of a difference, and a namer without any."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from differential.model import Cell, Change, Status
from reference_impl.column_types import ColumnType

__all__ = ["Name", "Namer", "NoDivergences", "Spelling", "Where"]

Where: TypeAlias = tuple[str, str, str]
"""A column: schema, table, name."""


@dataclass(frozen=True, slots=True)
class Name:
    """The divergence that explains a difference."""

    divergence: str
    documented: bool

    @property
    def status(self) -> Status:
        """The status with which a difference of this divergence is counted."""
        return Status.DOCUMENTED if self.documented else Status.UNDOCUMENTED


@dataclass(frozen=True, slots=True)
class Spelling:
    """A divergence by which both sides write the same value of a column in other characters.

    It is no difference: such values are only counted.
    """

    divergence: str
    documented: bool
    test: Callable[[Cell], bool] | None  # whether it concerns a value; None: it concerns all values
    events: tuple[str, ...] = ()  # the operations in which it occurs; empty means all
    # A regular expression that matches every text for which `test` holds; NULL then never passes. "": unknown.
    pattern: str = ""


class Namer(Protocol):
    """Finds the divergence of two dialects that explains a difference; None without one."""

    def cell(self, where: Where, kind: ColumnType | None, left: Cell, right: Cell, ops: Collection[str]) -> Name | None:
        """The divergence of a column whose values differ; `ops` are the operations on both sides."""
        ...

    def explains_cells(self, kind: ColumnType | None) -> bool:
        """Whether `cell` can explain any values of columns of that type."""
        ...

    def absent(
        self, where: Where, kind: ColumnType | None, on_left: bool, there: Cell, op: str, others: Collection[str]
    ) -> Name | None:
        """The divergence of a column that only one side has, with the value `there`.

        The other side has the operation `op` and the columns `others`.
        """
        ...

    def steps(self, left: Sequence[Change], right: Sequence[Change]) -> Name | None:
        """The divergence of changes that lead to the same row in other steps or by other operations.

        One side may have no changes if those of the other side lead back to their first row.
        """
        ...

    def spellings(self, where: Where, kind: ColumnType) -> Sequence[Spelling]:
        """The divergences in the spelling of equal values in a column of that type."""
        ...

    def of_envelope(self) -> Sequence[Name]:
        """The divergences that every pair of messages has outside its row."""
        ...


class NoDivergences:
    """A namer without divergences."""

    def cell(self, where: Where, kind: ColumnType | None, left: Cell, right: Cell, ops: Collection[str]) -> Name | None:
        """None: there is no divergence."""
        return None

    def explains_cells(self, kind: ColumnType | None) -> bool:
        """False: there is no divergence."""
        return False

    def absent(
        self, where: Where, kind: ColumnType | None, on_left: bool, there: Cell, op: str, others: Collection[str]
    ) -> Name | None:
        """None: there is no divergence."""
        return None

    def steps(self, left: Sequence[Change], right: Sequence[Change]) -> Name | None:
        """None: there is no divergence."""
        return None

    def spellings(self, where: Where, kind: ColumnType) -> Sequence[Spelling]:
        """Empty: there is no divergence."""
        return ()

    def of_envelope(self) -> Sequence[Name]:
        """Empty: there is no divergence."""
        return ()
