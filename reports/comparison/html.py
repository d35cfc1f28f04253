"""A comparison as a page: the content of `templates/comparison.html`, in order."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from reports.comparison.verdict import colour, method, remarks, verdict
from reports.comparison.wording import (
    example_sides,
    is_ignored,
    kinds_of_difference,
    place_of,
    rate_text,
    remedy_text,
    side_names,
    where_text,
    whole_changes_and_others,
)
from reports.frame import Frame
from reports.links import web_link
from reports.renderer import NO_OPTIONS, Json, ReportOptions
from reports.texts import capitalised, counted, cut, sentence, visible
from reports.vocabulary import HARMS

__all__ = ["html_text"]

_LONGEST = 200
_MOST_COLUMNS = 50  # the filter finds a row by them; all are found path by path
_SECTIONS = {
    "divergences": "What differs, the worst first",
    "explanations": "What each divergence is",
    "tables": "Tables",
    "ends": "What is left of each table",
    "places": "Differences, place by place",
    "written": "The same values in other words",
    "statements": "Statements and other messages",
    "types": "Types of columns",
    "sides": "Sides",
}
_ABOUT = (
    "Every message of one side is paired with the other side's message about the same change. A difference is "
    "explained by a divergence of the catalogue, and documented if a document describes that divergence; any other "
    "difference is unexplained. The harm is that to a reader of one side who is given the other."
)


def html_text(record: Json, options: ReportOptions = NO_OPTIONS) -> str:
    """The whole page of a summary. Raises `TemplateProblem` for a wrong template of the user's."""
    return Frame("reports.comparison", options.templates).render("comparison.html", _view(record))


def _view(summary: Json) -> dict[str, Any]:
    *others, last = (side["dialect"] for side in summary["sides"])
    text = verdict(summary)
    pairs = [_pair(pair) for pair in summary["pairs"]]
    parts = {
        "explanations": [_explanation(one, summary["pairs"]) for one in summary["explanations"]],
        "ends": summary["final_tables"],
        "sides": list(_sides(summary)),
    }
    filled = {name for name, rows in parts.items() if rows}
    filled |= {name for pair in pairs for name, content in pair["has"].items() if content}
    rows_by_harm = Counter(row["harm"] for pair in summary["pairs"] for row in pair["divergences"])
    return parts | {
        "title": f"{', '.join(others)} and {last}: {text.partition(':')[0]}",
        "verdict": {"sentence": sentence(text), "colour": colour(summary)},
        "notes": remarks(summary),
        "facts": list(_facts(summary)),
        "sections": [(name, title) for name, title in _SECTIONS.items() if name in filled],
        "titles": _SECTIONS,
        "filter": {"example": "orders amount DV-40", "only": "only what is unexplained"},
        "harms": [(harm, rows_by_harm[harm]) for harm in HARMS if rows_by_harm[harm]],
        "footer": "ticdc-conformance compare",
        "about": _ABOUT,
        "totals": _totals(summary),
        "pairs": pairs,
        "named": [one["id"] for one in summary["explanations"]],
        "live": summary.get("live"),
    }


def _totals(summary: Json) -> list[tuple[str, int]]:
    """Messages, and differences by status.

    Where no divergence of the catalogue was met, these are `unexplained` and the statuses that occur.
    """
    by_status = {"unexplained": 0, "undocumented": 0, "documented": 0}
    for pair in summary["pairs"]:
        for status, count in pair["by_status"].items():
            by_status[status] += count
    if not summary["explanations"]:
        by_status = {name: count for name, count in by_status.items() if name == "unexplained" or count}
    messages = {f"messages, {side['name']}": side["messages"] for side in summary["sides"]}
    return list({**messages, **by_status}.items())


# -- the sides ------------------------------------------------------------------------------------------------------


def _facts(summary: Json) -> Iterator[tuple[str, str]]:
    """The facts of the comparison: labels and texts."""
    for side in summary["sides"]:
        options = [f"{name}={value}" for name, value in side["options"].items()]
        yield side["name"], ", ".join((side["dialect"], *options, side["source"]))
    made = summary.get("made", {})
    for label in ("suite", "profile", "date"):
        if made.get(label):
            yield label, made[label]
    if made.get("registers"):
        yield "registers", ", ".join(f"{protocol} {digest[:12]}" for protocol, digest in made["registers"].items())
    yield "made by", method(summary).removeprefix("made by ")
    gate = summary["gate"]
    share = f", up to {100 * gate['max_share']:.4g} % of the changes" if gate["max_share"] else ""
    ignored = f"; ignored: {', '.join(gate['ignore'])}" if gate["ignore"] else ""
    yield "red is", f"{gate['fail_on']}{share}{ignored}"
    if made.get("command"):
        yield "command", shlex.join(made["command"])


