"""Runs the suite: judges each implementation, sends the events to the sinks, and applies the gate at the end.

The module `run` judges a single implementation.
"""

from __future__ import annotations

import contextlib
import platform
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from conformance.catalogue.register import Register, load_register
from conformance.engine import events
from conformance.engine.answers import KeepAnswer
from conformance.engine.baseline import Baseline, Known
from conformance.engine.burn_down import summary
from conformance.engine.crew import WorkerSetup
from conformance.engine.events import Event
from conformance.engine.fingerprints import bare, marks_of
from conformance.engine.implementation import AnswerJudge, Target
from conformance.engine.kept import Kept
from conformance.engine.plan import Plan, make_plan
from conformance.engine.run import Failures, RunContext, TargetRun
from conformance.engine.selection import Selection
from conformance.engine.sets import as_of, load_set
from conformance.engine.verdicts import ExitStatus, Gate, Verdict, is_red
from conformance.errors import SuiteError, UsageError
from conformance.oracle import ORACLES
from conformance.signals import stopping
from conformance.transport.origin import Origin
from reference_impl.protocols import CODECS, DIALECTS

if TYPE_CHECKING:
    from conformance.registry import CaseRegistry
    from conformance.registry.access import Access

__all__ = ["RunConfig", "Sink", "plans", "run_suite", "shipped_judges", "shipped_registers", "suite_events"]

Sink: TypeAlias = Callable[[Event], None]


def shipped_registers(protocols: Sequence[str]) -> Mapping[str, Register]:
    """The shipped registers of the given protocols; if none is given, of all protocols with an oracle.

    Raises `UsageError` for an unknown protocol.
    """
    for protocol in protocols:
        if protocol not in DIALECTS:
            raise UsageError(f"unknown protocol {protocol!r}; there are {', '.join(DIALECTS)}")
    return {protocol: load_register(protocol) for protocol in (protocols or ORACLES)}


def shipped_judges(registers: Mapping[str, Register], target: Target) -> Mapping[str, AnswerJudge]:
    """The judges for an implementation, by protocol: its own, and else the shipped ones for its profile."""
    return _Judges(registers, target)


class _Judges(dict[str, AnswerJudge]):
    """Judges by protocol; a shipped one is made when it is first asked for, since most runs judge one protocol."""

    def __init__(self, registers: Mapping[str, Register], target: Target) -> None:
        super().__init__(target.judges)
        self._registers, self._profile = registers, target.profile

    def __missing__(self, protocol: str) -> AnswerJudge:
        from conformance.engine.judging_as_of import judge_as_of

        self[protocol] = judge_as_of(protocol, self._registers[protocol], self._profile)
        return self[protocol]


@dataclass(frozen=True, slots=True)
class RunConfig:
    """The options of a run."""

    targets: tuple[Target, ...]  # judged in order; one record has them all
    selection: Selection = field(default_factory=Selection)
    chosen: tuple[frozenset[str], ...] = ()  # the cases to run of each implementation; empty: as in the selection
    policy: Gate = Gate.DATA
    against: tuple[Mapping[str, Any], ...] = ()  # events of an earlier run, for the gate `regress`
    baseline: tuple[Known, ...] = ()
    today: date | None = None  # decides which entries of the baseline expired; None: no entry expires
    sessions: int | None = 1  # parallel ones; None: one per core, or one if the server takes one connection
    registry_url: str | None = None  # a real schema registry in place of the suite's own
    registry_access: Access | None = None
    suite_version: str | None = None  # score only the requirements of this version; None: score all
    command: tuple[str, ...] = ()  # the command line, for the record
    started: str = ""
    origin: Origin | None = None  # stands for answers without one
    registers: Callable[[Sequence[str]], Mapping[str, Register]] = shipped_registers
    judges: Callable[[Mapping[str, Register], Target], Mapping[str, AnswerJudge]] = shipped_judges
    clock: Callable[[], float] = time.monotonic
    keep_answer: KeepAnswer | None = None  # called with every answer, in order, before its verdict is reported
    kept: Kept | None = None  # the settled cases of an interrupted run that this one resumes

    def check(self) -> None:
        """Raises `UsageError` for options that do not fit together."""
        if not self.targets:
            raise UsageError("no implementation to judge: give one with --iut")
        if self.sessions is not None and self.sessions < 1:
            raise UsageError(f"-n {self.sessions}: at least one session is needed")
        if self.policy is Gate.REGRESS and not self.against:
            raise UsageError("--gate regress needs --against RUN, a run record to compare with")
        if self.against and self.policy is not Gate.REGRESS:
            raise UsageError("--against RUN only serves with --gate regress")
        if self.suite_version is not None:
            load_set(self.suite_version)


