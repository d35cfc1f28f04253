"""The assessment of a move as text, for a terminal or a file."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from reports.migration.view import SECTIONS, Entry, View, view_of
from reports.renderer import Json
from reports.texts import cut, printable_line, visible

__all__ = ["terminal_lines"]

_LABEL = 12
_ID = 14
_WIDTH = 118
_TYPE = 40


def terminal_lines(record: Json) -> Iterator[str]:
    """Every section, the findings first; cosmetic ones in a line each. No line has an invisible character."""
    return map(printable_line, _lines(view_of(record)))


def _lines(view: View) -> Iterator[str]:
    yield view.title
    yield f"{view.tried} tried in both dialects"
    for severity, heading, found in view.groups:
        yield from _heading(f"{heading} ({len(found)})")
        for one in found:
            yield from (_line(one) if severity == "cosmetic" else _finding(one))
    yield from _columns(view)
    yield from _heading(SECTIONS["configuration"])
    for part in view.configuration:
        yield f"  {part['what']}"
        yield from (f"    {sign} {line}" for sign, line in part["changes"])
    yield from _placement(view)
    yield from _heading(SECTIONS["left"])
    for left in view.not_assessed:
        where = f" ({left['where']})" if left["where"] else ""
        yield from _item(f"{left['what']}: {left['why']}{where}")
    yield ""
    yield view.sentence


def _heading(text: str) -> Iterator[str]:
    yield ""
    yield text
    yield "-" * len(text)


def _item(text: str, indent: str = "  ") -> Iterator[str]:
    return iter(wrap(visible(text), _WIDTH, initial_indent=f"{indent}- ", subsequent_indent=f"{indent}  "))


def _line(one: Entry) -> Iterator[str]:
    yield f"  {one.number:>3}  {visible(one.id):<{_ID}} {one.harm:<9} {cut(visible(one.title), 70)}"
    yield f"       {'':<{_ID}} {'':<9} {one.where}"


def _finding(one: Entry) -> Iterator[str]:
    yield ""
    yield from wrap(f"{one.number:>3}  {visible(one.title)}", _WIDTH, subsequent_indent="     ")
    names = ", ".join(name for name, _ in one.names)
    yield from _labelled("harm", one.harm + (f"   {names}" if names else ""))
    for line in one.lines:
        yield from _labelled(line.label, line.text)
        yield from _labelled("", line.link)
    yield from _labelled("evidence", "; ".join(f"{step}: {what}" for step, what in one.evidence))
    for number, statement in enumerate(one.statements):
        yield from _labelled("" if number else "sql", statement)


def _labelled(label: str, text: str) -> Iterator[str]:
    if text:
        lead = f"     {label:<{_LABEL}} "
        yield from wrap(
            visible(text), _WIDTH, initial_indent=lead, subsequent_indent=" " * len(lead), break_on_hyphens=False
        )


def _columns(view: View) -> Iterator[str]:
    yield from _heading(SECTIONS["columns"])
    width = max((len(visible(one["where"])) for one in view.columns), default=0)
    for one in view.columns:
        numbers = ", ".join(map(str, one["findings"]))
        kind = cut(visible(one["type"]), _TYPE)
        yield f"  {visible(one['where']):<{width}}  {kind:<{_TYPE}}  {one['word']:<18}  {numbers}".rstrip()


def _placement(view: View) -> Iterator[str]:
    yield from _heading(SECTIONS["placement"])
    for one in view.placement:
        if one["same"]:
            yield from _labelled(one["aspect"], f"as before: {one['before']}")
            continue
        yield from _labelled(one["aspect"], f"before: {one['before']}")
        yield from _labelled("", f"after:  {one['after']}")
        for key in one["examples"]:
            yield from _labelled("", f"{key['table']}: {key['before']} → {key['after']}")
