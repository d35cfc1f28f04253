"""The transitions of failures between two runs: a cause is new, in more cases, changed, fixed, or hidden by a crash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from reports.clusters import clusters
from reports.diff.failures import Failure, FailureKey, failures_of, has_no_answer, is_judged
from reports.diff.sides import VerdictPair
from reports.renderer import Event

__all__ = ["GONE", "KINDS", "CauseTransition", "Transition", "transitions"]

_NEW: Final = "newly_broken"
_MORE: Final = "more_cases"
_CHANGED: Final = "changed_failures"
_FIXED: Final = "fixed"
_HIDDEN: Final = "hidden"  # a crash or the like leaves no answer that could show them
KINDS: Final = (_NEW, _MORE, _CHANGED, _FIXED, _HIDDEN)
"""The kinds of transitions; the record of a diff has a member of each name."""
GONE: Final = frozenset({_FIXED, _HIDDEN})
"""The kinds whose failures only the old run shows."""


@dataclass(slots=True)
class CauseTransition:
    """One cause whose failures changed, with the case that is shown for it."""

    failure: Failure
    """The failure of the shown case: on the right, or on the left if it is fixed or hidden."""
    pair: VerdictPair
    """The `verdict` events of the shown case, left and right."""
    was: Failure | None = None
    """The failure on the left that `failure` replaces; only of the kind `changed_failures`."""
    cases: int = 0
    """The number of cases in which the cause changed."""


@dataclass(slots=True)
class Transition:
    """The causes of a requirement that changed in one way; or a crash or the like, whose `requirement` is empty."""

    kind: str
    """One of `KINDS`."""
    protocol: str
    role: str
    requirement: str
    ways: dict[FailureKey, CauseTransition] = field(default_factory=dict)
    cases: int = 0
    """The number of cases in which a cause changed."""
    follows: set[str] = field(default_factory=set)
    """Other requirements, with failures that follow from these."""
    before: int = 0
    """The number of cases with these causes on the left, among those judged on both sides."""
    after: int = 0
    """The same on the right."""
    last: VerdictPair | None = None
    """The pair added last: `cases` counts it once."""


_Cause = tuple[str, str, FailureKey]
"""Protocol, role, and key of the failure."""


Size: TypeAlias = Callable[[str, VerdictPair], float]
"""(Kind of transition, both verdicts) → the size of the case's input, infinite where the record lacks it."""


def transitions(both: Iterable[VerdictPair], left_only: Iterable[Event], size: Size) -> list[Transition]:
    """Every transition among cases judged on both sides. A cause of cases that ran on the left only is not new.

    The case with the smallest input is shown for each transition.
    """
    pairs = [pair for pair in both if all(map(is_judged, pair))]
    failing = [
        (pair, failures_of(pair.left), failures_of(pair.right))
        for pair in pairs
        if any(side["findings"] or side["verdict"] != "pass" for side in pair)
    ]
    before = _cases_by_cause((pair.left, lefts) for pair, lefts, _ in failing)
    after = _cases_by_cause((pair.right, rights) for pair, _, rights in failing)
    had = {*before, *_cases_by_cause((verdict, failures_of(verdict)) for verdict in left_only)}
    found: dict[tuple[str, str, str, str], Transition] = {}
    for pair, lefts, rights in failing:
        for change in _of_case(pair, lefts, rights, had):
            protocol, role, key = str(pair.right["protocol"]), str(pair.right["role"]), change.failure.key
            # Crashes are distinguished by their messages: no requirement joins them.
            name = key.requirement or key.fingerprint
            transition = found.setdefault(
                (change.kind, protocol, role, name), Transition(change.kind, protocol, role, key.requirement)
            )
            _add(transition, change, pair, size)
    for transition in found.values():
        causes = [(transition.protocol, transition.role, key) for key in transition.ways]
        transition.before = len({case for cause in causes for case in before.get(cause, ())})
        transition.after = len({case for cause in causes for case in after.get(cause, ())})
    return list(found.values())


def _cases_by_cause(verdicts: Iterable[tuple[Event, Mapping[FailureKey, Failure]]]) -> dict[_Cause, set[str]]:
    """Cause → the cases that have it."""
    found: dict[_Cause, set[str]] = {}
    for verdict, failures in verdicts:
        for key in failures:
            found.setdefault((str(verdict["protocol"]), str(verdict["role"]), key), set()).add(str(verdict["case"]))
    return found


class _Change(NamedTuple):
    """How one failure in one case changed."""

    kind: str
    failure: Failure
    was: Failure | None
    """The failure that it replaces."""
    follows: Sequence[Failure]
    """The failures that follow from it."""


def _add(transition: Transition, change: _Change, pair: VerdictPair, size: Size) -> None:
    way = transition.ways.setdefault(change.failure.key, CauseTransition(change.failure, pair, change.was))
    way.cases += 1
    if size(transition.kind, pair) < size(transition.kind, way.pair):
        way.failure, way.pair, way.was = change.failure, pair, change.was
    if transition.last is not pair:
        transition.last = pair
        transition.cases += 1
    transition.follows |= {other.requirement for other in change.follows} - {transition.requirement}


def _of_case(
    pair: VerdictPair,
    lefts: Mapping[FailureKey, Failure],
    rights: Mapping[FailureKey, Failure],
    had: set[_Cause],
) -> Iterator[_Change]:
    """What became of the failures of one case; `had` are the causes of the whole left run."""
    gone = {key: failure for key, failure in lefts.items() if key not in rights}
    new = {key: failure for key, failure in rights.items() if key not in lefts}
    part = str(pair.left["protocol"]), str(pair.left["role"])
    replaced: set[FailureKey] = set()
    for lead, follows in _leading(new):
        was = _replaced(lead, gone)
        if was is not None:
            replaced |= {key for key in gone if key.requirement == was.requirement}
            yield _Change(_CHANGED, lead, was, follows)
        else:
            yield _Change(_MORE if (*part, lead.key) in had else _NEW, lead, None, follows)
    remaining = {key: failure for key, failure in gone.items() if key not in replaced}
    is_hidden = has_no_answer(new)
    for lead, follows in _leading(remaining):
        yield _Change(_HIDDEN if is_hidden else _FIXED, lead, None, follows)


def _replaced(failure: Failure, gone: Mapping[FailureKey, Failure]) -> Failure | None:
    """The left failure that this one replaces: of the same requirement, or a crash that hid everything else."""
    return next((other for (name, _), other in gone.items() if name in (failure.requirement, "")), None)


def _leading(failures: Mapping[FailureKey, Failure]) -> Iterator[tuple[Failure, Sequence[Failure]]]:
    """Each leading failure, with the failures of the same difference, or of the same missing or additional member."""
    for failure in failures.values():
        if failure.finding is None:
            yield failure, ()
    judged = {id(failure.finding): failure for failure in failures.values() if failure.finding is not None}
    for cluster in clusters([failure.finding for failure in judged.values() if failure.finding is not None]):
        lead, *follows = (judged[id(finding)] for finding in cluster)
        yield lead, follows
