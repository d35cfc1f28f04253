"""The plan: the cases of one run in the order in which they are put, each with what is known before it is put.

Cases of one configuration stand together, so that `configure` is sent once for all of them. A case that needs what the
implementation did not declare is `unsupported`; it is counted, and never asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from conformance.cases.model import CaseHead
from conformance.catalogue.register import Level, Register
from conformance.engine.choosing import Choice, Part, Standards, choose, digest_of, subject_of_entry
from conformance.engine.declared import may_decline, protocol_undeclared, undeclared
from conformance.engine.selection import Selection, Shard, Subject
from conformance.engine.verdicts import Verdict
from reference_impl.profiles import Profile
from reference_impl.settings import Settings

__all__ = [
    "Configuration",
    "Item",
    "Plan",
    "Sharded",
    "Unjudged",
    "item_of",
    "level_of",
    "make_plan",
    "plan_of",
    "plan_of_none",
]

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
        return subject_of_entry(self.case, self.level)


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Cases of one protocol and role that are settled together, before any is put: how many, how, and why.

    `items` are they themselves, where each was planned.
    """

    part: Part
    verdict: Verdict
    reason: str
    cases: int
    items: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Sharded:
    """Of what a plan is a part: the shard, and number of cases and digest of the plan of all shards."""

    shard: Shard
    planned: int
    digest: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Selected cases in order, those that are settled together apart; and how many were planned and left out, by part.

    `digest` is equal for two plans of the same cases. `unmatched`, `near` and `notes` are as of `choosing.Choice`, and
    so are `parts`: all of these are those of all shards together. `sharded` says which one it is, None where there is
    one alone.
    """

    items: tuple[Item, ...]
    unjudged: tuple[Unjudged, ...] = ()
    excluded: Mapping[Part, int] = field(default_factory=dict)
    digest: str = ""
    unmatched: tuple[str, ...] = ()
    near: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    sharded: Sharded | None = None

    def without(self, unjudged: Callable[[CaseHead], str | None]) -> Plan:
        """The plan in which what cannot be judged is `unsupported`; `unjudged` says why, or None of what can."""
        items = []
        for item in self.items:
            reason = unjudged(item.case) if item.preset is None else None
            items.append(replace(item, preset=Verdict.UNSUPPORTED, reason=reason) if reason else item)
        return replace(self, items=tuple(items))

    def declared_by(self, hello: Mapping[str, Any]) -> Plan:
        """The plan for an implementation that said `hello`: what it does not declare is `unsupported`.

        The cases of a protocol that it does not declare are settled together, unless the plan is that of a shard: its
        cases are put into the order of all shards again.
        """
        items: list[Item] = []
        whole: dict[tuple[Part, str], list[Item]] = {}
        for item in self.items:
            together = item.preset is None and self.sharded is None
            reason = protocol_undeclared(item.case.protocol, hello) if together else None
            if reason is not None:
                whole.setdefault(((item.case.protocol, item.case.role), reason), []).append(item)
            else:
                items.append(item if item.preset is not None else _declared(item, hello))
        settled = (
            Unjudged(part, Verdict.UNSUPPORTED, reason, len(found), tuple(found))
            for (part, reason), found in whole.items()
        )
        return replace(self, items=tuple(items), unjudged=(*self.unjudged, *settled))

    def unstarted(self, reason: str) -> Plan:
        """The plan of which nothing was put, because there is no implementation."""
        if self.sharded is not None:
            return self
        counts = Counter((item.case.protocol, item.case.role) for item in self.items if item.preset is None)
        settled = (Unjudged(part, Verdict.NOT_RUN, reason, n) for part, n in counts.items())
        items = tuple(item for item in self.items if item.preset is not None)
        return replace(self, items=items, unjudged=(*self.unjudged, *settled))

    @property
    def is_empty(self) -> bool:
        """Whether there is no case to put."""
        return all(item.preset is not None for item in self.items)

    def counts(self) -> Iterator[tuple[Part, Verdict | None, int]]:
        """Protocol and role, the verdict that is settled, and the number of cases."""
        yield from ((part, Verdict.EXCLUDED, n) for part, n in self.excluded.items())
        yield from ((one.part, one.verdict, one.cases) for one in self.unjudged)
        yield from (((item.case.protocol, item.case.role), item.preset, 1) for item in self.items)

    @property
    def planned(self) -> int:
        """The number of cases, however they are settled."""
        return sum(n for *_, n in self.counts())


def level_of(case: CaseHead, register: Register, profile: Profile) -> Level:
    """The strongest level of the requirements that a case was written for; MUST for one written for none."""
    return Standards(register, profile).of(case.requirements)[0]


def make_plan(
    sources: Iterable[Sequence[CaseHead]],
    registers: Mapping[str, Register],
    profile: Profile,
    selection: Selection,
    hello: Mapping[str, Any] | None = None,
) -> Plan:
    """The plan for one implementation and profile, of the cases of several sources, which are of one protocol each.

    With `hello` None (it was not asked yet) nothing is `unsupported`. A shard has its cases in the order in which the
    plan of all shards has them.
    """
    standards = {protocol: Standards(register, profile) for protocol, register in registers.items()}
    plan = plan_of(choose(sources, standards, profile, selection), standards)
    return plan if hello is None else plan.declared_by(hello)


def plan_of(choice: Choice, standards: Mapping[str, Standards]) -> Plan:
    """The plan of what was chosen: cases of one configuration together."""
    groups: dict[Configuration, list[Item]] = {}
    for case in choice.cases:
        item = _item(case, standards[case.protocol])
        groups.setdefault(item.configuration, []).append(item)
    items = tuple(item for group in groups.values() for item in group)
    if (shard := choice.shard) is None:
        return _plan(items, (), choice)
    held = tuple(replace(item, position=i) for i, item in enumerate(items) if shard.holds(item.case))
    own = digest_of(f"{item.case.role} {item.case.id}" for item in held)
    return replace(_plan(held, (), choice), sharded=Sharded(shard, choice.total, choice.digest), digest=own)


def plan_of_none(choice: Choice, reason: str) -> Plan:
    """The plan of what was chosen for an implementation that is not there: the cases are only counted."""
    return _plan((), tuple(Unjudged(part, Verdict.NOT_RUN, reason, n) for part, n in choice.put().items()), choice)


def _plan(items: tuple[Item, ...], unjudged: tuple[Unjudged, ...], choice: Choice) -> Plan:
    told = (choice.unmatched, choice.near, choice.notes, choice.parts)
    return Plan(items, unjudged, choice.excluded, choice.digest, *told)


def item_of(case: CaseHead, register: Register, profile: Profile, hello: Mapping[str, Any] | None = None) -> Item:
    """A case as it stands in a plan."""
    item = _item(case, Standards(register, profile))
    return item if hello is None else _declared(item, hello)


def _item(case: CaseHead, standards: Standards) -> Item:
    level, requirements = standards.of(case.requirements)
    configuration = (case.protocol, tuple(sorted(case.options.items())), case.settings, case.registry_fault)
    return Item(case, level, configuration, requirements)


def _declared(item: Item, hello: Mapping[str, Any]) -> Item:
    reason = undeclared(item.case, hello)
    if reason is not None:
        return replace(item, preset=Verdict.UNSUPPORTED, reason=reason)
    return replace(item, may_decline=True) if may_decline(item.case, hello) else item
