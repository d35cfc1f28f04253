"""A comparison as a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, TypeAlias

from reports.comparison.around import place_of, statement_tables, status_of, type_tables
from reports.comparison.terminal import verdict
from reports.page import cell, head, number, page, row, table, totals
from reports.texts import cut, visible

__all__ = ["html_text"]

Json: TypeAlias = Mapping[str, Any]

_UNEXPLAINED = "unexplained"
_LONGEST = 200
_STYLE = (
    ".differences tbody th { width: 18%; } .differences td:nth-child(2), .differences td:nth-child(3) { width: 11%; } "
    ".differences td ul + ul { margin-top: .6em; } "
    ".types tbody th { width: 24%; } .types td { overflow-wrap: anywhere; }"
)
_ABOUT = (
    "Every message of one side is laid beside the one of the other side that tells of the same change. A difference is "
    "explained where the catalogue of divergences has a name for it, documented where a document tells of it; what has "
    "no name is unexplained."
)


def html_text(summary: Json) -> str:
    """The whole page."""
    sections: Mapping[str, tuple[str, Iterable[str]]] = {
        "sides": ("Sides", _sides(summary["sides"])),
        "differences": ("Differences", _pairs(summary["pairs"], _differences)),
        "written": ("The same values, written otherwise", _pairs(summary["pairs"], _written)),
        "statements": ("Statements and other messages", _pairs(summary["pairs"], statement_tables)),
        "types": ("Types of columns", _pairs(summary["pairs"], type_tables)),
        "tables": ("Tables", _pairs(summary["pairs"], _tables)),
        "ends": ("What is left of each table", _finals(summary["final_tables"])),
    }
    *others, last = (side["dialect"] for side in summary["sides"])
    names = f"{', '.join(others)} and {last}"
    return (
        "\n".join(
            page(
                f"{names}: {verdict(summary)}",
                [f'<p class="soft">{_ABOUT}</p>', *_totals(summary)],
                sections,
                example="orders amount value",
                only="only what is unexplained",
                footer="ticdc-conformance compare",
                style=_STYLE,
            )
        )
        + "\n"
    )


def _totals(summary: Json) -> Iterator[str]:
    by_status: dict[str, int] = {"unexplained": 0, "undocumented": 0, "documented": 0}
    for pair in summary["pairs"]:
        for status, count in pair["by_status"].items():
            by_status[status] += count
    messages = {f"messages, {side['name']}": side["messages"] for side in summary["sides"]}
    yield from totals({**messages, **by_status})


def _sides(sides: Sequence[Json]) -> Iterator[str]:
    yield '<div class="scroll" tabindex="0" role="region" aria-label="Sides">'
    yield from table(
        "what was read",
        ("side", "dialect", "options", "source", "others", "messages", "changes"),
        (
            row(
                "",
                [
                    head(escape(side["name"])),
                    cell(side["dialect"]),
                    cell(", ".join(f"{name}={value}" for name, value in side["options"].items())),
                    cell(side["source"]),
                    cell(", ".join(f"{count} {what}" for what, count in side["others"].items())),
                    number(side["messages"]),
                    number(side["changes"]),
                ],
            )
            for side in sides
        ),
        numbers=5,
    )
    yield "</div>"
    yield from (f"<p>{escape(side['note'])}</p>" for side in sides if side.get("note"))


def _pairs(pairs: Sequence[Json], lines: Any) -> Iterator[str]:
    """The lines of each pair, under its name where there is more than one."""
    for pair in pairs:
        found = list(lines(pair))
        if found and len(pairs) > 1:
            yield f"<h3>{escape(pair['pair'])}</h3>"
        yield from found


def _differences(pair: Json) -> Iterator[str]:
    if not pair["cells"]:
        return
    ordered = sorted(pair["cells"], key=lambda of: (of["status"] != _UNEXPLAINED, -of["count"]))
    yield '<div class="group">'
    yield from table(
        f"{pair['differences']:,} differences between {escape(' and '.join(pair['dialects']))}",
        ("where", "what", "status", "examples", "count"),
        (_difference(pair, of, n) for n, of in enumerate(ordered)),
        "cards differences",
    )
    yield "</div>"


def _difference(pair: Json, of: Json, n: int) -> str:
    name = f" <code>{escape(of['divergence'])}</code>" if of["divergence"] else ""
    return row(
        f"{pair['pair']}-{n}",
        [
            head(f"<code>{escape(place_of(of))}</code>"),
            cell(of["class"], "what"),
            cell(status_of(of["status"]) + name, made=True),
            cell("".join(map(_example, of["examples"])), made=True),
            number(of["count"]),
        ],
        trouble=of["status"] == _UNEXPLAINED,
    )


def _example(example: Json) -> str:
    lines = [f'<span class="soft">key</span> <code>{escape(visible(example["key"]))}</code>'] if example["key"] else []
    for side in ("left", "right"):
        at, value = example[side], example[f"{side}_value"]
        where = f"{at['topic']}[{at['partition']}]@{at['offset']}" if at else "expected" if value else "no message"
        text = "NULL" if value is None and at else cut(visible(value or ""), _LONGEST)
        lines.append(f'<span class="soft">{side}, {escape(where)}</span> <code>{escape(text)}</code>')
    return "<ul>" + "".join(f"<li>{line}</li>" for line in lines) + "</ul>"


def _written(pair: Json) -> Iterator[str]:
    if not pair["written_otherwise"]:
        return
    yield '<div class="group">'
    yield from table(
        "values that are the same on both sides, and members around them, each under its name",
        ("divergence", "where", "status", "examples", "count"),
        (
            row(
                f"{pair['pair']}-written-{n}",
                [
                    head(f"<code>{escape(of['divergence'])}</code>"),
                    cell(place_of(of), "where"),
                    cell(status_of(of["status"]), made=True),
                    cell(", ".join(dict.fromkeys(cut(visible(e["value"]), 60) for e in of["examples"])), "such as"),
                    number(of["count"]),
                ],
            )
            for n, of in enumerate(pair["written_otherwise"])
        ),
        "cards",
    )
    yield "</div>"


def _tables(pair: Json) -> Iterator[str]:
    if not pair["tables"]:
        return
    yield from table(
        f"changes of {escape(pair['pair'])}",
        ("table", "match", "left", "right", "alike"),
        (
            row(
                "",
                [
                    head(escape(f"{of['schema']}.{of['table']}")),
                    cell(f"{100 * of['match_rate']:.4g} %"),
                    *map(number, (of["left_changes"], of["right_changes"], of["alike"])),
                ],
            )
            for of in pair["tables"]
        ),
        numbers=2,
    )


def _finals(finals: Sequence[Json]) -> Iterator[str]:
    if not finals:
        return
    names = list(finals[0]["sides"])
    yield from table(
        "rows and checksum after the last change; the checksum does not depend on the order of rows",
        ("table", "", *names),
        (
            row(
                "",
                [
                    head(escape(f"{of['schema']}.{of['table']}")),
                    cell(_status_of_end(of["equal"]), made=True),
                    *(cell(f"{of['sides'][name]['rows']:,} rows, {of['sides'][name]['checksum']}") for name in names),
                ],
            )
            for of in finals
        ),
    )


def _status_of_end(equal: bool) -> str:
    return f'<span class="fate{" good" if equal else ""}">{"alike" if equal else "not alike"}</span>'
