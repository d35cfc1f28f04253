"""A mutant: an implementation with one deliberate fault, to prove that a check can fail.

A mutant wraps an *answerer*, a function from a request of the harness protocol to its answer. Each names the
requirement whose assertion must kill it. Its requests to a schema registry can be changed, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.cases.model import Role
from conformance.cases.requests import Answerer
from reference_impl.registry import Registry

__all__ = ["Answerer", "Mutant"]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A deliberate fault. `name` is `PROTOCOL/what-is-wrong`.

    `release` makes the reference behave as of a TiCDC release, for requirements that no longer hold; `profile` is the
    style it is judged under. `registry` wraps the registry that the implementation uses.
    """

    name: str
    requirement: str
    role: Role
    description: str
    wrap: Callable[[Answerer], Answerer]
    profile: str = "newarch"
    release: str | None = None
    registry: Callable[[Registry], Registry] = lambda registry: registry

    @property
    def protocol(self) -> str:
        """The protocol it is a mutant of."""
        return self.name.partition("/")[0]
