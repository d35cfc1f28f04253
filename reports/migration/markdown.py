"""The assessment of a move in Markdown, as a page of a wiki or a comment of a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import itemgetter

from reports.markup import Markdown, cell, code, code_cell, fenced, table
from reports.migration.view import SECTIONS, Entry, Line, View, view_of
from reports.renderer import Json

__all__ = ["markdown_text"]

_LONGEST, _LONGEST_TYPE, _FEW = 600, 80, 3


def markdown_text(record: Json) -> str:
    """The whole text."""
    return "\n".join(_lines(view_of(record))) + "\n"


def _lines(view: View) -> Iterator[str]:
    yield f"# {cell(view.title)}"
    yield ""
    yield f"**{cell(view.sentence)}.**"
    for severity, heading, found in view.groups:
        yield from ("", f"## {heading}")
        if severity == "cosmetic":
            yield from _table(("#", "what", "harm", "where", "id"), map(_short, found))
            continue
        for one in found:
            yield from _finding(one)
    yield from ("", f"## {SECTIONS['columns']}")
    yield from _table(
        ("column", "type", "verdict", "findings"),
        (
            (
                code_cell(one["where"]),
                code_cell(one["type"], _LONGEST_TYPE),
                one["word"],
                ", ".join(map(str, one["findings"])),
            )
            for one in view.columns
        ),
    )
    yield from ("", f"## {SECTIONS['configuration']}")
    for part in view.configuration:
        yield from ("", cell(part["what"]), "", *fenced([f"{sign} {line}" for sign, line in part["changes"]]))
    yield from _placement(view)
    yield from ("", f"## {SECTIONS['left']}", "")
    for left in view.not_assessed:
        where = f" ({cell(left['where'])})" if left["where"] else ""
        yield f"- {cell(left['what'])}: {cell(left['why'])}{where}"


def _placement(view: View) -> Iterator[str]:
    yield from ("", f"## {SECTIONS['placement']}")
    yield from _table(("aspect", "before", "after"), map(itemgetter("aspect", "before", "after"), view.placement))
    for one in view.placement:
        if one["examples"]:
            keys = (tuple(code_cell(key[name]) for name in ("table", "before", "after")) for key in one["examples"])
            yield from _table(("table", "key before", "key after"), keys)


def _table(heads: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> Iterator[str]:
    yield from ("", *table(heads, rows))


def _short(one: Entry) -> tuple[object, ...]:
    return one.number, one.title, one.harm, one.where, _names(one, _FEW)


def _names(one: Entry, most: int | None = None) -> Markdown:
    return Markdown(", ".join(_linked(cell(name), link) for name, link in one.names[:most]))


def _linked(text: str, link: str) -> str:
    return f"[{text}]({link})" if link else text


def _finding(one: Entry) -> Iterator[str]:
    yield from ("", f"### {one.number}. {cell(one.title)}", "")
    names = _names(one)
    yield f"- harm: {cell(one.harm)}" + (f" ({names})" if names else "")
    for line in one.lines:
        yield f"- {line.label}: {_text(line)}"
    yield "- evidence: " + "; ".join(f"{cell(step)}: {cell(what)}" for step, what in one.evidence)
    if one.statements:
        yield from ("", *fenced([f"{statement};" for statement in one.statements]))


def _text(line: Line) -> str:
    return code(line.text) if line.is_code else _linked(cell(line.text, _LONGEST), line.link)
