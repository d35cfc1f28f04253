"""The heat map of a run: a row for each column type or kind of input, a column for each operation in each role.

A cell has the numbers of failed and of judged cases, and their worst harm. A case of several operations is judged in
the column of each, and fails in those to which its findings belong; what belongs to no single event fails in the
column `several`, which is shown only then. A case without an answer, or with too few or too many messages in it, was
not compared: it counts only where it fails.
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
from reports.vocabulary import NEVER_RUN, rank, worst_harm

__all__ = ["Heat", "tags_of"]

_FAILED = frozenset({"fail", "warn", "crash", "timeout", "protocol_error", "false_claim", "xfail", "xfail_changed"})
_ROLES = ("encode", "decode")

Json = dict[str, Any]


@dataclass(slots=True)
class Heat:
    """Counts the verdicts of one implementation."""

    _tables: dict[str, _Table] = field(default_factory=dict)
    """Protocol → its table."""

    def add(self, verdict: Event) -> None:
        """Count a `verdict` event."""
        if verdict["verdict"] not in NEVER_RUN:
            self._tables.setdefault(verdict["protocol"], _Table()).add(verdict)

    def maps(self, number: int) -> list[Json]:
        """The tables of the page, for each protocol with column types; `number` is the implementation's, from 1."""
        return [table.view(number, protocol) for protocol, table in self._tables.items() if table.types]


def tags_of(number: int, protocol: str, role: str, axes: Mapping[str, str], broken: Sequence[str]) -> list[str]:
    """The words by which the filter finds a failed case: those of its row, and of the cell of each broken operation."""
    subject = subject_of(axes)
    return [_tag(number, protocol, subject), *(_tag(number, protocol, subject, role, one) for one in broken)]


def _tag(*parts: object) -> str:
    """`at:1.canal-json.decimal.encode.insert`: the number, protocol and subject of a row; also role and operation."""
    return "at:" + ".".join(map(anchor, parts))


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
class _Table:
    """The cells of one protocol."""

    cells: dict[tuple[str, str, str], _Cell] = field(default_factory=dict)
    """Subject, role and operation → the cell."""
    types: set[str] = field(default_factory=set)
    """The subjects that are column types."""
    whole: _Cell = field(default_factory=_Cell)
    """Counts every case once."""

    def add(self, verdict: Event) -> None:
        axes, is_failed = verdict.get("axes", {}), verdict["verdict"] in _FAILED
        subject = subject_of(axes)
        if family_of(axes):
            self.types.add(subject)
        self.whole.count(is_failed)
        broken = broken_operations(axes, verdict["findings"]) if is_failed else []
        judged = [] if is_failed and not _is_compared(verdict) else [*operations_of(axes), operation_of(axes)]
        for operation in dict.fromkeys((*judged, *broken)):
            is_broken = operation in broken
            cell = self.cells.setdefault((subject, verdict["role"], operation), _Cell())
            cell.count(is_broken, _harm(verdict, operation) if is_broken else "")

    def view(self, number: int, protocol: str) -> Json:
        """The table for the page: columns by role, rows with their cells; column types first, then other input."""
        shown = {(role, op) for (_, role, op), cell in self.cells.items() if op != SEVERAL or cell.failed}
        columns = [(role, op) for role in _ROLES for op in OPERATIONS if (role, op) in shown]
        others = {subject for subject, _, _ in self.cells}.difference(self.types)
        rows = []
        for subject in (*sorted(self.types), *sorted(others)):
            cells = [self._cell_view(number, protocol, subject, *column) for column in columns]
            failed = sum(cell["failed"] for cell in cells if cell is not None)
            rows.append({"name": subject, "find": _tag(number, protocol, subject), "cells": cells, "failed": failed})
        return {
            "protocol": protocol,
            "roles": [(role, n) for role in _ROLES if (n := sum(r == role for r, _ in columns))],
            "columns": columns,
            "rows": rows,
            "failed": self.whole.failed,
            "judged": self.whole.judged,
        }

    def _cell_view(self, number: int, protocol: str, subject: str, role: str, operation: str) -> Json | None:
        cell = self.cells.get((subject, role, operation))
        if cell is None:
            return None
        find = _tag(number, protocol, subject, role, operation)
        return {"judged": cell.judged, "failed": cell.failed, "harm": cell.harm, "find": find}


def _is_compared(verdict: Event) -> bool:
    """Whether there was an answer with the expected number of messages or events."""
    findings = verdict["findings"]
    return bool(findings) and not any(one["kind"] == "count" and one["path"].startswith("answer") for one in findings)


def _harm(verdict: Event, operation: str) -> str:
    """The worst harm of a failed case in the column of an operation that it breaks."""
    is_single = operation_of(verdict.get("axes", {})) != SEVERAL
    findings = [one for one in verdict["findings"] if is_single or belongs_to(one, operation)]
    return worst_harm((one for one in findings if one.get("level") != "may"), verdict)
