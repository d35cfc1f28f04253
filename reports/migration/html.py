"""The assessment of a move as a page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from reports.frame import Frame
from reports.frame.filters import anchor
from reports.migration.words import (
    SECTIONS,
    SEVERITIES,
    place_text,
    places_text,
    removal_text,
    seen_text,
    sentence,
    title,
    verdict_text,
)
from reports.renderer import ReportOptions

__all__ = ["html_text"]

Json: TypeAlias = Mapping[str, Any]

_LINK = re.compile(r"https?://[\w./%#?=&~+-]+", re.ASCII)  # of a record that is not ours it may be anything
_DEFAULT = ReportOptions()
_COLOURS = {"blocker": "bad", "silent": "bad", "cosmetic": "idle", "same": "good", "not assessed": "idle"}


def html_text(record: Json, options: ReportOptions = _DEFAULT) -> str:
    """The whole page."""
    counts = record["counts"]
    worst = next((name for name in SEVERITIES if counts[name]), "same")
    groups = [(name, [_finding(one) for one in record["findings"] if one["severity"] == name]) for name in SEVERITIES]
    tried = record["tried"]
    view = {
        "title": f"Move {title(record)}",
        "verdict": {"sentence": f"{sentence(record)}.", "colour": _COLOURS[worst]},
        "notes": [
            "Nothing was run live: both dialects are written by the reference encoders, and the consumer is a model.",
        ],
        "facts": [
            ("suite", f"ticdc-conformance {record['suite']}"),
            ("schema", record["schema"] or "every column type"),
            ("tried", f"{tried['columns']:,} columns of {tried['tables']:,} tables, {tried['changes']:,} changes"),
            ("command", " ".join(record["command"][1:])),
        ],
        "sections": [(name, text) for name, text in SECTIONS.items() if name not in SEVERITIES or counts[name]],
        "filter": {"example": "orders decimal DV-30", "only": "only blockers and silent changes"},
        "footer": f"ticdc-conformance {record['suite']}",
        "titles": SECTIONS,
        "groups": [(name, found) for name, found in groups if found],
        "columns": [_column(one) for one in record["columns"]],
        "configuration": record["configuration"],
        "placement": record["placement"],
        "left": [{**one, "where": places_text(one["places"], 6)} for one in record["not_assessed"]],
        "colours": _COLOURS,
    }
    return Frame("reports.migration", options.templates).render("migration.html", view)


def _finding(one: Json) -> Json:
    return {
        **one,
        "anchor": anchor("finding", one["number"]),
        "link": one["document"]["url"] if one["document"] and _LINK.fullmatch(one["document"]["url"]) else "",
        "where": places_text(one["places"], 6),
        "names": ", ".join(one["divergences"]),
        "is_trouble": one["severity"] != "cosmetic",
        "was": seen_text(one["was"]),
        "now": seen_text(one["now"]),
        "removed": [removal_text(of) for of in one["removals"]],
        "tags": " ".join(sorted({place_text(place) for place in one["places"]})),
        "statements": "\n".join(f"{statement};" for statement in one["sql"]),
    }


def _column(one: Json) -> Json:
    return {
        **one,
        "word": verdict_text(one),
        "where": place_text(one),
        "anchors": [(n, anchor("finding", n)) for n in one["findings"]],
    }
