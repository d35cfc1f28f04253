"""`Rule` and `ProtocolOracle`: how the oracle judges the answers to cases of one protocol.

A `Rule` is one line of a table: requirement, place, condition, kinds of difference. When the judge visits the place of
a rule and its condition holds, the requirement counts as evaluated, and a difference of one of the rule's kinds is a
finding of the requirement. Rules are independent: several may claim one difference, and each then yields a finding.
Reports show the finding of the first rule in the table first, so special rules stand before general ones. A difference
that no rule claims is a finding of the protocol's `fallback` requirement.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from conformance.cases.model import Case, Role
from conformance.errors import SuiteError
from conformance.oracle.tree import Kind, Path
from reference_impl.errors import Rejected
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
    "by_name",
]

Options: TypeAlias = Any
"""The parsed options of a protocol: each has a class of its own."""

NOTHING: Mapping[str, Any] = MappingProxyType({})
MEANING = frozenset({Kind.MISSING, Kind.EXTRA, Kind.JSON_KIND, Kind.VALUE, Kind.DOUBLED})
"""Differences in what a member says: neither in its order or spelling, nor in the answer as a whole."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a record, taken apart."""

    tree: Mapping[str, Any]  # its parts as exact JSON trees: `{"key": …, "value": …}`
    texts: Mapping[str, str]  # the original text of the parts that are JSON, by the names of `tree`
    claim: str | None = None  # location of the claim-check file that the message refers to
    identity: Hashable | None = None  # equal for messages with the same meaning; None: `texts` identify the message


@dataclass(frozen=True, slots=True)
class Reading:
    """A record taken apart."""

    messages: tuple[Message, ...]
    frame: Mapping[str, Any]  # facts about the record itself, such as `headers`, compared at `frame.NAME`


@dataclass(frozen=True, slots=True)
class Delivery:
    """The event of one message: a whole event, half of a split update, or a copy for one of several partitions."""

    event: Event
    table: Table | None  # the table version in force
    partition: int | None = None
    missing_before: frozenset[str] = frozenset()  # columns whose previous value the records lack by a producer's defect


class Place(NamedTuple):
    """A visited path with its context, for the conditions of rules and the comparison of a protocol."""

    role: Role
    path: Path  # such as `value.data[0].c` of a message, `frame.headers` of a record, `event.after.c`, `answer`
    expected: Any  # the JSON tree at the path, or `MISSING`
    got: Any
    expected_tree: Mapping[str, Any]  # the whole expected message, frame or event
    case: Case
    options: Options
    profile: Profile
    delivery: Delivery | None
    column: Column | None  # set where the path names a column
    got_tree: Mapping[str, Any] = NOTHING  # the whole answered message, frame or event

    @property
    def event(self) -> Event | None:
        """The event that the message carries."""
        return self.delivery.event if self.delivery else None

    @property
    def table(self) -> Table | None:
        """The table version in force for the event."""
        return self.delivery.table if self.delivery else None


Condition: TypeAlias = Callable[[Place], bool]


