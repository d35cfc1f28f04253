"""A comparison as a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, TypeAlias

from reports.comparison.around import statement_tables, status_of, type_tables
from reports.comparison.examples import ordered, place_of, shown, sides_of
from reports.comparison.sides import side_tables
from reports.comparison.whole import known, verdict
from reports.page import cell, head, number, page, row, scrolled, table, totals
from reports.texts import cut, visible

__all__ = ["html_text"]

Json: TypeAlias = Mapping[str, Any]

_UNEXPLAINED = "unexplained"
_LONGEST = 200
_STYLE = (
    ".differences tbody th { width: 18%; } .differences td:nth-child(2), .differences td:nth-child(3) { width: 11%; } "
    ".differences td ul + ul { margin-top: .6em; } "
    ".known { max-width: 60rem; margin: 1rem 0; padding: .6rem .9rem .6rem 1.9rem; border-left: 4px solid var(--idle); "
    "background: var(--idle-band); } .known li + li { margin-top: .3rem; } "
    "details { margin-bottom: 1.25rem; } "
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
        "sides": ("Sides", side_tables(summary)),
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
                [f'<p class="soft">{_ABOUT}</p>', *_totals(summary), *_known(summary)],
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


def _known(summary: Json) -> Iterator[str]:
    """What is to be known before the verdict is trusted."""
    if told := known(summary):
        yield '<ul class="known" aria-label="To be known">'
        yield from (f"<li>{escape(one[0].upper() + one[1:])}</li>" for one in told)
        yield "</ul>"


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
    yield '<div class="group">'
    yield from table(
        f"{pair['differences']:,} differences between {escape(' and '.join(pair['dialects']))}",
        ("where", "what", "status", "examples", "count"),
        (_difference(pair, of, n) for n, of in enumerate(ordered(pair))),
        "cards differences",
        numbers=4,
    )
    yield "</div>"


def _difference(pair: Json, of: Json, n: int) -> str:
    harm = f" {escape(of['harm'])}" if of.get("harm") else ""
    name = f" <code>{escape(of['divergence'])}</code>{harm}" if of["divergence"] else ""
    return row(
        f"{pair['pair']}-{n}",
        [
            head(f"<code>{escape(place_of(of))}</code>"),
            cell(of["class"], "what"),
            cell(status_of(of["status"]) + name, made=True),
            cell("".join(_example(pair, example) for example in of["examples"]), made=True),
            number(of["count"]),
        ],
        trouble=of["status"] == _UNEXPLAINED,
    )


def _example(pair: Json, example: Json) -> str:
    lines = [f'<span class="soft">key</span> <code>{escape(visible(example["key"]))}</code>'] if example["key"] else []
    for side, where, text in shown(pair, example):
        said = f" <code>{escape(cut(text, _LONGEST))}</code>" if text else ""
        lines.append(f'<span class="soft">{side}, {escape(where)}</span>{said}')
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
        numbers=4,
    )
    yield "</div>"


def _tables(pair: Json) -> Iterator[str]:
    if not pair["tables"]:
        return
    yield from table(
        f"changes of {escape(pair['pair'])}",
        ("table", "match", *sides_of(pair), "alike"),
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
    ends = table(
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
    yield from scrolled("What is left of each table", ends)


def _status_of_end(equal: bool) -> str:
    return f'<span class="fate{" good" if equal else ""}">{"alike" if equal else "not alike"}</span>'
