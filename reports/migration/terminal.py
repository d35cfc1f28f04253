"""The assessment of a move as text, for a terminal or a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any, TypeAlias

from reports.migration.words import (
    SECTIONS,
    SEVERITIES,
    place_text,
    places_text,
    removal_text,
    seen_text,
    sentence,
    title,
    verdict_text,
)
from reports.texts import cut, printable, visible

__all__ = ["terminal_lines"]

Json: TypeAlias = Mapping[str, Any]

_LABEL = 12
_ID = 14
_WIDTH = 118
_TYPE = 40


def terminal_lines(record: Json) -> Iterator[str]:
    """Every section, the findings first; cosmetic ones in a line each. Nothing invisible is in a line."""
    return (printable(line).replace("\n", "␊") for line in _lines(record))


def _lines(record: Json) -> Iterator[str]:
    yield title(record)
    yield from _tried(record)
    for severity in SEVERITIES:
        found = [one for one in record["findings"] if one["severity"] == severity]
        if found:
            yield from _heading(f"{SECTIONS[severity]} ({len(found)})")
        for one in found:
            yield from (_line(one) if severity == "cosmetic" else _finding(one))
    yield from _columns(record)
    yield from _configuration(record)
    yield from _placement(record)
    yield from _heading(SECTIONS["left"])
    for one in record["not_assessed"]:
        yield from _item(f"{one['what']}: {one['why']}" + (f" ({places_text(one['places'])})" if one["places"] else ""))
    yield ""
    yield sentence(record)


def _tried(record: Json) -> Iterator[str]:
    tried = record["tried"]
    yield (
        f"{tried['tables']:,} tables, {tried['columns']:,} columns, {tried['changes']:,} changes tried in both dialects"
    )


def _heading(text: str) -> Iterator[str]:
    yield ""
    yield text
    yield "-" * len(text)


def _item(text: str, indent: str = "  ") -> Iterator[str]:
    return iter(wrap(visible(text), _WIDTH, initial_indent=f"{indent}- ", subsequent_indent=f"{indent}  "))


def _line(one: Json) -> Iterator[str]:
    yield f"  {one['number']:>3}  {_id(one):<{_ID}} {one['harm']:<9} {cut(visible(one['title']), 70)}"
    yield f"       {'':<{_ID}} {'':<9} {places_text(one['places'])}"


def _id(one: Json) -> str:
    return str((one["divergences"] or [one["rule"]["id"] if one["rule"] else ""])[0])


def _finding(one: Json) -> Iterator[str]:
    yield ""
    yield from wrap(f"{one['number']:>3}  {visible(one['title'])}", _WIDTH, subsequent_indent="     ")
    names = ", ".join(one["divergences"])
    yield from _labelled("harm", f"{one['harm']}" + (f"   {names}" if names else ""))
    yield from _labelled("where", places_text(one["places"], 6))
    yield from _labelled("before", seen_text(one["was"]) or one["upstream_does"])
    yield from _labelled("after", seen_text(one["now"]) or one["ticdc_does"])
    for number, removal in enumerate(one["removals"]):
        yield from _labelled("or" if number else "removed by", removal_text(removal))
    if not one["removals"]:
        yield from _labelled("removed by", "nothing known")
    yield from _labelled("reader", one["reader"])
    for number, statement in enumerate(one["sql"]):
        yield from _labelled("" if number else "sql", statement)
    if one["document"]:
        yield from _labelled("document", f"{one['document']['document']}, {one['document']['heading']}")
        yield from _labelled("", one["document"]["url"])
    yield from _labelled("evidence", "; ".join(f"{of['step']}: {of['what']}" for of in one["evidence"]))


def _labelled(label: str, text: str) -> Iterator[str]:
    if text:
        lead = f"     {label:<{_LABEL}} "
        yield from wrap(
            visible(text), _WIDTH, initial_indent=lead, subsequent_indent=" " * len(lead), break_on_hyphens=False
        )


def _columns(record: Json) -> Iterator[str]:
    yield from _heading(SECTIONS["columns"])
    width = max((len(place_text(one)) for one in record["columns"]), default=0)
    for one in record["columns"]:
        numbers = ", ".join(map(str, one["findings"]))
        kind = cut(visible(one["type"]), _TYPE)
        yield f"  {visible(place_text(one)):<{width}}  {kind:<{_TYPE}}  {verdict_text(one):<18}  {numbers}".rstrip()


def _configuration(record: Json) -> Iterator[str]:
    yield from _heading(SECTIONS["configuration"])
    for one in record["configuration"]:
        yield f"  {one['what']}"
        yield from (f"    - {line}" for line in one["before"].splitlines())
        yield from (f"    + {line}" for line in one["after"].splitlines())


def _placement(record: Json) -> Iterator[str]:
    yield from _heading(SECTIONS["placement"])
    for one in record["placement"]:
        if one["same"]:
            yield from _labelled(one["aspect"], f"as before: {one['before']}")
            continue
        yield from _labelled(one["aspect"], f"before: {one['before']}")
        yield from _labelled("", f"after:  {one['after']}")
        for example in one["examples"]:
            yield from _labelled(
                "", f"{example['table']}: {example['before'] or 'none'} → {example['after'] or 'none'}"
            )
