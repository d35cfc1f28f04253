"""Records of runs for pages: green, red, empty, cut and huge; of a toy protocol, so that nothing slow is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.reports import many_failures
from conformance.engine import run_suite
from conformance.engine.selection import Expression, Selection
from tests.snapshots.test_report_snapshots import cut, failures, side_by_side
from tests.snapshots.tiny_comparison import SUMMARY
from tests.snapshots.tiny_migration import MOVE, many_columns
from tests.toy import Toy, case, config, run, target

__all__ = ["COMPARISONS", "MOVES", "RECORDS", "Record"]

Record = list[dict[str, Any]]


def green() -> Record:
    """Everything passes."""
    return run(dict.fromkeys("abcdef", "ok"))[1]


def empty() -> Record:
    """Nothing was selected."""
    return run({"a": "ok", "b": "ok"}, selection=Selection(expression=Expression("nothing/of/this")))[1]


def lost() -> Record:
    """The implementation does not start."""
    events: Record = []
    run_suite(config(target(Toy(dead=True), [case("a")])), [events.append])
    return events


def _comparison(rows: Sequence[Mapping[str, Any]], **more: Any) -> Mapping[str, Any]:
    """The small comparison with other rows by divergence."""
    pairs = [{**pair, "divergences": list(rows)} for pair in SUMMARY["pairs"]]
    return {**SUMMARY, "pairs": pairs, **more}


_ROWS: list[dict[str, Any]] = SUMMARY["pairs"][0]["divergences"]
_NONE = {"cells": [], "written_otherwise": [], "not_compared": [], "tables": []}
COMPARISONS: Mapping[str, Mapping[str, Any]] = {
    "red": _comparison([{**_ROWS[0], "title": "changes of t-1"}, *_ROWS[1:]]),
    "green": _comparison(_ROWS[3:], exit_status=0),
    "explained": _comparison(_ROWS[2:], exit_status=0),
    "empty": _comparison([], exit_status=5, final_tables=[], explanations=[])
    | {"pairs": [{**pair, **_NONE, "divergences": []} for pair in SUMMARY["pairs"]]},
}
"""Name → summary of a comparison."""

_CALM = {"counts": dict.fromkeys(MOVE["counts"], 0), "findings": [], "not_assessed": []}
MOVES: Mapping[str, Mapping[str, Any]] = {
    "red": MOVE,
    "green": MOVE | _CALM | {"columns": [one | {"verdict": "same", "findings": []} for one in MOVE["columns"]]},
    "empty": MOVE | _CALM | {"columns": [], "placement": [], "configuration": []},
    "huge": many_columns(),
}
"""Name → record of the assessment of a move."""

RECORDS = {"red": failures, "green": green, "empty": empty, "lost": lost, "cut": cut, "side by side": side_by_side}
RECORDS["huge"] = many_failures
"""Name → record of a run."""
