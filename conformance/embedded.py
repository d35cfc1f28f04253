"""The embedded reference: the reference implementation, answering cases in this process.

Each has a schema registry of its own, in memory. Mutants are wrappers around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.cases.model import Case
from conformance.cases.requests import Answerer, case_request, configure_request
from conformance.errors import SuiteError
from conformance.reference_harness import ReferenceHarness
from conformance.registry import LocalRegistry
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.registry import Registry

__all__ = ["Embedded"]


class Embedded:
    """The reference in the style of `profile`.

    `wrap` wraps its answering function, `registry` the client by which it sees its schema registry.
    """

    def __init__(
        self,
        profile: Profile = NEWARCH,
        wrap: Callable[[Answerer], Answerer] | None = None,
        registry: Callable[[Registry], Registry] | None = None,
    ) -> None:
        self._registry = LocalRegistry()
        client = registry(self._registry.client) if registry is not None else self._registry.client
        answer = ReferenceHarness(profile, registry=lambda url: client).answer
        self._answer = wrap(answer) if wrap is not None else answer

    def ask(self, case: Case) -> Mapping[str, Any]:
        """The answer to a case in the judge's form: `{"ok": …}` or `{"rejected": …}`, `{"error": …}` for an exception.

        Raises `SuiteError` for any other answer.
        """
        self._registry.begin(case.schemas, case.registry_fault)
        answer = self._answer({"id": 1, "op": "configure", **configure_request(case)})
        if "ok" in answer:
            self._answer({"id": 2, "op": "reset"})
            answer = self._answer({"id": 3, "op": case.role, **case_request(case)})
        for kind in ("rejected", "error"):
            if kind in answer:
                return {kind: answer[kind]}
        if "ok" not in answer:
            raise SuiteError(f"case {case.id}: {answer}")
        schemas = {"schemas": self._registry.registered()} if case.role == "encode" else {}
        return {"ok": {**answer["ok"], **schemas}}
