"""Predicates of the checks of Open Protocol on handle columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.oracle.open_protocol.expected_events import handle_columns
from conformance.oracle.rules import Condition, Place
from conformance.oracle.tree import MISSING
from reference_impl.keys import handle_key

__all__ = ["PREDICATES"]


def is_handle(place: Place) -> bool:
    """The column belongs to the handle key."""
    return (
        place.table is not None
        and place.column is not None
        and place.column.name in handle_columns(place.table, place.profile)
    )


def is_handle_certain(place: Place) -> bool:
    """The document does not leave open which index is the handle index."""
    # Without a primary key the document says that "a valid index" is chosen. That is certain for columns of no unique
    # key, and if there is a single valid one without a virtual column: classic takes none with one.  [OP-123, OP-250]
    table, column = place.table, place.column
    if table is None or column is None or table.primary_key:
        return True
    keys = [key.columns for key in table.unique_keys]
    if all(column.name not in key for key in keys):
        return True
    valid = [key for key in keys if not any(c.nullable for c in map(table.column, key) if c)]
    return len(valid) == 1 and handle_key(table) == handle_key(table, virtual_counts=False)


def is_mark_certain(place: Place) -> bool:
    """The handle index is certain, and document and producers agree on the mark `h` of the column."""
    # The document has `h` for a column that is unique on the table, the producers for the columns of the handle index.
    # [OP-052]
    table, column = place.table, place.column
    if table is None or column is None:
        return True
    handle, alone = handle_key(table), (column.name,)
    is_unique = alone in (handle, *(key.columns for key in table.unique_keys))
    is_agreed = is_unique == (column.name in handle)
    return is_agreed and is_handle_certain(place)


def is_marked(place: Place) -> bool:
    """The column belongs to the handle key, or the answer has something other than false for `h`."""
    return is_handle(place) or (place.got is not False and place.got is not MISSING)


def is_legal_delete(place: Place) -> bool:
    """The answer is right, or its delete has one of two allowed forms: all columns, or the handle columns."""
    value = place.got_tree.get("value")
    deleted = value.get("d") if isinstance(value, Mapping) else None
    if place.expected == place.got or place.table is None or not isinstance(deleted, Mapping):
        return True
    stored = {column.name for column in place.table.columns if column.generated != "virtual"}
    return deleted.keys() in (stored, set(handle_columns(place.table, place.profile)))


PREDICATES: Sequence[Condition] = (is_handle, is_handle_certain, is_legal_delete, is_mark_certain, is_marked)
