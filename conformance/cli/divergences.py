"""`list divergences`, and `explain` for one: how dialects of TiCDC differ from those they imitate."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.catalogue.divergences import Divergence, Met, Pair, load_divergences
from conformance.catalogue.documents import heading_text, load_documents
from conformance.catalogue.remedies import NONE, Remedy

__all__ = ["divergence_lines", "list_divergences"]

_LABEL = 11
_WIDTHS = {"id": 8, "harm": 8, "documented": 12}

_MET: Mapping[Met, str] = {
    Met.TEXT: "one value in two texts: counted, no difference",
    Met.CELL: "two values: a difference with this name",
    Met.ABSENT: "a column that one side lacks: a difference with this name",
    Met.STEPS: "other messages that lead to the same row: a difference with this name",
    Met.ENVELOPE: "members around every row: counted, no difference",
    Met.STATEMENT: "DDL statements: a difference with this name, or counted where they mean the same",
    Met.MESSAGE: "messages that one dialect alone has: counted as others of their side",
    Met.OUTSIDE: "not at all",
}


def list_divergences(args: argparse.Namespace, protocols: Sequence[str]) -> int:
    """Print the divergences of the protocols from what they imitate."""
    pairs = [pair for pair in load_divergences().values() if pair.ticdc in protocols]
    if args.format == "json":
        json.dump([_row(one) for pair in pairs for one in pair.divergences], sys.stdout, indent=1, ensure_ascii=False)
        print()
        return 0
    for pair in pairs:
        print("\n".join(_text(pair)))
    print(f"{sum(len(pair.divergences) for pair in pairs)} divergences")
    if not pairs:
        imitate = ", ".join(sorted(ticdc for _, ticdc in load_divergences()))
        print(f"only these protocols imitate an upstream format: {imitate}")
    return 0


def _documented(one: Divergence) -> str:
    return "documented" if one.documented else "undocumented"


def _row(one: Divergence) -> dict[str, Any]:
    shown = one.reproducer
    return {
        "id": one.id,
        "aliases": list(one.aliases),
        "upstream": one.upstream,
        "ticdc": one.ticdc,
        "title": one.title,
        "upstream_does": one.upstream_does,
        "ticdc_does": one.ticdc_does,
        "harm": str(one.harm),
        "met": str(one.met),
        "documented": one.documented,
        "place": dict(zip(("document", "heading"), one.place, strict=True)) if one.place else None,
        "types": list(one.types),
        "events": list(one.events),
        "when": {dialect: {name: list(v) for name, v in named.items()} for dialect, named in one.when.items()},
        "remedies": [_remedy(remedy) for remedy in one.remedies],
        "reader": one.reader,
        "requirements": list(one.requirements),
        "evidence": list(one.evidence),
        "columns": list(shown.columns) if shown else [],
        "create": shown.create if shown else "",
        "statements": list(shown.statements) if shown else [],
        "note": one.note,
    }


def _remedy(one: Remedy) -> dict[str, Any]:
    options = {dialect: dict(named) for dialect, named in one.options.items()}
    return {"what": one.what, "options": options, "but": one.but, "breaks": one.breaks}


def _text(pair: Pair) -> Iterator[str]:
    yield f"{pair.upstream} -> {pair.ticdc} ({len(pair.divergences)})"
    yield ""
    for one in pair.divergences:
        words = {"id": one.id, "harm": one.harm, "documented": _documented(one)}
        yield "  ".join([*(f"{words[name]:<{width}}" for name, width in _WIDTHS.items()), one.title])
    yield ""


def divergence_lines(one: Divergence) -> Iterator[str]:
    """A divergence in full."""
    yield f"{one.name}  {one.upstream} -> {one.ticdc}, {one.harm}, {_documented(one)}"
    for label, text in _labelled(one):
        if text:
            yield f"  {label:<{_LABEL}} {_printable(text)}"


def _printable(text: str) -> str:
    """The text with escapes for characters that a terminal would not show."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def _labelled(one: Divergence) -> Iterator[tuple[str, str]]:
    """(label, text) of each part of a divergence. Some texts may be empty."""
    yield "about", one.title
    yield "upstream", one.upstream_does
    yield "ticdc", one.ticdc_does
    if one.place:
        document = load_documents()[one.place[0]]
        yield "place", f"{document.title}, {heading_text(*one.place)}"
        yield "", document.url
    yield "types", ", ".join(one.types)
    yield "events", ", ".join(one.events)
    for dialect, named in one.when.items():
        yield "only with", f"{dialect}: " + ", ".join(f"{name}={'|'.join(values)}" for name, values in named.items())
    for remedy in one.remedies:
        yield "removed by", remedy.what + (f" (but {remedy.but})" if remedy.but else "")
        yield "  breaks", remedy.breaks
    if not one.remedies:
        yield "removed by", NONE
    yield "reader", one.reader
    yield "compared", _MET[one.met]
    yield "rules", ", ".join(one.requirements)
    yield "also called", ", ".join(one.aliases)
    if one.reproducer:
        yield "table", one.reproducer.create or ", ".join(one.reproducer.columns)
        yield from (("sql", statement) for statement in one.reproducer.statements)
    if one.near_miss:
        yield "near miss", f"{one.near_miss.new} for {one.near_miss.old}, in {one.near_miss.dialect}: not this"
    yield "recorded", ", ".join(one.evidence)
    yield "note", one.note
