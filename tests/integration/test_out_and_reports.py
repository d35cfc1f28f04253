"""Where `compare`, `run` and `mutants` write: what cannot be written is told before anything is read or made."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cli.main import main

NO_SIDES = ["--left", "canal:nowhere", "--right", "canal-json:nowhere", "--tables", "nowhere.json"]
COMMANDS = {
    "run": ["run", "--report", "jsonl={}"],
    "mutants": ["mutants", "--report", "json={}"],
    "compare": ["compare", *NO_SIDES, "--out", "{out}", "--report", "html={}"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize(("place", "words"), [("made/up/x", "there is no folder"), ("", "it is a folder")])
def test_a_report_that_has_no_folder_is_refused_and_no_folder_is_made(
    place: str, words: str, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.format(tmp_path / place, out=tmp_path / "out") for word in command]) == 4
    assert words in capsys.readouterr().err
    assert not (tmp_path / "made").exists()
