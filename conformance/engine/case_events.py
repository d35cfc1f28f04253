"""Makes the `case` events: the run record has the input of the first failed case of a cause, and of smaller ones.

So the last input of a cause is the smallest of the run. `ticdc-conformance explain ID` shows the input of a case that
passed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.cases.model import Case
from conformance.engine import events
from conformance.engine.plan import Item
from conformance.engine.verdicts import Verdict

__all__ = ["CaseEvents"]

_INPUT = ("sql", "input")
_POSITION = re.compile(r"""(of its output: no answer to .*?): ['"].*|request \d+|"id\\?": ?\d+|\d+(?= of its output)""")
"""Parts of a message that differ from case to case in a session: they do not count for the cause."""
_WITHOUT_EVENT = frozenset({Verdict.PASS, Verdict.EXCLUDED, Verdict.UNSUPPORTED, Verdict.NOT_RUN})
"""Verdicts that have no `case` event: no report shows the input of such a case."""


@dataclass(slots=True)
class CaseEvents:
    """Makes the `case` events of one implementation, in the order of the verdicts."""

    _smallest: dict[tuple[str, ...], int] = field(default_factory=dict)
    """The size of the last input of each cause."""

    def before(
        self, label: str, item: Item, verdict: Mapping[str, Any], case: Callable[[], Case]
    ) -> Iterator[events.Event]:
        """The event that goes before a `verdict` event, if any; `case` gives the case of the item."""
        if verdict["verdict"] not in _WITHOUT_EVENT:
            yield self.with_input_or_not(events.case_event(label, item, case()), verdict)

    def with_input_or_not(self, event: Mapping[str, Any], verdict: Mapping[str, Any]) -> events.Event:
        """The `case` event before this verdict, without its input unless that is the first or smallest of a cause.

        An event that comes from an earlier record may have lost its input there.
        """
        size = event["size"]
        shown = [cause for cause in _causes(verdict) if size < self._smallest.get(cause, size + 1)]
        self._smallest |= dict.fromkeys(shown, size)
        return {name: value for name, value in event.items() if shown or name not in _INPUT}


def _causes(verdict: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The members by which reports group verdicts."""
    for finding in verdict["findings"]:
        yield str(verdict["verdict"]), finding["requirement"], finding["fingerprint"]
    if not verdict["findings"]:
        yield str(verdict["verdict"]), verdict["protocol"], _POSITION.sub(r"\1", verdict["message"])
