"""Reports of the compatibility table: encoders by readers. Each is made from its record alone."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from reports.frame import Frame
from reports.frame.filters import anchor
from reports.jsonl import json_document
from reports.renderer import NO_OPTIONS, Json, ReportOptions, WholeReport, without_options
from reports.texts import case_count, counted, printable

__all__ = ["COMPATIBILITY_REPORTS", "terminal_lines"]

VERDICTS = ("silently wrong", "rejected", "lossy", "lossless", "not tried")
_COLOURS = {"silently wrong": "bad", "rejected": "bad", "lossy": "idle", "lossless": "good", "not tried": "soft"}
_MEANINGS = (
    ("silently wrong", "The reader has another row than went in, one too many or none, without an error."),
    ("rejected", "The reader fails on a record: a job stops."),
    ("lossy", "The rows are there; some values have fewer digits than went in."),
    ("lossless", "The reader has the rows that went in."),
    ("not tried", "The result is unknown; the evidence says why."),
)
_FEW = 3
"""Causes that a terminal shows of each of several cells."""
_MOST = 12
"""Causes that a terminal shows of a single cell, and a page of any cell before it folds the others."""


def _sentence(record: Json) -> str:
    """The table in a sentence: the number of cells of each kind."""
    counts = {word: sum(cell["verdict"] == word for cell in record["cells"]) for word in VERDICTS}
    total = len(record["cells"])
    parts = [f"{n:,} {word}" for word, n in counts.items() if n]
    return f"{counted(total, 'cell', 'cells')}: {', '.join(parts) or 'none'}"


def terminal_lines(record: Json) -> Iterator[str]:
    """A line for each cell, with its worst causes below: `_FEW` of each of several cells, `_MOST` of a single one."""
    shown = _FEW if len(record["cells"]) > 1 else _MOST
    for cell in record["cells"]:
        counts = ", ".join(f"{n:,} {word}" for word, n in _counted(cell))
        if cell["reason"]:
            counts = cell["reason"] if set(cell["counts"]) <= {"not tried"} else f"{counts}: {cell['reason']}"
        named = f"{cell['encoder']} → {cell['reader']}, {cell['protocol']}"
        yield printable(f"{cell['verdict'].upper():<15} {named}: {counts}")
        for cause in cell["causes"][:shown]:
            column_type = f"{cause['type']}: " if cause["type"] else ""
            yield printable(f"    {cause['verdict']}, {column_type}{cause['effect']} ({case_count(cause['cases'])})")
        if len(cell["causes"]) > shown:
            yield f"    and {len(cell['causes']) - shown:,} more"
    yield _sentence(record)


def _html(record: Json, options: ReportOptions = NO_OPTIONS) -> str:
    rows = list(dict.fromkeys((cell["encoder"], cell["protocol"]) for cell in record["cells"]))
    cells = {(cell["encoder"], cell["protocol"], cell["reader"]): _shown(cell) for cell in record["cells"]}
    worst = min((cell["verdict"] for cell in record["cells"]), key=VERDICTS.index, default="not tried")
    view = {
        "title": "What readers make of the records",
        "verdict": {"sentence": f"{_sentence(record)}.", "colour": "idle" if worst == "not tried" else _COLOURS[worst]},
        "notes": [f"{named['name']}: {named['note']}" for named in record["encoders"] if named["note"]],
        "facts": [("suite", f"ticdc-conformance {record['suite']}"), ("command", shlex.join(record["command"]))],
        "sections": [("table", "Table"), ("evidence", "Evidence"), ("meanings", "Words")],
        "filter": None,
        "evidence_filter": {"example": "flink decimal silently wrong", "only": "only silently wrong and rejected"},
        "footer": f"ticdc-conformance {record['suite']}",
        "readers": record["readers"],
        "rows": [(*row, [cells.get((*row, reader)) for reader in record["readers"]]) for row in rows],
        "cells": list(cells.values()),
        "colours": _COLOURS,
        "words": _MEANINGS,
        "most": _MOST,
    }
    return Frame("reports.compatibility", options.templates).render("compatibility.html", view)


def _shown(cell: Json) -> Json:
    """A cell with the data for its page."""
    return {
        **cell,
        "anchor": anchor(cell["encoder"], cell["reader"], cell["protocol"]),
        "is_trouble": cell["verdict"] in VERDICTS[:2],
        "counted": _counted(cell),
    }


def _counted(cell: Json) -> list[tuple[str, int]]:
    return [(word, cell["counts"][word]) for word in VERDICTS if word in cell["counts"]]


COMPATIBILITY_REPORTS: Mapping[str, WholeReport] = {"json": without_options(json_document), "html": _html}
"""Kind of report → the whole text of it, from the record and `ReportOptions`."""
