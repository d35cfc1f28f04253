"""Corruptions of what is around the rows: clocks, names, types, keys, statements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from shaped import Tree, opened, payload_of, table_of
from streams_of_trees import Apply, Corruption, Stream, changer, exchanged, in_any_order

from reference_impl.model import Record

__all__ = ["MEMBERS", "commit_ts_of", "other_kind_of", "sql_of"]


def _member(
    kind: str, find: Callable[[str, Tree, Tree], tuple[Any, Any] | None], change: Callable[[Any], Any]
) -> Apply:
    """One message with another value at a place that `find` tells."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        for at in in_any_order(draw, stream.rows()):
            made = stream.changed(at, changer(stream.dialect, find, change))
            if made is not None:
                return made
        return None

    return apply


def _member_of_all(find: Callable[[str, Tree, Tree], tuple[Any, Any] | None], change: Callable[[Any], Any]) -> Apply:
    return lambda stream, draw: stream.all_changed(changer(stream.dialect, find, change))


def commit_ts_of(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
    if dialect == "canal-json" and "_tidb" in value:
        return value["_tidb"], "commitTs"
    if dialect == "open-protocol":
        return key, "ts"
    if dialect == "debezium":
        return payload_of(value)["source"], "commit_ts"
    return None


def _time(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
    """The time of the change, in milliseconds."""
    if dialect in ("canal", "canal-json"):
        return value, "es"
    return (payload_of(value)["source"], "ts_ms") if "debezium" in dialect else None


_HOUR = 3_600_000


def _both_clocks(
    change_ts: Callable[[int], int], change_ms: Callable[[int], int]
) -> Callable[[str], Callable[..., None]]:
    def of(dialect: str) -> Callable[[Tree, Tree], None]:
        def changer(key: Tree, value: Tree) -> None:
            for find, change in ((commit_ts_of, change_ts), (_time, change_ms)):
                if (place := find(dialect, key, value)) is not None:
                    place[0][place[1]] = change(place[0][place[1]])
            source = payload_of(value).get("source") or {}
            for name, factor in (("ts_us", 1000), ("ts_ns", 1_000_000)):
                if name in source:
                    source[name] = source["ts_ms"] * factor

        return changer

    return of


_LATER = _both_clocks(lambda ts: ts + (_HOUR << 18), lambda ms: ms + _HOUR)


def _hour_in_one(stream: Stream, draw: Random) -> list[Record] | None:
    """In a row whose other changes are on both sides as they were."""
    return stream.changed(draw.choice(stream.rows()), _LATER(stream.dialect))


def _hour_in_all(stream: Stream, draw: Random) -> list[Record] | None:
    return stream.all_changed(_LATER(stream.dialect))


def _source(name: str) -> Callable[[str, Tree, Tree], tuple[Any, Any] | None]:
    def find(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
        source = payload_of(value).get("source")
        return (source, name) if isinstance(source, dict) and name in source else None

    return find


def _names(member: Mapping[str, tuple[str, ...]]) -> Callable[[str, Tree, Tree], tuple[Any, Any] | None]:
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


def _of_dict(path: Mapping[str, str]) -> Callable[[str, Tree, Tree], tuple[Any, Any] | None]:
    """The first member of an object of a message, one a column."""

    def find(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
        holder = value.get(path.get(dialect, ""))
        return (holder, next(iter(holder))) if isinstance(holder, dict) and holder else None

    return find


def _field(name: str) -> Callable[[str, Tree, Tree], tuple[Any, Any] | None]:
    """A member of the first field in the schema of the row."""

    def find(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
        fields = (value.get("schema") or {}).get("fields") or ()
        row = next((one for one in fields if one.get("field") == "after"), None)
        return (row["fields"][0], name) if row and name in row["fields"][0] else None

    return find


def _open_column(name: str) -> Callable[[str, Tree, Tree], tuple[Any, Any] | None]:
    def find(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
        if dialect != "open-protocol":
            return None
        row = value.get("u") or value.get("d")
        return (next(iter(row.values())), name)

    return find


def _statement(change: Callable[[Stream, int], list[Record] | None]) -> Apply:
    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        found = _of_known_tables(stream)
        return change(stream, draw.choice(found)) if found else None

    return apply


def sql_of(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
    if dialect == "open-protocol":
        return (value, "q") if "q" in value else None
    told = payload_of(value)
    return next(((told, name) for name in ("sql", "ddl") if told.get(name)), None)


def _altered_sql(change: Callable[[str], str]) -> Apply:
    """Another text of a statement that every dialect has a message for: the connector has none for TRUNCATE."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        found = [at for at in _of_known_tables(stream) if "truncate" not in _text(stream, at).lower()]
        return stream.changed(draw.choice(found), changer(stream.dialect, sql_of, change)) if found else None

    return apply


def _without(stream: Stream, at: int) -> list[Record]:
    return stream.with_records([*stream.records[:at], *stream.records[at + 1 :]])


def _of_known_tables(stream: Stream) -> list[int]:
    """The places of statements about tables that are compared."""
    known = {at: table_of(stream.dialect, trees) for at, trees in stream.trees()}
    return [at for at in stream.statements() if known[at] in stream.tables]


def _moved_statement(stream: Stream, draw: Random) -> list[Record] | None:
    """Two statements about a table, one behind the other, change places."""
    tables: dict[str, list[int]] = {}
    for at, trees in stream.trees():
        if at in {*_of_known_tables(stream)}:
            tables.setdefault(table_of(stream.dialect, trees), []).append(at)
    pairs = [
        (a, b)
        for places in tables.values()
        for a, b in pairwise(places)
        if _text(stream, a) != _text(stream, b) and stream.records[a].topic == stream.records[b].topic
    ]
    return exchanged(stream, pairs[0]) if pairs else None


def _moved_across_tables(stream: Stream, draw: Random) -> list[Record] | None:
    """Two statements about two tables, one behind the other in a partition, change places."""
    found = _of_known_tables(stream)
    tables = {at: table_of(stream.dialect, trees) for at, trees in stream.trees()}
    places = {at: (stream.records[at].topic, stream.records[at].partition) for at in found}
    pairs = [(a, b) for a, b in pairwise(found) if tables[a] != tables[b] and places[a] == places[b]]
    return exchanged(stream, draw.choice(pairs)) if pairs else None


def _text(stream: Stream, at: int) -> str:
    trees = opened(stream.dialect, stream.records[at])
    place = None if trees is None else sql_of(stream.dialect, *trees)
    return "" if place is None else str(place[0][place[1]])


def _column_of_changes(name: str, change: Callable[[Any], Any]) -> Apply:
    """A member of the first column in the `tableChanges` of a statement."""

    def find(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
        changes = payload_of(value).get("tableChanges") or ()
        columns = [c for one in changes for c in (one.get("table") or {}).get("columns") or ()]
        return next(((column, name) for column in columns if column.get(name) is not None), None)

    return _statement(lambda stream, at: stream.changed(at, changer(stream.dialect, find, change)))


def _kind_of_statement(dialect: str, key: Tree, value: Tree) -> tuple[Any, Any] | None:
    return (
        (value, "type") if dialect in ("canal", "canal-json") else (value, "t") if dialect == "open-protocol" else None
    )


def _other_type(sql: str) -> str:
    return (
        re.sub(r"\b(var)?(char|int|decimal|text)\b", "bigint unsigned", sql, count=1, flags=re.IGNORECASE)
        + " COMMENT 'x'"
    )


def _other_column(sql: str) -> str:
    return re.sub(r"(column|index|key|table) (`?)(\w+)", r"\1 \2z\3", sql, count=2, flags=re.IGNORECASE)


def _other_kind(stream: Stream, at: int) -> list[Record] | None:
    return stream.changed(at, other_kind_of(stream.dialect))


def other_kind_of(dialect: str) -> Callable[[Tree, Tree], None]:
    """The kind of a statement as another one."""
    return changer(dialect, _kind_of_statement, _another_kind)


def _another_kind(kind: Any) -> Any:
    return kind + 1 if isinstance(kind, int) else "ERASE"


def _all() -> Iterator[Corruption]:
    clocks: Sequence[tuple[str, Callable[..., Any], Callable[[Any], Any]]] = (
        ("a commit time stamp of 0", commit_ts_of, lambda ts: 0),
        ("a commit time stamp a millisecond off", commit_ts_of, lambda ts: ts + (1 << 18)),
        ("a commit time stamp an hour off", commit_ts_of, lambda ts: ts + (_HOUR << 18)),
        ("a time an hour off", _time, lambda ms: ms + _HOUR),
        ("a time of 0", _time, lambda ms: 0),
        ("ts_us that contradicts", _source("ts_us"), lambda us: us + 7_000_000),
        ("ts_ns that contradicts", _source("ts_ns"), lambda ns: ns + 7_000_000_000),
    )
    for name, find, change in clocks:
        yield Corruption(name, "clock", _member("clock", find, change))
        yield Corruption(f"{name}, in all", "clock", _member_of_all(find, change))
    yield Corruption("all times of a message an hour off", "clock", _hour_in_one)
    yield Corruption("all times of all messages an hour off", "clock", _hour_in_all)
    members: Sequence[tuple[str, str, Callable[..., Any], Callable[[Any], Any]]] = (
        ("source.snapshot", "names", _source("snapshot"), lambda mark: "true"),
        ("source.version", "names", _source("version"), lambda text: "9.9.9.Final"),
        ("source.connector", "names", _source("connector"), lambda text: "postgresql"),
        ("source.name", "names", _source("name"), lambda text: f"{text}x"),
        ("another schema", "names", _names(_SCHEMA), lambda name: f"{name}_other"),
        ("another table", "names", _names(_TABLE), lambda name: f"{name}_other"),
        ("a column in pkNames", "names", lambda d, k, v: (v, "pkNames") if v.get("pkNames") else None, lambda n: ["x"]),
        ("pkNames lost", "names", lambda d, k, v: (v, "pkNames") if v.get("pkNames") else None, lambda n: None),
        ("a mysqlType", "types", _of_dict({"canal": "mysqlType", "canal-json": "mysqlType"}), lambda t: "char(9)"),
        ("a sqlType", "types", _of_dict({"canal": "sqlType", "canal-json": "sqlType"}), lambda code: code + 1),
        ("a type in the schema", "types", _field("type"), lambda kind: "float"),
        ("optional in the schema", "types", _field("optional"), lambda flag: not flag),
        ("a type of Open Protocol", "types", _open_column("t"), lambda code: code + 1),
        ("a flag of Open Protocol", "types", _open_column("f"), lambda code: code ^ 1),
        ("isDdl of a row", "names", lambda d, k, v: (v, "isDdl") if "isDdl" in v else None, lambda flag: True),
    )
    for name, kind, find, change in members:
        yield Corruption(name, kind, _member(kind, find, change))
        yield Corruption(f"{name}, in all", kind, _member_of_all(find, change))
    statements: Sequence[tuple[str, Apply]] = (
        ("a statement lost", _statement(_without)),
        ("a statement of another type", _altered_sql(_other_type)),
        ("a statement about another column", _altered_sql(_other_column)),
        ("two statements exchanged", _moved_statement),
        ("two statements of two tables exchanged", _moved_across_tables),
        ("another kind of statement", _statement(_other_kind)),
        ("a type in tableChanges", _column_of_changes("typeName", lambda name: "GEOMETRY")),
        ("a jdbcType in tableChanges", _column_of_changes("jdbcType", lambda code: code + 1)),
        ("a length in tableChanges", _column_of_changes("length", lambda n: n + 1)),
        ("optional in tableChanges", _column_of_changes("optional", lambda flag: not flag)),
        ("a name in tableChanges", _column_of_changes("name", lambda name: f"{name}_x")),
        ("a position in tableChanges", _column_of_changes("position", lambda n: n + 1)),
        ("a charset in tableChanges", _column_of_changes("charsetName", lambda name: "latin1")),
    )  # fmt: skip
    yield from (Corruption(name, "DDL", apply) for name, apply in statements)


MEMBERS: Sequence[Corruption] = tuple(_all())
