"""The spelling bits of a change: a bit for each divergence of spelling that one of its values shows.

    columns a and b, each with the divergences DV-1 and DV-2; the value of b shows DV-1  →  bits 0b0100

Messages that are read into fingerprints get their bits then, so that their values need not be read again.
`SpellingCounter` counts the values of changes that are compared one by one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import accumulate
from operator import or_
from typing import Any

from differential.align.pairs import Pair
from differential.classify.naming import Spelling
from differential.counts import SHOWN, Counts, SpelledColumn
from differential.decode.canonical import load, shown
from differential.decode.slim import identifying_image
from differential.model import Cell, Change

__all__ = ["SpellingBits", "SpellingCounter", "meanings_of"]

_CACHED = 1 << 15  # values of a column whose bits are remembered
_ANCHORS = frozenset("^$")
_SPECIAL = frozenset("\\^$.|?*+()[]{}-")
_GAP = "z"  # separates texts that are searched together, unless a pattern contains it


def meanings_of(pairs: Sequence[Pair], side: int, table: tuple[str, str]) -> list[SpelledColumn]:
    """The meaning of each bit of a table's changes on a side, the lowest bit first."""
    return [
        SpelledColumn(pair.context.pair, *table, column, spelling.divergence)
        for pair in pairs
        if pair.a == side
        for column, spelling in pair.spellings.get(table, ())
    ]


class _ColumnBits:
    """The bits of the values of a column, for divergences that depend on the value."""

    def __init__(self, spellings: Sequence[tuple[int, Spelling]]) -> None:
        self._tests = [(bit, spelling.test) for bit, spelling in spellings if spelling.test and not spelling.pattern]
        self._pattern_tests = [
            (bit, spelling.test) for bit, spelling in spellings if spelling.test and spelling.pattern
        ]
        patterns = [spelling.pattern for _, spelling in spellings if spelling.pattern]
        pattern = "|".join(dict.fromkeys(patterns))
        self._pattern = re.compile(pattern, re.MULTILINE) if pattern else None
        self._at_once = self._pattern is not None and not self._tests and _GAP not in pattern
        self._gap = "\n" if _ANCHORS & set(pattern) else _GAP
        self._letters = _letters_of(patterns) if self._at_once else None
        self._known: dict[Any, int] = {}

    def __call__(self, column: Sequence[Cell]) -> list[int]:
        known = self._known
        if self._at_once and dict not in set(map(type, column)):
            texts: list[Any] = [text or "" for text in column]
            together = self._gap.join(texts)
            # Line feeds as gaps must be the only ones: a text with a line feed would have several lines.
            if self._gap == _GAP or together.count(self._gap) < len(texts):
                return self._of_texts(column, texts, together)
        try:
            return list(map(known.__getitem__, column))
        except (KeyError, TypeError):
            return [self.of(cell) for cell in column]

    def _of_texts(self, column: Sequence[Any], texts: Sequence[str], together: str) -> list[int]:
        """The bits of texts by one search over all of them: only texts that the pattern matches have bits."""
        bits, begins, last = [0] * len(texts), None, -1
        for start in self._matches_in(together):
            if begins is None:
                begins = list(accumulate(map((1).__add__, map(len, texts)), initial=0))
            at = bisect_right(begins, start) - 1
            if at != last:
                bits[at], last = self._bits_of(column[at]), at
        return bits

    def _matches_in(self, together: str) -> Iterator[int]:
        """The positions that the pattern matches; a search for letters is much faster than one for a pattern."""
        assert self._pattern is not None
        if self._letters is None:
            yield from (found.start() for found in self._pattern.finditer(together))
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
            if len(self._known) >= _CACHED:
                self._known.clear()
            found = self._known[cell] = self._bits_of(cell)
        return found

    def _bits_of(self, cell: Cell) -> int:
        tests = self._tests
        if self._pattern is not None and cell is not None and (isinstance(cell, dict) or self._pattern.search(cell)):
            tests = [*tests, *self._pattern_tests]
        return reduce(or_, [bit for bit, test in tests if test(cell)], 0)


def _letters_of(patterns: Iterable[str]) -> str | None:
    """The letters that patterns match, if each is a letter or letters in brackets; None if one is another pattern."""
    letters = ""
    for pattern in patterns:
        found = pattern[1:-1] if pattern.startswith("[") and pattern.endswith("]") else pattern
        if _SPECIAL & set(found) or (found == pattern and len(pattern) > 1):
            return None
        letters += found
    return "".join(dict.fromkeys(letters))


