"""Texts of a run inside Markdown: a reader shows them, and does nothing else with them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from reports.markup import cell, code_cell, fenced, row
from reports.texts import visible
from tests.unit.reports.eventful import hostile_texts
from tests.unit.reports.hostile import TEXTS, forbidden_in

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
SHOWN = {"text", "code_inline"}
LONG = 100_000


def inline(tokens: list[Token]) -> list[Token]:
    return [child for token in tokens for child in token.children or ()]


def shown(markdown: str) -> str:
    """The text that a reader sees, where there is nothing but text and code."""
    children = inline(READER.parse(markdown))
    assert {child.type for child in children} <= SHOWN | {"text_special"}
    return "".join(child.content for child in children)


def plain(text: str) -> str:
    return visible(" ".join(text.split()))


@given(hostile_texts)
def test_a_text_in_a_table_is_shown_as_it_is_and_stays_in_its_cell(text: str) -> None:
    lines = [row(("a", "b")), row(("---", "---")), row((f"x {cell(text, LONG)}", "last"))]
    tokens = READER.parse("\n".join(lines))
    cells = [tokens[i + 1] for i, token in enumerate(tokens) if token.type == "td_open"]
    assert [of.content for of in cells[1:]] == ["last"]
    assert {child.type for child in cells[0].children or ()} <= SHOWN | {"text_special"}
    seen = "".join(child.content for child in cells[0].children or ())
    assert seen == f"x {plain(text)}".rstrip()


@given(hostile_texts)
def test_code_in_a_table_stays_in_its_cell(text: str) -> None:
    lines = [row(("a", "b")), row(("---", "---")), row((code_cell(text, LONG), "last"))]
    tokens = READER.parse("\n".join(lines))
    cells = [tokens[i + 1] for i, token in enumerate(tokens) if token.type == "td_open"]
    assert [of.content for of in cells[1:]] == ["last"]
    assert [(child.type, child.content.strip()) for child in cells[0].children or ()] == [("code_inline", plain(text))]


@given(hostile_texts.filter(lambda text: bool(text.split())))
def test_a_text_at_the_beginning_of_a_line_is_a_paragraph(text: str) -> None:
    tokens = READER.parse(cell(text, LONG))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert shown(cell(text, LONG)) == plain(text)


@given(st.lists(hostile_texts, max_size=4))
def test_a_block_of_code_is_ended_by_its_fence_alone(lines: list[str]) -> None:
    [block, after, *_] = READER.parse("\n".join([*fenced(lines), "behind"]))
    assert block.type == "fence"
    assert len(block.content.splitlines()) == len(lines)
    assert after.type == "paragraph_open"


@pytest.mark.parametrize("make", [cell, lambda text: "\n".join(fenced([text]))])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_invisible_character_is_written(make: object, text: str) -> None:
    written = make(text)  # type: ignore[operator]
    assert forbidden_in(written) == []


@pytest.mark.parametrize("text", ["@team", "#12", "GH-12", "https://x.example", "www.x.example", "a@b.example"])
def test_nothing_that_github_would_look_up_stands_in_the_open(text: str) -> None:
    assert text not in cell(f"see {text} there")


def test_a_long_text_is_cut_and_says_so() -> None:
    assert cell("x" * 2_000_000, 50) == "x" * 49 + "…"
    assert cell(" " * 2_000_000 + "x", 50) == "…"
