"""The engine as the hooks use it: it judges in the process of pytest or in another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from ticdc_conformance_door.items import Kind

__all__ = ["Engine", "Option", "PlannedItem", "RunRequest"]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of `run`: its name without the prefix `ticdc-`, its kind (`flag`, `list` or another) and its help."""

    name: str
    kind: str
    help: str
    metavar: str = ""

    @property
    def key(self) -> str:
        """The name as an attribute: `suite_version` for `suite-version`."""
        return self.name.replace("-", "_")


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A request for a run: the values of options by attribute name, the configuration file and the command line."""

    given: Mapping[str, Any]
    file: Path | None
    sessions: int
    """The number of sessions if no option gives one; 0 if pytest does not give one either."""
    command: Sequence[str]


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """A planned test item: its name, and the words by which `-k` finds it."""

    name: str
    keywords: frozenset[str]


class Engine(Protocol):
    """Judges the cases of one run. Every method may raise `pytest.UsageError` with a one-line message."""

    def options(self) -> Sequence[Option]:
        """The options that are registered as `--ticdc-NAME`."""

    def plan(self, request: RunRequest, config: pytest.Config) -> Sequence[PlannedItem]:
        """The items, in the order in which they are judged; no implementation is started."""

    def begin(self, chosen: Sequence[int]) -> None:
        """Prepare to judge the items that pytest selected, given by their positions in the plan."""

    def outcome(self, item: int) -> tuple[Kind, str]:
        """Judge the items up to this one; its outcome, and the reason or the text of its failure."""

    def finish(self) -> bool:
        """End the run; False if chosen items were never judged."""

    def status(self) -> int | None:
        """The exit status of the run; None if it did not end."""

    def summary(self) -> Sequence[str]:
        """The accounting and the gate, a line each; empty if the run did not end."""
