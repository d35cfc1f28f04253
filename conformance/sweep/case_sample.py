"""Chooses the cases in which faults are judged: a few of each kind, always the same ones.

The part of a case (see `conformance.cases`) decides its kind: (part, options), or for some parts (part, column family),
(part, requirements) or the part alone. Of a kind the cases with the lowest digests are chosen.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from conformance.cases.model import CaseHead, IndexedCase, Role

__all__ = ["sample_cases"]

_PARTS_LEFT_OUT = frozenset({"negatives"})
_MOST_BY_PART = {"boundary": 2, "whole family": 1, "golden": 30, "recorded": 12, "statement": 12, "invalid": 1}
"""Part → the number of cases of a kind in it."""
_MOST = 1


def sample_cases(cases: Iterable[CaseHead], role: Role) -> Sequence[CaseHead]:
    """The chosen cases of a role, in the order of their digests."""
    counts: Counter[Hashable] = Counter()
    chosen = []
    for case in sorted(cases, key=lambda c: hashlib.sha256(f"{c.role} {c.id}".encode()).digest()):
        part = case.place.part if isinstance(case, IndexedCase) else ""
        if case.role != role or part in _PARTS_LEFT_OUT:
            continue
        kind = _kind(case, part)
        counts[kind] += 1
        if counts[kind] <= _MOST_BY_PART.get(part, _MOST):
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
