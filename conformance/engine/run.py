"""One implementation through its plan: events come out one by one, in the order of the plan.

How cases are put and answers judged is not known here; nor what becomes of the events.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from conformance.cases.model import IndexedCase, Role
from conformance.catalogue.register import Level, Register
from conformance.engine import events
from conformance.engine.answers import KeepAnswer
from conformance.engine.baseline import Baseline
from conformance.engine.case_events import CaseEvents
from conformance.engine.choosing import Choice, Standards, choose
from conformance.engine.credits import Credits
from conformance.engine.crew import Crew, Errand
from conformance.engine.events import Event
from conformance.engine.implementation import Target
from conformance.engine.judging import Contact, Outcome, Umpire
from conformance.engine.kept import CaseKey, Kept, KeptCase, KeptIut
from conformance.engine.plan import Item, Plan, Unjudged, plan_of, plan_of_none
from conformance.engine.putting import Patience, Putting, chunks, not_put
from conformance.engine.restarts import restart_after, was_put
from conformance.engine.selection import Selection
from conformance.engine.verdicts import FAULTS, Gate, Tally, Verdict, before_baseline, is_red
from conformance.transport.errors import HarnessLost

if TYPE_CHECKING:
    from conformance.registry import CaseRegistry

__all__ = ["Failures", "Judging", "TargetRun"]

Failures = Mapping[tuple[str, str], frozenset[str]]
"""(role, case id) → fingerprints of the failures that an earlier run had."""


@dataclass(frozen=True, slots=True)
class Judging:
    """What all implementations of a run have in common.

    `umpires_of` makes the judges for a target, by protocol; `registry` opens a schema registry for one conversation.
    `keep_answer` takes every answer, in the order of the plan, before the verdict on it is told. `kept` is what an
    earlier part of the run has settled.
    """

    registers: Mapping[str, Register]
    umpires_of: Callable[[Target], Mapping[str, Umpire]]
    selection: Selection
    baseline: Baseline
    policy: Gate
    against: Failures
    clock: Callable[[], float]
    stop: threading.Event
    sessions: int | None = 1
    errand: Callable[[Callable[[int], Target]], Errand] | None = None
    registry: Callable[[], CaseRegistry] | None = None
    keep_answer: KeepAnswer | None = None
    kept: Kept | None = None


@dataclass(slots=True)
class TargetRun:
    """The run of one implementation, the n-th from 0, and what came of it once `events` is exhausted."""

    target: Target
    judging: Judging
    number: int = 0
    label: str = ""
    tally: Tally = field(default_factory=Tally)
    by: dict[tuple[str, str], Tally] = field(default_factory=dict)
    cases: CaseEvents = field(default_factory=CaseEvents)
    noted: bool = False
    fault: Event | None = None

    def events(self, label_of: Callable[[str], str]) -> Iterator[Event]:
        """The events of the run. `label_of` makes the name that an implementation gives itself unique in the record.

        Ctrl-C ends it early, with every case that was not judged counted as not run. Raises `UsageError` where it is
        not the implementation, or not the plan, of which something is kept.
        """
        target = self.target
        kept = self.judging.kept.iut(self.number) if self.judging.kept is not None else None
        if kept is not None and not kept.cases:
            kept = None
        choice = self._choice()
        absent = target.absent() if choice.put() and choice.shard is None and kept is None else ""
        plan = plan_of_none(choice, absent) if absent else self._plan(choice)
        hands = self._hands(_left(plan, kept))
        try:
            # Where nothing is selected there is nothing to start for.
            said_before = kept.hello if kept is not None else None
            hello, lost, stderr = self._greeted(hands) if hands is not None else (said_before, absent, "")
            if hello is not None:
                plan = plan.declared_by(hello)
            elif hands is not None and kept is None:
                plan = plan.unstarted(lost or "interrupted")
            self._count(plan)
            self.label = label_of(str(hello["name"]) if hello else target.address)
            said = (hello, lost or (hands.note if hands else ""), stderr, target.problems)
            event = events.iut_event(self.label, target.address, target.contact, target.profile.name, *said)
            if kept is not None:
                kept.check(event, plan.digest)
            yield event
            yield events.plan_event(self.label, plan)
            credited = self._credits(plan)
            for one in plan.unjudged:
                yield self._of_unjudged(one)
            left = _left(plan, kept).items
            told = hands.outcomes(left) if hands is not None else ((i, not_put(i, "")) for i in left)
            for item, (_, outcome) in zip(plan.items, told, strict=True):
                earlier = kept.cases.get(_key(item)) if kept is not None else None
                if earlier is not None:
                    yield from self._told_before(item, earlier, credited[item.case.protocol])
                else:
                    yield from self._told(item, outcome, credited[item.case.protocol])
        finally:
            if hands is not None:
                hands.close()
        self.tally.incomplete = bool(lost or (hands and hands.lost) or target.problems)
        self.tally.interrupted = hands is not None and hands.interrupted
        for part in credited.values():
            for requirement, credit in part:
                yield events.requirement_event(self.label, requirement, credit)

    def _hands(self, plan: Plan) -> Putting | Crew | None:
        """Who puts the cases: this process, or several where that is worth it; None where there is nothing to put.

        Cases that cannot be made anew in another process are put by this one alone.
        """
        judging, target = self.judging, self.target
        if plan.is_empty:
            return None

        def is_flaky(item: Item) -> bool:
            return judging.baseline.is_flaky(self.label, item.subject)

        pieces = len(chunks(plan.items, [i for i, item in enumerate(plan.items) if item.preset is None]))
        number = min(_number(judging.sessions, target), pieces)
        travels = target.contact == "recorded" or all(isinstance(item.case, IndexedCase) for item in plan.items)
        patience = Patience(target.restarts)
        if number > 1 and travels and target.again is not None and judging.errand is not None:
            return Crew(judging.errand(target.again), number, is_flaky, judging.stop, patience)
        umpires = judging.umpires_of(target)
        return Putting(partial(self._contact, umpires), is_flaky, judging.clock, judging.stop, patience)

    def _contact(self, umpires: Mapping[str, Umpire]) -> Contact:
        registry = None if self.target.contact == "recorded" else self.judging.registry
        judging, target = self.judging, self.target
        keeps = judging.keep_answer is not None
        return Contact(target.open(), umpires, judging.registers, registry, target.made, keeps_answers=keeps)

    @staticmethod
    def _greeted(hands: Putting | Crew) -> tuple[Mapping[str, object] | None, str, str]:
        """The result of `hello`; where there was none, why, and what it wrote to stderr then."""
        try:
            return hands.start(), "", ""
        except HarnessLost as e:
            hands.lost = str(e)
            return None, hands.lost, e.stderr
        except KeyboardInterrupt:
            hands.interrupted = True
            return None, "", ""

    def _standards(self) -> dict[str, Standards]:
        profile = self.target.profile
        return {protocol: Standards(register, profile) for protocol, register in self.judging.registers.items()}

    def _choice(self) -> Choice:
        judging, profile = self.judging, self.target.profile
        sources = [self.target.cases(protocol, profile) for protocol in judging.registers]
        return choose(sources, self._standards(), profile, judging.selection)

    def _plan(self, choice: Choice) -> Plan:
        """The plan as it is before anything was started, which costs little."""
        plan = plan_of(choice, self._standards())
        return plan if self.target.unjudged is None else plan.without(self.target.unjudged)

    def _count(self, plan: Plan) -> None:
        """Count the cases that are planned; those that were left out have come to their end."""
        self.by.update({part: Tally() for part in plan.parts})
        for part, verdict, cases in plan.counts():
            tallies = (self.tally, self.by[part])
            for tally in tallies:
                tally.planned += cases
                if verdict is Verdict.EXCLUDED:
                    tally.add(verdict, cases)

    def _of_unjudged(self, one: Unjudged) -> Event:
        """The event of cases that are settled together. The baseline hears of each of them."""
        outcome = Outcome(one.verdict, message=one.reason)
        if self.judging.baseline.entries:
            for item in one.items:
                self.judging.baseline.apply(self.label, item.subject, outcome, (), self.judging.policy)
        self.tally.add(one.verdict, one.cases)
        self.by[one.part].add(one.verdict, one.cases)
        return events.verdicts_event(self.label, self.target.profile.name, one)

    def _credits(self, plan: Plan) -> dict[str, Credits]:
        roles: dict[str, set[Role]] = {}
        for protocol, role in plan.parts:
            roles.setdefault(protocol, set()).add(role)
        registers, profile = self.judging.registers, self.target.profile
        return {protocol: Credits(registers[protocol], profile, frozenset(found)) for protocol, found in roles.items()}

    def _told(self, item: Item, outcome: Outcome, credited: Credits) -> Iterator[Event]:
        """The events of one case, after the baseline and the run compared against had their say."""
        judging, case = self.judging, item.case
        outcome = _scored(item, outcome, judging.registers[case.protocol]).under(judging.policy)
        judged, speaking = outcome, list[int]()
        new, marks = True, outcome.fingerprints(case.role)
        if judging.baseline.entries:
            judged, speaking = judging.baseline.apply(self.label, item.subject, outcome, marks, judging.policy)
        credited.add(item, outcome)
        if is_red(judged.verdict, judging.policy):
            new = not judging.against.get((case.role, case.id), frozenset()).issuperset(marks)
            self.tally.tolerated += not new
        self.tally.add(judged.verdict)
        self.by[case.protocol, case.role].add(judged.verdict)
        if judging.keep_answer is not None and outcome.answer_text is not None:
            judging.keep_answer(outcome.answer, outcome.answer_text)
        if self.fault is not None and outcome.answered is not None:
            yield self.fault
            self.fault = None
        if outcome.restart is not None:
            yield events.restart_event(self.label, *outcome.restart)
        if outcome.origin_problem and not self.noted:
            self.noted = True
            yield events.note_event(self.label, case, f"an answer's 'origin' is ignored: {outcome.origin_problem}")
        known = [judging.baseline.entries[i] for i in speaking]
        profile, register = self.target.profile.name, judging.registers[case.protocol]
        verdict = events.verdict_event(self.label, item, profile, judged, known, register, marks, new=new)
        yield from self.cases.before(self.label, item, verdict, lambda: judged.case or self.target.made(item.case))
        yield verdict

    def _told_before(self, item: Item, kept: KeptCase, credited: Credits) -> Iterator[Event]:
        """The events of a case as an earlier part of the run has told them, counted as if they were of today."""
        judging, event = self.judging, {**kept.verdict, "iut": self.label}
        verdict, marks = Verdict(event["verdict"]), event["fingerprints"]
        if judging.baseline.entries:
            outcome = Outcome(before_baseline(verdict, marks))
            judging.baseline.apply(self.label, item.subject, outcome, marks, judging.policy)
        broken = ((found["requirement"], Level(found["level"])) for found in event["findings"])
        credited.count(item, event["evaluated"], broken)
        self.tally.tolerated += is_red(verdict, judging.policy) and not event["new"]
        self.tally.add(verdict)
        self.by[item.case.protocol, item.case.role].add(verdict)
        if judging.keep_answer is not None and judging.kept is not None and event["answer"]:
            text = judging.kept.text_of(event["answer"])
            if text is not None:
                judging.keep_answer(event["answer"], text)
        if was_put(event):
            self.fault = restart_after(self.label, self.target.contact, event)
        for told in kept.before:
            self.noted = self.noted or told["event"] == "note"
            shown = self.cases.with_input_or_not(told, event) if told["event"] == "case" else told
            yield {**shown, "iut": self.label}
        yield event


def _key(item: Item) -> CaseKey:
    return item.case.protocol, item.case.role, item.case.id


def _scored(item: Item, outcome: Outcome, register: Register) -> Outcome:
    """The outcome as it counts: whatever happens in a case that is about later requirements alone is only shown."""
    if outcome.verdict not in FAULTS or not item.requirements:
        return outcome
    requirements = [register.find(name) for name in item.requirements]
    later = [one.later_than for one in requirements if one is not None and one.later_than]
    if len(later) < len(requirements):
        return outcome
    message = f"its requirements are later than {later[0]}; {outcome.verdict}: {outcome.message}"
    return replace(outcome, verdict=Verdict.EXCLUDED, message=message)


def _left(plan: Plan, kept: KeptIut | None) -> Plan:
    """The plan in which no case is put that was settled before."""
    if kept is None:
        return plan
    items = (
        replace(item, preset=Verdict.PASS) if item.preset is None and _key(item) in kept.cases else item
        for item in plan.items
    )
    return replace(plan, items=tuple(items))


def _number(asked: int | None, target: Target) -> int:
    """How many sessions there are with a target: as many as asked for, or else as there are cores."""
    if asked is not None:
        return asked
    if target.is_alone or target.again is None:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
