"""A run as pytest's items ask for it, without pytest: the plug-in has one in its process, or talks to one elsewhere."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from conformance.cli.configuring import run_config
from conformance.cli.outputs import check_reports, open_reports
from conformance.cli.run_folder import as_also, keeping, open_folder
from conformance.cli.templates import report_options
from conformance.engine import Gate, RunConfig, Sink, Verdict, planned, suite_events
from conformance.engine.events import Event
from conformance.engine.verdicts import ExitStatus, is_red, worst
from conformance.errors import ConformanceError
from conformance.signals import stopping
from reports.allure.labels import status_of
from reports.failure import failure_text
from ticdc_conformance_door.items import Kind

__all__ = ["Judged", "Key", "Planned", "PytestRun"]

Key: TypeAlias = tuple[int, str, str]
"""Which case of a run: the number of its target, its role and its id."""

_SKIPPED = frozenset({Verdict.UNSUPPORTED, Verdict.EXCLUDED, Verdict.NOT_RUN})
_SETTLED: Mapping[str, Any] = {"findings": (), "known": (), "new": True, "replay": "", "stderr": ""}
"""What the verdict of a case that was settled with others has not in its event."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A case that is planned: the name of its item, the address it is put to, and the words that `-k` finds it by."""

    key: Key
    name: str
    opaque: str
    address: str
    keywords: frozenset[str]


@dataclass(frozen=True, slots=True)
class Judged:
    """A `verdict` event, and the `case` event with the input where there is one."""

    verdict: Mapping[str, Any]
    case: Mapping[str, Any]

    def text(self, address: str) -> str:
        """The failure as the reports show it, and the line that replays it."""
        word, body = self.verdict["verdict"], failure_text(self.verdict, self.case)
        replay = f"replay    {self.replay(address)}"
        return "\n".join(filter(None, (f"{word}: {self.verdict['case']}", body, replay)))

    def replay(self, address: str) -> str:
        """The line that runs the case again."""
        return f"ticdc-conformance replay {self.verdict['replay']} --iut '{address}'"

    def outcome(self, address: str, policy: Gate) -> tuple[Kind, str]:
        """What became of the case in pytest's words, and why."""
        word = Verdict(self.verdict["verdict"])
        if word in _SKIPPED:
            return Kind.SKIPPED, f"{word}: {self.verdict['message']}"
        if word is Verdict.XFAIL or not self.verdict["new"]:
            known = "; ".join(k["reason"] or k["entry"] for k in self.verdict["known"])
            return Kind.XFAILED, f"{word}: {known or 'as in the run that is compared with'}"
        if word is Verdict.SUITE_ERROR or is_red(word, policy):
            failed = status_of(self.verdict, policy) == "failed"
            return Kind.FAILED if failed else Kind.BROKEN, self.text(address)
        if word is Verdict.XPASS:
            return Kind.XPASSED, ""
        return (Kind.WARNED, self.text(address)) if word is Verdict.WARN else (Kind.PASSED, "")


class PytestRun:
    """What is planned, the verdicts as items ask for them, and what the run ended with.

    Methods raise `ConformanceError`. `settings` are those of `resolve`, `command` is what was typed.
    """

    def __init__(self, settings: Mapping[str, Any], command: Sequence[str]) -> None:
        self.settings = settings
        self.config: RunConfig = run_config(settings, command)
        self.config.check()
        self.policy: Gate = self.config.policy
        self.messages: list[str] = []
        self.problems: list[ExitStatus] = []
        self.end: Mapping[str, Any] = {}
        self._count = 0
        self._judged: dict[Key, Judged] = {}
        self._together: dict[tuple[int, str, str], Mapping[str, Any]] = {}
        self._case: Mapping[str, Any] = {}
        self._target = -1
        self._stack = contextlib.ExitStack()
        self._sinks: list[Sink] = []
        self._events: Iterator[Event] | None = None
        self._stop = threading.Event()
        self._left: set[Key] = set()

    def planned(self) -> Iterator[Planned]:
        """The planned cases; nothing is started for them."""
        several = len(self.config.targets) > 1
        for number, (target, plan) in enumerate(planned(self.config)):
            for item in plan.items:
                if item.preset is Verdict.EXCLUDED:
                    continue
                case = item.case
                where = f"{case.role}-{target.profile.name}" + (f"-{number + 1}" if several else "")
                self._count += 1
                yield Planned(
                    (number, case.role, case.id),
                    f"{case.id}[{where}]",
                    case.opaque_id,
                    target.address,
                    frozenset({case.protocol, case.role, item.level, *case.requirements}),
                )

    def begin(self, chosen: Collection[Planned]) -> None:
        """Make ready to judge these cases of those that are planned, with every report."""
        self._left = {one.key for one in chosen}
        config = self.config
        if len(chosen) < self._count:
            config = replace(config, selection=replace(config.selection, only=frozenset(p.opaque for p in chosen)))
        self._stop = self._stack.enter_context(stopping())
        reports, options = self.settings["report"] or (), report_options(self.settings)
        check_reports(reports, options)
        folder = self._stack.enter_context(open_folder(self.settings))
        self._sinks = self._stack.enter_context(open_reports(reports, options, as_also(folder)))
        self._events = iter(suite_events(keeping(config, folder)))

    def judged(self, key: Key) -> Judged | None:
        """The verdict of a case: the engine goes on until it is there. None where the run ended without one."""
        self._left.discard(key)
        number, role, case = key
        part = number, case.partition("/")[0], role
        while key not in self._judged:
            if part in self._together:
                return Judged({**_SETTLED, **self._together[part], "case": case}, {})
            if not self._advance():
                return None
        return self._judged.pop(key)

    def without_verdict(self) -> str:
        """Why a case has no verdict."""
        return f"the run ended without a verdict of this case: {self.end.get('message') or 'no reason'}"

    def stop(self) -> None:
        """Judge no case that was not begun; from any thread."""
        self._stop.set()

    def finish(self) -> bool:
        """End the run, so that every report is complete; False where cases were left that nobody asked for any more."""
        try:
            with self._stack:
                if self._left:
                    self._stop.set()
                while self._events is not None and self._advance():
                    pass
        except ConformanceError as e:  # a report could not be written whole
            self.messages.append(str(e))
            self.problems.append(ExitStatus.INTERNAL)
        return not self._left

    @property
    def status(self) -> int:
        """The exit status of the run."""
        return int(worst([ExitStatus(self.end["exit"]), *self.problems]))

    def summary(self) -> list[str]:
        """The accounting and the gate, as the command prints them; nothing where the run did not end."""
        if not self.end:
            return []
        accounting = self.end["accounting"]
        counts = " + ".join(f"{verdict} {n}" for verdict, n in accounting["counts"].items())
        gate = f"gate {self.end['gate']['colour']}, exit {self.status}"
        return [*self.messages, f"planned {accounting['planned']} = {counts}", gate]

    def _advance(self) -> bool:
        """Take the next event; False after the last one."""
        assert self._events is not None
        event = next(self._events, None)
        if event is None:
            return False
        for sink in self._sinks:
            sink(event)
        kind = event["event"]
        if kind == "iut":
            self._target += 1
            if event["message"]:
                self.messages.append(f"{event['iut']}: {event['message']}")
        elif kind == "case":
            self._case = event
        elif kind == "verdict":
            case = self._case if self._case.get("case") == event["case"] else {}
            self._judged[self._target, event["role"], event["case"]] = Judged(event, case)
        elif kind == "verdicts":
            self._together[self._target, event["protocol"], event["role"]] = event
        elif kind == "end":
            self.end = event
        return True
