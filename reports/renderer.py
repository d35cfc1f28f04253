"""What every report is: something that takes events one by one, and is closed once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

__all__ = ["Event", "Renderer", "ReportOptions", "WholeReport", "without_options"]

Event: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What a person may set for reports. A report passes over what is not about it."""

    templates: Path | None = None
    """Folder whose templates take the place of the suite's (`--template DIR`)."""


class WholeReport(Protocol):
    """A report that is made at once, of a record or a summary."""

    def __call__(self, record: Mapping[str, Any], options: ReportOptions = ...) -> str:
        """The whole text of it."""
        ...


def without_options(made: Callable[[Mapping[str, Any]], str]) -> WholeReport:
    """A report that nothing can be set for, as one of those that something can be set for."""
    return lambda record, options=ReportOptions(): made(record)


class Renderer(ABC):
    """A report in the making. A record without an `end` event was cut: `close` then says so in the report."""

    answer_of: Callable[[Event], Mapping[str, Any] | None] | None = None
    """What was answered where a verdict stands, `{"ok": …}` or the like; None where answers are not at hand."""

    @abstractmethod
    def handle(self, event: Event) -> None:
        """Take the next event. Kinds that are not known are passed over."""

    @abstractmethod
    def close(self) -> None:
        """Finish the report. The stream stays open."""
