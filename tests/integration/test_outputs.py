"""What becomes of a run that cannot be shown: it is not green, and whoever can be told is told."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from miniature import command

from conformance.cli.main import main
from conformance.cli.outputs import open_outputs
from conformance.errors import ConformanceError
from tests.toy import run

ROOT = Path(__file__).resolve().parents[2]
FULL = Path("/dev/full")

needs_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


@needs_full
@pytest.mark.parametrize("kind", ["jsonl", "junit", "markdown"])
def test_a_run_whose_report_is_not_written_is_not_green(kind: str, tmp_path: Path, capsys) -> None:
    status, events = run({"a": "ok"})
    assert status == 0
    with open_outputs([f"{kind}={FULL}", f"jsonl={tmp_path / 'record'}"], quiet=False) as outputs:
        for event in events:
            outputs.handle(event)
    assert outputs.status(status) == 3
    said = capsys.readouterr()
    assert "GREEN" not in said.out
    assert "exit 3" in said.out
    assert f"--report {kind}=/dev/full: could not be written whole (No space left on device)" in said.err
    assert [json.loads(line)["event"] for line in (tmp_path / "record").read_text().splitlines()][-1] == "end"


@needs_full
def test_a_red_run_is_not_green_either_and_keeps_what_weighs_more(capsys: pytest.CaptureFixture[str]) -> None:
    status, events = run({"a": "ctrl-c"})
    assert status == 2
    with open_outputs([f"jsonl={FULL}"], quiet=True) as outputs:
        for event in events:
            outputs.handle(event)
    assert outputs.status(status) == 2
    assert "could not be written" in capsys.readouterr().err


@needs_full
def test_pytest_is_told_of_a_report_that_is_not_written() -> None:
    from conformance.cli.outputs import open_reports

    _, events = run({"a": "ok"})

    def reported() -> None:
        with open_reports([f"junit={FULL}"]) as sinks:
            for event in events:
                for sink in sinks:
                    sink(event)

    with pytest.raises(ConformanceError, match="could not be written whole"):
        reported()


def cut(folder: Path, *arguments: str) -> tuple[int, str]:
    """The status of a command whose output nobody reads, and what it says on stderr."""
    reading, writing = os.pipe()
    os.close(reading)
    argv = [sys.executable, "-m", "ticdc_conformance", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with os.fdopen(writing, "wb") as out:
        done = subprocess.run(
            argv, cwd=folder, stdout=out, stderr=subprocess.PIPE, text=True, env=environment, check=False
        )
    return done.returncode, done.stderr


JUDGED = ["run", "--iut", f"cmd:{command('echo')}", "--protocol", "canal-json", "--role", "encode", "-k", "golden"]


def test_a_run_whose_output_is_cut_has_status_3_says_so_and_writes_its_reports_to_the_end(tmp_path: Path) -> None:
    status, said = cut(tmp_path, *JUDGED, "--report", "jsonl=record.jsonl")
    assert status == 3
    assert said.splitlines()[-1:] == ["ticdc-conformance: the output was cut (Broken pipe)"]
    last = json.loads((tmp_path / "record.jsonl").read_text().splitlines()[-1])
    assert (last["event"], last["exit"]) == ("end", 1)


def test_a_run_whose_output_is_closed_is_judged_as_any_other(tmp_path: Path) -> None:
    argv = shlex.join([sys.executable, "-m", "ticdc_conformance", *JUDGED, "--report", "jsonl=record.jsonl"])
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["sh", "-c", f"{argv} >&- 2>&-"], cwd=tmp_path, env=environment, check=False)
    last = json.loads((tmp_path / "record.jsonl").read_text().splitlines()[-1])
    assert (last["event"], last["exit"], done.returncode) == ("end", 1, 1)


def test_a_run_folder_on_a_full_disk_is_named(tmp_path: Path) -> None:
    argv = shlex.join([sys.executable, "-m", "ticdc_conformance", *JUDGED, "--out", "out"])
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    limited = ["sh", "-c", f"ulimit -f 64; {argv}"]
    done = subprocess.run(limited, cwd=tmp_path, env=environment, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (
        3,
        "ticdc-conformance: --out out: could not be written whole (File too large)\n",
    )


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a saved run, and with its two shards."""
    folder = tmp_path_factory.mktemp("saved")
    for name, part in (("whole", "1/1"), ("1", "1/2"), ("2", "2/2")):
        main([*JUDGED, "-q", "--shard", part, "--out", str(folder / name)])
    return folder


OF_SAVED = (
    *("diff whole whole --fail-on lost", "report merge 1 2 --out merged"),
    "list requirements --protocol canal-json --uncovered whole",
)


@pytest.mark.parametrize("arguments", OF_SAVED)
def test_a_judgement_of_saved_runs_whose_output_is_cut_has_status_3_and_says_so(arguments: str, saved: Path) -> None:
    status, said = cut(saved, *shlex.split(arguments))
    assert status == 3
    assert said.splitlines()[-1:] == ["ticdc-conformance: the output was cut (Broken pipe)"]


@pytest.mark.parametrize("arguments", ["list requirements", "list protocols", "explain CJ-010", "--help"])
def test_a_listing_may_be_cut(arguments: str, tmp_path: Path) -> None:
    status, said = cut(tmp_path, *shlex.split(arguments))
    assert status == 0
    assert "Broken pipe" not in said
    assert "Exception" not in said
