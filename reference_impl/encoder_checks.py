"""Checks what an encoder is given: events against the model, the table and images of a row change, Unicode.

For speed, an `Encoder` checks only what its protocol needs; `encode` of a package checks whole events with `checked`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from reference_impl.column_types import BINARY, ColumnType
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Event, Row, RowChange, Table, Value, Watermark
from reference_impl.values import check_text, takes

__all__ = ["check_images", "checked", "table_of", "utf8"]

_TSO = "a TSO, which is a whole number: milliseconds since 1970 << 18 | counter"


def checked(events: Iterable[Event], tables: Iterable[Table]) -> Iterator[Event]:
    """The same events, each checked before it is yielded.

    Raises `Rejected` with the number of the event, from 1: class `type` or `range` for a value that does not fit its
    column, `type` for what is no event and for a time stamp that is not an integer, `schema` for a column that its
    table lacks. Rows of tables that are not in `tables` are not checked.
    """
    versions = {table.id: table for table in tables}
    for number, event in enumerate(events, 1):
        try:
            _check_event(event)
            if isinstance(event, RowChange):
                if (table := versions.get((event.schema, event.table))) is not None:
                    _check_row("before", event.before or {}, table)
                    _check_row("after", event.after or {}, table)
            elif isinstance(event, DdlEvent):
                versions |= {table.id: table for table in event.tables_after}
        except Rejected as e:
            raise Rejected(e.reason, f"event {number}: {e.message}") from None
        yield event


def _check_event(event: object) -> None:
    if not isinstance(event, RowChange | DdlEvent | Watermark):
        raise Rejected("type", f"{event!r} is no RowChange, DdlEvent or Watermark")
    for name in ("commit_ts", "start_ts"):
        tso = getattr(event, name, None)
        if tso is not None and type(tso) is not int:
            raise Rejected("type", f"{name} is {_TSO}, not {tso!r}")


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


# Whether an operation has the images before and after.
_IMAGES = {"insert": (False, True), "update": (True, True), "delete": (True, False)}


def check_images(change: RowChange, protocol: str) -> None:
    """Raise `Rejected` (class `semantics`) for an unknown operation, and for a missing or surplus image."""
    if change.op not in _IMAGES:
        raise Rejected("semantics", f"{protocol} has no row event {change.op!r}")
    has = (change.before is not None, change.after is not None)
    if has != _IMAGES[change.op]:
        raise Rejected("semantics", f"the images of an event {change.op!r} are wrong: before {has[0]}, after {has[1]}")


def table_of(change: RowChange, tables: Mapping[tuple[str, str], Table]) -> Table:
    """The table of a row change, of `tables` by schema and name. Raises `Rejected` (class `semantics`) without it."""
    table = tables.get((change.schema, change.table))
    if table is None:
        raise Rejected("semantics", f"{change.schema}.{change.table} is not among the tables")
    return table


def utf8(text: str, errors: str = "strict") -> bytes:
    """The bytes of a text. Raises `Rejected` (class `type`) for half of a surrogate pair."""
    try:
        return text.encode("utf-8", errors)
    except UnicodeEncodeError as e:
        raise Rejected("type", f"U+{ord(text[e.start]):04X} stands alone, which is not Unicode") from None
