"""A run that judges each case when pytest reaches its item; nothing here imports pytest.

The plug-in holds such a run in its own process, or talks to one in another process.
"""

from __future__ import annotations

import contextlib
import shlex
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from conformance.cli.configuring import run_config
from conformance.cli.outputs import check_reports, open_reports
from conformance.cli.reporting import report_options
from conformance.cli.run_folder import keeping, open_folder
from conformance.engine import Gate, RunConfig, Sink, Verdict, plans, suite_events
from conformance.engine.events import Event
from conformance.engine.verdicts import ExitStatus, is_red, worst
from conformance.errors import ConformanceError
from conformance.signals import stopping
from reports.allure.labels import status_of
from reports.failure import failure_text
from ticdc_conformance_door.items import Kind

__all__ = ["Judged", "Key", "Planned", "PytestRun"]

Key: TypeAlias = tuple[int, str, str]
"""A case of a run: the number of its implementation from 0, its role and its id."""

_SKIPPED = frozenset({Verdict.UNSUPPORTED, Verdict.EXCLUDED, Verdict.NOT_RUN})
_DEFAULTS: Mapping[str, Any] = {
    "findings": (),
    "known": (),
    "fingerprints": (),
    "new": True,
    "replay": "",
    "stderr": "",
}
"""Members of a `verdict` event that a `verdicts` event, for many cases together, lacks."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A planned case."""

    key: Key
    name: str
    """The name of its pytest item: `canal-json/insert/int[encode-newarch]`."""
    opaque_id: str
    address: str
    """The address of its implementation."""
    keywords: frozenset[str]
    """The words that pytest's `-k` matches."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A `verdict` event and its `case` event, which is empty for a case that passed."""

    verdict: Mapping[str, Any]
    case: Mapping[str, Any]

    def text(self, address: str) -> str:
        """The failure as reports show it, with the command that replays it."""
        word, body = self.verdict["verdict"], failure_text(self.verdict, self.case)
        replay = f"replay    {self.replay(address)}"
        return "\n".join(filter(None, (f"{word}: {self.verdict['case']}", body, replay)))

    def replay(self, address: str) -> str:
        """The command that runs the case again; empty for a case that did not run."""
        case = self.verdict["replay"]
        return f"ticdc-conformance replay {shlex.quote(case)} --iut {shlex.quote(address)}" if case else ""

    def outcome(self, address: str, policy: Gate) -> tuple[Kind, str]:
        """The outcome in pytest's words, and the reason or the text of the failure."""
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
    """A run that judges its cases on demand, in the order of the plan.

    `settings` are those of `resolve`, `command` is the command line for the record. Methods raise `ConformanceError`.
    """

    def __init__(self, settings: Mapping[str, Any], command: Sequence[str]) -> None:
        self.settings = settings
        self.config: RunConfig = run_config(settings, command)
        self.config.check()
        self.policy: Gate = self.config.policy
        self.messages: list[str] = []
        self.problems: list[ExitStatus] = []
        self.end: Mapping[str, Any] = {}
        self._count = 0  # planned cases
        self._judged: dict[Key, Judged] = {}
        # Implementation, protocol, role → the `verdicts` event that has one verdict for all their cases.
        self._common_verdicts: dict[tuple[int, str, str], Mapping[str, Any]] = {}
        self._case: Mapping[str, Any] = {}  # the `case` event of the next verdict
        self._implementation = -1  # the number of the implementation whose events come
        self._stack = contextlib.ExitStack()
        self._sinks: list[Sink] = []
        self._events: Iterator[Event] | None = None
        self._stop = threading.Event()
        self._left: set[Key] = set()  # chosen cases whose verdicts pytest has not taken yet

    def planned(self) -> Iterator[Planned]:
        """The planned cases. No implementation is started."""
        several = len(self.config.targets) > 1
        for number, (target, plan) in enumerate(plans(self.config)):
            for item in plan.items:
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
        """Prepare to judge the chosen cases of the plan, and open every report."""
        self._left = {planned.key for planned in chosen}
        config = self.config
        if len(chosen) < self._count:
            only = frozenset(planned.opaque_id for planned in chosen)
            of_each = [frozenset(p.opaque_id for p in chosen if p.key[0] == n) for n in range(len(config.targets))]
            config = replace(config, selection=replace(config.selection, only=only), chosen=tuple(of_each))
        self._stop = self._stack.enter_context(stopping())
        reports, options = self.settings["report"] or (), report_options(self.settings)
        check_reports(reports, options)
        folder = self._stack.enter_context(open_folder(self.settings))
        self._sinks = self._stack.enter_context(open_reports(reports, options, folder))
        self._events = iter(suite_events(keeping(config, folder)))

    def judged(self, key: Key) -> Judged | None:
        """Run the engine up to the verdict of a case; None if the run ended before it."""
        self._left.discard(key)
        number, role, case = key
        part = number, case.partition("/")[0], role
        while key not in self._judged:
            if part in self._common_verdicts:
                return Judged({**_DEFAULTS, **self._common_verdicts[part], "case": case}, {})
            if not self._advance():
                return None
        return self._judged.pop(key)

    def outcome(self, planned: Planned, judged: Judged | None) -> tuple[Kind, str]:
        """The outcome of a case, given what `judged` returned for it: see `Judged.outcome`."""
        if judged is None:
            why = self.end.get("message") or "no reason"
            return Kind.BROKEN, f"the run ended without a verdict of this case: {why}"
        return judged.outcome(planned.address, self.policy)

    def stop(self) -> None:
        """Begin no further case. May be called from any thread."""
        self._stop.set()

    def finish(self) -> bool:
        """End the run and complete every report; False if chosen cases were never asked for."""
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
        """The accounting and the gate as the command prints them; empty if the run did not end."""
        if not self.end:
            return []
        accounting = self.end["accounting"]
        counts = " + ".join(f"{verdict} {n}" for verdict, n in accounting["counts"].items())
        gate = f"gate {self.end['gate']['colour']}, exit {self.status}"
        return [*self.messages, f"planned {accounting['planned']} = {counts}", gate]

    def _advance(self) -> bool:
        """Take the next event; False after the last."""
        assert self._events is not None
        event = next(self._events, None)
        if event is None:
            return False
        for sink in self._sinks:
            sink(event)
        kind = event["event"]
        if kind == "iut":
            self._implementation += 1
            if event["message"]:
                self.messages.append(f"{event['iut']}: {event['message']}")
        elif kind == "case":
            self._case = event
        elif kind == "verdict":
            self._judged[self._implementation, event["role"], event["case"]] = Judged(event, self._case)
            self._case = {}
        elif kind == "verdicts":
            self._common_verdicts[self._implementation, event["protocol"], event["role"]] = event
        elif kind == "end":
            self.end = event
        return True
