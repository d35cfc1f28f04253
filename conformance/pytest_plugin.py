"""The engine of the pytest plug-in in pytest's own process; the package `ticdc_conformance_door` has the hooks.

The suite is imported for a run, and not for its options: every pytest of an environment reads these.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

from conformance.cli.settings import SETTINGS, resolve
from conformance.errors import ConformanceError
from ticdc_conformance_door.engine import Option, PlannedItem, RunRequest
from ticdc_conformance_door.items import ConformanceWarning, Kind

if TYPE_CHECKING:
    from conformance.pytest_run import Planned

__all__ = ["ConformanceWarning", "LocalEngine", "settings_of"]


class LocalEngine:
    """An `Engine` that judges in this process, and passes its results to allure-pytest."""

    def options(self) -> Sequence[Option]:
        """The settings of the command `run`, as options of pytest."""
        return [Option(s.name, s.kind, s.help, s.metavar) for s in SETTINGS]

    def plan(self, request: RunRequest, config: pytest.Config) -> Sequence[PlannedItem]:
        """Plan the run."""
        if config.getoption("ticdc_suite", None):
            raise pytest.UsageError("ticdc-conformance: give --ticdc-suite on the command line, not in a file")
        from conformance.cli.allure_items import AllureItems
        from conformance.pytest_run import PytestRun

        with _usage():
            self._run = PytestRun(settings_of(request), request.command)
            self._allure = AllureItems(config, several=len(self._run.config.targets) > 1)
            self._planned: list[Planned] = list(self._run.planned())
        return [PlannedItem(planned.name, planned.keywords) for planned in self._planned]

    def begin(self, chosen: Sequence[int]) -> None:
        """Prepare to judge the chosen items, given by their positions in the plan."""
        with _usage():
            self._run.begin([self._planned[number] for number in chosen])

    def outcome(self, item: int) -> tuple[Kind, str]:
        """Judge the items up to this one; its outcome, with the text of a failure."""
        planned = self._planned[item]
        with _usage():
            judged = self._run.judged(planned.key)
        if judged is not None:
            self._allure.report(judged.verdict, judged.case, judged.replay(planned.address))
        return self._run.outcome(planned, judged)

    def finish(self) -> bool:
        """End the run; False if chosen items were never judged."""
        return self._run.finish()

    def status(self) -> int | None:
        """The exit status of the run; None if it did not end."""
        return self._run.status if self._run.end else None

    def summary(self) -> Sequence[str]:
        """The accounting and the gate; empty if the run did not end."""
        return self._run.summary()


def settings_of(request: RunRequest) -> dict[str, object]:
    """The settings of a run. Raises `UsageError`."""
    settings = resolve(request.given, os.environ, request.file)
    return {**settings, "sessions": settings["sessions"] or request.sessions or None}


@contextlib.contextmanager
def _usage() -> Iterator[None]:
    """Turn an impossible request, or a fault of the suite, into pytest's usage error of one line."""
    try:
        yield
    except ConformanceError as e:
        raise pytest.UsageError(f"ticdc-conformance: {e}") from None
