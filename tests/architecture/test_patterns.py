"""Regular expressions mean the same in every Python that is supported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HOMES = ("benchmarks", "conformance", "differential", "examples", "harnesses", "reference_impl", "reports", "tools")
REPEATED_POSSESSIVELY = re.compile(r"\)(?:[*+?]|\{[^}]*\})\+")


def sources() -> Iterator[Path]:
    for home in HOMES:
        yield from (ROOT / home).rglob("*.py")


def opening_of(text: str, end: int) -> int:
    """Where the group begins that is closed at `end`; brackets with a backslash before them are characters."""
    depth = 0
    for at in range(end, -1, -1):
        if text[at] in "()" and text[at - 1] != "\\":
            depth += 1 if text[at] == ")" else -1
            if depth == 0:
                return at
    raise AssertionError("a group that is never opened")


def test_a_group_that_is_repeated_possessively_is_atomic() -> None:
    """Python before 3.11.5 goes on behind what an iteration has read that fails halfway, unless it is atomic."""
    found = {}
    for path in sources():
        text = path.read_text(encoding="utf-8")
        for match in REPEATED_POSSESSIVELY.finditer(text):
            opening = opening_of(text, match.start())
            if not text.startswith("(?>", opening):
                found[f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, opening) + 1}"] = text[opening : match.end()]
    assert found == {}, "write (?>…) instead of (?:…)"
