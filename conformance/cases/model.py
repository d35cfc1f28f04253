"""A case: an input for an implementation, with its expectation.

A case is data. Its expectation comes from a document, from a recorded producer, or is left to the oracle, which uses
the reference implementation; never from the implementation under test.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
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
    "anchor_of",
    "ids_of",
    "opaque_id_of",
    "replay_id_of",
]

Role: TypeAlias = Literal["encode", "decode"]


class Anchor(StrEnum):
    """The source of an expectation, the strongest first."""

    DOCUMENT = "document"
    RECORDED = "recorded"
    SECOND_READER = "second reader"
    REFERENCE = "reference only"


@dataclass(frozen=True, slots=True)
class ExpectedRecords:
    """The records that an encoder must answer, apart from free forms, and its files in storage.

    `schemas` are its registrations, in order.
    """

    records: tuple[Record, ...]
    claims: tuple[Claim, ...] = ()
    schemas: tuple[RegisteredSchema, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpectedEvents:
    """The events a decoder must answer, as JSON of the harness protocol.

    A `frozenset` holds alternatives.
    """

    events: tuple[Mapping[str, object], ...]


@dataclass(frozen=True, slots=True)
class ExpectedRejection:
    """The input must be refused. A class outside of `classes` is a warning, acceptance a broken rule.

    `twin` is the case without the fault, if there is one: it shows what a decoder loses that accepts the input.
    """

    classes: frozenset[RejectionClass]
    twin: Case | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ExpectedAnswer:
    """Any answer is right: records or events, or a rejection of a known class."""


@dataclass(frozen=True, slots=True)
class ExpectedOneOf:
    """Each of several answers is right.

    For each set of positions in `without`, the events without those at the positions are right; one set is empty. A
    rejection of a class in `classes` is right, too.
    """

    without: tuple[frozenset[int], ...] = (frozenset(),)
    classes: frozenset[RejectionClass] = frozenset()


Expectation: TypeAlias = ExpectedRecords | ExpectedEvents | ExpectedRejection | ExpectedAnswer | ExpectedOneOf

_DEFAULTS = Settings()


def opaque_id_of(role: str, case_id: str) -> str:
    """The id of a case as an implementation sees it."""
    return hashlib.sha256(f"{role} {case_id}".encode()).hexdigest()[:12]


def replay_id_of(role: str, case_id: str) -> str:
    """The name with which a person runs the case again."""
    return f"{opaque_id_of(role, case_id)[:8]}-{role}"


def anchor_of(anchor: Anchor, listed: Sequence[str], requirement: str) -> Anchor:
    """The oracle for an assertion of a requirement in a case of that anchor, which was written for those `listed`.

    An example of a document supports only the requirements that it lists, the reference all others.
    """
    return anchor if anchor is not Anchor.DOCUMENT or requirement in listed else Anchor.REFERENCE


@dataclass(frozen=True, slots=True)
class CaseHead:
    """The data of a case before it is made."""

    id: str
    """Stable and readable: `PROTOCOL/GROUP/…`. The implementation sees only `opaque_id`."""
    protocol: str
    role: Role
    options: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    settings: Settings = field(default=_DEFAULTS, kw_only=True)
    registry_fault: str = field(default="", kw_only=True)
    """The fault of the schema registry during the case, by the names of `conformance.registry`."""
    anchor: Anchor = field(default=Anchor.REFERENCE, kw_only=True)
    requirements: tuple[str, ...] = field(default=(), kw_only=True)
    """The requirements that the case was written for: if no assertion of one runs, the case is a suite error."""
    profiles: frozenset[str] = field(default=frozenset(), kw_only=True)
    """The profiles with this case; empty means every profile."""
    source: str = field(default="", kw_only=True)
    saved_in: str = field(default="", kw_only=True)
    """The file that the case was read from; empty for a generated case."""
    axes: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def anchor_of(self, requirement: str) -> Anchor:
        """The oracle for an assertion of the case."""
        return anchor_of(self.anchor, self.requirements, requirement)

    @property
    def opaque_id(self) -> str:
        """The id as the implementation sees it: it shows nothing of the expectation."""
        return opaque_id_of(self.role, self.id)

    @property
    def replay_id(self) -> str:
        """The name with which a person runs the case again."""
        return self.saved_in or replay_id_of(self.role, self.id)


@dataclass(frozen=True, slots=True)
class Case(CaseHead):
    """One input with its expectation."""

    tables: tuple[Table, ...] = ()
    events: tuple[Event, ...] = ()
    """The input of an encoder; of a decoder the truth behind `records`, empty if only `expected` is known."""
    records: tuple[Record, ...] = ()
    """The input of a decoder."""
    claims: tuple[Claim, ...] = ()
    schemas: tuple[RegisteredSchema, ...] = ()
    """The schemas in the registry before the request."""
    style: str = ""
    """The profile in whose style a decoder's records are; empty if unknown."""
    sql: tuple[str, ...] = ()
    expected: Expectation | None = None
    """None: the oracle derives the expectation from `events`."""
    send_tables: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """Where a case is made: its part (see `parts`) and, in a corpus, the number of its input."""

    part: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class IndexedCase(CaseHead):
    """A case of the index: the data for `make_plan`, and the place where the case itself is made."""

    place: Place = Place("")
    needs_text: str = ""
    """The needs of the case, a line each: a member of the declaration, a blank and a name. Parsed only when read."""
    unseen: tuple[str, ...] = ()
    """Members of the declaration that only the records could show: see `conformance.cases.needs`."""
    evaluated: str | None = None
    """The ids of the requirements that a right answer evaluates, with blanks between them; None if unknown."""
    is_exact: bool = True
    """Whether `evaluated` is of this release. That of the newest release serves selection, but not judgement."""

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        """(member of the declaration, name) for every need of the case."""
        return _needs_of(self.needs_text)

    @property
    def perfect(self) -> frozenset[str] | None:
        """The requirements that a right answer evaluates; None if they are unknown."""
        return ids_of(self.evaluated) if self.evaluated is not None and self.is_exact else None

    @property
    def found_by(self) -> frozenset[str]:
        """The requirements whose ids select the case, beyond its own, as far as they are known."""
        return frozenset() if self.evaluated is None else ids_of(self.evaluated)


@cache
def _needs_of(text: str) -> tuple[tuple[str, str], ...]:
    needs = (line.partition(" ") for line in text.splitlines())
    return tuple((member, name) for member, _, name in needs)


@cache
def ids_of(text: str) -> frozenset[str]:
    """The ids in a text, which has blanks between them."""
    return frozenset(text.split())
