"""Decides the weight of a finding and the verdict on a case; nothing else does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from conformance.catalogue.harm import Harm
from conformance.catalogue.register import Level, Requirement
from conformance.oracle.findings import Finding, Judgement
from conformance.oracle.tree import Kind

__all__ = ["Grade", "Weight", "grade", "heaviest_first", "is_as_heavy", "lightest", "weight_of"]

Grade = Literal["pass", "warn", "fail"]


class Weight(NamedTuple):
    """The level at which a finding counts, and its harm."""

    level: Level
    harm: Harm

    def grade(self, *, data: bool) -> Grade:
        """The verdict on a case with this finding; with `data` a broken SHOULD fails it if data is lost or changed."""
        if self.level is Level.MAY:
            return "pass"
        return "fail" if self.level is Level.MUST or (data and self.harm.is_data) else "warn"


def weight_of(finding: Finding, requirement: Requirement) -> Weight:
    """The level of the requirement, at most SHOULD for an advisory finding, and the harm; the register may set it."""
    harm = requirement.harm or finding.harm
    advisory = finding.advisory and requirement.level is Level.MUST
    return Weight(Level.SHOULD if advisory else requirement.level, harm)


_GRADES: Sequence[Grade] = ("fail", "warn", "pass")
_LEVELS = tuple(Level)


def grade(weights: Iterable[Weight], *, data: bool = True) -> Grade:
    """The verdict on a case with such findings: that of the worst."""
    grades = {weight.grade(data=data) for weight in weights}
    return next((worst for worst in _GRADES if worst in grades), "pass")


def heaviest_first(weight: Weight) -> tuple[int, int]:
    """A key to sort weights by: those that fail a case first, then the stronger level."""
    return _GRADES.index(weight.grade(data=True)), _LEVELS.index(weight.level)


def is_as_heavy(weight: Weight, other: Weight) -> bool:
    """Whether a finding of `weight` is at least as bad for a case as one of `other`, also in its harm to data."""
    return heaviest_first(weight) <= heaviest_first(other) and (weight.harm.is_data or not other.harm.is_data)


_NO_FINDING = (len(_GRADES), 0)


def lightest(judgements: Iterable[Judgement], requirements: Mapping[str, Requirement]) -> Judgement:
    """The judgement whose heaviest finding weighs least.

    Among equals, one in which no event is lost or additional; then the one whose heaviest finding has the lowest level;
    then the one with the fewest findings; then the first.
    """

    def weight(judgement: Judgement) -> tuple[int, bool, int, int]:
        weights = (heaviest_first(weight_of(f, requirements[f.requirement])) for f in judgement.findings)
        worst_grade, worst_level = min(weights, default=_NO_FINDING)
        is_miscounted = any(finding.kind is Kind.COUNT for finding in judgement.findings)
        return -worst_grade, is_miscounted, -worst_level, len(judgement.findings)

    return min(judgements, key=weight)
