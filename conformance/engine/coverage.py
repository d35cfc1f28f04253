"""Which requirement is evaluated by which kind of oracle, computed from a run of the reference; never annotated.

A requirement is covered when an assertion that carries its id ran. Its anchor is the strongest oracle among the cases
in which that happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache

from conformance.cases.catalogue import all_cases
from conformance.cases.model import Anchor, Case
from conformance.cases.requests import input_digest
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.oracle import ORACLES
from conformance.oracle.judge import Judge, Judgement
from reference_impl.profiles import PROFILES, Profile, Release, profile_of_release

__all__ = ["Coverage", "judged_by_reference", "reference_coverage"]

_STRENGTH = list(Anchor)


@dataclass(slots=True)
class Coverage:
    """What a run of the reference evaluated: requirement id → anchors, and the distinct (input, requirement) pairs."""

    anchors: dict[str, set[Anchor]] = field(default_factory=dict)
    pairs: set[tuple[str, str]] = field(default_factory=set)

    def anchor(self, requirement: str) -> Anchor | None:
        """The strongest anchor of a requirement, or None where no assertion ran."""
        return min(self.anchors.get(requirement, ()), key=_STRENGTH.index, default=None)

    def add(self, case: Case, evaluated: Iterable[str]) -> None:
        """Count what a case evaluated."""
        digest = input_digest(case)
        for requirement in evaluated:
            self.anchors.setdefault(requirement, set()).add(case.anchor_of(requirement))
            self.pairs.add((digest, requirement))


def judged_by_reference(protocol: str, profile: Profile, cases: Iterable[Case]) -> Iterator[tuple[Case, Judgement]]:
    """The reference's answer to each case of the profile, judged, in process."""
    judge = Judge(ORACLES[protocol], load_register(protocol), profile)
    reference = Embedded(profile)
    for case in cases:
        if not case.profiles or profile.name in case.profiles:
            yield case, judge.judge(case, reference.ask(case))


def _profiles(protocol: str) -> list[Profile]:
    """Every profile, and the release before each change of the rules."""
    ends = {r.until for r in load_register(protocol).requirements.values() if r.until}
    past = ["{}.{}.{}".format(*_before(end)) for end in sorted(ends)]
    return [*PROFILES.values(), *map(profile_of_release, past)]


def _before(release: Release) -> Release:
    """A release just before that one."""
    major, minor, patch = release
    if patch:
        return major, minor, patch - 1
    return (major, minor - 1, 9) if minor else (major - 1, 9, 9)


@cache
def reference_coverage(protocol: str) -> Coverage:
    """The coverage of the embedded reference over every profile and both roles."""
    coverage = Coverage()
    for profile in _profiles(protocol):
        for case, judgement in judged_by_reference(protocol, profile, all_cases(protocol, profile)):
            coverage.add(case, judgement.evaluated)
    return coverage
