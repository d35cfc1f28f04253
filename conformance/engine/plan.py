"""The plan: the cases of one run in the order in which they are put, each with what is known before it is put.

Cases of one configuration stand together, so that `configure` is sent once for all of them. A case that needs what the
implementation did not declare is `unsupported`; it is counted, and never asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from conformance.cases.index import OUT_OF_DATE
from conformance.cases.model import CaseHead, IndexedCase, Role
from conformance.catalogue.register import Level, Register
from conformance.engine.declared import may_decline, undeclared
from conformance.engine.selection import Expression, Selection, Shard, Subject, subject_of
from conformance.engine.verdicts import Verdict
from reference_impl.profiles import LATEST, Profile
from reference_impl.settings import Settings

__all__ = ["Configuration", "Item", "Plan", "Sharded", "Standards", "item_of", "level_of", "make_plan", "unknown_terms"]

Configuration: TypeAlias = tuple[str, tuple[tuple[str, str], ...], Settings, str]
"""Protocol, options and settings: what one `configure` request sets; and how the registry misbehaves meanwhile."""


@dataclass(frozen=True, slots=True)
class Item:
    """A planned case, not made yet where it comes from the index. With `preset` its verdict is settled, for `reason`,

    and it is not put. `requirements` are those that the case was written for and that apply to the profile.
    `may_decline`: what the implementation did not declare may be in the records, where the plan cannot see it;
    `unsupported` is an answer then. `position` is the place in the plan of all shards, None where there is one alone.
    """

    case: CaseHead
    level: Level
    configuration: Configuration
    requirements: frozenset[str]
    preset: Verdict | None = None
    reason: str = ""
    may_decline: bool = False
    position: int | None = None

    @property
    def subject(self) -> Subject:
        """What the case is known by to `-k` and to the baseline."""
        case = self.case
        known = case.found_by if isinstance(case, IndexedCase) else frozenset[str]()
        words = (case.protocol, case.role, self.level, case.requirements, case.axes)
        return subject_of(case.id, *words, known)


@dataclass(frozen=True, slots=True)
class Sharded:
    """Of what a plan is a part: the shard, and number of cases and digest of the plan of all shards."""

    shard: Shard
    planned: int
    digest: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Planned cases in order. `unmatched` are terms of `-k`, and ids asked for, that no case answers to; `near` what

    such a term of `-k` may have been meant to be. `notes` are sentences on what is known of a term in part. `parts` are
    the (protocol, role) pairs of the cases. All of these are those of all shards together; `sharded` says which one it
    is, None where there is one alone.
    """

    items: tuple[Item, ...]
    unmatched: tuple[str, ...] = ()
    near: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    parts: tuple[tuple[str, Role], ...] = ()
    sharded: Sharded | None = None

    def without(self, unjudged: Callable[[CaseHead], str | None]) -> Plan:
        """The plan in which what cannot be judged is `unsupported`; `unjudged` says why, or None of what can."""
        items = []
        for item in self.items:
            reason = unjudged(item.case) if item.preset is None else None
            items.append(replace(item, preset=Verdict.UNSUPPORTED, reason=reason) if reason else item)
        return replace(self, items=tuple(items))

    def declared_by(self, hello: Mapping[str, Any]) -> Plan:
        """The plan for an implementation that said `hello`: what it does not declare is `unsupported`."""
        items = (item if item.preset is not None else _declared(item, hello) for item in self.items)
        return replace(self, items=tuple(items))

    @property
    def is_empty(self) -> bool:
        """Whether there is no case to put."""
        return all(item.preset is not None for item in self.items)

    @property
    def digest(self) -> str:
        """Equal for two plans of the same cases in the same order."""
        return _digest(self.items)


def _digest(items: Iterable[Item]) -> str:
    text = "\n".join(f"{item.case.role} {item.case.id}" for item in items)
    return hashlib.sha256(text.encode()).hexdigest()


_STRENGTH = tuple(Level)
_ROLES: tuple[Role, ...] = ("encode", "decode")


def level_of(case: CaseHead, register: Register, profile: Profile) -> Level:
    """The strongest level of the requirements that a case was written for; MUST for one written for none."""
    return Standards(register, profile).of(case.requirements)[0]


@dataclass(frozen=True, slots=True)
class Standards:
    """What the register says, under a profile, of the requirements that cases were written for; each set once."""

    register: Register
    profile: Profile
    _known: dict[tuple[str, ...], tuple[Level, frozenset[str]]] = field(default_factory=dict)

    def of(self, requirements: tuple[str, ...]) -> tuple[Level, frozenset[str]]:
        """The strongest level, and those that apply."""
        if requirements not in self._known:
            found = [(i, self.register.find(i)) for i in requirements]
            applying = [r for _, r in found if r is not None and r.applies(self.profile)]
            level = min((r.level for r in applying), key=_STRENGTH.index, default=Level.MUST)
            # An id that the register does not know stays: no assertion can carry it, the case becomes a suite error.
            unknown = [i for i, r in found if r is None]
            self._known[requirements] = level, frozenset([*(r.id for r in applying if r.testable), *unknown])
        return self._known[requirements]


