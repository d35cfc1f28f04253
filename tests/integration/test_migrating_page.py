"""docs/migrating.md: its commands run, and what it quotes of their output is in it."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.cli.main import main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "migrating.md"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"`(\w+\.sql)`[^`]*\Z")


@dataclass(frozen=True)
class Quoted:
    """A command of the page, what is quoted of its output, in parts between ellipses, and its status."""

    command: str
    parts: tuple[str, ...]
    status: int


def _files() -> dict[str, str]:
    """The files of the page: the name is the last that its text has before them."""
    text = PAGE.read_text(encoding="utf-8")
    found = {}
    for block in _BLOCK.finditer(text):
        if block[1] == "sql":
            name = _FILE.search(text[: block.start()])
            assert name, block[2]
            found[name[1]] = block[2]
    return found


def _quoted() -> list[Quoted]:
    found = []
    for kind, body in _BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "console":
            first, *lines = body.splitlines()
            status = re.fullmatch(r"status (\d)", lines[-1])
            lines = lines[:-1] if status else lines
            parts = tuple(part.strip("\n") for part in re.split("^…$", "\n".join(lines), flags=re.MULTILINE))
            found.append(Quoted(first.removeprefix("$ "), parts, int(status[1]) if status else 0))
    return found


def _others() -> list[str]:
    """Commands that are named without their output."""
    blocks = (body for kind, body in _BLOCK.findall(PAGE.read_text(encoding="utf-8")) if not kind)
    return [line for body in blocks for line in body.splitlines() if line.startswith("ticdc-conformance ")]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in _files().items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("one", _quoted(), ids=lambda one: str(one.status))
def test_a_command_prints_what_the_page_quotes(one: Quoted, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(one.command)[1:]) == one.status
    said, at = capsys.readouterr().out, 0
    for part in one.parts:
        begin = said.find(part, at)
        assert begin >= 0, f"not in the output, behind what stands before it:\n{part}"
        at = begin + len(part)


@pytest.mark.parametrize("command", _others())
def test_a_command_that_is_only_named_runs(command: str, here: Path) -> None:
    assert main(shlex.split(command)[1:]) == 0


def test_the_page_quotes_three_runs_of_two_files() -> None:
    assert len(_quoted()) == 3
    assert list(_files()) == ["shop.sql", "shop2.sql"]
