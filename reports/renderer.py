"""The interface of every report: it takes events one by one, and is closed once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

__all__ = ["NO_OPTIONS", "Event", "Json", "Renderer", "ReportOptions", "WholeReport", "without_options"]

Json: TypeAlias = Mapping[str, Any]
"""An object of a record."""
Event: TypeAlias = Json


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The options of reports; each report ignores the options that it does not have."""

    templates: Path | None = None
    """Folder whose templates replace the suite's (`--template DIR`)."""


NO_OPTIONS = ReportOptions()


class WholeReport(Protocol):
    """A report that is made at once, from a record or a summary."""

    def __call__(self, record: Mapping[str, Any], options: ReportOptions = ...) -> str:
        """The whole text of it."""
        ...


def without_options(render: Callable[[Mapping[str, Any]], str]) -> WholeReport:
    """Turns a report without options into one with options, which it ignores."""
    return lambda record, options=NO_OPTIONS: render(record)


class Renderer(ABC):
    """A report in the making. A record without an `end` event is incomplete: `close` then says so in the report."""

    answer_of: Callable[[Event], Mapping[str, Any] | None] | None = None
    """The answer behind a verdict, `{"ok": …}` or the like; None if answers are not kept."""

    @abstractmethod
    def handle(self, event: Event) -> None:
        """Take the next event; unknown kinds are ignored."""

    @abstractmethod
    def close(self) -> None:
        """Finish the report. The stream stays open."""
