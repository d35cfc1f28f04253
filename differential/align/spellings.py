"""Counts values that the sides spell differently, each with the examples of the smallest keys.

Nearly every change of a comparison comes here, and most are alike on both sides. A value of a column is tested once
while it is in the cache; a `Spelling` without a test, which holds for every value, is counted by the columns that
changes have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import repeat
from typing import Any, TypeAlias

import numpy
import orjson
from pyarrow import compute

from differential.align.cells import CellColumn, Flags, Images, Integers
from differential.classify.naming import Spelling
from differential.counts import SHOWN, Counts, SpelledColumn
from differential.decode.canonical import shown
from differential.model import Cell

__all__ = ["Rows", "SpellingCounter", "SpellingsByTable"]

SpellingsByTable: TypeAlias = Mapping[tuple[str, str], Sequence[tuple[str, Spelling]]]
"""By schema and table: the columns whose values are counted, and how."""

_CACHED_VALUES = 1 << 14
_LARGEST_KEY = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one table, as columns."""

    ops: Sequence[str]
    op: Integers  # by row, an index into `ops`
    keys: Sequence[bytes]  # sorted ascending
    key: Integers  # by row, an index into `keys`
    images: Sequence[bytes]


class _SpellingCount:
    """The count of one divergence in one column, with the smallest keys and their values as examples."""

    __slots__ = ("bound", "count", "events", "key", "shown")

    def __init__(self, key: SpelledColumn, events: Collection[str]) -> None:
        self.key, self.events = key, frozenset(events)
        self.count = 0
        self.shown: list[list[str]] = []
        self.bound = _LARGEST_KEY  # a larger key is not an example

    def show(self, key: str, cell: Cell) -> None:
        self._show([[key, shown(cell)]])

    def _show(self, examples: list[list[str]]) -> None:
        self.shown = sorted([*self.shown, *examples])[:SHOWN]
        if len(self.shown) == SHOWN:
            self.bound = self.shown[-1][0]

    def concerns(self, op: str) -> bool:
        return not self.events or op in self.events

    def take(self, rows: Rows, cells: CellColumn, counted: Flags) -> None:
        """Count the rows whose flag in `counted` is set."""
        if self.events:
            counted = counted & numpy.array([op in self.events for op in rows.ops])[rows.op]
        at = numpy.flatnonzero(counted)
        self.count += len(at)
        keys = rows.key[at]
        if len(at) > SHOWN:
            smallest = keys <= numpy.partition(keys, SHOWN - 1)[SHOWN - 1]
            at, keys = at[smallest], keys[smallest]
        if len(at) and rows.keys[keys.min()].decode() <= self.bound:
            values = cells.values(at)
            self._show(
                [[rows.keys[key].decode(), shown(cell)] for key, cell in zip(keys.tolist(), values, strict=True)]
            )


class _Column:
    """The divergences of spelling in a column, and their counts."""

    def __init__(self, spellings: Sequence[tuple[Spelling, _SpellingCount]]) -> None:
        self.always = [one for spelling, one in spellings if spelling.test is None]
        tested = [(spelling.test, spelling.pattern, one) for spelling, one in spellings if spelling.test is not None]
        self._plain_tests = [(test, one) for test, pattern, one in tested if not pattern]
        self._pattern_tests = [(test, one) for test, pattern, one in tested if pattern]
        pattern = "|".join(dict.fromkeys(spelling.pattern for spelling, _ in spellings if spelling.pattern))
        self._pattern = re.compile(pattern) if pattern else None
        self._counts_of_null = [one for test, one in self._plain_tests if test(None)]
        self.known: dict[Any, tuple[_SpellingCount, ...]] = {}

    @property
    def has_tests(self) -> bool:
        return bool(self._plain_tests or self._pattern_tests)

    def counts_of(self, cell: Cell) -> tuple[_SpellingCount, ...]:
        """The counts to which a value is added; cached."""
        tests = self._plain_tests
        if self._pattern is not None and cell is not None and (isinstance(cell, dict) or self._pattern.search(cell)):
            tests = [*tests, *self._pattern_tests]
        found = tuple([one for test, one in tests if test(cell)]) if tests else ()
        if isinstance(cell, dict):
            return found
        if len(self.known) >= _CACHED_VALUES:
            self.known.clear()
        self.known[cell] = found
        return found

    def take(self, rows: Rows, cells: CellColumn) -> None:
        """Count the values of rows."""
        for one in self.always:
            one.take(rows, cells, cells.has_column)
        if self._counts_of_null:
            null = cells.has_column & (cells.place == len(cells.texts))
            for one in self._counts_of_null:
                one.take(rows, cells, null)
        for one, passing in self._counts_of_values(cells).items():
            flags = numpy.zeros(len(cells.texts) + 1, dtype=bool)
            flags[passing] = True
            one.take(rows, cells, flags[cells.place])

    def _counts_of_values(self, cells: CellColumn) -> Mapping[_SpellingCount, list[int]]:
        """By count, the indexes of the distinct values that are added to it."""
        found: dict[_SpellingCount, list[int]] = {}
        if not self.has_tests:
            return found
        texts = cells.texts
        places: Iterable[int] = range(len(texts))
        may_match: Iterable[bool] = repeat(cells.tagged, len(texts))
        if self._pattern is not None and not cells.tagged:
            matches = compute.match_substring_regex(texts, self._pattern.pattern)
            if self._plain_tests:
                may_match = matches.to_pylist()
            else:
                at = compute.indices_nonzero(matches)
                texts, places, may_match = texts.take(at), at.to_pylist(), repeat(True, len(at))
        tests = (self._plain_tests, [*self._plain_tests, *self._pattern_tests])
        for place, has, cell in zip(places, may_match, cells.cells(texts), strict=True):
            for test, one in tests[has]:
                if test(cell):
                    found.setdefault(one, []).append(place)
        return found