def _sides(summary: Json) -> Iterator[dict[str, Any]]:
    """Each side with its numbers, its progress in a live comparison, and the offsets of its topics."""
    for side in summary["sides"]:
        yield {
            **side,
            "others": ", ".join(f"{count:,} {what}" for what, count in side["others"].items()),
            "going_on": summary.get("live", {}).get("sides", {}).get(side["name"]),
            "topics": list(_topics(side["offsets"])) if "offsets" in side else [],
            "without": side["offsets"]["without_a_message"] if "offsets" in side else 0,
        }


def _topics(offsets: Json) -> Iterator[tuple[str, str]]:
    """A row for each topic: a side may have one topic for each table."""
    begin, end = offsets["begin"], offsets["end"]
    for topic, first in begin.items():
        yield topic, "; ".join(f"{number}: {first[number]}, {end[topic][number]}" for number in first)


# -- a pair of sides -----------------------------------------------------------------------------------------------


def _pair(pair: Json) -> dict[str, Any]:
    whole_changes, others = whole_changes_and_others(pair["divergences"])
    types, statements = pair["type_names"], pair["statements"]
    return {
        **pair,
        "names": side_names(pair),
        "groups": [
            {"caption": caption, "rows": [_row(pair, row) for row in group]}
            for caption, group in (
                ("unexplained: changes that a side lacks, has twice, or that cannot be read", whole_changes),
                ("by divergence: values, and members of messages", others),
            )
            if group
        ],
        "places": [_place(pair, entry) for entry in kinds_of_difference(pair)],
        "written": [
            {**entry, "where": place_of(entry), "such_as": _such_as(entry)} for entry in pair["written_otherwise"]
        ],
        "types": {
            **types,
            "differ": [_type(entry) for entry in types["differ"]],
            "columns": len({*map(place_of, types["differ"])}),
        },
        "tables": [{**table, "rate": rate_text(table)} for table in pair["tables"]],
        "has": {
            "divergences": pair["divergences"],
            "places": pair["cells"],
            "written": pair["written_otherwise"],
            "statements": statements["left"] or statements["right"] or statements["silent"] or pair["not_compared"],
            "types": not types["compared"] or types["differ"] or types["equal"],
            "tables": pair["tables"],
        },
    }


def _row(pair: Json, row: Json) -> dict[str, Any]:
    name = row["divergence"] or "-".join((*row["classes"], row["harm"]))
    return {
        **row,
        "id": f"{pair['pair']}-{name}",
        "title": capitalised(row["title"]),
        "where": where_text(row),
        "remedy": remedy_text(row),
        "tags": [*row["tables"], *(row["columns"] if len(row["columns"]) <= _MOST_COLUMNS else ())],
        "is_ignored": is_ignored(row),
        "shown": [_example(pair, row, example) for example in row["examples"]],
    }


def _example(pair: Json, entry: Json, example: Json) -> dict[str, Any]:
    """The key, and the value of each side with its message; or a value that both have."""
    if example.get("value") is not None:
        values = [("value", cut(visible(example["value"]), _LONGEST))]
    else:
        sides = sorted(example_sides(pair, entry, example), key=lambda one: not one.where)  # the reason stands last
        values = [(", ".join(filter(None, (one.side, one.where))), cut(one.value, _LONGEST)) for one in sides]
    at = place_of(example) if example.get("table") else ""
    return {"at": at, "key": visible(example["key"]), "sides": values}


def _place(pair: Json, entry: Json) -> dict[str, Any]:
    examples = [_example(pair, entry, example) for example in entry["examples"]]
    return {**entry, "where": place_of(entry), "shown": examples}


def _such_as(entry: Json) -> str:
    return ", ".join(dict.fromkeys(cut(visible(example["value"]), 60) for example in entry["examples"]))


def _type(entry: Json) -> dict[str, Any]:
    names = {side: None if entry[side] is None else cut(visible(entry[side]), _LONGEST) for side in ("left", "right")}
    return {**entry, **names, "where": place_of(entry)}


# -- explanations --------------------------------------------------------------------------------------------------


def _explanation(one: Json, pairs: Sequence[Json]) -> dict[str, Any]:
    place = one["place"] and {**one["place"], "url": web_link(one["place"]["url"])}
    title, met = capitalised(one["title"]), list(_occurrences(one["id"], pairs))
    return {**one, "title": title, "place": place, "met": met}


def _occurrences(name: str, pairs: Sequence[Json]) -> Iterator[dict[str, str]]:
    """The number of occurrences of a divergence in each pair, and the id of their row."""
    for pair in pairs:
        for row in pair["divergences"]:
            if row["divergence"] == name:
                times = counted(row["count"], "time", "times")
                yield {"id": f"{pair['pair']}-{name}", "text": f"{times} in {pair['pair']}"}
