"""Takes one implementation through its plan: yields the events one by one, in the order of the plan.

Executors run the cases, and judges judge the answers; the caller decides what happens to the events.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from conformance.cases.model import IndexedCase
from conformance.catalogue.register import Level, Register
from conformance.engine import events
from conformance.engine.answers import KeepAnswer
from conformance.engine.baseline import Baseline, Known
from conformance.engine.case_events import CaseEvents
from conformance.engine.case_session import CaseSession
from conformance.engine.choosing import Choice, RequirementLevels, choose
from conformance.engine.crew import Crew, WorkerSetup
from conformance.engine.events import Event
from conformance.engine.executor import CaseExecutor, Patience, chunks, not_run
from conformance.engine.fingerprints import Marks, bare, marks_of
from conformance.engine.implementation import AnswerJudge, Target
from conformance.engine.kept import CaseKey, Kept, KeptCase, KeptIut
from conformance.engine.outcomes import Outcome
from conformance.engine.plan import Item, Plan, Unjudged, plan_of, plan_of_none
from conformance.engine.requirement_results import RequirementResults
from conformance.engine.restarts import restart_after, was_sent
from conformance.engine.selection import Selection
from conformance.engine.sets import excluded_if_later
from conformance.engine.verdicts import Gate, Tally, Verdict, before_baseline, is_red
from conformance.transport.errors import HarnessLost

if TYPE_CHECKING:
    from conformance.registry import CaseRegistry

__all__ = ["Failures", "RunContext", "TargetRun"]

Failures = Mapping[tuple[str, str], frozenset[str]]
"""(role, case id) → fingerprints of the failures in an earlier run."""
_Results: TypeAlias = Mapping[str, RequirementResults]
"""By protocol."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """The settings that all implementations of a run share."""

    registers: Mapping[str, Register]
    judges_of: Callable[[Target], Mapping[str, AnswerJudge]]  # the judges for an implementation, by protocol
    selection: Selection
    chosen: tuple[frozenset[str], ...]  # as in `RunConfig`
    baseline: Baseline
    policy: Gate
    against: Failures
    clock: Callable[[], float]
    stop: threading.Event
    sessions: int | None  # as in `RunConfig`
    worker_setup: Callable[[Callable[[int], Target]], WorkerSetup]
    registry: Callable[[], CaseRegistry]  # opens a schema registry for one session
    keep_answer: KeepAnswer | None  # takes every answer, in order, before its verdict is reported
    kept: Kept | None  # the settled cases of an interrupted run that this one resumes


class _Start(NamedTuple):
    """The start of an implementation."""

    hello: Mapping[str, object] | None = None
    why_lost: str = ""
    """Why there is no `hello`; empty if the user interrupted the start."""
    stderr: str = ""
    note: str = ""
    """A remark on the start for the report."""


@dataclass(slots=True)
class TargetRun:
    """The run of the n-th implementation, from 0; its counts are complete once `events` is exhausted."""

    target: Target
    context: RunContext
    number: int = 0
    label: str = ""
    tally: Tally = field(default_factory=Tally)
    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    """By protocol and role."""
    case_events: CaseEvents = field(default_factory=CaseEvents)
    has_note: bool = False
    """The note on an ignored `origin` is in the record."""
    restart: Event | None = None
    """The restart that the last kept case makes necessary; its event stands before the next new answer."""

    def events(self, label_of: Callable[[str], str]) -> Iterator[Event]:
        """The events of the run; `label_of` makes the implementation's name unique in the record.

        Ctrl-C ends the run early: every case that was not judged counts as not run. Raises `UsageError` if kept
        verdicts are of another implementation or another plan.
        """
        kept = self.context.kept.iut(self.number) if self.context.kept is not None else None
        choice = self._choice()
        is_whole_run = choice.shard is None and kept is None
        why_absent = self.target.absent() if is_whole_run and choice.to_run() else ""
        plan = plan_of_none(choice, why_absent) if why_absent else self._plan(choice)
        executor = self._make_executor(_with_kept_preset(plan, kept))
        try:
            # Without a case to run nothing is started: then the hello is that of the kept run.
            start = _started(executor) if executor is not None else _Start(kept.hello if kept else None, why_absent)
            if start.hello is not None:
                plan = plan.declared_by(start.hello)
            elif kept is None:
                plan = plan.unstarted(start.why_lost or "interrupted")
            self._count(plan)
            self.label = label_of(str(start.hello["name"]) if start.hello else self.target.address)
            yield from self._events_of_plan(plan, start, kept)
            results = self._results(plan)
            yield from self._events_of_cases(plan, executor, kept, results)
        finally:
            if executor is not None:
                executor.close()
        self.tally.incomplete = bool(start.why_lost or (executor and executor.lost) or self.target.problems)
        self.tally.interrupted = executor is not None and executor.interrupted
        for part in results.values():
            for requirement, result in part:
                yield events.requirement_event(self.label, requirement, result)

    def _events_of_plan(self, plan: Plan, start: _Start, kept: KeptIut | None) -> Iterator[Event]:
        """The events before those of single cases: `iut`, `plan`, and `verdicts` of the cases that are only counted."""
        target, profile, message = self.target, self.target.profile.name, start.why_lost or start.note
        event = events.iut_event(
            self.label, target.address, target.contact, profile, start.hello, message, start.stderr, target.problems
        )
        if kept is not None:
            kept.check(event, plan.digest)
        yield event
        yield events.plan_event(self.label, plan)
        yield from map(self._verdicts_event, plan.unjudged)

    def _events_of_cases(
        self, plan: Plan, executor: CaseExecutor | Crew | None, kept: KeptIut | None, results: _Results
    ) -> Iterator[Event]:
        """The events of single cases, in the order of the plan: those that run, and those that were kept."""
        items = _with_kept_preset(plan, kept).items
        judged = executor.outcomes(items) if executor is not None else ((i, not_run(i, "")) for i in items)
        for item, (_, outcome) in zip(plan.items, judged, strict=True):
            earlier = kept.cases.get(_case_key(item)) if kept is not None else None
            if earlier is not None:
                yield from self._events_of_kept(item, earlier, results[item.case.protocol])
            else:
                yield from self._events_of_case(item, outcome, results[item.case.protocol])

    def _make_executor(self, plan: Plan) -> CaseExecutor | Crew | None:
        """What runs the cases: one session, or several processes with a session each; None if no case is to run.

        Cases that another process cannot make run in this one.
        """
        context, target = self.context, self.target
        if plan.is_empty:
            return None

        def is_flaky(item: Item) -> bool:  # called after `label` is final
            return context.baseline.is_flaky(self.label, item.subject)

        number_of_chunks = len(chunks(plan.items, [i for i, item in enumerate(plan.items) if item.preset is None]))
        number_of_sessions = min(_number_of_sessions(context.sessions, target), number_of_chunks)
        is_portable = target.contact == "recorded" or all(isinstance(item.case, IndexedCase) for item in plan.items)
        patience = Patience(target.restarts)
        if number_of_sessions > 1 and is_portable and target.for_worker is not None:
            setup, make_shared = context.worker_setup(target.for_worker), partial(self._make_what_workers_share, plan)
            return Crew(setup, make_shared, number_of_sessions, is_flaky, context.stop, patience)
        judges = self._judges(plan)
        keeps = context.keep_answer is not None
        session = CaseSession(target, judges, context.registers, context.registry, keeps_answers=keeps)
        return CaseExecutor(session, is_flaky, context.clock, context.stop, patience)

    def _judges(self, plan: Plan) -> Mapping[str, AnswerJudge]:
        """The judges, with those made that the plan needs: a fault of a register ends the run before its first case."""
        judges = self.context.judges_of(self.target)
        for protocol in {item.case.protocol: None for item in plan.items if item.preset is None}:
            judges[protocol]  # a judge is made when it is first looked up
        return judges

    def _make_what_workers_share(self, plan: Plan) -> None:
        """Fill the caches of cases and of the oracle: forked workers inherit them, where each would fill its own.

        One case of each part is made, since a part is read or made as a whole. A case that cannot be made is left to
        the worker that it falls to, whose error is reported.
        """
        self._judges(plan)
        part_heads = {
            (item.case.protocol, item.case.place.part): item.case
            for item in plan.items
            if item.preset is None and isinstance(item.case, IndexedCase)
        }
        for head in part_heads.values():
            with contextlib.suppress(Exception):
                self.target.make_case(head)

    def _levels(self) -> dict[str, RequirementLevels]:
        profile = self.target.profile
        return {protocol: RequirementLevels(register, profile) for protocol, register in self.context.registers.items()}

    def _choice(self) -> Choice:
        context, profile = self.context, self.target.profile
        sources = [self.target.cases(protocol, profile) for protocol in context.registers]
        selection = context.selection
        if context.chosen:
            selection = replace(selection, only=context.chosen[self.number])
        return choose(sources, self._levels(), profile, selection)

    def _plan(self, choice: Choice) -> Plan:
        """The plan as far as it is known before the implementation is started."""
        plan = plan_of(choice, self._levels())
        return plan if self.target.unjudged is None else plan.without(self.target.unjudged)

    def _count(self, plan: Plan) -> None:
        """Count the planned cases, and the verdict of those that the selection leaves out."""
        self.tallies.update({part: Tally() for part in plan.parts})
        for part, verdict, cases in plan.counts():
            for tally in (self.tally, self.tallies[part]):
                tally.planned += cases
                if verdict is Verdict.EXCLUDED:
                    tally.add(verdict, cases)

    def _verdicts_event(self, unjudged: Unjudged) -> Event:
        """The `verdicts` event of cases that do not run; the baseline counts each of them."""
        outcome = Outcome(unjudged.verdict, message=unjudged.reason)
        if self.context.baseline.entries:
            for item in unjudged.items:
                self.context.baseline.apply(self.label, item.subject, outcome, Marks(), self.context.policy)
        self.tally.add(unjudged.verdict, unjudged.cases)
        self.tallies[unjudged.part].add(unjudged.verdict, unjudged.cases)
        return events.verdicts_event(self.label, self.target.profile.name, unjudged)

    def _results(self, plan: Plan) -> _Results:
        registers, profile = self.context.registers, self.target.profile
        roles_of = {protocol: frozenset(role for p, role in plan.parts if p == protocol) for protocol, _ in plan.parts}
        return {
            protocol: RequirementResults(registers[protocol], profile, roles) for protocol, roles in roles_of.items()
        }

    def _events_of_case(self, item: Item, outcome: Outcome, results: RequirementResults) -> Iterator[Event]:
        """The events of one case, after the baseline and the comparison with an earlier run."""
        context, case = self.context, item.case
        register = context.registers[case.protocol]
        outcome = excluded_if_later(item, outcome, register).under(context.policy)
        marks, is_new = outcome.marks(case.role, register), True
        judged, known = outcome, list[Known]()
        if context.baseline.entries:
            judged, known = context.baseline.apply(self.label, item.subject, outcome, marks, context.policy)
        results.add(item, outcome)
        if is_red(judged.verdict, context.policy):
            is_new = not context.against.get((case.role, case.id), frozenset()).issuperset(marks.leading)
            self.tally.tolerated += not is_new
        self.tally.add(judged.verdict)
        self.tallies[case.protocol, case.role].add(judged.verdict)
        if context.keep_answer is not None and outcome.answer_text is not None:
            context.keep_answer(outcome.answer, outcome.answer_text)
        if self.restart is not None and outcome.answered is not None:
            yield self.restart
            self.restart = None
        if outcome.restart is not None:
            yield events.restart_event(self.label, *outcome.restart)
        if outcome.origin_problem and not self.has_note:
            self.has_note = True
            yield events.note_event(self.label, case, f"an answer's 'origin' is ignored: {outcome.origin_problem}")
        profile, fingerprints = self.target.profile.name, list(map(bare, marks.leading))
        verdict = events.verdict_event(self.label, item, profile, judged, known, register, fingerprints, new=is_new)
        yield from self.case_events.before(
            self.label, item, verdict, lambda: judged.case or self.target.make_case(item.case)
        )
        yield verdict

    def _events_of_kept(self, item: Item, kept: KeptCase, results: RequirementResults) -> Iterator[Event]:
        """The events of a case that an earlier part of the run settled, counted as if they were new."""
        context, event = self.context, {**kept.verdict, "iut": self.label}
        verdict = Verdict(event["verdict"])
        if context.baseline.entries:
            outcome = Outcome(before_baseline(verdict, event["fingerprints"]))
            context.baseline.apply(self.label, item.subject, outcome, marks_of(event), context.policy)
        broken = ((finding["requirement"], Level(finding["level"])) for finding in event["findings"])
        results.count(item, event["evaluated"], broken)
        self.tally.tolerated += is_red(verdict, context.policy) and not event["new"]
        self.tally.add(verdict)
        self.tallies[item.case.protocol, item.case.role].add(verdict)
        if context.keep_answer is not None and context.kept is not None and event["answer"]:
            text = context.kept.text_of(event["answer"])
            if text is not None:
                context.keep_answer(event["answer"], text)
        if was_sent(event):
            self.restart = restart_after(self.label, self.target.contact, event)
        for before in kept.before:
            self.has_note = self.has_note or before["event"] == "note"
            shown = self.case_events.with_input_or_not(before, event) if before["event"] == "case" else before
            yield {**shown, "iut": self.label}
        yield event


def _started(executor: CaseExecutor | Crew) -> _Start:
    try:
        return _Start(executor.start(), note=executor.note if isinstance(executor, Crew) else "")
    except HarnessLost as e:
        executor.lost = str(e)
        return _Start(why_lost=executor.lost, stderr=e.stderr)
    except KeyboardInterrupt:
        executor.interrupted = True
        return _Start(note="interrupted while it was started")


def _case_key(item: Item) -> CaseKey:
    return item.case.protocol, item.case.role, item.case.id


def _with_kept_preset(plan: Plan, kept: KeptIut | None) -> Plan:
    """The plan in which each kept case has some preset verdict, so that it does not run."""
    if kept is None:
        return plan
    items = (
        replace(item, preset=Verdict.PASS) if item.preset is None and _case_key(item) in kept.cases else item
        for item in plan.items
    )
    return replace(plan, items=tuple(items))


def _number_of_sessions(requested: int | None, target: Target) -> int:
    """The number of sessions: as many as the user requests, or one for each core."""
    if requested is not None:
        return requested
    if target.is_alone or target.for_worker is None:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
