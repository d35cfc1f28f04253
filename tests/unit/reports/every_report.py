"""Every report of every kind of record there is, as a function from what is done to the record to the report's text."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Any, TypeAlias

from benchmarks.reports import rendered
from reports import RENDERERS, Renderer, TerminalRenderer
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

__all__ = ["EVERY", "HTML", "JSON", "Report", "rendered"]

Change: TypeAlias = Callable[[Any, frozenset[str]], Any]
"""What is done to a record before it is rendered: a function of (the record, the members that are to be left alone)."""
Report: TypeAlias = Callable[[Change], str]


@cache
def _failures() -> list[dict[str, Any]]:
    return failures()


def _of_run(renderer: Callable[[io.StringIO], Renderer], change: Change) -> str:
    return rendered(renderer, change(_failures(), STRUCTURE))


def _of_matrix(render: Callable[[Any], str], change: Change) -> str:
    return render(change(RECORD, STRUCTURE_OF_MATRIX))


def _index(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    builder = IndexBuilder()
    builder.add("a run", events)
    builder.add("another run", cut())
    return builder.record()


_INDEX: Mapping[str, Callable[[Any], str]] = {
    "html": lambda events: index_page(_index(events)),
    "json": lambda events: json.dumps(_index(events), ensure_ascii=False),
}


def _of_index(render: Callable[[Any], str], change: Change) -> str:
    return render(change(_failures(), STRUCTURE))


def _of_comparison(render: Callable[[Any], str], change: Change) -> str:
    return render(change(SUMMARY, STRUCTURE_OF_COMPARISON))


def _of_compatibility(render: Callable[[Any], str], change: Change) -> str:
    return render(change(TABLE, STRUCTURE_OF_COMPATIBILITY))


def _of_migration(render: Callable[[Any], str], change: Change) -> str:
    return render(change(MOVE, STRUCTURE_OF_MIGRATION))


def _of_diff(render: Callable[[Any], str], change: Change) -> str:
    return render(change(everything(), STRUCTURE_OF_DIFF))


def _joined(lines: Callable[[Any], Iterable[str]]) -> Callable[[Any], str]:
    return lambda record: "\n".join(lines(record)) + "\n"


EVERY: Mapping[str, Report] = {
    **{f"run: {kind}": partial(_of_run, of) for kind, of in {"terminal": TerminalRenderer, **RENDERERS}.items()},
    **{f"index: {kind}": partial(_of_index, of) for kind, of in _INDEX.items()},
    **{
        f"matrix: {kind}": partial(_of_matrix, of)
        for kind, of in {"terminal": _joined(matrix_lines), **MATRIX_REPORTS}.items()
    },
    **{
        f"comparison: {kind}": partial(_of_comparison, of)
        for kind, of in {"terminal": _joined(comparison_lines), **COMPARISON_REPORTS}.items()
    },
    **{
        f"compatibility: {kind}": partial(_of_compatibility, of)
        for kind, of in {"terminal": _joined(compatibility_lines), **COMPATIBILITY_REPORTS}.items()
    },
    **{
        f"migration: {kind}": partial(_of_migration, of)
        for kind, of in {"terminal": _joined(migration_lines), **MIGRATION_REPORTS}.items()
    },
    **{
        f"diff: {kind}": partial(_of_diff, of) for kind, of in {"terminal": _joined(diff_lines), **DIFF_REPORTS}.items()
    },
}
"""Name, as `run: junit` → report."""

HTML = [name for name in EVERY if name.endswith("html")]
JSON = [name for name in EVERY if name.endswith(("json", "jsonl", "sarif", "badge"))]
