"""Names for differences, out of the catalogue of divergences.

An `Explainer` is made for one pair of sides and their options. Sides of one dialect, or of dialects that do not imitate
one another, have no divergences: nothing is explained there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from conformance.catalogue.divergences import Divergence, Met, load_divergences
from conformance.errors import SuiteError
from differential.comparison import Name, Namer, Nobody, Watch
from differential.model import Cell, Change
from differential.predicates import CELLS, STEPS, VALUES
from differential.sides import Side
from reference_impl.column_types import ColumnType

__all__ = ["Explainer", "namer_of"]

T = TypeVar("T")


class Explainer:
    """The divergences of a pair of dialects under given options. `flipped`: TiCDC's side is the left one."""

    def __init__(self, divergences: Iterable[Divergence], options: Mapping[str, Mapping[str, str]], *, flipped: bool):
        self._flipped = flipped
        self._met: dict[Met, list[Divergence]] = {met: [] for met in Met}
        for one in divergences:
            if one.applies(options):
                self._met[one.met].append(one)

    def _of(self, met: Met, kind: ColumnType | None) -> Iterator[Divergence]:
        for one in self._met[met]:
            if not one.types or (kind is not None and kind.family.value in one.types):
                yield one

    def cell(self, kind: ColumnType | None, left: Cell, right: Cell) -> Name | None:
        """Of a column whose values differ."""
        upstream, ticdc = (right, left) if self._flipped else (left, right)
        for one in self._of(Met.CELL, kind):
            if kind is not None and _concerns(one, kind, upstream, ticdc):
                return Name(one.id, one.documented)
        return None

    def absent(self, kind: ColumnType | None, on_left: bool) -> Name | None:
        """Of a column that only one side has; TiCDC's is the one that lacks it."""
        if on_left is self._flipped:
            return None
        return next((Name(one.id, one.documented) for one in self._of(Met.ABSENT, kind)), None)

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


def _concerns(one: Divergence, kind: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
    return not one.predicate or _named(CELLS, one)(kind, upstream, ticdc)


def namer_of(left: Side, right: Side) -> Namer:
    """Who names the differences between two sides."""
    pairs = load_divergences()
    options = {left.dialect: left.options, right.dialect: right.options}
    if found := pairs.get((left.dialect, right.dialect)):
        return Explainer(found.divergences, options, flipped=False)
    if found := pairs.get((right.dialect, left.dialect)):
        return Explainer(found.divergences, options, flipped=True)
    return Nobody()
