"""A mutant: an implementation with one deliberate defect, to prove that a check can fail.

A mutant wraps an *answerer*, a function from a request of the harness protocol to its answer; it can also wrap the
schema registry of the implementation. It names the requirement whose assertion must kill it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

from conformance.cases.model import Role
from conformance.cases.requests import Answerer
from reference_impl.protocols import AVRO, CANAL_JSON, DEBEZIUM, OPEN_PROTOCOL
from reference_impl.registry import Registry

__all__ = ["Answerer", "Mutant", "MutantBuilder", "RegistryFault", "Wrap", "encoders_of"]

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


@runtime_checkable
class RegistryFault(Protocol):
    """A defect in the use of the schema registry: it wraps an implementation and its registry."""

    def wrap(self, inner: Answerer) -> Answerer:
        """The broken implementation."""

    def registry(self, registry: Registry) -> Registry:
        """The registry as the implementation sees it."""


@dataclass(frozen=True, slots=True)
class MutantBuilder:
    """Makes the mutants of one protocol and role, as `encoder("key-lost", "CJ-1", "the key is missing")(wrap)`."""

    protocol: str
    role: Role

    def __call__(
        self, name: str, requirement: str, description: str, *, profile: str = "newarch", release: str | None = None
    ) -> Callable[[Wrap | RegistryFault], Mutant]:
        """A function from the defect to its mutant; the arguments are the fields of `Mutant`."""
        words = f"{self.protocol}/{name}", requirement, self.role, description

        def mutant(defect: Wrap | RegistryFault) -> Mutant:
            if isinstance(defect, RegistryFault):
                return Mutant(*words, defect.wrap, profile, release, defect.registry)
            return Mutant(*words, defect, profile, release)

        return mutant


_PROTOCOLS = {"CJ": CANAL_JSON, "OP": OPEN_PROTOCOL, "DBZ": DEBEZIUM, "AV": AVRO}
"""The protocols by the beginning of the ids of their requirements."""


def encoders_of(requirements: str) -> Iterator[tuple[MutantBuilder, str]]:
    """For each requirement in a text: the builder of encoders of its protocol, and the requirement."""
    for requirement in requirements.split():
        yield MutantBuilder(_PROTOCOLS[requirement.partition("-")[0]].name, "encode"), requirement
