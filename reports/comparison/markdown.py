"""The summary of a comparison in Markdown, short enough for the page of a CI job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reports.comparison.verdict import remarks, verdict
from reports.comparison.wording import (
    example_sides,
    id_text,
    kinds_of_difference,
    number_of,
    place_of,
    rate_text,
    remedy_text,
    sentences,
    side_names,
    where_text,
    whole_changes_and_others,
)
from reports.markup import Markdown, cell, code_cell, table
from reports.renderer import Json
from reports.texts import capitalised, counted, cut

__all__ = ["markdown_text"]

_MOST = 20
_LONGEST = 60
_HEADINGS = ("missing, extra or unreadable", "divergence")


def markdown_text(summary: Json) -> str:
    """The whole text: the verdict, the sides, and each pair."""
    lines = [f"## {cell(verdict(summary))}", ""]
    sides = ((s["name"], s["dialect"], s["messages"], s["changes"], _listed(s["others"])) for s in summary["sides"])
    lines += table(("side", "dialect", "messages", "changes", "others"), sides)
    if points := remarks(summary):
        lines += ["", *map(_point, points)]
    for pair in summary["pairs"]:
        lines += ["", f"### {cell(pair['pair'])}: {cell(' and '.join(pair['dialects']))}", "", *_pair(pair)]
    unlike = [cell(f"{one['schema']}.{one['table']}") for one in summary["final_tables"] if not one["equal"]]
    if summary["final_tables"]:
        count = len(summary["final_tables"])
        lines += ["", f"Tables with the same final rows on every side: {count - len(unlike)} of {count}."]
        lines += [f"Not alike: {', '.join(unlike)}."] if unlike else []
    return "\n".join(lines) + "\n"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {what}" for what, count in counts.items())


def _prose(text: str) -> Markdown:
    """A text of the suite, with code between back quotes, as a cell."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return Markdown(cell(text))
    return Markdown("".join(code_cell(part) if n % 2 else _plain(part) for n, part in enumerate(parts)))


def _plain(part: str) -> str:
    """Text between code spans, with the blanks at its ends."""
    inner = part.strip(" ")
    left = len(part) - len(part.lstrip(" "))
    return " " * left + cell(inner) + " " * (len(part) - left - len(inner))


def _point(sentence: str) -> str:
    return f"- {cell(capitalised(sentence))}{'' if sentence.endswith('?') else '.'}"


def _explained(entry: Json) -> str:
    """The divergence that explains a difference, if one does, and its harm."""
    return ", ".join(filter(None, (entry["divergence"], entry.get("harm"))))


def _pair(pair: Json) -> Iterator[str]:
    by_status = _listed(pair["by_status"])
    yield number_of(pair["differences"], "difference") + (f": {by_status}." if by_status else ".")
    for heading, rows in zip(_HEADINGS, whole_changes_and_others(pair["divergences"]), strict=True):
        yield from _divergences(heading, rows)
    if kinds := kinds_of_difference(pair):
        yield ""
        yield from table(
            ("count", "what", "where", "status", "divergence", *map(cell, side_names(pair))),
            (
                (kind["count"], kind["class"], place_of(kind), kind["status"], _explained(kind), *_values(pair, kind))
                for kind in kinds[:_MOST]
            ),
        )
        if len(kinds) > _MOST:
            more = counted(len(kinds) - _MOST, "more kind of difference", "more kinds of difference")
            yield f"\nAnd {more}."
    if tables := sorted(pair["tables"], key=lambda table: table["match_rate"]):
        yield ""
        changes = (cell(f"changes of {side}") for side in side_names(pair))
        yield from table(("table", *changes, "alike", "match"), map(_match, tables[:_MOST]))
        if len(tables) > _MOST:
            yield f"\nAnd {number_of(len(tables) - _MOST, 'more table')}, in which no less is alike."
    yield from ("", *map(_point, sentences(pair)))


def _divergences(heading: str, rows: Sequence[Json]) -> Iterator[str]:
    if not rows:
        return
    yield ""
    cells = (
        (_prose(row["title"]), row["harm"], where_text(row), row["count"], _prose(remedy_text(row)), id_text(row))
        for row in rows[:_MOST]
    )
    yield from table((heading, "harm", "where", "count", "remedy", "id"), cells)
    if len(rows) > _MOST:
        yield f"\nAnd {len(rows) - _MOST} more."


def _values(pair: Json, entry: Json) -> Iterator[str]:
    """The values of both sides, or that there is no message."""
    for _, where, value in example_sides(pair, entry, entry["examples"][0]):
        yield cut(value, _LONGEST) if value else f"({where})" if where == "no message" else ""


def _match(entry: Json) -> tuple[Any, ...]:
    name = f"{entry['schema']}.{entry['table']}"
    return name, entry["left_changes"], entry["right_changes"], entry["alike"], rate_text(entry)
