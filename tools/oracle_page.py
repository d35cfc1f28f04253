"""`docs/oracle.md`: where document, recorded producers and reference disagree, each with a decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from conformance.catalogue.disagreements import Conflict, Disagreement, load_disagreements
from conformance.oracle.explained import Explanation, shipped_explanation
from conformance.oracle.witnesses import common_cases
from reference_impl.protocols import CODECS
from tools.page_text import TITLES, cell, code, link, page, table

__all__ = ["oracle_page"]


_INTRODUCTION = """\
Three oracles decide what a right message is: the documents of record, recordings of two real producers, and the
reference of this suite. This page has every place where one contradicts itself or another, what each says there, and
what the suite expects.

* **document**: the document of record, at the heading in brackets; **pages** are others of its site.
* **classic** and **newarch**: what was recorded of a producer, or is known of its code; **producers** is both.
* **reference**: what this suite's own codec writes under each profile. An oracle that is not named is silent.
* **seen in**: computed. The recordings of both producers, the reference in their styles and the examples of the
  documents are compared byte by byte; every difference belongs to one entry of this page, and every piece of evidence
  is seen. An entry without any is known from the documents or from code, and no shipped data show it.

The same on the command line: `ticdc-conformance list divergences --oracle`, and `explain` with the id of an entry, or
with `disagreement/` and the id where a requirement has the same id."""


def oracle_page() -> str:
    """The page; observations are computed from the shipped recordings and examples, in some seconds."""
    return page("Oracle against oracle", _lines())


def _lines() -> Iterator[str]:
    yield from _INTRODUCTION.splitlines()
    yield ""
    yield from table(
        ("disagreements", *Conflict, "in all"),
        (
            (
                TITLES[protocol],
                *(sum(e.kind is kind for e in load_disagreements()[protocol].disagreements) for kind in Conflict),
                len(load_disagreements()[protocol].disagreements),
            )
            for protocol in CODECS
        ),
    )
    yield "The cases that both producers were given; members that differ from run to run, such as clocks, are left out:"
    yield ""
    yield from table(
        ("protocol", "cases", "same", "same JSON in other bytes", "different"),
        (_of_producers(protocol) for protocol in CODECS),
    )
    for protocol in CODECS:
        seen = shipped_explanation(protocol)
        yield f"## {TITLES[protocol]}"
        yield ""
        for kind in Conflict:
            entries = [e for e in load_disagreements()[protocol].disagreements if e.kind is kind]
            if entries:
                yield f"### {TITLES[protocol]}: {kind}"
                yield ""
                yield from table(
                    ("id", "about", "who says what", "decision", "requirements", "seen in"),
                    (_row(entry, seen) for entry in entries),
                )


def _of_producers(protocol: str) -> tuple[str, int, int, int, int]:
    shown = {pairing for pairings in shipped_explanation(protocol).pairings.values() for pairing in pairings}
    counts = Counter(pairing.is_form for pairing in shown if pairing.witnesses == ("classic", "newarch"))
    cases = common_cases(protocol)
    return TITLES[protocol], cases, cases - counts.total(), counts[True], counts[False]


def _row(entry: Disagreement, seen: Explanation) -> tuple[str, ...]:
    voices = (
        f"**{party}**{f' [{cell(entry.place)}]' if party == 'document' else ''}: {cell(text)}"
        for party, text in entry.statements()
    )
    return (
        ", ".join(f'<a id="{name.lower()}"></a>{name}' for name in (entry.id, *entry.also)),
        cell(entry.title),
        "<br>".join(voices),
        cell(entry.decision),
        ", ".join(map(link, entry.requirements)),
        "<br>".join(_seen(entry, seen)),
    )


def _seen(entry: Disagreement, seen: Explanation) -> Iterator[str]:
    for cases, what in ((seen.recorded(entry.id), "recorded"), (seen.golden(entry.id), "in examples")):
        if cases:
            yield f"{len(cases)} {what}"
    yield from (f"defect {code(defect)}" for defect in entry.defects)
