"""The heat map of a run: column type × operation × role, each cell with failed and judged cases and the worst harm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reports.causes import rank
from reports.families import OPERATIONS, family_of, operation_of, subject_of
from reports.frame.filters import anchor
from reports.gathering import NOT_PUT
from reports.happened import happened_of
from reports.renderer import Event

__all__ = ["Heat", "tag_of", "tags_of"]

_FAILED = frozenset({"fail", "warn", "crash", "timeout", "protocol_error", "false_claim", "xfail", "xfail_changed"})
_ROLES = ("encode", "decode")

Key = tuple[str, str, str, str]
"""Protocol, subject, role, operation."""


def tag_of(number: int, protocol: str, *places: str) -> str:
    """The word of the filter that finds the causes of a cell, a row or a column: `at:1.canal-json.decimal.encode`.

    `number` is the implementation's in its run, from 1.
    """
    return "at:" + ".".join(anchor(part) for part in (str(number), protocol, *places))


def tags_of(number: int, protocol: str, role: str, axes: Mapping[str, str]) -> list[str]:
    """The tags of a case with these axes: its row, and its cell."""
    subject, operation = subject_of(axes), operation_of(axes)
    return [tag_of(number, protocol, subject), tag_of(number, protocol, subject, role, operation)]


@dataclass(slots=True)
class _Cell:
    asked: int = 0
    failed: int = 0
    harm: str = ""


@dataclass(slots=True)
class Heat:
    """Counts the verdicts of one implementation."""

    _cells: dict[Key, _Cell] = field(default_factory=dict)
    _typed: set[tuple[str, str]] = field(default_factory=set)

    def add(self, verdict: Event) -> None:
        """Count a `verdict` event."""
        if verdict["verdict"] in NOT_PUT:
            return
        axes = verdict.get("axes", {})
        protocol, subject = verdict["protocol"], subject_of(axes)
        if family_of(axes):
            self._typed.add((protocol, subject))
        cell = self._cells.setdefault((protocol, subject, verdict["role"], operation_of(axes)), _Cell())
        cell.asked += 1
        if verdict["verdict"] in _FAILED:
            cell.failed += 1
            cell.harm = min(filter(None, (cell.harm, _harm(verdict))), key=rank, default="")

    def maps(self, number: int) -> list[dict[str, Any]]:
        """A table a protocol: columns by role, rows with their cells; those of types first, then all other input."""
        protocols = dict.fromkeys(protocol for protocol, *_ in self._cells)
        return [self._map(number, protocol) for protocol in protocols if any(p == protocol for p, _ in self._typed)]

    def _map(self, number: int, protocol: str) -> dict[str, Any]:
        cells = {key[1:]: cell for key, cell in self._cells.items() if key[0] == protocol}
        columns = [(r, o) for r in _ROLES for o in OPERATIONS if any((role, op) == (r, o) for _, role, op in cells)]
        typed = sorted({name for p, name in self._typed if p == protocol})
        others = sorted({name for name, _, _ in cells}.difference(typed))
        rows = [
            {
                "name": name,
                "is_type": name in typed,
                "find": tag_of(number, protocol, name),
                "cells": [_shown(cells.get((name, r, o)), tag_of(number, protocol, name, r, o)) for r, o in columns],
            }
            for name in [*typed, *others]
        ]
        return {
            "protocol": protocol,
            "roles": [(role, n) for role in _ROLES if (n := sum(r == role for r, _ in columns))],
            "columns": columns,
            "rows": [row | {"failed": sum(cell["failed"] for cell in _there(row))} for row in rows],
            "failed": sum(cell.failed for cell in cells.values()),
            "asked": sum(cell.asked for cell in cells.values()),
        }


def _there(row: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return [cell for cell in row["cells"] if cell is not None]


def _shown(cell: _Cell | None, find: str) -> dict[str, Any] | None:
    if cell is None:
        return None
    return {"asked": cell.asked, "failed": cell.failed, "harm": cell.harm, "find": find}


def _harm(verdict: Event) -> str:
    harms = [str(one["harm"]) for one in verdict["findings"] if one.get("harm") and one.get("level") != "may"]
    if not harms and happened_of(verdict):
        return "lost"
    return min(harms, key=rank, default="")
