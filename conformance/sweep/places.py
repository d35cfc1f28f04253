"""Lists the paths of an opened answer, and the pattern of each path.

A pattern has `[]` for positions in arrays and `{column}` for names of columns. An element that has a name, such as a
field of a schema, is identified by the name: `fields[{column}]`, `fields[op]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.cases.model import Case
from conformance.sweep.nodes import INSIDE, Document, Path, is_json
from reference_impl.model import Column, DdlEvent
from reference_impl.names import sanitized

__all__ = ["Node", "Place", "nodes"]

_COLUMNS_IN = frozenset(
    {
        *("data", "old", "sqlType", "mysqlType"),  # Canal-JSON
        *("u", "p", "d"),  # Open Protocol
        *("before", "after", "payload"),  # Debezium, and events
        *("datum", "_ticdc_before"),  # Avro
    }
)
"""Members whose own members may be columns."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """The place of a fault; each part may be ""."""

    event: str
    """The operation of the event, or its kind: `insert`, `ddl`."""
    path: str
    """The pattern of the path."""
    family: str
    """The column family, perhaps with ` unsigned`."""


@dataclass(frozen=True, slots=True)
class Node:
    """One value of an opened answer."""

    place: Place
    path: Path
    value: Any
    holder: Any
    """The object or array that it is in; None at the root of a document."""
    syntax: str
    """`json` inside of a JSON document, `datum` inside of Avro data, else `plain`."""
    column: str = ""
    """The name of the column that it belongs to, or ""."""


@dataclass(frozen=True, slots=True)
class _Spot:
    """The context of a value, collected on the way down."""

    pattern: str = ""
    path: Path = ()
    event: str = ""
    family: str = ""
    syntax: str = "plain"
    is_columns: bool = False
    column: str = ""


@dataclass(frozen=True, slots=True)
class _Names:
    """The columns that a name may refer to: those of the event's table if it is known, else those of all tables."""

    columns: Mapping[str, Column]
    tables: Mapping[tuple[str, str], Mapping[str, Column]]

    def of(self, event: Mapping[str, Any]) -> _Names:
        """The names for an object, which may be an event or a message of one table."""
        schema, table = event.get("schema", event.get("database")), event.get("table")
        if not isinstance(schema, str) or not isinstance(table, str):
            return self
        return replace(self, columns=self.tables.get((schema, table), self.columns))


def nodes(case: Case, tree: Mapping[str, Any]) -> Iterator[Node]:
    """Every value of an opened answer, outer ones first."""
    tables: dict[tuple[str, str], dict[str, Column]] = {}
    statements = [event for event in case.events if isinstance(event, DdlEvent)]
    defined = [table for event in statements for table in (event.table_after, *event.other_tables) if table]
    for table in (*case.tables, *defined):
        columns = tables.setdefault((table.schema, table.name), {})
        for column in table.columns:
            columns[column.name] = columns[sanitized(column.name)] = column
    names = _Names({name: column for columns in tables.values() for name, column in columns.items()}, tables)
    for name, part in tree.items():
        yield from _below(part, _member(_Spot(), name, part, names.columns), names, None)


def _below(value: Any, spot: _Spot, names: _Names, holder: Any) -> Iterator[Node]:
    yield Node(Place(spot.event, spot.pattern, spot.family), spot.path, value, holder, spot.syntax, spot.column)
    if isinstance(value, Document):
        if value.tree is None:
            return
        syntax = "json" if is_json(value) else "plain"
        inside = replace(spot, path=(*spot.path, INSIDE), syntax=syntax)
        yield from _below(value.tree, inside, names, None)
        return
    if isinstance(value, dict):
        names = names.of(value)
        for name, part in value.items():
            yield from _below(part, _member(spot, name, part, names.columns), names, value)
    elif isinstance(value, list):
        for n, part in enumerate(value):
            yield from _below(part, _element(spot, n, part, names.columns), names, value)


def _member(spot: _Spot, name: str, part: Any, columns: Mapping[str, Column]) -> _Spot:
    column = columns.get(name) if spot.is_columns else None
    step = "{column}" if column else name
    pattern = f"{spot.pattern}.{step}" if spot.pattern else step
    family = _family(column) if column else spot.family
    syntax = "datum" if name == "datum" and spot.syntax == "plain" else spot.syntax
    is_columns = not column and name in _COLUMNS_IN
    named = column.name if column else spot.column
    return _Spot(pattern, (*spot.path, name), spot.event, family, syntax, is_columns, named)


def _element(spot: _Spot, n: int, part: Any, columns: Mapping[str, Column]) -> _Spot:
    name = _name_of(part)
    column = columns.get(name)
    step = "{column}" if column else name
    event = spot.event or _event_of(part)
    family = _family(column) if column else spot.family
    named = column.name if column else spot.column
    return _Spot(f"{spot.pattern}[{step}]", (*spot.path, n), event, family, spot.syntax, spot.is_columns, named)


def _name_of(part: Any) -> str:
    """The name of a field; "" for the schema of a row, whose name is that of the table."""
    if not isinstance(part, dict):
        return ""
    name = part.get("field", "" if "fields" in part else part.get("name"))
    return name if isinstance(name, str) else ""


def _family(column: Column) -> str:
    return f"{column.type.family}{' unsigned' if column.type.unsigned else ''}"


# -- kinds of events ---------------------------------------------------------------------------------------------------

_OPS = {
    "INSERT": "insert",
    "UPDATE": "update",
    "DELETE": "delete",
    "TIDB_WATERMARK": "watermark",
    "c": "insert",
    "u": "update",
    "d": "delete",
    "r": "insert",
    "m": "watermark",
}


def _event_of(part: Any) -> str:
    """The kind of event in a record or an answer; "" for anything else."""
    if not isinstance(part, dict):
        return ""
    if "kind" in part:
        return str(part.get("op") or part["kind"])
    if "key length" in part:
        return _of_framed(part)
    return "" if "frame" in part or "headers" not in part else _of_value(part)


def _of_framed(event: Mapping[str, Any]) -> str:
    key, value = (event[side].tree if event[side] else {} for side in ("key", "value"))
    value = value.tree if isinstance(value, Document) else value or {}
    if key.get("t") != 1:
        return "ddl" if key.get("t") == 2 else "watermark"
    if "d" in value:
        return "delete"
    return "update" if "p" in value else "insert"


def _of_value(record: Mapping[str, Any]) -> str:
    value = record["value"]
    while isinstance(value, Document):
        value = value.tree
    if not isinstance(value, dict):
        return "delete"
    if "marker" in value:
        return {1: "ddl", 2: "watermark"}.get(value["marker"].number, "delete")
    if "datum" in value:
        return _OPS.get(value["datum"].get("_tidb_op", "c"), "update")
    if "isDdl" in value:
        return "ddl" if value["isDdl"] else _OPS.get(value["type"], value["type"].lower())
    payload = value.get("payload", value)
    return _OPS.get(payload.get("op"), "ddl")
