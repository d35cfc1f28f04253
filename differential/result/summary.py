"""The result of a comparison as data: the summary, and whether it is green."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from conformance.catalogue.divergences import find_divergence
from differential.align.merging import Pair
from differential.counts import SUITE_ERRORS, Counts
from differential.model import Difference, Place, Status
from differential.result.parts import not_compared, note, others, reworded, statement_counts, types
from differential.result.tally import Tally, order_of
from differential.sides import Side
from differential.statements.comparing import Statements

__all__ = [
    "FAIL_ON",
    "GREEN",
    "NOTHING",
    "RED",
    "Limits",
    "Tally",
    "exit_status",
    "order_of",
    "summary",
    "without_values",
    "without_values_of_errors",
]

FAIL_ON: Mapping[str, frozenset[Status]] = {
    "unexplained": frozenset({Status.UNEXPLAINED}),
    "undocumented": frozenset({Status.UNEXPLAINED, Status.UNDOCUMENTED}),
    "any": frozenset(Status),
}
"""What makes a comparison red, by the values of `--fail-on`."""

GREEN, RED, INTERNAL, NOTHING = 0, 1, 3, 5


@dataclass(frozen=True, slots=True)
class Limits:
    """What is tolerated: `fail_on` names the statuses that count, `share` the part of all changes that they may be."""

    fail_on: str = "unexplained"
    share: float = 0.0


def exit_status(tally: Tally, counts: Counts, limits: Limits, statements: int = 0) -> int:
    """0 green, 1 red, 3 where the suite itself failed, 5 where neither a change nor a statement was compared."""
    if counts.suite_errors:
        return INTERNAL
    changes = sum(counts.changes.values())
    if not changes and not statements and not tally.cells:
        return NOTHING
    counted = sum(count for cell, count in tally.cells.items() if Status(cell[5]) in FAIL_ON[limits.fail_on])
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


def harm_of(divergence: str) -> str | None:
    """What a divergence does to a reader; None for a difference without a name."""
    known = find_divergence(divergence) if divergence else None
    return None if known is None else str(known.harm)


def _cells(pair: str, tally: Tally) -> list[dict[str, Any]]:
    return [
        {
            "schema": cell[1],
            "table": cell[2],
            "column": cell[3],
            "class": cell[4],
            "status": cell[5],
            "divergence": cell[6] or None,
            "harm": harm_of(cell[6]),
            "count": count,
            "examples": [_example(d) for d in tally.examples[cell]],
        }
        for cell, count in sorted(tally.cells.items())
        if cell[0] == pair
    ]


def _tables(pair: Pair, counts: Counts) -> list[dict[str, Any]]:
    names = sorted({(schema, table) for side, schema, table in counts.changes if side in (pair.a, pair.b)})
    tables = []
    for schema, table in names:
        left, right = counts.changes[pair.a, schema, table], counts.changes[pair.b, schema, table]
        alike = counts.alike[pair.meeting.pair, schema, table]
        tables.append(
            {
                "schema": schema,
                "table": table,
                "left_changes": left,
                "right_changes": right,
                "alike": alike,
                "match_rate": round(alike / max(left, right, 1), 6),
            }
        )
    return tables


def _written(pair: Pair, counts: Counts) -> list[dict[str, Any]]:
    """Divergences that no value is lost by: of values that are written in other words, and around every row."""
    found = []
    documented = {watch.divergence: watch.documented for watched in pair.watched.values() for _, watch in watched}
    for key, count in sorted(counts.named.items()):
        of, schema, table, column, divergence = key
        if of == pair.meeting.pair:
            status = Status.DOCUMENTED if documented[divergence] else Status.UNDOCUMENTED
            place = {"schema": schema, "table": table, "column": column}
            examples = [{"key": row, "value": value} for row, value in counts.shown[key]]
            found.append({"divergence": divergence, "status": status, **place, "count": count, "examples": examples})
    for name in pair.namer.everywhere():
        for of_table in _tables(pair, counts):
            if both := min(of_table["left_changes"], of_table["right_changes"]):
                place = {"schema": of_table["schema"], "table": of_table["table"], "column": ""}
                found.append(
                    {"divergence": name.divergence, "status": name.status, **place, "count": both, "examples": []}
                )
    return found


def _finals(sides: Sequence[Side], counts: Counts) -> list[dict[str, Any]]:
    """What each side's changes leave of each table: rows, and a checksum that does not depend on their order."""
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


def _pair(
    pair: Pair, sides: Sequence[Side], tally: Tally, counts: Counts, statements: Statements, shown: Shown
) -> dict[str, Any]:
    name = pair.meeting.pair
    by_class = tally.by(name, 4)
    return {
        "pair": name,
        "dialects": [pair.meeting.left, pair.meeting.right],
        "differences": sum(by_class.values()),
        "by_status": tally.by(name, 5),
        "by_class": by_class,
        "by_divergence": tally.by(name, 6),
        "written_otherwise": shown([*_written(pair, counts), *reworded(pair, statements)]),
        "statements": statement_counts(pair, statements),
        "not_compared": not_compared(pair, sides, counts, statements),
        "type_names": types(pair, sides, tally, counts),
        "tables": _tables(pair, counts),
        "cells": _cells(name, tally),
    }


def without_values_of_errors(found: dict[str, Any]) -> None:
    """Take keys, and what was said of values, out of the suite's own errors in a summary."""
    for one in found.get("suite_errors", {}).get("first", ()):
        one["key"], one["message"] = "", "the suite failed; what it said may show values"


def _suite_errors(counts: Counts) -> dict[str, Any]:
    """Where the suite itself failed; nothing where it did not."""
    number = sum(count for (_, what), count in counts.control.items() if what == SUITE_ERRORS)
    if not counts.suite_errors:
        return {}
    names = ("at", "schema", "table", "key", "topic", "partition", "offset", "message")
    first = [dict(zip(names, told, strict=True)) for told in counts.suite_errors]
    return {"suite_errors": {"count": number, "first": first}}


Shown: TypeAlias = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


def _as_they_are(written: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return written


def without_values(written: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is written otherwise, without the examples, which show values."""
    return [{**one, "examples": []} for one in written]


def summary(
    sides: Sequence[Side],
    sources: Sequence[str],
    pairs: Sequence[Pair],
    tally: Tally,
    counts: Counts,
    limits: Limits,
    runner: str,
    statements: Statements | None = None,
    shown: Shown = _as_they_are,
) -> dict[str, Any]:
    """`summary.json`: what was read, what differs, by what name, and what is left of each table.

    `statements` are those that were compared. `shown` makes of what is written otherwise what may be shown of it.
    """
    told = statements or Statements(sides, pairs)
    compared = sum(found.alike for found in told.found.values())
    return {
        "format": 1,
        "runner": runner,
        "sides": [
            {
                "name": side.name,
                "dialect": side.dialect,
                "options": dict(sorted(side.options.items())),
                "source": source,
                "messages": counts.control[number, "messages"],
                "changes": sum(n for (of, _, _), n in counts.changes.items() if of == number),
                "others": others(number, counts),
                "note": note(side, number, counts),
            }
            for number, (side, source) in enumerate(zip(sides, sources, strict=True))
        ],
        "pairs": [_pair(pair, sides, tally, counts, told, shown) for pair in pairs],
        "final_tables": _finals(sides, counts),
        "rows_left_out": tally.left_out,
        **_suite_errors(counts),
        "gate": {"fail_on": limits.fail_on, "max_share": limits.share},
        "exit_status": exit_status(tally, counts, limits, compared),
    }
