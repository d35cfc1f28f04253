"""Records of runs for pages: green, red, empty, cut and huge; of a toy protocol, so that nothing slow is run."""

from __future__ import annotations

from typing import Any

from benchmarks.reports import many_failures
from conformance.engine import run_suite
from conformance.engine.selection import Expression, Selection
from tests.snapshots.test_report_snapshots import cut, failures, side_by_side
from tests.toy import Toy, case, config, run, target

__all__ = ["RECORDS", "Record"]

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


RECORDS = {"red": failures, "green": green, "empty": empty, "lost": lost, "cut": cut, "side by side": side_by_side}
RECORDS["huge"] = many_failures
"""Name → record of a run."""