def run_suite(config: RunConfig, sinks: Sequence[Sink]) -> ExitStatus:
    """Judge every implementation, send each event to every sink, and return the exit status.

    Raises `UsageError` for an impossible request, before the first event. The record always ends with an `end` event:
    after Ctrl-C or SIGTERM the running case may take one more second; a second signal ends it at once.
    """
    status = ExitStatus.INTERNAL
    with contextlib.closing(suite_events(config)) as produced:
        event = next(produced, None)
        while event is not None:
            status = ExitStatus(event["exit"]) if event["event"] == "end" else status
            try:
                for sink in sinks:
                    sink(event)
            except KeyboardInterrupt as e:
                event = produced.throw(e)
            else:
                event = next(produced, None)
    return status


def plans(config: RunConfig) -> Iterator[tuple[Target, Plan]]:
    """The plan for each implementation, as far as it is known before the start."""
    registers = _loader(config)()
    for target in config.targets:
        sources = [target.cases(protocol, target.profile) for protocol in registers]
        yield target, make_plan(sources, registers, target.profile, config.selection)


def _loader(config: RunConfig) -> Callable[[], Mapping[str, Register]]:
    """A function that loads the registers of a run, and can be sent to a worker process."""
    return partial(_scored, config.registers, _protocols(config), config.suite_version)


def _scored(
    registers: Callable[[Sequence[str]], Mapping[str, Register]], protocols: Sequence[str], version: str | None
) -> Mapping[str, Register]:
    """The registers of a run, with the levels of the suite version that scores."""
    current = registers(protocols)
    if version is None:
        return current
    requirement_set = load_set(version)
    return {protocol: as_of(register, requirement_set) for protocol, register in current.items()}


def _protocols(config: RunConfig) -> Sequence[str]:
    return config.selection.protocols or _recorded_protocols(config.targets)


def suite_events(config: RunConfig) -> Generator[Event, None, None]:
    """The events of a run, judged on demand; the last one is `end`. Raises as `run_suite` does."""
    config.check()
    begin = config.clock()
    registers = _loader(config)()
    registry = partial(_opened_registry, config.registry_url, config.registry_access)
    if config.registry_url and any(p in CODECS and CODECS[p].uses_registry for p in registers):
        registry().close()  # refuse a bad registry before any case is judged
    with stopping() as stop:
        context = _context(config, registers, registry, stop)
        event = _run_event(config, context)
        if config.kept is not None:
            config.kept.check(event)
        yield event
        runs, also, message = yield from _judge_all(config, context)
        baseline = _baseline_member(config, context, runs, is_cut_short=bool(also))
        for run in runs:
            # Each run counts its own passing cases.
            run.tally.stale = any(baseline[why] for why in ("unmatched", "expired", "gone"))
        iuts = [events.IutResult(run.label, run.target.profile.name, run.tally, run.tallies) for run in runs]
        yield events.end_event(iuts, config.policy, baseline, message, config.clock() - begin, also)


