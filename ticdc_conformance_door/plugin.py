"""The hooks: `pytest --ticdc-iut ADDRESS` puts the suite's cases as test items, through the engine that `use` chose.

Collecting plans and starts nothing; pytest's own options choose among the items. The engine judges the chosen cases in
its order, each when its item is run, so that it alone keeps the restarts and the accounting; the exit status is the
engine's. With `-n N` of pytest-xdist the engine holds N sessions. Without `--ticdc-iut` the plug-in does nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ticdc_conformance_door.engine import Asked, Engine, PlannedItem
from ticdc_conformance_door.items import Kind, Red, is_red, put_to_pytest

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


class _Chosen:
    """How the engine is made, by `use`."""

    make: Callable[[], Engine]


def use(make: Callable[[], Engine]) -> None:
    """Choose the engine of sessions that begin from now on."""
    _Chosen.make = staticmethod(make)


class CaseItem(pytest.Item):
    """One case of the suite; running it has the engine judge it, and tells the verdict."""

    number: int

    def runtest(self) -> None:
        """Tell the verdict in pytest's words."""
        put_to_pytest(self, *self.config.stash[_KEY].outcome(self.number, self.session))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """The verdict alone: a traceback of ours would tell nothing."""
        return str(excinfo.value) if isinstance(excinfo.value, Red) else str(super().repr_failure(excinfo, style))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the case comes from: no line of the user's files."""
        return self.path, 0, self.name


class _Run:
    """The run of a session of pytest: its items, and how many of them are red."""

    def __init__(self, config: pytest.Config, engine: Engine) -> None:
        given = {option.key: config.getoption(f"ticdc_{option.key}") for option in engine.options()}
        sessions = config.stash.get(_SESSIONS, 0)
        self.engine = engine
        asked = Asked(given, config.getoption("ticdc_config"), sessions, ["pytest", *sys.argv[1:]])
        self._planned = engine.plan(asked, config)
        self.items: list[CaseItem] | None = None
        self.red = 0
        self._has_begun = False

    def collected(self, session: pytest.Session) -> list[CaseItem]:
        """The items of the planned cases, made once; no implementation is started for them."""
        if self.items is None:
            self.items = [_item(session, number, one) for number, one in enumerate(self._planned)]
        return self.items

    def outcome(self, number: int, session: pytest.Session) -> tuple[Kind, str]:
        """What became of a case, and why: the engine goes on until it is known."""
        if not self._has_begun:
            self._has_begun = True
            self.engine.begin([item.number for item in session.items if isinstance(item, CaseItem)])
        kind, text = self.engine.outcome(number)
        self.red += is_red(kind)
        return kind, text


def _item(session: pytest.Session, number: int, planned: PlannedItem) -> CaseItem:
    # Given as text, for pytest finds what failed before by the text of an id.
    made: CaseItem = CaseItem.from_parent(session, name=planned.name, nodeid=f"ticdc-conformance::{planned.name}")
    made.number = number
    made.extra_keyword_matches |= planned.keywords
    return made


_KEY = pytest.StashKey[_Run]()
_SESSIONS = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Every setting of `run`, its name prefixed."""
    group = parser.getgroup("ticdc", "ticdc-conformance")
    for option in _Chosen.make().options():
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
    """Make sessions of the processes of pytest-xdist: each process would judge for itself, and none would count all."""
    if config.getoption("ticdc_iut") and config.getoption("dist", "no") != "no":
        config.stash[_SESSIONS] = max(1, len(config.getoption("tx", None) or ()))
        config.option.dist, config.option.tx, config.option.numprocesses = "no", [], None


def pytest_configure(config: pytest.Config) -> None:
    """Make ready to judge, if asked to."""
    if config.getoption("ticdc_iut"):
        config.stash[_KEY] = _Run(config, _Chosen.make())


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
    complete = run.engine.finish()
    status = run.engine.status()
    if status is None or not complete or session.exitstatus in (2, 3, 4):
        return
    others_failed = session.testsfailed > run.red
    session.exitstatus = status or (1 if others_failed else 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The accounting and the gate, as the command prints them."""
    run = config.stash.get(_KEY, None)
    if run is not None and (lines := run.engine.summary()):
        terminalreporter.section("ticdc-conformance")
        for line in lines:
            terminalreporter.write_line(line)
