"""The plan of a table: its fields and key, which all its ordinary messages have in common."""

from __future__ import annotations

import binascii
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import orjson

from differential.decode.quick.cells import UNSURE, Column, Read
from differential.decode.slim import key_seed

__all__ = ["Field", "Plan", "note_unsure"]


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a table."""

    name: str
    read: Read | None  # None if its tokens are already canonical
    fold: Read | None = None  # for keys: maps cells of values that are equal in the collation to equal cells


class Plan:
    """The plan of a table: its fields, its key, and whether messages have a TSO.

    `order` holds the field numbers sorted by name, `key` the field numbers of the key.
    """

    def __init__(
        self, schema: str, table: str, fields: Sequence[Field], key: Sequence[str], *, has_commit_ts: bool
    ) -> None:
        self.schema, self.table, self.fields, self.has_commit_ts = schema, table, tuple(fields), has_commit_ts
        numbers = {field.name: number for number, field in enumerate(fields)}
        in_order = orjson.loads(orjson.dumps(numbers, option=orjson.OPT_SORT_KEYS))
        self.order = tuple(in_order.values())
        first, *more = (orjson.dumps(name) + b":" for name in in_order)
        self._openings = (b"{" + first, *(b"," + name for name in more))
        self.key = tuple(numbers[name] for name in key)
        self._seed = key_seed(schema, table)

    def read(self, tokens: Sequence[Column], positions: Sequence[int], unsure: set[int]) -> list[Column]:
        """The cells of an image's tokens, column by column.

        `unsure` gets the positions of unsure cells.
        """
        cells = []
        for field, column in zip(self.fields, tokens, strict=True):
            if field.read is not None:
                column = field.read(column)
                note_unsure(column, positions, unsure)
            cells.append(column)
        return cells

    def keys(self, cells: Sequence[Column]) -> list[bytes]:
        """The keys of the rows."""
        columns = [
            cells[number] if (fold := self.fields[number].fold) is None else fold(cells[number]) for number in self.key
        ]
        parts = [repeat(b"["), columns[0]]
        for column in columns[1:]:
            parts += repeat(b","), column
        return _joined([*parts, repeat(b"]")])

    def key_differs(self, a: Sequence[Column], b: Sequence[Column]) -> bool:
        """Whether the key of any row may differ between two images."""
        return any(a[number] is not b[number] and a[number] != b[number] for number in self.key)

    def groups(self, keys: Sequence[bytes]) -> list[int]:
        """The key groups of keys, as numbers; the slow path computes the same."""
        return list(map(binascii.crc32, keys, repeat(self._seed)))

    def payloads(self, before: Sequence[Column] | None, after: Sequence[Column] | None) -> list[bytes]:
        """The payloads of rows with these images, at least one of which is given."""
        parts = [*self._pieces(before), repeat(b"\n"), *self._pieces(after)]
        return _joined(parts)

    def texts(self, cells: Sequence[Column]) -> list[bytes]:
        """The cells of each row in the order of their names, as a JSON list."""
        columns: Any = [cells[number] for number in self.order]
        return list(map(b"[%b]".__mod__, map(b",".join, zip(*columns, strict=True))))

    def _pieces(self, cells: Sequence[Column] | None) -> Iterator[Any]:
        if cells is None:
            yield repeat(b"-")
            return
        for number, opening in zip(self.order, self._openings, strict=True):
            yield repeat(opening)
            yield cells[number]
        yield repeat(b"}")


def _joined(parts: Sequence[Any]) -> list[bytes]:
    return list(map(b"".join, zip(*parts, strict=False)))


def note_unsure(column: Column, positions: Sequence[int], unsure: set[int]) -> None:
    """Add the positions of the unsure cells in a column to `unsure`."""
    if UNSURE in column:
        unsure.update(position for position, cell in zip(positions, column, strict=True) if cell == UNSURE)
