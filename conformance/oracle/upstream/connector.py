"""What the oracle knows of Debezium's MySQL connector: what a record is about, and what a decoder must answer."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from conformance.cases.upstream.lenient import payload_of, text_at, tree_of
from conformance.oracle.upstream.alignment import Identity
from conformance.oracle.upstream.model import DialectOracle, ExpectedEvent, image_of
from conformance.oracle.upstream.reading import TOMBSTONE, RecordKind, RecordSummary, canonical, columns_of, glimpse
from reference_impl.column_types import Family
from reference_impl.model import ABSENT, Column, Index, Record, RowChange, Table, Value

__all__ = ["ORACLE"]

# -- what a record is about --------------------------------------------------------------------------------------------

_ROW_OPS = ("c", "u", "d", "r")


def _summary_of(record: Record) -> RecordSummary:
    key = canonical(payload_of(tree_of(record.key)))
    topic = (record.topic or "").split(".", 2)
    schema, table = (topic[1], topic[2]) if len(topic) > 2 else (None, None)
    if record.value is None:
        return RecordSummary(RecordKind.ROWS, (Identity(schema, table, TOMBSTONE, key, ""),))
    payload = payload_of(tree_of(record.value))
    if not isinstance(payload, dict):
        identity = Identity(schema, table, glimpse(record.value, "op"), key, None)
        return RecordSummary(RecordKind.ROWS, (identity,)) if table is not None else RecordSummary(RecordKind.OTHER)
    if "ddl" in payload:
        return RecordSummary(RecordKind.DDL)
    if "status" in payload:
        return RecordSummary(RecordKind.TRANSACTION)
    op = text_at(payload, "op")
    if op == "t":
        return RecordSummary(RecordKind.TRUNCATION)
    source = payload.get("source")
    schema, table = text_at(source, "db") or schema, text_at(source, "table") or table
    if op not in _ROW_OPS and table is None:
        return RecordSummary(RecordKind.OTHER)
    body = canonical([payload.get("before"), payload.get("after")])
    columns = columns_of(payload.get("after")) or columns_of(payload.get("before"))
    return RecordSummary(RecordKind.ROWS, (Identity(schema, table, op, key, body),), columns)


# -- what a decoder must answer ----------------------------------------------------------------------------------------

_MOMENTS = frozenset({Family.DATE, Family.DATETIME, Family.TIMESTAMP})
_CONNECT_DIGITS = 3  # fractional digits that `connect` keeps
_LONGEST_DOUBLE = 15  # digits that a double always keeps
_LABELS = frozenset({Family.ENUM, Family.SET})
_LOSSY_LABEL = re.compile(r"[\\']|,|\A\s|\s\Z|\A\Z")
_BOOLEANS = re.compile(r"bool(?:ean)?\b", re.IGNORECASE)
_ONE_DAY = 24  # hours
_ZERO_PART = re.compile(r"0000|\d{4}-00|\d{4}-\d{2}-00")
_FIRST_YEAR = 1900


def _keeps_moment(column: Column, value: str, options: Any) -> bool:
    """Whether a date or time stamp is kept: with a zero part, or before 1900, it is lost.  [DBZ-218, DBZ-220]"""
    if _ZERO_PART.match(value) or int(value[:4]) < _FIRST_YEAR:
        return False
    return column.type.family is Family.TIMESTAMP or _keeps_fraction(column, options)


def _keeps_fraction(column: Column, options: Any) -> bool:
    return options.time_precision_mode != "connect" or column.type.fsp <= _CONNECT_DIGITS


def _keeps_time(column: Column, text: str, options: Any) -> bool:
    """Whether a TIME is kept: `connect` writes times of a day only; older releases misread negative ones.  [DBZ-222]"""
    negative = text.startswith("-")
    if options.time_precision_mode == "connect":
        return not negative and int(text.partition(":")[0]) < _ONE_DAY and _keeps_fraction(column, options)
    return options.traits.negative_times or not negative


def _keeps(options: Any, op: str, column: Column, value: Value) -> bool:
    """Whether the record of an operation holds the value of a column without loss."""
    if isinstance(value, Index):
        return False
    if value is None:  # a default may stand in for it  [DBZ-244]
        return column.nullable and (column.default is ABSENT or column.default is None)
    family, text = column.type.family, value if isinstance(value, str) else ""
    if family is Family.FLOAT:
        return op != "read"  # a snapshot shows the six digits that the server prints
    if family in _MOMENTS:
        return _keeps_moment(column, text, options)
    if family is Family.TIME:
        return _keeps_time(column, text, options)
    if family is Family.TINYINT and _BOOLEANS.match(column.type.text):  # [DBZ-203]
        return text in ("0", "1")
    if family is Family.JSON:
        return "$opaque" not in text
    if family is Family.YEAR:
        return int(text) >= _FIRST_YEAR
    if family is Family.DECIMAL and options.decimal_handling_mode == "double":  # [DBZ-709]
        return len(text.replace(".", "").strip("-0")) <= _LONGEST_DOUBLE
    if family in _LABELS:  # escaped as in the DDL, and joined by commas  [DBZ-214, DBZ-215]
        return not any(_LOSSY_LABEL.search(label) for label in column.type.members)
    if family is Family.DOUBLE:  # REAL is narrowed to a float  [DBZ-211]
        return not column.type.text.lower().startswith("real")
    return True


def _row(event: RowChange, table: Table | None, options: Any) -> ExpectedEvent:
    keeps = partial(_keeps, options, event.op)
    return ExpectedEvent(
        "row",
        event.schema,
        event.table,
        event.op,
        before=image_of(event.before, table, keeps),
        after=image_of(event.after, table, keeps),
        is_whole=table is not None,
        definition=table,
    )


_SECOND_HALF = "__debezium.oldkey"
"""The header in the second record of a change of a key."""


def _statement_or_rows(record: Record) -> ExpectedEvent | int:
    """The statement in a record, or the number of changes that begin in it: 0 or 1."""
    payload = payload_of(tree_of(record.value))
    if payload is None or "status" in payload:
        return 0
    if payload.get("op") == "t":
        schema, table = payload["source"]["db"], payload["source"]["table"]
        return ExpectedEvent("ddl", schema, table, query=f"TRUNCATE TABLE `{schema}`.`{table}`")
    if "ddl" in payload:
        source = payload["source"]
        return ExpectedEvent("ddl", source["db"], source["table"] or "", query=payload["ddl"])
    return int(_SECOND_HALF not in dict(record.headers))


ORACLE = DialectOracle(
    summary=_summary_of,
    expected_row=_row,
    statement_or_rows=_statement_or_rows,
    shows_types=lambda options: bool(options.schemas_enable),
    keeps_nulls_after_statement=False,
    values_at=(
        *("key", "value.before", "value.after", "value.payload.before", "value.payload.after"),
        "value.schema",  # which has the defaults of columns
    ),
)
