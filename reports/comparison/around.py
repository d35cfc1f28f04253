"""What a page of a comparison tells beside the differences: statements, messages not compared, names of types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, TypeAlias

from reports.comparison.examples import place_of, sides_of
from reports.page import cell, head, number, row, table
from reports.texts import cut, visible

__all__ = ["statement_tables", "status_of", "type_tables"]

Json: TypeAlias = Mapping[str, Any]

_STYLES = {"documented": " good", "undocumented": " idle"}
_LONGEST = 120


def status_of(word: str) -> str:
    """A status, told apart by its words and its colour."""
    return f'<span class="fate{_STYLES.get(word, "")}">{escape(word)}</span>'


def _names(ids: Sequence[str]) -> str:
    return " ".join(f"<code>{escape(one)}</code>" for one in ids)


def statement_tables(pair: Json) -> Iterator[str]:
    """How many statements there are, and what is counted and not compared."""
    told = pair["statements"]
    if told["silent"]:
        yield f'<p class="soft">No statements are compared: {escape(told["silent"])} writes none.</p>'
    elif told["left"] or told["right"]:
        numbers = [told[name] for name in ("left", "right", "alike", "written_otherwise")]
        yield from table(
            f"statements of {escape(pair['pair'])}",
            ("", *sides_of(pair), "alike", "in other words"),
            [row("", [head("DDL statements"), *map(number, numbers)])],
            numbers=1,
        )
    if pair["not_compared"]:
        yield from table(
            f"messages of {escape(pair['pair'])} that are counted and not compared",
            ("messages", "side", "divergence", "count"),
            (
                row(
                    "",
                    [
                        head(escape(one["what"])),
                        cell(one["side"]),
                        cell(_divergence(one), made=True),
                        number(one["count"]),
                    ],
                )
                for one in pair["not_compared"]
            ),
            numbers=3,
        )


def _divergence(one: Json) -> str:
    return f"{status_of(one['status'])} {_names([one['divergence']])}" if one["divergence"] else ""


def type_tables(pair: Json) -> Iterator[str]:
    """What the sides call the types of columns, or why that cannot be compared."""
    told = pair["type_names"]
    if not told["compared"]:
        yield f'<p class="soft">Types of columns are not compared: {escape(told["why"])}.</p>'
        return
    if not told["differ"] and not told["equal"]:
        return
    if not told["differ"]:
        yield f'<p class="soft">Both sides call the types of all {told["equal"]:,} columns the same.</p>'
        return
    yield '<div class="group">'
    columns = {place_of(one) for one in told["differ"]}
    yield from table(
        f"types of columns: {told['equal']:,} called the same, {len(columns):,} otherwise by "
        f"{escape(' and '.join(pair['dialects']))}",
        ("column", "member", *sides_of(pair), "status"),
        (_type(pair, one, n) for n, one in enumerate(told["differ"])),
        "cards types",
    )
    yield "</div>"


def _type(pair: Json, one: Json, n: int) -> str:
    many = "" if one["messages"] is None else f" in {one['messages']:,} messages"
    return row(
        f"{pair['pair']}-type-{n}",
        [
            head(f"<code>{escape(place_of(one))}</code>"),
            cell(one["member"] + many, "member"),
            *(
                cell(_shown(one[member]), side, made=True)
                for side, member in zip(sides_of(pair), ("left", "right"), strict=True)
            ),
            cell(f"{status_of(one['status'])} {_names(one['divergences'])}", made=True),
        ],
        trouble=one["status"] == "unexplained",
    )


def _shown(text: str | None) -> str:
    return '<span class="soft">none</span>' if text is None else f"<code>{escape(cut(visible(text), _LONGEST))}</code>"
