"""The services that live tests stand on: they answer, take changes, and nothing of them is left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from conformance.transport.guard import Guard
from harnesses.providers import Database, Registry, ServiceError, Unavailable, databases
from harnesses.providers.service import free_ports, listens, running

ROOT = Path(__file__).resolve().parents[2]
LISTENS = "import socket, sys, time\ns = socket.create_server(('127.0.0.1', int(sys.argv[1])))\ntime.sleep(600)\n"


@pytest.mark.parametrize(("kind", "version"), [("mysql", "9.7"), ("mariadb", "10.11")])
def test_a_database_writes_rows_to_its_binlog_in_utc(kind: str, version: str, request: pytest.FixtureRequest) -> None:
    server: Database = request.getfixturevalue(f"{kind}_server")
    assert server.version.startswith(version)
    asked = "select @@log_bin, @@binlog_format, @@binlog_row_image, @@time_zone, @@bind_address"
    assert server.run(asked).split("\t") == ["1", "ROW", "FULL", "+00:00", "127.0.0.1\n"]
    server.run("create database one; create table one.t (v varchar(9)); insert into one.t values ('ä\t😀')")
    assert server.run("select hex(v) from t", database="one") == "C3A409F09F9880\n"


def test_a_statement_that_fails_is_an_error_unless_the_rest_is_to_go_on(mysql_server: Database) -> None:
    with pytest.raises(ServiceError, match="no_such"):
        mysql_server.run("select * from no_such.t")
    with suppress(ServiceError):
        mysql_server.run("select * from no_such.t; create database went_on", force=True)
    assert mysql_server.run("show databases like 'went_on'") == "went_on\n"


def test_statements_that_do_not_end_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_SECONDS", 0.2)
    silent = Database("mysql", "9.7", 1, tmp_path / "log", [sys.executable, "-c", "import time; time.sleep(60)"])
    with pytest.raises(ServiceError, match="do not end within"):
        silent.run("select get_lock('a', 999)")


def test_the_registry_gives_the_schema_back_that_it_was_given(schema_registry: Registry) -> None:
    body = json.dumps({"schema": '"string"'}).encode()
    headers = {"Content-Type": "application/vnd.schemaregistry.v1+json"}
    url = f"{schema_registry.url}/subjects/a-value/versions"
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=10) as answer:
        number = json.load(answer)["id"]
    with urllib.request.urlopen(f"{schema_registry.url}/schemas/ids/{number}", timeout=10) as answer:
        assert json.load(answer)["schema"] == '"string"'
    with urllib.request.urlopen(f"{schema_registry.url}/config", timeout=10) as answer:
        assert json.load(answer) == {"compatibilityLevel": "BACKWARD"}


def test_a_service_ends_with_what_started_it_even_if_that_is_killed(tmp_path: Path) -> None:
    [port] = free_ports(0)
    script = (
        "import os, pathlib, sys\nfrom harnesses.providers.service import listens, running\n"
        "port, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])\n"
        f"command = [sys.executable, '-c', {LISTENS!r}, str(port)]\n"
        "with running(command, folder / 'log', listens(port), name='it') as one:\n"
        "    print(one.pid, flush=True)\n    os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(port), str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE)
    pid = int(done.stdout)
    while Path(f"/proc/{pid}").exists():  # the guard ends it; a time-out of the run would be the failure
        os.sched_yield()
    assert not listens(port)()


def test_a_service_that_does_not_start_says_what_its_log_says(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('there is no disk')"]
    with (
        pytest.raises(Unavailable, match=r"it does not start.*there is no disk"),
        running(command, tmp_path / "log", lambda: False, name="it"),
    ):
        pass


def test_a_program_that_is_not_on_this_machine_is_unavailable(tmp_path: Path) -> None:
    with (
        pytest.raises(Unavailable, match=r"it cannot be started: .*no-such-program"),
        running([str(tmp_path / "no-such-program")], tmp_path / "log", lambda: True, name="it"),
    ):
        pass


def test_a_broken_guard_is_an_error_and_ends_the_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[int] = []

    def watch(_guard: Guard, group: int) -> None:
        watched.append(group)
        raise OSError("there are no more pipes")

    monkeypatch.setattr(Guard, "watch", watch)
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    with (
        pytest.raises(OSError, match="there are no more pipes"),
        running(command, tmp_path / "log", lambda: True, name="it"),
    ):
        pass
    [pid] = watched
    assert not Path(f"/proc/{pid}").exists()


def test_a_service_that_hangs_is_given_up_and_ended(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import os, time; print(os.getpid(), flush=True); time.sleep(600)"]
    log = tmp_path / "log"
    with (
        pytest.raises(Unavailable, match="not ready after 1 s"),
        running(command, log, lambda: False, name="it", seconds=1),
    ):
        pass
    assert not Path(f"/proc/{log.read_text().strip()}").exists()


def test_a_session_in_which_every_live_test_is_skipped_fails(tmp_path: Path) -> None:
    environment = {**os.environ, "LIVE_TESTS": "required", "PATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    one = "tests/live/test_providers.py::test_the_registry_gives_the_schema_back_that_it_was_given"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", one]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Java (java) is missing" in done.stdout or "Maven (mvn) is missing" in done.stdout
    assert "every live test was skipped" in done.stdout
