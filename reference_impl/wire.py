"""Reads and writes the model as JSON: Table, Event, Record and Claim of the harness protocol.

Reading raises `Rejected`: class `schema` for a member that is missing or of the wrong JSON kind, `type` and `range` for
a value that does not fit its column.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import Any

from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import (
    ABSENT,
    Absent,
    Claim,
    Column,
    DdlEvent,
    Default,
    Event,
    Expression,
    Key,
    Record,
    Row,
    RowChange,
    Table,
    Watermark,
)
from reference_impl.values import from_wire, to_wire

__all__ = [
    "claim_from_json",
    "claim_to_json",
    "event_from_json",
    "event_to_json",
    "events_from_json",
    "record_from_json",
    "record_to_json",
    "table_from_json",
    "table_to_json",
]

Json = Mapping[str, Any]

_KINDS = {str: "a string", int: "a whole number", bool: "true or false", list: "a list", dict: "an object"}
_LONGEST_TSO = 20
_ROW_OPS = ("insert", "update", "delete", "upsert", "read")


def _member(tree: Json, name: str, kind: type[Any], subject: str) -> Any:
    if not isinstance(tree, dict) or name not in tree:
        raise Rejected("schema", f"{subject} has no member {name!r}")
    if not isinstance(tree[name], kind) or (kind is int and isinstance(tree[name], bool)):
        raise Rejected("schema", f"{subject}: {name!r} is not {_KINDS[kind]}")
    return tree[name]


def _optional(tree: Json, name: str, kind: type[Any], subject: str, *, default: Any = None) -> Any:
    """A member that may be missing or null, and then is `default`."""
    return default if tree.get(name) is None else _member(tree, name, kind, subject)


def _timestamp(tree: Json, name: str, subject: str, *, required: bool) -> int | None:
    if tree.get(name) is None and not required:
        return None
    text = _member(tree, name, str, subject)
    if not (text.isascii() and text.isdigit()):
        raise Rejected("type", f"{subject}: {name!r} is not a string of digits")
    if len(text) > _LONGEST_TSO:
        raise Rejected("range", f"{subject}: {name!r} has more than {_LONGEST_TSO} digits")
    return int(text)


def _default(tree: Json) -> Default:
    if "default" not in tree:
        return ABSENT
    value = tree["default"]
    if isinstance(value, dict) and "expression" in value:
        return Expression(_member(value, "expression", str, "a default"))
    # A default is kept as text; for BINARY and VARBINARY that is the literal, not base64.
    if value is not None and not isinstance(value, str):
        raise Rejected("schema", f"default {value!r} is not a string")
    return value


def column_from_json(tree: Json, table_charset: str | None = None) -> Column:
    """The Column in a JSON object; without a charset of its own it has that of the table."""
    name = _member(tree, "name", str, "a column")
    subject = f"column {name!r}"
    charset = _optional(tree, "charset", str, subject)
    column_type = parse_column_type(_member(tree, "type", str, subject), charset or table_charset)
    return Column(
        name=name,
        type=column_type,
        nullable=_optional(tree, "nullable", bool, subject, default=True),
        default=_default(tree),
        charset=charset,
        collation=_optional(tree, "collation", str, subject),
        generated=_optional(tree, "generated", str, subject),
        auto_increment=_optional(tree, "auto_increment", bool, subject, default=False),
        on_update_now=_optional(tree, "on_update_now", bool, subject, default=False),
        comment=_optional(tree, "comment", str, subject),
    )


def _names(names: list[Any], subject: str) -> tuple[str, ...]:
    if not all(isinstance(name, str) for name in names):
        raise Rejected("schema", f"{subject}: the names of columns are not all strings")
    return tuple(names)


def _keys(tree: Json, name: str, subject: str) -> tuple[Key, ...]:
    keys = _optional(tree, name, list, subject, default=())
    key = f"{subject}: a key of {name!r}"
    return tuple(Key(_member(k, "name", str, key), _names(_member(k, "columns", list, key), key)) for k in keys)


def table_from_json(tree: Json) -> Table:
    """The Table in a JSON object. Raises `Rejected` (class `semantics`) if a key names an unknown column."""
    name = _member(tree, "name", str, "a table")
    subject = f"table {name!r}"
    charset = _optional(tree, "charset", str, subject)
    table = Table(
        schema=_member(tree, "schema", str, subject),
        name=name,
        columns=tuple(column_from_json(column, charset) for column in _member(tree, "columns", list, subject)),
        primary_key=_names(_optional(tree, "primary_key", list, subject, default=[]), subject),
        unique_keys=_keys(tree, "unique_keys", subject),
        indexes=_keys(tree, "indexes", subject),
        clustered=_optional(tree, "clustered", bool, subject, default=True),
        table_id=_optional(tree, "table_id", int, subject),
        partition_id=_optional(tree, "partition_id", int, subject),
        charset=charset,
        comment=_optional(tree, "comment", str, subject),
        create_sql=_optional(tree, "create_sql", str, subject),
    )
    for key in (table.primary_key, *(k.columns for k in (*table.unique_keys, *table.indexes))):
        for column in key:
            if table.column(column) is None:
                raise Rejected("semantics", f"{subject}: a key names the column {column!r}, which it does not have")
    return table


def _some(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def column_to_json(column: Column) -> dict[str, Any]:
    """The JSON object of a Column, without members at their defaults."""
    tree: dict[str, Any] = {"name": column.name, "type": column.type.text, "nullable": column.nullable}
    if isinstance(column.default, Expression):
        tree["default"] = {"expression": column.default.text}
    elif not isinstance(column.default, Absent):
        tree["default"] = to_wire(column.default)
    tree |= _some(
        charset=column.charset, collation=column.collation, generated=column.generated, comment=column.comment
    )
    if column.auto_increment:
        tree["auto_increment"] = True
    if column.on_update_now:
        tree["on_update_now"] = True
    return tree


def table_to_json(table: Table) -> dict[str, Any]:
    """The JSON object of a Table, without members that are None."""
    return {
        "schema": table.schema,
        "name": table.name,
        **_some(table_id=table.table_id, partition_id=table.partition_id, charset=table.charset, comment=table.comment),
        "columns": [column_to_json(c) for c in table.columns],
        "primary_key": list(table.primary_key),
        "unique_keys": [{"name": k.name, "columns": list(k.columns)} for k in table.unique_keys],
        "indexes": [{"name": k.name, "columns": list(k.columns)} for k in table.indexes],
        "clustered": table.clustered,
        **_some(create_sql=table.create_sql),
    }


def _row(tree: Any, table: Table, subject: str) -> Row | None:
    if tree is None:
        return None
    if not isinstance(tree, dict):
        raise Rejected("schema", f"{subject} is not an object")
    row = {}
    for name, value in tree.items():
        column = table.column(name)
        if column is None:
            raise Rejected("semantics", f"{subject}: the table has no column {name!r}")
        try:
            row[name] = from_wire(column.type, value)
        except Rejected as e:
            raise Rejected(e.reason, f"{subject}.{name}: {e.message}") from None
    return row


def _change(tree: Json, tables: Mapping[tuple[str, str], Table]) -> RowChange:
    op = _member(tree, "op", str, "a row event")
    if op not in _ROW_OPS:
        raise Rejected("type", f"a row event has the op {op!r}")
    schema, name = _member(tree, "schema", str, "a row event"), _member(tree, "table", str, "a row event")
    table = tables.get((schema, name))
    if table is None:
        raise Rejected("semantics", f"a row event names the table {schema}.{name}, which is not among the tables")
    return RowChange(
        op=op,
        schema=schema,
        table=name,
        commit_ts=_timestamp(tree, "commit_ts", "a row event", required=False),
        start_ts=_timestamp(tree, "start_ts", "a row event", required=False),
        before=_row(tree.get("before"), table, "before"),
        after=_row(tree.get("after"), table, "after"),
        partition_id=_optional(tree, "partition_id", int, "a row event"),
        row_id=_optional(tree, "row_id", str, "a row event"),
        source=_optional(tree, "source", dict, "a row event"),
    )


def _ddl(tree: Json) -> DdlEvent:
    subject = "a ddl event"

    def table(name: str) -> Table | None:
        given = _optional(tree, name, dict, subject)
        return None if given is None else table_from_json(given)

    return DdlEvent(
        schema=_optional(tree, "schema", str, subject, default=""),
        table=_optional(tree, "table", str, subject, default=""),
        query=_member(tree, "query", str, subject),
        action=_optional(tree, "action", str, subject),
        action_code=_optional(tree, "action_code", int, subject),
        commit_ts=_timestamp(tree, "commit_ts", subject, required=False),
        table_before=table("table_before"),
        table_after=table("table_after"),
        other_tables=tuple(map(table_from_json, _optional(tree, "other_tables", list, subject, default=()))),
        source=_optional(tree, "source", dict, subject),
    )


def event_from_json(tree: Json, tables: Mapping[tuple[str, str], Table]) -> Event:
    """The Event in a JSON object; `tables` maps (schema, name) to the table version in force."""
    kind = _member(tree, "kind", str, "an event")
    if kind == "row":
        return _change(tree, tables)
    if kind == "ddl":
        return _ddl(tree)
    if kind == "watermark":
        commit_ts = _timestamp(tree, "commit_ts", "a watermark", required=True)
        assert commit_ts is not None
        return Watermark(commit_ts)
    raise Rejected("type", f"an event has the kind {kind!r}")


def events_from_json(trees: Iterable[Json], tables: Iterable[Table]) -> list[Event]:
    """The Events of JSON objects, in order.

    A DDL event's `table_after` and `other_tables` are in force for the rows after it.
    """
    versions = {t.id: t for t in tables}
    events = []
    for item in trees:
        event = event_from_json(item, versions)
        if isinstance(event, DdlEvent):
            versions |= {table.id: table for table in event.tables_after}
        events.append(event)
    return events


def _row_to_json(row: Row | None) -> dict[str, Any] | None:
    return None if row is None else {name: to_wire(value) for name, value in row.items()}


def event_to_json(event: Event) -> dict[str, Any]:
    """The JSON object of an Event. Members that are None are left out; `before` and `after` are null."""
    if isinstance(event, Watermark):
        return {"kind": "watermark", "commit_ts": str(event.commit_ts)}
    times = _some(
        commit_ts=None if event.commit_ts is None else str(event.commit_ts),
        source=None if event.source is None else dict(event.source),
    )
    if isinstance(event, DdlEvent):
        return {
            "kind": "ddl",
            "schema": event.schema,
            "table": event.table,
            "query": event.query,
            **_some(
                action=event.action,
                action_code=event.action_code,
                table_before=event.table_before and table_to_json(event.table_before),
                table_after=event.table_after and table_to_json(event.table_after),
                other_tables=[table_to_json(t) for t in event.other_tables] or None,
            ),
            **times,
        }
    return {
        "kind": "row",
        "op": event.op,
        "schema": event.schema,
        "table": event.table,
        **times,
        **_some(
            start_ts=None if event.start_ts is None else str(event.start_ts),
            partition_id=event.partition_id,
            row_id=event.row_id,
        ),
        "before": _row_to_json(event.before),
        "after": _row_to_json(event.after),
    }


def _bytes(tree: Any, subject: str) -> bytes | None:
    if tree is None:
        return None
    if not isinstance(tree, str):
        raise Rejected("schema", f"{subject} is neither null nor a base64 string")
    try:
        return base64.b64decode(tree, validate=True)
    except ValueError:
        raise Rejected("schema", f"{subject} is not base64") from None


def _text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")


def record_from_json(tree: Json) -> Record:
    """The Record in a JSON object. Raises `Rejected` (class `schema`) for another JSON value."""
    if not isinstance(tree, dict):
        raise Rejected("schema", "a record is not an object")
    for name in ("key", "value"):
        if name not in tree:
            raise Rejected("schema", f"a record has no member {name!r}")
    return Record(
        key=_bytes(tree["key"], "a record's key"),
        value=_bytes(tree["value"], "a record's value"),
        partition=_optional(tree, "partition", int, "a record"),
        topic=_optional(tree, "topic", str, "a record"),
        headers=tuple(map(_header, _optional(tree, "headers", list, "a record", default=()))),
        offset=_optional(tree, "offset", int, "a record"),
        timestamp=_optional(tree, "timestamp", int, "a record"),
    )


def _header(tree: Any) -> tuple[str, bytes | None]:
    if not isinstance(tree, list | tuple) or len(tree) != 2 or not isinstance(tree[0], str):
        raise Rejected("schema", "a record: a header is not a pair of a name and a value")
    return tree[0], _bytes(tree[1], "a header")


def record_to_json(record: Record) -> dict[str, Any]:
    """The JSON object of a Record, without members that are None. Key and value are always there."""
    return {
        "key": _text(record.key),
        "value": _text(record.value),
        **_some(
            partition=record.partition,
            topic=record.topic,
            headers=[[name, _text(value)] for name, value in record.headers] or None,
            offset=record.offset,
            timestamp=record.timestamp,
        ),
    }


def claim_from_json(tree: Json) -> Claim:
    """The Claim in a JSON object. Raises `Rejected` (class `schema`) for another JSON value."""
    content = _bytes(_member(tree, "value", str, "a claim"), "a claim's value")
    return Claim(_member(tree, "location", str, "a claim"), content or b"")


def claim_to_json(claim: Claim) -> dict[str, Any]:
    """The JSON object of a Claim."""
    return {"location": claim.location, "value": _text(claim.content)}
