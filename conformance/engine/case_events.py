"""Which cases stand in the run record with their input: those that failed, and the input once for each cause.

The input of a case that passed is in the suite itself: `ticdc-conformance explain ID` shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.cases.model import Case
from conformance.engine import events
from conformance.engine.implementation import already_made
from conformance.engine.plan import Item
from conformance.engine.verdicts import Verdict

__all__ = ["CaseEvents"]

_INPUT = ("sql", "input")
_WITHOUT = frozenset({Verdict.PASS, Verdict.EXCLUDED, Verdict.UNSUPPORTED, Verdict.NOT_RUN})
"""Verdicts that have no `case` event: no report shows the input of such a case."""


@dataclass(slots=True)
class CaseEvents:
    """The `case` events of one implementation, made in the order of the verdicts."""

    _shown: set[tuple[str, ...]] = field(default_factory=set)

    def before(
        self, label: str, item: Item, verdict: Mapping[str, Any], case: Callable[[], Case] | None = None
    ) -> Iterator[events.Event]:
        """The event that goes before a `verdict` event, if there is one. `case` makes a case that is not made yet."""
        if verdict["verdict"] in _WITHOUT:
            return
        event = events.case_event(label, item, case() if case else already_made(item.case))
        causes = set(_causes(verdict))
        if causes <= self._shown:
            event = {name: value for name, value in event.items() if name not in _INPUT}
        self._shown |= causes
        yield event


def _causes(verdict: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """What the reports group verdicts by: one input is shown for each."""
    for finding in verdict["findings"]:
        yield str(verdict["verdict"]), finding["requirement"], finding["fingerprint"]
    if not verdict["findings"]:
        yield str(verdict["verdict"]), verdict["protocol"], verdict["message"]
