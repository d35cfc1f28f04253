"""The rules of a protocol and its other facts for the oracle: reading of records, expected events, free forms.

A `Rule` is one line of a table: requirement, place, condition, kinds of difference. Wherever a rule's place is visited
and its condition holds, an assertion with the requirement's id has run; a difference there of one of its kinds is a
finding of that requirement. A condition is a rule's own: it says when the difference breaks the requirement, whatever
else speaks there. Of the findings at one place the one whose rule stands first in the table is shown first, so special
rules stand before general ones. A difference that no rule claims falls to the protocol's `fallback` requirement.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from conformance.cases.model import Case, Role
from conformance.errors import SuiteError
from conformance.oracle.tree import Kind, Path
from reference_impl.model import Claim, Column, Event, Record, Table
from reference_impl.profiles import Profile
from reference_impl.registry import RegisteredSchema

__all__ = [
    "MEANING",
    "NOTHING",
    "NO_SCHEMAS",
    "AllOf",
    "CachedCondition",
    "Condition",
    "Delivery",
    "Message",
    "Place",
    "Predicates",
    "ProtocolOracle",
    "Reading",
    "Rule",
    "Schemas",
    "always",
]

NOTHING: Mapping[str, Any] = MappingProxyType({})
MEANING = frozenset({Kind.MISSING, Kind.EXTRA, Kind.JSON_KIND, Kind.VALUE, Kind.DOUBLED})


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a record: its parts as exact JSON trees (`{"key": …, "value": …}`) and as the original text.

    `claim` is the location of the claim-check file that it refers to. Messages with equal `identity` mean the same;
    where it is None, those with the same text do.
    """

    tree: Mapping[str, Any]
    texts: Mapping[str, str]
    claim: str | None = None
    identity: Hashable | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A record taken apart; `frame` is a flat tree of what surrounds the messages, compared at `frame.NAME`."""

    messages: tuple[Message, ...]
    frame: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event as the protocol delivers it: updates split, copies made, partition assigned, table version in force.

    `missing_before` are columns whose previous value the records lack, by a defect of their producer.
    """

    event: Event
    table: Table | None
    partition: int | None = None
    missing_before: frozenset[str] = frozenset()


class Place(NamedTuple):
    """A visited place: the context for a rule's condition and a protocol's comparison.

    `path` is relative to the message (`value.data[0].c`), the record's frame (`frame.version`) or the event
    (`event.after.c`); `expected` and `got` are JSON trees or `MISSING`; `tree` is the whole expected message, frame or
    event, `given` the whole answered one. `options` is the parsed options object of the protocol. `column` is set where
    the path names a column.
    """

    role: Role
    path: Path
    expected: Any
    got: Any
    tree: Mapping[str, Any]
    case: Case
    options: Any
    profile: Profile
    delivery: Delivery | None
    column: Column | None
    given: Mapping[str, Any] = NOTHING

    @property
    def event(self) -> Event | None:
        """The event that the message carries."""
        return self.delivery.event if self.delivery else None

    @property
    def table(self) -> Table | None:
        """The table version in force for it."""
        return self.delivery.table if self.delivery else None


Condition: TypeAlias = Callable[[Place], bool]


@dataclass(frozen=True, slots=True)
class CachedCondition:
    """A condition on nothing but the options, the kind and operation of the event and the family of the column.

    It is evaluated once for all places with the same ones.
    """

    holds: Condition

    def __call__(self, place: Place) -> bool:
        return self.holds(place)


@dataclass(frozen=True, slots=True)
class AllOf:
    """The condition that every one of `parts` holds; they are evaluated in order."""

    parts: tuple[Condition, ...]

    def __call__(self, place: Place) -> bool:
        for part in self.parts:  # noqa: SIM110 - called millions of times: a generator would double the cost
            if not part(place):
                return False
        return True


def always(place: Place) -> bool:
    """The condition that always holds."""
    return True