class _TableBits:
    """The bits of the changes of a table."""

    def __init__(self, spellings: Sequence[tuple[str, Spelling]]) -> None:
        self.size = (len(spellings) + 7) // 8  # bytes
        self._spellings = [(1 << place, column, spelling) for place, (column, spelling) in enumerate(spellings)]
        by_column: dict[str, list[tuple[int, Spelling]]] = {}
        for bit, column, spelling in self._spellings:
            if spelling.test is not None:
                by_column.setdefault(column, []).append((bit, spelling))
        self._by_column = {column: _ColumnBits(of_column) for column, of_column in by_column.items()}
        self._forms: dict[tuple[str, ...], tuple[int, int]] = {}  # cached results of `_form`

    def of(self, op: str, columns: Mapping[str, Sequence[Cell]], count: int) -> list[bytes]:
        """The bits of `count` changes with these columns."""
        concerned, always = self._form(op, columns)
        bits_of_columns = [bits_of(columns[name]) for name, bits_of in self._by_column.items() if name in columns]
        if not bits_of_columns:
            return [always.to_bytes(self.size, "little")] * count
        together = bits_of_columns[0]
        for bits in bits_of_columns[1:]:
            together = list(map(or_, together, bits))
        known = {one: (one & concerned | always).to_bytes(self.size, "little") for one in set(together)}
        return list(map(known.__getitem__, together))

    def of_row(self, op: str, cells: Mapping[str, Cell]) -> int:
        """The bits of one change with these cells."""
        concerned, always = self._form(op, cells)
        found = 0
        for name, bits_of in self._by_column.items():
            if name in cells:
                found |= bits_of.of(cells[name])
        return found & concerned | always

    def _form(self, op: str, columns: Iterable[str]) -> tuple[int, int]:
        """The bits that a change of an operation with these columns can have, and those that it has in any case."""
        form = op, *columns
        if form not in self._forms:
            concerned, always = 0, 0
            for bit, column, spelling in self._spellings:
                if column in form[1:] and (not spelling.events or op in spelling.events):
                    concerned |= bit
                    always |= bit if spelling.test is None else 0
            self._forms[form] = concerned, always
        return self._forms[form]


class SpellingBits:
    """The bits of the changes of one side."""

    def __init__(self, pairs: Sequence[Pair], side: int) -> None:
        by_table: dict[tuple[str, str], list[tuple[str, Spelling]]] = {}
        for pair in pairs:
            if pair.a == side:
                for table, spellings in pair.spellings.items():
                    by_table.setdefault(table, []).extend(spellings)
        self._tables = {table: _TableBits(spellings) for table, spellings in by_table.items() if spellings}

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
        return of_table.of_row(op, load(image)).to_bytes(of_table.size, "little")


class SpellingCounter:
    """Counts the values that the sides of a pair spell differently, each with the smallest keys as examples."""

    def __init__(self, pair: Pair) -> None:
        self._meanings = {table: meanings_of([pair], pair.a, table) for table in pair.spellings}
        self._tables = {table: _TableBits(spellings) for table, spellings in pair.spellings.items() if spellings}
        self._counts = Counter[SpelledColumn]()
        self._shown: dict[SpelledColumn, list[list[str]]] = {}

    def count(self, change: Change, excluded: Collection[str] = ()) -> None:
        """Count the values of a change, except those of the columns `excluded`."""
        table = change.schema, change.table
        image = identifying_image(change.before, change.after)
        if table not in self._tables or not image:
            return
        cells = load(image)
        bits = self._tables[table].of_row(change.op, cells)
        for place, meaning in enumerate(self._meanings[table]):
            if bits >> place & 1 and meaning.column not in excluded:
                self._counts[meaning] += 1
                self._show(meaning, change.key.decode(), cells[meaning.column])

    def _show(self, meaning: SpelledColumn, key: str, cell: Cell) -> None:
        examples = self._shown.setdefault(meaning, [])
        if len(examples) < SHOWN or key <= examples[-1][0]:
            self._shown[meaning] = sorted([*examples, [key, shown(cell)]])[:SHOWN]

    def move_to(self, counts: Counts) -> None:
        """Add what was counted since the last call to `counts`."""
        for meaning, count in self._counts.items():
            counts.count_spelled(meaning, count, self._shown[meaning])
        self._counts.clear()
        self._shown.clear()
