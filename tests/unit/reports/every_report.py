"""Every report of every kind of record there is, as a function from what is done to the record to the report's text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Any, TypeAlias

from benchmarks.reports import rendered
from reports import RENDERERS, TerminalRenderer
from reports.comparison import COMPARISON_REPORTS
from reports.comparison import terminal_lines as comparison_lines
from reports.compatibility import COMPATIBILITY_REPORTS
from reports.compatibility import terminal_lines as compatibility_lines
from reports.diff import DIFF_REPORTS
from reports.diff import terminal_lines as diff_lines
from reports.index import IndexBuilder, index_page
from reports.matrix import MATRIX_REPORTS
from reports.matrix import terminal_lines as matrix_lines
from reports.migration import MIGRATION_REPORTS
from reports.migration import terminal_lines as migration_lines
from tests.snapshots.test_report_snapshots import cut, failures
from tests.snapshots.tiny_comparison import SUMMARY
from tests.snapshots.tiny_compatibility import TABLE
from tests.snapshots.tiny_matrix import RECORD
from tests.snapshots.tiny_migration import MOVE
from tests.unit.reports.diff.runs import everything
from tests.unit.reports.hostile import (
    STRUCTURE,
    STRUCTURE_OF_COMPARISON,
    STRUCTURE_OF_COMPATIBILITY,
    STRUCTURE_OF_DIFF,
    STRUCTURE_OF_MATRIX,
    STRUCTURE_OF_MIGRATION,
)

__all__ = ["EVERY", "HTML", "JSON", "RECORDS", "Report", "as_it_is", "rendered"]

Change: TypeAlias = Callable[[Any, frozenset[str]], Any]
"""What is done to a record before it is rendered: a function of (the record, the members that are to be left alone)."""
Report: TypeAlias = Callable[[Change], str]


def as_it_is(record: Any, keep: frozenset[str]) -> Any:
    """The change that changes nothing."""
    return record


@cache
def _failures() -> list[dict[str, Any]]:
    return failures()


def _index(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    builder = IndexBuilder()
    builder.add("a run", events)
    builder.add("another run", cut())
    return builder.record()


_INDEX: Mapping[str, Callable[[Any], str]] = {
    "html": lambda events: index_page(_index(events)),
    "json": lambda events: json.dumps(_index(events), ensure_ascii=False),
}


def _joined(lines: Callable[[Any], Iterable[str]]) -> Callable[[Any], str]:
    return lambda record: "\n".join(lines(record)) + "\n"


_RUN = {kind: partial(rendered, renderer) for kind, renderer in {"terminal": TerminalRenderer, **RENDERERS}.items()}
# Of what → (its reports, a record, the members that are left alone).
_KINDS: Mapping[str, tuple[Mapping[str, Callable[[Any], str]], Callable[[], Any], frozenset[str]]] = {
    "run": (_RUN, _failures, STRUCTURE),
    "index": (_INDEX, _failures, STRUCTURE),
    "matrix": ({"terminal": _joined(matrix_lines), **MATRIX_REPORTS}, lambda: RECORD, STRUCTURE_OF_MATRIX),
    "comparison": (
        {"terminal": _joined(comparison_lines), **COMPARISON_REPORTS},
        lambda: SUMMARY,
        STRUCTURE_OF_COMPARISON,
    ),
    "compatibility": (
        {"terminal": _joined(compatibility_lines), **COMPATIBILITY_REPORTS},
        lambda: TABLE,
        STRUCTURE_OF_COMPATIBILITY,
    ),
    "migration": ({"terminal": _joined(migration_lines), **MIGRATION_REPORTS}, lambda: MOVE, STRUCTURE_OF_MIGRATION),
    "diff": ({"terminal": _joined(diff_lines), **DIFF_REPORTS}, everything, STRUCTURE_OF_DIFF),
}


def _report(render: Callable[[Any], str], record: Callable[[], Any], structure: frozenset[str], change: Change) -> str:
    return render(change(record(), structure))


EVERY: Mapping[str, Report] = {
    f"{name}: {kind}": partial(_report, render, record, structure)
    for name, (reports, record, structure) in _KINDS.items()
    for kind, render in reports.items()
}
"""Name, as `run: junit` → report."""
RECORDS = {name: record for name, (_, record, _) in _KINDS.items()}
"""What a record is of → the record."""

HTML = [name for name in EVERY if name.endswith("html")]
JSON = [name for name in EVERY if name.endswith(("json", "jsonl", "sarif", "badge"))]
