"""The hooks of pytest: `pytest --ticdc-iut ADDRESS` makes a test item of each case; the engine of `use` judges them.

Collection plans the cases and starts no implementation; pytest's own options select items. The engine judges the
selected cases in the order of the plan, each when pytest runs its item, and decides the exit status. With `-n N` of
pytest-xdist the engine opens N sessions. Without `--ticdc-iut` the plug-in does nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ticdc_conformance_door.engine import Engine, PlannedItem, RunRequest
from ticdc_conformance_door.items import Kind, Red, is_red, report_to_pytest

__all__ = [
    "pytest_addoption",
    "pytest_cmdline_main",
    "pytest_collection",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_report_header",
    "pytest_sessionfinish",
    "pytest_terminal_summary",
    "use",
]


_new_engine: Callable[[], Engine]  # set by `use`


def use(new_engine: Callable[[], Engine]) -> None:
    """Set the function that makes the engine of each session from now on."""
    global _new_engine
    _new_engine = new_engine


class CaseItem(pytest.Item):
    """A case of the suite as a test item: to run it is to have the engine judge it."""

    number: int
    outcome: tuple[Kind, str] | None = None
    """The outcome, once judged: a plug-in that runs failed items again gets it again."""

    def runtest(self) -> None:
        """Judge the case and report its outcome."""
        if self.outcome is None:
            self.outcome = self.config.stash[_KEY].outcome(self.number, self.session)
        report_to_pytest(self, *self.outcome)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """The text of the verdict, without a traceback: that would only show lines of the plug-in."""
        return str(excinfo.value) if isinstance(excinfo.value, Red) else str(super().repr_failure(excinfo, style))

    def reportinfo(self) -> tuple[Path, int, str]:
        """The location of the case, which is in no file of the user."""
        return self.path, 0, self.name


class _Run:
    """The run in a session of pytest: its items, and the number of red ones."""

    def __init__(self, config: pytest.Config, engine: Engine) -> None:
        given = {option.key: config.getoption(f"ticdc_{option.key}") for option in engine.options()}
        sessions = config.stash.get(_SESSIONS, 0)
        self.engine = engine
        request = RunRequest(given, config.getoption("ticdc_config"), sessions, ["pytest", *sys.argv[1:]])
        self._planned = engine.plan(request, config)
        self.items: list[CaseItem] | None = None
        self.red = 0
        self._has_begun = False

    def collected(self, session: pytest.Session) -> list[CaseItem]:
        """The items of the planned cases, made at the first call; no implementation is started."""
        if self.items is None:
            self.items = [_item(session, number, one) for number, one in enumerate(self._planned)]
        return self.items

    def outcome(self, number: int, session: pytest.Session) -> tuple[Kind, str]:
        """Judge the cases up to this one; its outcome, and the reason. The first call begins the run."""
        if not self._has_begun:
            self._has_begun = True
            self.engine.begin([item.number for item in session.items if isinstance(item, CaseItem)])
        kind, text = self.engine.outcome(number)
        self.red += is_red(kind)
        return kind, text


def _item(session: pytest.Session, number: int, planned: PlannedItem) -> CaseItem:
    # A fixed text as id: `--last-failed` finds an item by the text of its id.
    made: CaseItem = CaseItem.from_parent(session, name=planned.name, nodeid=f"ticdc-conformance::{planned.name}")
    made.number = number
    made.extra_keyword_matches |= planned.keywords
    return made


_KEY = pytest.StashKey[_Run]()
_SESSIONS = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add every setting of `run` as the option `--ticdc-NAME`."""
    group = parser.getgroup("ticdc", "ticdc-conformance")
    for option in _new_engine().options():
        common: dict[str, Any] = {"dest": f"ticdc_{option.key}", "help": option.help, "default": None}
        if option.kind == "flag":
            group.addoption(f"--ticdc-{option.name}", action="store_const", const=True, **common)
        else:
            action = "append" if option.kind == "list" else "store"
            group.addoption(f"--ticdc-{option.name}", action=action, metavar=option.metavar, **common)
    group.addoption("--ticdc-config", dest="ticdc_config", metavar="FILE", type=Path, help="configuration file")
    group.addoption(
        "--ticdc-suite",
        dest="ticdc_suite",
        metavar="PATH",
        help="judge by the suite in another environment: its folder, its command, or a line as: uvx ticdc-conformance",
    )


def pytest_cmdline_main(config: pytest.Config) -> None:
    """Turn the processes of pytest-xdist into sessions: each process would judge and count only its own items."""
    if config.getoption("ticdc_iut") and config.getoption("dist", "no") != "no":
        config.stash[_SESSIONS] = max(1, len(config.getoption("tx", None) or ()))
        config.option.dist, config.option.tx, config.option.numprocesses = "no", [], None


def pytest_configure(config: pytest.Config) -> None:
    """Plan the run if `--ticdc-iut` is given."""
    if config.getoption("ticdc_iut"):
        config.stash[_KEY] = _Run(config, _new_engine())


def pytest_report_header(config: pytest.Config) -> str | None:
    """A line that says how many sessions `-n` opens."""
    sessions = config.stash.get(_SESSIONS, 0)
    return f"ticdc-conformance: {sessions} sessions with the implementation, in this process" if sessions else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> object | None:
    """Collect only the cases of the suite if the command line names no path."""
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
    """Append the cases of the suite to the tests of the user, if there are any."""
    run = session.config.stash.get(_KEY, None)
    if run is not None and run.items is None:
        items.extend(run.collected(session))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Set the exit status of the engine, or 1 if it is 0 and a test of the user failed."""
    run = session.config.stash.get(_KEY, None)
    if run is None:
        return
    is_complete = run.engine.finish()
    status = run.engine.status()
    if status is None or not is_complete or session.exitstatus in (2, 3, 4):
        return
    others_failed = session.testsfailed > run.red
    session.exitstatus = status or (1 if others_failed else 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the accounting and the gate as the command does."""
    run = config.stash.get(_KEY, None)
    if run is not None and (lines := run.engine.summary()):
        terminalreporter.section("ticdc-conformance")
        for line in lines:
            terminalreporter.write_line(line)
