"""Corruptions of what is around the rows: clocks, names, types, keys, statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from trees import (
    Apply,
    Corruption,
    Edit,
    Find,
    Stream,
    Tree,
    changer,
    commit_ts_of,
    later,
    payload_of,
    source_member,
    sql_of,
    time_of,
)

from reference_impl.model import Record

_HOUR = 3_600_000


def _member(find: Find, change: Callable[[Any], Any]) -> Apply:
    """One message with another value of a member."""
    return lambda stream, draw: stream.one_changed(draw, changer(stream.dialect, find, change))


def _member_of_all(find: Find, change: Callable[[Any], Any]) -> Apply:
    return lambda stream, draw: stream.all_changed(changer(stream.dialect, find, change))


def _names(member: Mapping[str, tuple[str, ...]]) -> Find:
    def find(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
        path = member.get(dialect)
        if path is None:
            return None
        holder: Any = key if dialect == "open-protocol" else payload_of(value)
        for name in path[:-1]:
            holder = holder[name]
        return (holder, path[-1]) if path[-1] in holder else None

    return find


_SCHEMA = {"canal": ("database",), "canal-json": ("database",), "open-protocol": ("scm",), "debezium": ("source", "db"),
           "debezium-connector": ("source", "db")}  # fmt: skip
_TABLE = {"canal": ("table",), "canal-json": ("table",), "open-protocol": ("tbl",), "debezium": ("source", "table"),
          "debezium-connector": ("source", "table")}  # fmt: skip


def _of_column(member: str) -> Find:
    """Finds the entry of the first column in a member of a message of the canal family."""

    def find(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
        holder = value.get(member) if "canal" in dialect else None
        return (holder, next(iter(holder))) if isinstance(holder, dict) and holder else None

    return find


def _of_field(name: str) -> Find:
    """A member of the first field in the schema of the row."""

    def find(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
        fields = (value.get("schema") or {}).get("fields") or ()
        row = next((one for one in fields if one.get("field") == "after"), None)
        return (row["fields"][0], name) if row and name in row["fields"][0] else None

    return find


def _open_column(name: str) -> Find:
    def find(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
        row = (value.get("u") or value.get("d")) if dialect == "open-protocol" else None
        return (next(iter(row.values())), name) if row else None

    return find


def _if_there(name: str) -> Find:
    return lambda dialect, key, value: (value, name) if value.get(name) is not None else None


def _statement(change: Callable[[Stream, int], list[Record] | None], but_for: str = "nothing") -> Apply:
    """A change of one of the statements about tables that are compared, of those without a word."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        found = [at for at in _of_known_tables(stream) if but_for not in _text(stream, at).lower()]
        return change(stream, draw.choice(found)) if found else None

    return apply


def _in_statement(find: Find, change: Callable[[Any], Any], but_for: str = "nothing") -> Apply:
    return _statement(lambda stream, at: stream.changed(at, changer(stream.dialect, find, change)), but_for)


def _altered_sql(change: Callable[[str], str]) -> Apply:
    """Another text of a statement that every dialect has a message for: the connector has none for TRUNCATE."""
    return _in_statement(sql_of, change, but_for="truncate")


def _of_known_tables(stream: Stream) -> list[int]:
    return [at for at in stream.statements if stream.names[at] in stream.tables]


def _text(stream: Stream, at: int) -> str:
    place = sql_of(stream.dialect, *stream.trees(at))
    return "" if place is None else str(place[0][place[1]])


def _exchanged_statements(stream: Stream, draw: Random) -> list[Record] | None:
    """Two statements about a table, one behind the other, change places."""
    tables: dict[str, list[int]] = {}
    for at in _of_known_tables(stream):
        tables.setdefault(stream.names[at], []).append(at)
    pairs = [(a, b) for places in tables.values() for a, b in pairwise(places) if _text(stream, a) != _text(stream, b)]
    found = [(a, b) for a, b in pairs if stream.records[a].topic == stream.records[b].topic]
    return stream.exchanged(*found[0]) if found else None


def _exchanged_across_tables(stream: Stream, draw: Random) -> list[Record] | None:
    """Two statements about two tables, one behind the other in a partition, change places."""
    pairs = [(a, b) for a, b in pairwise(_of_known_tables(stream)) if stream.names[a] != stream.names[b]]
    places = [(record.topic, record.partition) for record in stream.records]
    found = [(a, b) for a, b in pairs if places[a] == places[b]]
    return stream.exchanged(*draw.choice(found)) if found else None


