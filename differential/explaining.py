"""Names for differences, out of the catalogue of divergences.

An `Explainer` is made for one pair of sides and their options. Sides of one dialect, or of dialects that do not imitate
one another, have no divergences: nothing is explained there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TypeVar

from conformance.catalogue.divergences import Divergence, Met, load_divergences
from conformance.errors import SuiteError
from differential.comparison import Name, Namer, Nobody, Watch, Where
from differential.model import Cell, Change
from differential.predicates import CELLS, COLUMN_CELLS, COLUMNS, STEPS, VALUES
from differential.sides import Side
from reference_impl.column_types import ColumnType
from reference_impl.model import Column

__all__ = ["Explainer", "namer_of"]

T = TypeVar("T")


class Explainer:
    """The divergences of a pair of dialects under given options. `flipped`: TiCDC's side is the left one.

    `columns` are those of the tables compared, as far as they are known.
    """

    def __init__(
        self,
        divergences: Iterable[Divergence],
        options: Mapping[str, Mapping[str, str]],
        *,
        flipped: bool,
        columns: Mapping[Where, Column] = MappingProxyType({}),
    ) -> None:
        self._flipped, self._columns = flipped, dict(columns)
        self._met: dict[Met, list[Divergence]] = {met: [] for met in Met}
        for one in divergences:
            if one.applies(options):
                self._met[one.met].append(one)

    def _of(self, met: Met, kind: ColumnType | None) -> Iterator[Divergence]:
        for one in self._met[met]:
            if not one.types or (kind is not None and kind.family.value in one.types):
                yield one

    def cell(self, where: Where, kind: ColumnType | None, left: Cell, right: Cell) -> Name | None:
        """Of a column whose values differ."""
        upstream, ticdc = (right, left) if self._flipped else (left, right)
        for one in self._of(Met.CELL, kind):
            if kind is not None and self._concerns(one, where, kind, upstream, ticdc):
                return Name(one.id, one.documented)
        return None

    def _concerns(self, one: Divergence, where: Where, kind: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
        if one.predicate in COLUMN_CELLS:
            column = self._columns.get(where)
            return column is not None and COLUMN_CELLS[one.predicate](column, upstream, ticdc)
        return not one.predicate or _named(CELLS, one)(kind, upstream, ticdc)

    def absent(self, where: Where, kind: ColumnType | None, on_left: bool) -> Name | None:
        """Of a column that only one side has; TiCDC's is the one that lacks it."""
        if on_left is self._flipped:
            return None
        column = self._columns.get(where)
        for one in self._of(Met.ABSENT, kind):
            if not one.predicate or (column is not None and _named(COLUMNS, one)(column)):
                return Name(one.id, one.documented)
        return None

    def run(self, left: Sequence[Change], right: Sequence[Change]) -> Name | None:
        """Of changes that lead to the same row by other steps."""
        upstream, ticdc = (right, left) if self._flipped else (left, right)
        for one in self._met[Met.STEPS]:
            if _named(STEPS, one)(upstream, ticdc):
                return Name(one.id, one.documented)
        return None

    def watches(self, kind: ColumnType) -> list[Watch]:
        """What is counted where values of a column of that type are the same on both sides."""
        return [
            Watch(one.id, one.documented, partial(_named(VALUES, one), kind) if one.predicate else None)
            for one in self._of(Met.TEXT, kind)
            if one.types
        ]

    def everywhere(self) -> list[Name]:
        """What every pair of messages shows around its row."""
        return [Name(one.id, one.documented) for one in self._met[Met.ENVELOPE]]


def _named(table: Mapping[str, T], one: Divergence) -> T:
    try:
        return table[one.predicate]
    except KeyError:
        raise SuiteError(f"{one.id}: there is no predicate {one.predicate!r}") from None


def namer_of(left: Side, right: Side) -> Namer:
    """Who names the differences between two sides."""
    pairs = load_divergences()
    options = {left.dialect: left.settled(), right.dialect: right.settled()}
    columns = {
        (t.schema, t.name, c.name): replace(c, charset=c.charset or t.charset)
        for side in (left, right)
        for t in side.tables
        for c in t.columns
    }
    for flipped, names in ((False, (left.dialect, right.dialect)), (True, (right.dialect, left.dialect))):
        if found := pairs.get(names):
            return Explainer(found.divergences, options, flipped=flipped, columns=columns)
    return Nobody()
