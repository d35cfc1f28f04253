"""Reads and writes the model as JSON: Table, Event, Record and Claim of the harness protocol.

Reading raises `Rejected`: class `schema` for a member that is missing or of the wrong JSON kind, `type` and `range` for
a value that does not fit its column.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence
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

_ROW_OPS = ("insert", "update", "delete", "upsert", "read")


def _member(given: Json, name: str, kind: type[Any], what: str) -> Any:
    if not isinstance(given, dict) or name not in given:
        raise Rejected("schema", f"{what} has no member {name!r}")
    if not isinstance(given[name], kind) or (kind is int and isinstance(given[name], bool)):
        raise Rejected("schema", f"{what}: {name!r} is not a {kind.__name__}")
    return given[name]


def _timestamp(given: Json, name: str, what: str, *, required: bool) -> int | None:
    if given.get(name) is None and not required:
        return None
    text = _member(given, name, str, what)
    if not (text.isascii() and text.isdigit()):
        raise Rejected("type", f"{what}: {name!r} is not a string of digits")
    return int(text)


def _default(kind: Any, given: Json) -> Default:
    if "default" not in given:
        return ABSENT
    value = given["default"]
    if isinstance(value, dict) and "expression" in value:
        return Expression(str(value["expression"]))
    # A default is kept as text; for BINARY and VARBINARY that is the literal, not base64.
    if value is not None and not isinstance(value, str):
        raise Rejected("schema", f"default {value!r} is not a string")
    return value


def column_from_json(given: Json, table_charset: str | None = None) -> Column:
    """The Column in a JSON object; without a charset of its own it has that of the table."""
    name = _member(given, "name", str, "a column")
    charset = given.get("charset")
    column_type = parse_column_type(_member(given, "type", str, f"column {name!r}"), charset or table_charset)
    return Column(
        name=name,
        type=column_type,
        nullable=given.get("nullable", True),
        default=_default(column_type, given),
        charset=charset,
        collation=given.get("collation"),
        generated=given.get("generated"),
        auto_increment=given.get("auto_increment", False),
        on_update_now=given.get("on_update_now", False),
        comment=given.get("comment"),
    )


def _keys(given: Json, name: str) -> tuple[Key, ...]:
    return tuple(Key(k["name"], tuple(k["columns"])) for k in given.get(name) or ())


def table_from_json(given: Json) -> Table:
    """The Table in a JSON object. Raises `Rejected` (class `semantics`) if a key names an unknown column."""
    name = _member(given, "name", str, "a table")
    table = Table(
        schema=_member(given, "schema", str, f"table {name!r}"),
        name=name,
        columns=tuple(
            column_from_json(c, given.get("charset")) for c in _member(given, "columns", list, f"table {name!r}")
        ),
        primary_key=tuple(given.get("primary_key") or ()),
        unique_keys=_keys(given, "unique_keys"),
        indexes=_keys(given, "indexes"),
        clustered=given.get("clustered", True),
        table_id=given.get("table_id"),
        partition_id=given.get("partition_id"),
        charset=given.get("charset"),
        comment=given.get("comment"),
        create_sql=given.get("create_sql"),
    )
    for key in (table.primary_key, *(k.columns for k in (*table.unique_keys, *table.indexes))):
        for column in key:
            if table.column(column) is None:
                raise Rejected(
                    "semantics", f"table {name!r}: a key names the column {column!r}, which it does not have"
                )
    return table


def _some(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def column_to_json(column: Column) -> dict[str, Any]:
    """The JSON object of a Column, without members at their defaults."""
    given: dict[str, Any] = {"name": column.name, "type": column.type.text, "nullable": column.nullable}
    if isinstance(column.default, Expression):
        given["default"] = {"expression": column.default.text}
    elif not isinstance(column.default, Absent):
        given["default"] = to_wire(column.default)
    given |= _some(
        charset=column.charset, collation=column.collation, generated=column.generated, comment=column.comment
    )
    if column.auto_increment:
        given["auto_increment"] = True
    if column.on_update_now:
        given["on_update_now"] = True
    return given


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


def _row(given: Any, table: Table, what: str) -> Row | None:
    if given is None:
        return None
    if not isinstance(given, dict):
        raise Rejected("schema", f"{what} is not an object")
    row = {}
    for name, value in given.items():
        column = table.column(name)
        if column is None:
            raise Rejected("semantics", f"{what}: the table has no column {name!r}")
        try:
            row[name] = from_wire(column.type, value)
        except Rejected as e:
            raise Rejected(e.reason, f"{what}.{name}: {e.message}") from None
    return row


def _change(given: Json, tables: Mapping[tuple[str, str], Table]) -> RowChange:
    op = _member(given, "op", str, "a row event")
    if op not in _ROW_OPS:
        raise Rejected("type", f"a row event has the op {op!r}")
    schema, name = _member(given, "schema", str, "a row event"), _member(given, "table", str, "a row event")
    table = tables.get((schema, name))
    if table is None:
        raise Rejected("semantics", f"a row event names the table {schema}.{name}, which is not among the tables")
    return RowChange(
        op=op,
        schema=schema,
        table=name,
        commit_ts=_timestamp(given, "commit_ts", "a row event", required=False),
        start_ts=_timestamp(given, "start_ts", "a row event", required=False),
        before=_row(given.get("before"), table, "before"),
        after=_row(given.get("after"), table, "after"),
        partition_id=given.get("partition_id"),
        row_id=given.get("row_id"),
        source=given.get("source"),
    )


def _ddl(given: Json) -> DdlEvent:
    def table(name: str) -> Table | None:
        return table_from_json(given[name]) if given.get(name) else None

    return DdlEvent(
        schema=given.get("schema", ""),
        table=given.get("table", ""),
        query=_member(given, "query", str, "a ddl event"),
        action=given.get("action"),
        action_code=given.get("action_code"),
        commit_ts=_timestamp(given, "commit_ts", "a ddl event", required=False),
        table_before=table("table_before"),
        table_after=table("table_after"),
        other_tables=tuple(table_from_json(t) for t in given.get("other_tables") or ()),
        source=given.get("source"),
    )


def event_from_json(given: Json, tables: Mapping[tuple[str, str], Table]) -> Event:
    """The Event in a JSON object; `tables` maps (schema, name) to the table version in force."""
    kind = _member(given, "kind", str, "an event")
    if kind == "row":
        return _change(given, tables)
    if kind == "ddl":
        return _ddl(given)
    if kind == "watermark":
        commit_ts = _timestamp(given, "commit_ts", "a watermark", required=True)
        assert commit_ts is not None
        return Watermark(commit_ts)
    raise Rejected("type", f"an event has the kind {kind!r}")


def events_from_json(given: Sequence[Json], tables: Iterable[Table]) -> list[Event]:
    """The Events of a JSON array; a DDL event's `table_after` and `other_tables` are in force for the rows after it."""
    versions = {t.id: t for t in tables}
    events = []
    for item in given:
        event = event_from_json(item, versions)
        if isinstance(event, DdlEvent):
            for table in (event.table_after, *event.other_tables):
                if table is not None:
                    versions[table.id] = table
        events.append(event)
    return events


