"""What every report is: something that takes events one by one, and is closed once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, TypeAlias

__all__ = ["Event", "Renderer"]

Event: TypeAlias = Mapping[str, Any]


class Renderer(ABC):
    """A report in the making. A record without an `end` event was cut: `close` then says so in the report."""

    @abstractmethod
    def handle(self, event: Event) -> None:
        """Take the next event. Kinds that are not known are passed over."""

    @abstractmethod
    def close(self) -> None:
        """Finish the report. The stream stays open."""
