"""The plan: the cases of one run in the order in which they are put, each with what is known before it is put.

Cases of one configuration stand together, so that `configure` is sent once for all of them. A case that needs what the
implementation did not declare is `unsupported`; it is counted, and never asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from conformance.cases.model import Case, ExpectedEvents
from conformance.catalogue.register import Level, Register
from conformance.engine.selection import Selection, Subject, subject_of
from conformance.engine.verdicts import Verdict
from reference_impl.model import DdlEvent, Event, RowChange
from reference_impl.profiles import Profile
from reference_impl.settings import Settings

__all__ = ["Configuration", "Item", "Plan", "item_of", "level_of", "make_plan", "undeclared"]

Configuration: TypeAlias = tuple[str, tuple[tuple[str, str], ...], Settings, str]
"""Protocol, options and settings: what one `configure` request sets; and how the registry misbehaves meanwhile."""


@dataclass(frozen=True, slots=True)
class Item:
    """A planned case. With `preset` its verdict is settled, for `reason`, and it is not put.

    `requirements` are those that the case was written for and that apply to the profile. `may_decline`: what the
    implementation did not declare may be in the records, where the plan cannot see it; `unsupported` is an answer then.
    """

    case: Case
    level: Level
    subject: Subject
    configuration: Configuration
    requirements: frozenset[str]
    preset: Verdict | None = None
    reason: str = ""
    may_decline: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """Planned cases in order. `unmatched` are terms of `-k`, and ids asked for, that no case answers to."""

    items: tuple[Item, ...]
    unmatched: tuple[str, ...] = ()

    def without(self, unjudged: Callable[[Case], str | None]) -> Plan:
        """The plan in which what cannot be judged is `unsupported`; `unjudged` says why, or None of what can."""
        items = []
        for item in self.items:
            reason = unjudged(item.case) if item.preset is None else None
            items.append(replace(item, preset=Verdict.UNSUPPORTED, reason=reason) if reason else item)
        return replace(self, items=tuple(items))

    @property
    def digest(self) -> str:
        """Equal for two plans of the same cases in the same order."""
        text = "\n".join(f"{item.case.role} {item.case.id}" for item in self.items)
        return hashlib.sha256(text.encode()).hexdigest()


_STRENGTH = tuple(Level)


def level_of(case: Case, register: Register, profile: Profile) -> Level:
    """The strongest level of the requirements that a case was written for; MUST for one written for none."""
    found = {r.level for i in case.requirements if (r := register.find(i)) is not None and r.applies(profile)}
    return min(found, key=_STRENGTH.index, default=Level.MUST)


def _applying(case: Case, register: Register, profile: Profile) -> frozenset[str]:
    found = (register.find(i) for i in case.requirements)
    unknown = [i for i in case.requirements if register.find(i) is None]
    applying = {r.id for r in found if r is not None and r.testable and r.applies(profile)}
    # An id that the register does not know stays: no assertion can carry it, and the case becomes a suite error.
    return frozenset({*applying, *unknown})


def _event_kind(event: Event) -> str:
    if isinstance(event, RowChange):
        return "row"
    return "ddl" if isinstance(event, DdlEvent) else "watermark"


def _needs(case: Case) -> Iterator[tuple[str, str]]:
    """(member of the declaration, name) for everything that a case asks for."""
    yield "roles", case.role
    for option in case.options:
        yield "options", option
    for event in case.events:
        yield "events", _event_kind(event)
    if isinstance(case.expected, ExpectedEvents):
        for expected in case.expected.events:
            yield "events", str(expected.get("kind", "row"))
    for table in case.tables:
        for column in table.columns:
            yield "column_types", str(column.type.family)


_WHAT: Mapping[str, str] = {
    "roles": "the role",
    "options": "the option",
    "events": "events of kind",
    "column_types": "columns of type",
}


def undeclared(case: Case, hello: Mapping[str, Any]) -> str | None:
    """What a case needs that `hello` leaves out, in words, or None. A list that is not there means all."""
    protocols = hello.get("protocols", {})
    if case.protocol not in protocols:
        return f"it does not declare {case.protocol}"
    declared = protocols[case.protocol]
    for member, name in _needs(case):
        if member in declared and name not in declared[member]:
            return f"for {case.protocol} it does not declare {_WHAT[member]} {name}"
    return None


def _unseen(case: Case) -> Iterator[str]:
    """Members of the declaration that only the records of a case could answer."""
    if case.role == "decode" and not case.tables:
        yield "column_types"
    if case.role == "decode" and not case.events and not isinstance(case.expected, ExpectedEvents):
        yield "events"


def make_plan(
    cases: Iterable[Case],
    registers: Mapping[str, Register],
    profile: Profile,
    selection: Selection,
    hello: Mapping[str, Any] | None,
) -> Plan:
    """The plan for one implementation and profile. With `hello` None (it never answered) nothing is `unsupported`."""
    groups: dict[Configuration, list[Item]] = {}
    for case in cases:
        if selection.plans(case) and (not case.profiles or profile.name in case.profiles):
            item = item_of(case, registers[case.protocol], profile, selection, hello)
            groups.setdefault(item.configuration, []).append(item)
    items = tuple(item for group in groups.values() for item in group)
    return Plan(items, tuple(_unmatched(items, selection)))


def item_of(
    case: Case, register: Register, profile: Profile, selection: Selection, hello: Mapping[str, Any] | None
) -> Item:
    """A case as it stands in a plan."""
    level = level_of(case, register, profile)
    subject = subject_of(case.id, case.protocol, case.role, level, case.requirements, case.axes)
    preset, reason = None, selection.exclusion(case, subject, level)
    if reason is not None:
        preset = Verdict.EXCLUDED
    elif hello is not None and (reason := undeclared(case, hello)) is not None:
        preset = Verdict.UNSUPPORTED
    configuration = (case.protocol, tuple(sorted(case.options.items())), case.settings, case.registry_fault)
    declared = (hello or {}).get("protocols", {}).get(case.protocol, {})
    return Item(
        case,
        level,
        subject,
        configuration,
        _applying(case, register, profile),
        preset,
        reason or "",
        may_decline=any(member in declared for member in _unseen(case)),
    )


def _unmatched(items: tuple[Item, ...], selection: Selection) -> Iterator[str]:
    if selection.expression is not None:
        yield from selection.expression.unmatched([item.subject for item in items])
    known = {i for item in items for i in (item.case.id, item.case.opaque_id, item.case.replay_id)}
    yield from sorted(selection.only - known)
