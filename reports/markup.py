"""Texts of a run inside Markdown: they stay text, whatever they hold.

GitHub's and GitLab's readers interpret far more than emphasis: HTML, entities, links without brackets, names after `@`,
numbers after `#`, formulae between dollars. Nothing invisible is written either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from reports.texts import cut, visible

__all__ = ["Markdown", "cell", "code", "code_cell", "fenced", "row", "table"]

_MARKS = re.compile(r"[\\|*_`<>\[\]~$&!]")
_LINK = re.compile(r"(?<=\w)://|(?<=www)\.", re.IGNORECASE)
_REFERENCE = re.compile(r"(?:@|#(?=\w)|\bGH-(?=\d))+", re.IGNORECASE)
_LIST_OR_HEADING = re.compile(r"^(\d+)(?=[.)](?:\s|$))|^(?=[-+#=])")
_READ_FOR_SHOWN = 8
"""Characters that are read for each one that is shown: runs of blanks become one."""


class Markdown(str):
    """Text that is Markdown already: a table does not escape it."""

    __slots__ = ()


def cell(text: object, longest: int = 300) -> str:
    """Text on one line in which no character means anything to Markdown; a long one is cut."""
    escaped = _MARKS.sub(r"\\\g<0>", _one_line(str(text), longest))
    escaped = _LINK.sub(r"\\\g<0>", escaped)
    # A code span looks up no names or numbers, so nobody is notified.
    escaped = _REFERENCE.sub(r"`\g<0>`", escaped)
    return _LIST_OR_HEADING.sub(r"\1\\", escaped, count=1)


def code(text: object, longest: int = 300) -> str:
    """A code span on one line, fenced so that backquotes in it are kept; a long text is cut."""
    shown = _one_line(str(text), longest)
    fence = "`" * (_longest_run(shown) + 1)
    pad = " " if shown[:1] in ("`", "") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def code_cell(text: object, longest: int = 300) -> Markdown:
    """A code span in a cell of a table, which a bar would end."""
    return Markdown(code(text, longest).replace("|", r"\|"))


def fenced(lines: Iterable[str], longest: int = 600) -> list[str]:
    """A block of code, whose fence is longer than any run of backquotes in it."""
    shown = [cut(_line(line[: longest + 1]), longest) for line in lines]
    fence = "`" * max(3, max(map(_longest_run, shown), default=0) + 1)
    return [f"{fence}text", *shown, fence]


def row(cells: Iterable[str]) -> str:
    """A row of a table; the cells are escaped already."""
    return f"| {' | '.join(cells)} |"


def table(heads: Sequence[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """The lines of a table; every cell is escaped, unless it is `Markdown`."""
    yield row(heads)
    yield "|" + "---|" * len(heads)
    for cells in rows:
        yield row(one if isinstance(one, Markdown) else cell(one) for one in cells)


def _one_line(text: str, longest: int) -> str:
    """The beginning of the text: each run of blanks or line breaks as one blank, invisible characters as pictures."""
    read = text[: _READ_FOR_SHOWN * longest]
    shown = visible(" ".join(read.split()))
    return cut(shown if len(read) == len(text) else f"{shown}…", longest)


def _line(text: str) -> str:
    """The text with its blanks, and every other invisible character shown."""
    return text if text.isprintable() else "".join(c if c == " " else visible(c) for c in text)


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
