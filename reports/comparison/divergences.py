"""The cells of a row of divergences: its place, its remedy, and whether it counts.

A summary has the rows in order: unexplained differences first, then the worst harm, then the most frequent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from reports.texts import counted

__all__ = ["EVENTS", "id_text", "is_ignored", "remedy_text", "where_text", "whole_changes_and_others"]

Json: TypeAlias = Mapping[str, Any]

EVENTS = ("missing", "extra", "duplicate", "reordered", "undecodable")
"""Classes of whole changes; all others are about the content of a change."""

_SHOWN = 2
_UNEXPLAINED = "not known: nothing explains it"


def whole_changes_and_others(rows: Sequence[Json]) -> tuple[list[Json], list[Json]]:
    """Split the rows: unexplained differences of whole changes, which a side lacks or has twice; and all others."""
    whole = [row for row in rows if row["divergence"] is None and {*row["classes"]} & {*EVENTS}]
    return whole, [row for row in rows if row not in whole]


def where_text(row: Json) -> str:
    """The first few columns, or tables for a row without columns, and the number of others."""
    names, one, many = row["columns"], "column", "columns"
    if not names:
        names, one, many = row["tables"], "table", "tables"
    if not names:
        return "messages of no table"
    if len(names) <= _SHOWN + 1:
        return ", ".join(names)
    within = f" in {counted(len(row['tables']), 'table', 'tables')}" if row["columns"] else ""
    return f"{', '.join(names[:_SHOWN])} and {counted(len(names) - _SHOWN, f'more {one}', f'more {many}')}{within}"


def remedy_text(row: Json) -> str:
    """What removes it, or a sentence that nothing does or that nothing is known."""
    return row["remedy"] or _UNEXPLAINED


def id_text(row: Json) -> str:
    """The id and the status, and whether it is ignored."""
    ignored = f"{row['ignored']:,} ignored" if row["ignored"] else ""
    return ", ".join(filter(None, (row["divergence"], row["status"], ignored)))


def is_ignored(row: Json) -> bool:
    """Whether all of it is ignored."""
    return bool(row["ignored"] == row["count"])
