"""The result of a run for each requirement: whether it is met, and how well its assertions are anchored.

A requirement is judged only where an assertion that carries its id ran.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from conformance.cases.model import Anchor, Role
from conformance.catalogue.register import Level, Register, Requirement
from conformance.engine.outcomes import Outcome
from conformance.engine.plan import Item
from reference_impl.profiles import Profile

__all__ = ["RequirementResult", "RequirementResults", "Standing"]


class Standing(StrEnum):
    """The result for a requirement, the best first; `LATER`: the version that scores did not have it."""

    MET = "met"
    ADVISORY = "advisory"
    BROKEN = "broken"
    NOT_EVALUATED = "not evaluated"
    UNTESTABLE = "untestable"
    LATER = "later"


@dataclass(slots=True)
class RequirementResult:
    """The counts for one requirement; `anchor` is the strongest of the cases in which its assertion ran."""

    cases: int = 0
    breaking: int = 0
    anchor: Anchor | None = None
    standing: Standing = Standing.NOT_EVALUATED


_ANCHORS = tuple(Anchor)
_STANDINGS = tuple(Standing)
_STANDING_OF: Mapping[Level, Standing] = {
    Level.MUST: Standing.BROKEN,
    Level.SHOULD: Standing.ADVISORY,
    Level.MAY: Standing.ADVISORY,
}


class RequirementResults:
    """The results of the requirements of one protocol that apply to a profile and to the roles of a run."""

    def __init__(self, register: Register, profile: Profile, roles: frozenset[Role]) -> None:
        self._results: dict[str, RequirementResult] = {}
        self._requirements: dict[str, Requirement] = {}
        for requirement in register.requirements.values():
            if requirement.applies(profile) and (requirement.role == "both" or requirement.role in roles):
                self._requirements[requirement.id] = requirement
                self._results[requirement.id] = RequirementResult(standing=_at_first(requirement))

    def add(self, item: Item, outcome: Outcome) -> None:
        """Count the assertions that ran in a case."""
        self.count(item, outcome.evaluated, ((found.finding.requirement, found.level) for found in outcome.found))

    def count(self, item: Item, evaluated: Iterable[str], broken: Iterable[tuple[str, Level]]) -> None:
        """Count a case: `evaluated` are ids of requirements, `broken` those of its findings, with their level."""
        for requirement in evaluated:
            result = self._results.get(requirement)
            if result is None:
                continue
            result.cases += 1
            anchors = [a for a in (result.anchor, item.case.anchor_of(requirement)) if a is not None]
            result.anchor = min(anchors, key=_ANCHORS.index)
            if result.standing is Standing.NOT_EVALUATED:
                result.standing = Standing.MET
        for requirement, level in broken:
            result = self._results.get(requirement)
            if result is not None:
                result.breaking += 1
                result.standing = _after_finding(result.standing, _STANDING_OF[level])

    def __iter__(self) -> Iterator[tuple[Requirement, RequirementResult]]:
        """Every requirement with its result, in the order of the register."""
        return ((self._requirements[i], result) for i, result in self._results.items())


def _after_finding(standing: Standing, found: Standing) -> Standing:
    """The worse of two; a finding breaks no later requirement, and is worse than a standing without a judgement."""
    if standing is Standing.LATER:
        return standing
    return max(standing, found, key=_STANDINGS.index) if standing in _JUDGED else found


def _at_first(requirement: Requirement) -> Standing:
    if requirement.later_than:
        return Standing.LATER
    return Standing.NOT_EVALUATED if requirement.testable else Standing.UNTESTABLE


_JUDGED = frozenset({Standing.MET, Standing.ADVISORY, Standing.BROKEN})
