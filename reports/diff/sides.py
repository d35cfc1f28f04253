"""A side of a diff: one implementation in a saved run; and the pairing of cases of two sides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from reports.renderer import Event

__all__ = ["Answers", "CaseKey", "Pairing", "Side", "paired"]

CaseKey: TypeAlias = tuple[str, str, str]
"""The identity of a case in an implementation: protocol, role and id."""
Answers: TypeAlias = Callable[[Collection[str]], Mapping[str, bytes]]
"""Digests of answers → the JSON of those that the run keeps."""


def _no_answers(digests: Collection[str]) -> Mapping[str, bytes]:
    return {}


@dataclass(frozen=True, slots=True)
class Side:
    """One implementation of one saved run.

    `name` is the name of the side for people: the path of the run, with `#LABEL` where it holds several
    implementations. `run`, `iut` and `plan` are events of the record, `is_whole` whether it came to its end. `cases`
    are the `case` events of cases that did not pass, `requirements` the ids of those that were judged. `settled` are
    the `verdicts` events by protocol and role, for cases that were not put, with their number alone.
    """

    name: str
    run: Event
    iut: Event
    plan: Event = field(default_factory=dict)
    verdicts: Mapping[CaseKey, Event] = field(default_factory=dict)
    cases: Mapping[CaseKey, Event] = field(default_factory=dict)
    requirements: Mapping[str, Event] = field(default_factory=dict)
    settled: Mapping[tuple[str, str], Event] = field(default_factory=dict)
    answers: Answers = _no_answers
    is_whole: bool = True
    is_conclusive: bool = True
    """Whether the implementation ran to the end: the status of its run is not 2, 3 or 6."""

    @property
    def is_certain(self) -> bool:
        """Whether a case that the run does not show is absent, and not merely not reached."""
        return self.is_whole and self.is_conclusive

    @property
    def label(self) -> str:
        """Its name in the record."""
        return str(self.iut.get("iut", ""))

    @property
    def profile(self) -> str:
        """The profile under which it was judged."""
        return str(self.iut.get("profile", ""))


@dataclass(frozen=True, slots=True)
class Pairing:
    """The verdicts of two sides: pairs of one case, and those of one side alone.

    `across` were paired by workload: the recording of one generation with that of the other.
    """

    both: Sequence[tuple[Event, Event]]
    only_left: Sequence[Event]
    only_right: Sequence[Event]
    across: int


def paired(left: Side, right: Side) -> Pairing:
    """Pair cases of one id; then, for two profiles, recordings of one workload.

    The id of a case made from a recording names the recorded generation: `…/recorded/newarch/WORKLOAD/…`. Where it is
    the profile of its side, the case pairs with the one of the other side that names that side's profile.
    """
    rest = {key: verdict for key, verdict in right.verdicts.items() if key not in left.verdicts}
    by_workload = {_workload(key, right.profile): key for key in rest} if left.profile != right.profile else {}
    both: list[tuple[Event, Event]] = []
    only_left: list[Event] = []
    across = 0
    for key, verdict in left.verdicts.items():
        if key in right.verdicts:
            both.append((verdict, right.verdicts[key]))
        elif (other := by_workload.get(_workload(key, left.profile))) is not None:
            both.append((verdict, rest.pop(other)))
            across += 1
        elif key[:2] in right.settled:
            both.append((verdict, _of_settled(right.settled[key[:2]], verdict)))
        else:
            only_left.append(verdict)
    both += [(_of_settled(left.settled[key[:2]], rest[key]), rest[key]) for key in rest if key[:2] in left.settled]
    return Pairing(both, only_left, [verdict for key, verdict in rest.items() if key[:2] not in left.settled], across)


def _of_settled(settled: Event, other: Event) -> Event:
    """The verdict on a case that one side settled with others, and the other side judged."""
    return {**other, "verdict": settled["verdict"], "message": settled.get("message", ""), **_NOTHING_FOUND}


_NOTHING_FOUND: Event = {"findings": [], "fingerprints": [], "answer": None, "known": []}


def _workload(key: CaseKey, profile: str) -> CaseKey:
    protocol, role, case = key
    return protocol, role, "/".join(_without(case.split("/"), profile))


def _without(parts: Sequence[str], profile: str) -> Iterator[str]:
    """The parts of an id, with a star for the recorded generation."""
    before = ""
    for part in parts:
        yield "*" if before == "recorded" and part == profile else part
        before = part