@dataclass(frozen=True, slots=True)
class CachedCondition:
    """A condition that depends only on the role, the options, the event's kind and operation and the column's family.

    `RuleBook` evaluates it once and keeps the result for all places that agree in these.
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
    """`requirement` claims the differences of `kinds` at the place `at` where the condition `when` holds."""

    requirement: str
    at: str
    """A skeleton (see `tree`): `value.…`, `key.…`, `frame.…` or `claim.…` for encode, `event.…` for decode.

    A skeleton that ends in `.*` stands for every place below that has no rules of its own. `answer` is the answer as a
    whole (refused, accepted, count of messages).
    """
    when: Condition = always
    kinds: frozenset[Kind] = MEANING
    when_absent: bool = False
    """Whether the requirement counts as evaluated, too, where both sides lack the place."""


@dataclass(frozen=True, slots=True)
class Predicates:
    """The predicates that checks of a register may name in `when` and `shows`, by name.

    The factories raise `KeyError` or `ValueError` for an unknown requirement or argument.
    """

    plain: Mapping[str, Condition]  # a predicate that is a condition itself
    of_requirement: Mapping[str, Callable[[str], Condition]]  # a factory, called with the requirement of the check
    of_argument: Mapping[str, Callable[[str], Condition]] = field(default_factory=dict)  # … with the text behind `=`

    @property
    def every(self) -> Mapping[str, Callable[..., Any]]:
        """All predicates, by name."""
        return {**self.plain, **self.of_requirement, **self.of_argument}

    def __contains__(self, name: str) -> bool:
        return name in self.plain or name in self.of_requirement or name in self.of_argument

    def __call__(self, word: str, requirement: str) -> Condition:
        """The condition of `NAME` or `NAME=ARGUMENT` in a check. Raises `SuiteError` for an unknown predicate."""
        name, equals, argument = word.partition("=")
        if name not in self:
            raise SuiteError(f"unknown predicate {name!r}; there are {', '.join(sorted(self.every))}")
        if (name in self.of_argument) != bool(equals):
            raise SuiteError(f"{word!r} is to be {name if equals else f'{name}=ARGUMENT'!r}")
        if name in self.plain:
            return self.plain[name]
        factory = self.of_argument[name] if equals else self.of_requirement[name]
        parameter = argument if equals else requirement
        try:
            return factory(parameter)
        except (KeyError, ValueError):
            raise SuiteError(f"{name!r} knows no {parameter!r}") from None


def by_name(*groups: Sequence[Condition]) -> Mapping[str, Condition]:
    """The predicates of all groups, which are functions, by their names."""
    return {predicate.__name__: predicate for group in groups for predicate in group}


NO_PREDICATES = Predicates({}, {})

Schemas: TypeAlias = Mapping[int, str]
"""The content of the registry, id → text; empty for protocols that have none."""

NO_SCHEMAS: Schemas = MappingProxyType({})


def _no_registrations(registered: Sequence[RegisteredSchema]) -> Mapping[str, Any]:
    return NOTHING


def _refuse_claim(claim: Claim, options: Options) -> Reading:
    raise Rejected("semantics", "the protocol has no claim-check files")


def _unchanged(event: Mapping[str, Any]) -> Mapping[str, Any]:
    return event


@dataclass(frozen=True, slots=True)
class ProtocolOracle:
    """Everything the oracle knows about a protocol."""

    protocol: str
    fallback: str  # the requirement for a difference that no rule claims
    rules: Sequence[Rule]
    # Takes a record apart, without the reference decoder; raises `Rejected` for an unreadable one.
    read: Callable[[Record, Options, Schemas], Reading]
    # The deliveries of the case's events, in order of production.
    deliveries: Callable[[Case, Options, Profile], list[Delivery]]
    # The event that a decoder must answer for a delivery, as JSON of the harness protocol; a `frozenset` holds
    # alternatives, `Maybe` an optional member.
    expected_event: Callable[[Delivery, Case, Options, Profile], Mapping[str, Any]]
    # Compares two leaves of equal JSON kind: the kind of their difference, None where the protocol allows both.
    compare: Callable[[Place], Kind | None]
    columns_at: frozenset[str]  # skeletons of objects whose members are columns
    # (part of an event, when and how the format carries it from encoder to decoder), for people to read.
    carried: Sequence[tuple[str, str]] = ()
    ordered_at: frozenset[str] = frozenset()  # skeletons of objects whose member order counts
    # Takes a claim-check file apart; raises `Rejected` for an unreadable one.
    read_claim: Callable[[Claim, Options], Reading] = _refuse_claim
    # The registrations of schemas as a tree, which is compared at `registry.…`.
    registry_tree: Callable[[Sequence[RegisteredSchema]], Mapping[str, Any]] = _no_registrations
    # An event with its names as the format can write them; applied to the expected and to the answered event.
    with_written_names: Callable[[Mapping[str, Any]], Mapping[str, Any]] = _unchanged
    reads_alike: Condition = _never  # whether a reader gets the same value from both sides, so that only form differs
    is_open: Condition = _never  # whether neither a document nor a producer decides what stands at the place
    answered_once: str = ""  # the requirement that a decoder answers every event once; empty: the fallback
    predicates: Predicates = NO_PREDICATES  # the predicates that the checks of the register name