def _column_of_changes(name: str, change: Callable[[Any], Any]) -> Apply:
    """A member of the first column in the `tableChanges` of a statement."""

    def find(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
        changes = payload_of(value).get("tableChanges") or ()
        columns = [c for one in changes for c in (one.get("table") or {}).get("columns") or ()]
        return next(((column, name) for column in columns if column.get(name) is not None), None)

    return _in_statement(find, change)


def _kind_of_statement(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
    name = {"canal": "type", "canal-json": "type", "open-protocol": "t"}.get(dialect)
    return None if name is None else (value, name)


def _other_type(sql: str) -> str:
    types = r"\b(var)?(char|int|decimal|text)\b"
    return re.sub(types, "bigint unsigned", sql, count=1, flags=re.IGNORECASE) + " COMMENT 'x'"


def _other_column(sql: str) -> str:
    return re.sub(r"(column|index|key|table) (`?)(\w+)", r"\1 \2z\3", sql, count=2, flags=re.IGNORECASE)


def other_kind_of(dialect: str) -> Edit:
    """The kind of a statement as another one."""
    return changer(dialect, _kind_of_statement, lambda kind: kind + 1 if isinstance(kind, int) else "ERASE")


_MEMBERS: Sequence[tuple[str, str, Find, Callable[[Any], Any]]] = (
    ("a commit time stamp of 0", "clock", commit_ts_of, lambda ts: 0),
    ("a commit time stamp a millisecond off", "clock", commit_ts_of, lambda ts: ts + (1 << 18)),
    ("a commit time stamp an hour off", "clock", commit_ts_of, lambda ts: ts + (_HOUR << 18)),
    ("a time an hour off", "clock", time_of, lambda ms: ms + _HOUR),
    ("a time of 0", "clock", time_of, lambda ms: 0),
    ("ts_us that contradicts", "clock", source_member("ts_us"), lambda us: us + 7_000_000),
    ("ts_ns that contradicts", "clock", source_member("ts_ns"), lambda ns: ns + 7_000_000_000),
    ("source.snapshot", "names", source_member("snapshot"), lambda mark: "true"),
    ("source.version", "names", source_member("version"), lambda text: "9.9.9.Final"),
    ("source.connector", "names", source_member("connector"), lambda text: "postgresql"),
    ("source.name", "names", source_member("name"), lambda text: f"{text}x"),
    ("another schema", "names", _names(_SCHEMA), lambda name: f"{name}_other"),
    ("another table", "names", _names(_TABLE), lambda name: f"{name}_other"),
    ("a column in pkNames", "names", _if_there("pkNames"), lambda names: ["x"]),
    ("pkNames lost", "names", _if_there("pkNames"), lambda names: None),
    ("a mysqlType", "types", _of_column("mysqlType"), lambda kind: "char(9)"),
    ("a sqlType", "types", _of_column("sqlType"), lambda code: code + 1),
    ("a type in the schema", "types", _of_field("type"), lambda kind: "float"),
    ("optional in the schema", "types", _of_field("optional"), lambda flag: not flag),
    ("a type of Open Protocol", "types", _open_column("t"), lambda code: code + 1),
    ("a flag of Open Protocol", "types", _open_column("f"), lambda code: code ^ 1),
    ("isDdl of a row", "names", _if_there("isDdl"), lambda flag: True),
)


def _all() -> Iterator[Corruption]:
    for name, kind, find, change in _MEMBERS:
        if name == "source.snapshot":
            # In a row whose other changes are on both sides as they were.
            in_one: Apply = lambda of, draw: of.changed(draw.choice(of.rows), later(of.dialect, _HOUR))  # noqa: E731
            in_all: Apply = lambda of, draw: of.all_changed(later(of.dialect, _HOUR))  # noqa: E731
            yield Corruption("all times of a message an hour off", "clock", in_one)
            yield Corruption("all times of all messages an hour off", "clock", in_all)
        yield Corruption(name, kind, _member(find, change))
        yield Corruption(f"{name}, in all", kind, _member_of_all(find, change))
    statements: Sequence[tuple[str, Apply]] = (
        ("a statement lost", _statement(lambda stream, at: stream.without([at]))),
        ("a statement of another type", _altered_sql(_other_type)),
        ("a statement about another column", _altered_sql(_other_column)),
        ("two statements exchanged", _exchanged_statements),
        ("two statements of two tables exchanged", _exchanged_across_tables),
        ("another kind of statement", _statement(lambda stream, at: stream.changed(at, other_kind_of(stream.dialect)))),
        ("a type in tableChanges", _column_of_changes("typeName", lambda name: "GEOMETRY")),
        ("a jdbcType in tableChanges", _column_of_changes("jdbcType", lambda code: code + 1)),
        ("a length in tableChanges", _column_of_changes("length", lambda n: n + 1)),
        ("optional in tableChanges", _column_of_changes("optional", lambda flag: not flag)),
        ("a name in tableChanges", _column_of_changes("name", lambda name: f"{name}_x")),
        ("a position in tableChanges", _column_of_changes("position", lambda n: n + 1)),
        ("a charset in tableChanges", _column_of_changes("charsetName", lambda name: "latin1")),
    )
    yield from (Corruption(name, "DDL", apply) for name, apply in statements)


MEMBERS: Sequence[Corruption] = tuple(_all())
