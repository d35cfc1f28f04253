"""Reports of a comparison: each is made from its summary alone.

A new kind is a module and a line in `COMPARISON_REPORTS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from reports.comparison.html import html_text
from reports.comparison.markdown import markdown_text
from reports.comparison.terminal import terminal_lines
from reports.jsonl import json_document
from reports.renderer import WholeReport, without_options

__all__ = ["COMPARISON_REPORTS", "terminal_lines"]


COMPARISON_REPORTS: Mapping[str, WholeReport] = {
    "json": without_options(json_document),
    "html": html_text,
    "markdown": without_options(markdown_text),
}
"""Kind of report → the whole text of it."""
