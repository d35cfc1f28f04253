"""The page of a run: what is broken, its harm, its cause, and the command that runs it again."""

from __future__ import annotations

from typing import TextIO

from reports.frame import Frame
from reports.gathering import GatheringRenderer
from reports.renderer import Event, ReportOptions
from reports.run.heat import Heat
from reports.run.view import view_of

__all__ = ["HtmlRenderer"]

TEMPLATE = "run.html"


class HtmlRenderer(GatheringRenderer):
    """Writes the page when it is closed.

    A wrong template of the user's raises `TemplateProblem`: at once if possible, else at the end.
    """

    def __init__(self, out: TextIO, options: ReportOptions = ReportOptions()) -> None:  # noqa: B008 - it is frozen
        super().__init__()
        self._out = out
        self._frame = Frame(__package__, options.templates)
        self._frame.check()
        self._heats: dict[str, Heat] = {}

    def handle(self, event: Event) -> None:
        """Take the next event."""
        super().handle(event)
        if event["event"] == "verdict":
            self._heats.setdefault(event["iut"], Heat()).add(event)

    def close(self) -> None:
        """Write the page."""
        self._out.write(self._frame.render(TEMPLATE, view_of(self._gathering, self._heats)))
