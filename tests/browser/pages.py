"""Every page that reports make, by name, each from a small record; those of runs in every state a run can be in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from benchmarks.reports import MANY, many_failures
from reports import RENDERERS
from reports.comparison import COMPARISON_REPORTS
from reports.compatibility import COMPATIBILITY_REPORTS
from reports.diff import DIFF_REPORTS
from reports.diff.sides import Side
from reports.index import IndexBuilder, index_page
from reports.matrix import MATRIX_REPORTS
from reports.migration import MIGRATION_REPORTS
from tests.browser.records import COMPARISONS, MOVES, RECORDS
from tests.snapshots.tiny_compatibility import TABLE, many_cells
from tests.snapshots.tiny_matrix import RECORD
from tests.unit.reports.diff.runs import compared, everything, side, verdict
from tests.unit.reports.every_report import EVERY, HTML, rendered
from tests.unit.reports.hostile import TEXTS, spoiled

__all__ = ["HOSTILE", "PAGES", "WITH_ROWS"]


def _run(record: Callable[[], Any]) -> str:
    return rendered(RENDERERS["html"], record())


def _saved(name: str, failing: int) -> Side:
    return side(name, *(event for event in many_failures(failing) if event["event"] == "verdict"))


def _matrix(changed: Mapping[str, Any]) -> str:
    return MATRIX_REPORTS["html"](RECORD | changed)


def _index(records: Iterable[Callable[[], Any]]) -> str:
    builder = IndexBuilder()
    for number, record in enumerate(records):
        builder.add(f"run {number}", record())
    return index_page(builder.record())


INDEXED = {"red": [RECORDS[name] for name in ("green", "red", "cut", "empty", "side by side")], "empty": ()}
INDEXED["green"] = [RECORDS["green"]]

_NOTHING = {"groups": [], "requirements": [], "history": [], "mutants": [], "planned": 0, "totals": {}, "exit": 5}
_NOTHING |= {"history_totals": dict.fromkeys(RECORD["history_totals"], 0), "message": "nothing was selected"}

PAGES: dict[str, Callable[[], str]] = {
    "matrix": partial(_matrix, {}),
    "matrix empty": partial(_matrix, _NOTHING),
    "compatibility": lambda: COMPATIBILITY_REPORTS["html"](TABLE),
    "compatibility green": lambda: COMPATIBILITY_REPORTS["html"](TABLE | {"cells": TABLE["cells"][-1:]}),
    "compatibility empty": lambda: COMPATIBILITY_REPORTS["html"](TABLE | {"encoders": [], "readers": [], "cells": []}),
    "compatibility huge": lambda: COMPATIBILITY_REPORTS["html"](many_cells()),
    "diff": lambda: DIFF_REPORTS["html"](everything()),
    "diff empty": lambda: DIFF_REPORTS["html"](compared(side("1", verdict("a")), side("2", verdict("a")))),
}
PAGES |= {f"index {name}": partial(_index, records) for name, records in INDEXED.items()}
PAGES |= {f"comparison {name}": partial(COMPARISON_REPORTS["html"], of) for name, of in COMPARISONS.items()}
PAGES |= {f"migration {name}": partial(MIGRATION_REPORTS["html"], of) for name, of in MOVES.items()}
if "html" in RENDERERS:
    PAGES |= {f"run {name}": partial(_run, record) for name, record in RECORDS.items()}
PAGES["diff huge"] = lambda: DIFF_REPORTS["html"](compared(_saved("old", 10), _saved("new", MANY)))

_ROWS = (
    "matrix",
    "compatibility",
    "diff",
    "index red",
    "run red",
    "run side by side",
    "comparison red",
    "migration red",
)
WITH_ROWS = [name for name in _ROWS if name in PAGES]
"""Pages that have rows to filter."""


def _hostile(name: str, text: str) -> str:
    return EVERY[name](lambda record, keep: spoiled(record, TEXTS[text], keep))


HOSTILE = {f"{name.replace(': ', ' ')} {text}": partial(_hostile, name, text) for name in HTML for text in TEXTS}
"""Every page, of a record in which every text begins with a hostile one."""
PAGES |= HOSTILE
