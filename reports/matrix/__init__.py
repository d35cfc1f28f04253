"""Reports of a kill matrix: each is made from its record alone, whose form is a published schema.

A new kind is a module and a line in `MATRIX_REPORTS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from reports.jsonl import json_document
from reports.matrix.html import html_text
from reports.matrix.markdown import markdown_text
from reports.matrix.terminal import MatrixProgress, terminal_lines
from reports.matrix.wording import Record
from reports.renderer import WholeReport, without_options

__all__ = ["MATRIX_REPORTS", "MatrixProgress", "Record", "terminal_lines"]


MATRIX_REPORTS: Mapping[str, WholeReport] = {
    "json": without_options(json_document),
    "markdown": without_options(markdown_text),
    "html": html_text,
}
"""Kind of report → the whole text of it."""
