"""`init` as a person meets it; the skeleton in Python is judged here, the others by `tox run -e init`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli.main import main
from conformance.engine.verdicts import Verdict
from conformance.skeletons import load_skeletons
from tests.amounts import ordinarily

USAGE = 4


@pytest.fixture
def harness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """The folder of a new skeleton in Python, which is the working folder."""
    assert main(["init", "--lang", "python", str(tmp_path / "harness")]) == 0
    capsys.readouterr()
    monkeypatch.chdir(tmp_path / "harness")
    return tmp_path / "harness"


def test_the_skeleton_in_python_is_green_and_claims_nothing_that_it_does_not_do(harness: Path) -> None:
    some = ordinarily(["--shard", "1/6"], [])
    status = main(["run", "-q", *some, "--report", "jsonl=run.jsonl"])
    events = [json.loads(line) for line in (harness / "run.jsonl").read_bytes().splitlines()]
    verdicts = {e["verdict"] for e in events if e["event"] == "verdict"}
    assert (status, verdicts) == (0, {Verdict.PASS, Verdict.WARN, Verdict.UNSUPPORTED})


def test_the_settings_of_the_skeleton_make_its_reports(harness: Path) -> None:
    assert main(["run", "-q", "-k", "golden"]) == 0
    assert (harness / "report.html").stat().st_size > 0
    assert (harness / "junit.xml").stat().st_size > 0


def test_the_skeleton_in_python_is_red_once_it_is_broken(harness: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = harness / "harness.py"
    text = source.read_text(encoding="utf-8")
    assert '"decimal": 3' in text
    source.write_text(text.replace('"decimal": 3', '"decimal": 8'), encoding="utf-8")
    assert main(["run", "-k", "decimal and encode"]) == 1
    assert "FAIL  CJ-" in capsys.readouterr().out


def test_the_doctor_finds_nothing_amiss(harness: Path) -> None:
    assert main(["doctor", "--iut", load_skeletons()["python"].address]) == 0


def test_the_next_command_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "--lang", "go", "my harness"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "  cd 'my harness' && make conform"
    assert main(["init", "--lang", "python", "."]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "  ticdc-conformance run"


def test_a_file_that_exists_is_named_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    assert main(["init", "--lang", "go", str(tmp_path)]) == USAGE
    assert f"{tmp_path / 'README.md'}: exists" in capsys.readouterr().err
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["mine"]
