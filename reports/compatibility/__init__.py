"""Reports of the compatibility table: encoders by readers. Each is made from its record alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from reports.frame import Frame
from reports.frame.filters import anchor
from reports.texts import case_count, visible

__all__ = ["COMPATIBILITY_REPORTS", "terminal_lines"]

Json = Mapping[str, Any]

VERDICTS = ("silently wrong", "rejected", "lossy", "lossless", "not tried")
_COLOURS = {"silently wrong": "bad", "rejected": "bad", "lossy": "idle", "lossless": "good", "not tried": "soft"}
_SHOWN = 3


def sentence(record: Json) -> str:
    """The table in a sentence: how many cells are what."""
    counts = {word: sum(cell["verdict"] == word for cell in record["cells"]) for word in VERDICTS}
    total = len(record["cells"])
    parts = [f"{n:,} {word}" for word, n in counts.items() if n]
    return f"{total:,} {'cell' if total == 1 else 'cells'}: {', '.join(parts) or 'none'}"


def terminal_lines(record: Json) -> Iterator[str]:
    """A line a cell, and below each the worst that befalls its rows."""
    for cell in record["cells"]:
        counts = ", ".join(f"{n:,} {word}" for word, n in cell["counts"].items())
        yield f"{cell['verdict'].upper():<15} {cell['encoder']} → {cell['reader']}, {cell['protocol']}: {counts}"
        for cause in cell["causes"][:_SHOWN]:
            of = f"{cause['type']}: " if cause["type"] else ""
            yield f"    {cause['verdict']}, {of}{visible(cause['effect'])} ({case_count(cause['cases'])})"
        if len(cell["causes"]) > _SHOWN:
            yield f"    and {len(cell['causes']) - _SHOWN:,} more"
    yield sentence(record)


def _json(record: Json, overrides: Path | None = None) -> str:
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


def _html(record: Json, overrides: Path | None = None) -> str:
    rows = list(dict.fromkeys((cell["encoder"], cell["protocol"]) for cell in record["cells"]))
    cells = {(cell["encoder"], cell["protocol"], cell["reader"]): cell for cell in record["cells"]}
    worst = min((VERDICTS.index(cell["verdict"]) for cell in record["cells"]), default=len(VERDICTS) - 1)
    view = {
        "title": "What readers make of the records",
        "verdict": {"sentence": f"{sentence(record)}.", "colour": _COLOURS[VERDICTS[worst]].replace("soft", "idle")},
        "notes": [f"{named['name']}: {named['note']}" for named in record["encoders"] if named["note"]],
        "facts": [("suite", f"ticdc-conformance {record['suite']}"), ("command", " ".join(record["command"][1:]))],
        "sections": [("table", "Table"), ("evidence", "Evidence"), ("words", "Words")],
        "filter": {"example": "flink decimal silently wrong", "only": "only silently wrong and rejected"},
        "footer": f"ticdc-conformance {record['suite']}",
        "readers": record["readers"],
        "rows": [(*row, [cells.get((*row, reader)) for reader in record["readers"]]) for row in rows],
        "cells": [_with_anchor(cell) for cell in record["cells"]],
        "colours": _COLOURS,
        "anchor_of": _anchor_of,
    }
    return Frame("reports.compatibility", overrides).render("compatibility.html", view)


def _anchor_of(cell: Json) -> str:
    return anchor(cell["encoder"], cell["reader"], cell["protocol"])


def _with_anchor(cell: Json) -> Json:
    return {**cell, "anchor": _anchor_of(cell), "is_trouble": cell["verdict"] in VERDICTS[:2]}


COMPATIBILITY_REPORTS: Mapping[str, Callable[[Json, Path | None], str]] = {"json": _json, "html": _html}
"""Kind of report → the whole text of it, from the record and a folder of overriding templates."""
