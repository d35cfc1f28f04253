"""The kill matrix: the suite judged by broken implementations.

Every mutant gets the cases in which its requirement's assertion runs. It is *killed* when that requirement has a
finding, *survives* when nothing has, and dies *for another reason* when only other requirements have. A mutant that
always answers like the reference is an error of the suite; for any other the first case with a different answer is kept
as its witness.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

from conformance.cases.index import case_of
from conformance.cases.model import Case, CaseHead, IndexedCase, Role
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.members import reading
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.errors import SuiteError
from conformance.mutants.model import Mutant
from conformance.oracle.findings import Finding
from conformance.oracle.judges import judge_of
from conformance.oracle.showing import headlines
from reference_impl.profiles import PROFILES, Profile, profile_of_release

__all__ = [
    "KILLING_CASES",
    "MutantResult",
    "Outcome",
    "ReferenceAnswers",
    "judge_mutant",
    "load_killing_cases",
    "profile_of",
    "run_matrix",
]

KILLING_CASES = "killing_cases.json"
"""The file below `fixtures` with the case that killed each mutant last time."""


class Outcome(StrEnum):
    """The result of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    ANOTHER_REASON = "killed for another reason"
    EQUIVALENT = "never differs from the reference"
    NO_CASE = "no case evaluates its requirement"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class MutantResult:
    """The result of a mutant and its evidence."""

    mutant: Mutant
    outcome: Outcome
    killed_by: str = ""
    """The first case that killed it."""
    kills: int = 0
    """The number of cases that killed it."""
    is_shown_first: bool = False
    """Whether reports show the finding of its requirement first in some case."""
    cases: int = 0
    """The number of cases that it ran."""
    also: tuple[str, ...] = ()
    """The other requirements whose findings reports show first in some case."""
    witness: str = ""
    """The first case on which it differs from the reference."""
    fingerprint: str = ""
    """The fingerprint of the killing finding."""
    path: str = ""
    """The path of the killing finding."""
    replay: str = ""
    """The replay id of the killing case, or else of the witness."""


class _ReferenceAnswer(NamedTuple):
    case: Case
    answer: Mapping[str, Any]
    evaluated: frozenset[str]
    """The requirements that the answer evaluates."""


class ReferenceAnswers:
    """The reference's answers to the cases of a protocol and role, and the requirements that they evaluate.

    The index says which requirements a right answer evaluates, so that the reference answers only the cases that a
    mutant runs, and at once those that the index lacks. Raises `SuiteError` if the reference breaks a requirement: the
    matrix would prove nothing.
    """

    def __init__(self, protocol: str, role: Role, profile: Profile, cases: Iterable[CaseHead]) -> None:
        self.judge = judge_of(protocol, load_register(protocol), profile, remembers=True)
        self.profile = profile
        self._reference = Embedded(profile)
        self._answers: dict[str, _ReferenceAnswer] = {}  # by case id
        self._by_requirement: dict[str, list[CaseHead]] = {}
        # Cases of an older release: the requirements in the index are those of the newest.
        self._unsure: list[CaseHead] = []
        for case in cases:
            if case.role != role or (case.profiles and profile.name not in case.profiles):
                continue
            if isinstance(case, IndexedCase) and case.evaluated is not None and not case.is_exact:
                self._unsure.append(case)
            else:
                evaluated = case.perfect if isinstance(case, IndexedCase) else None
                self._note(case, self.answer_to(case).evaluated if evaluated is None else evaluated)

    def _note(self, case: CaseHead, evaluated: frozenset[str]) -> None:
        for requirement in evaluated:
            self._by_requirement.setdefault(requirement, []).append(case)

    def cases_evaluating(self, requirement: str) -> Sequence[CaseHead]:
        """The cases in which an assertion of the requirement runs, in order."""
        asked = [case for case in self._unsure if requirement in (*case.requirements, *_hint(case))] or self._unsure
        for case in asked:
            self._note(case, self.answer_to(case).evaluated)
        ids = {case.id for case in asked}
        self._unsure = [case for case in self._unsure if case.id not in ids]
        return self._by_requirement.get(requirement, ())

    def answer_to(self, case: CaseHead) -> _ReferenceAnswer:
        """The reference's answer to a case. Raises `SuiteError` if it breaks a requirement."""
        if (known := self._answers.get(case.id)) is None:
            whole = case_of(case, self.profile)
            answer = self._reference.ask(whole)
            judgement = self.judge.judge(whole, answer)
            if blamed := [f for f in judgement.findings if f.requirement not in _tolerated(case.protocol)]:
                raise SuiteError(f"case {case.id}: the reference breaks {blamed[0].requirement} at {blamed[0].path}")
            known = self._answers[case.id] = _ReferenceAnswer(whole, answer, frozenset(judgement.evaluated))
        return known


