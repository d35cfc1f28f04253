"""`doctor` says which configuration it found and where each setting is from; `completion` knows every command."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.cli.main import COMMANDS, main
from tests.integration.minimal import ROOT, address, changed

DECODER = address()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the working one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_file_the_doctor_says_where_it_looked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--iut", DECODER]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first == f"config           none: there is no ticdc-conformance.toml in {folder}"


def test_the_doctor_takes_the_address_of_the_file_and_says_where_settings_are_from(folder, monkeypatch, capsys) -> None:
    text = f"iut = ['''{DECODER}''']\nstrict = true\n"
    (folder / "ticdc-conformance.toml").write_text(text, encoding="utf-8-sig")  # as some editors of Windows write
    monkeypatch.setenv("TICDC_CONFORMANCE_PROTOCOL", "canal-json")
    assert main(["doctor"]) == 0
    assert capsys.readouterr().out.splitlines()[:4] == [
        "config           ticdc-conformance.toml",
        f"  iut = {DECODER}   (from ticdc-conformance.toml)",
        "  protocol = canal-json   (from TICDC_CONFORMANCE_PROTOCOL)",
        "  strict = True   (from ticdc-conformance.toml)",
    ]


def test_the_doctor_ends_with_the_command_that_judges_and_shows_options_and_values_as_they_are_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--iut", DECODER]) == 0
    shown = capsys.readouterr().out
    assert shown.endswith(f"Judge it: ticdc-conformance run --iut {shlex.quote(DECODER)}\n")
    assert "enable-tidb-extension=true" in shown
    assert '1 event: insert {"id": "1", "note": "hello"}' in shown
    (folder / "ticdc-conformance.toml").write_text(f"iut = ['''{DECODER}''']\n", encoding="utf-8")
    assert main(["doctor"]) == 0
    assert capsys.readouterr().out.endswith("Judge it: ticdc-conformance run\n")


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_can_complete_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("shtab")
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert [name for name in COMMANDS if name not in script] == []
    assert "--ticdc-version" in script
    assert "--label" in script  # of `report badge`
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=script, text=True, check=False).returncode == 0


def test_rows_are_not_sent_to_a_harness_that_declares_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    declared, broken = ('"events": ["row"]', '"events": ["ddl"]'), ('op == "decode":', 'op == "decode" and 1 // 0:')
    assert main(["doctor", "--iut", changed(folder, declared, broken)]) == 0
    assert "\nok    decode" not in capsys.readouterr().out


def test_misspelt_names_of_the_declaration_are_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right = '"events": ["row"], "options": ["enable-tidb-extension"], "column_types": TYPES'
    wrong = '"events": ["row", "rows"], "options": ["enable_tidb"], "column_types": [*TYPES, "INT"]'
    assert main(["doctor", "--iut", changed(folder, (right, wrong))]) == 0
    shown = (
        "canal-json; it declares what the suite does not know: options 'enable_tidb', events 'rows', column_types 'INT'"
    )
    assert shown in capsys.readouterr().out


def test_a_connection_has_no_status_at_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    served = (
        "import socket, sys, minimal_harness\n"
        "listening = socket.create_server(('127.0.0.1', 0))\n"
        "print(listening.getsockname()[1], flush=True)\n"
        "sys.stdin = sys.stdout = listening.accept()[0].makefile('rw')\n"
        "minimal_harness.main()\n"
    )
    argv = [sys.executable, "-c", served]
    with subprocess.Popen(argv, cwd=ROOT / "examples", stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert main(["doctor", "--iut", f"tcp:127.0.0.1:{int(server.stdout.readline())}"]) == 0
        server.kill()
    assert "the connection is closed\n" in capsys.readouterr().out
