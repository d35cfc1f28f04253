"""What the README shows is what the suite says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from conformance.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


def test_the_failure_in_the_readme_is_one_that_the_suite_finds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = (ROOT / "README.md").read_text(encoding="utf-8").split("```")[1]
    command = re.search(r"replay +ticdc-conformance (.*)", shown)
    assert command
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(command[1])) == 1
    words = capsys.readouterr().out.split()
    for line in shown.strip().splitlines():
        told = line.split("…")[0].split() if "replay " not in line else []
        assert told == [] or any(words[n : n + len(told)] == told for n in range(len(words))), line
