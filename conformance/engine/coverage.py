"""The anchor of each requirement: the strongest oracle of the cases in which a right answer evaluates it.

It is computed, never annotated: a requirement is covered when an assertion with its id ran. The index of cases says
which requirements a right answer evaluates. For an older release, or with an index that is out of date, the reference
answers the cases; those that can make no anchor stronger are skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from functools import cache

from conformance.cases.index import case_of, indexed_cases
from conformance.cases.model import Anchor, Case, CaseHead
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.oracle.findings import Judgement
from conformance.oracle.judges import judge_of
from reference_impl.profiles import PROFILES, Profile, Release, profile_of_release

__all__ = ["Coverage", "judged_by_reference", "reference_coverage"]

_STRENGTH = {anchor: rank for rank, anchor in enumerate(Anchor)}


@dataclass(slots=True)
class Coverage:
    """The requirements that right answers evaluate."""

    anchors: dict[str, Anchor] = field(default_factory=dict)
    """Requirement id → its anchor."""

    def anchor(self, requirement: str) -> Anchor | None:
        """The anchor of a requirement; None if no assertion ran."""
        return self.anchors.get(requirement)

    def may_gain(self, case: CaseHead, requirements: Set[str]) -> bool:
        """Whether a case can give a stronger anchor to one of `requirements`, or to those it was written for."""
        return any(self._is_stronger(case, requirement) for requirement in (*case.requirements, *requirements))

    def _is_stronger(self, case: CaseHead, requirement: str) -> bool:
        known = self.anchors.get(requirement)
        return known is None or _STRENGTH[case.anchor_of(requirement)] < _STRENGTH[known]

    def add(self, case: CaseHead, evaluated: Iterable[str]) -> None:
        """Count the requirements that a case evaluated."""
        for requirement in evaluated:
            if self._is_stronger(case, requirement):
                self.anchors[requirement] = case.anchor_of(requirement)


def judged_by_reference(protocol: str, profile: Profile, cases: Iterable[Case]) -> Iterator[tuple[Case, Judgement]]:
    """The reference's answer to each case of the profile, judged, in process."""
    judge = judge_of(protocol, load_register(protocol), profile)
    reference = Embedded(profile)
    for case in cases:
        if not case.profiles or profile.name in case.profiles:
            yield case, judge.judge(case, reference.ask(case))


def _profiles(protocol: str) -> list[Profile]:
    """Every profile, and the release before each change of the rules."""
    ends = {r.until for r in load_register(protocol).requirements.values() if r.until}
    historical = ["{}.{}.{}".format(*_before(end)) for end in sorted(ends)]
    return [*PROFILES.values(), *map(profile_of_release, historical)]


def _before(release: Release) -> Release:
    """A release just before the given one."""
    major, minor, patch = release
    if patch:
        return major, minor, patch - 1
    return (major, minor - 1, 9) if minor else (major - 1, 9, 9)


@cache
def reference_coverage(protocol: str) -> Coverage:
    """The coverage of right answers over every profile and both roles."""
    coverage, register = Coverage(), load_register(protocol)
    for profile in _profiles(protocol):
        heads = indexed_cases(protocol, profile)
        for head in heads:
            coverage.add(head, head.perfect or ())
        applying = {r.id for r in register.requirements.values() if r.testable and r.applies(profile)}
        unknown = (h for h in heads if h.perfect is None and coverage.may_gain(h, applying))
        for case, judgement in judged_by_reference(protocol, profile, (case_of(h, profile) for h in unknown)):
            coverage.add(case, judgement.evaluated)
    return coverage
