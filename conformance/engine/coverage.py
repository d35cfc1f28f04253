"""The anchor of each requirement: the strongest oracle of the cases in which a right answer evaluates it.

It is computed, never annotated: a requirement is covered when an assertion with its id ran. The index of cases says
which requirements a right answer evaluates. Where it does not (it is out of date, or a requirement ended with an older
release), the reference answers the cases, except those that can give no requirement a stronger anchor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from conformance.cases.golden import golden_cases
from conformance.cases.index import case_of, indexed_cases
from conformance.cases.index_rows import IndexedCases
from conformance.cases.model import Anchor, CaseHead, anchor_of, ids_of
from conformance.catalogue.register import Requirement, load_register
from conformance.embedded import Embedded
from conformance.oracle.judges import judge_of
from reference_impl.profiles import NEWARCH, PROFILES, Profile, Release, profile_of_release
from reference_impl.protocols import UPSTREAM

__all__ = ["Coverage", "reference_coverage"]

_STRENGTH = {anchor: rank for rank, anchor in enumerate(Anchor)}


@dataclass(slots=True)
class Coverage:
    """The requirements that right answers evaluate."""

    anchors: dict[str, Anchor] = field(default_factory=dict)
    """Requirement id → its anchor."""

    def anchor(self, requirement: str) -> Anchor | None:
        """The anchor of a requirement; None if no assertion ran."""
        return self.anchors.get(requirement)

    def is_stronger(self, requirement: str, anchor: Anchor) -> bool:
        """Whether the anchor is the first of the requirement, or stronger than the known one."""
        known = self.anchors.get(requirement)
        return known is None or _STRENGTH[anchor] < _STRENGTH[known]

    def add(self, evaluated: Iterable[str], anchor: Anchor, listed: Sequence[str]) -> None:
        """Count the requirements that a case of that anchor evaluated, which was written for those `listed`."""
        for requirement in evaluated:
            if self.is_stronger(requirement, found := anchor_of(anchor, listed, requirement)):
                self.anchors[requirement] = found


def _ended(protocol: str) -> Mapping[Release, Sequence[Requirement]]:
    """The testable requirements that hold no more, by the last release to which they applied."""
    ended: dict[Release, list[Requirement]] = {}
    for requirement in load_register(protocol).requirements.values():
        if requirement.testable and requirement.until:
            ended.setdefault(_before(requirement.until), []).append(requirement)
    return ended


def _before(release: Release) -> Release:
    """A release just before the given one."""
    major, minor, patch = release
    if patch:
        return major, minor, patch - 1
    return (major, minor - 1, 9) if minor else (major - 1, 9, 9)


def _add_judged(
    coverage: Coverage, protocol: str, profile: Profile, cases: Iterable[CaseHead], wanted: Sequence[Requirement]
) -> None:
    """Judge the reference's answers to the cases that can give one of the `wanted` requirements a stronger anchor."""

    def may_gain(case: CaseHead) -> bool:
        return any(r.role in (case.role, "both") and coverage.is_stronger(r.id, case.anchor_of(r.id)) for r in wanted)

    judge, reference = judge_of(protocol, load_register(protocol), profile), Embedded(profile)
    for head in filter(may_gain, cases):
        case = case_of(head, profile)
        if may_gain(case):  # the recordings of a later release anchor nothing in an older one
            coverage.add(judge.judge(case, reference.ask(case)).evaluated, case.anchor, case.requirements)


def _of_release(protocol: str, profile: Profile) -> Iterator[CaseHead]:
    """The cases of an older release: all but the examples of documents are those of the latest one."""
    yield from golden_cases(protocol, profile)
    yield from (head for head in indexed_cases(protocol, PROFILES[profile.name]) if head.place.part != "golden")


@cache
def reference_coverage(protocol: str) -> Coverage:
    """The coverage of right answers over every profile and both roles."""
    coverage, requirements = Coverage(), load_register(protocol).requirements.values()
    for profile in [NEWARCH] if protocol in UPSTREAM else PROFILES.values():
        heads = indexed_cases(protocol, profile)
        known = {
            (entry.evaluated, entry.anchor, tuple(entry.requirements) if entry.anchor == Anchor.DOCUMENT else ())
            for entry in (heads.entries if isinstance(heads, IndexedCases) else heads)
        }
        for evaluated, anchor, listed in known:
            coverage.add(ids_of(evaluated or ""), Anchor(anchor), listed)
        if any(evaluated is None for evaluated, _, _ in known):
            applying = [r for r in requirements if r.testable and r.applies(profile)]
            _add_judged(coverage, protocol, profile, (head for head in heads if head.perfect is None), applying)
    for release, wanted in _ended(protocol).items():
        profile = profile_of_release("{}.{}.{}".format(*release))
        _add_judged(coverage, protocol, profile, _of_release(protocol, profile), wanted)
    return coverage
