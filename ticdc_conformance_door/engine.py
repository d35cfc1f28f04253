"""The engine behind the plug-in: what the hooks ask of it, in the process of pytest or elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from ticdc_conformance_door.items import Kind

__all__ = ["Asked", "Engine", "Option", "PlannedItem"]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of `run`: its name without a prefix, `flag`, `list` or another kind, and its line of help."""

    name: str
    kind: str
    help: str
    metavar: str = ""

    @property
    def key(self) -> str:
        """The name as an attribute."""
        return self.name.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be judged: values of options by attribute name, the configuration file, and what was typed."""

    given: Mapping[str, Any]
    file: Path | None
    sessions: int
    """Sessions where no option says how many; 0 where pytest says nothing of it either."""
    command: Sequence[str]


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """A test item: its name, and the words that `-k` finds it by."""

    name: str
    keywords: frozenset[str]


class Engine(Protocol):
    """One run. Every method may raise `pytest.UsageError`, with one message."""

    def options(self) -> Sequence[Option]:
        """The options that are registered as `--ticdc-NAME`."""

    def plan(self, asked: Asked, config: pytest.Config) -> Sequence[PlannedItem]:
        """The items, in the order in which they are judged best; no implementation is started."""

    def begin(self, chosen: Sequence[int]) -> None:
        """The items that pytest selected, by their places in the plan."""

    def outcome(self, item: int) -> tuple[Kind, str]:
        """What became of an item, and why."""

    def finish(self) -> bool:
        """End the run. False where items were left that nobody asked for any more."""

    def status(self) -> int | None:
        """The exit status of the run; None where it has no end."""

    def summary(self) -> Sequence[str]:
        """The last lines of the run."""
