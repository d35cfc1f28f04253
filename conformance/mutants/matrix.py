"""The kill matrix: the suite judged by broken implementations.

Every mutant is put the cases in which its requirement's assertion runs. It is *killed* when that requirement finds
fault, *survives* when nothing does, and dies *for another reason* when only others do, or when findings turn up that it
did not declare. A mutant that never answers otherwise than the reference is an error of ours; of every other one the
first case on which it does is kept as its witness.
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
from conformance.oracle.findings import Finding
from conformance.oracle.umpires import judge_of
from reference_impl.profiles import PROFILES, Profile, profile_of_release

__all__ = ["Baseline", "Death", "Outcome", "judge_mutant", "profile_of", "run_matrix"]


class Outcome(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    ANOTHER_REASON = "killed for another reason"
    EQUIVALENT = "never differs from the reference"
    NO_CASE = "no case evaluates its requirement"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Death:
    """A mutant's fate.

    `killed_by` is the first case that killed it, `fingerprint` and `path` tell the finding that did; `kills` of the
    `cases` put to it killed it. `witness` is the first case on which it differs from the reference. Beyond its own
    requirement it broke `also`, which it had declared, and `undeclared`. `replay` is the replay id of the case that
    tells most: one with undeclared findings before one that killed it, and that before the witness.
    """

    mutant: Mutant
    outcome: Outcome
    killed_by: str = ""
    kills: int = 0
    cases: int = 0
    undeclared: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    witness: str = ""
    fingerprint: str = ""
    path: str = ""
    replay: str = ""


class Baseline:
    """The reference put through the cases of a protocol and role: who evaluates which requirement, and the answers.

    Raises `SuiteError` where the reference itself is found at fault: a matrix on such ground would prove nothing.
    """

    def __init__(self, protocol: str, role: Role, profile: Profile, cases: Iterable[Case]) -> None:
        self.judge = judge_of(protocol, load_register(protocol), profile, remembers=True)
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
    step = (len(cases) - 1) / max(1, limit - 1)
    sample = dict.fromkeys(round(i * step) for i in range(limit))
    return [cases[i] for i in (*sample, *(i for i in range(len(cases)) if i not in sample))]


def judge_mutant(mutant: Mutant, baseline: Baseline, limit: int = 40) -> Death:
    """Put a sample of `limit` cases to a mutant, then the others until one kills it, and say how it died."""
    cases = baseline.by_requirement.get(mutant.requirement, ())
    if not cases:
        return Death(mutant, Outcome.NO_CASE)
    broken = Embedded(baseline.profile, mutant.wrap, mutant.registry)
    declared = {mutant.requirement} | mutant.may_also | _tolerated(mutant.protocol)
    witness: Case | None = None
    killer: tuple[Case, Finding] | None = None
    surprise: Case | None = None
    kills = put = 0
    broken_rules: set[str] = set()
    for case in _sample_first(cases, limit):
        if killer and put >= limit:
            break
        put += 1
        given = broken.ask(case)
        if given == baseline.answers[case.id]:
            continue  # the reference is found without fault
        witness = witness or case
        found = baseline.judge.judge(case, given).findings
        if own := next((f for f in found if f.requirement == mutant.requirement), None):
            killer = killer or (case, own)
            kills += 1
        rules = {f.requirement for f in found}
        if rules - declared:
            surprise = surprise or case
        broken_rules |= rules
    if killer and not surprise:
        outcome = Outcome.KILLED
    elif killer or surprise:
        outcome = Outcome.ANOTHER_REASON
    else:
        outcome = Outcome.SURVIVED if witness else Outcome.EQUIVALENT
    telling = surprise or (killer[0] if killer else witness)
    return Death(
        mutant,
        outcome,
        killed_by=killer[0].id if killer else "",
        kills=kills,
        cases=put,
        undeclared=tuple(sorted(broken_rules - declared)),
        also=tuple(sorted(broken_rules & mutant.may_also)),
        witness=witness.id if witness else "",
        fingerprint=killer[1].fingerprint if killer else "",
        path=killer[1].path if killer else "",
        replay=telling.replay_id if telling else "",
    )


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
