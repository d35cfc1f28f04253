"""The columns of a row in the binlog: `binlog_row_image`, and JSON as differences.  [DV-34, DV-52]

The images of the model are complete, so they do not show which columns an INSERT named. Under a row image other than
FULL, a nullable column that has its default in every row counts as not named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reference_impl.column_types import Family
from reference_impl.model import Absent, Column, Expression, RowChange, Table
from reference_impl.upstream.canal.types import is_blob

__all__ = ["LoggedColumns", "logged_columns"]


@dataclass(frozen=True, slots=True)
class LoggedColumns:
    """The names of the columns in the images before and after, the same for all rows of a rows event."""

    before: frozenset[str]
    after: frozenset[str]


def _identity(table: Table) -> frozenset[str]:
    """The columns that identify a row: the primary key, else the first NOT NULL unique key, else all columns."""
    if table.primary_key:
        return frozenset(table.primary_key)
    for key in table.unique_keys:
        columns = [table.column(name) for name in key.columns]
        if all(column is not None and not column.nullable for column in columns):
            return frozenset(key.columns)
    return _names(table.columns)


def _names(columns: Iterable[Column]) -> frozenset[str]:
    return frozenset(column.name for column in columns)


def _is_at_default(column: Column, change: RowChange) -> bool:
    value = (change.after or {}).get(column.name)
    if isinstance(column.default, Expression):
        return False
    return value is None if isinstance(column.default, Absent) else value == column.default


def _written(table: Table, changes: Sequence[RowChange]) -> frozenset[str]:
    """The columns that the statement wrote, as far as the rows show them."""
    if changes[0].op == "insert":
        return frozenset(
            c.name for c in table.columns if not all(_is_at_default(c, change) for change in changes) or not c.nullable
        )
    missing = object()

    def changed(name: str, change: RowChange) -> bool:
        before, after = change.before or {}, change.after or {}
        return before.get(name, missing) != after.get(name, missing)

    return frozenset(c.name for c in table.columns if any(changed(c.name, change) for change in changes))


def _is_large(column: Column) -> bool:
    """Whether the server counts a column among the BLOBs that NOBLOB leaves out."""
    return is_blob(column.type, mariadb=True) or column.type.family is Family.VECTOR


def logged_columns(image: str, table: Table, changes: Sequence[RowChange]) -> LoggedColumns:
    """The columns logged for the rows of one rows event, all of the same operation; `image` is one of `IMAGES`.

    [DV-34]
    """
    if image == "FULL":
        columns = _names(table.columns)
        return LoggedColumns(columns, columns)
    # NOBLOB logs what MINIMAL does, and the columns that are not large.
    others = _names(column for column in table.columns if image == "NOBLOB" and not _is_large(column))
    return LoggedColumns(others | _identity(table), others | _written(table, changes))
