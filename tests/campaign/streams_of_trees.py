"""A stream that corruptions change, by the trees of its messages; and what a corruption is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from shaped import BINARY, Tree, is_row, is_statement, opened, rows_of, shut, table_of

from reference_impl.keys import handle_key
from reference_impl.model import Record, Table

__all__ = [
    "Apply",
    "Corruption",
    "Stream",
    "changer",
    "edited",
    "exchanged",
    "has_tombstone",
    "in_any_order",
    "row_key",
]


@dataclass(frozen=True, slots=True)
class Stream:
    """The records of a side, its dialect, and its tables by name."""

    dialect: str
    records: Sequence[Record]
    tables: Mapping[str, Table]

    def with_records(self, records: Sequence[Record]) -> list[Record]:
        """Other records, counted anew in each partition."""
        next_: dict[tuple[str, int], int] = {}
        made = []
        for record in records:
            where = record.topic or "", record.partition or 0
            made.append(replace(record, offset=next_.setdefault(where, 0)))
            next_[where] += 1
        return made

    def trees(self) -> Iterator[tuple[int, tuple[Tree, Tree]]]:
        """The places and trees of messages that have one."""
        for at, record in enumerate(self.records):
            if (trees := opened(self.dialect, record)) is not None:
                yield at, trees

    def rows(self) -> list[int]:
        """The places of messages of rows."""
        if self.dialect in BINARY:
            return [at for at, record in enumerate(self.records) if record.value]
        return [at for at, trees in self.trees() if is_row(self.dialect, trees)]

    def statements(self) -> list[int]:
        """The places of messages of statements."""
        return [at for at, trees in self.trees() if is_statement(self.dialect, trees)]

    def changed(self, at: int, change: Callable[[Tree, Tree], object]) -> list[Record] | None:
        """The records with one changed by its trees, None if nothing changed."""
        made = edited(self.dialect, self.records[at], change)
        return None if made is None else [*self.records[:at], made, *self.records[at + 1 :]]

    def all_changed(self, change: Callable[[Tree, Tree], object]) -> list[Record] | None:
        """The records with all of rows changed."""
        rows = {*self.rows()}
        made = [
            (edited(self.dialect, record, change) or record) if at in rows else record
            for at, record in enumerate(self.records)
        ]
        return None if made == [*self.records] else made


def edited(dialect: str, record: Record, change: Callable[[Tree, Tree], object]) -> Record | None:
    """A record changed by its trees, None if it stays as it was."""
    trees = opened(dialect, record)
    if trees is None:
        return None
    before = json.dumps(trees)
    change(*trees)
    return None if json.dumps(trees) == before else shut(dialect, record, trees)


Apply = Callable[[Stream, Random], "list[Record] | None"]


@dataclass(frozen=True, slots=True)
class Corruption:
    """A corruption; `kind` is what it is one of."""

    name: str
    kind: str
    apply: Apply


def in_any_order(draw: Random, places: Sequence[int]) -> list[int]:
    shuffled = [*places]
    draw.shuffle(shuffled)
    return shuffled


def has_tombstone(stream: Stream, at: int) -> bool:
    rest = stream.records[at + 1 : at + 2]
    return stream.dialect != "avro" and bool(rest) and rest[0].value is None and rest[0].key == stream.records[at].key


def row_key(stream: Stream, at: int) -> str:
    trees = opened(stream.dialect, stream.records[at])
    if trees is None:
        return repr(stream.records[at].key)
    table = stream.tables.get(table_of(stream.dialect, trees))
    names = handle_key(table) if table else ()
    for image in rows_of(stream.dialect, trees[1]):
        if names and all(name in image.cells for name in names):
            return json.dumps([table_of(stream.dialect, trees), *(image.cells[name] for name in names)])
    return ""


def exchanged(stream: Stream, places: tuple[int, int]) -> list[Record]:
    a, b = places
    records = [*stream.records]
    records[a], records[b] = records[b], records[a]
    return stream.with_records(records)


def changer(
    dialect: str, find: Callable[[str, Tree, Tree], tuple[Any, Any] | None], change: Callable[[Any], Any]
) -> Callable[[Tree, Tree], None]:
    def changer(key: Tree, value: Tree) -> None:
        place = find(dialect, key, value)
        if place is not None:
            holder, name = place
            holder[name] = change(holder[name])

    return changer