def make_plan(
    cases: Iterable[CaseHead],
    registers: Mapping[str, Register],
    profile: Profile,
    selection: Selection,
    hello: Mapping[str, Any] | None,
) -> Plan:
    """The plan for one implementation and profile. With `hello` None (it never answered) nothing is `unsupported`.

    A shard has its cases in the order in which the plan of all shards has them.
    """
    shard, selection = selection.shard, replace(selection, shard=None)
    standards = {protocol: Standards(register, profile) for protocol, register in registers.items()}
    groups: dict[Configuration, list[Item]] = {}
    subjects: list[Subject] = []
    for case in cases:
        if selection.plans(case) and (not case.profiles or profile.name in case.profiles):
            item, subject = _item(case, standards[case.protocol], selection, hello)
            subjects += [subject] if subject is not None else []
            groups.setdefault(item.configuration, []).append(item)
    items = tuple(item for group in groups.values() for item in group)
    unmatched, unknown = list[str](), dict[str, str]()
    if selection.expression is not None:
        unknown = unknown_terms(selection.expression, (item.case for item in items), standards)
        unmatched = [term for term in selection.expression.unmatched(subjects) if term not in unknown]
    near = {term: Expression.near(term, subjects) for term in unmatched}
    known: set[str] = set()
    if selection.only:
        known = {i for item in items for i in (item.case.id, item.case.opaque_id, item.case.replay_id)}
    found = {(item.case.protocol, item.case.role): None for item in items}
    protocols = list(dict.fromkeys(protocol for protocol, _ in found))
    parts = tuple(sorted(found, key=lambda part: (protocols.index(part[0]), _ROLES.index(part[1]))))
    sharded = None
    if shard is not None:
        sharded = Sharded(shard, len(items), _digest(items))
        items = tuple(replace(item, position=i) for i, item in enumerate(items) if shard.holds(item.case))
    return Plan(items, (*unmatched, *sorted(selection.only - known)), near, tuple(unknown.values()), parts, sharded)


def unknown_terms(
    expression: Expression, cases: Iterable[CaseHead], standards: Mapping[str, Standards]
) -> dict[str, str]:
    """The terms that are ids of requirements of which it is not known what evaluates them, each with a sentence.

    Of no case of their protocol is it known, or they are of earlier releases alone, and the index is of the newest.
    """
    if not expression.requirements:
        return {}
    reasons: dict[str, str] = {}
    for case in cases:
        if reasons.get(case.protocol) != "":
            reasons[case.protocol] = _unknown_because(case)
    found = {}
    for term, written in expression.requirements.items():
        for protocol, reason in reasons.items():
            requirement, profile = standards[protocol].register.find(written), standards[protocol].profile
            if requirement is None or not requirement.applies(profile):
                continue
            if not reason and not requirement.applies(replace(profile, release=LATEST)):
                reason = "the case index is of the newest release, and it is of earlier ones alone"
            if reason:
                told = f"{term} stands for the cases that were written for it; which others evaluate it is not known: "
                found[term] = told + reason
    return found


def _unknown_because(case: CaseHead) -> str:
    """Why it is not known what a right answer to a case evaluates, or ""."""
    if not isinstance(case, IndexedCase):
        return "these cases are not of the case index"
    return OUT_OF_DATE if case.evaluated is None else ""


def item_of(
    case: CaseHead, register: Register, profile: Profile, selection: Selection, hello: Mapping[str, Any] | None
) -> Item:
    """A case as it stands in a plan."""
    return _item(case, Standards(register, profile), selection, hello)[0]


def _item(
    case: CaseHead, standards: Standards, selection: Selection, hello: Mapping[str, Any] | None
) -> tuple[Item, Subject | None]:
    """The item, and what it is known by where there is an expression."""
    level, requirements = standards.of(case.requirements)
    configuration = (case.protocol, tuple(sorted(case.options.items())), case.settings, case.registry_fault)
    item = Item(case, level, configuration, requirements)
    subject = item.subject if selection.expression is not None else None
    reason = selection.exclusion(case, level, subject)
    if reason is not None:
        return replace(item, preset=Verdict.EXCLUDED, reason=reason), subject
    return item if hello is None else _declared(item, hello), subject


def _declared(item: Item, hello: Mapping[str, Any]) -> Item:
    reason = undeclared(item.case, hello)
    if reason is not None:
        return replace(item, preset=Verdict.UNSUPPORTED, reason=reason)
    return replace(item, may_decline=True) if may_decline(item.case, hello) else item
