"""Reports: each renders a run record, event by event, and knows nothing else.

A report is a `Renderer`; a new kind is a module and a line in `RENDERERS` or `FOLDERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol, TextIO

from reports.badge import BadgeRenderer
from reports.github import github_folder
from reports.jsonl import JsonlRenderer, read_record
from reports.junit import JunitRenderer
from reports.markdown import MarkdownRenderer
from reports.renderer import Event, Renderer, ReportOptions
from reports.run import HtmlRenderer
from reports.sarif import SarifRenderer
from reports.terminal import TerminalRenderer

__all__ = ["FOLDERS", "RENDERERS", "Event", "Factory", "Renderer", "ReportOptions", "TerminalRenderer", "read_record"]


class Factory(Protocol):
    """Makes the renderer of a kind: the stream is the caller's to close."""

    def __call__(self, out: TextIO, options: ReportOptions = ...) -> Renderer:
        """A renderer to a stream."""
        ...


def _plain(made: Callable[[TextIO], Renderer]) -> Factory:
    """Of a report that nothing can be set for."""
    return lambda out, options=ReportOptions(): made(out)  # noqa: B008 - it is frozen


RENDERERS: Mapping[str, Factory] = {
    "jsonl": _plain(JsonlRenderer),
    "junit": _plain(JunitRenderer),
    "markdown": _plain(MarkdownRenderer),
    "html": HtmlRenderer,
    "sarif": _plain(SarifRenderer),
    "badge": _plain(BadgeRenderer),
}
"""Kind of report that `--report` writes into a file → its renderer."""

FOLDERS: Mapping[str, Callable[[Path], Renderer]] = {
    "github": github_folder,
}
"""Kind of report of several files → renderer to a folder that exists; it has written them when it is closed."""
