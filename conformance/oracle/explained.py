"""Matches the differences between two witnesses with the entries of the catalogue that explain them.

An entry explains the differences that its evidence names, case by case and path by path, and the recordings that show
its defects. A difference with no explanation, or with two, is a gap in the catalogue; so is evidence that no pairing
shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from conformance.catalogue.disagreements import Disagreement, Evidence, load_disagreements
from conformance.oracle.sides import Difference
from conformance.oracle.witnesses import Pairing, against_document, recorded_pairings

__all__ = ["Explanation", "Occurrence", "explain", "shipped_explanation"]


class Occurrence(NamedTuple):
    """One difference in a pairing, or a normalisation that an example needs."""

    pairing: Pairing
    what: Difference | str

    def __str__(self) -> str:
        what = self.what if isinstance(self.what, str) else f"{self.what.kind} at {self.what.at}"
        return f"{' and '.join(self.pairing.witnesses)}: {self.pairing.case}: {what}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The result; `pairings` are those that an entry explains, wholly or in part, by the entry's id."""

    pairings: Mapping[str, Sequence[Pairing]] = field(default_factory=dict)
    unexplained: list[Occurrence] = field(default_factory=list)
    ambiguous: list[tuple[Occurrence, tuple[str, ...]]] = field(default_factory=list)
    unseen: list[tuple[str, str]] = field(default_factory=list)
    """Id of an entry, and the part of its evidence that no pairing shows."""

    def recorded(self, entry: str) -> list[str]:
        """The recorded cases that show an entry, without their producers."""
        shown = (p for p in self.pairings.get(entry, ()) if "document" not in p.witnesses)
        return [*dict.fromkeys(pairing.case for pairing in shown)]

    def golden(self, entry: str) -> list[str]:
        """The examples of the document that show an entry, without `PROTOCOL/golden/`."""
        shown = (p for p in self.pairings.get(entry, ()) if "document" in p.witnesses)
        return [*dict.fromkeys(pairing.case for pairing in shown)]


def explain(pairings: Iterable[Pairing], disagreements: Sequence[Disagreement]) -> Explanation:
    """Match every pairing with the disagreements of its protocol."""
    found: dict[str, dict[Pairing, None]] = {entry.id: {} for entry in disagreements}
    unexplained, ambiguous = [], []
    seen: set[tuple[str, str]] = set()
    for pairing in pairings:
        whats: list[Difference | str] = [*sorted(pairing.differences), *sorted(pairing.mended_by)]
        for what in whats:
            by = [(entry, parts) for entry in disagreements if (parts := tuple(_parts(entry, pairing, what)))]
            occurrence = Occurrence(pairing, what)
            if not by:
                unexplained.append(occurrence)
            elif len(by) > 1:
                ambiguous.append((occurrence, tuple(entry.id for entry, _ in by)))
            for entry, parts in by:
                found[entry.id][pairing] = None
                seen |= {(entry.id, part) for part in parts}
    unseen = [(e.id, part) for e in disagreements for part in _all_parts(e) if (e.id, part) not in seen]
    return Explanation({name: [*shown] for name, shown in found.items()}, unexplained, ambiguous, unseen)


@cache
def shipped_explanation(protocol: str) -> Explanation:
    """Match the shipped disagreements of a protocol with its shipped recordings and examples: about a second."""
    return explain(
        (*recorded_pairings(protocol), *against_document(protocol)), load_disagreements()[protocol].disagreements
    )


def _parts(entry: Disagreement, pairing: Pairing, what: Difference | str) -> Iterator[str]:
    """The parts of an entry's evidence that explain a difference, by the names from `_all_parts`."""
    if entry.protocol != pairing.protocol:
        return
    if pairing.defect:
        if pairing.defect in entry.defects:
            yield pairing.defect
        return
    where = "golden" if "document" in pairing.witnesses else "recorded"
    for row, named in enumerate(_rows(entry, where)):
        if not named.names(pairing.case):
            continue
        if isinstance(what, str) and what in named.mended_by:
            yield from (f"{where} {row}: {part}" for part in (what, *_cases(named, pairing.case)))
        elif not isinstance(what, str) and what.at in named.at and what.kind in named.kinds:
            yield from (f"{where} {row}: {part}" for part in (what.at, what.kind, *_cases(named, pairing.case)))


def _rows(entry: Disagreement, where: str) -> Sequence[Evidence]:
    return entry.golden if where == "golden" else entry.recorded


def _cases(row: Evidence, case: str) -> Iterator[str]:
    return (pattern for pattern in row.cases if Evidence((pattern,)).names(case))


def _all_parts(entry: Disagreement) -> Iterator[str]:
    """Everything that the cases of an entry must show: each path, kind, normalisation and pattern."""
    for where in ("recorded", "golden"):
        for row, named in enumerate(_rows(entry, where)):
            yield from (f"{where} {row}: {part}" for part in (*named.at, *named.kinds, *named.mended_by, *named.cases))
