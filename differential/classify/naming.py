"""Who says which divergence explains a difference: what a comparison asks, and one that answers nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from differential.model import Cell, Change, Status
from reference_impl.column_types import ColumnType

__all__ = ["Name", "Namer", "Nobody", "Watch", "Where"]

Where: TypeAlias = tuple[str, str, str]
"""A column: schema, table, name."""


@dataclass(frozen=True, slots=True)
class Name:
    """The divergence that explains a difference."""

    divergence: str
    documented: bool

    @property
    def status(self) -> Status:
        """How a difference of this name is counted."""
        return Status.DOCUMENTED if self.documented else Status.UNDOCUMENTED


@dataclass(frozen=True, slots=True)
class Watch:
    """A divergence of how values of a column are written: of all of them, or of those that pass a test.

    `events` are the operations in which it is there, none = all. `mark`: a pattern that every text has that passes the
    test, "" where there is none; NULL passes no test that has a mark.
    """

    divergence: str
    documented: bool
    test: Callable[[Cell], bool] | None
    events: tuple[str, ...] = ()
    mark: str = ""


class Namer(Protocol):
    """Says which divergence of two dialects explains a difference; None where none does."""

    def cell(self, where: Where, kind: ColumnType | None, left: Cell, right: Cell, ops: Collection[str]) -> Name | None:
        """Of a column whose values differ; `ops` are what the sides say was done."""
        ...

    def names_cells(self, kind: ColumnType | None) -> bool:
        """Whether `cell` has a name for any values of columns of that type."""
        ...

    def absent(
        self, where: Where, kind: ColumnType | None, on_left: bool, there: Cell, op: str, others: Collection[str]
    ) -> Name | None:
        """Of a column that only one side has; `there` is its value.

        The other side says that it was an `op`, and has the columns `others`.
        """
        ...

    def run(self, left: Sequence[Change], right: Sequence[Change]) -> Name | None:
        """Of changes that lead to the same row by other steps or under another name of the operation.

        One side may have none, where the other's lead back to where they began.
        """
        ...

    def watches(self, where: Where, kind: ColumnType) -> Sequence[Watch]:
        """What is counted where values of a column of that type are the same on both sides."""
        ...

    def everywhere(self) -> Sequence[Name]:
        """What every pair of messages shows around its row."""
        ...


class Nobody:
    """Names nothing."""

    def cell(self, where: Where, kind: ColumnType | None, left: Cell, right: Cell, ops: Collection[str]) -> Name | None:
        """None."""
        return None

    def names_cells(self, kind: ColumnType | None) -> bool:
        """It has not."""
        return False

    def absent(
        self, where: Where, kind: ColumnType | None, on_left: bool, there: Cell, op: str, others: Collection[str]
    ) -> Name | None:
        """None."""
        return None

    def run(self, left: Sequence[Change], right: Sequence[Change]) -> Name | None:
        """None."""
        return None

    def watches(self, where: Where, kind: ColumnType) -> Sequence[Watch]:
        """Nothing."""
        return ()

    def everywhere(self) -> Sequence[Name]:
        """Nothing."""
        return ()
