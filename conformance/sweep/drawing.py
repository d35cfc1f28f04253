"""Chooses the cases for the faults: a few of each kind, always the same ones.

The kind of a case depends on its part (see `conformance.cases`): it is the part with the options, the column family, or
the requirements, or the part alone. The cases of a kind with the lowest digests are chosen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence

from conformance.cases.model import CaseHead, IndexedCase, Role

__all__ = ["drawn"]

_LEFT_OUT = frozenset({"negatives"})
_MOST_OF_KIND = {"boundary": 2, "whole family": 1, "golden": 30, "recorded": 12, "statement": 12, "invalid": 1}
_MOST_OF_OTHERS = 1


def drawn(cases: Iterable[CaseHead], role: Role) -> Sequence[CaseHead]:
    """The cases of a role for the faults, in the order of their digests."""
    numbers: dict[Hashable, int] = {}
    chosen = []
    for case in sorted(cases, key=lambda c: hashlib.sha256(f"{c.role} {c.id}".encode()).digest()):
        part = case.place.part if isinstance(case, IndexedCase) else ""
        if case.role != role or part in _LEFT_OUT:
            continue
        kind = _kind(case, part)
        numbers[kind] = numbers.get(kind, 0) + 1
        if numbers[kind] <= _MOST_OF_KIND.get(part, _MOST_OF_OTHERS):
            chosen.append(case)
    return chosen


def _kind(case: CaseHead, part: str) -> Hashable:
    if part in ("golden", "recorded", "statement"):
        return part
    if part == "invalid":
        return part, case.requirements
    if part == "boundary":
        return part, case.axes.get("family")
    return part, tuple(sorted(case.options.items()))