@dataclass(slots=True)
class _Form:
    """Changes of one operation with the same columns."""

    # The counts of every value of a column, with the name of the column.
    always: Sequence[tuple[str, _SpellingCount]]
    # The columns whose values are tested: name, cached counts by value, and the function that finds them.
    tested: Sequence[tuple[str, dict[Any, tuple[_SpellingCount, ...]], Callable[[Cell], tuple[_SpellingCount, ...]]]]
    count: int = 0  # changes that are not yet added to the counts in `always`
    bound: str = ""  # a larger key is not an example


class _Table:
    """The divergences of spelling in a table."""

    def __init__(self, sums: Mapping[str, Sequence[tuple[Spelling, _SpellingCount]]]) -> None:
        self.columns = {name: _Column(spellings) for name, spellings in sums.items()}
        self.images = Images(self.columns)
        self.forms: dict[tuple[str, ...], _Form] = {}

    def form(self, op: str, names: tuple[str, ...]) -> _Form:
        there = [(name, self.columns[name]) for name in names if name in self.columns]
        always = [(name, one) for name, column in there for one in column.always if one.concerns(op)]
        tested = [(name, column.known, column.counts_of) for name, column in there if column.has_tests]
        form = _Form(always, tested, bound=_LARGEST_KEY if always else "")
        self.forms[op, *names] = form
        return form


class SpellingCounter:
    """Counts the spellings of values for one pair of sides; `move_to` hands the counts over."""

    def __init__(self, pair: str, by_table: SpellingsByTable) -> None:
        self._counts: list[_SpellingCount] = []
        self._tables: dict[tuple[str, str], _Table] = {}
        for (schema, table), spellings in by_table.items():
            columns: dict[str, list[tuple[Spelling, _SpellingCount]]] = {}
            for name, spelling in spellings:
                one = _SpellingCount(SpelledColumn(pair, schema, table, name, spelling.divergence), spelling.events)
                self._counts.append(one)
                columns.setdefault(name, []).append((spelling, one))
            if columns:
                self._tables[schema, table] = _Table(columns)

    def columns(self, schema: str, table: str) -> Set[str]:
        """The columns of a table whose values are counted."""
        found = self._tables.get((schema, table))
        return found.columns.keys() if found else frozenset()

    def count_row(
        self, table_id: tuple[str, str], op: str, key: str, image: bytes, excluded: Collection[str] = ()
    ) -> None:
        """Count the values of a row, except those of the columns `excluded`."""
        table = self._tables[table_id]
        cells = orjson.loads(image)
        form = table.forms.get((op, *cells)) or table.form(op, (*cells,))
        if excluded:
            for name, one in form.always:
                if name not in excluded:
                    one.count += 1
                    if key <= one.bound:
                        one.show(key, cells[name])
        else:
            form.count += 1
            if key <= form.bound:
                self._show(form, key, cells)
        for name, known, counts_of in form.tested:
            cell = cells[name]
            found = None if type(cell) is dict else known.get(cell)
            if found is None:
                found = counts_of(cell)
            if found and name not in excluded:
                for one in found:
                    if one.concerns(op):
                        one.count += 1
                        if key <= one.bound:
                            one.show(key, cell)

    def count_rows(self, table_id: tuple[str, str], rows: Rows) -> None:
        """Count the values of one row or more."""
        table = self._tables[table_id]
        columns = table.images.read(rows.images)
        if columns is None:
            for op, key, image in zip(rows.op.tolist(), rows.key.tolist(), rows.images, strict=True):
                self.count_row(table_id, rows.ops[op], rows.keys[key].decode(), image)
        else:
            for name, column in table.columns.items():
                column.take(rows, columns[name])

    @staticmethod
    def _show(form: _Form, key: str, cells: Mapping[str, Cell]) -> None:
        for name, one in form.always:
            one.show(key, cells[name])
        form.bound = max(one.bound for _, one in form.always)

    def move_to(self, counts: Counts) -> None:
        """Add what was counted since the last call to `counts`."""
        for table in self._tables.values():
            for form in table.forms.values():
                for _, one in form.always:
                    one.count += form.count
                form.count = 0
        for one in self._counts:
            if one.count:
                counts.count_spelled(one.key, one.count, one.shown)
            one.count, one.shown, one.bound = 0, [], _LARGEST_KEY
        for table in self._tables.values():
            for form in table.forms.values():
                form.bound = _LARGEST_KEY if form.always else ""
