"""Runs side by side: implementations, and the versions of one, as columns; what each breaks, by group of requirements.

`IndexBuilder` takes one run after another and keeps of each only what is shown. The record it makes is `index.json`,
whose form is `fixtures/schemas/report-index.schema.json`; the page is made from that record alone.
"""

from __future__ import annotations

from reports.index.building import IndexBuilder
from reports.index.page import index_page

__all__ = ["IndexBuilder", "index_page"]
