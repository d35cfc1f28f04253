"""Real services for the tests of this folder; where one cannot be had, its tests are skipped and say why.

With `LIVE_TESTS=required`, which the environments of tox set, a session in which every test was skipped fails.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from harnesses import providers


@contextmanager
def had(service: AbstractContextManager[object]) -> Iterator[object]:
    """What a service gives while it runs; a skip with the reason where it cannot be had."""
    try:
        found = service.__enter__()
    except providers.Unavailable as e:
        pytest.skip(str(e))
    try:
        yield found
    finally:
        service.__exit__(None, None, None)


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    with had(providers.kafka(tmp_path_factory.mktemp("broker"))) as found:
        yield found


@pytest.fixture(scope="session")
def schema_registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    with had(providers.registry(tmp_path_factory.mktemp("registry"))) as found:
        yield found


@pytest.fixture(scope="session")
def mysql_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    with had(providers.mysql(tmp_path_factory.mktemp("mysql"))) as found:
        yield found


@pytest.fixture(scope="session")
def mariadb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    with had(providers.mariadb(tmp_path_factory.mktemp("mariadb"))) as found:
        yield found


@pytest.fixture(scope="session")
def connector() -> Path:
    try:
        return providers.connector()
    except providers.Unavailable as e:
        pytest.skip(str(e))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if os.environ.get("LIVE_TESTS") != "required" or exitstatus != pytest.ExitCode.OK or not session.testscollected:
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and not any(reporter.stats.get(name) for name in ("passed", "xfailed")):
        reporter.write_line("every live test was skipped: nothing was shown", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
