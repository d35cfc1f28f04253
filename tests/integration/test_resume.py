"""`run --out DIR --resume`: a run that was interrupted goes on, and ends as if it had never been."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from conformance.cli.main import main
from reports.saved import ANSWERS, RECORD, open_run
from tests.integration.test_report_merge import BASELINE
from tests.integration.test_run_folder import ASKED, stable, verdicts_of

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120


@cache
def baseline() -> str:
    path = Path(mkdtemp(), "baseline.toml")
    path.write_text(BASELINE, encoding="utf-8")
    return str(path)


def asked() -> list[str]:
    return ["run", "-q", *ASKED, "-n", "1", "--role", "encode", "--baseline", baseline(), "--today", "2026-01-01"]


@cache
def whole() -> Path:
    """The folder of a run of a faulty harness that nobody interrupted."""
    out = Path(mkdtemp(), "whole")
    main([*asked(), "--out", str(out)])
    return out


def cut(out: Path, share: float) -> int:
    """Leave of the run what a kill might have left, and say how many verdicts that are."""
    shutil.copytree(whole(), out)
    for name in (RECORD, ANSWERS):
        data = (out / name).read_bytes()
        (out / name).write_bytes(data[: int(len(data) * share)])
    return sum(len(iut.verdicts) for iut in open_run(out).iuts.values())


@pytest.mark.parametrize("share", [0.3, 0.5, 0.8, 0.97, 1.0])
def test_a_run_that_was_cut_anywhere_goes_on_to_what_it_would_have_been(share: float, tmp_path: Path) -> None:
    out = tmp_path / "out"
    settled = cut(out, share)
    status = main([*asked(), "--out", str(out), "--resume"])
    assert stable(out, sessions=False) == stable(whole(), sessions=False)
    assert (out / ANSWERS).read_bytes() == (whole() / ANSWERS).read_bytes()
    end = open_run(out).end
    assert end is not None
    assert (status, settled > 0) == (end["exit"], True)
    assert sorted(one.name for one in out.iterdir()) == [ANSWERS, RECORD]


def test_what_was_settled_is_kept_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "out"
    cut(out, 1.0)
    before = {k: v["seconds"] for k, v in verdicts_of(open_run(out)).items()}
    main([*asked(), "--out", str(out), "--resume"])
    assert {k: v["seconds"] for k, v in verdicts_of(open_run(out)).items()} == before


def test_a_resumed_run_that_is_killed_costs_nothing_that_either_had_settled(tmp_path: Path) -> None:
    out = tmp_path / "out"
    cut(out, 0.4)
    cut(out / ".resumed", 0.8)
    told = {key: verdict["seconds"] for key, verdict in verdicts_of(open_run(out / ".resumed")).items()}
    main([*asked(), "--out", str(out), "--resume"])
    assert stable(out, sessions=False) == stable(whole(), sessions=False)
    now = verdicts_of(open_run(out))
    kept = [key for key, seconds in told.items() if now[key]["seconds"] == seconds]
    assert len(kept) > len(told) // 2
    assert not (out / ".resumed").exists()


def of_run(out: Path, kind: str, **members: Any) -> None:
    """Set members of an event of a saved run."""
    events = [dict(event) for event in open_run(out).events]
    for event in events:
        event |= members if event["event"] == kind else {}
    (out / RECORD).write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")


@pytest.mark.parametrize(
    ("kind", "members", "more", "words"),
    [
        ("run", {"suite": "0"}, [], "the suite has changed"),
        ("iut", {"version": "0"}, [], "the version of the implementation has changed"),
        ("iut", {"name": "other"}, [], "the name of the implementation has changed"),
        ("iut", {"profile": "doc"}, [], "the profile of the implementation has changed"),
        ("iut", {"address": "cmd:./other"}, [], "the address of the implementation has changed"),
        ("plan", {"digest": "0"}, [], "the plan has changed"),
        ("run", {}, ["--gate", "must"], 'the gate has changed: it is "must", and was "data"'),
        ("run", {}, ["--level", "must"], "the level has changed"),
        ("run", {}, ["--shard", "1/2"], "the selection has changed"),
    ],
)
def test_a_run_does_not_go_on_as_another(kind, members, more, words, tmp_path, capsys) -> None:
    out = tmp_path / "out"
    cut(out, 0.6)
    of_run(out, kind, **members)
    before = (out / RECORD).read_bytes()
    capsys.readouterr()
    assert main([*asked(), "--out", str(out), "--resume", *more]) == 4
    said = capsys.readouterr()
    assert words in said.err
    assert said.out == ""
    assert (out / RECORD).read_bytes() == before
    assert sorted(one.name for one in out.iterdir()) == [ANSWERS, RECORD]


def test_a_run_whose_implementation_did_not_start_when_it_was_resumed_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    cut(out, 0.6)
    of_run(out, "iut", started=False, name="", version="", protocols={})
    main([*asked(), "--out", str(out), "--resume"])
    assert stable(out, sessions=False) == stable(whole(), sessions=False)


def test_a_refused_run_leaves_the_draft_of_an_earlier_one_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "out"
    cut(out, 0.4)
    cut(out / ".resumed", 0.8)
    before = {one.name: one.read_bytes() for one in (out / ".resumed").iterdir()}
    assert main([*asked(), "--out", str(out), "--resume", "--gate", "must"]) == 4
    assert {one.name: one.read_bytes() for one in (out / ".resumed").iterdir()} == before


def test_how_many_verdicts_were_kept_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    cut(out, 1.0)
    capsys.readouterr()
    main([*asked(), "--out", str(out), "--resume"])
    unsettled = {"not_run", "suite_error"}
    kept = sum(one["verdict"] not in unsettled for one in verdicts_of(open_run(whole())).values())
    assert f"--resume: {kept} verdicts kept of the run that was in {out}" in capsys.readouterr().err


@pytest.mark.parametrize(("more", "words"), [([], "goes with --out DIR"), (["--out", "{}/x"], "there is no run")])
def test_what_cannot_go_on_is_refused(more: list[str], words: str, tmp_path: Path, capsys) -> None:
    assert main([*asked(), "--resume", *(word.format(tmp_path) for word in more)]) == 4
    assert words in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize(("signals", "status"), [([signal.SIGINT, signal.SIGTERM], 2), ([signal.SIGKILL], -9)])
def test_a_run_that_is_interrupted_or_killed_in_the_middle_goes_on(signals: list[int], status: int, tmp_path) -> None:
    flag, pipe = tmp_path / "flag", tmp_path / "pipe"
    harness = f"cmd:{sys.executable} {Path(__file__).with_name('pausing.py')} {flag} {pipe}"
    options = ["-q", "--iut", harness, "--role", "encode", "-k", "canal-json/name* or canal-json/flags*", "-n", "1"]
    assert main(["run", *options, "--protocol", "canal-json", "--out", str(tmp_path / "whole")]) == 0
    flag.touch()
    os.mkfifo(pipe)
    argv = [sys.executable, str(ROOT / "ticdc_conformance.py"), "run", *options, "--protocol", "canal-json"]
    process = subprocess.Popen([*argv, "--timeout", "60", "--out", str(tmp_path / "out")], start_new_session=True)
    assert pipe.read_text(encoding="utf-8") == "here"
    for number in signals:  # at the second of two a run no longer waits for the answer
        process.send_signal(number)
    assert process.wait(PATIENCE) == status
    flag.unlink()
    verdicts = [v["verdict"] for v in verdicts_of(open_run(tmp_path / "out")).values()]
    assert verdicts.count("pass") >= 30
    assert main(["run", *options, "--protocol", "canal-json", "--out", str(tmp_path / "out"), "--resume"]) == 0
    assert stable(tmp_path / "out", sessions=False) == stable(tmp_path / "whole", sessions=False)
    assert (tmp_path / "out" / ANSWERS).read_bytes() == (tmp_path / "whole" / ANSWERS).read_bytes()
