"""The assessment of a move in Markdown, as a page of a wiki or a comment of a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from reports.markup import cell, code, fenced, row
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

__all__ = ["markdown_text"]

Json: TypeAlias = Mapping[str, Any]


def markdown_text(record: Json) -> str:
    """The whole text."""
    return "\n".join(_lines(record)) + "\n"


def _lines(record: Json) -> Iterator[str]:
    yield f"# {cell(title(record))}"
    yield ""
    yield f"**{cell(sentence(record))}.**"
    for severity in SEVERITIES:
        found = [one for one in record["findings"] if one["severity"] == severity]
        if found:
            yield from ("", f"## {SECTIONS[severity]}")
        if severity == "cosmetic" and found:
            yield from _table(("#", "what", "harm", "where", "id"), map(_short, found))
            continue
        for one in found:
            yield from _finding(one)
    yield from ("", f"## {SECTIONS['columns']}")
    yield from _table(
        ("column", "type", "verdict", "findings"),
        (
            (
                code(place_text(one)),
                code(one["type"], 80),
                cell(verdict_text(one)),
                ", ".join(map(str, one["findings"])),
            )
            for one in record["columns"]
        ),
    )
    yield from ("", f"## {SECTIONS['configuration']}")
    for one in record["configuration"]:
        changes = [f"- {line}" for line in one["before"].splitlines()] + [
            f"+ {line}" for line in one["after"].splitlines()
        ]
        yield from ("", cell(one["what"]), "", *fenced(changes))
    yield from ("", f"## {SECTIONS['placement']}")
    yield from _table(
        ("aspect", "before", "after"),
        ((cell(one["aspect"]), cell(one["before"]), cell(one["after"])) for one in record["placement"]),
    )
    for one in record["placement"]:
        if one["examples"] and not one["same"]:
            yield from _table(
                ("table", "key before", "key after"),
                (
                    (code(of["table"]), code(of["before"] or "none"), code(of["after"] or "none"))
                    for of in one["examples"]
                ),
            )
    yield from ("", f"## {SECTIONS['left']}", "")
    for one in record["not_assessed"]:
        where = f" ({cell(places_text(one['places']))})" if one["places"] else ""
        yield f"- {cell(one['what'])}: {cell(one['why'])}{where}"


def _table(heads: tuple[str, ...], rows: Any) -> Iterator[str]:
    yield ""
    yield row(heads)
    yield "|" + "---|" * len(heads)
    yield from map(row, rows)


def _short(one: Json) -> tuple[str, ...]:
    ids = ", ".join(one["divergences"][:3])
    return (
        str(one["number"]),
        cell(one["title"]),
        cell(one["harm"]),
        cell(places_text(one["places"])),
        cell(ids),
    )


def _finding(one: Json) -> Iterator[str]:
    yield from ("", f"### {one['number']}. {cell(one['title'])}", "")
    names = ", ".join(one["divergences"])
    yield f"- harm: {cell(one['harm'])}" + (f" ({cell(names)})" if names else "")
    yield f"- where: {cell(places_text(one['places'], 6))}"
    for label, shown, does in (("before", "was", "upstream_does"), ("after", "now", "ticdc_does")):
        if text := seen_text(one[shown]):
            yield f"- {label}: {code(text)}"
        elif one[does]:
            yield f"- {label}: {cell(one[does])}"
    for removal in one["removals"]:
        yield f"- removed by: {cell(removal_text(removal), 600)}"
    if not one["removals"]:
        yield "- removed by: nothing known"
    if one["reader"]:
        yield f"- a reader can: {cell(one['reader'])}"
    if one["document"]:
        yield f"- document: {cell(one['document']['document'])}, {cell(one['document']['heading'])}"
    yield "- evidence: " + "; ".join(f"{cell(of['step'])}: {cell(of['what'])}" for of in one["evidence"])
    if one["sql"]:
        yield from ("", *fenced([f"{statement};" for statement in one["sql"]]))
