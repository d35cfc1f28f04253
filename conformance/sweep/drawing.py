"""Chooses the cases for the faults: few of each kind, always the same ones.

A kind is the part that a case is made in, the column family, the options, and its other axes. The cases of a kind with
the lowest digests are chosen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence

from conformance.cases.model import CaseHead, IndexedCase, Role

__all__ = ["drawn"]

_LEFT_OUT = frozenset({"negatives"})
_MOST = {"boundary": 2, "whole family": 1, "golden": 30, "recorded": 12, "statement": 12, "invalid": 1}
_OTHERWISE = 1


def drawn(cases: Iterable[CaseHead], role: Role) -> Sequence[CaseHead]:
    """The cases of a role for the faults, in the order of their digests."""
    found: dict[Hashable, int] = {}
    chosen = []
    for case in sorted(cases, key=lambda c: hashlib.sha256(f"{c.role} {c.id}".encode()).digest()):
        part = case.place.part if isinstance(case, IndexedCase) else ""
        if case.role != role or part in _LEFT_OUT:
            continue
        kind = _kind(case, part)
        found[kind] = found.get(kind, 0) + 1
        if found[kind] <= _MOST.get(part, _OTHERWISE):
            chosen.append(case)
    return chosen


def _kind(case: CaseHead, part: str) -> Hashable:
    if part in ("golden", "recorded", "statement"):
        return part
    if part == "invalid":
        return part, case.requirements
    options = tuple(sorted(case.options.items()))
    if part == "boundary":
        return part, case.axes.get("family")
    return part, options
