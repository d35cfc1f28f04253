"""Lists the paths of an opened answer, and the pattern of each path.

A pattern has `[]` for positions in arrays and `{column}` for names of columns. An element that has a name, such as a
field of a schema, is identified by the name: `fields[{column}]`, `fields[op]`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

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


class Place(NamedTuple):
    """The place of a fault; each part may be ""."""

    event: str
    """The operation of the event, or its kind: `insert`, `ddl`."""
    path: str
    """The pattern of the path."""
    family: str
    """The column family, perhaps with ` unsigned`."""


class Node(NamedTuple):
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


class _Context(NamedTuple):
    """What is known about a value from the path to it; fields as in `Node` and `Place`."""

    pattern: str = ""
    """The path of the place."""
    path: Path = ()
    """The path of the node."""
    event: str = ""
    family: str = ""
    syntax: str = "plain"
    is_columns: bool = False
    """Whether the members of the value may be columns."""
    column: str = ""


@dataclass(frozen=True, slots=True)
class _KnownColumns:
    """Columns by name."""

    columns: Mapping[str, Column]
    """Those that a name may refer to: of the event's table if it is known, else of all tables."""
    tables: Mapping[tuple[str, str], Mapping[str, Column]]
    """(schema, table) → its columns by name."""

    def within(self, event: Mapping[str, Any]) -> _KnownColumns:
        """The columns that names below an object refer to; it may be an event or a message of one table."""
        schema, table = event.get("schema", event.get("database")), event.get("table")
        if not isinstance(schema, str) or not isinstance(table, str):
            return self
        return replace(self, columns=self.tables.get((schema, table), self.columns))


def nodes(case: Case, tree: Mapping[str, Any]) -> Sequence[Node]:
    """Every value of an opened answer, outer ones first."""
    tables: dict[tuple[str, str], dict[str, Column]] = {}
    statements = [event for event in case.events if isinstance(event, DdlEvent)]
    defined = [table for event in statements for table in event.tables_after]
    for table in (*case.tables, *defined):
        columns = tables.setdefault((table.schema, table.name), {})
        for column in table.columns:
            columns[column.name] = columns[sanitized(column.name)] = column
    known = _KnownColumns({name: column for columns in tables.values() for name, column in columns.items()}, tables)
    found: list[Node] = []
    for name, part in tree.items():
        _collect(found, part, _member_context(_Context(), name, known.columns), known, None)
    return found


def _collect(found: list[Node], value: Any, context: _Context, known: _KnownColumns, holder: Any) -> None:
    """Append the nodes of a value to `found`."""
    place = Place(context.event, context.pattern, context.family)
    found.append(Node(place, context.path, value, holder, context.syntax, context.column))
    if isinstance(value, Document):
        if value.tree is not None:
            syntax = "json" if is_json(value) else "plain"
            inside = context._replace(path=(*context.path, INSIDE), syntax=syntax)
            _collect(found, value.tree, inside, known, None)
    elif isinstance(value, dict):
        known = known.within(value)
        for name, part in value.items():
            _collect(found, part, _member_context(context, name, known.columns), known, value)
    elif isinstance(value, list):
        for n, part in enumerate(value):
            _collect(found, part, _element_context(context, n, part, known.columns), known, value)


def _member_context(context: _Context, name: str, columns: Mapping[str, Column]) -> _Context:
    column = columns.get(name) if context.is_columns else None
    step = "{column}" if column else name
    pattern = f"{context.pattern}.{step}" if context.pattern else step
    family = _family(column) if column else context.family
    syntax = "datum" if name == "datum" and context.syntax == "plain" else context.syntax
    is_columns = not column and name in _COLUMNS_IN
    column_name = column.name if column else context.column
    return _Context(pattern, (*context.path, name), context.event, family, syntax, is_columns, column_name)


def _element_context(context: _Context, n: int, part: Any, columns: Mapping[str, Column]) -> _Context:
    name = _name_of(part)
    column = columns.get(name)
    step = "{column}" if column else name
    event = context.event or _event_kind(part)
    family = _family(column) if column else context.family
    column_name = column.name if column else context.column
    pattern, path = f"{context.pattern}[{step}]", (*context.path, n)
    return _Context(pattern, path, event, family, context.syntax, context.is_columns, column_name)


def _name_of(part: Any) -> str:
    """The name of a field; "" for the schema of a row, whose name is that of the table."""
    if not isinstance(part, dict):
        return ""
    name = part.get("field", "" if "fields" in part else part.get("name"))
    return name if isinstance(name, str) else ""


def _family(column: Column) -> str:
    return f"{column.type.family}{' unsigned' if column.type.unsigned else ''}"


# -- kinds of events ---------------------------------------------------------------------------------------------------

_OP_BY_MARK = {
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


def _event_kind(part: Any) -> str:
    """The kind of event in a record or an answer; "" for anything else."""
    if not isinstance(part, dict):
        return ""
    if "kind" in part:
        return str(part.get("op") or part["kind"])
    if "key length" in part:
        return _kind_of_framed(part)
    return "" if "frame" in part or "headers" not in part else _kind_of_value(part)


def _kind_of_framed(event: Mapping[str, Any]) -> str:
    key, value = (event[side].tree if event[side] else {} for side in ("key", "value"))
    value = value.tree if isinstance(value, Document) else value or {}
    if key.get("t") != 1:
        return "ddl" if key.get("t") == 2 else "watermark"
    if "d" in value:
        return "delete"
    return "update" if "p" in value else "insert"


def _kind_of_value(record: Mapping[str, Any]) -> str:
    value = record["value"]
    while isinstance(value, Document):
        value = value.tree
    if not isinstance(value, dict):
        return "delete"
    if "marker" in value:
        return {1: "ddl", 2: "watermark"}.get(value["marker"].number, "delete")
    if "datum" in value:
        return _OP_BY_MARK.get(value["datum"].get("_tidb_op", "c"), "update")
    if "isDdl" in value:
        return "ddl" if value["isDdl"] else _OP_BY_MARK.get(value["type"], value["type"].lower())
    payload = value.get("payload", value)
    return _OP_BY_MARK.get(payload.get("op"), "ddl")
