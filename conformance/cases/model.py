"""A case: what is put to an implementation, and what it must answer.

A case is data. Its expectation comes from a document, from a recorded producer, or is left to the oracle, which asks
the reference implementation; never from the implementation under test.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypeAlias

from reference_impl.errors import RejectionClass
from reference_impl.model import Claim, Event, Record, Table
from reference_impl.registry import RegisteredSchema
from reference_impl.settings import Settings

__all__ = [
    "Anchor",
    "Case",
    "Expectation",
    "ExpectedAnswer",
    "ExpectedEvents",
    "ExpectedRecords",
    "ExpectedRejection",
    "Role",
]

Role: TypeAlias = Literal["encode", "decode"]


class Anchor(StrEnum):
    """Which oracle an expectation comes from, the strongest first."""

    DOCUMENT = "document"
    RECORDED = "recorded"
    SECOND_READER = "second reader"
    REFERENCE = "reference only"


@dataclass(frozen=True, slots=True)
class ExpectedRecords:
    """The records an encoder must answer, up to what the protocol leaves free, and what it must put elsewhere.

    `schemas` are the registrations it must ask for, in order.
    """

    records: tuple[Record, ...]
    claims: tuple[Claim, ...] = ()
    schemas: tuple[RegisteredSchema, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpectedEvents:
    """The events a decoder must answer, as JSON of the harness protocol.

    A value that is a `frozenset` means: any of these.
    """

    events: tuple[Mapping[str, object], ...]


@dataclass(frozen=True, slots=True)
class ExpectedRejection:
    """The input must be refused. Any other class than those in `classes` is a warning, acceptance a broken rule."""

    classes: frozenset[RejectionClass]


@dataclass(frozen=True, slots=True)
class ExpectedAnswer:
    """The input must be answered: events, or a rejection of a class that there is."""


Expectation: TypeAlias = ExpectedRecords | ExpectedEvents | ExpectedRejection | ExpectedAnswer

_DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class Case:
    """One question to an implementation.

    `id` is stable and readable, `PROTOCOL/GROUP/…`; the implementation only ever sees `opaque_id`. `events` is the
    truth that goes in (encode) or that `records` were made from (decode; empty where only `expected` is known). With
    `expected` None the oracle derives the expectation from `events`. `requirements` are the ids that the case was
    written for: an assertion that carries them must run, or the case is a suite error. `profiles` restricts the case;
    empty means every profile. `schemas` are in the registry before the question is put; `registry_fault` is how the
    registry misbehaves meanwhile, by the names of `conformance.registry`. `style` is the profile in whose style the
    records are that a decoder gets; empty where nobody knows. `saved_in` is the file that the case was read from.
    """

    id: str
    protocol: str
    role: Role
    tables: tuple[Table, ...] = ()
    events: tuple[Event, ...] = ()
    records: tuple[Record, ...] = ()
    claims: tuple[Claim, ...] = ()
    schemas: tuple[RegisteredSchema, ...] = ()
    registry_fault: str = ""
    style: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    settings: Settings = _DEFAULTS
    sql: tuple[str, ...] = ()
    expected: Expectation | None = None
    anchor: Anchor = Anchor.REFERENCE
    requirements: tuple[str, ...] = ()
    profiles: frozenset[str] = frozenset()
    send_tables: bool = True
    source: str = ""
    saved_in: str = ""
    axes: Mapping[str, str] = field(default_factory=dict)

    def anchor_of(self, requirement: str) -> Anchor:
        """The oracle behind an assertion of the case. An example of a document stands for what it was listed for alone:

        what it leaves out was filled in by us.
        """
        stands = self.anchor is not Anchor.DOCUMENT or requirement in self.requirements
        return self.anchor if stands else Anchor.REFERENCE

    @property
    def opaque_id(self) -> str:
        """What the implementation sees: it tells nothing about the expected answer."""
        return hashlib.sha256(f"{self.role} {self.id}".encode()).hexdigest()[:12]

    @property
    def replay_id(self) -> str:
        """What a person types to see the case again."""
        return self.saved_in or f"{self.opaque_id[:8]}-{self.role}"
