"""A session with an implementation for a search; every case is judged as in a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.cases.model import Case
from conformance.catalogue.register import Register
from conformance.engine.case_session import CaseSession
from conformance.engine.implementation import AnswerJudge, Target
from conformance.engine.outcomes import Outcome
from conformance.engine.plan import item_of
from conformance.registry import CaseRegistry
from conformance.search.scope import Scope, scope_of

__all__ = ["SearchSession"]


class SearchSession:
    """A session with an implementation, which is started at once. Raises `HarnessLost` if it does not start."""

    def __init__(
        self,
        target: Target,
        registers: Mapping[str, Register],
        judges: Mapping[str, AnswerJudge],
        registry: Callable[[], CaseRegistry],
    ) -> None:
        self._profile = target.profile
        self._registers = registers
        self._session = CaseSession(target, judges, registers, registry)
        self._hello = self._session.start()

    def declares(self, protocol: str, role: str) -> bool:
        """Whether the implementation declares a protocol in a role; a missing list of roles means both."""
        declared: Mapping[str, Any] = self._hello.get("protocols", {})
        return protocol in declared and role in declared[protocol].get("roles", (role,))

    def scope(self, protocol: str) -> Scope:
        """The scope that the implementation declares for a protocol."""
        declared: Mapping[str, Any] = self._hello.get("protocols", {})
        return scope_of(declared[protocol])

    def execute(self, case: Case) -> Outcome | None:
        """Run a case; None if it needs something undeclared. Raises `HarnessLost`."""
        item = item_of(case, self._registers[case.protocol], self._profile, self._hello)
        return None if item.preset is not None else self._session.execute(item)

    def close(self) -> None:
        """End the session."""
        self._session.close()
