"""A summary in Markdown, short enough for the page of a CI job."""

from __future__ import annotations

from typing import TextIO

from reports.gathering import GatheringRenderer
from reports.summary import Room, summary_text

__all__ = ["MarkdownRenderer"]

_ROOM = Room(bytes=1_000_000, whole=10, lines=40)


class MarkdownRenderer(GatheringRenderer):
    """Writes everything at the end: the gate, a table of the implementations by harm, and the causes, worst first."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._out = out

    def close(self) -> None:
        """Write the summary."""
        self._out.write(summary_text(self._gathering, _ROOM))
