"""The page of a run: no value and no template of a user makes it wrong, and it shows all that can happen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from reports import ReportOptions
from reports.frame import TemplateProblem
from tests.toy import run
from tests.unit.reports.run_events import END, IUT, RED, RUN, case, finding, page, plan, verdict, words

HOSTILE = [
    "<script>alert(1)</script>",
    "\u202egnp.exe",
    "\x1b[31m\x00",
    '"><img src=x onerror=a()>',
    "```\n# x",
    "x" * 10**6,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_value_of_a_run_becomes_markup_or_makes_the_page_large(text: str) -> None:
    iut = IUT | {"name": text[:100], "version": text[:100], "message": text[:100], "problems": [text]}
    bad = finding(rule=text, expected=text[:1000], got=text[:999], path=text[:200])
    given = case("a", sql=[f"INSERT INTO t VALUES ('{text}')"])
    given["input"]["events"][0]["after"] = {text: text}
    crash = verdict("b", "crash", message=text, stderr=text)
    shown = page(
        RUN,
        iut,
        plan(2),
        given,
        verdict("a", "fail", bad, message=text),
        crash,
        verdict("c", "not_run", message=text),
        END,
    )
    body = shown.partition("<body>")[2]
    assert body.count("<script>") == 1
    assert "<img" not in shown
    assert not set("\u202e\x1b\x00") & set(shown)
    assert len(shown) < 200_000


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
