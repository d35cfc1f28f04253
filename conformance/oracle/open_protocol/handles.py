"""When a rule of Open Protocol on handle columns speaks: which index is the handle index, and how certain that is."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.oracle.open_protocol.expected_events import handle_columns
from conformance.oracle.rules import Condition, Place
from conformance.oracle.tree import MISSING
from reference_impl.keys import handle_key

__all__ = ["handle_is_certain", "handle_of_primary_key", "handle_set", "is_handle", "is_legal_delete"]


def is_handle(place: Place) -> bool:
    """The column belongs to the handle key."""
    return (
        place.table is not None
        and place.column is not None
        and place.column.name in handle_columns(place.table, place.profile)
    )


def handle_of_primary_key(place: Place) -> bool:
    """The table has a primary key, which is its handle index."""
    return place.table is not None and bool(place.table.primary_key)


def handle_is_certain(*, marked: bool) -> Condition:
    """The document leaves open neither which index is the handle index nor, for the mark `h`, what it marks.

    Without a primary key it says that "a valid index" is chosen: that is certain where there is one such unique key
    alone, and for columns of no unique key. It has `h` for a column that is unique on the table, the producers for the
    columns of the handle index: these agree where the index has one column, and on columns of neither kind.
    [OP-052, OP-123]
    """

    def holds(place: Place) -> bool:
        table, column = place.table, place.column
        if table is None or column is None or (table.primary_key and not marked):
            return True
        keys = [key.columns for key in table.unique_keys]
        handle = handle_key(table)
        if not table.primary_key and any(column.name in key for key in keys):
            valid = [key for key in keys if not any(c.nullable for c in map(table.column, key) if c)]
            if len(valid) != 1 or handle != handle_key(table, virtual_counts=False):
                return False
        if not marked:
            return True
        return len(handle) == 1 if column.name in handle else (column.name,) not in keys

    return holds


def handle_set(place: Place) -> bool:
    """Something other than false was given for `h`."""
    return place.got is not False and place.got is not MISSING


def is_legal_delete(place: Place) -> bool:
    """The columns given are those expected, or one of both forms that a delete without old values has.  [OP-048b]"""
    value = place.given.get("value")
    given = value.get("d") if isinstance(value, Mapping) else None
    if place.expected == place.got or place.table is None or not isinstance(given, Mapping):
        return True
    stored = {column.name for column in place.table.columns if column.generated != "virtual"}
    return given.keys() in (stored, set(handle_columns(place.table, place.profile)))
