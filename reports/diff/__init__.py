"""The diff of two saved runs: what one build broke, fixed or writes differently; each report is made from its record.

A new kind is a module and a line in `DIFF_REPORTS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from reports.diff.html import html_text
from reports.diff.markdown import markdown_text
from reports.diff.model import Record, diff_record
from reports.diff.terminal import terminal_lines
from reports.jsonl import json_document
from reports.renderer import WholeReport, without_options

__all__ = ["DIFF_REPORTS", "Record", "diff_record", "terminal_lines"]


DIFF_REPORTS: Mapping[str, WholeReport] = {
    "json": without_options(json_document),
    "markdown": without_options(markdown_text),
    "html": html_text,
}
"""Kind of report → the whole text of it."""