def _row_to_json(row: Row | None) -> dict[str, Any] | None:
    return None if row is None else {name: to_wire(value) for name, value in row.items()}


def event_to_json(event: Event) -> dict[str, Any]:
    """The JSON object of an Event; a member that is None is left out, but the images of a row are null."""
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


def _bytes(given: Any, what: str) -> bytes | None:
    if given is None:
        return None
    if not isinstance(given, str):
        raise Rejected("schema", f"{what} is neither null nor a base64 string")
    try:
        return base64.b64decode(given, validate=True)
    except (binascii.Error, ValueError):
        raise Rejected("schema", f"{what} is not base64") from None


def _text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")


def record_from_json(given: Json) -> Record:
    """The Record in a JSON object. Raises `Rejected` (class `schema`) for another JSON value."""
    if not isinstance(given, dict):
        raise Rejected("schema", "a record is not an object")
    for name in ("key", "value"):
        if name not in given:
            raise Rejected("schema", f"a record has no member {name!r}")
    return Record(
        key=_bytes(given["key"], "a record's key"),
        value=_bytes(given["value"], "a record's value"),
        partition=_some_of(given, "partition", int),
        topic=_some_of(given, "topic", str),
        headers=tuple(map(_header, _some_of(given, "headers", list) or ())),
        offset=_some_of(given, "offset", int),
        timestamp=_some_of(given, "timestamp", int),
    )


def _some_of(given: Json, name: str, kind: type[Any]) -> Any:
    """A member of a record, None if it is missing or null."""
    return None if given.get(name) is None else _member(given, name, kind, "a record")


def _header(given: Any) -> tuple[str, bytes | None]:
    if not isinstance(given, list | tuple) or len(given) != 2 or not isinstance(given[0], str):
        raise Rejected("schema", "a record: a header is not a pair of a name and a value")
    return given[0], _bytes(given[1], "a header")


def record_to_json(record: Record) -> dict[str, Any]:
    """The JSON object of a Record, without members that are None; key and value are always there."""
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


def claim_from_json(given: Json) -> Claim:
    """The Claim in a JSON object. Raises `Rejected` (class `schema`) for another JSON value."""
    content = _bytes(_member(given, "value", str, "a claim"), "a claim's value")
    return Claim(_member(given, "location", str, "a claim"), content or b"")


def claim_to_json(claim: Claim) -> dict[str, Any]:
    """The JSON object of a Claim."""
    return {"location": claim.location, "value": _text(claim.content)}
