"""Builds the summary: the result of a comparison as JSON data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeAlias

from conformance.catalogue.divergences import find_divergence
from differential.align.pairs import Pair
from differential.counts import SUITE_ERRORS, Counts
from differential.model import Difference, Place, Status
from differential.result.divergences import explanations, met_divergences
from differential.result.gate import Limits, exit_status
from differential.result.harms import harm_of
from differential.result.parts import not_compared, note, others, reworded, statement_counts, types
from differential.result.tally import Tally
from differential.sides import Side
from differential.statements.comparing import Statements
from differential.type_names.naming import OF_DEFINITIONS

__all__ = ["summary", "without_values", "without_values_of_errors"]


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


def _cells(pair: str, tally: Tally) -> list[dict[str, Any]]:
    return [
        {
            "schema": cell.schema,
            "table": cell.table,
            "column": cell.column,
            "class": cell.kind,
            "status": cell.status,
            "divergence": cell.divergence or None,
            "harm": harm_of(cell.divergence),
            "count": count,
            "examples": [_example(d) for d in tally.examples[cell]],
        }
        for cell, count in sorted(tally.cells.items())
        if cell.pair == pair
    ]


def _tables(pair: Pair, counts: Counts) -> list[dict[str, Any]]:
    names = sorted({(schema, table) for side, schema, table in counts.changes if side in (pair.a, pair.b)})
    tables = []
    for schema, table in names:
        left, right = counts.changes[pair.a, schema, table], counts.changes[pair.b, schema, table]
        alike = counts.alike[pair.context.pair, schema, table]
        tables.append(
            {
                "schema": schema,
                "table": table,
                "left_changes": left,
                "right_changes": right,
                "alike": alike,
                "match_rate": alike * 10**6 // max(left, right, 1) / 10**6,
            }
        )
    return tables


def _written(pair: Pair, sides: Sequence[Side], counts: Counts, type_names: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Divergences that lose no value: values in other spellings, and differences outside the rows."""
    found = []
    spellings = (spelling for of_table in pair.spellings.values() for _, spelling in of_table)
    documented = {spelling.divergence: spelling.documented for spelling in spellings}
    for key, count in sorted(counts.named.items()):
        pair_name, schema, table, column, divergence = key
        if pair_name == pair.context.pair:
            status = Status.DOCUMENTED if documented[divergence] else Status.UNDOCUMENTED
            place = {"schema": schema, "table": table, "column": column}
            examples = [{"key": row, "value": value} for row, value in counts.shown[key]]
            found.append({"divergence": divergence, "status": status, **place, "count": count, "examples": examples})
    versions = Counter(table.id for table in sides[pair.a].tables)
    types = {(one["schema"], one["table"], name) for one in type_names["differ"] for name in one["divergences"]}
    for name in pair.namer.of_envelope():
        known = find_divergence(name.divergence)
        for id_ in sorted({table[1:] for table in counts.changes if table[0] in (pair.a, pair.b)}):
            is_of_types = name.divergence in OF_DEFINITIONS and type_names["compared"] and versions[id_] == 1
            if is_of_types and (*id_, name.divergence) not in types:
                continue
            events = known.events if known else ()
            if both := min(_changes_of(counts, (side, *id_), events) for side in (pair.a, pair.b)):
                place = {"schema": id_[0], "table": id_[1], "column": ""}
                found.append(
                    {"divergence": name.divergence, "status": name.status, **place, "count": both, "examples": []}
                )
    return found


def _changes_of(counts: Counts, table: tuple[int, str, str], ops: Sequence[str]) -> int:
    """The changes of a side's table, by these operations or, without any, by all."""
    return sum(counts.ops[*table, op] for op in ops) if ops else counts.changes[table]


def _finals(sides: Sequence[Side], counts: Counts) -> list[dict[str, Any]]:
    """The final rows of each table on each side: their number, and a checksum independent of order."""
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
    pair: Pair,
    sides: Sequence[Side],
    tally: Tally,
    counts: Counts,
    statements: Statements,
    shown: Shown,
    ignored: Collection[str],
) -> dict[str, Any]:
    name = pair.context.pair
    by_class = tally.by(name, "kind")
    cells = _cells(name, tally)
    type_names = types(pair, sides, tally, counts)
    written = shown([*_written(pair, sides, counts, type_names), *reworded(pair, statements)])
    others_of = not_compared(pair, sides, counts, statements)
    names, dialects = (sides[pair.a].name, sides[pair.b].name), [pair.context.left, pair.context.right]
    return {
        "pair": name,
        "dialects": dialects,
        "differences": sum(by_class.values()),
        "by_status": tally.by(name, "status"),
        "by_class": by_class,
        "by_divergence": tally.by(name, "divergence"),
        "divergences": met_divergences(names, dialects, cells, written, others_of, ignored),
        "written_otherwise": written,
        "statements": statement_counts(pair, statements),
        "not_compared": others_of,
        "type_names": type_names,
        "tables": _tables(pair, counts),
        "cells": cells,
    }


def without_values_of_errors(found: dict[str, Any]) -> None:
    """Remove keys and messages, which may show values, from the suite's own errors in a summary."""
    for one in found.get("suite_errors", {}).get("first", ()):
        one["key"], one["message"] = "", "the suite failed; its message may show values"


def _suite_errors(counts: Counts) -> dict[str, Any]:
    """The places at which the suite itself failed; empty without failures."""
    number = sum(count for (_, what), count in counts.control.items() if what == SUITE_ERRORS)
    if not counts.suite_errors:
        return {}
    names = ("at", "schema", "table", "key", "topic", "partition", "offset", "message")
    first = [dict(zip(names, entry, strict=True)) for entry in counts.suite_errors]
    return {"suite_errors": {"count": number, "first": first}}


Shown: TypeAlias = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


def _as_they_are(written: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return written


def without_values(written: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Values in other spellings, without the examples, which show values."""
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
    """The content of `summary.json`: what was read, what differs and why, and the final tables.

    `statements` is the result for statements. `shown` removes what must not be shown from spellings.
    """
    compared_statements = statements or Statements(sides, pairs)
    compared = sum(found.alike for found in compared_statements.found.values())
    found = [_pair(pair, sides, tally, counts, compared_statements, shown, limits.ignore) for pair in pairs]
    return {
        "format": 2,
        "runner": runner,
        "sides": [
            {
                "name": side.name,
                "dialect": side.dialect,
                "options": dict(sorted(side.options.items())),
                "source": source,
                "messages": counts.control[number, "messages"],
                "changes": sum(n for (side_number, _, _), n in counts.changes.items() if side_number == number),
                "others": others(number, counts),
                "note": note(side, number, counts),
            }
            for number, (side, source) in enumerate(zip(sides, sources, strict=True))
        ],
        "pairs": found,
        "explanations": explanations(found),
        "final_tables": _finals(sides, counts),
        "rows_left_out": tally.left_out,
        **_suite_errors(counts),
        "gate": limits.to_json(),
        "exit_status": exit_status(found, counts, limits, compared),
    }
