"""The embedded reference: answers cases in process, each with a registry of its own that needs no socket.

Mutants are wrappers around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from conformance.cases.model import Case
from conformance.cases.requests import Answerer, case_request, configure_request
from conformance.errors import SuiteError
from conformance.reference_harness import ReferenceHarness
from conformance.registry import LocalRegistry
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.registry import Registry

__all__ = ["Answerer", "Embedded"]

T = TypeVar("T")


def _as_it_is(what: T) -> T:
    return what


class Embedded:
    """The reference in the style of `profile`, inside `wrap`; it sees its registry through `registry`."""

    def __init__(
        self,
        profile: Profile = NEWARCH,
        wrap: Callable[[Answerer], Answerer] = _as_it_is,
        registry: Callable[[Registry], Registry] = _as_it_is,
    ) -> None:
        self._registry = LocalRegistry()
        seen = registry(self._registry.client)
        self._answer = wrap(ReferenceHarness(profile, registry=lambda url: seen).answer)

    def ask(self, case: Case) -> Mapping[str, Any]:
        """The answer to a case in the judge's form: `{"ok": …}` or `{"rejected": …}`, `{"error": …}` for an exception.

        Raises `SuiteError` for any other answer.
        """
        self._registry.begin(case.schemas, case.registry_fault)
        given = self._answer({"id": 1, "op": "configure", **configure_request(case)})
        if "ok" in given:
            self._answer({"id": 2, "op": "reset"})
            given = self._answer({"id": 3, "op": case.role, **case_request(case)})
        for kind in ("rejected", "error"):
            if kind in given:
                return {kind: given[kind]}
        if "ok" not in given:
            raise SuiteError(f"case {case.id}: {given}")
        schemas = {"schemas": self._registry.seen()["schemas"]} if case.role == "encode" else {}
        return {"ok": {**given["ok"], **schemas}}
