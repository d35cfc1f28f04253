"""A case: what is put to an implementation, and what it must answer.

A case is data. Its expectation comes from a document, from a recorded producer, or is left to the oracle, which asks
the reference implementation; never from the implementation under test.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Literal, TypeAlias

from reference_impl.errors import RejectionClass
from reference_impl.model import Claim, Event, Record, Table
from reference_impl.registry import RegisteredSchema
from reference_impl.settings import Settings

__all__ = [
    "Anchor",
    "Case",
    "CaseHead",
    "Expectation",
    "ExpectedAnswer",
    "ExpectedEvents",
    "ExpectedOneOf",
    "ExpectedRecords",
    "ExpectedRejection",
    "IndexedCase",
    "Place",
    "Role",
    "ids_of",
    "opaque_id_of",
    "replay_id_of",
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
    """The input must be refused. Any other class than those in `classes` is a warning, acceptance a broken rule.

    `twin` is the case without the fault, where there is one: what a decoder loses by taking the input shows there.
    """

    classes: frozenset[RejectionClass]
    twin: Case | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ExpectedAnswer:
    """The input must be answered: events, or a rejection of a class that there is."""


@dataclass(frozen=True, slots=True)
class ExpectedOneOf:
    """Each of several answers is right.

    These are the events without those at one of the sets of positions in `without`, of which one is empty, or a
    rejection of a class in `classes`.
    """

    without: tuple[frozenset[int], ...] = (frozenset(),)
    classes: frozenset[RejectionClass] = frozenset()


Expectation: TypeAlias = ExpectedRecords | ExpectedEvents | ExpectedRejection | ExpectedAnswer | ExpectedOneOf

_DEFAULTS = Settings()


def opaque_id_of(role: str, case_id: str) -> str:
    """What an implementation sees of the id of a case."""
    return hashlib.sha256(f"{role} {case_id}".encode()).hexdigest()[:12]


def replay_id_of(role: str, case_id: str) -> str:
    """What a person types to see the case again."""
    return f"{opaque_id_of(role, case_id)[:8]}-{role}"


@dataclass(frozen=True, slots=True)
class CaseHead:
    """What a case is known by before it is made.

    `id` is stable and readable, `PROTOCOL/GROUP/…`; the implementation only ever sees `opaque_id`. `requirements` are
    the ids that the case was written for: an assertion that carries them must run, or the case is a suite error.
    `profiles` restricts the case; empty means every profile. `registry_fault` is how the registry misbehaves meanwhile,
    by the names of `conformance.registry`. `saved_in` is the file that the case was read from.
    """

    id: str
    protocol: str
    role: Role
    options: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    settings: Settings = field(default=_DEFAULTS, kw_only=True)
    registry_fault: str = field(default="", kw_only=True)
    anchor: Anchor = field(default=Anchor.REFERENCE, kw_only=True)
    requirements: tuple[str, ...] = field(default=(), kw_only=True)
    profiles: frozenset[str] = field(default=frozenset(), kw_only=True)
    source: str = field(default="", kw_only=True)
    saved_in: str = field(default="", kw_only=True)
    axes: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def anchor_of(self, requirement: str) -> Anchor:
        """The oracle behind an assertion of the case. An example of a document stands for what it was listed for alone:

        what it leaves out was filled in by us.
        """
        stands = self.anchor is not Anchor.DOCUMENT or requirement in self.requirements
        return self.anchor if stands else Anchor.REFERENCE

    @property
    def opaque_id(self) -> str:
        """What the implementation sees: it tells nothing about the expected answer."""
        return opaque_id_of(self.role, self.id)

    @property
    def replay_id(self) -> str:
        """What a person types to see the case again."""
        return self.saved_in or replay_id_of(self.role, self.id)


@dataclass(frozen=True, slots=True)
class Case(CaseHead):
    """One question to an implementation.

    `events` is the truth that goes in (encode) or that `records` were made from (decode; empty where only `expected` is
    known). With `expected` None the oracle derives the expectation from `events`. `schemas` are in the registry before
    the question is put. `style` is the profile in whose style the records are that a decoder gets; empty where nobody
    knows.
    """

    tables: tuple[Table, ...] = ()
    events: tuple[Event, ...] = ()
    records: tuple[Record, ...] = ()
    claims: tuple[Claim, ...] = ()
    schemas: tuple[RegisteredSchema, ...] = ()
    style: str = ""
    sql: tuple[str, ...] = ()
    expected: Expectation | None = None
    send_tables: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """Where a case is made: its part and, in a corpus, the number of its input; 0 in a list of cases."""

    part: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class IndexedCase(CaseHead):
    """A case of the index: what `make_plan` asks of a case, and where the case itself is made.

    `needed` are lines of a member of the declaration and a name, `unseen` the members that only its records could
    answer, both as of `conformance.cases.needs`. `evaluated` are the ids of the requirements that an answer evaluates
    which equals the expectation; None where they are not known. They are texts, as most of them are never looked at.
    Without `settles` they are those of the newest release, good enough to select by and not to judge by.
    """

    place: Place = Place("")
    needed: str = ""
    unseen: tuple[str, ...] = ()
    evaluated: str | None = None
    settles: bool = True

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        """(member of the declaration, name) for everything that the case asks for."""
        return _needs_of(self.needed)

    @property
    def perfect(self) -> frozenset[str] | None:
        """The requirements that an answer evaluates which equals the expectation; None where they are not known."""
        return ids_of(self.evaluated) if self.evaluated is not None and self.settles else None

    @property
    def found_by(self) -> frozenset[str]:
        """The requirements whose ids select the case, beside those that it was written for, as far as is known."""
        return frozenset() if self.evaluated is None else ids_of(self.evaluated)


@cache
def _needs_of(text: str) -> tuple[tuple[str, str], ...]:
    """Of few texts, which many cases share."""
    return tuple((member, name) for member, _, name in (line.partition(" ") for line in text.splitlines()))


@cache
def ids_of(text: str) -> frozenset[str]:
    """The ids in a text of them."""
    return frozenset(text.split())
