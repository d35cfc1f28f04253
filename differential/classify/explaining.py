"""Explains differences by the catalogue of divergences.

An `Explainer` serves one pair of sides with their options. Sides of one dialect, or of unrelated dialects, have no
divergences, so their differences stay unexplained.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from conformance.catalogue.divergences import Divergence, Met, find_divergence, load_divergences
from conformance.errors import SuiteError
from differential.classify.composing import Composed
from differential.classify.naming import Name, Namer, Spelling, Where, divergences_of
from differential.classify.predicates import (
    CELLS,
    COLUMN_CELLS,
    COLUMNS,
    KEY_STEPS,
    LACKED,
    OF_TYPE,
    PATTERNS,
    STEPS,
    VALUES,
)
from differential.classify.predicates.debezium_meaning import stands_for
from differential.model import Cell, Change
from differential.sides import Side
from reference_impl.column_types import ColumnType
from reference_impl.model import Column, Table

__all__ = ["Explainer", "namer_of"]

T = TypeVar("T")


class Explainer(Namer):
    """Finds divergences among those that apply to a pair of sides.

    `flipped`: TiCDC's side is the left one. `tables`: the compared tables, in all known versions.
    """

    def __init__(self, divergences: Iterable[Divergence], *, flipped: bool, tables: Iterable[Table] = ()) -> None:
        self._flipped = flipped
        self._tables: dict[tuple[str, ...], list[Table]] = {}
        for table in tables:
            self._tables.setdefault(table.id, []).append(_with_charsets(table))
        self._met: dict[Met, list[Divergence]] = {met: [] for met in Met}
        self._columns: dict[Where, tuple[Table | None, Column | None]] = {}
        self._by_family: dict[tuple[Met, str | None], list[Divergence]] = {}
        for one in divergences:
            self._met[one.met].append(one)

    def _of(self, met: Met, column_type: ColumnType | None) -> Sequence[Divergence]:
        family = None if column_type is None else column_type.family.value
        found = self._by_family.get((met, family))
        if found is None:
            found = [one for one in self._met[met] if not one.types or family in one.types]
            self._by_family[met, family] = found
        return found

    def cell(
        self, where: Where, column_type: ColumnType | None, left: Cell, right: Cell, ops: Collection[str]
    ) -> Name | None:
        """The divergence of a column whose values differ."""
        upstream, ticdc = (right, left) if self._flipped else (left, right)
        for one in self._of(Met.CELL, column_type):
            if one.events and not {*ops} & {*one.events}:
                continue
            if column_type is not None and self._concerns(one, where, column_type, upstream, ticdc):
                return Name(one.id, one.documented)
        return None

    def explains_cells(self, column_type: ColumnType | None) -> bool:
        """Whether any divergence concerns values of columns of that type."""
        return column_type is not None and bool(self._of(Met.CELL, column_type))

    def _concerns(self, one: Divergence, where: Where, column_type: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
        if one.predicate in COLUMN_CELLS:
            _, column = self._known(where)
            return column is not None and COLUMN_CELLS[one.predicate](column, upstream, ticdc)
        return not one.predicate or _named(CELLS, one)(column_type, upstream, ticdc)

    def absent(
        self, where: Where, column_type: ColumnType | None, on_left: bool, cell: Cell, op: str, others: Collection[str]
    ) -> Name | None:
        """The divergence of a column that only one side has."""
        upstream_has = on_left is not self._flipped
        for one in self._of(Met.ABSENT, column_type):
            if one.events and op not in one.events:
                continue
            if one.predicate in LACKED:
                found = not upstream_has and column_type is not None and LACKED[one.predicate](column_type, cell)
            else:
                found = upstream_has and self._lacks(one, where, others)
            if found:
                return Name(one.id, one.documented)
        return None

    def _lacks(self, one: Divergence, where: Where, others: Collection[str]) -> bool:
        if not one.predicate:
            return True
        table, column = self._known(where)
        return table is not None and column is not None and _named(COLUMNS, one)(table, column, others)

    def _known(self, where: Where) -> tuple[Table | None, Column | None]:
        """The last version of a table, and its column, which may come from another version."""
        found = self._columns.get(where)
        if found is None:
            versions = self._tables.get(where[:2], ())
            columns = (version.column(where[2]) for version in reversed(versions))
            found = self._columns[where] = (versions[-1] if versions else None), next(filter(None, columns), None)
        return found

    def steps(self, left: Sequence[Change], right: Sequence[Change]) -> Name | None:
        """The divergence of changes that lead to the same row in different steps."""
        upstream, ticdc = (right, left) if self._flipped else (left, right)
        for one in self._met[Met.STEPS]:
            if self._explains_steps(one, upstream, ticdc):
                return Name(one.id, one.documented)
        return None

    def _explains_steps(self, one: Divergence, upstream: Sequence[Change], ticdc: Sequence[Change]) -> bool:
        if one.predicate not in KEY_STEPS:
            return _named(STEPS, one)(upstream, ticdc)
        first = (*upstream, *ticdc)[0]
        versions = self._tables.get((first.schema, first.table), ())
        return any(KEY_STEPS[one.predicate](version, upstream, ticdc) for version in versions)

    def spellings(self, where: Where, column_type: ColumnType) -> list[Spelling]:
        """The divergences in the spelling of equal values in a column of that type."""
        found = []
        for one in self._of(Met.TEXT, column_type):
            _, column = self._known(where)
            if not one.types or (one.predicate in COLUMN_CELLS and column is None):
                continue
            test = _test_of(one, column_type, column)
            if test is not None and one.predicate in OF_TYPE:
                if not test(None):
                    continue
                test = None  # it holds for every value of the column
            found.append(Spelling(one.id, one.documented, test, one.events, PATTERNS.get(one.predicate, "")))
        return found

    def of_envelope(self) -> list[Name]:
        """The divergences that every pair of messages has outside its row."""
        return [Name(one.id, one.documented) for one in self._met[Met.ENVELOPE]]


def _test_of(one: Divergence, column_type: ColumnType, column: Column | None) -> Callable[[Cell], bool] | None:
    """The test of values that a divergence of spelling concerns, None if it concerns all.

    The test can be pickled.
    """
    if one.predicate in COLUMN_CELLS and column is not None:
        return partial(_both, one.predicate, column)
    if not one.predicate:
        return None
    _named(VALUES, one)
    return _test(one.predicate, column_type)


class _Test(partial[bool]):
    """A test of values of a column type, which is pickled by the name of its predicate."""

    sent: tuple[str, ColumnType]  # the predicate and the type

    def __reduce__(self) -> tuple[Any, ...]:
        return _test, self.sent


def _test(predicate: str, column_type: ColumnType) -> _Test:
    test = _Test(VALUES[predicate], column_type)
    test.sent = predicate, column_type
    return test


def _both(predicate: str, column: Column, cell: Cell) -> bool:
    """Whether a predicate of two values holds where both sides have the same value."""
    return COLUMN_CELLS[predicate](column, cell, cell)


def _with_charsets(table: Table) -> Table:
    """The table with an explicit charset in each column."""
    columns = (replace(c, charset=c.charset or table.charset) for c in table.columns)
    return replace(table, columns=tuple(columns))


def _named(table: Mapping[str, T], one: Divergence) -> T:
    try:
        return table[one.predicate]
    except KeyError:
        raise SuiteError(f"{one.id}: there is no predicate {one.predicate!r}") from None


def namer_of(left: Side, right: Side) -> Namer:
    """The namer of differences between two sides."""
    tables = dict.fromkeys(table for side in (left, right) for table in side.tables)
    divergences, flipped = divergences_of(left, right)
    if divergences:
        return Explainer(divergences, flipped=flipped, tables=tables)
    return _composed(left, right, tables) or Namer()


def _composed(left: Side, right: Side, tables: Iterable[Table]) -> Namer | None:
    """The namer for dialects of two families; None if neither changes a value.

    It combines the divergences between each upstream dialect and the TiCDC dialect that imitates it: one of the two is
    a side, and the other side takes the part of the missing one. Changes of a value that both dialects of a family make
    are tried last. Between two dialects of TiCDC only those of the Debezium family change values.
    """
    are_both_of_ticdc = left.traits.is_of_ticdc and right.traits.is_of_ticdc
    sides = [side for side in (left, right) if not are_both_of_ticdc or side.traits.writes_stand_ins]
    if left.traits.family == right.traits.family or not sides:
        return None
    of_cells, of_steps = list[Explainer](), list[Explainer]()
    for (upstream, ticdc), found in sorted(load_divergences().items()):
        for side in sides:
            if side.dialect not in (upstream, ticdc):
                continue
            options = {name: Side(side.name, name).every_option() for name in (upstream, ticdc)}
            options[side.dialect] = side.every_option()
            # The missing dialect takes the place of the other side.
            flipped = side is left if side.dialect == ticdc else side is right
            applying = (one for one in found.divergences if one.applies(options))
            one = Explainer(applying, flipped=flipped, tables=tables)
            of_cells.append(one)
            if side.dialect == upstream and left.traits.is_of_ticdc is not right.traits.is_of_ticdc:
                of_steps.append(one)  # upstream dialects do not fold transactions
    meanings = [
        _Meaning(flipped, tables) for flipped, side in ((True, left), (False, right)) if side.traits.writes_stand_ins
    ]
    return Composed(of_cells, of_steps, meanings)


class _Meaning:
    """Explains stand-ins that the Debezium family writes for a value.

    `flipped`: the left side is of that family.
    """

    def __init__(self, flipped: bool, tables: Iterable[Table]) -> None:
        self._flipped = flipped
        self._columns: dict[Where, list[Column]] = {}
        for table in tables:
            for column in table.columns:
                self._columns.setdefault((*table.id, column.name), []).append(column)

    def __call__(self, where: Where, left: Cell, right: Cell) -> Name | None:
        """The divergence by the first version of the column that explains the difference."""
        value, cell = (right, left) if self._flipped else (left, right)
        names = (stands_for(column, value, cell) for column in self._columns.get(where, ()))
        found = find_divergence(next(filter(None, names), ""))
        return Name(found.id, found.documented) if found else None