def _context(
    config: RunConfig, registers: Mapping[str, Register], registry: Callable[[], CaseRegistry], stop: threading.Event
) -> RunContext:
    load_registers, keeps_answers = _loader(config), config.keep_answer is not None
    return RunContext(
        registers=registers,
        judges_of=lambda target: config.judges(registers, target),
        selection=config.selection,
        chosen=config.chosen,
        baseline=Baseline(config.baseline),
        policy=config.policy,
        against=_failures(config.against),
        clock=config.clock,
        stop=stop,
        sessions=config.sessions,
        registry=registry,
        worker_setup=lambda for_worker: WorkerSetup(for_worker, load_registers, config.judges, registry, keeps_answers),
        keep_answer=config.keep_answer,
        kept=config.kept,
    )


def _run_event(config: RunConfig, context: RunContext) -> Event:
    return events.run_event(
        config.command,
        context.registers,
        config.policy,
        config.selection.level,
        config.started,
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        origin=config.origin,
        scope=events.scope_of(config.selection, config.baseline, context.against),
        suite_version=config.suite_version,
    )


def _opened_registry(url: str | None, access: Access | None) -> CaseRegistry:
    from conformance.registry import RealRegistry, ServedRegistry
    from conformance.registry.access import ANONYMOUS

    return RealRegistry(url, access=access or ANONYMOUS) if url else ServedRegistry()


def _recorded_protocols(targets: Sequence[Target]) -> Sequence[str]:
    """The protocols of recordings of upstream producers, and all others unless there are only such recordings.

    Empty without such a recording.
    """
    recorded = tuple(dict.fromkeys(protocol for target in targets for protocol in target.protocols))
    if recorded and not all(target.protocols for target in targets):
        return (*ORACLES, *recorded)
    return recorded


def _judge_all(
    config: RunConfig, context: RunContext
) -> Generator[Event, None, tuple[list[TargetRun], list[ExitStatus], str]]:
    """Judge every implementation. Returns the runs, exit statuses that no tally shows, and why the run ended early."""
    runs: list[TargetRun] = []
    labels: set[str] = set()

    def label_of(name: str) -> str:
        label, number = name, 1
        while label in labels:
            number += 1
            label = f"{name} #{number}"
        labels.add(label)
        return label

    try:
        for number, target in enumerate(config.targets):
            run = TargetRun(target, context, number, label=target.address)
            runs.append(run)
            yield from run.events(label_of)
            if run.tally.interrupted:
                break
    except SuiteError as e:
        return runs, [ExitStatus.INTERNAL], str(e)
    except KeyboardInterrupt:
        return runs, [ExitStatus.INTERRUPTED], "interrupted twice: the accounting is not complete"
    return runs, [], ""


def _failures(record: Iterable[Mapping[str, Any]]) -> Failures:
    """The fingerprints of all findings above `may` of each red verdict of an earlier run, by role and case.

    A failure of this run is new if one of its fingerprints is not among them. One that lost or changed data in the
    earlier run is there in both forms, so that it is no new failure if it has less harm now. All findings count,
    because other values may make another finding the one that identifies the failure.
    """
    failures: dict[tuple[str, str], frozenset[str]] = {}
    for event in record:
        if event.get("event") == "verdict" and is_red(Verdict(event["verdict"]), Gate.SHOULD):
            key = event["role"], event["case"]
            marks = marks_of(event)
            every = {*marks.leading, *marks.above_may}
            failures[key] = failures.get(key, frozenset()).union(every, map(bare, every))
    return failures


def _baseline_member(
    config: RunConfig, context: RunContext, runs: Sequence[TargetRun], *, is_cut_short: bool
) -> dict[str, Any]:
    """The member `baseline` of the `end` event. Only a run of all cases can show that an entry matches no case.

    A run that `is_cut_short` has cases without a verdict.
    """
    is_cut_short = is_cut_short or any(run.tally.interrupted or run.tally.incomplete for run in runs)
    is_whole = config.selection.is_whole and not is_cut_short
    rows = context.baseline.rows([run.label for run in runs], context.registers, config.today)
    return summary(rows, whole=is_whole, is_part=config.selection.shard is not None)
