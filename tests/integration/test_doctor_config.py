"""`doctor` says which configuration it found and where each setting is from; `completion` knows every command."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.cli.main import COMMANDS, main

ROOT = Path(__file__).resolve().parents[2]
DECODER = f"cmd:{shlex.join([sys.executable, str(ROOT / 'examples' / 'minimal_harness.py')])}"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the working one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_file_the_doctor_says_where_it_looked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--iut", DECODER]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first == f"config           none: there is no ticdc-conformance.toml in {folder}"


def test_the_doctor_takes_the_address_of_the_file_and_says_where_settings_are_from(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "ticdc-conformance.toml").write_text(f"iut = ['''{DECODER}''']\nstrict = true\n", encoding="utf-8")
    monkeypatch.setenv("TICDC_CONFORMANCE_PROTOCOL", "canal-json")
    assert main(["doctor"]) == 0
    assert capsys.readouterr().out.splitlines()[:4] == [
        "config           ticdc-conformance.toml",
        f"  iut = {DECODER}   (from ticdc-conformance.toml)",
        "  protocol = canal-json   (from TICDC_CONFORMANCE_PROTOCOL)",
        "  strict = True   (from ticdc-conformance.toml)",
    ]


def test_without_an_address_the_doctor_says_where_to_write_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 4
    assert "doctor needs --iut ADDRESS, or a line iut = [" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_can_complete_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("shtab")
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert [name for name in COMMANDS if name not in script] == []
    assert "--ticdc-version" in script
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=script, text=True, check=False).returncode == 0
