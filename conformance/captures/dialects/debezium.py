"""What Debezium JSON messages show of their stream.  [DBZ-010 … DBZ-057, DBZ-150, DBZ-300, DBZ-401]

A message with a schema shows its table except for the primary key among the keys, the lengths of strings, and the SQL
of a default. Without a schema there are only the values, which show JSON types.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from string import ascii_lowercase
from typing import Any

from conformance.captures.dialects.model import (
    Contradiction,
    Dialect,
    Refusals,
    Tree,
    fraction_of,
    ids,
    labels_of,
    members_of,
    with_unknown_before,
)
from reference_impl.column_types import BINARY, TEXT, ColumnType, Family, parse_column_type
from reference_impl.debezium_json.types import READABLE, Form, read_tidb_type
from reference_impl.model import Column, DdlEvent, Event, Table

__all__ = ["DEBEZIUM"]

_EXTENSION = "enable-tidb-extension"
_WATERMARK = "m"

_CREATE_SCHEMA, _CREATE_TABLE, _DROP_TABLE, _ADD_COLUMN, _DROP_INDEX, _TRUNCATE, _RENAME = 1, 3, 4, 5, 8, 11, 14


def _payload(tree: Tree) -> Mapping[str, Any]:
    """The payload of a message; one without a schema is its own payload."""
    value = tree.get("value")
    return members_of(value, "payload") or members_of(value)


def _rows(tree: Tree) -> list[Mapping[str, Any]]:
    """The rows before and after the change, as far as the message has them."""
    rows = (members_of(_payload(tree), name) for name in ("before", "after"))
    return [row for row in rows if row]


def _described(tree: Tree) -> Mapping[str, Any]:
    """The columns that the schema describes, by name."""
    fields = members_of(tree.get("value"), "schema", "fields")
    return members_of(fields, "after", "fields") or members_of(fields, "before", "fields")


# -- options -----------------------------------------------------------------------------------------------------------


def _is_extended(tree: Tree) -> bool:
    source = members_of(tree.get("value"), "schema", "fields", "source", "fields")
    if _payload(tree).get("op") == _WATERMARK or "cluster_id" in source:  # only with the extension  [DBZ-053]
        return True
    return any("tidb_type" in column for column in _described(tree).values() if isinstance(column, Mapping))


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _hints(tree: Tree) -> Mapping[str, str]:
    payload = _payload(tree)
    if not payload:
        return {}
    hints = {"debezium-disable-schema": _flag("schema" not in tree["value"])}
    if _is_extended(tree):
        hints[_EXTENSION] = "true"
    if "start_ts" in members_of(payload, "source"):
        hints["debezium-include-start-ts"] = "true"
    if payload.get("op") == "u":
        hints["debezium-output-old-value"] = _flag("before" in payload)
    return hints


def _cluster(tree: Tree) -> str | None:
    source = members_of(_payload(tree), "source")
    named = (source.get(name) for name in ("cluster_id", "name"))
    return next((text for text in named if isinstance(text, str)), None)


# -- tables ------------------------------------------------------------------------------------------------------------

# The column type by the form of its values, for a column without a `tidb_type`.
_COLUMN_TYPES: Mapping[Form, str] = {
    Form.BOOLEAN: "bit(1)",
    Form.INT16: "smallint",
    Form.INT32: "int",
    Form.INT64: "bigint",
    Form.FLOAT: "float",
    Form.DOUBLE: "double",
    Form.STRING: "longtext",
    Form.BITS: "bit",
    Form.DATE: "date",
    Form.MILLIS: "datetime",
    Form.MICROS: "datetime",
    Form.TIME: "time",
    Form.ZONED: "timestamp",
    Form.YEAR: "year",
    Form.ENUM: "enum('')",
    Form.SET: "set('')",
    Form.JSON: "json",
    Form.VECTOR: "vector",
}

_MOST_DIGITS = {Family.DECIMAL: (65, 30), Family.FLOAT: (255, 30)}


def _type(column: Mapping[str, Any], values: Iterable[Any]) -> ColumnType | None:
    """The type of a described column with these values; None if its form is unknown."""
    form = READABLE.get((str(column.get("type")), column.get("name")))
    if form is None or form not in _COLUMN_TYPES:
        return None
    shown = read_tidb_type(column["tidb_type"]) if "tidb_type" in column else parse_column_type(_COLUMN_TYPES[form])
    if form is Form.BITS:
        return replace(shown, length=int(members_of(column, "parameters")["length"]))
    if form in (Form.ENUM, Form.SET):
        return replace(shown, members=labels_of(members_of(column, "parameters")))
    if form in (Form.MILLIS, Form.MICROS, Form.TIME):
        return replace(shown, length=3 if form is Form.MILLIS else 6)
    if form is Form.ZONED:
        return replace(shown, length=fraction_of(*values))
    if shown.family is Family.DECIMAL or (shown.family is Family.FLOAT and form is Form.DOUBLE):
        length, scale = _MOST_DIGITS[shown.family]
        return replace(shown, length=length, scale=scale)
    return replace(shown, length=None) if shown.family in (Family.CHAR, Family.BINARY) else shown


def _columns_by_schema(tree: Tree) -> Iterator[Column]:
    rows = _rows(tree)
    for name, column in _described(tree).items():
        column_type = _type(column, [row.get(name) for row in rows])
        if column_type is not None:
            is_sent = any(name in row for row in rows)
            yield Column(
                name, column_type, column.get("optional") is not False, generated=None if is_sent else "virtual"
            )


def _type_of_values(values: Iterable[Any]) -> str:
    """A column type whose values are written like these; numbers beside texts are wrong under any type."""
    python_types = {type(value) for value in values}
    for python_type, column_type in ((str, "longtext"), (Decimal, "double"), (bool, "bit(1)"), (int, "bigint")):
        if python_type in python_types:
            return column_type
    return "longtext"


def _columns_by_values(tree: Tree) -> Iterator[Column]:
    rows = _rows(tree)
    for name in dict.fromkeys(name for row in rows for name in row):
        yield Column(name, parse_column_type(_type_of_values(row.get(name) for row in rows)))


def _table_of(tree: Tree) -> Table | None:
    if not _rows(tree):
        return None
    columns = tuple(_columns_by_schema(tree) if _described(tree) else _columns_by_values(tree))
    in_key = members_of(tree.get("key"), "payload") or members_of(tree.get("key"))
    key = tuple(column.name for column in columns if column.name in in_key)
    source = members_of(_payload(tree), "source")
    return Table(source["db"], source["table"], columns, key)


# -- events ------------------------------------------------------------------------------------------------------------


def _action(payload: Mapping[str, Any]) -> int:
    """One action for each form of a DDL message: the message shows no more.  [DBZ-300, DBZ-301, DBZ-324]"""
    changes = payload.get("tableChanges")
    if not changes:
        return _TRUNCATE if members_of(payload, "source").get("table") else _CREATE_SCHEMA
    change = members_of(changes[0])
    if change.get("type") == "CREATE":
        return _CREATE_TABLE
    if change.get("type") == "DROP":
        return _DROP_TABLE if change.get("table") is None else _DROP_INDEX
    return _RENAME if '","' in str(change.get("id")) else _ADD_COLUMN


def _completed(event: Event, tree: Tree) -> Event:
    if isinstance(event, DdlEvent):
        return replace(event, action_code=_action(_payload(tree)))
    return with_unknown_before(event, tree)


# -- refusals -----------------------------------------------------------------------------------------------------

_OPS = ("c", "u", "d", _WATERMARK)


_DATE, _CONNECT_DATE = "io.debezium.time.Date", "org.apache.kafka.connect.data.Date"


def _contradictions(tree: Tree) -> Iterator[Contradiction]:
    """What the imitated connector writes and TiCDC does not: an operation, the name of a type.  [DBZ-042b, DBZ-106]"""
    op = _payload(tree).get("op")
    if op is not None and op not in _OPS:
        yield Contradiction("DBZ-042b", "value.payload.op", "c, u or d", op)
    for name, column in _described(tree).items():
        if isinstance(column, Mapping) and column.get("name") == _CONNECT_DATE:
            yield Contradiction("DBZ-106", f"value.schema.fields.after.fields.{name}.name", _DATE, _CONNECT_DATE)


_VALUE_REQUIREMENTS: Mapping[Family, str] = {
    **dict.fromkeys(TEXT, "DBZ-102a"),
    **dict.fromkeys(BINARY, "DBZ-103a"),
    Family.BIT: "DBZ-101a",
    Family.ENUM: "DBZ-104a",
    Family.SET: "DBZ-105a",
    Family.DATE: "DBZ-106a",
    Family.DATETIME: "DBZ-107a",
    Family.TIMESTAMP: "DBZ-109a",
    Family.TIME: "DBZ-110a",
    Family.JSON: "DBZ-111a",
    Family.TINYINT: "DBZ-112a",
    Family.SMALLINT: "DBZ-113a",
    Family.MEDIUMINT: "DBZ-115a",
    Family.INT: "DBZ-116a",
    Family.BIGINT: "DBZ-118a",
    Family.FLOAT: "DBZ-120a",
    Family.DOUBLE: "DBZ-122a",
    Family.DECIMAL: "DBZ-123a",
    Family.YEAR: "DBZ-124a",
    Family.VECTOR: "DBZ-125a",
}

_REFUSALS = Refusals(
    (
        (r"^a row (of .* )?(lacks the|has no) column", "DBZ-045a"),
        (r"^commit_ts of a row event is missing", "DBZ-041o"),
        (r"^not (lz4|snappy) data", "DBZ-016"),
        (r"^the (value|key) is not an object|of zero bytes$", "DBZ-010a"),
        (r"doubled member", "DBZ-040b"),
        (r"^a watermark has a source\.db", "DBZ-401a"),
        (r"^a watermark has a source\.table", "DBZ-401d"),
        (r"^a watermark has a member", "DBZ-401b"),
        (r"^the key (has no string|names)", "DBZ-311"),
        (r"databaseName", "DBZ-320a"),
        (r"'schema' of the (key|value)", "DBZ-011a"),
        (r"the key has a column", "DBZ-030"),
        (r"of the key|^the key|in the key than", "DBZ-030a"),
        (r"^(before|after)\..*?: the schema does not", "DBZ-051b"),
        (r"^(before|after)\..* is null, which", "DBZ-055"),
        (r"^(before|after)\.(?P<column>.*?): ", _VALUE_REQUIREMENTS),
        (r"source\.db", "DBZ-041f"),
        (r"source\.table", "DBZ-041g"),
        (r"source\.commit_ts", "DBZ-041o"),
        (r"source\.(cluster_id|name)", "DBZ-041p"),
        (r"'source", "DBZ-041"),
        (r"ts_ms", "DBZ-042"),
        (r"^op 'c' has a member 'before'", "DBZ-043"),
        (r"^op 'd' has a member 'after'", "DBZ-043a"),
        (r"schemas of 'before' and 'after'", "DBZ-051a"),
        (r"neither 'before' nor 'after'", "DBZ-051"),
        (r"'before'", "DBZ-043b"),
        (r"'after'", "DBZ-043c"),
        (r"'op'|^op is", "DBZ-042b"),
        (r"'ddl'|without a statement", "DBZ-320"),
        (r"tableChanges\.id", "DBZ-323"),
        (r"tableChanges|table change", "DBZ-302"),
        (r"tidb_type|unknown column type", "DBZ-151"),
        (r"parameter 'allowed'", "DBZ-104b"),
        (r"parameter 'length'", "DBZ-101"),
        (r"schema", "DBZ-051b"),
    ),
    unreadable="DBZ-010a",
    wrong="DBZ-451",
)


def _with_letters(counts: Mapping[int, int]) -> frozenset[str]:
    """Requirements, and as many lettered ones of each: `{324: 1}` are DBZ-324 and DBZ-324a."""
    return frozenset(
        f"DBZ-{number:03d}{letter}" for number, count in counts.items() for letter in ("", *ascii_lowercase[:count])
    )


_OF_STATEMENTS = (
    {38: 2, 300: 5, 301: 0, 302: 2, 324: 1, 325: 5, 326: 0, 327: 1, 330: 1, 331: 2, 333: 1, 334: 4, 335: 2}
    | {336: 3, 337: 0, 338: 13, 339: 0}
)  # fmt: skip
_OF_TABLES = (
    {32: 1, 34: 0, 35: 0, 140: 0, 141: 0, 142: 2, 143: 1, 144: 1, 145: 0, 146: 0, 148: 3, 149: 0, 160: 1}
    | {162: 7, 163: 0}
)  # fmt: skip

DEBEZIUM = Dialect(
    body=lambda record: record.value or b"",
    hints=_hints,
    cluster=_cluster,
    refusals=_REFUSALS,
    # No record shows the kind of statement behind a change, the table after it, or whether an update was split.
    unknown=_with_letters(_OF_STATEMENTS) | ids("DBZ", "039b", "311a", "321a", "321b"),
    unknown_paths=re.compile(r"\.tableChanges\[\d+\]\.table\b"),
    # The columns are taken from the schema itself.
    unknown_without_tables=_with_letters(_OF_TABLES)
    | ids("DBZ", *range(100, 126), 30, "030f", "045", "045a", 55, "055a", 57, 151, 152),
    unknown_paths_without_tables=re.compile(r"^(key|value)\.schema\..*\.default$"),
    table_of=_table_of,
    completed=_completed,
    contradictions=_contradictions,
)
