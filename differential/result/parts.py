"""Parts of the summary: statements, messages that are not compared, and type names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from differential.align.pairs import Pair
from differential.counts import Counts
from differential.decode.contradictions import is_contradiction
from differential.model import Status
from differential.result.tally import Tally
from differential.sides import Side
from differential.statements.comparing import Statements
from differential.statements.naming import SILENT
from differential.type_names.comparing import names_of, type_names

__all__ = ["not_compared", "note", "others", "reworded", "statement_counts", "types"]


UNCHECKED = "unchecked"


def others(side: int, counts: Counts) -> dict[str, int]:
    """The counts of a side's messages that are not row changes of the given tables."""
    control = sorted(counts.control.items())
    return {
        what: count
        for (number, what), count in control
        if number == side and what != "messages" and count and not is_contradiction(what)
    }


def note(side: Side, number: int, counts: Counts) -> str | None:
    """A note about a side as a whole: it is empty, unreadable, or lacks images.

    None without one.
    """
    if not counts.control[number, "messages"]:
        return f"{side.name} has no message"
    if others(number, counts) or any(n for (side_number, _, _), n in counts.changes.items() if side_number == number):
        return "; ".join([*_limits_of(side), *_unchecked(side, counts.control[number, UNCHECKED])]) or None
    return f"every message of {side.name} was unreadable: is it {side.dialect}?"


def _limits_of(side: Side) -> Iterator[str]:
    """Notes on images that a side lacks by its options, and that are therefore not compared."""
    if not side.has_before_images:
        yield f"{side.name} has no row before an update: rows before updates are not compared"
    if side.deletes_by_key:
        yield f"{side.name} may have only the key of a deleted row: other columns of deleted rows are not compared"


def _unchecked(side: Side, messages: int) -> Iterator[str]:
    """A note on messages whose members could not be checked."""
    if messages:
        yield (
            f"{messages:,} messages of {side.name} hold a value that their column cannot, or lack a column, and "
            "cannot be written again: their rows are compared, their other members are not"
        )


def statement_counts(pair: Pair, statements: Statements) -> dict[str, Any]:
    """The numbers of statements by side and table; `silent` is the side that writes none."""
    found = statements.found[pair.context.pair]
    return {
        "left": found.left,
        "right": found.right,
        "alike": found.alike,
        "written_otherwise": found.reworded,
        "silent": found.silent or None,
    }


def reworded(pair: Pair, statements: Statements) -> Iterator[dict[str, Any]]:
    """Equal statements in other words, counted by divergence."""
    found = statements.found[pair.context.pair]
    for (schema, table, name), count in sorted(found.named.items(), key=lambda named: str(named[0])):
        examples = [{"key": "", "value": query} for query in found.shown[schema, table, name]]
        place = {"schema": schema, "table": table, "column": ""}
        yield {"divergence": name.divergence, "status": name.status, **place, "count": count, "examples": examples}


def not_compared(pair: Pair, sides: Sequence[Side], counts: Counts, statements: Statements) -> list[dict[str, Any]]:
    """Counts of messages that are not compared, each with the divergence that explains it."""
    name, listed = pair.context.pair, []
    silent = statements.found[name].silent
    for side in (pair.a, pair.b):
        for what, count in others(side, counts).items():
            if what == "statements" and not silent:
                continue
            named = statements.namers[name].messages(SILENT if what == "statements" else what)
            about = {
                "divergence": named.divergence if named else None,
                "status": named.status if named else None,
            }
            listed.append({"side": sides[side].name, "what": what, "count": count, **about})
    return listed


_ODD = (
    re.compile(r"value\.(?P<member>mysqlType|sqlType)\.(?P<column>.+)", re.DOTALL),
    re.compile(r"value\.schema\.fields\.[01]\.fields\.(?P<number>\d+)\.(?P<member>\w+).*", re.DOTALL),
)


def types(pair: Pair, sides: Sequence[Side], tally: Tally, counts: Counts) -> dict[str, Any]:
    """The type names of the sides. `messages` is None for a name in all messages of a side."""
    found = type_names(pair, sides, counts)
    differ = [
        {
            **{name: getattr(one, name) for name in ("schema", "table", "column", "member", "left", "right")},
            "divergences": [name.divergence for name in one.names],
            "status": one.status,
            "messages": None,
        }
        for one in found.differ
    ]
    odd = list(_odd(pair, sides, tally))
    return {"compared": not found.reason, "why": found.reason, "equal": found.equal, "differ": differ + odd}


def _odd(pair: Pair, sides: Sequence[Side], tally: Tally) -> Iterator[dict[str, Any]]:
    """Type names that only some messages of a side have; they are differences as well."""
    tables = {table.id: table for side in sides for table in side.tables}
    for cell, count in sorted(tally.cells.items()):
        schema, table = cell.schema, cell.table
        match = next(filter(None, (pattern.fullmatch(cell.column) for pattern in _ODD)), None)
        if cell.pair != pair.context.pair or match is None or (schema, table) not in tables:
            continue
        example = tally.examples[cell][0]
        named = match.groupdict()
        column = named.get("column")
        if column is None:
            columns = list(names_of(sides[pair.a if example.left else pair.b], tables[schema, table]))
            number = int(named["number"])
            column = columns[number] if number < len(columns) else ""
        yield {
            "schema": schema,
            "table": table,
            "column": column,
            "member": named["member"],
            "left": example.left_value,
            "right": example.right_value,
            "divergences": [],
            "status": Status.UNEXPLAINED,
            "messages": count,
        }
