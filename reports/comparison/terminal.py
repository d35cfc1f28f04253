"""The summary of a comparison for a terminal, from the summary alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from reports.comparison.verdict import remarks, verdict
from reports.comparison.wording import (
    example_sides,
    id_text,
    kinds_of_difference,
    number_of,
    place_of,
    rate_text,
    remedy_text,
    sentences,
    where_text,
    whole_changes_and_others,
)
from reports.texts import counted, cut, visible

__all__ = ["terminal_lines"]

_SHOWN = 10
_HEADINGS = ("missing, extra, repeated or unreadable changes", "by divergence, the worst first")
_LINE, _NARROW = 80, 30


def terminal_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """The input, the differences and their places, the final state of each table, and the verdict."""
    for line in _lines(summary):
        # `visible` shows leading blanks as dots; here they are the indentation.
        text = line.lstrip(" ")
        yield line[: len(line) - len(text)] + visible(text)


def _wrapped(text: str, indent: str = "", *, break_on_hyphens: bool = True) -> Iterator[str]:
    """The text in lines; all but the first are indented by two more blanks.

    Invisible characters are replaced beforehand: `wrap` takes tabs and line breaks for layout.
    """
    more = f"{indent}  "
    yield from wrap(
        visible(text), _LINE, initial_indent=indent, subsequent_indent=more, break_on_hyphens=break_on_hyphens
    )


def _lines(summary: Mapping[str, Any]) -> Iterator[str]:
    for side in summary["sides"]:
        others = "".join(f", {count} {what}" for what, count in side["others"].items())
        read = f"{number_of(side['messages'], 'message')}, {number_of(side['changes'], 'change')}{others}"
        yield from _wrapped(f"{side['name']}: {side['dialect']}, {read}")
    for sentence in remarks(summary):
        yield from _wrapped(sentence)
    for pair in summary["pairs"]:
        yield ""
        yield from _pair(pair)
    yield ""
    yield from _finals(summary["final_tables"])
    yield from _wrapped(verdict(summary))


def _pair(pair: Mapping[str, Any]) -> Iterator[str]:
    by_status = ", ".join(f"{count} {status}" for status, count in pair["by_status"].items())
    total = number_of(pair["differences"], "difference")
    name = f"{pair['pair']} ({' and '.join(pair['dialects'])})"
    yield from _wrapped(f"{name}: {total}{f': {by_status}' if by_status else ''}")
    for heading, rows in zip(_HEADINGS, whole_changes_and_others(pair["divergences"]), strict=True):
        if rows:
            yield f"  {heading}"
        for row in rows[:_SHOWN]:
            yield from _row(row)
        if len(rows) > _SHOWN:
            yield f"    … and {len(rows) - _SHOWN} more, in summary.json"
    for sentence in sentences(pair):
        yield from _wrapped(sentence, "  ")
    tables = sorted(pair["tables"], key=lambda table: table["match_rate"])
    if len(tables) > _SHOWN:
        yield f"  {len(tables):,} tables, the least alike first"
    for table in tables[:_SHOWN]:
        name = f"{table['schema']}.{table['table']}"
        changes = f"{table['left_changes']} and {table['right_changes']} changes"
        yield f"  {name}: {changes}, {table['alike']} alike ({rate_text(table)})"
    kinds = kinds_of_difference(pair)
    for kind in kinds[:_SHOWN]:
        yield from _kind(pair, kind)
    if len(kinds) > _SHOWN:
        more = counted(len(kinds) - _SHOWN, "more kind of difference", "more kinds of difference")
        yield f"  … and {more}, in summary.json"


def _row(row: Mapping[str, Any]) -> Iterator[str]:
    """Title and harm, where and how often, what can be done, and the id."""
    lines = (
        ("    ", f"{row['title']}: {row['harm']}"),
        ("      ", f"{where_text(row)}: {row['count']:,}"),
        ("      ", f"remedy: {remedy_text(row)} [{id_text(row)}]"),
    )
    for indent, text in lines:
        yield from _wrapped(text, indent, break_on_hyphens=False)


def _kind(pair: Mapping[str, Any], kind: Mapping[str, Any]) -> Iterator[str]:
    """A kind of difference: how often, and where; and its first example, a line for each side."""
    name = ", ".join(filter(None, (kind["status"], kind["divergence"], kind.get("harm"))))
    yield f"  {kind['count']} × {kind['class']} at {place_of(kind)} ({name})"
    sides = example_sides(pair, kind, kind["examples"][0])
    for side, where, value in sorted(sides, key=lambda one: not one.where):  # the reason stands last
        lead = f"      {side:5}  {where}  " if where else f"      {side:5}  "
        yield f"{lead}{cut(value, max(_NARROW, _LINE - len(lead)))}".rstrip()


def _finals(finals: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    unlike = [f"{table['schema']}.{table['table']}" for table in finals if not table["equal"]]
    if finals:
        yield f"tables with the same final rows on every side: {len(finals) - len(unlike)} of {len(finals)}"
    if unlike:
        yield f"  not alike: {', '.join(unlike[:_SHOWN])}{' …' if len(unlike) > _SHOWN else ''}"
