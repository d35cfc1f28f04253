"""How a row of the divergences is told: where it is, what can be done, and what counts against the comparison.

The rows come in their order: what has no name first, then the worst harm, then the most frequent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from reports.texts import counted

__all__ = ["EVENTS", "id_text", "is_ignored", "remedy_text", "split", "where_text"]

Json: TypeAlias = Mapping[str, Any]

EVENTS = ("missing", "extra", "duplicate", "reordered", "undecodable")
"""Classes of whole changes; all others are of what a change says."""

_SHOWN = 2
_NO_NAME = "not known: nothing explains it"


def split(rows: Sequence[Json]) -> tuple[list[Json], list[Json]]:
    """Changes that a side lacks or has twice, without a name; and everything else."""
    events = [row for row in rows if row["divergence"] is None and {*row["classes"]} & {*EVENTS}]
    return events, [row for row in rows if row not in events]


def where_text(row: Json) -> str:
    """The first few columns, or tables where it is not of columns, and how many more there are."""
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
    """What removes it, or in words that nothing does or that nobody knows."""
    return row["remedy"] or _NO_NAME


def id_text(row: Json) -> str:
    """The id and the status, and whether it is ignored."""
    ignored = f"{row['ignored']:,} ignored" if row["ignored"] else ""
    return ", ".join(filter(None, (row["divergence"], row["status"], ignored)))


def is_ignored(row: Json) -> bool:
    """Whether nothing of it counts."""
    return bool(row["ignored"] == row["count"])
