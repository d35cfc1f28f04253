"""Reports: each renders a run record, event by event, and knows nothing else.

A report is a `Renderer`; a new kind is a module and a line in `RENDERERS` or `FOLDERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from reports.jsonl import read_record
from reports.renderer import NO_OPTIONS, Event, Renderer, ReportOptions

if TYPE_CHECKING:
    from reports.terminal import TerminalRenderer

__all__ = [
    "EXTRAS",
    "FOLDERS",
    "RENDERERS",
    "Event",
    "Factory",
    "Renderer",
    "ReportOptions",
    "TerminalRenderer",
    "read_record",
]


def __getattr__(name: str) -> Any:
    if name != "TerminalRenderer":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module("reports.terminal").TerminalRenderer


class Factory(Protocol):
    """Makes the renderer of a kind; the caller closes the stream."""

    def __call__(self, out: TextIO, options: ReportOptions = ...) -> Renderer:
        """A renderer to a stream."""
        ...


def _renderer(module: str, name: str, *given: Any) -> Renderer:
    """A renderer whose module is imported on demand: a report does not load the libraries of others."""
    renderer: Renderer = getattr(import_module(f"reports.{module}"), name)(*given)
    return renderer


def _without_options(module: str, name: str) -> Factory:
    return lambda out, options=NO_OPTIONS: _renderer(module, name, out)


RENDERERS: Mapping[str, Factory] = {
    "jsonl": _without_options("jsonl", "JsonlRenderer"),
    "junit": _without_options("junit", "JunitRenderer"),
    "markdown": _without_options("summary", "MarkdownRenderer"),
    "html": lambda out, options=NO_OPTIONS: _renderer("run", "HtmlRenderer", out, options),
    "sarif": _without_options("sarif", "SarifRenderer"),
    "badge": _without_options("badge", "BadgeRenderer"),
}
"""Kind of report that `--report` writes into a file → its renderer."""

FOLDERS: Mapping[str, Callable[[Path], Renderer]] = {
    "github": lambda folder: _renderer("github", "github_folder", folder),
    "allure": lambda folder: _renderer("allure.results", "AllureRenderer", folder),
}
"""Kind of report of several files → renderer to an existing folder; closing it completes the files."""

EXTRAS: Mapping[str, tuple[str, str, str]] = {
    "allure": ("allure", "allure-python-commons", "allure_commons"),
}
"""Kind of report that needs an extra → the extra, the package, and the module to import."""
