"""Texts that several reports of a comparison share: rows of divergences, examples, and sentences on a pair of sides.

A summary has the rows in order: unexplained differences first, then the worst harm, then the most frequent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reports.renderer import Json
from reports.texts import counted, visible

__all__ = [
    "ExampleSide",
    "example_sides",
    "id_text",
    "is_ignored",
    "kinds_of_difference",
    "number_of",
    "place_of",
    "rate_text",
    "remedy_text",
    "sentences",
    "side_names",
    "where_text",
    "whole_changes_and_others",
]

_WHOLE_CHANGES = frozenset({"missing", "extra", "duplicate", "reordered", "undecodable"})
"""Classes of whole changes; all others are about the content of a change."""
_SHOWN = 2
_UNEXPLAINED = "not known: nothing explains it"


# -- rows of divergences -------------------------------------------------------------------------------------------


def whole_changes_and_others(rows: Sequence[Json]) -> tuple[list[Json], list[Json]]:
    """Split the rows: unexplained differences of whole changes, which a side lacks or has twice; and all others."""
    whole = [row for row in rows if row["divergence"] is None and _WHOLE_CHANGES.intersection(row["classes"])]
    return whole, [row for row in rows if row not in whole]


def where_text(row: Json) -> str:
    """The first few columns, or tables for a row without columns, and the number of others."""
    names, one, many = row["columns"], "column", "columns"
    if not names:
        names, one, many = row["tables"], "table", "tables"
    if not names:
        return "messages of no table"
    if len(names) <= _SHOWN + 1:
        return ", ".join(names)
    within = f" in {counted(len(row['tables']), 'table', 'tables')}" if row["columns"] else ""
    return f"{', '.join(names[:_SHOWN])} and {counted(len(names) - _SHOWN, f'more {one}', f'more {many}')}{within}"


def remedy_text(row: Json) -> str:
    """What removes the divergence, or a sentence that nothing does or that nothing is known."""
    return row["remedy"] or _UNEXPLAINED


def id_text(row: Json) -> str:
    """The id and the status, and whether it is ignored."""
    ignored = f"{row['ignored']:,} ignored" if row["ignored"] else ""
    return ", ".join(filter(None, (row["divergence"], row["status"], ignored)))


def is_ignored(row: Json) -> bool:
    """Whether all of it is ignored."""
    return bool(row["ignored"] == row["count"])


# -- differences and examples ----------------------------------------------------------------------------------------


class ExampleSide(NamedTuple):
    """One side of an example."""

    side: str
    """The name of the side."""
    where: str
    """`topic[partition]@offset`, `expected` or `no message`; "" beside the reason for a message that cannot be read."""
    value: str


def side_names(pair: Json) -> tuple[str, str]:
    """The names of the two sides, `left` and `right` in the record."""
    left, _, right = pair["pair"].partition("-")
    return left, right


def kinds_of_difference(pair: Json) -> list[Json]:
    """The kinds of difference of a pair: unexplained ones first, then the most frequent."""
    return sorted(pair["cells"], key=lambda cell: (cell["status"] != "unexplained", -cell["count"]))


def place_of(place: Json) -> str:
    """Schema, table and column, as far as there are any."""
    parts = (place["schema"], place["table"], place["column"])
    return ".".join(part for part in parts if part) or "a message"


def example_sides(pair: Json, entry: Json, example: Json) -> Iterator[ExampleSide]:
    """Both sides of an example of `entry`, a kind of difference or a divergence.

    For a message that cannot be read, the reason stands in place of the other side.
    """
    is_unreadable = "undecodable" in entry.get("classes", (entry.get("class"),))
    for name, member in zip(side_names(pair), ("left", "right"), strict=True):
        at, value = example[member], example[f"{member}_value"]
        if is_unreadable and not at:
            yield ExampleSide("why", "", visible(value or ""))
            continue
        where = f"{at['topic']}[{at['partition']}]@{at['offset']}" if at else "expected" if value else "no message"
        yield ExampleSide(name, where, "NULL" if value is None and at and not is_unreadable else visible(value or ""))


# -- sentences -------------------------------------------------------------------------------------------------------


def number_of(count: int, noun: str) -> str:
    """`1 change`, `1830 changes`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def rate_text(table: Json) -> str:
    """The share of a table's changes that are alike, below 100 % unless all are."""
    percent = f"{100 * table['match_rate']:.4g}"
    return "99.99 %" if percent == "100" and table["match_rate"] < 1 else f"{percent} %"


def sentences(pair: Json) -> list[str]:
    """The applicable sentences, without capital and full stop."""
    return [text for text in (_written(pair), _statements(pair), _not_compared(pair), _types(pair)) if text]


def _written(pair: Json) -> str:
    names: Counter[str] = Counter()
    for one in pair["written_otherwise"]:
        names[one["divergence"]] += one["count"]
    return f"the same, in another form: {_counted(names)}" if names else ""


def _counted(names: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in names.most_common())


def _statements(pair: Json) -> str:
    counts = pair["statements"]
    if counts["silent"]:
        return f"statements: not compared, {counts['silent']} writes none"
    if not counts["left"] and not counts["right"]:
        return ""
    reworded = f", {counts['written_otherwise']} of them in other words" if counts["written_otherwise"] else ""
    return f"statements: {counts['left']} and {counts['right']}, {counts['alike']} alike{reworded}"


def _not_compared(pair: Json) -> str:
    parts = (
        f"{one['count']} {one['what']} of {one['side']}" + (f" ({one['divergence']})" if one["divergence"] else "")
        for one in pair["not_compared"]
    )
    text = ", ".join(parts)
    return f"not compared: {text}" if text else ""


def _types(pair: Json) -> str:
    types = pair["type_names"]
    if not types["compared"]:
        return f"types of columns: not compared, {types['why']}"
    if not types["equal"] and not types["differ"]:
        return ""
    names_of: dict[tuple[str, str, str], dict[str, None]] = {}
    for one in types["differ"]:  # a column may differ in several members
        names = dict.fromkeys(one["divergences"] or ["unexplained"])
        names_of.setdefault((one["schema"], one["table"], one["column"]), {}).update(names)
    counted = Counter(name for names in names_of.values() for name in names)
    return f"types of columns: {types['equal']} alike" + (
        f", {len(names_of)} not ({_counted(counted)})" if names_of else ""
    )
