"""One implementation through its plan: events come out one by one, in the order of the plan.

How cases are put and answers judged is not known here; nor what becomes of the events.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from conformance.cases.model import Role
from conformance.catalogue.register import Register
from conformance.engine import events
from conformance.engine.baseline import Baseline
from conformance.engine.credits import Credits
from conformance.engine.events import Event
from conformance.engine.implementation import Target
from conformance.engine.judging import Contact, Outcome, Umpire
from conformance.engine.plan import Item, Plan, make_plan
from conformance.engine.putting import Putting
from conformance.engine.selection import Selection
from conformance.engine.verdicts import Gate, Tally, Verdict, is_red
from conformance.registry import CaseRegistry
from conformance.transport.errors import HarnessLost

__all__ = ["Failures", "Judging", "TargetRun"]

Failures = Mapping[tuple[str, str], frozenset[str]]
"""(role, case id) → fingerprints of the failures that an earlier run had."""


@dataclass(frozen=True, slots=True)
class Judging:
    """What all implementations of a run have in common.

    `umpires_of` makes the judges for a target, by protocol; `registry` opens a schema registry for one conversation.
    """

    registers: Mapping[str, Register]
    umpires_of: Callable[[Target], Mapping[str, Umpire]]
    selection: Selection
    baseline: Baseline
    policy: Gate
    against: Failures
    clock: Callable[[], float]
    stop: threading.Event
    sessions: int = 1
    registry: Callable[[], CaseRegistry] | None = None


@dataclass(slots=True)
class TargetRun:
    """The run of one implementation, and what came of it once `events` is exhausted."""

    target: Target
    judging: Judging
    label: str = ""
    tally: Tally = field(default_factory=Tally)
    by: dict[tuple[str, str], Tally] = field(default_factory=dict)

    def events(self, label_of: Callable[[str], str]) -> Iterator[Event]:
        """The events of the run. `label_of` makes the name that an implementation gives itself unique in the record.

        Ctrl-C ends it early, with every case that was not judged counted as not run.
        """
        judging, target = self.judging, self.target
        umpires = judging.umpires_of(target)
        contact = self._contact(umpires)
        putting = Putting(
            open=lambda: self._contact(umpires),
            is_flaky=lambda item: judging.baseline.is_flaky(self.label, item.subject),
            clock=judging.clock,
            stop=judging.stop,
            sessions=judging.sessions if target.contact != "recorded" else 1,
        )
        try:
            hello, stderr = self._greeted(contact, putting)
            self.label = label_of(str(hello["name"]) if hello else target.address)
            said = (hello, putting.lost, stderr, target.problems)
            yield events.iut_event(self.label, target.address, target.contact, target.profile.name, *said)
            plan = self._plan(hello)
            yield events.plan_event(self.label, plan)
            credited = self._credits(plan)
            for item, outcome in putting.outcomes(plan.items, contact):
                yield from self._told(item, outcome, credited[item.case.protocol])
        finally:
            contact.close()
        self.tally.incomplete = bool(putting.lost or target.problems)
        self.tally.interrupted = putting.interrupted
        for part in credited.values():
            for requirement, credit in part:
                yield events.requirement_event(self.label, requirement, credit)

    def _contact(self, umpires: Mapping[str, Umpire]) -> Contact:
        registry = None if self.target.contact == "recorded" else self.judging.registry
        return Contact(self.target.open(), umpires, self.judging.registers, registry)

    @staticmethod
    def _greeted(contact: Contact, putting: Putting) -> tuple[Mapping[str, object] | None, str]:
        """The result of `hello`, None where there was none, and what it wrote to stderr then."""
        try:
            return contact.start(), ""
        except HarnessLost as e:
            putting.lost = str(e)
            return None, e.stderr
        except KeyboardInterrupt:
            putting.interrupted = True
            return None, ""

    def _plan(self, hello: Mapping[str, object] | None) -> Plan:
        judging, profile = self.judging, self.target.profile
        cases = [case for protocol in judging.registers for case in self.target.cases(protocol, profile)]
        plan = make_plan(cases, judging.registers, profile, judging.selection, hello)
        if self.target.unjudged is not None:
            plan = plan.without(self.target.unjudged)
        self.tally.planned = len(plan.items)
        for item in plan.items:
            self._part(item).planned += 1
        return plan

    def _part(self, item: Item) -> Tally:
        return self.by.setdefault((item.case.protocol, item.case.role), Tally())

    def _credits(self, plan: Plan) -> dict[str, Credits]:
        roles: dict[str, set[Role]] = {}
        for item in plan.items:
            roles.setdefault(item.case.protocol, set()).add(item.case.role)
        registers, profile = self.judging.registers, self.target.profile
        return {protocol: Credits(registers[protocol], profile, frozenset(found)) for protocol, found in roles.items()}

    def _told(self, item: Item, outcome: Outcome, credited: Credits) -> Iterator[Event]:
        """The events of one case, after the baseline and the run compared against had their say."""
        judging, case = self.judging, item.case
        judged, speaking = judging.baseline.apply(self.label, item.subject, case.role, outcome, judging.policy)
        credited.add(item, outcome)
        new = True
        if is_red(judged.verdict, judging.policy):
            earlier = judging.against.get((case.role, case.id), frozenset())
            new = not earlier.issuperset(judged.fingerprints(case.role))
            self.tally.tolerated += not new
        self.tally.add(judged.verdict)
        self._part(item).add(judged.verdict)
        if outcome.restart is not None:
            yield events.restart_event(self.label, *outcome.restart)
        if item.preset is None and judged.verdict is not Verdict.NOT_RUN:
            yield events.case_event(self.label, item)
        known = [judging.baseline.entries[i] for i in speaking]
        profile, register = self.target.profile.name, judging.registers[case.protocol]
        yield events.verdict_event(self.label, item, profile, judged, known, register, new=new)
