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
_NARROWEST_TYPE = 12
_BESIDE_TYPE = 36  # the verdict, the numbers of findings, and the gaps


def terminal_lines(record: Json, width: int = _WIDTH) -> Iterator[str]:
    """Every section, the findings first; cosmetic ones in a line each. No line has an invisible character."""
    return map(printable_line, _lines(view_of(record), width))


def _lines(view: View, width: int) -> Iterator[str]:
    yield view.title
    yield f"{view.tried} tried in both dialects"
    for severity, heading, found in view.groups:
        yield from _heading(f"{heading} ({len(found)})")
        for one in found:
            yield from (_line(one, width) if severity == "cosmetic" else _finding(one, width))
    yield from _columns(view, width)
    yield from _heading(SECTIONS["configuration"])
    for part in view.configuration:
        yield f"  {part['what']}"
        yield from (f"    {sign} {line}" for sign, line in part["changes"])
    yield from _placement(view, width)
    yield from _heading(SECTIONS["left"])
    for left in view.not_assessed:
        where = f" ({left['where']})" if left["where"] else ""
        yield from _item(f"{left['what']}: {left['why']}{where}", width)
    yield ""
    yield view.sentence


def _heading(text: str) -> Iterator[str]:
    yield ""
    yield text
    yield "-" * len(text)


def _item(text: str, width: int) -> Iterator[str]:
    return iter(wrap(visible(text), width, initial_indent="  - ", subsequent_indent="    "))


def _line(one: Entry, width: int) -> Iterator[str]:
    lead = f"  {one.number:>3}  {visible(one.id):<{_ID}} {one.harm:<9} "
    indent = " " * len(lead)
    yield lead + cut(visible(one.title), min(70, width - len(lead)))
    yield from wrap(visible(one.where), width, initial_indent=indent, subsequent_indent=indent)


def _finding(one: Entry, width: int) -> Iterator[str]:
    def labelled(label: str, text: str) -> Iterator[str]:
        return _labelled(label, text, width)

    yield ""
    yield from wrap(f"{one.number:>3}  {visible(one.title)}", width, subsequent_indent="     ")
    names = ", ".join(name for name, _ in one.names)
    yield from labelled("harm", one.harm + (f"   {names}" if names else ""))
    for line in one.lines:
        yield from labelled(line.label, line.text)
        yield from labelled("", line.link)
    yield from labelled("evidence", "; ".join(f"{step}: {what}" for step, what in one.evidence))
    for number, statement in enumerate(one.statements):
        yield from labelled("" if number else "sql", statement)


def _labelled(label: str, text: str, width: int) -> Iterator[str]:
    if text:
        lead = f"     {label:<{_LABEL}} "
        yield from wrap(
            visible(text), width, initial_indent=lead, subsequent_indent=" " * len(lead), break_on_hyphens=False
        )


def _columns(view: View, width: int) -> Iterator[str]:
    yield from _heading(SECTIONS["columns"])
    of_names = max((len(visible(one["where"])) for one in view.columns), default=0)
    of_types = min(_TYPE, max(_NARROWEST_TYPE, width - of_names - _BESIDE_TYPE))
    for one in view.columns:
        numbers = ", ".join(map(str, one["findings"]))
        kind = cut(visible(one["type"]), of_types)
        yield f"  {visible(one['where']):<{of_names}}  {kind:<{of_types}}  {one['word']:<18}  {numbers}".rstrip()


def _placement(view: View, width: int) -> Iterator[str]:
    yield from _heading(SECTIONS["placement"])
    for one in view.placement:
        if one["same"]:
            yield from _labelled(one["aspect"], f"as before: {one['before']}", width)
            continue
        yield from _labelled(one["aspect"], f"before: {one['before']}", width)
        yield from _labelled("", f"after:  {one['after']}", width)
        for key in one["examples"]:
            yield from _labelled("", f"{key['table']}: {key['before']} → {key['after']}", width)
