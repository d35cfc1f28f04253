"""Runs side by side: implementations, and the versions of one, as columns; each breaks groups of requirements.

`IndexBuilder` takes one run after another and keeps only the shown data of each. The record it makes is `index.json`,
whose form is `fixtures/schemas/report-index.schema.json`; the page is made from that record alone.
"""

from __future__ import annotations

from reports.index.building import IndexBuilder
from reports.index.page import index_page

__all__ = ["IndexBuilder", "index_page"]
