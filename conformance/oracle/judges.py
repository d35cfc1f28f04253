"""The judge of a protocol: TiCDC's protocols have a table of rules each, what they imitate has one of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from typing import Protocol as Interface

from conformance.cases.model import Case
from conformance.catalogue.register import Register
from conformance.oracle import ORACLES
from conformance.oracle.findings import Judgement
from conformance.oracle.judge import Judge
from conformance.oracle.upstream.case_judge import UpstreamJudge
from reference_impl.profiles import Profile
from reference_impl.protocols import UPSTREAM

__all__ = ["CaseJudge", "judge_of"]


class CaseJudge(Interface):
    """Who judges the answers to cases."""

    def perfect(self, case: Case) -> frozenset[str] | None:
        """The requirements that the perfect answer to a case evaluates; None where it has findings itself."""
        ...

    def judge(self, case: Case, answer: Mapping[str, Any], *, perfect: frozenset[str] | None = None) -> Judgement:
        """Judge `{"ok": …}`, `{"rejected": …}` or `{"error": …}`; at once where it is the perfect one, whose
        requirements are `perfect`. Raises `SuiteError`."""
        ...


def judge_of(protocol: str, register: Register, profile: Profile, *, remembers: bool = False) -> CaseJudge:
    """The judge of a protocol or of an upstream dialect. With `remembers` a case's expectation is made once."""
    if protocol in UPSTREAM:
        return UpstreamJudge(protocol, remembers=remembers)
    return Judge(ORACLES[protocol], register, profile, remembers=remembers)
