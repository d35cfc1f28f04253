"""The result of a run for each requirement: its status, and the strongest anchor of its assertions.

A requirement is judged only where an assertion that carries its id ran.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from conformance.cases.model import Anchor, Role
from conformance.catalogue.register import Level, Register, Requirement
from conformance.engine.outcomes import Outcome
from conformance.engine.plan import Item
from reference_impl.profiles import Profile

__all__ = ["RequirementResult", "RequirementResults", "RequirementStatus"]


class RequirementStatus(StrEnum):
    """The status of a requirement after a run."""

    MET = "met"
    ADVISORY = "advisory"  # broken, but not a MUST
    BROKEN = "broken"
    NOT_EVALUATED = "not evaluated"
    UNTESTABLE = "untestable"
    LATER = "later"  # the suite version that scores did not have it


@dataclass(slots=True)
class RequirementResult:
    """The result for one requirement."""

    cases: int = 0
    """The number of cases in which its assertion ran."""
    breaking: int = 0
    """The number of findings."""
    anchor: Anchor | None = None
    """The strongest anchor of these cases."""
    status: RequirementStatus = RequirementStatus.NOT_EVALUATED


_ANCHORS = tuple(Anchor)


class RequirementResults:
    """The results of the requirements of one protocol that apply to a profile and to the roles of a run."""

    def __init__(self, register: Register, profile: Profile, roles: frozenset[Role]) -> None:
        self._results: dict[str, RequirementResult] = {}
        self._requirements: dict[str, Requirement] = {}
        for requirement in register.requirements.values():
            if requirement.applies(profile) and (requirement.role == "both" or requirement.role in roles):
                self._requirements[requirement.id] = requirement
                self._results[requirement.id] = RequirementResult(status=_at_first(requirement))

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
            if result.status is RequirementStatus.NOT_EVALUATED:
                result.status = RequirementStatus.MET
        for requirement, level in broken:
            result = self._results.get(requirement)
            if result is not None:
                result.breaking += 1
                result.status = _after_finding(result.status, level)

    def __iter__(self) -> Iterator[tuple[Requirement, RequirementResult]]:
        """Every requirement with its result, in the order of the register."""
        return ((self._requirements[i], result) for i, result in self._results.items())


def _after_finding(status: RequirementStatus, level: Level) -> RequirementStatus:
    """The status after a finding of this level; a later requirement stays so."""
    if status in (RequirementStatus.LATER, RequirementStatus.BROKEN):
        return status
    return RequirementStatus.BROKEN if level is Level.MUST else RequirementStatus.ADVISORY


def _at_first(requirement: Requirement) -> RequirementStatus:
    if requirement.later_than:
        return RequirementStatus.LATER
    return RequirementStatus.NOT_EVALUATED if requirement.testable else RequirementStatus.UNTESTABLE
