"""The plan: the cases of one run in the order in which they run, with the verdicts that are known beforehand.

Cases of one configuration follow each other, so that `configure` is sent once for them. A case that needs something
undeclared is `unsupported`: it is counted, and never sent to the implementation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from conformance.cases.model import CaseHead
from conformance.catalogue.register import Level, Register
from conformance.engine.choosing import Choice, Part, RequirementLevels, choose, digest_of, subject_of_entry
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
    "make_plan",
    "plan_of",
    "plan_of_none",
]

Configuration: TypeAlias = tuple[str, tuple[tuple[str, str], ...], Settings, str]
"""Protocol, sorted options and settings of one `configure` request, and the registry fault during its cases."""


@dataclass(frozen=True, slots=True)
class Item:
    """A planned case; a case from the index is built later."""

    case: CaseHead
    level: Level
    configuration: Configuration
    requirements: frozenset[str]
    """The ids of those that the case was written for, and that apply to the profile."""
    preset: Verdict | None = None
    """The verdict of a case that does not run."""
    reason: str = ""
    """Why the verdict is preset."""
    may_decline: bool = False
    """`unsupported` is an allowed answer: the records may need something undeclared that the plan cannot see."""
    position: int | None = None
    """The position in the plan of all shards, from 0; None if the run has no shards."""

    @property
    def subject(self) -> Subject:
        """The subject of the case for `-k` and for the baseline."""
        return subject_of_entry(self.case, self.level)


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Cases of one protocol and role that do not run, with one verdict and reason for all.

    `items` are the cases; empty if they were only counted.
    """

    part: Part
    verdict: Verdict
    reason: str
    cases: int
    items: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Sharded:
    """Which shard a plan is, with the number of cases and the digest of the plan of all shards."""

    shard: Shard
    planned: int
    digest: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The selected cases in order.

    `unmatched`, `near`, `notes` and `parts` are those of `choosing.Choice`, for all shards together.
    """

    items: tuple[Item, ...]
    unjudged: tuple[Unjudged, ...] = ()
    """Groups of cases that do not run; they are not in `items`."""
    excluded: Mapping[Part, int] = field(default_factory=dict)
    """By protocol and role, the number of cases that the selection leaves out."""
    digest: str = ""
    """Equal for two plans of the same cases."""
    unmatched: tuple[str, ...] = ()
    near: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    sharded: Sharded | None = None
    """None if the run has no shards."""

    def without(self, unjudged: Callable[[CaseHead], str | None]) -> Plan:
        """The plan in which each case for which `unjudged` returns a reason is `unsupported`."""
        items = []
        for item in self.items:
            reason = unjudged(item.case) if item.preset is None else None
            items.append(replace(item, preset=Verdict.UNSUPPORTED, reason=reason) if reason else item)
        return replace(self, items=tuple(items))

    def declared_by(self, hello: Mapping[str, Any]) -> Plan:
        """The plan after `hello`: cases that need something undeclared are `unsupported`.

        The cases of an undeclared protocol become one `Unjudged`, except in a shard, where each keeps its position.
        """
        items: list[Item] = []
        undeclared_parts: dict[tuple[Part, str], list[Item]] = {}
        for item in self.items:
            is_counted_together = item.preset is None and self.sharded is None
            reason = protocol_undeclared(item.case.protocol, hello) if is_counted_together else None
            if reason is not None:
                undeclared_parts.setdefault(((item.case.protocol, item.case.role), reason), []).append(item)
            else:
                items.append(item if item.preset is not None else _declared(item, hello))
        unjudged = (
            Unjudged(part, Verdict.UNSUPPORTED, reason, len(cases), tuple(cases))
            for (part, reason), cases in undeclared_parts.items()
        )
        return replace(self, items=tuple(items), unjudged=(*self.unjudged, *unjudged))

    def unstarted(self, reason: str) -> Plan:
        """The plan for an implementation that did not start: its cases are `not_run`. A shard is unchanged."""
        if self.sharded is not None:
            return self
        counts = Counter((item.case.protocol, item.case.role) for item in self.items if item.preset is None)
        unjudged = (Unjudged(part, Verdict.NOT_RUN, reason, n) for part, n in counts.items())
        items = tuple(item for item in self.items if item.preset is not None)
        return replace(self, items=items, unjudged=(*self.unjudged, *unjudged))

    @property
    def is_empty(self) -> bool:
        """Whether there is no case to run."""
        return all(item.preset is not None for item in self.items)

    def counts(self) -> Iterator[tuple[Part, Verdict | None, int]]:
        """Protocol and role, the verdict (None for cases to run), and the number of cases."""
        yield from ((part, Verdict.EXCLUDED, n) for part, n in self.excluded.items())
        yield from ((one.part, one.verdict, one.cases) for one in self.unjudged)
        yield from (((item.case.protocol, item.case.role), item.preset, 1) for item in self.items)

    @property
    def planned(self) -> int:
        """The number of all cases, `excluded` ones too."""
        return sum(n for *_, n in self.counts())


def make_plan(
    sources: Iterable[Sequence[CaseHead]],
    registers: Mapping[str, Register],
    profile: Profile,
    selection: Selection,
) -> Plan:
    """The plan for one implementation and profile before its start; each source of cases has one protocol.

    A shard keeps the order of the plan of all shards.
    """
    levels = {protocol: RequirementLevels(register, profile) for protocol, register in registers.items()}
    return plan_of(choose(sources, levels, profile, selection), levels)


def plan_of(choice: Choice, levels: Mapping[str, RequirementLevels]) -> Plan:
    """The plan of a choice, with the cases of each configuration together."""
    groups: dict[Configuration, list[Item]] = {}
    for case in choice.cases:
        item = _item(case, levels[case.protocol])
        groups.setdefault(item.configuration, []).append(item)
    items = tuple(item for group in groups.values() for item in group)
    if (shard := choice.shard) is None:
        return _plan(items, (), choice)
    of_shard = tuple(replace(item, position=i) for i, item in enumerate(items) if shard.holds(item.case))
    own = digest_of(f"{item.case.role} {item.case.id}" for item in of_shard)
    return replace(_plan(of_shard, (), choice), sharded=Sharded(shard, choice.total, choice.digest), digest=own)


def plan_of_none(choice: Choice, reason: str) -> Plan:
    """The plan of a choice for an implementation that cannot be started: the cases are only counted."""
    return _plan((), tuple(Unjudged(part, Verdict.NOT_RUN, reason, n) for part, n in choice.to_run().items()), choice)


def _plan(items: tuple[Item, ...], unjudged: tuple[Unjudged, ...], choice: Choice) -> Plan:
    about = (choice.unmatched, choice.near, choice.notes, choice.parts)
    return Plan(items, unjudged, choice.excluded, choice.digest, *about)


def item_of(case: CaseHead, register: Register, profile: Profile, hello: Mapping[str, Any] | None = None) -> Item:
    """A case as an item of a plan."""
    item = _item(case, RequirementLevels(register, profile))
    return item if hello is None else _declared(item, hello)


def _item(case: CaseHead, levels: RequirementLevels) -> Item:
    level, requirements = levels.of(case.requirements)
    configuration = (case.protocol, tuple(sorted(case.options.items())), case.settings, case.registry_fault)
    return Item(case, level, configuration, requirements)


def _declared(item: Item, hello: Mapping[str, Any]) -> Item:
    reason = undeclared(item.case, hello)
    if reason is not None:
        return replace(item, preset=Verdict.UNSUPPORTED, reason=reason)
    return replace(item, may_decline=True) if may_decline(item.case, hello) else item
