"""Patterns that are letters alone are looked for as letters, which finds what the patterns find."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from differential.align.spellings import _ColumnBits, _letters_of
from differential.classify.naming import Spelling

PATTERNS = ("[<>&]", "[\b\f]", "[\u2028\u2029]", "\ufffd")


def column_bits(patterns: tuple[str, ...]) -> _ColumnBits:
    return _ColumnBits(
        [(1 << bit, Spelling("DV-1", True, _Has(pattern), (), pattern)) for bit, pattern in enumerate(patterns)]
    )


class _Has:
    def __init__(self, pattern: str) -> None:
        self._letters = pattern.strip("[]")

    def __call__(self, cell: object) -> bool:
        return isinstance(cell, str) and any(letter in cell for letter in self._letters)


def test_patterns_are_no_letters() -> None:
    assert _letters_of(PATTERNS) == "<>&\b\f\u2028\u2029\ufffd"
    for pattern in ("0$|^$", "[a-z]", "[^a]", "ab", "\\\\", "."):
        assert _letters_of([*PATTERNS, pattern]) is None


@given(st.lists(st.one_of(st.none(), st.text("a<>&\b\f\u2028\ufffdz\n", max_size=6)), max_size=12))
def test_letters_find_what_patterns_find(column: list[str | None]) -> None:
    by_letters, by_patterns = column_bits(PATTERNS), column_bits(PATTERNS)
    by_patterns._letters = None
    expected = [sum(1 << bit for bit, pattern in enumerate(PATTERNS) if _Has(pattern)(text)) for text in column]
    assert by_letters(column) == by_patterns(column) == expected
