"""The summary of a comparison in Markdown, short enough for the page of a CI job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from reports.comparison.around import place_of
from reports.comparison.beside import beside
from reports.comparison.terminal import verdict
from reports.markdown import cell
from reports.texts import cut, visible

__all__ = ["markdown_text"]

Json: TypeAlias = Mapping[str, Any]

_MOST = 20
_LONGEST = 60


def markdown_text(summary: Json) -> str:
    """The whole text: the verdict, the sides, and each pair."""
    lines = [f"## {cell(verdict(summary))}", ""]
    sides = ((s["name"], s["dialect"], s["messages"], s["changes"], _listed(s["others"])) for s in summary["sides"])
    lines += _table(("side", "dialect", "messages", "changes", "others"), sides)
    lines += [line for side in summary["sides"] if side.get("note") for line in ("", cell(side["note"]))]
    for pair in summary["pairs"]:
        lines += ["", f"### {cell(pair['pair'])}: {cell(' and '.join(pair['dialects']))}", "", *_pair(pair)]
    unlike = [cell(f"{one['schema']}.{one['table']}") for one in summary["final_tables"] if not one["equal"]]
    if summary["final_tables"]:
        count = len(summary["final_tables"])
        lines += ["", f"{count - len(unlike)} of {count} tables end alike on every side."]
        lines += [f"Not alike: {', '.join(unlike)}."] if unlike else []
    return "\n".join(lines) + "\n"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {what}" for what, count in counts.items())


def _table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    yield from ("| " + " | ".join(cell(str(value)) for value in row) + " |" for row in rows)


def _pair(pair: Json) -> Iterator[str]:
    by_status = _listed(pair["by_status"])
    yield f"{pair['differences']} differences" + (f": {by_status}." if by_status else ".")
    if cells := sorted(pair["cells"], key=lambda of: (of["status"] != "unexplained", -of["count"])):
        yield ""
        shown = ((of["count"], of["class"], place_of(of), of["status"], of["divergence"] or "", *_values(of)) for of in
                 cells[:_MOST])  # fmt: skip
        yield from _table(("count", "what", "where", "status", "divergence", "left", "right"), shown)
        if len(cells) > _MOST:
            yield f"\nAnd {len(cells) - _MOST} more kinds of difference."
    yield from ("", *(f"- {cell(told[0].upper() + told[1:])}." for told in beside(pair)))


def _values(of: Json) -> Iterator[str]:
    example = of["examples"][0]
    return (cut(visible(example[f"{side}_value"] or ""), _LONGEST) for side in ("left", "right"))
