"""What the oracle knows of Alibaba Canal: what a message is about, and what a decoder must answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from conformance.cases.upstream.lenient import text_at, tree_of
from conformance.cases.upstream.losses import prints_as_json
from conformance.oracle.upstream.alignment import Identity
from conformance.oracle.upstream.model import DialectOracle, ExpectedEvent, image_of
from conformance.oracle.upstream.reading import RecordKind, RecordSummary, canonical, columns_of, glimpse
from reference_impl.column_types import BINARY, TEXT, Family
from reference_impl.model import RawText, Record, RowChange, Table, Value
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


def _certainty(table: Table, options: Any) -> Callable[[str, Value], bool]:
    """The function that says of a column and its value whether Canal's message holds the value without loss."""

    def is_certain(name: str, value: Value) -> bool:
        column = table.column(name)
        if column is None or isinstance(value, RawText):
            return False
        if value is None:
            return True
        if column.type.family in TEXT:  # Canal reads every text as UTF-8  [DV-55]
            return is_national(column.type) or is_utf8(column.charset or table.charset or "utf8mb4")
        if column.type.family in BINARY:
            # A column declared as text with the character set `binary` is read as text.
            return _AS_BYTES.search(column.type.text) is not None
        if column.type.family is Family.JSON and isinstance(value, str) and not options.mariadb:
            return prints_as_json(value)
        return True

    return is_certain


def _row(event: RowChange, table: Table | None, options: Any) -> ExpectedEvent:
    """The event for a row change: `before` of an update has the columns that it changed.  [CJ-511, CJ-516]"""
    is_certain = _certainty(table, options) if table else lambda name, value: False
    after = image_of(event.after, None, is_certain)
    before, unchanged, changed = event.before, None, None
    if event.op == "update" and table is not None and before is not None and event.after is not None:
        new = event.after
        changed = [c.name for c in table.columns if not same_value(c.type, before.get(c.name), new.get(c.name))]
        unchanged = image_of(before, None, is_certain)
    session = event.source or {}
    is_full = options.binlog_row_image == "FULL" and not session.keys() & _ROW_IMAGE_SETTINGS
    return ExpectedEvent(
        "row",
        event.schema,
        event.table,
        event.op,
        before=image_of(before, changed, is_certain),
        after=after,
        is_whole=is_full and table is not None,
        unchanged=unchanged,
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
    keeps_nulls=True,
    values_at=("value.data", "value.old"),
)
