"""The base of namers, which find the divergence of a difference, and what they find."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from conformance.catalogue.divergences import Divergence, load_divergences
from differential.model import Cell, Change, Status
from differential.sides import Side
from reference_impl.column_types import ColumnType

__all__ = ["Name", "Namer", "Spelling", "Where", "divergences_of"]

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

    It is not a difference: such values are only counted.
    """

    divergence: str
    documented: bool
    test: Callable[[Cell], bool] | None  # whether it concerns a value; None: it concerns all values
    events: tuple[str, ...] = ()  # the operations in which it occurs; empty means all
    # A regular expression that matches every text for which `test` holds; NULL then never passes. "": unknown.
    pattern: str = ""


class Namer:
    """Finds the divergence of two dialects that explains a difference.

    This base finds none: it serves dialects without divergences.
    """

    def cell(
        self, where: Where, column_type: ColumnType | None, left: Cell, right: Cell, ops: Collection[str]
    ) -> Name | None:
        """The divergence of a column whose values differ; `ops` are the operations on both sides."""
        return None

    def explains_cells(self, column_type: ColumnType | None) -> bool:
        """Whether `cell` can explain any values of columns of that type."""
        return False

    def absent(
        self, where: Where, column_type: ColumnType | None, on_left: bool, cell: Cell, op: str, others: Collection[str]
    ) -> Name | None:
        """The divergence of a column that only one side has, with the value `cell`; `on_left`: the left one.

        The other side has the operation `op` and the columns `others`.
        """
        return None

    def steps(self, left: Sequence[Change], right: Sequence[Change]) -> Name | None:
        """The divergence of changes that lead to the same row in other steps or by other operations.

        A side without changes is possible: those of the other side then lead back to the row before them.
        """
        return None

    def spellings(self, where: Where, column_type: ColumnType) -> Sequence[Spelling]:
        """The divergences in the spelling of equal values in a column of that type."""
        return ()

    def of_envelope(self) -> Sequence[Name]:
        """The divergences that every pair of messages has outside its row."""
        return ()


def divergences_of(left: Side, right: Side) -> tuple[Sequence[Divergence], bool]:
    """The divergences of two sides under their options, and whether TiCDC's side is the left one.

    There are none for sides of one dialect, or of unrelated dialects.
    """
    options = {left.dialect: left.every_option(), right.dialect: right.every_option()}
    for flipped, names in ((False, (left.dialect, right.dialect)), (True, (right.dialect, left.dialect))):
        if pair := load_divergences().get(names):
            return [one for one in pair.divergences if one.applies(options)], flipped
    return (), False
