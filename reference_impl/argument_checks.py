"""Checks the arguments of `encode` against the model.

For speed, encoders themselves trust their input.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reference_impl.column_types import BINARY, ColumnType
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Event, Row, RowChange, Table, Value
from reference_impl.values import check_text, takes

__all__ = ["checked"]

_TSO = "a TSO, which is a whole number: milliseconds since 1970 << 18 | counter"


def checked(events: Iterable[Event], tables: Iterable[Table]) -> Iterator[Event]:
    """The same events, each checked before it is yielded.

    Raises `Rejected` with the number of the event, from 1: class `type` or `range` for a value that does not fit its
    column or a `commit_ts` that is not an integer, `schema` for a column that its table lacks. Rows of tables that are
    not in `tables` are not checked.
    """
    versions = {table.id: table for table in tables}
    for number, event in enumerate(events, 1):
        try:
            if isinstance(event, RowChange):
                _check(event, versions.get((event.schema, event.table)))
            elif isinstance(event, DdlEvent):
                versions |= {table.id: table for table in event.tables_after}
        except Rejected as e:
            raise Rejected(e.reason, f"event {number}: {e.message}") from None
        yield event


def _check(change: RowChange, table: Table | None) -> None:
    if change.commit_ts is not None and type(change.commit_ts) is not int:
        raise Rejected("type", f"commit_ts is {_TSO}, not {change.commit_ts!r}")
    if table is not None:
        for image, row in (("before", change.before), ("after", change.after)):
            _check_row(image, row or {}, table)


def _check_row(image: str, row: Row, table: Table) -> None:
    for name, value in row.items():
        column = table.column(name)
        if column is None:
            raise Rejected("schema", f"{image}: table {table.schema}.{table.name} has no column {name!r}")
        try:
            _check_value(column.type, value)
        except Rejected as e:
            raise Rejected(e.reason, f"{image}: column {name!r}: {e.message}") from None


def _check_value(column_type: ColumnType, value: Value) -> None:
    if value is None:
        return
    if not isinstance(value, takes(column_type.family)):
        form = "bytes" if column_type.family in BINARY else "a text"
        raise Rejected("type", f"a value of {column_type.text} is {form}, not {value!r}")
    if isinstance(value, str):
        check_text(column_type, value)
