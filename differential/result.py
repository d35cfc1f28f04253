"""The result of a comparison as data: the summary, and whether it is green.

Which differences become rows and which are only counted was settled before; here they are summed up by pair, table and
column, with a few examples of each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from differential.local import Outcome
from differential.merging import Pair
from differential.model import Difference, Place, Status
from differential.sides import Side

__all__ = ["FAIL_ON", "Limits", "exit_status", "summary"]

EXAMPLES = 3

FAIL_ON: Mapping[str, frozenset[Status]] = {
    "unexplained": frozenset({Status.UNEXPLAINED}),
    "undocumented": frozenset({Status.UNEXPLAINED, Status.UNDOCUMENTED}),
    "any": frozenset(Status),
}
"""What makes a comparison red, by the values of `--fail-on`."""

GREEN, RED, NOTHING = 0, 1, 5


@dataclass(frozen=True, slots=True)
class Limits:
    """What is tolerated: `fail_on` names the statuses that count, `share` the part of all changes that they may be."""

    fail_on: str = "unexplained"
    share: float = 0.0


def exit_status(outcome: Outcome, limits: Limits) -> int:
    """0 green, 1 red, 5 where no change at all was compared."""
    changes = sum(outcome.counts.changes.values())
    counted = sum(d.status in FAIL_ON[limits.fail_on] for d in outcome.differences)
    if not changes and not outcome.differences:
        return NOTHING
    return RED if counted > limits.share * max(changes, 1) else GREEN


def _place(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else {"topic": place.topic, "partition": place.partition, "offset": place.offset}


def _example(difference: Difference) -> dict[str, Any]:
    return {
        "key": difference.key,
        "left": _place(difference.left),
        "right": _place(difference.right),
        "left_value": difference.left_value,
        "right_value": difference.right_value,
    }


def _cells(differences: Iterable[Difference]) -> list[dict[str, Any]]:
    """Differences by table, column, kind and name: how many, and the first few."""
    grouped: dict[tuple[str, ...], list[Difference]] = defaultdict(list)
    for d in differences:
        grouped[d.schema, d.table, d.column, d.kind, d.status, d.divergence or ""].append(d)
    return [
        {
            "schema": schema,
            "table": table,
            "column": column,
            "class": kind,
            "status": status,
            "divergence": divergence or None,
            "count": len(found),
            "examples": [_example(d) for d in found[:EXAMPLES]],
        }
        for (schema, table, column, kind, status, divergence), found in sorted(grouped.items())
    ]


def _tables(pair: Pair, outcome: Outcome) -> list[dict[str, Any]]:
    changes, alike = outcome.counts.changes, outcome.counts.alike
    names = sorted({(schema, table) for side, schema, table in changes if side in (pair.a, pair.b)})
    tables = []
    for schema, table in names:
        left, right = changes[pair.a, schema, table], changes[pair.b, schema, table]
        same = alike[pair.meeting.pair, schema, table]
        rate = round(same / max(left, right, 1), 6)
        tables.append(
            {
                "schema": schema,
                "table": table,
                "left_changes": left,
                "right_changes": right,
                "alike": same,
                "match_rate": rate,
            }
        )
    return tables


def _finals(sides: Sequence[Side], outcome: Outcome) -> list[dict[str, Any]]:
    """What each side's changes leave of each table: rows, and a checksum that does not depend on their order."""
    counts = outcome.counts
    names = sorted({(schema, table) for _, schema, table in counts.changes})
    finals = []
    for schema, table in names:
        each = {
            side.name: {
                "rows": counts.rows[number, schema, table],
                "checksum": f"{counts.checksum[number, schema, table]:016x}",
            }
            for number, side in enumerate(sides)
        }
        equal = len({(one["rows"], one["checksum"]) for one in each.values()}) == 1
        finals.append({"schema": schema, "table": table, "sides": each, "equal": equal})
    return finals


def _others(side: int, outcome: Outcome) -> dict[str, int]:
    """What messages of a side were beside changes of rows of the tables given."""
    control = sorted(outcome.counts.control.items())
    return {what: count for (of, what), count in control if of == side and what != "messages" and count}


def summary(
    sides: Sequence[Side], sources: Sequence[str], pairs: Sequence[Pair], outcome: Outcome, limits: Limits, runner: str
) -> dict[str, Any]:
    """`summary.json`: what was read, what differs, by what name, and what is left of each table."""
    told = []
    for pair in pairs:
        mine = [d for d in outcome.differences if d.pair == pair.meeting.pair]
        told.append(
            {
                "pair": pair.meeting.pair,
                "dialects": [pair.meeting.left, pair.meeting.right],
                "differences": len(mine),
                "by_status": dict(sorted(Counter(d.status.value for d in mine).items())),
                "by_class": dict(sorted(Counter(d.kind.value for d in mine).items())),
                "by_divergence": dict(sorted(Counter(d.divergence for d in mine if d.divergence).items())),
                "tables": _tables(pair, outcome),
                "cells": _cells(mine),
            }
        )
    return {
        "format": 1,
        "runner": runner,
        "sides": [
            {
                "name": side.name,
                "dialect": side.dialect,
                "options": dict(sorted(side.options.items())),
                "source": source,
                "messages": outcome.counts.control[number, "messages"],
                "changes": sum(n for (of, _, _), n in outcome.counts.changes.items() if of == number),
                "others": _others(number, outcome),
            }
            for number, (side, source) in enumerate(zip(sides, sources, strict=True))
        ],
        "pairs": told,
        "final_tables": _finals(sides, outcome),
        "gate": {"fail_on": limits.fail_on, "max_share": limits.share},
        "exit_status": exit_status(outcome, limits),
    }
