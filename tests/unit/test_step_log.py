"""The log of a step of GitHub Actions: what a harness answers is never a command there."""

from __future__ import annotations

import sys

import pytest

from conformance.cli.step_log import for_commands, only_own_commands


@pytest.fixture
def in_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")


def is_command(line: str) -> bool:
    """As the runner takes it: blanks before it are taken off."""
    return line.lstrip().startswith("::") or "##[" in line


@pytest.mark.parametrize(
    "pieces",
    [
        ["::add-mask::x\n"],
        ["  got\n   ::error::x\n"],
        ["\t", "::error::x\n"],
        [" ", ":", ":error::x\n"],
        [":", ":error::x\n", "::warning::y\n"],
        ["##[error]x\n"],
        ["a\r::error::x\n"],
        ["\n\n::stop-commands::t\n"],
    ],
)
@pytest.mark.usefixtures("in_a_step")
def test_no_line_that_is_printed_is_a_command(pieces: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with only_own_commands():
        for piece in pieces:
            sys.stdout.write(piece)
            sys.stderr.write(piece)
    said = capsys.readouterr()
    for text in (said.out, said.err):
        assert not any(map(is_command, text.splitlines()))
        assert text.replace(" ", "") == "".join(pieces).replace(" ", "")


@pytest.mark.usefixtures("in_a_step")
def test_what_is_no_command_stays_as_it_is_and_ours_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    with only_own_commands():
        sys.stdout.write("a::b  c: d\n  e ::f\n:\n")
        for_commands(sys.stdout).write("::error::ours\n")
    assert capsys.readouterr().out == "a::b  c: d\n  e ::f\n:\n::error::ours\n"


def test_elsewhere_nothing_is_changed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    with only_own_commands():
        sys.stdout.write("::x\n")
    assert capsys.readouterr().out == "::x\n"
