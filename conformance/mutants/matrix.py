"""The kill matrix: the suite judged by broken implementations.

Every mutant is put the cases in which its requirement's assertion runs. It is *killed* when that requirement finds
fault, *survives* when nothing does, and dies *for another reason* when only others do, or when findings turn up that it
did not declare. A mutant that never answers otherwise than the reference is an error of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from conformance.cases.model import Case, Role
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.errors import SuiteError
from conformance.mutants.model import Mutant
from conformance.oracle import ORACLES
from conformance.oracle.judge import Judge
from reference_impl.profiles import PROFILES, Profile, profile_of_release

__all__ = ["Baseline", "Death", "Outcome", "judge_mutant", "profile_of", "run_matrix"]


class Outcome(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    ANOTHER_REASON = "killed for another reason"
    EQUIVALENT = "never differs from the reference"
    NO_CASE = "no case evaluates its requirement"


@dataclass(frozen=True, slots=True)
class Death:
    """A mutant's fate: the first case that killed it, how many did, and findings that it had not declared."""

    mutant: Mutant
    outcome: Outcome
    killed_by: str = ""
    kills: int = 0
    cases: int = 0
    undeclared: tuple[str, ...] = ()


class Baseline:
    """The reference put through the cases of a protocol and role: who evaluates which requirement, and the answers.

    Raises `SuiteError` where the reference itself is found at fault: a matrix on such ground would prove nothing.
    """

    def __init__(self, protocol: str, role: Role, profile: Profile, cases: Iterable[Case]) -> None:
        self.judge = Judge(ORACLES[protocol], load_register(protocol), profile, remembers=True)
        self.profile = profile
        self.answers: dict[str, Mapping[str, Any]] = {}
        self.by_requirement: dict[str, list[Case]] = {}
        reference = Embedded(profile)
        for case in cases:
            if case.role != role or (case.profiles and profile.name not in case.profiles):
                continue
            answer = reference.ask(case)
            judgement = self.judge.judge(case, answer)
            if blamed := [f for f in judgement.findings if f.requirement not in _tolerated(protocol)]:
                raise SuiteError(f"case {case.id}: the reference breaks {blamed[0].requirement} at {blamed[0].path}")
            self.answers[case.id] = answer
            for requirement in judgement.evaluated:
                self.by_requirement.setdefault(requirement, []).append(case)


def _tolerated(protocol: str) -> frozenset[str]:
    """Requirements that the reference may differ in from a recording: those of level may."""
    return frozenset(r.id for r in load_register(protocol).requirements.values() if r.level == "may")


def profile_of(mutant: Mutant) -> Profile:
    """The profile, and the release, that a mutant is judged under."""
    return profile_of_release(mutant.release) if mutant.release else PROFILES[mutant.profile]


def _sample_first(cases: Sequence[Case], limit: int) -> list[Case]:
    """The cases, with `limit` of them first that are spread evenly: the first and the last are among them."""
    if len(cases) <= limit:
        return list(cases)
    step = (len(cases) - 1) / (limit - 1)
    sample = dict.fromkeys(round(i * step) for i in range(limit))
    return [cases[i] for i in (*sample, *(i for i in range(len(cases)) if i not in sample))]


def judge_mutant(mutant: Mutant, baseline: Baseline, limit: int = 40) -> Death:
    """Put a sample of `limit` cases to a mutant, then the others until one kills it, and say how it died."""
    cases = baseline.by_requirement.get(mutant.requirement, ())
    if not cases:
        return Death(mutant, Outcome.NO_CASE)
    broken = Embedded(baseline.profile, mutant.wrap, mutant.registry)
    declared = {mutant.requirement} | mutant.may_also | _tolerated(mutant.protocol)
    killers: list[str] = []
    undeclared: set[str] = set()
    differs = False
    put = 0
    for case in _sample_first(cases, limit):
        if killers and put >= limit:
            break
        put += 1
        given = broken.ask(case)
        if given == baseline.answers[case.id]:
            continue  # the reference is found without fault
        differs = True
        found = {f.requirement for f in baseline.judge.judge(case, given).findings}
        if mutant.requirement in found:
            killers.append(case.id)
        undeclared |= found - declared
    if killers and not undeclared:
        outcome = Outcome.KILLED
    elif killers or undeclared:
        outcome = Outcome.ANOTHER_REASON
    else:
        outcome = Outcome.SURVIVED if differs else Outcome.EQUIVALENT
    return Death(mutant, outcome, killers[0] if killers else "", len(killers), put, tuple(sorted(undeclared)))


def run_matrix(
    mutants: Sequence[Mutant], cases_of: Callable[[str, Profile], Sequence[Case]], limit: int = 40
) -> Iterator[Death]:
    """The fate of every mutant; `cases_of` gives the cases of a protocol under a profile."""
    baselines: dict[tuple[str, Role, Profile], Baseline] = {}
    for mutant in mutants:
        profile = profile_of(mutant)
        key = mutant.protocol, mutant.role, profile
        if key not in baselines:
            baselines[key] = Baseline(mutant.protocol, mutant.role, profile, cases_of(mutant.protocol, profile))
        yield judge_mutant(mutant, baselines[key], limit)
