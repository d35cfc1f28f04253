"""The messages of every JSON dialect as trees, streams that are changed by them, and what a corruption is.

A corruption takes a stream and gives other records, or None if there is no place for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

from reference_impl.keys import handle_key
from reference_impl.model import Record, Table

Tree = Any
Cells = dict[str, Any]
Edit = Callable[[Tree, Tree], object]
"""Changes the trees of a key and a value."""
Find = Callable[[str, Tree, Tree], "tuple[Any, Any] | None"]
"""In the messages of a dialect, what holds a member, and the name of the member."""

BINARY = frozenset({"avro"})
TICDC = ("canal-json", "open-protocol", "debezium")
_VERSION = (1).to_bytes(8, "big")


def _framed(tree: Tree) -> bytes:
    data = _text(tree)
    return len(data).to_bytes(8, "big") + data


def _text(tree: Tree) -> bytes:
    text = json.dumps(tree, ensure_ascii=False, separators=(",", ":"))
    return re.sub(r'"\\u0001(-?[0-9][0-9.eE+-]*)"', r"\1", text).encode("utf-8", "surrogatepass")


def _kept(text: str) -> str:
    """A number with a fraction as a text that is written again with the same digits, and no quotes."""
    return f"\x01{text}"


def opened(dialect: str, record: Record) -> tuple[Tree, Tree] | None:
    """Key and value as trees, None for what has no tree. Numbers with a fraction lose no digit."""
    key, value = record.key, record.value
    if dialect in BINARY or not value:
        return None
    if dialect == "open-protocol":
        if not value[8:].startswith(b"{"):
            return None
        key, value = (key or b"")[16:], value[8:]
    return (json.loads(key) if key else None), json.loads(value, parse_float=_kept)


def shut(dialect: str, record: Record, trees: tuple[Tree, Tree]) -> Record:
    """The record with other trees."""
    key, value = trees
    if dialect == "open-protocol":
        return replace(record, key=_VERSION + _framed(key), value=_framed(value))
    return replace(record, key=None if key is None else _text(key), value=_text(value))


def edited(dialect: str, record: Record, change: Edit) -> Record | None:
    """A record changed by its trees, None if it stays as it was."""
    trees = opened(dialect, record)
    if trees is None:
        return None
    before = json.dumps(trees)
    change(*trees)
    return None if json.dumps(trees) == before else shut(dialect, record, trees)


def payload_of(value: Tree) -> Tree:
    """What a message says, without the schema around it."""
    return value.get("payload", value)


def source_of(value: Tree) -> Tree:
    """The `source` of a message; of one that has none an empty object."""
    return payload_of(value).get("source") or {}


@dataclass(frozen=True, slots=True)
class Image:
    """An image of a row in a message: `name` is `before` or `after`; `framed`: an object around each value."""

    name: str
    cells: Cells
    framed: bool = False

    def get(self, column: str) -> Any:
        """The value of a column."""
        return self.cells[column]["v"] if self.framed else self.cells[column]

    def cell(self, column: str, value: Any) -> Any:
        """The cell of a column with another value."""
        return {**self.cells[column], "v": value} if self.framed else value

    def put(self, column: str, value: Any) -> None:
        self.cells[column] = self.cell(column, value)


def rows_of(dialect: str, value: Tree) -> Iterator[Image]:
    """The images in a message."""
    if dialect == "open-protocol":
        for name, member in (("after", "u"), ("before", "d"), ("before", "p")):
            if isinstance(value.get(member), dict):
                yield Image(name, value[member], framed=True)
        return
    payload = payload_of(value)
    if dialect in ("canal", "canal-json"):
        deleted = payload.get("type") == "DELETE"
        yield from (Image("before" if deleted else "after", row) for row in payload.get("data") or ())
        yield from (Image("before", row) for row in payload.get("old") or ())
        return
    yield from (Image(name, payload[name]) for name in ("before", "after") if isinstance(payload.get(name), dict))


def is_statement(dialect: str, value: Tree) -> bool:
    """Whether it is a message of a DDL statement."""
    payload = payload_of(value)
    return "q" in value if dialect == "open-protocol" else bool(payload.get("isDdl")) or "ddl" in payload


def table_of(dialect: str, trees: tuple[Tree, Tree]) -> str:
    """The table that a message names."""
    key, value = trees
    payload = payload_of(value)
    return str(key.get("tbl") if dialect == "open-protocol" else payload.get("table") or source_of(value).get("table"))


# -- members of messages


def source_member(name: str) -> Find:
    """A member of `source`."""
    return lambda dialect, key, value: (of, name) if (of := source_of(value)).get(name) is not None else None


def commit_ts_of(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
    if dialect == "canal-json" and "_tidb" in value:
        return value["_tidb"], "commitTs"
    if dialect == "open-protocol":
        return key, "ts"
    return (source_of(value), "commit_ts") if dialect == "debezium" else None


def time_of(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
    """The time of the change, in milliseconds."""
    if dialect in ("canal", "canal-json"):
        return value, "es"
    return (source_of(value), "ts_ms") if "debezium" in dialect else None


def sql_of(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
    payload = payload_of(value)
    return next(((payload, name) for name in ("sql", "ddl", "q") if payload.get(name)), None)


def changer(dialect: str, find: Find, change: Callable[[Any], Any]) -> Edit:
    """A change of the member that is found."""

    def edit(key: Tree, value: Tree) -> None:
        if (place := find(dialect, key, value)) is not None:
            holder, name = place
            holder[name] = change(holder[name])

    return edit


def later(dialect: str, ms: int) -> Edit:
    """All times of a change later, and in harmony."""

    def edit(key: Tree, value: Tree) -> None:
        changer(dialect, commit_ts_of, lambda ts: ts + (ms << 18))(key, value)
        changer(dialect, time_of, lambda time: time + ms)(key, value)
        source = source_of(value)
        for name, factor in (("ts_us", 1000), ("ts_ns", 1_000_000)):
            if name in source:
                source[name] = source["ts_ms"] * factor

    return edit


# -- streams


@dataclass(frozen=True)
class Stream:
    """The records of a side, its dialect, and its tables by name."""

    dialect: str
    records: Sequence[Record]
    tables: Mapping[str, Table]

    @cached_property
    def statements(self) -> list[int]:
        """The places of messages of statements."""
        return [at for at, (_, value) in self._trees() if is_statement(self.dialect, value)]

    @cached_property
    def rows(self) -> list[int]:
        """The places of messages of rows."""
        if self.dialect in BINARY:
            return [at for at, record in enumerate(self.records) if record.value]
        found = [at for at, (_, value) in self._trees() if any(True for _ in rows_of(self.dialect, value))]
        return sorted({*found} - {*self.statements})

    @cached_property
    def names(self) -> dict[int, str]:
        """The table that each message names that has a tree."""
        return {at: table_of(self.dialect, trees) for at, trees in self._trees()}

    @cached_property
    def keys(self) -> dict[int, str]:
        """The key of the row of each message of rows, an empty text for none."""
        return {at: self._key(at) for at in self.rows}

    def _key(self, at: int) -> str:
        trees = self.opened(at)
        if trees is None:
            return repr(self.records[at].key)
        names = self.key_columns(at)
        images = (image for image in rows_of(self.dialect, trees[1]) if names and image.cells.keys() >= {*names})
        return next((json.dumps([self.names[at], *(image.cells[name] for name in names)]) for image in images), "")

    def _trees(self) -> Iterator[tuple[int, tuple[Tree, Tree]]]:
        for at in range(len(self.records)):
            if (trees := self.opened(at)) is not None:
                yield at, trees

    def opened(self, at: int) -> tuple[Tree, Tree] | None:
        return opened(self.dialect, self.records[at])

    def trees(self, at: int) -> tuple[Tree, Tree]:
        """The trees of key and value; empty objects for a message that has none."""
        return self.opened(at) or ({}, {})

    def value(self, at: int) -> Tree:
        """The tree of a value."""
        return self.trees(at)[1]

    def images(self, at: int) -> dict[str, Image]:
        """The images of a message by `before` and `after`, of several the last."""
        return {image.name: image for image in rows_of(self.dialect, self.value(at))}

    def key_columns(self, at: int) -> Sequence[str]:
        """The columns of the key of the table of a message."""
        table = self.tables.get(self.names.get(at, ""))
        return handle_key(table) if table else ()

    def kind(self, at: int, column: str) -> str:
        """The family of the type of a column; an empty text for one that is not known."""
        table = self.tables.get(self.names.get(at, ""))
        found = table.column(column) if table else None
        return found.type.family.value if found else ""

    def has_tombstone(self, at: int) -> bool:
        rest = self.records[at + 1 : at + 2]
        return self.dialect != "avro" and bool(rest) and rest[0].value is None and rest[0].key == self.records[at].key

    def whole(self, at: int) -> range:
        """The places of a message and its tombstone."""
        return range(at, at + 1 + self.has_tombstone(at))

    def with_records(self, records: Sequence[Record]) -> list[Record]:
        """Other records, counted anew in each partition."""
        next_: dict[tuple[str, int], int] = {}
        made = []
        for record in records:
            where = record.topic or "", record.partition or 0
            made.append(replace(record, offset=next_.setdefault(where, 0)))
            next_[where] += 1
        return made

    def without(self, gone: Collection[int]) -> list[Record]:
        """Without the messages at these places and their tombstones."""
        places = {n for at in gone for n in self.whole(at)}
        return self.with_records([record for at, record in enumerate(self.records) if at not in places])

    def with_again(self, at: int, *more: Record) -> list[Record]:
        """With more messages behind one."""
        return self.with_records([*self.records[: at + 1], *more, *self.records[at + 1 :]])

    def with_one(self, at: int, **members: Any) -> list[Record]:
        """With other members of one record; its offset stays."""
        return [*self.records[:at], replace(self.records[at], **members), *self.records[at + 1 :]]

    def moved(self, at: int, to: int) -> list[Record]:
        """With a message behind those that come after it."""
        records = [*self.records]
        moved = records.pop(at)
        records.insert(to, moved)
        return self.with_records(records)

    def exchanged(self, a: int, b: int) -> list[Record]:
        records = [*self.records]
        records[a], records[b] = records[b], records[a]
        return self.with_records(records)

    def changed(self, at: int, change: Edit) -> list[Record] | None:
        """The records with one changed by its trees, None if nothing changed."""
        made = edited(self.dialect, self.records[at], change)
        return None if made is None else [*self.records[:at], made, *self.records[at + 1 :]]

    def one_changed(self, draw: Random, change: Edit) -> list[Record] | None:
        """The records with one of rows changed, the first of any order that a change changes."""
        made = (self.changed(at, change) for at in in_any_order(draw, self.rows))
        return next((one for one in made if one is not None), None)

    def all_changed(self, change: Edit, places: Collection[int] | None = None) -> list[Record] | None:
        """The records with all at places changed, by default all of rows; None if nothing changed."""
        chosen = {*(self.rows if places is None else places)}
        made = [
            (edited(self.dialect, record, change) or record) if at in chosen else record
            for at, record in enumerate(self.records)
        ]
        return None if made == [*self.records] else made


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
