"""The page of a run: what a template of the user may do, and that it shows all that can happen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from reports import ReportOptions
from reports.frame import TemplateProblem
from tests.toy import run
from tests.unit.reports.run_events import RED, page, words


def test_a_template_of_the_user_overrides_a_block_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "run.html").write_text('{% extends "suite/run.html" %}{% block coverage %}Acme{% endblock %}')
    assert "Acme" in page(*RED, options=ReportOptions(templates=tmp_path))


@pytest.mark.parametrize("text", ["{% block", "{{ nothing_of_this_name }}"])
def test_a_wrong_template_is_found_before_the_first_event(text: str, tmp_path: Path) -> None:
    (tmp_path / "run.html").write_text(text)
    with pytest.raises(TemplateProblem):
        page(options=ReportOptions(templates=tmp_path))


@pytest.mark.parametrize("name", ["", "rnu.html"])
def test_a_folder_without_a_template_of_ours_is_refused(name: str, tmp_path: Path) -> None:
    folder = tmp_path if name else tmp_path / "none"
    if name:
        (folder / name).write_text("x")
    with pytest.raises(TemplateProblem, match=r"there is no folder|none of the templates"):
        page(options=ReportOptions(templates=folder))


def kinds_of(events: Sequence[Mapping[str, Any]]) -> set[str]:
    return {event["event"] for event in events}


def test_a_whole_run_of_everything_that_can_happen_makes_a_page() -> None:
    words_of = {"a": "T-1", "b": "T-2", "c": "crash", "d": "unsupported", "e": "ours", "f": "T-3", "g": "timeout"}
    _, events = run(words_of | {"h": "protocol_error"})
    assert {"restart", "requirement", "case", "end"} <= kinds_of(events)
    text = words(page(*events))
    assert "What T-1 asks for holds." in text
    assert "restart" in text
