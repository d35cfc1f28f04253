"""The assessment of a move as a page."""

from __future__ import annotations

import shlex

from reports.frame import Frame
from reports.migration.view import SECTIONS, view_of
from reports.renderer import NO_OPTIONS, Json, ReportOptions

__all__ = ["html_text"]

_COLOURS = {"blocker": "bad", "silent": "bad", "cosmetic": "idle", "same": "good", "not assessed": "idle"}


def html_text(record: Json, options: ReportOptions = NO_OPTIONS) -> str:
    """The whole page."""
    view = view_of(record)
    there = {severity for severity, _, _ in view.groups}
    data = {
        "title": f"Move {view.title}",
        "verdict": {"sentence": f"{view.sentence}.", "colour": _COLOURS[view.worst]},
        "notes": [
            "Nothing was run live: both dialects are written by the reference encoders, and the consumer is a model.",
        ],
        "facts": [
            ("suite", f"ticdc-conformance {record['suite']}"),
            ("schema", record["schema"] or "every column type"),
            ("tried", view.tried),
            ("command", shlex.join(record["command"])),
        ],
        "sections": [(name, text) for name, text in SECTIONS.items() if name in there or name in _ALWAYS],
        "filter": {"example": "orders decimal DV-30", "only": "only blockers and silent changes"},
        "footer": f"ticdc-conformance {record['suite']}",
        "titles": SECTIONS,
        "groups": view.groups,
        "columns": view.columns,
        "configuration": view.configuration,
        "placement": view.placement,
        "left": view.not_assessed,
        "colours": _COLOURS,
    }
    return Frame("reports.migration", options.templates).render("migration.html", data)


_ALWAYS = ("columns", "configuration", "placement", "left")
