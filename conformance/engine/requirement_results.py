"""The result of a run for each requirement: its status, strongest anchor, and numbers of cases and findings.

A requirement is judged only by the cases that evaluated it, as their outcomes say.
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
    """The status of a requirement after a run; of the statuses in several shards the last one here counts."""

    LATER = "later"  # the run is scored by an older requirement set, which lacks it: see `engine.sets`
    UNTESTABLE = "untestable"
    NOT_EVALUATED = "not evaluated"
    MET = "met"
    ADVISORY = "advisory"  # broken by findings below MUST only
    BROKEN = "broken"


@dataclass(slots=True)
class RequirementResult:
    """The result for one requirement."""

    cases: int = 0
    """The number of cases that evaluated it."""
    findings: int = 0
    """The number of findings blamed on it; `breaking` in a run record."""
    anchor: Anchor | None = None
    """The strongest anchor of these cases."""
    status: RequirementStatus = RequirementStatus.NOT_EVALUATED


_STRONGEST_FIRST = tuple(Anchor)


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
        """Count a case by its outcome."""
        self.count(item, outcome.evaluated, ((found.finding.requirement, found.level) for found in outcome.found))

    def count(self, item: Item, evaluated: Iterable[str], broken: Iterable[tuple[str, Level]]) -> None:
        """Count a case: `evaluated` are ids of requirements, `broken` the id and level of each of its findings.

        Ids of requirements that do not apply are left out.
        """
        for requirement_id in evaluated:
            result = self._results.get(requirement_id)
            if result is None:
                continue
            result.cases += 1
            anchor = item.case.anchor_of(requirement_id)
            result.anchor = min(result.anchor or anchor, anchor, key=_STRONGEST_FIRST.index)
            if result.status is RequirementStatus.NOT_EVALUATED:
                result.status = RequirementStatus.MET
        for requirement_id, level in broken:
            result = self._results.get(requirement_id)
            if result is not None:
                result.findings += 1
                result.status = _after_finding(result.status, level)

    def __iter__(self) -> Iterator[tuple[Requirement, RequirementResult]]:
        """Every requirement with its result, in the order of the register."""
        return zip(self._requirements.values(), self._results.values(), strict=True)


def _after_finding(status: RequirementStatus, level: Level) -> RequirementStatus:
    """The status after a finding of this level; a later requirement stays so."""
    if status in (RequirementStatus.LATER, RequirementStatus.BROKEN):
        return status
    return RequirementStatus.BROKEN if level is Level.MUST else RequirementStatus.ADVISORY


def _at_first(requirement: Requirement) -> RequirementStatus:
    """The status of a requirement before any case."""
    if requirement.later_than:
        return RequirementStatus.LATER
    return RequirementStatus.NOT_EVALUATED if requirement.testable else RequirementStatus.UNTESTABLE
