"""Reports: each renders a run record, event by event, and knows nothing else.

A report is a `Renderer`; a new kind is a module and a line in `RENDERERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TextIO

from reports.jsonl import JsonlRenderer, read_record
from reports.junit import JunitRenderer
from reports.markdown import MarkdownRenderer
from reports.renderer import Event, Renderer
from reports.terminal import TerminalRenderer

__all__ = ["RENDERERS", "Event", "Renderer", "TerminalRenderer", "read_record"]

RENDERERS: Mapping[str, Callable[[TextIO], Renderer]] = {
    "jsonl": JsonlRenderer,
    "junit": JunitRenderer,
    "markdown": MarkdownRenderer,
}
"""Kind of report that `--report` writes → renderer to a stream, which is the caller's to close."""
