"""What the README and the page about harnesses show is what the suite says."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from conformance.cli.main import main
from conformance.reference_harness import ReferenceHarness
from conformance.skeletons import load_skeletons

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/harness.md"])
def test_the_failure_that_a_page_shows_is_one_that_the_suite_finds(page: str, capsys, monkeypatch) -> None:
    blocks = (ROOT / page).read_text(encoding="utf-8").split("```")[1::2]
    [(shown, replay)] = re.findall(r"^(FAIL  .*?)^  replay +ticdc-conformance (.*)", "".join(blocks), re.DOTALL | re.M)
    monkeypatch.chdir(ROOT)
    program = shlex.join([sys.executable, "-m", "ticdc_conformance"])
    assert main(shlex.split(replay.split("\n\n")[0].replace("cmd:ticdc-conformance", f"cmd:{program}"))) == 1
    words = capsys.readouterr().out.split()
    for line in shown.splitlines():
        expected = line.split("…")[0].split()
        assert any(words[n : n + len(expected)] == expected for n in range(len(words))), line


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
