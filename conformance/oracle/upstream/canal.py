"""What the oracle knows of Alibaba Canal: what a message is about, and what a decoder must answer."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from conformance.cases.upstream.lenient import text_at, tree_of
from conformance.cases.upstream.losses import prints_as_json
from conformance.oracle.upstream.alignment import Identity
from conformance.oracle.upstream.model import DialectOracle, ExpectedEvent, image_of
from conformance.oracle.upstream.reading import RecordKind, RecordSummary, canonical, columns_of, glimpse
from reference_impl.column_types import BINARY, TEXT, Family
from reference_impl.model import Column, Record, RowChange, Table, Value
from reference_impl.upstream.charsets import is_national, is_utf8
from reference_impl.values import same_value

__all__ = ["ORACLE"]

# -- what a record is about --------------------------------------------------------------------------------------------

_OPS = ("INSERT", "UPDATE", "DELETE")


def _summary_of(record: Record) -> RecordSummary:
    tree = tree_of(record.value)
    if not isinstance(tree, dict):
        schema, table, op = (glimpse(record.value, name) for name in ("database", "table", "type"))
        return RecordSummary(RecordKind.ROWS, (Identity(schema, table, op, None, None),))
    op, data = text_at(tree, "type"), tree.get("data")
    if tree.get("isDdl") is True:
        return RecordSummary(RecordKind.DDL)
    if op not in _OPS and data is None:
        return RecordSummary(RecordKind.STATEMENT if tree.get("sql") else RecordKind.OTHER)
    names = tree.get("pkNames")
    key_columns = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    rows = data if isinstance(data, list) and data else [None]
    schema, table = text_at(tree, "database"), text_at(tree, "table")
    identities = tuple(_row_identity(schema, table, op, key_columns, row) for row in rows)
    return RecordSummary(RecordKind.ROWS, identities, columns_of(rows[0]))


def _row_identity(schema: str | None, table: str | None, op: str | None, key_columns: list[str], row: Any) -> Identity:
    if not isinstance(row, dict):
        return Identity(schema, table, op, None, None)
    key = canonical([row.get(name) for name in key_columns]) if key_columns else ""
    return Identity(schema, table, op, key, canonical(row))


# -- what a decoder must answer ----------------------------------------------------------------------------------------

_AS_BYTES = re.compile(r"binary|blob|geom|point|linestring|polygon", re.IGNORECASE)
_ROW_IMAGE_SETTINGS = frozenset({"binlog_row_image", "binlog_row_value_options"})


def _keeps(table: Table | None, options: Any, column: Column, value: Value) -> bool:
    """Whether Canal's message holds the value of a column without loss."""
    if value is None:
        return True
    if column.type.family in TEXT:  # Canal reads every text as UTF-8  [DV-55]
        charset = column.charset or (table.charset if table is not None else None) or "utf8mb4"
        return is_national(column.type) or is_utf8(charset)
    if column.type.family in BINARY:
        # A column declared as text with the character set `binary` is read as text.
        return _AS_BYTES.search(column.type.text) is not None
    if column.type.family is Family.JSON and isinstance(value, str) and not options.mariadb:
        return prints_as_json(value)
    return True


def _row(event: RowChange, table: Table | None, options: Any) -> ExpectedEvent:
    """The event for a row change: `before` of an update has the columns that it changed.  [CJ-511, CJ-516]"""
    keeps = partial(_keeps, table, options)
    before, after = event.before, event.after
    old, whole_before = before, None
    if event.op == "update" and table is not None and before is not None and after is not None:
        changed = [c.name for c in table.columns if not same_value(c.type, before.get(c.name), after.get(c.name))]
        old = {name: before[name] for name in changed if name in before}
        whole_before = image_of(before, table, keeps)
    session = event.source or {}
    is_full = options.binlog_row_image == "FULL" and not session.keys() & _ROW_IMAGE_SETTINGS
    return ExpectedEvent(
        "row",
        event.schema,
        event.table,
        event.op,
        before=image_of(old, table, keeps),
        after=image_of(after, table, keeps),
        is_whole=is_full and table is not None,
        whole_before=whole_before,
        definition=table,
    )


def _statement_or_rows(record: Record) -> ExpectedEvent | int:
    tree = tree_of(record.value)
    if tree["isDdl"]:
        return ExpectedEvent("ddl", tree["database"], tree["table"], query=tree["sql"])
    return len(tree["data"] or ())


ORACLE = DialectOracle(
    summary=_summary_of,
    expected_row=_row,
    statement_or_rows=_statement_or_rows,
    shows_types=lambda options: True,
    keeps_nulls_after_statement=True,
    values_at=("value.data", "value.old"),
)
