"""Workers that have nothing of ours but what is sent to them: other processes, started elsewhere, without our path."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.main import main
from tests.spark.staged import complaints, found, run

GENERATE = ("generate", "--preset", "types", "--dialect", "canal", "--changes", "40", "--shards", "2", "--seed", "3")

_STARTS_WITHIN_SECONDS = 120


def test_processes_of_a_cluster_find_what_one_machine_finds(
    tmp_path: Path, elsewhere: dict[str, str], compared: tuple[list[str], dict[str, Any]]
) -> None:
    arguments, expected = compared
    more = ["--master", "local-cluster[2,1,1024]", "--plan", "merge", "--out", str(tmp_path / "cluster")]
    done = run([*arguments, *more], elsewhere, tmp_path)
    assert (done.returncode, complaints(done.stderr)) == (1, "")
    assert found(tmp_path / "cluster") == expected


@pytest.fixture
def server(tmp_path: Path, elsewhere: dict[str, str]) -> Iterator[str]:
    """A server of Spark Connect of our own."""
    package = find_spec("pyspark")
    assert package is not None
    home = Path(next(iter(package.submodule_search_locations or ())))
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    bound = {"spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": str(port)}
    options = {**bound, "spark.ui.enabled": "false", "spark.master": "local[2]", "spark.driver.host": "127.0.0.1"}
    given = [part for name, value in options.items() for part in ("--conf", f"{name}={value}")]
    environment = elsewhere | {"SPARK_NO_DAEMONIZE": "1", "SPARK_HOME": str(home), "SPARK_LOG_DIR": str(tmp_path)}
    with (tmp_path / "server.log").open("wb") as log:
        script = [str(home / "sbin" / "start-connect-server.sh"), *given]
        started = subprocess.Popen(
            script, cwd=tmp_path, env=environment, stdout=log, stderr=log, start_new_session=True
        )
        try:
            wait_for(port, started)
            yield f"sc://127.0.0.1:{port}"
        finally:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()


def wait_for(port: int, started: subprocess.Popen[bytes]) -> None:
    """Until somebody listens, or the process has ended."""
    end = time.monotonic() + _STARTS_WITHIN_SECONDS
    while started.poll() is None and time.monotonic() < end:
        with closing(socket.socket()) as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise AssertionError("the server does not listen")


def test_a_server_of_spark_connect_compares_and_generates_as_one_machine_does(
    tmp_path: Path, elsewhere: dict[str, str], compared: tuple[list[str], dict[str, Any]], server: str
) -> None:
    arguments, expected = compared
    more = ["--master", server, "--stage", f"file://{tmp_path}/stage", "--out", str(tmp_path / "connect")]
    done = run([*arguments, *more], elsewhere, tmp_path)
    assert (done.returncode, complaints(done.stderr)) == (1, "")
    assert found(tmp_path / "connect") == expected
    here, there = tmp_path / "here", tmp_path / "there"
    assert main([*GENERATE, "-n", "1", "--out", str(here)]) == 0
    done = run([*GENERATE, "--master", server, "--out", str(there)], elsewhere, tmp_path)
    assert (done.returncode, complaints(done.stderr)) == (0, "")
    written = [{file.relative_to(of): file.read_bytes() for file in of.rglob("*.*")} for of in (here, there)]
    assert written[0] == written[1]
