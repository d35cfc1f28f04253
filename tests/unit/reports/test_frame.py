"""The frame of pages: what a value may do to a page, and what a user's template may do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reports.frame import Frame, TemplateProblem
from reports.frame.filters import FILTERS, anchor

VIEW: dict[str, Any] = {
    "title": "A page",
    "verdict": {"sentence": "green", "colour": "good"},
    "notes": [],
    "facts": [("suite", "0.1.0")],
    "sections": [("causes", "Causes")],
    "filter": None,
    "footer": "the suite",
}


def test_only_the_script_of_the_frame_may_run() -> None:
    page = Frame("reports.frame").render("base.html", VIEW)
    assert "script-src &#39;sha256-" in page or "script-src 'sha256-" in page
    assert page.count("<script") == 1


def test_a_template_of_the_user_overrides_one_block(tmp_path: Path) -> None:
    (tmp_path / "base.html").write_text(
        '{% extends "suite/base.html" %}{% block footer %}Acme {{ footer }}{% endblock %}'
    )
    page = Frame("reports.frame", tmp_path).render("base.html", VIEW)
    assert "<footer>Acme the suite</footer>" in page
    assert "<strong>green</strong>" in page


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"{% block", "line 1"),
        (b"{{ nothing }}", "nothing"),
        (b'{% extends "x" %}', "x"),
        (b'{% extends "base.html" %}', "RecursionError"),
        (b"{{ title|number }}", "base.html: ValueError"),
        (b"{{ 1 / 0 }}", "division by zero"),
        (b"{{ 3|visible }}", "base.html: AttributeError"),
        (b"\xff", "utf-8"),
    ],
)
def test_a_wrong_template_of_the_user_is_named_with_the_reason(text: bytes, why: str, tmp_path: Path) -> None:
    (tmp_path / "base.html").write_bytes(text)
    with pytest.raises(TemplateProblem, match=why):
        Frame("reports.frame", tmp_path).render("base.html", VIEW)


def test_texts_that_differ_in_signs_alone_may_share_an_anchor_but_never_have_none() -> None:
    assert anchor("canal-json", "a b/c") == "canal-json-a-b-c"
    assert anchor("种") == "here"


@pytest.mark.parametrize(
    ("part", "whole", "text"), [(0, 9, "0 %"), (9, 9, "100 %"), (1, 5000, "< 0.1 %"), (4999, 5000, "> 99.9 %")]
)
def test_a_share_is_neither_nothing_nor_all_where_it_is_not(part: int, whole: int, text: str) -> None:
    assert FILTERS["percent"](part, whole) == text
