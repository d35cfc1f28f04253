"""Reports: each renders a run record, event by event, and knows nothing else.

A report is a `Renderer`; a new kind is a module and a line in `RENDERERS` or `FOLDERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from reports.jsonl import read_record
from reports.renderer import Event, Renderer, ReportOptions

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


def _imported(module: str, name: str) -> Any:
    """A renderer's class (or function), imported on demand: a report does not load the libraries of others."""
    return getattr(import_module(f"reports.{module}"), name)


def _plain(module: str, name: str) -> Factory:
    """The factory of a renderer that takes no options."""

    def factory(out: TextIO, options: ReportOptions = ReportOptions()) -> Renderer:  # noqa: B008 - it is frozen
        renderer: Renderer = _imported(module, name)(out)
        return renderer

    return factory


def _page(out: TextIO, options: ReportOptions = ReportOptions()) -> Renderer:  # noqa: B008 - it is frozen
    renderer: Renderer = _imported("run", "HtmlRenderer")(out, options)
    return renderer


def _of_github(folder: Path) -> Renderer:
    renderer: Renderer = _imported("github", "github_folder")(folder)
    return renderer


def _of_allure(folder: Path) -> Renderer:
    renderer: Renderer = _imported("allure.results", "AllureRenderer")(folder)
    return renderer


RENDERERS: Mapping[str, Factory] = {
    "jsonl": _plain("jsonl", "JsonlRenderer"),
    "junit": _plain("junit", "JunitRenderer"),
    "markdown": _plain("markdown", "MarkdownRenderer"),
    "html": _page,
    "sarif": _plain("sarif", "SarifRenderer"),
    "badge": _plain("badge", "BadgeRenderer"),
}
"""Kind of report that `--report` writes into a file → its renderer."""

FOLDERS: Mapping[str, Callable[[Path], Renderer]] = {
    "github": _of_github,
    "allure": _of_allure,
}
"""Kind of report of several files → renderer to an existing folder; closing it completes the files."""

EXTRAS: Mapping[str, tuple[str, str, str]] = {
    "allure": ("allure", "allure-python-commons", "allure_commons"),
}
"""Kind of report that needs an extra → the extra, the package, and the module to import."""
