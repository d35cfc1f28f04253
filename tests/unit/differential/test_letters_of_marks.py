"""Marks that are letters alone are looked for as letters, which finds what the patterns find."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from differential.classify.naming import Watch
from differential.prints.marks import _ColumnMarks, _letters_of

MARKS = ("[<>&]", "[\b\f]", "[\u2028\u2029]", "\ufffd")


def column_marks(marks: tuple[str, ...]) -> _ColumnMarks:
    return _ColumnMarks([(1 << bit, Watch("DV-1", True, _Has(mark), (), mark)) for bit, mark in enumerate(marks)])


class _Has:
    def __init__(self, mark: str) -> None:
        self._letters = mark.strip("[]")

    def __call__(self, cell: object) -> bool:
        return isinstance(cell, str) and any(letter in cell for letter in self._letters)


def test_patterns_are_no_letters() -> None:
    assert _letters_of(MARKS) == "<>&\b\f\u2028\u2029\ufffd"
    for mark in ("0$|^$", "[a-z]", "[^a]", "ab", "\\\\", "."):
        assert _letters_of([*MARKS, mark]) is None


@given(st.lists(st.one_of(st.none(), st.text("a<>&\b\f\u2028\ufffdz\n", max_size=6)), max_size=12))
def test_letters_find_what_patterns_find(column: list[str | None]) -> None:
    by_letters, by_patterns = column_marks(MARKS), column_marks(MARKS)
    by_patterns._letters = None
    expected = [sum(1 << bit for bit, mark in enumerate(MARKS) if _Has(mark)(text)) for text in column]
    assert by_letters(column) == by_patterns(column) == expected
