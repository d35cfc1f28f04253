"""Values that both sides have and write in other words: counted, with the smallest few as examples.

Nearly every change of a comparison comes here, most of them alike on both sides. What is asked of a column is asked
once for each of its values, as long as those are remembered; what is true of every value is counted by the columns that
changes have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import orjson

from differential.classify.naming import Watch
from differential.counts import SHOWN, Counts, Named
from differential.decode.canonical import text_of
from differential.model import Cell

__all__ = ["Watcher", "Watching"]

Watching: TypeAlias = Mapping[tuple[str, str], Sequence[tuple[str, Watch]]]
"""By schema and table: what is counted of which column."""

_REMEMBERED = 1 << 14
_ANY_KEY = "\U0010ffff"


class _Sum:
    """The count of one divergence in one column, and the smallest of its keys and values."""

    __slots__ = ("bound", "count", "events", "key", "shown")

    def __init__(self, key: Named, events: Collection[str]) -> None:
        self.key, self.events = key, frozenset(events)
        self.count = 0
        self.shown: list[list[str]] = []
        self.bound = _ANY_KEY  # no key beyond it is shown

    def show(self, key: str, cell: Cell) -> None:
        self.shown = sorted([*self.shown, [key, text_of(cell) or "NULL"]])[:SHOWN]
        if len(self.shown) == SHOWN:
            self.bound = self.shown[-1][0]

    def concerns(self, op: str) -> bool:
        return not self.events or op in self.events


class _Column:
    """What is asked of the values of a column."""

    def __init__(self, watches: Sequence[tuple[Watch, _Sum]]) -> None:
        self.always = [one for watch, one in watches if watch.test is None]
        self._others = [(watch.test, one) for watch, one in watches if watch.test and not watch.mark]
        self._marked = [(watch.test, one) for watch, one in watches if watch.test and watch.mark]
        marks = dict.fromkeys(watch.mark for watch, _ in watches if watch.mark)
        self._mark = re.compile("|".join(marks)) if marks else None
        self.known: dict[Any, tuple[_Sum, ...]] = {}

    @property
    def asks(self) -> bool:
        return bool(self._others or self._marked)

    def judge(self, cell: Cell) -> tuple[_Sum, ...]:
        """What a value is counted under; it is remembered."""
        tests = self._others
        if self._mark is not None and cell is not None and (isinstance(cell, dict) or self._mark.search(cell)):
            tests = [*tests, *self._marked]
        found = tuple([one for test, one in tests if test(cell)]) if tests else ()
        if isinstance(cell, dict):
            return found
        if len(self.known) >= _REMEMBERED:
            self.known.clear()
        self.known[cell] = found
        return found


@dataclass(slots=True)
class _Form:
    """Changes of one operation that have the same columns. `bound`: no key beyond it is shown of what is always so."""

    always: Sequence[tuple[str, _Sum]]
    asked: Sequence[tuple[str, dict[Any, tuple[_Sum, ...]], Callable[[Cell], tuple[_Sum, ...]]]]
    count: int = 0
    bound: str = ""


class _Table:
    def __init__(self, sums: Mapping[str, Sequence[tuple[Watch, _Sum]]]) -> None:
        self._columns = {name: _Column(watches) for name, watches in sums.items()}
        self.forms: dict[tuple[str, ...], _Form] = {}

    def form(self, op: str, names: tuple[str, ...]) -> _Form:
        there = [(name, self._columns[name]) for name in names if name in self._columns]
        always = [(name, one) for name, column in there for one in column.always if one.concerns(op)]
        asked = [(name, column.known, column.judge) for name, column in there if column.asks]
        form = _Form(always, asked, bound=_ANY_KEY if always else "")
        self.forms[op, *names] = form
        return form


class Watcher:
    """Counts for one pair of sides."""

    def __init__(self, pair: str, watching: Watching) -> None:
        self._sums: list[_Sum] = []
        self._tables: dict[tuple[str, str], _Table] = {}
        for (schema, table), watched in watching.items():
            columns: dict[str, list[tuple[Watch, _Sum]]] = {}
            for name, watch in watched:
                one = _Sum((pair, schema, table, name, watch.divergence), watch.events)
                self._sums.append(one)
                columns.setdefault(name, []).append((watch, one))
            if columns:
                self._tables[schema, table] = _Table(columns)

    def concerns(self, schema: str, table: str) -> bool:
        """Whether anything is counted in a table."""
        return (schema, table) in self._tables

    def see(self, where: tuple[str, str], op: str, key: str, image: bytes, apart: Collection[str] = ()) -> None:
        """Count the values of a row, those of the columns `apart` left out. `where`: schema and table."""
        table = self._tables[where]
        cells = orjson.loads(image)
        form = table.forms.get((op, *cells)) or table.form(op, (*cells,))
        if apart:
            for name, one in form.always:
                if name not in apart:
                    one.count += 1
                    if key <= one.bound:
                        one.show(key, cells[name])
        else:
            form.count += 1
            if key <= form.bound:
                self._show(form, key, cells)
        for name, known, judge in form.asked:
            cell = cells[name]
            found = None if type(cell) is dict else known.get(cell)
            if found is None:
                found = judge(cell)
            if found and name not in apart:
                for one in found:
                    if one.concerns(op):
                        one.count += 1
                        if key <= one.bound:
                            one.show(key, cell)

    @staticmethod
    def _show(form: _Form, key: str, cells: Mapping[str, Cell]) -> None:
        for name, one in form.always:
            one.show(key, cells[name])
        form.bound = max(one.bound for _, one in form.always)

    def settle(self, counts: Counts) -> None:
        """Hand over what was counted since the last time."""
        for table in self._tables.values():
            for form in table.forms.values():
                for _, one in form.always:
                    one.count += form.count
                form.count = 0
        for one in self._sums:
            if one.count:
                counts.name(one.key, one.count, one.shown)
            one.count, one.shown, one.bound = 0, [], _ANY_KEY
        for table in self._tables.values():
            for form in table.forms.values():
                form.bound = _ANY_KEY if form.always else ""
