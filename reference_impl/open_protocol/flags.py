"""Bit flags of a column, the member `f`.  [OP-122 … OP-129, OP-252]"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from enum import IntFlag

from reference_impl.column_types import INTEGERS, TEXT, Family
from reference_impl.model import Column, Table

__all__ = ["Flag", "column_flags"]


class Flag(IntFlag):
    """The bits; the document counts them from 1."""

    BINARY = 0x01
    HANDLE_KEY = 0x02
    GENERATED = 0x04
    PRIMARY_KEY = 0x08
    UNIQUE_KEY = 0x10
    MULTIPLE_KEY = 0x20
    NULLABLE = 0x40
    UNSIGNED = 0x80


_LABELS = frozenset({Family.ENUM, Family.SET})
_ALWAYS_UNSIGNED = frozenset({Family.YEAR, Family.BIT})


def _is_binary(column: Column, table: Table) -> bool:
    """Whether a column counts as binary: texts never, ENUM and SET if declared so, other types always.  [OP-122]"""
    if column.type.family in _LABELS:
        return (column.charset or table.charset) == "binary"
    return column.type.family not in TEXT


def _own_flags(column: Column, table: Table) -> int:
    """The flags from the column's own definition, where an index marks only its first column."""
    name = column.name
    in_primary = name in table.primary_key
    flags = Flag.BINARY if _is_binary(column, table) else Flag(0)
    if column.generated:
        flags |= Flag.GENERATED
    if in_primary:
        flags |= Flag.PRIMARY_KEY
        if table.clustered and len(table.primary_key) == 1 and column.type.family in INTEGERS:
            flags |= Flag.HANDLE_KEY
    if any(key.columns == (name,) for key in table.unique_keys):
        flags |= Flag.UNIQUE_KEY
    several = [*(key for key in table.unique_keys if len(key.columns) > 1), *table.indexes]
    if any(key.columns[:1] == (name,) for key in several):
        flags |= Flag.MULTIPLE_KEY
    if column.nullable and not in_primary:
        flags |= Flag.NULLABLE
    if column.type.unsigned or column.type.family in _ALWAYS_UNSIGNED:
        flags |= Flag.UNSIGNED
    return flags


def column_flags(table: Table, handle: tuple[str, ...], *, index_flags_of_generated: bool) -> Mapping[str, int]:
    """The flags of every column, by name; `handle` are the columns of the handle key.

    Unless `index_flags_of_generated`, a generated column has only the flags of its own definition.  [OP-252]
    """
    from_indexes: dict[str, int] = defaultdict(int)
    keys = [(table.primary_key, Flag.PRIMARY_KEY)]
    keys += [(key.columns, Flag.UNIQUE_KEY) for key in table.unique_keys]
    keys += [(key.columns, Flag(0)) for key in table.indexes]
    for columns, flag in keys:
        for name in columns:
            from_indexes[name] |= flag | (Flag.MULTIPLE_KEY if len(columns) > 1 else 0)
    for name in handle:
        from_indexes[name] |= Flag.HANDLE_KEY
    return {
        column.name: int(
            _own_flags(column, table)
            | (from_indexes[column.name] if index_flags_of_generated or not column.generated else 0)
        )
        for column in table.columns
    }
