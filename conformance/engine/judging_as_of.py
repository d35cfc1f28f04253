"""Judging by an older requirement set: findings of its rules count, findings of later requirements are only shown.

A later rule may claim a difference that an older, wider rule would have found. So a wrong answer is judged twice:
without the later rules for the score, and with them for the findings that are only shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.cases.model import Case, ExpectedRecords
from conformance.catalogue.register import Level, Register
from conformance.oracle import ORACLES
from conformance.oracle.findings import Judgement
from conformance.oracle.judge import Judge
from conformance.oracle.judges import CaseJudge, judge_of
from reference_impl.profiles import Profile
from reference_impl.protocols import UPSTREAM

__all__ = ["judge_as_of"]


def judge_as_of(protocol: str, register: Register, profile: Profile) -> CaseJudge:
    """The judge for a register that may have later requirements (`engine.sets.as_of`).

    Answers in upstream's dialects are judged once: their findings do not depend on the requirements of the register.
    """
    later = frozenset(requirement.id for requirement in register.requirements.values() if requirement.later_than)
    if not later or protocol in UPSTREAM:
        return judge_of(protocol, register, profile)
    scored = {
        name: replace(requirement, testable=False, level=Level.SHOULD) if name in later else requirement
        for name, requirement in register.requirements.items()
    }
    of_all, of_scored = (Judge(ORACLES[protocol], one, profile) for one in (register, Register(protocol, scored)))
    return _JudgeAsOf(of_all, of_scored, later)


class _JudgeAsOf:
    def __init__(self, of_all: Judge, of_scored: Judge, later: frozenset[str]) -> None:
        self._of_all, self._of_scored, self._later = of_all, of_scored, later

    def perfect(self, case: Case) -> frozenset[str] | None:
        return self._of_all.perfect(case)

    def expected_records(self, case: Case) -> ExpectedRecords:
        return self._of_all.expected_records(case)

    def judge(self, case: Case, answer: Mapping[str, Any], *, perfect: frozenset[str] | None = None) -> Judgement:
        shown = self._of_all.judge(case, answer, perfect=perfect)
        if not shown.findings:
            return shown
        scored = self._of_scored.judge(case, answer)
        findings = [f for f in scored.findings if f.requirement not in self._later]
        findings += [f for f in shown.findings if f.requirement in self._later]
        return Judgement(shown.evaluated | scored.evaluated, findings)
