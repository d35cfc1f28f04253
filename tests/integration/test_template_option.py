"""`--template DIR`: every command that writes pages takes it, and refuses a wrong one before the work begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cli.main import main
from tests.integration.test_check_capture import Files

NO_SIDES = ["--left", "canal:nowhere", "--right", "canal-json:nowhere", "--tables", "nowhere.json"]
COMMANDS = {
    "run": ["run", "-k", "nothing-has-this-name", "--report", "html={}/page.html"],
    "check-capture": ["check-capture", "--protocol", "canal-json", "--records", "{}/nowhere", "--report", "html={}/p"],
    "compare": ["compare", *NO_SIDES, "--out", "{}/out", "--report", "html={}/page.html"],
    "mutants": ["mutants", "--report", "html={}/page.html"],
    "diff": ["diff", "{}/nowhere", "{}/nowhere", "--report", "html={}/page.html"],
    "report render": ["report", "render", "html", "{}/nowhere"],
}
"""Each would stop at what is not there, or take minutes: the templates are looked at first."""


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_template_that_is_none_is_refused_before_anything_is_read(command: list[str], tmp_path: Path, capsys) -> None:
    folder = tmp_path / "templates"
    folder.mkdir()
    (folder / "base.html").write_text("{% block", encoding="utf-8")
    assert main([*(word.format(tmp_path) for word in command), "--template", str(folder)]) == 4
    said = capsys.readouterr().err
    assert f"--template {folder}: template" in said
    assert "base.html, line 1" in said
    assert not (tmp_path / "page.html").exists()


def test_a_template_changes_a_block_of_the_page_of_a_capture(tmp_path: Path) -> None:
    (tmp_path / "run.html").write_text(
        '{% extends "suite/run.html" %}{% block footer %}Acme, {{ footer }}{% endblock %}', encoding="utf-8"
    )
    page = tmp_path / "page.html"
    files = Files(tmp_path, "canal-json")
    assert files.check("-q", "--report", f"html={page}", "--template", str(tmp_path)) == 0
    assert "<footer>Acme, ticdc-conformance" in page.read_text(encoding="utf-8")


def test_a_template_that_fails_at_the_end_is_named_and_the_run_is_not_green(tmp_path: Path, capsys) -> None:
    (tmp_path / "run.html").write_text("{% for of in iuts %}{{ of.nothing_like_this }}{% endfor %}", encoding="utf-8")
    files = Files(tmp_path, "canal-json")
    assert files.check("-q", "--report", f"html={tmp_path / 'page.html'}", "--template", str(tmp_path)) == 3
    assert "nothing_like_this" in capsys.readouterr().err
