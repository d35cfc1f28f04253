"""The settled cases of an interrupted run, which the run that resumes it does not repeat.

A case is settled when it has a verdict, and its answer, if there was one, was kept. Cases without a run, and those with
a suite error, run again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from conformance.engine.events import Event
from conformance.engine.verdicts import Verdict
from conformance.errors import UsageError

__all__ = ["SAME_RUN", "CaseKey", "Kept", "KeptCase", "KeptIut"]

CaseKey: TypeAlias = tuple[str, str, str]
"""Protocol, role and id of a case."""

SAME_RUN = ("suite", "suite_version", "registers", "gate", "level", "selection", "baseline", "against", "origin")
"""Members of the `run` event that must be equal in a run and one that resumes it, and in the shards of a run."""
_SAME_IUT = ("name", "version", "profile")
"""Members of the `iut` event that must be equal if the implementation started both times; the address always must."""
_MOST_SHOWN = 120
"""The longest text that shows two values, in characters."""
_UNSETTLED = frozenset({Verdict.NOT_RUN, Verdict.SUITE_ERROR})


@dataclass(frozen=True, slots=True)
class KeptCase:
    """A settled case: its verdict, and the events that stand before it."""

    before: Sequence[Mapping[str, Any]]
    verdict: Mapping[str, Any]


@dataclass(slots=True)
class KeptIut:
    """The settled cases of one implementation."""

    event: Mapping[str, Any]
    """Its `iut` event."""
    digest: str = ""
    """The digest of its plan."""
    cases: dict[CaseKey, KeptCase] = field(default_factory=dict)

    @property
    def hello(self) -> Mapping[str, Any] | None:
        """The members of `hello`, in the `iut` event; None if the implementation did not start."""
        return self.event if self.event["started"] else None

    def check(self, event: Mapping[str, Any], digest: str) -> None:
        """Raises `UsageError` if the resumed run has another implementation (its `iut` event) or another plan."""
        for name in ("address", *(_SAME_IUT if event["started"] and self.event["started"] else ())):
            _check(f"{name} of the implementation", event[name], self.event.get(name))
        _check("plan", digest, self.digest)


@dataclass(slots=True)
class Kept:
    """The settled cases of a run."""

    run: Mapping[str, Any]
    """Its `run` event."""
    text_of: Callable[[str], bytes | None]
    """The text of an answer by its digest."""
    iuts: list[KeptIut] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        records: Iterable[Sequence[Mapping[str, Any]]],
        answers: Collection[str],
        text_of: Callable[[str], bytes | None],
    ) -> Kept:
        """The settled cases in the records of one run; the last record of a case counts.

        `answers` are the digests of the kept answers.
        """
        kept: Kept | None = None
        for events in records:
            if events and events[0]["event"] == "run":
                kept = kept or cls(events[0], text_of)
                kept._add(events, answers)
        if kept is None:
            raise UsageError("--resume: there is no run to go on with: leave out --resume")
        return kept

    def _add(self, events: Iterable[Mapping[str, Any]], answers: Collection[str]) -> None:
        """Add the settled cases of one record; of an implementation the last `iut` event with a start counts."""
        number = -1
        before: list[Mapping[str, Any]] = []
        for event in events:
            kind = event["event"]
            if kind == "iut":
                number, before = number + 1, []
                if number == len(self.iuts):
                    self.iuts.append(KeptIut(event))
                elif event["started"]:
                    self.iuts[number].event = event
            elif kind == "plan":
                self.iuts[number].digest = event["digest"]
            elif kind == "verdict":
                answer = event.get("answer")
                if event["verdict"] not in _UNSETTLED and (answer is None or answer in answers):
                    key = event["protocol"], event["role"], event["case"]
                    self.iuts[number].cases[key] = KeptCase(before, event)
                before = []
            elif kind in ("case", "restart", "note"):
                before.append(event)

    def check(self, run: Event) -> None:
        """Raises `UsageError` if a `run` event shows that the run that resumes is another one."""
        for name in SAME_RUN:
            _check(name, run.get(name), self.run.get(name))

    @property
    def verdict_count(self) -> int:
        """The number of kept verdicts."""
        return sum(len(iut.cases) for iut in self.iuts)

    def iut(self, number: int) -> KeptIut | None:
        """The settled cases of the n-th implementation, from 0; None if it has none."""
        return next((iut for iut in self.iuts[number : number + 1] if iut.cases), None)


def _check(what: str, now: Any, then: Any) -> None:
    if now != then:
        values = f": it is {json.dumps(now)}, and was {json.dumps(then)}"
        values = values if len(values) < _MOST_SHOWN else ""
        raise UsageError(f"--resume: the {what} has changed{values}; resume with the old value, or begin a new run")
