"""Keys of a table: the handle key, and the split of updates that change a key.  [CJ-112, OP-180, OP-250]"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from reference_impl.model import DdlEvent, Event, RowChange, Table

__all__ = ["count_of_split_updates", "handle_key", "key_columns", "split_update"]


def handle_key(table: Table, *, virtual_counts: bool = True) -> tuple[str, ...]:
    """Columns of the handle key: the primary key, or the shortest NOT NULL unique key, or no columns.

    On a tie the key that was created first wins. With `virtual_counts` false, unique keys with a virtual generated
    column are ignored.  [OP-250]
    """
    if table.primary_key:
        return table.primary_key

    def eligible(names: tuple[str, ...]) -> bool:
        columns = [table.column(name) for name in names]
        return all(c is not None and not c.nullable and (virtual_counts or c.generated != "virtual") for c in columns)

    return min((k.columns for k in table.unique_keys if eligible(k.columns)), key=len, default=())


def key_columns(table: Table) -> frozenset[str]:
    """Every column of the primary key or of a unique key, nullable ones included."""
    return frozenset(table.primary_key).union(*(key.columns for key in table.unique_keys))


def _changes(change: RowChange, names: Iterable[str]) -> bool:
    before, after = change.before, change.after
    if change.op != "update" or before is None or after is None:
        return False
    missing = object()
    return any(before.get(name, missing) != after.get(name, missing) for name in names)


def split_update(change: RowChange, table: Table) -> Iterator[RowChange]:
    """The change itself; a delete and an insert for an update that changes a key column.  [CJ-140, OP-180]"""
    if not _changes(change, key_columns(table)):
        yield change
        return
    yield replace(change, op="delete", after=None)
    yield replace(change, op="insert", before=None)


def count_of_split_updates(
    events: Iterable[Event], tables: Iterable[Table], keys: Callable[[Table], Iterable[str]] = key_columns
) -> int:
    """The number of updates that change a key column of their table's current version.

    `keys` returns the key columns that count; the default is every primary and unique key.
    """
    versions = {table.id: table for table in tables}
    count = 0
    for event in events:
        if isinstance(event, DdlEvent):
            versions |= {table.id: table for table in event.tables_after}
        elif isinstance(event, RowChange) and (table := versions.get((event.schema, event.table))):
            count += _changes(event, keys(table))
    return count
