"""Costs of an alignment's steps; the alignment with the lowest sum is chosen.

A cost packs four numbers into one integer, compared in this order: faults, folds, changes with explained values, and
milliseconds between the times of matched changes. So a time alone never makes a difference, and the search prefers an
explanation to a fault. The table `FAULTS` weighs faults by three rules:

* a match with wrong values is cheaper than two changes without a partner;
* these are cheaper than a match in which nothing fits: another row before, another row after, and another time;
* a repeated message is cheaper than a lost one of the other side, and a moved change cheaper than two lost ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

__all__ = ["FAULTS", "FOLD", "NAMED", "Fault", "fault", "faults_of", "milliseconds"]


class Fault(StrEnum):
    """Faults of a side in a change."""

    GAP = "no partner"
    REPEATED = "the change before it again"
    MOVED = "at another position among equal changes"
    STEPS = "several changes for one of the other side, unexplained"
    OPERATION = "another operation"
    TIME = "another commit time stamp of one clock"
    ONE_IMAGE = "a wrong value in the row before or in the row after"
    TWO_IMAGES = "wrong values in both rows"
    ELSEWHERE = "a difference to one change, while the other side has an equal change elsewhere"
    ANOTHER_TIME = "wrong values in both rows, and at another time"


FAULTS: Mapping[Fault, int] = {
    Fault.ELSEWHERE: 2,
    Fault.REPEATED: 6,
    Fault.OPERATION: 8,
    Fault.TIME: 8,
    Fault.ONE_IMAGE: 8,
    Fault.GAP: 10,
    Fault.STEPS: 11,
    Fault.MOVED: 12,
    Fault.TWO_IMAGES: 12,
    Fault.ANOTHER_TIME: 21,
}

_MS_BITS, _COUNT_BITS = 56, 24
NAMED = 1 << _MS_BITS
"""The cost of a change with an explained difference of values."""

FOLD = NAMED << _COUNT_BITS
"""The cost of several changes that are, by a divergence, one change of the other side or none."""

_FAULT = FOLD << _COUNT_BITS
_LONGEST_TIME = 1 << 36  # milliseconds, about two years; a million of them fit into a cost


def fault(*kinds: Fault) -> int:
    """The cost of faults."""
    return sum(FAULTS[kind] for kind in kinds) * _FAULT


def faults_of(cost: int) -> int:
    """The faults' share of a cost."""
    return cost // _FAULT


def milliseconds(gap: int) -> int:
    """The cost of a time gap in milliseconds."""
    return min(abs(gap), _LONGEST_TIME)