def _never(place: Place) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Rule:
    """At the places `at`, where `when` holds, `requirement` claims differences of `kinds`."""

    requirement: str
    at: str
    """A skeleton: `value.…`, `key.…`, `frame.…` or `claim.…` for encode, `event.…` for decode.

    Ending in `.*` it is every place below that has no rules of its own; `answer` is the answer as a whole (refused,
    accepted, count of messages).
    """
    when: Condition = always
    kinds: frozenset[Kind] = MEANING
    when_absent: bool = False
    """The rule also asserts that a place is absent on both sides."""


@dataclass(frozen=True, slots=True)
class Predicates:
    """What the words `when` and `shows` may name.

    Those `of_requirement` ask about that of the check, those `of_argument` about the text behind `=`; both raise
    `KeyError` or `ValueError` for one that they do not know.
    """

    plain: Mapping[str, Condition]
    of_requirement: Mapping[str, Callable[[str], Condition]]
    of_argument: Mapping[str, Callable[[str], Condition]] = field(default_factory=dict)

    @property
    def every(self) -> Mapping[str, Callable[..., Any]]:
        """All of them by their names."""
        return {**self.plain, **self.of_requirement, **self.of_argument}

    def __call__(self, word: str, requirement: str) -> Condition:
        """The condition that a word without `!` stands for. Raises `SuiteError` for an unknown one."""
        name, equals, argument = word.partition("=")
        if name not in self.every:
            raise SuiteError(f"unknown predicate {name!r}; there are {', '.join(sorted(self.every))}")
        if (name in self.of_argument) != bool(equals):
            raise SuiteError(f"{word!r} is to be {name if equals else f'{name}=ARGUMENT'!r}")
        if name in self.plain:
            return self.plain[name]
        factory, asked = (self.of_argument[name], argument) if equals else (self.of_requirement[name], requirement)
        try:
            return factory(asked)
        except (KeyError, ValueError):
            raise SuiteError(f"{name!r} knows no {asked!r}") from None


NO_PREDICATES = Predicates({}, {})

Comparison: TypeAlias = Callable[[Place], Kind | None]

Schemas: TypeAlias = Mapping[int, str]
"""The content of the registry, id → text; empty for protocols that have none."""


NO_SCHEMAS: Schemas = MappingProxyType({})


def _no_registrations(registered: Sequence[RegisteredSchema]) -> Mapping[str, Any]:
    return NOTHING


def _as_it_is(event: Mapping[str, Any]) -> Mapping[str, Any]:
    return event


@dataclass(frozen=True, slots=True)
class ProtocolOracle:
    """Everything the oracle knows about a protocol."""

    protocol: str
    fallback: str  # the requirement for a difference that no rule claims
    rules: Sequence[Rule]
    # Takes a record apart, without the reference decoder; raises `Rejected` for an unreadable one.
    read: Callable[[Record, Any, Schemas], Reading]
    read_claim: Callable[[Claim, Any], Reading]
    # The deliveries of the case's events, in order of production.
    deliveries: Callable[[Case, Any, Profile], list[Delivery]]
    # The event, as JSON of the harness protocol, that a decoder must answer; a `frozenset` holds alternatives.
    carried: Callable[[Delivery, Case, Any, Profile], Mapping[str, Any]]
    # Compares two leaves of equal JSON kind; returns the kind of a difference that is not free.
    compare: Comparison
    columns_at: frozenset[str]  # skeletons of objects whose members are columns
    ordered_at: frozenset[str] = frozenset()  # skeletons of objects whose member order counts
    # A tree of the registrations, for the comparison at `registry.…`.
    registered: Callable[[Sequence[RegisteredSchema]], Mapping[str, Any]] = _no_registrations
    # An event with its names as the format can write them; both sides of a comparison go through it.
    named: Callable[[Mapping[str, Any]], Mapping[str, Any]] = _as_it_is
    reads_alike: Condition = _never  # whether a difference in value is one of form alone: both sides read alike
    answered_once: str = ""  # the requirement that every event is answered once, else the fallback
    predicates: Predicates = NO_PREDICATES  # those that the checks of the register name
