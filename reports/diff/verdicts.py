"""The moves of failures between two runs: newly broken, more cases, changed, fixed, fewer cases, or out of sight."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Final, TypeAlias

from reports.diff.failures import Failure, FailureKey, failures_of, is_broken_off, is_judged
from reports.gathering import clusters
from reports.renderer import Event

__all__ = ["CHANGED", "FIXED", "HIDDEN", "MORE", "NEW", "Move", "Way", "moves"]

NEW: Final = "newly broken"
MORE: Final = "broken in more cases"
CHANGED: Final = "fails in another way"
FIXED: Final = "fixed"
HIDDEN: Final = "hidden"


@dataclass(slots=True)
class Way:
    """One cause that moved; `failure` is that of the shown case, on the right, or on the left for a fixed one.

    `was` is the failure that it replaces, for one that fails in another way. `pair` are both verdicts.
    """

    failure: Failure
    pair: tuple[Event, Event]
    was: Failure | None = None
    cases: int = 1


@dataclass(slots=True)
class Move:
    """The moves of a requirement, or of crashes and the like, by key, and their consequences.

    `before` and `after` are the numbers of cases with these causes on either side, among those judged on both.
    """

    kind: str
    protocol: str
    role: str
    requirement: str
    ways: dict[FailureKey, Way] = field(default_factory=dict)
    cases: int = 0
    follows: dict[str, int] = field(default_factory=dict)
    before: int = 0
    after: int = 0
    last: tuple[Event, Event] | None = None


_Place = tuple[str, str, FailureKey]


Size: TypeAlias = Callable[[str, tuple[Event, Event]], float]
"""(Kind of move, both verdicts) → the size of the case's input, infinite where the record lacks it."""


def moves(both: Iterable[tuple[Event, Event]], left_only: Iterable[Event], size: Size = lambda *_: inf) -> list[Move]:
    """Every move among cases judged on both sides. A cause that `left_only` cases had is not new either.

    The case with the smallest input is shown for each move.
    """
    pairs = [(left, right) for left, right in both if is_judged(left) and is_judged(right)]
    failing = [
        (pair, failures_of(pair[0]), failures_of(pair[1]))
        for pair in pairs
        if any(side["findings"] or side["verdict"] != "pass" for side in pair)
    ]
    before = _cases((pair[0], lefts) for pair, lefts, _ in failing)
    after = _cases((pair[1], rights) for pair, _, rights in failing)
    had = {*before, *_cases((verdict, failures_of(verdict)) for verdict in left_only)}
    found: dict[tuple[str, str, str, str], Move] = {}
    for pair, lefts, rights in failing:
        for kind, failure, was, follows in _of_case(pair, lefts, rights, had):
            protocol, role = str(pair[1]["protocol"]), str(pair[1]["role"])
            # Crashes are distinguished by their messages: no requirement joins them.
            name = failure.requirement or failure.key[1]
            move = found.setdefault((kind, protocol, role, name), Move(kind, protocol, role, failure.requirement))
            _add(move, failure, pair, was, follows, size)
    for move in found.values():
        places = [(move.protocol, move.role, key) for key in move.ways]
        move.before, move.after = (
            len(set().union(*(side.get(place, ()) for place in places))) for side in (before, after)
        )
    return list(found.values())


def _cases(verdicts: Iterable[tuple[Event, Mapping[FailureKey, Failure]]]) -> dict[_Place, set[str]]:
    """Cause → the cases that have it."""
    found: dict[_Place, set[str]] = {}
    for verdict, failures in verdicts:
        for key in failures:
            found.setdefault((str(verdict["protocol"]), str(verdict["role"]), key), set()).add(str(verdict["case"]))
    return found


def _add(
    move: Move,
    failure: Failure,
    pair: tuple[Event, Event],
    was: Failure | None,
    follows: Sequence[Failure],
    size: Size,
) -> None:
    way = move.ways.get(failure.key)
    if way is None:
        move.ways[failure.key] = Way(failure, pair, was)
    else:
        way.cases += 1
        if size(move.kind, pair) < size(move.kind, way.pair):
            way.failure, way.pair, way.was = failure, pair, was
    if move.last is not pair:
        move.last = pair
        move.cases += 1
    for other in follows:
        if other.requirement != move.requirement:
            move.follows[other.requirement] = move.follows.get(other.requirement, 0) + 1


_Found = tuple[str, Failure, Failure | None, Sequence[Failure]]


def _of_case(
    pair: tuple[Event, Event],
    lefts: Mapping[FailureKey, Failure],
    rights: Mapping[FailureKey, Failure],
    had: set[_Place],
) -> Iterator[_Found]:
    """The moves of the failures of one case."""
    gone = {key: failure for key, failure in lefts.items() if key not in rights}
    come = {key: failure for key, failure in rights.items() if key not in lefts}
    place = str(pair[0]["protocol"]), str(pair[0]["role"])
    replaced: set[FailureKey] = set()
    for lead, follows in _led(come):
        was = _replaced(lead, gone)
        if was is not None:
            replaced |= {key for key in gone if key[0] == was.requirement}
            yield CHANGED, lead, was, follows
        else:
            yield (MORE if (*place, lead.key) in had else NEW), lead, None, follows
    left_out = {key: failure for key, failure in gone.items() if key not in replaced}
    is_hidden = is_broken_off(come)
    for lead, follows in _led(left_out):
        yield (HIDDEN if is_hidden else FIXED), lead, None, follows


def _replaced(failure: Failure, gone: Mapping[FailureKey, Failure]) -> Failure | None:
    """The left failure that this one replaces: of the same requirement, or a fault that hid everything else."""
    return next((other for (name, _), other in gone.items() if name in (failure.requirement, "")), None)


def _led(failures: Mapping[FailureKey, Failure]) -> Iterator[tuple[Failure, Sequence[Failure]]]:
    """Failures with those that follow from the same missing column or member; the strongest leads."""
    for failure in failures.values():
        if failure.finding is None:
            yield failure, ()
    judged = {id(failure.finding): failure for failure in failures.values() if failure.finding is not None}
    for cluster in clusters([failure.finding for failure in judged.values() if failure.finding is not None]):
        lead, *follows = (judged[id(finding)] for finding in cluster)
        yield lead, follows
