"""What a page of a comparison tells of what was read: the sides, how far each of them is, and offsets of topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, TypeAlias

from reports.comparison.whole import way
from reports.page import cell, head, number, row, scrolled, table

__all__ = ["side_tables"]

Json: TypeAlias = Mapping[str, Any]


def side_tables(summary: Json) -> Iterator[str]:
    """The tables, each in a frame that a narrow window scrolls, and how the comparison was made."""
    yield from scrolled("Sides", _read(summary))
    if "live" in summary:
        yield from scrolled("How far each side is", _live(summary["live"]))
    for side in summary["sides"]:
        if "offsets" in side:
            yield from _offsets(side)
    told = way(summary)
    yield f'<p class="soft">{escape(told[0].upper() + told[1:])}.</p>'


def _read(summary: Json) -> Iterator[str]:
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
                    cell(", ".join(f"{count:,} {what}" for what, count in side["others"].items())),
                    number(side["messages"]),
                    number(side["changes"]),
                ],
            )
            for side in summary["sides"]
        ),
        numbers=5,
    )


def _live(live: Json) -> Iterator[str]:
    yield from table(
        f"how far each side is after batch {live['batches']:,}; the patience is {live['patience_seconds']:g} s",
        ("side", "newest message", "seconds behind", "changes that wait"),
        (
            row(
                "",
                [
                    head(escape(name)),
                    cell(of["newest"] or "none yet"),
                    '<td role="cell" class="number">'
                    + ("" if of["behind_seconds"] is None else f"{of['behind_seconds']:,.1f}")
                    + "</td>",
                    number(of["waiting"]),
                ],
            )
            for name, of in live["sides"].items()
        ),
        numbers=2,
    )


def _offsets(side: Json) -> Iterator[str]:
    """A row a topic: there may be one a table."""
    begin, end, without = (side["offsets"][name] for name in ("begin", "end", "without_a_message"))
    topics = f"{len(begin):,} topic{'' if len(begin) == 1 else 's'}"
    yield f"<details><summary>Offsets of {escape(side['name'])}: {topics}</summary>"
    yield from scrolled(
        f"Offsets of {side['name']}",
        table(
            f"where reading began and ended, by partition; {without:,} offsets had no message, as they are ends of "
            "transactions, or were compacted away",
            ("topic", "partition: from, to before"),
            (row("", [head(escape(topic)), cell(_spans(begin[topic], end[topic]))]) for topic in begin),
        ),
    )
    yield "</details>"


def _spans(begin: Mapping[str, int], end: Mapping[str, int]) -> str:
    return "; ".join(f"{number}: {begin[number]}, {end[number]}" for number in begin)
