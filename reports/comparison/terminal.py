"""The summary of a comparison as a person reads it in a terminal; it sees the summary and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from reports.comparison.beside import beside
from reports.texts import cut, visible

__all__ = ["terminal_lines", "verdict"]

_SHOWN = 10
_LINE, _NARROW = 80, 30


def terminal_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """What was read, what differs and where, what is left of each table, and the verdict."""
    for side in summary["sides"]:
        others = "".join(f", {count} {what}" for what, count in side["others"].items())
        told = f"{side['name']}: {side['dialect']}, {side['messages']} messages, {side['changes']} changes{others}"
        yield from wrap(told, _LINE, subsequent_indent="  ")
    for side in summary["sides"]:
        if side.get("note"):
            yield from wrap(side["note"], _LINE, subsequent_indent="  ")
    for pair in summary["pairs"]:
        yield ""
        yield from _pair(pair)
    yield ""
    yield from _finals(summary["final_tables"])
    yield verdict(summary)


def _pair(pair: Mapping[str, Any]) -> Iterator[str]:
    by_status = ", ".join(f"{count} {status}" for status, count in pair["by_status"].items())
    total = pair["differences"]
    name = f"{pair['pair']} ({' and '.join(pair['dialects'])})"
    yield from wrap(f"{name}: {total} differences{f': {by_status}' if total else ''}", _LINE, subsequent_indent="  ")
    for table in pair["tables"]:
        name = f"{table['schema']}.{table['table']}"
        changes = f"{table['left_changes']} and {table['right_changes']} changes"
        yield f"  {name}: {changes}, {table['alike']} alike ({100 * table['match_rate']:.4g} %)"
    for told in beside(pair):
        yield from wrap(told, _LINE, initial_indent="  ", subsequent_indent="    ")
    cells: Sequence[Mapping[str, Any]] = sorted(
        pair["cells"], key=lambda c: (c["status"] != "unexplained", -c["count"])
    )
    for cell in cells[:_SHOWN]:
        yield from _cell(cell)
    if len(cells) > _SHOWN:
        yield f"  … and {len(cells) - _SHOWN} more kinds of difference, in summary.json"


def _cell(cell: Mapping[str, Any]) -> Iterator[str]:
    place = ".".join(part for part in (cell["schema"], cell["table"], cell["column"]) if part) or "a message"
    name = f"{cell['status']}, {cell['divergence']}" if cell["divergence"] else cell["status"]
    yield f"  {cell['count']} × {cell['class']} at {place} ({name})"
    example = cell["examples"][0]
    for side in ("left", "right"):
        at = example[side]
        text = example[f"{side}_value"]
        where = f"{at['topic']}[{at['partition']}]@{at['offset']}" if at else "expected" if text else "no message"
        begin = f"      {side:5}  {where}  "
        shown = "NULL" if text is None and at else cut(visible(text or ""), max(_NARROW, _LINE - len(begin)))
        yield f"{begin}{shown}".rstrip()


def _finals(finals: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    unlike = [f"{table['schema']}.{table['table']}" for table in finals if not table["equal"]]
    if finals:
        yield f"{len(finals) - len(unlike)} of {len(finals)} tables end alike on every side"
    if unlike:
        yield f"  not alike: {', '.join(unlike[:_SHOWN])}{' …' if len(unlike) > _SHOWN else ''}"


def verdict(summary: Mapping[str, Any]) -> str:
    """The gate in words."""
    status, fail_on = summary["exit_status"], summary["gate"]["fail_on"]
    texts = {0: f"green: nothing that is {fail_on}", 1: f"red: there are differences, failing on {fail_on}"}
    return texts.get(status, "nothing was compared: no side has a change of a table that was given")
