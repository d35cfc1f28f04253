"""What a button of a page copies is the text itself, where the page shows it otherwise."""

from __future__ import annotations

import base64
import re

import pytest

from reports.frame.filters import hidden_copy
from tests.unit.reports.every_report import EVERY
from tests.unit.reports.hostile import TEXTS, spoiled

PAGES = [name for name in EVERY if name.endswith(": html")]


@pytest.mark.parametrize("name", PAGES)
def test_what_a_button_copies_is_whole_however_long_it_is(name: str) -> None:
    page = EVERY[name](lambda value, keep: spoiled(value, TEXTS["combining"], keep))
    copied = re.findall(r'data-copy="([^"]*)"', page)
    assert [text[:40] for text in copied if not base64.b64decode(text, validate=True).decode("utf-8")] == []


def test_a_text_of_20_001_signs_is_copied_whole_and_a_megabyte_as_it_is_shown() -> None:
    long = "\u200b" + "x" * 20_000
    assert base64.b64decode(hidden_copy(long)).decode() == long
    assert hidden_copy("x" * 1_000_000) == ""
