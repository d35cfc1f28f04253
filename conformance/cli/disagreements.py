"""`list divergences --oracle`, and `explain` for one: where document, producers and reference disagree."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.catalogue.disagreements import PREFIX, Conflict, Disagreement, load_disagreements
from conformance.oracle.explained import Explanation, shipped_explanation
from reports.texts import counted

__all__ = ["disagreement_lines", "disagreement_named", "disagreements_about", "list_disagreements"]

_NARROWEST, _WIDEST = 40, 120
_LABEL = 11  # width of a label


def list_disagreements(args: argparse.Namespace, protocols: Sequence[str]) -> int:
    """Print the disagreements of the protocols, with the cases in which the shipped data show each."""
    chosen = {protocol: load_disagreements()[protocol].disagreements for protocol in protocols}
    if args.format == "json":
        rows = [_row(entry, shipped_explanation(protocol)) for protocol in protocols for entry in chosen[protocol]]
        json.dump(rows, sys.stdout, indent=1, ensure_ascii=False)
        print()
    else:
        print("\n".join(_text(chosen)))
    return 0


def _row(entry: Disagreement, explanation: Explanation) -> dict[str, Any]:
    return {
        "id": entry.id,
        "also": list(entry.also),
        "protocol": entry.protocol,
        "kind": str(entry.kind),
        "title": entry.title,
        "parties": dict(entry.parties),
        "place": entry.place,
        "requirements": list(entry.requirements),
        "decision": entry.decision,
        "defects": list(entry.defects),
        "recorded": explanation.recorded(entry.id),
        "golden": [f"{entry.protocol}/golden/{example}" for example in explanation.golden(entry.id)],
    }


def _text(chosen: Mapping[str, Sequence[Disagreement]]) -> Iterator[str]:
    width = max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size().columns))
    for protocol, entries in chosen.items():
        explanation = shipped_explanation(protocol)
        for kind in Conflict:
            of_kind = [entry for entry in entries if entry.kind is kind]
            if of_kind:
                yield f"{protocol}: {kind} ({len(of_kind)})"
                yield ""
            for entry in of_kind:
                yield from _wrapped(f"{entry.id:<{_LABEL}} {entry.title}", width)
                for label, text in _labelled(entry, explanation):
                    yield from _wrapped(f"  {label:<{_LABEL}} {text}", width)
                yield ""
    yield counted(sum(map(len, chosen.values())), "disagreement", "disagreements")


def _wrapped(line: str, width: int) -> list[str]:
    """The line in lines of at most `width` characters; those after the first are indented to the text."""
    return textwrap.wrap(
        line, width, subsequent_indent=" " * (_LABEL + 3), break_long_words=False, break_on_hyphens=False
    )


def _labelled(entry: Disagreement, explanation: Explanation) -> Iterator[tuple[str, str]]:
    """(label, text) of each party's claim, of the decision, and of what goes with it."""
    for party, text in entry.statements():
        yield party, f"{text} [{entry.place}]" if party == "document" else text
    yield "decision", entry.decision
    if entry.requirements:
        yield "rules", ", ".join(entry.requirements)
    shown = (
        (explanation.recorded(entry.id), "recorded case", "recorded cases"),
        (explanation.golden(entry.id), "example of the document", "examples of the document"),
    )
    if text := ", ".join(counted(len(cases), one, many) for cases, one, many in shown if cases):
        yield "seen in", text
    if entry.defects:
        yield "defect", ", ".join(entry.defects)
    if entry.also:
        yield "with", ", ".join(entry.also)


# -- explain -------------------------------------------------------------------------------------------------------

_SHOWN = 3


def disagreement_named(name: str) -> Disagreement | None:
    """The disagreement of that id, with or without `disagreement/` before it."""
    bare_id = name.removeprefix(PREFIX)
    for catalogue in load_disagreements().values():
        for entry in catalogue.disagreements:
            if bare_id in (entry.id, *entry.also):
                return entry
    return None


def disagreements_about(protocol: str, requirement: str) -> Iterator[Disagreement]:
    """The disagreements that a requirement settles, and the one that has its id. Upstream dialects have none."""
    catalogue = load_disagreements().get(protocol)
    for entry in catalogue.disagreements if catalogue else ():
        if requirement in (entry.id, *entry.also, *entry.requirements):
            yield entry


def disagreement_lines(entry: Disagreement) -> Iterator[str]:
    """A disagreement in full."""
    explanation = shipped_explanation(entry.protocol)
    yield f"{entry.name}  {entry.protocol}, {entry.kind}"
    yield f"  {'about':<{_LABEL}} {entry.title}"
    yield from (f"  {label:<{_LABEL}} {text}" for label, text in _labelled(entry, explanation))
    for label, cases in (("recorded", explanation.recorded(entry.id)), ("example", explanation.golden(entry.id))):
        yield from (f"  {label:<{_LABEL}} {case}" for case in cases[:_SHOWN])
        if len(cases) > _SHOWN:
            yield f"  {'':<{_LABEL}} and {len(cases) - _SHOWN} more"
