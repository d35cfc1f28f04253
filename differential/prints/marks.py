"""Marks of a change: a bit for each value that the sides spell differently.

`settling` counts the bits of changes that it settles by fingerprints, so that their values need not be read again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import accumulate
from operator import or_
from typing import Any

import orjson

from differential.align.merging import Pair
from differential.classify.naming import Watch
from differential.counts import Named
from differential.model import PARTLY, Cell

__all__ = ["Marks", "named_of"]

_CACHED = 1 << 15
_ANCHORS = frozenset("^$")
_SPECIAL = frozenset("\\^$.|?*+()[]{}-")
_GAP = "z"  # separates texts that are searched together; no mark contains it


def named_of(pairs: Sequence[Pair], side: int, table: tuple[str, str]) -> list[Named]:
    """The meaning of each bit of a table's changes on a side, the lowest bit first."""
    return [
        (pair.context.pair, *table, column, watch.divergence)
        for pair in pairs
        if pair.a == side
        for column, watch in pair.watched.get(table, ())
    ]


class _ColumnMarks:
    """The bits of the values of a column whose divergences depend on the value."""

    def __init__(self, watches: Sequence[tuple[int, Watch]]) -> None:
        self._tests = [(bit, watch.test) for bit, watch in watches if watch.test and not watch.mark]
        self._marked = [(bit, watch.test) for bit, watch in watches if watch.test and watch.mark]
        marks = "|".join(dict.fromkeys(watch.mark for _, watch in watches if watch.mark))
        self._mark = re.compile(marks, re.MULTILINE) if marks else None
        self._at_once = self._mark is not None and not self._tests and _GAP not in marks
        self._gap = "\n" if _ANCHORS & set(marks) else _GAP
        self._letters = _letters_of(watch.mark for _, watch in watches if watch.mark) if self._at_once else None
        self._known: dict[Any, int] = {}

    def __call__(self, column: Sequence[Cell]) -> list[int]:
        known = self._known
        if self._at_once and dict not in set(map(type, column)):
            texts: list[Any] = [text or "" for text in column]
            together = self._gap.join(texts)
            if self._gap == _GAP or together.count(self._gap) < len(texts):
                return self._of_marked(column, texts, together)
        try:
            return list(map(known.__getitem__, column))
        except (KeyError, TypeError):
            if len(known) > _CACHED:
                known.clear()
            return [self.of(cell) for cell in column]

    def _of_marked(self, column: Sequence[Any], texts: Sequence[str], together: str) -> list[int]:
        """The bits of texts by one search over all of them.

        Only texts with a mark (`Watch.mark`) have bits.
        """
        bits, begins, last = [0] * len(texts), None, -1
        for start in self._marks_in(together):
            if begins is None:
                begins = list(accumulate(map((1).__add__, map(len, texts)), initial=0))
            at = bisect_right(begins, start) - 1
            if at != last:
                bits[at], last = self._bits_of(column[at]), at
        return bits

    def _marks_in(self, together: str) -> Iterator[int]:
        """The positions of marks; a search for letters is much faster than one for a pattern."""
        assert self._mark is not None
        if self._letters is None:
            yield from (found.start() for found in self._mark.finditer(together))
            return
        for letter in self._letters:
            start = together.find(letter)
            while start >= 0:
                yield start
                start = together.find(letter, start + 1)

    def of(self, cell: Cell) -> int:
        """The bits of a value."""
        if cell.__class__ is dict:
            return self._bits_of(cell)
        found = self._known.get(cell)
        if found is None:
            found = self._known[cell] = self._bits_of(cell)
        return found

    def _bits_of(self, cell: Cell) -> int:
        tests = self._tests
        if self._mark is not None and cell is not None and (isinstance(cell, dict) or self._mark.search(cell)):
            tests = [*tests, *self._marked]
        return reduce(or_, [bit for bit, test in tests if test(cell)], 0)


def _letters_of(marks: Iterable[str]) -> str | None:
    """The letters in marks, each a letter or letters in brackets.

    None if a mark is another pattern.
    """
    letters = ""
    for mark in marks:
        found = mark[1:-1] if mark.startswith("[") and mark.endswith("]") else mark
        if _SPECIAL & set(found) or (found == mark and len(mark) > 1):
            return None
        letters += found
    return "".join(dict.fromkeys(letters))


class _Table:
    """The watched columns of a table."""

    def __init__(self, watched: Sequence[tuple[str, Watch]]) -> None:
        self.size = (len(watched) + 7) // 8
        self._watched = [(1 << place, column, watch) for place, (column, watch) in enumerate(watched)]
        by_column: dict[str, list[tuple[int, Watch]]] = {}
        for bit, column, watch in self._watched:
            if watch.test is not None:
                by_column.setdefault(column, []).append((bit, watch))
        self._by_column = {column: _ColumnMarks(watches) for column, watches in by_column.items()}

    def of(self, op: str, columns: Mapping[str, Sequence[Cell]], count: int) -> list[bytes]:
        """The bits of `count` changes with these columns."""
        concerned, always = 0, 0
        for bit, column, watch in self._watched:
            if column in columns and (not watch.events or op in watch.events):
                concerned |= bit
                always |= bit if watch.test is None else 0
        bits_of_columns = [bits_of(columns[name]) for name, bits_of in self._by_column.items() if name in columns]
        if not bits_of_columns:
            return [always.to_bytes(self.size, "little")] * count
        together = bits_of_columns[0]
        for bits in bits_of_columns[1:]:
            together = list(map(or_, together, bits))
        known = {one: (one & concerned | always).to_bytes(self.size, "little") for one in set(together)}
        return list(map(known.__getitem__, together))


class Marks:
    """The bits of the changes of one side."""

    def __init__(self, pairs: Sequence[Pair], side: int) -> None:
        watched: dict[tuple[str, str], list[tuple[str, Watch]]] = {}
        for pair in pairs:
            if pair.a == side:
                for table, watches in pair.watched.items():
                    watched.setdefault(table, []).extend(watches)
        self._tables = {table: _Table(watches) for table, watches in watched.items() if watches}

    def of_columns(
        self, table: tuple[str, str], op: str, columns: Callable[[], Mapping[str, Sequence[Cell]]], count: int
    ) -> list[bytes]:
        """The bits of changes of one operation, by the columns of their identifying images."""
        of_table = self._tables.get(table)
        return [b""] * count if of_table is None else of_table.of(op, columns(), count)

    def of_image(self, table: tuple[str, str], op: str, image: bytes) -> bytes:
        """The bits of a change by its identifying image (`identifying_image`); no bytes if the image is empty."""
        of_table = self._tables.get(table)
        if of_table is None or not image:
            return b""
        cells = orjson.loads(image.removeprefix(PARTLY))
        return of_table.of(op, {name: [cell] for name, cell in cells.items()}, 1)[0]
