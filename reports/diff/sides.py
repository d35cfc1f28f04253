"""A side of a diff: one implementation in a saved run; and the pairing of cases of two sides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from reports.renderer import Event
from reports.saved import CaseKey

__all__ = ["Answers", "Pairing", "Side", "VerdictPair", "paired"]

Answers: TypeAlias = Callable[[Collection[str]], Mapping[str, bytes]]
"""Digests of answers → the JSON of those that the run keeps."""


@dataclass(frozen=True, slots=True)
class Side:
    """One implementation of one saved run."""

    name: str
    """The path of the run, with `#LABEL` if the run has several implementations."""
    run: Event
    """The `run` event; `iut` and `plan` are the events of those names about the implementation."""
    iut: Event
    answers: Answers
    plan: Event = field(default_factory=dict)
    verdicts: Mapping[CaseKey, Event] = field(default_factory=dict)
    cases: Mapping[CaseKey, Event] = field(default_factory=dict)
    """The `case` events of the cases that did not pass."""
    requirements: Mapping[str, Event] = field(default_factory=dict)
    """The `requirement` events, by id."""
    unjudged: Mapping[tuple[str, str], Event] = field(default_factory=dict)
    """Protocol and role → the `verdicts` event with one verdict for all their cases, which were not run."""
    is_whole: bool = True
    """Whether the record has its last event."""
    is_conclusive: bool = True
    """Whether the implementation ran to the end: its status is not interrupted, internal error or inconclusive."""

    @property
    def is_certain(self) -> bool:
        """Whether a case without a verdict is surely no part of the run; otherwise it may have been cut off."""
        return self.is_whole and self.is_conclusive

    @property
    def label(self) -> str:
        """The name of the implementation in the record."""
        return str(self.iut.get("iut", ""))

    @property
    def profile(self) -> str:
        """The profile under which it was judged."""
        return str(self.iut.get("profile", ""))

    @property
    def protocols(self) -> set[str]:
        """The protocols of its verdicts."""
        return {protocol for protocol, _, _ in self.verdicts}


class VerdictPair(NamedTuple):
    """The verdicts on one case in both runs."""

    left: Event
    right: Event


@dataclass(frozen=True, slots=True)
class Pairing:
    """The verdicts of two sides: pairs of one case, and those of one side alone."""

    both: Sequence[VerdictPair]
    only_left: Sequence[Event]
    only_right: Sequence[Event]
    across: int
    """The number of pairs of one workload, recorded with two generations."""


def paired(left: Side, right: Side) -> Pairing:
    """Pair cases of one id; then, for two profiles, recordings of one workload.

    The id of a case made from a recording names the recorded generation: `…/recorded/newarch/WORKLOAD/…`. Two such
    cases are a pair if each names the profile of its own side, and their ids are otherwise equal.
    """
    rest = {key: verdict for key, verdict in right.verdicts.items() if key not in left.verdicts}
    by_workload = {_of_any_generation(key, right.profile): key for key in rest} if left.profile != right.profile else {}
    both: list[VerdictPair] = []
    only_left: list[Event] = []
    across = 0
    for key, verdict in left.verdicts.items():
        if key in right.verdicts:
            both.append(VerdictPair(verdict, right.verdicts[key]))
        elif (other := by_workload.get(_of_any_generation(key, left.profile))) is not None:
            both.append(VerdictPair(verdict, rest.pop(other)))
            across += 1
        elif key[:2] in right.unjudged:
            both.append(VerdictPair(verdict, _unjudged_verdict(right.unjudged[key[:2]], verdict)))
        else:
            only_left.append(verdict)
    only_right: list[Event] = []
    for key, verdict in rest.items():
        if key[:2] in left.unjudged:
            both.append(VerdictPair(_unjudged_verdict(left.unjudged[key[:2]], verdict), verdict))
        else:
            only_right.append(verdict)
    return Pairing(both, only_left, only_right, across)


def _unjudged_verdict(common: Event, other: Event) -> Event:
    """The verdict on one case behind a `verdicts` event; `other` is that of the side that judged the case."""
    return {**other, "verdict": common["verdict"], "message": common.get("message", ""), **_NOTHING_FOUND}


_NOTHING_FOUND: Event = {"findings": [], "fingerprints": [], "answer": None, "known": []}


def _of_any_generation(key: CaseKey, profile: str) -> CaseKey:
    """The key with a star for the recorded generation, if its id names that of this profile."""
    protocol, role, case = key
    parts = case.split("/")
    for i, part in enumerate(parts[1:], 1):
        if parts[i - 1] == "recorded" and part == profile:
            parts[i] = "*"
    return protocol, role, "/".join(parts)
