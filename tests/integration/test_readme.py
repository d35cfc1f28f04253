"""What the README shows is what the suite says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from conformance.cli.main import main
from conformance.reference_harness import ReferenceHarness
from conformance.skeletons import load_skeletons

ROOT = Path(__file__).resolve().parents[2]


def test_the_failure_in_the_readme_is_one_that_the_suite_finds(capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = (ROOT / "README.md").read_text(encoding="utf-8").split("```")[1]
    command = re.search(r"replay +ticdc-conformance (.*)", shown)
    assert command
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(command[1])) == 1
    words = capsys.readouterr().out.split()
    for line in shown.strip().splitlines():
        told = line.split("…")[0].split() if "replay " not in line else []
        assert told == [] or any(words[n : n + len(told)] == told for n in range(len(words))), line


def test_the_exchange_in_the_readme_is_a_real_one() -> None:
    shown = (ROOT / "README.md").read_text(encoding="utf-8").partition("```json\n")[2].partition("```")[0]
    request, answer = (json.loads(part) for part in shown.split("\n\n"))
    harness, configuration = ReferenceHarness(), {"protocol": "canal-json", "options": {}, "now_ms": "1700000000123"}
    for before in ({"op": "hello", "harness": 1}, {"op": "configure", **configuration}, {"op": "reset"}):
        harness.answer({"id": 1, **before})
    real = harness.answer(request)
    [record], [cut] = real["ok"]["records"], answer["ok"]["records"]
    assert (answer["id"], cut["key"]) == (real["id"], record["key"])
    assert record["value"].startswith(cut["value"].removesuffix("…"))


def test_the_first_screen_shows_a_failure_then_three_commands_then_a_picture() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    failure, commands, rest = text.split("```")[1::2][0], text.split("```")[3], text.split("```")[4]
    assert failure.lstrip().startswith("FAIL  ")
    assert [line.split()[0] for line in commands.strip().splitlines()] == ["pipx", "ticdc-conformance", "cd"]
    assert set(re.findall(r"python|java|node|rust|go\b", commands.splitlines()[2])) <= set(load_skeletons())
    assert rest.lstrip().startswith("![")
    assert text.index("![The page") < text.index("## ")
