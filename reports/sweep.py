"""The result of a fault sweep as lines for a terminal, and as JSON, from the record of the sweep alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from reports.jsonl import json_document

__all__ = ["SWEEP_REPORTS", "terminal_lines"]

Record: TypeAlias = dict[str, Any]

SWEEP_REPORTS: Mapping[str, Callable[[Record], str]] = {"json": json_document}
"""Kinds of reports, each with the function that writes it."""

_MOST_SHOWN = 40


def terminal_lines(record: Record) -> Iterator[str]:
    """The text for a person: survivors first, then a line for each protocol and role."""
    survivors = [(sweep, survivor) for sweep in record["sweeps"] for survivor in sweep["survivors"]]
    for sweep, survivor in survivors[:_MOST_SHOWN]:
        where = " ".join(filter(None, (survivor["event"], survivor["path"], survivor["family"])))
        yield f"SURVIVED  {sweep['protocol']}, {sweep['role']}: {survivor['operator']} at {where}"
        yield f"          not found in {', '.join(survivor['cases'])}"
    if len(survivors) > _MOST_SHOWN:
        yield f"          and {len(survivors) - _MOST_SHOWN:,} more"
    yield f"{'protocol':14}{'role':8}{'paths':>7}{'faults':>9}{'found':>9}{'free':>7}{'survived':>10}{'proven':>8}"
    for sweep in record["sweeps"]:
        yield (
            f"{sweep['protocol']:14}{sweep['role']:8}{len(sweep['paths']):>7,}{sweep['faults']:>9,}"
            f"{sweep['found']:>9,}{sweep['free']:>7,}{len(sweep['survivors']):>10,}{len(sweep['first']):>8,}"
        )
    yield "faults: one for each path and operator; proven: requirements that are shown first for some fault"
