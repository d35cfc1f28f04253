"""Chooses the judge: TiCDC's protocols and the upstream dialects have different ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from typing import Protocol as Interface

from conformance.cases.model import Case
from conformance.catalogue.register import Register
from conformance.oracle import ORACLES
from conformance.oracle.findings import Judgement
from conformance.oracle.judge import Judge
from reference_impl.profiles import Profile
from reference_impl.protocols import UPSTREAM

__all__ = ["CaseJudge", "judge_of"]


class CaseJudge(Interface):
    """Judges the answers to cases."""

    def perfect(self, case: Case) -> frozenset[str] | None:
        """The requirements that the perfect answer to a case evaluates; None if it has findings itself."""
        ...

    def judge(self, case: Case, answer: Mapping[str, Any], *, perfect: frozenset[str] | None = None) -> Judgement:
        """Judge `{"ok": …}`, `{"rejected": …}` or `{"error": …}`. Raises `SuiteError`.

        `perfect` are the requirements of the perfect answer: an equal answer needs no further look.
        """
        ...


def judge_of(protocol: str, register: Register, profile: Profile, *, remembers: bool = False) -> CaseJudge:
    """The judge of a protocol or of an upstream dialect. With `remembers` a case's expectation is made once."""
    if protocol in UPSTREAM:
        from conformance.oracle.upstream.case_judge import UpstreamJudge

        return UpstreamJudge(protocol, remembers=remembers)
    return Judge(ORACLES[protocol], register, profile, remembers=remembers)
