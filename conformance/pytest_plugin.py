"""The pytest plug-in: `pytest --ticdc-iut ADDRESS` puts the suite's cases as test items, through the same engine.

The engine judges while pytest collects, for it alone keeps the order, the restarts and the accounting; an item then
tells its case's verdict. The exit status is the engine's. Without `--ticdc-iut` the plug-in does nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.configuring import run_config
from conformance.cli.run import open_reports
from conformance.cli.settings import SETTINGS, resolve
from conformance.engine import run_suite
from conformance.errors import ConformanceError
from reports.texts import difference

__all__ = [
    "pytest_addoption",
    "pytest_collection",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_sessionfinish",
    "pytest_terminal_summary",
]

_OUTCOME = {
    **dict.fromkeys(("pass", "flaky"), "pass"),
    **dict.fromkeys(("unsupported", "excluded", "not_run"), "skip"),
    "xfail": "xfail",
    "warn": "warn",
}


class CaseItem(pytest.Item):
    """One case of the suite; running it tells the verdict that the engine came to."""

    verdict: Mapping[str, Any]
    strict: bool

    def runtest(self) -> None:
        """Tell the verdict in pytest's words."""
        verdict = self.verdict["verdict"]
        outcome = _OUTCOME.get(verdict, "fail")
        text = f"{verdict}: {_text(self.verdict)}"
        if outcome == "skip":
            pytest.skip(text)
        if outcome == "xfail":
            pytest.xfail(text)
        if outcome == "fail" or (outcome == "warn" and self.strict):
            raise _Red(text)
        if outcome == "warn":
            self.warn(pytest.PytestWarning(f"{self.name}: {text}"))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """The verdict alone: a traceback of ours would tell nothing."""
        return str(excinfo.value) if isinstance(excinfo.value, _Red) else str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where the case comes from: nowhere in the user's files."""
        return self.path, None, self.name


class _Red(Exception):
    """A verdict that makes the gate red."""


def _text(verdict: Mapping[str, Any]) -> str:
    lines = [str(verdict.get("message") or "")]
    lines += [_finding(f) for f in verdict["findings"]]
    lines.append(f"replay: ticdc-conformance replay {verdict['replay']} --iut …")
    return "\n  ".join(line for line in lines if line)


def _finding(finding: Mapping[str, Any]) -> str:
    expected, got, _ = difference(finding["expected"], finding["got"], 60)
    return f"{finding['requirement']}  {finding['path']}: expected {expected}, got {got}"


class _Run:
    """The engine's run: its events, and what it ended with."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.settings = resolve(
            {s.key: config.getoption(f"ticdc_{s.key}") for s in SETTINGS}, os.environ, config.getoption("ticdc_config")
        )
        self.verdicts: list[Mapping[str, Any]] = []
        self.messages: list[str] = []
        self.end: Mapping[str, Any] = {}
        self.status = 0
        self.items: list[pytest.Item] | None = None

    def judge(self, session: pytest.Session) -> list[pytest.Item]:
        """Judge, once; the items that tell the verdicts."""
        if self.items is None:
            self.items = []
            try:
                with open_reports(self.settings["report"] or ()) as sinks:
                    config = run_config(self.settings, ["pytest", *sys.argv[1:]])
                    self.status = int(run_suite(config, [self._take, *sinks]))
            except ConformanceError as e:
                raise pytest.UsageError(f"ticdc-conformance: {e}") from None
            self.items = [self._item(session, verdict) for verdict in self.verdicts]
        return self.items

    def _take(self, event: Mapping[str, Any]) -> None:
        if event["event"] == "verdict":
            self.verdicts.append(event)
        elif event["event"] == "iut" and event["message"]:
            self.messages.append(f"{event['iut']}: {event['message']}")
        elif event["event"] == "end":
            self.end = event

    def _item(self, session: pytest.Session, verdict: Mapping[str, Any]) -> pytest.Item:
        name = f"{verdict['case']}[{verdict['role']}-{verdict['profile']}]"
        item: CaseItem = CaseItem.from_parent(session, name=name)
        item.verdict = verdict
        item.strict = bool(self.settings["strict"]) or self.settings["gate"] == "should"
        return item


_KEY = pytest.StashKey[_Run]()


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


def pytest_configure(config: pytest.Config) -> None:
    """Make ready to judge, if asked to."""
    if not config.getoption("ticdc_iut"):
        return
    if hasattr(config, "workerinput") or config.getoption("numprocesses", None):
        raise pytest.UsageError("ticdc-conformance: pytest-xdist would judge once a worker; use --ticdc-sessions N")
    try:
        config.stash[_KEY] = _Run(config)
    except ConformanceError as e:
        raise pytest.UsageError(f"ticdc-conformance: {e}") from None


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> object | None:
    """With no path named, the suite's cases are all there is to collect."""
    run = session.config.stash.get(_KEY, None)
    if run is None or session.config.args_source is pytest.Config.ArgsSource.ARGS:
        return None
    session.items = run.judge(session)
    session.testscollected = len(session.items)
    session.config.hook.pytest_collection_finish(session=session)
    return True


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Beside tests of the user's own, the suite's cases come last."""
    run = session.config.stash.get(_KEY, None)
    if run is not None:
        items.extend(run.judge(session))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """The engine's exit status, unless tests of the user's own failed and the engine found nothing worse."""
    run = session.config.stash.get(_KEY, None)
    if run is None or run.items is None or session.exitstatus in (2, 3, 4):
        return
    ours = set(run.items)
    others_failed = session.testsfailed > sum(1 for i in ours if _is_red(i))
    session.exitstatus = run.status or (1 if others_failed else 0)


def _is_red(item: pytest.Item) -> bool:
    assert isinstance(item, CaseItem)
    outcome = _OUTCOME.get(item.verdict["verdict"], "fail")
    return outcome == "fail" or (outcome == "warn" and item.strict)


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
