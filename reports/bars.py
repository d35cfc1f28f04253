"""Draws the verdicts of a protocol and role in the terminal: one bar, with a mark for each part of the cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

__all__ = ["bar"]

_WIDTH = 20

# The marks of a bar, by verdict (F for all others), their styles, and their order, the weightiest last: each character
# shows the weightiest of its cases.
_MARKS: Mapping[str, str] = {
    "pass": "#",
    "flaky": "#",
    "warn": "w",
    "xfail": "x",
    "xpass": "X",
    "unsupported": "-",
    "excluded": "-",
    "not_run": "?",
    "suite_error": "S",
}
_MARK_STYLES: Mapping[str, str] = {"F": "bold red", "#": "green", "w": "yellow", "x": "cyan"}
_WEIGHTS = "-#xXw?SF"


def bar(verdicts: Sequence[str]) -> Text:
    """The verdicts in their order as one bar, with blanks behind it if there are fewer than its characters."""
    size = min(_WIDTH, len(verdicts))
    line = Text()
    for i in range(size):
        part = verdicts[i * len(verdicts) // size : (i + 1) * len(verdicts) // size]
        mark = max((_MARKS.get(v, "F") for v in part), key=_WEIGHTS.index)
        line.append(mark, _MARK_STYLES.get(mark, ""))
    return line.append(" " * (_WIDTH - size))
