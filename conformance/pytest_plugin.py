"""The pytest plug-in: `pytest --ticdc-iut ADDRESS` puts the suite's cases as test items, through the same engine.

Collecting plans and starts nothing; pytest's own options choose among the items. The engine judges the chosen cases in
its order, each when its item is run, so that it alone keeps the restarts and the accounting; the exit status is the
engine's. With `-n N` of pytest-xdist the engine holds N sessions. Without `--ticdc-iut` the plug-in does nothing.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from conformance.cli.allure_items import AllureItems
from conformance.cli.configuring import run_config
from conformance.cli.outputs import check_reports, open_reports
from conformance.cli.run_folder import as_also, keeping, open_folder
from conformance.cli.settings import SETTINGS, resolve
from conformance.cli.templates import report_options
from conformance.engine import Gate, RunConfig, Sink, Verdict, planned, suite_events
from conformance.engine.events import Event
from conformance.engine.verdicts import ExitStatus, is_red, worst
from conformance.errors import ConformanceError
from conformance.signals import stopping
from reports.allure.labels import status_of
from reports.failure import failure_text

__all__ = [
    "ConformanceWarning",
    "pytest_addoption",
    "pytest_cmdline_main",
    "pytest_collection",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_report_header",
    "pytest_sessionfinish",
    "pytest_terminal_summary",
]

Key: TypeAlias = tuple[int, str, str]
"""Which case of a run: the number of its target, its role and its id."""

_SKIPPED = frozenset({Verdict.UNSUPPORTED, Verdict.EXCLUDED, Verdict.NOT_RUN})


class ConformanceWarning(pytest.PytestWarning):
    """A verdict `warn`: something that should be otherwise, and leaves the gate green."""


class _Red(Exception):
    """A verdict that makes the gate red."""


class _Failed(_Red, AssertionError):
    """A verdict on an answer: to other plug-ins a test that failed, and not one that is broken."""


@dataclass(frozen=True, slots=True)
class _Judged:
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


class CaseItem(pytest.Item):
    """One case of the suite; running it has the engine judge it, and tells the verdict."""

    key: Key
    opaque: str
    address: str

    def runtest(self) -> None:
        """Tell the verdict in pytest's words."""
        run = self.config.stash[_KEY]
        judged = run.judged(self.key, self.session)
        word = Verdict(judged.verdict["verdict"])
        run.allure.tell(judged.verdict, judged.case, judged.replay(self.address))
        if word in _SKIPPED:
            # `pytest.skip` would name a line of ours as the place.
            raise pytest.skip.Exception(f"{word}: {judged.verdict['message']}", _use_item_location=True)
        if word is Verdict.XFAIL or not judged.verdict["new"]:
            known = "; ".join(k["reason"] or k["entry"] for k in judged.verdict["known"])
            pytest.xfail(f"{word}: {known or 'as in the run that is compared with'}")
        if word is Verdict.SUITE_ERROR or is_red(word, run.policy):
            run.red += 1
            raise (_Failed if status_of(judged.verdict, run.policy) == "failed" else _Red)(judged.text(self.address))
        if word is Verdict.XPASS:
            self.add_marker(pytest.mark.xfail(reason="in the baseline, but passes", strict=False))
        elif word is Verdict.WARN:
            self.warn(ConformanceWarning(judged.text(self.address)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """The verdict alone: a traceback of ours would tell nothing."""
        return str(excinfo.value) if isinstance(excinfo.value, _Red) else str(super().repr_failure(excinfo, style))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the case comes from: no line of the user's files."""
        return self.path, 0, self.name


_SETTLED: Mapping[str, Any] = {"findings": (), "known": (), "new": True, "replay": "", "stderr": ""}
"""What the verdict of a case that was settled with others has not in its event."""


class _Run:
    """The engine's run: what is planned, the events as items ask for them, and what it ended with."""

    def __init__(self, config: pytest.Config) -> None:
        given = {s.key: config.getoption(f"ticdc_{s.key}") for s in SETTINGS}
        self.settings = resolve(given, os.environ, config.getoption("ticdc_config"))
        sessions = config.stash.get(_SESSIONS, 0)
        if sessions and not self.settings["sessions"]:
            self.settings = {**self.settings, "sessions": sessions}
        self.config: RunConfig = run_config(self.settings, ["pytest", *sys.argv[1:]])
        self.config.check()
        self.policy: Gate = self.config.policy
        self.allure = AllureItems(config, several=len(self.config.targets) > 1)
        self.items: list[CaseItem] | None = None
        self.messages: list[str] = []
        self.problems: list[ExitStatus] = []
        self.red = 0
        self.end: Mapping[str, Any] = {}
        self._judged: dict[Key, _Judged] = {}
        self._together: dict[tuple[int, str, str], Mapping[str, Any]] = {}
        self._case: Mapping[str, Any] = {}
        self._target = -1
        self._stack = contextlib.ExitStack()
        self._sinks: list[Sink] = []
        self._events: Iterator[Event] | None = None
        self._stop = threading.Event()
        self._left: set[Key] = set()

    def collected(self, session: pytest.Session) -> list[CaseItem]:
        """The items of the planned cases, made once; no implementation is started for them."""
        if self.items is None:
            with _usage():
                self.items = list(self._planned(session))
        return self.items

    def _planned(self, session: pytest.Session) -> Iterator[CaseItem]:
        several = len(self.config.targets) > 1
        for number, (target, plan) in enumerate(planned(self.config)):
            for item in plan.items:
                if item.preset is Verdict.EXCLUDED:
                    continue
                case = item.case
                where = f"{case.role}-{target.profile.name}" + (f"-{number + 1}" if several else "")
                name = f"{case.id}[{where}]"
                # Given as text, for pytest finds what failed before by the text of an id.
                made: CaseItem = CaseItem.from_parent(session, name=name, nodeid=f"ticdc-conformance::{name}")
                made.key, made.opaque, made.address = (number, case.role, case.id), case.opaque_id, target.address
                made.extra_keyword_matches |= {case.protocol, case.role, item.level, *case.requirements}
                yield made

    def judged(self, key: Key, session: pytest.Session) -> _Judged:
        """The verdict of a case: the engine goes on until it is there."""
        if self._events is None:
            self._begin(session)
        self._left.discard(key)
        number, role, case = key
        part = number, case.partition("/")[0], role
        while key not in self._judged:
            if part in self._together:
                return _Judged({**_SETTLED, **self._together[part], "case": case}, {})
            if not self._advance():
                raise _Red(f"the run ended without a verdict of this case: {self.end.get('message') or 'no reason'}")
        return self._judged.pop(key)

    def _begin(self, session: pytest.Session) -> None:
        chosen = [item for item in session.items if isinstance(item, CaseItem)]
        self._left = {item.key for item in chosen}
        config = self.config
        if len(chosen) < len(self.items or ()):
            config = replace(config, selection=replace(config.selection, only=frozenset(i.opaque for i in chosen)))
        with _usage():
            self._stop = self._stack.enter_context(stopping())
            reports, options = self.settings["report"] or (), report_options(self.settings)
            check_reports(reports, options)
            folder = self._stack.enter_context(open_folder(self.settings))
            self._sinks = self._stack.enter_context(open_reports(reports, options, as_also(folder)))
            self._events = iter(suite_events(keeping(config, folder)))

    def _advance(self) -> bool:
        """Take the next event; False after the last one."""
        assert self._events is not None
        with _usage():
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
            self._judged[self._target, event["role"], event["case"]] = _Judged(event, case)
        elif kind == "verdicts":
            self._together[self._target, event["protocol"], event["role"]] = event
        elif kind == "end":
            self.end = event
        return True

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


@contextlib.contextmanager
def _usage() -> Iterator[None]:
    """What cannot be asked, and what is wrong with us, is one line."""
    try:
        yield
    except ConformanceError as e:
        raise pytest.UsageError(f"ticdc-conformance: {e}") from None


_KEY = pytest.StashKey[_Run]()
_SESSIONS = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Every setting of `run`, its name prefixed."""
    group = parser.getgroup("ticdc", "ticdc-conformance")
    for s in SETTINGS:
        common: dict[str, Any] = {"dest": f"ticdc_{s.key}", "help": s.help, "default": None}
        if s.kind == "flag":
            group.addoption(f"--ticdc-{s.name}", action="store_const", const=True, **common)
        else:
            action = "append" if s.kind == "list" else "store"
            group.addoption(f"--ticdc-{s.name}", action=action, metavar=s.metavar, **common)
    group.addoption("--ticdc-config", dest="ticdc_config", metavar="FILE", type=Path, help="configuration file")


def pytest_cmdline_main(config: pytest.Config) -> None:
    """Make sessions of the processes of pytest-xdist: each process would judge for itself, and none would count all."""
    if config.getoption("ticdc_iut") and config.getoption("dist", "no") != "no":
        config.stash[_SESSIONS] = max(1, len(config.getoption("tx", None) or ()))
        config.option.dist, config.option.tx, config.option.numprocesses = "no", [], None


def pytest_configure(config: pytest.Config) -> None:
    """Make ready to judge, if asked to."""
    if config.getoption("ticdc_iut"):
        with _usage():
            config.stash[_KEY] = _Run(config)


def pytest_report_header(config: pytest.Config) -> str | None:
    """What becomes of `-n`."""
    sessions = config.stash.get(_SESSIONS, 0)
    return f"ticdc-conformance: {sessions} sessions with the implementation, in this process" if sessions else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> object | None:
    """With no path named, the suite's cases are all there is to collect."""
    run, hook = session.config.stash.get(_KEY, None), session.config.hook
    if run is None or session.config.args_source is pytest.Config.ArgsSource.ARGS:
        return None
    items: list[pytest.Item] = list(run.collected(session))
    hook.pytest_collectreport(report=pytest.CollectReport(session.nodeid, "passed", None, [*items]))
    session.items = items
    hook.pytest_collection_modifyitems(session=session, config=session.config, items=items)
    hook.pytest_collection_finish(session=session)
    session.testscollected = len(items)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Beside tests of the user's own, the suite's cases come last."""
    run = session.config.stash.get(_KEY, None)
    if run is not None and run.items is None:
        items.extend(run.collected(session))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """The engine's exit status, unless tests of the user's own failed and the engine found nothing worse."""
    run = session.config.stash.get(_KEY, None)
    if run is None:
        return
    complete = run.finish()
    if not run.end or not complete or session.exitstatus in (2, 3, 4):
        return
    others_failed = session.testsfailed > run.red
    session.exitstatus = run.status or (1 if others_failed else 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The accounting and the gate, as the command prints them."""
    run = config.stash.get(_KEY, None)
    if run is not None and run.end:
        accounting = run.end["accounting"]
        counts = " + ".join(f"{verdict} {n}" for verdict, n in accounting["counts"].items())
        terminalreporter.section("ticdc-conformance")
        for message in run.messages:
            terminalreporter.write_line(message)
        terminalreporter.write_line(f"planned {accounting['planned']} = {counts}")
        terminalreporter.write_line(f"gate {run.end['gate']['colour']}, exit {run.status}")
