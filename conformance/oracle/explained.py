"""Matches the differences of two witnesses with the catalogue entries that explain them.

An entry explains the differences that its evidence names, case by case and path by path, and the recordings that show
its defects. The catalogue has a gap where no entry or several entries explain a difference, and where no pairing shows
the evidence of an entry.
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
    """The differences of all pairings with the entries that explain them."""

    # Id of an entry → the pairings in which it explains a difference.
    pairings: Mapping[str, Sequence[Pairing]] = field(default_factory=dict)
    unexplained: list[Occurrence] = field(default_factory=list)
    ambiguous: list[tuple[Occurrence, tuple[str, ...]]] = field(default_factory=list)  # with the ids of several entries
    unseen: list[tuple[str, str]] = field(default_factory=list)  # (id of an entry, part of its evidence not shown)

    def recorded(self, entry: str) -> list[str]:
        """The recorded cases that show an entry, without their producers."""
        return self._cases_of(entry, golden=False)

    def golden(self, entry: str) -> list[str]:
        """The examples of the document that show an entry, without `PROTOCOL/golden/`."""
        return self._cases_of(entry, golden=True)

    def _cases_of(self, entry: str, *, golden: bool) -> list[str]:
        pairings = self.pairings.get(entry, ())
        return [*dict.fromkeys(p.case for p in pairings if ("document" in p.witnesses) == golden)]


def explain(pairings: Iterable[Pairing], disagreements: Sequence[Disagreement]) -> Explanation:
    """Match every pairing with the disagreements of its protocol."""
    explained: dict[str, dict[Pairing, None]] = {entry.id: {} for entry in disagreements}
    unexplained, ambiguous = [], []
    seen: set[tuple[str, str]] = set()
    for pairing in pairings:
        differences: list[Difference | str] = [*sorted(pairing.differences), *sorted(pairing.mended_by)]
        for what in differences:
            evidence = [(entry.id, set(_parts(entry, pairing, what))) for entry in disagreements]
            explaining = [(entry, parts) for entry, parts in evidence if parts]
            occurrence = Occurrence(pairing, what)
            if not explaining:
                unexplained.append(occurrence)
            elif len(explaining) > 1:
                ambiguous.append((occurrence, tuple(entry for entry, _ in explaining)))
            for entry, parts in explaining:
                explained[entry][pairing] = None
                seen |= {(entry, part) for part in parts}
    unseen = [(e.id, part) for e in disagreements for part in _all_parts(e) if (e.id, part) not in seen]
    return Explanation({name: [*shown] for name, shown in explained.items()}, unexplained, ambiguous, unseen)


@cache
def shipped_explanation(protocol: str) -> Explanation:
    """Match the shipped disagreements of a protocol with its shipped recordings and examples; takes about a second."""
    return explain(
        (*recorded_pairings(protocol), *against_document(protocol)), load_disagreements()[protocol].disagreements
    )


def _parts(entry: Disagreement, pairing: Pairing, what: Difference | str) -> Iterator[str]:
    """The parts of an entry's evidence that explain a difference, named as in `_all_parts`."""
    if entry.protocol != pairing.protocol:
        return
    if pairing.defect:
        if pairing.defect in entry.defects:
            yield pairing.defect
        return
    where = "golden" if "document" in pairing.witnesses else "recorded"
    for number, row in enumerate(_rows(entry, where)):
        if not row.names(pairing.case):
            continue
        parts: tuple[str, ...] = ()
        if isinstance(what, str):
            if what in row.mended_by:
                parts = (what,)
        elif what.at in row.at and what.kind in row.kinds:
            parts = (what.at, what.kind)
        if parts:
            yield from (f"{where} {number}: {part}" for part in (*parts, *_patterns(row, pairing.case)))


def _rows(entry: Disagreement, where: str) -> Sequence[Evidence]:
    return entry.golden if where == "golden" else entry.recorded


def _patterns(row: Evidence, case: str) -> Iterator[str]:
    """The patterns of a row that match a case."""
    return (pattern for pattern in row.cases if Evidence((pattern,)).names(case))


def _all_parts(entry: Disagreement) -> Iterator[str]:
    """The names of all parts of an entry's evidence: each path, kind, normalisation and pattern of cases."""
    for where in ("recorded", "golden"):
        for number, row in enumerate(_rows(entry, where)):
            yield from (f"{where} {number}: {part}" for part in (*row.at, *row.kinds, *row.mended_by, *row.cases))
