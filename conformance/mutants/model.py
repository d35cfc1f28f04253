"""A mutant: an implementation with one deliberate defect, to prove that a check can fail.

A mutant wraps an *answerer*, a function from a request of the harness protocol to its answer; it can also wrap the
schema registry of the implementation. It names the requirement whose assertion must kill it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from conformance.cases.model import Role
from conformance.cases.requests import Answerer
from reference_impl.registry import Registry

__all__ = ["Answerer", "Mutant", "Wrap"]

Wrap: TypeAlias = Callable[[Answerer], Answerer]
"""Makes a broken answerer from a right one."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """An implementation with one deliberate defect."""

    # `PROTOCOL/what-is-wrong`.
    name: str
    # The requirement that must kill it.
    requirement: str
    role: Role
    # The wrong behaviour, as reports show it.
    description: str
    # Wraps the reference.
    wrap: Wrap
    # The profile under which it is judged.
    profile: str = "newarch"
    # The TiCDC release that the reference imitates, for requirements that no longer hold; None: the newest.
    release: str | None = None
    # Wraps the registry that the implementation uses.
    registry: Callable[[Registry], Registry] = lambda registry: registry

    @property
    def protocol(self) -> str:
        """The protocol of the mutated implementation."""
        return self.name.partition("/")[0]
