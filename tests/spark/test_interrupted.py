"""Ctrl-C and SIGTERM, to all processes of a command on Spark: one line, one status, and nothing that goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from tests.spark.staged import DRIVER, complaints

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = "ticdc-conformance: interrupted\n"
Compared = tuple[list[str], dict[str, Any]]
Running = subprocess.Popen[str]
Start = Callable[..., Running]


def processes_of(folder: Path) -> list[int]:
    """Those in whose command there is the folder: a JVM has its configuration there."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.fsencode(folder) in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue
    return found


def wait_for(there: Callable[[], object], running: Running) -> None:
    while not there():
        assert running.poll() is None
        time.sleep(0.02)


@pytest.fixture
def start(tmp_path: Path, elsewhere: dict[str, str]) -> Iterator[Start]:
    """Start the command, as the leader of a group of its own."""
    started: list[Running] = []

    def start(arguments: Sequence[str]) -> Running:
        command = [sys.executable, "-c", DRIVER, *arguments, "--runner", "spark", "--master", "local[1]"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen(command, cwd=tmp_path, env=elsewhere, start_new_session=True, **pipes))
        return started[-1]

    yield start
    for running in started:
        running.kill()
        running.communicate()


def ended(running: Running, number: int, folder: Path) -> tuple[int, str]:
    """The status and standard error after a signal to the whole group, when no JVM is there any more."""
    os.killpg(running.pid, number)
    _, said = running.communicate()
    assert processes_of(folder / "conf") == []
    return running.returncode, complaints(said)


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_interrupted_while_java_starts_it_ends_with_it(
    number: int, tmp_path: Path, compared: Compared, start: Start
) -> None:
    running = start([*compared[0], "--out", str(tmp_path / "out")])
    wait_for(lambda: processes_of(tmp_path / "conf"), running)
    assert ended(running, number, tmp_path) == (2, INTERRUPTED)
    assert not (tmp_path / "out" / "summary.json").exists()


def test_interrupted_at_work_it_keeps_the_stages_that_are_complete(
    tmp_path: Path, compared: Compared, start: Start
) -> None:
    running = start([*compared[0], "--plan", "two-pass", "--out", str(tmp_path / "out")])
    decoded = tmp_path / "out" / "stage" / "decoded.manifest.json"
    wait_for(decoded.exists, running)
    assert ended(running, signal.SIGTERM, tmp_path) == (2, INTERRUPTED)
    assert decoded.is_file()


def test_a_comparison_that_goes_on_ends_as_it_should_even_where_java_ends_first(
    tmp_path: Path, compared: Compared, start: Start
) -> None:
    out = tmp_path / "live"
    running = start([*_of_folders(compared[0], tmp_path), "--out", str(out), "--live", "--every", "0"])
    assert running.stdout is not None
    assert running.stdout.readline().startswith("batch 1: ")
    [java] = processes_of(tmp_path / "conf")
    assert os.getpgid(java) != running.pid  # so that a signal to the group does not reach it
    os.kill(java, signal.SIGTERM)
    status, said = ended(running, signal.SIGTERM, tmp_path)
    found = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert (status, said) == (found["exit_status"], "")
    assert found["live"]["batches"] >= 1
    assert sum(side["messages"] for side in found["sides"]) > 0


def _of_folders(arguments: Sequence[str], folder: Path) -> list[str]:
    """The same comparison, of folders into which files may come; their messages come one a second."""
    told = []
    for argument in arguments:
        spec, _, source = argument.rpartition(":")
        if source.endswith(".parquet"):
            place = folder / f"of-{Path(source).stem}"
            place.mkdir()
            table = parquet.read_table(source)
            times = pyarrow.array([1000 * n for n in range(len(table))], pyarrow.timestamp("ms", "UTC"))
            parquet.write_table(table.append_column("timestamp", times), place / "part.parquet")
            argument = f"{spec}:{place}"
        told.append(argument)
    return told
