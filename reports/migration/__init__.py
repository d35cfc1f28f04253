"""Reports of the assessment of a move: each is made from its record alone.

A new kind is a line in `MIGRATION_REPORTS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reports.jsonl import json_document
from reports.migration.html import html_text
from reports.migration.markdown import markdown_text
from reports.migration.terminal import terminal_lines
from reports.renderer import WholeReport, without_options

__all__ = ["MIGRATION_REPORTS", "terminal_lines"]


def _text(record: Mapping[str, Any]) -> str:
    return "\n".join(terminal_lines(record)) + "\n"


MIGRATION_REPORTS: Mapping[str, WholeReport] = {
    "text": without_options(_text),
    "markdown": without_options(markdown_text),
    "html": html_text,
    "json": without_options(json_document),
}
"""Kind of report → the whole text of it."""