def _hint(case: CaseHead) -> frozenset[str]:
    """The requirements that the newest release evaluates in a case."""
    return case.found_by if isinstance(case, IndexedCase) else frozenset()


def _tolerated(protocol: str) -> frozenset[str]:
    """Requirements that the reference may break against a recording: those of level `may`."""
    return frozenset(r.id for r in load_register(protocol).requirements.values() if r.level == "may")


def profile_of(mutant: Mutant) -> Profile:
    """The profile under which a mutant is judged, narrowed to its release if it names one."""
    return profile_of_release(mutant.release) if mutant.release else PROFILES[mutant.profile]


@cache
def load_killing_cases() -> Mapping[str, str]:
    """Mutant → the case that is tried first; `tools/reference_pages.py` writes them. A mutant may have none."""
    path = fixtures_root() / KILLING_CASES
    with reading(path, "mutants and the cases that kill them"):
        return dict(json.loads(path.read_text(encoding="utf-8")))


def _in_order(cases: Sequence[CaseHead], limit: int, killing: str) -> list[CaseHead]:
    """All cases: the killing one, a sample of `limit` that is spread from the first to the last, the rest in order."""
    step = max(1.0, (len(cases) - 1) / max(1, limit - 1))
    sample = (cases[round(i * step)] for i in range(min(limit, len(cases))))
    first = (case for case in cases if case.id == killing)
    return list({case.id: case for case in (*first, *sample, *cases)}.values())


class _Trial:
    """A mutant that gets one case after another, and the findings so far."""

    def __init__(self, mutant: Mutant, reference: ReferenceAnswers) -> None:
        self.mutant = mutant
        self.killer: tuple[Case, Finding] | None = None
        self._cases = 0
        self._reference_answers = reference
        self._mutant = Embedded(reference.profile, mutant.wrap, mutant.registry)
        self._witness: Case | None = None
        self._also: set[str] = set()
        self._is_found = False
        self._is_shown_first = False
        self._kills = 0

    def run(self, head: CaseHead) -> None:
        """Run a case with the mutant, and judge its answer if it differs from the reference's."""
        self._cases += 1
        reference = self._reference_answers.answer_to(head)
        case, answer = reference.case, self._mutant.ask(reference.case)
        if answer == reference.answer:
            return  # the reference has no findings
        self._witness = self._witness or case
        findings = self._reference_answers.judge.judge(case, answer).findings
        first = {f.requirement for f in headlines(findings)}
        if own := next((f for f in findings if f.requirement == self.mutant.requirement), None):
            self._is_shown_first |= own.requirement in first
            self.killer = self.killer or (case, own)
            self._kills += 1
        self._also |= first - {self.mutant.requirement}
        self._is_found |= any(f.requirement not in _tolerated(self.mutant.protocol) for f in findings)

    def result(self) -> MutantResult:
        """The result so far."""
        killer, witness = self.killer, self._witness
        if killer:
            outcome = Outcome.KILLED
        elif self._is_found:
            outcome = Outcome.ANOTHER_REASON
        else:
            outcome = Outcome.SURVIVED if witness else Outcome.EQUIVALENT
        evidence = killer[0] if killer else witness
        return MutantResult(
            self.mutant,
            outcome,
            killed_by=killer[0].id if killer else "",
            kills=self._kills,
            is_shown_first=self._is_shown_first,
            cases=self._cases,
            also=tuple(sorted(self._also)),
            witness=witness.id if witness else "",
            fingerprint=killer[1].fingerprint if killer else "",
            path=killer[1].path if killer else "",
            replay=evidence.replay_id if evidence else "",
        )


def judge_mutant(mutant: Mutant, reference: ReferenceAnswers, limit: int = 40) -> MutantResult:
    """Run `limit` cases with a mutant, first the one that killed it last time; if none kills it, run others too."""
    cases = reference.cases_evaluating(mutant.requirement)
    if not cases:
        return MutantResult(mutant, Outcome.NO_CASE)
    trial = _Trial(mutant, reference)
    for number, case in enumerate(_in_order(cases, limit, load_killing_cases().get(mutant.name, ""))):
        if trial.killer and number >= limit:
            break
        trial.run(case)
    return trial.result()


def run_matrix(
    mutants: Sequence[Mutant], cases_of: Callable[[str, Profile], Sequence[CaseHead]], limit: int = 40
) -> Iterator[MutantResult]:
    """The result of every mutant; `cases_of` gives the cases of a protocol under a profile."""
    references: dict[tuple[str, Role, Profile], ReferenceAnswers] = {}
    for mutant in mutants:
        profile = profile_of(mutant)
        key = mutant.protocol, mutant.role, profile
        if key not in references:
            references[key] = ReferenceAnswers(
                mutant.protocol, mutant.role, profile, cases_of(mutant.protocol, profile)
            )
        yield judge_mutant(mutant, references[key], limit)
