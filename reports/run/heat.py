"""The heat map of a run: column type × operation × role, each cell with failed and judged cases and the worst harm.

A case of several operations is judged in the column of each of them, and fails in those that its findings belong to.
What belongs to no single event of it fails in the column `several`, which is there for that alone. Of an answer with
too few or too many messages none was compared, and a case without an answer was not compared: such a case is counted
only where it fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reports.families import (
    OPERATIONS,
    SEVERAL,
    belongs_to,
    broken_operations,
    family_of,
    operation_of,
    operations_of,
    subject_of,
)
from reports.frame.filters import anchor
from reports.renderer import Event
from reports.vocabulary import NEVER_RUN, failure_without_answer, rank

__all__ = ["Heat", "tag_of", "tags_of"]

_FAILED = frozenset({"fail", "warn", "crash", "timeout", "protocol_error", "false_claim", "xfail", "xfail_changed"})
_ROLES = ("encode", "decode")

Key = tuple[str, str, str, str]
"""Protocol, subject, role, operation."""


def tag_of(number: int, protocol: str, *places: str) -> str:
    """The word by which the filter finds the causes of a cell, a row or a column: `at:1.canal-json.decimal.encode`.

    `number` is the implementation's in its run, from 1.
    """
    return "at:" + ".".join(anchor(part) for part in (str(number), protocol, *places))


def tags_of(number: int, protocol: str, role: str, axes: Mapping[str, str], broken: Sequence[str]) -> list[str]:
    """The tags of a failed case with these axes: its row, and the cells of the operations that are broken."""
    subject = subject_of(axes)
    return [tag_of(number, protocol, subject), *(tag_of(number, protocol, subject, role, one) for one in broken)]


@dataclass(slots=True)
class _Cell:
    judged: int = 0
    failed: int = 0
    harm: str = ""

    def count(self, is_failed: bool, harm: str = "") -> None:
        self.judged += 1
        self.failed += is_failed
        self.harm = min(filter(None, (self.harm, harm)), key=rank, default="")


@dataclass(slots=True)
class Heat:
    """Counts the verdicts of one implementation."""

    _cells: dict[Key, _Cell] = field(default_factory=dict)
    _typed: set[tuple[str, str]] = field(default_factory=set)
    _cases: dict[str, _Cell] = field(default_factory=dict)
    """Every case of a protocol, once."""

    def add(self, verdict: Event) -> None:
        """Count a `verdict` event."""
        if verdict["verdict"] in NEVER_RUN:
            return
        axes = verdict.get("axes", {})
        protocol, subject = verdict["protocol"], subject_of(axes)
        if family_of(axes):
            self._typed.add((protocol, subject))
        is_failed = verdict["verdict"] in _FAILED
        broken = broken_operations(axes, verdict["findings"]) if is_failed else []
        self._cases.setdefault(protocol, _Cell()).count(is_failed)
        judged = [] if is_failed and not _is_compared(verdict) else [*operations_of(axes), operation_of(axes)]
        for operation in dict.fromkeys((*judged, *broken)):
            cell = self._cells.setdefault((protocol, subject, verdict["role"], operation), _Cell())
            cell.count(operation in broken, _harm(verdict, operation) if operation in broken else "")

    def maps(self, number: int) -> list[dict[str, Any]]:
        """A table for each protocol: columns by role, rows with their cells; types first, then other input."""
        protocols = dict.fromkeys(protocol for protocol, *_ in self._cells)
        return [self._map(number, protocol) for protocol in protocols if any(p == protocol for p, _ in self._typed)]

    def _map(self, number: int, protocol: str) -> dict[str, Any]:
        cells = {key[1:]: cell for key, cell in self._cells.items() if key[0] == protocol}
        seen = {(role, op) for (_, role, op), cell in cells.items() if op != SEVERAL or cell.failed}
        columns = [(role, op) for role in _ROLES for op in OPERATIONS if (role, op) in seen]
        typed = sorted({name for p, name in self._typed if p == protocol})
        others = sorted({name for name, _, _ in cells}.difference(typed))
        rows = [
            {
                "name": name,
                "find": tag_of(number, protocol, name),
                "cells": [_shown(cells.get((name, r, o)), tag_of(number, protocol, name, r, o)) for r, o in columns],
            }
            for name in [*typed, *others]
        ]
        return {
            "protocol": protocol,
            "roles": [(role, n) for role in _ROLES if (n := sum(r == role for r, _ in columns))],
            "columns": columns,
            "rows": [row | {"failed": sum(cell["failed"] for cell in _filled_cells(row))} for row in rows],
            "failed": self._cases[protocol].failed,
            "judged": self._cases[protocol].judged,
        }


def _filled_cells(row: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return [cell for cell in row["cells"] if cell is not None]


def _shown(cell: _Cell | None, find: str) -> dict[str, Any] | None:
    if cell is None:
        return None
    return {"judged": cell.judged, "failed": cell.failed, "harm": cell.harm, "find": find}


def _is_compared(verdict: Event) -> bool:
    """Whether there was an answer with the expected number of messages or events."""
    findings = verdict["findings"]
    return bool(findings) and not any(one["kind"] == "count" and one["path"].startswith("answer") for one in findings)


def _harm(verdict: Event, operation: str) -> str:
    """The worst harm of a failed case in the column of an operation that it breaks."""
    is_one = operation_of(verdict.get("axes", {})) != SEVERAL
    findings = [one for one in verdict["findings"] if is_one or belongs_to(one, operation)]
    harms = [str(one["harm"]) for one in findings if one.get("harm") and one.get("level") != "may"]
    if not harms and failure_without_answer(verdict):
        return "lost"
    return min(harms, key=rank, default="")
