"""What it costs to explain two changes, or one that stands alone: of all alignments the cheapest one counts.

A cost is one whole number, of four that are compared one after the other: faults, then folds, then changes whose values
differ by a name, then milliseconds between the times of what stands side by side. So no difference comes of a time
alone, and a name is preferred to a fault. The faults are weighed by the table `FAULTS`, the rules of which are:

* one fault is cheaper than any two, so that a change with a wrong value is no pair of lost ones;
* two lost changes are cheaper than one in which nothing is right: another row before, another row after;
* a repeated message is cheaper than a lost one of the other side, and a moved one cheaper than two lost ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

__all__ = ["FAULTS", "FOLD", "NAMED", "Fault", "fault", "faults_of", "milliseconds"]


class Fault(StrEnum):
    """What a side may have done to a change."""

    GAP = "no partner"
    REPEATED = "the change before it again"
    MOVED = "at another place among equal changes"
    STEPS = "several changes that are one of the other side, without a name for it"
    OPERATION = "another operation"
    TIME = "another commit time stamp of one clock"
    ONE_IMAGE = "a wrong value in the row before or in the row after"
    TWO_IMAGES = "wrong values in both rows"
    ELSEWHERE = "a difference to one change, where the other side has the very same at another place"
    ANOTHER_TIME = "wrong values in both rows, and at another time"


FAULTS: Mapping[Fault, int] = {
    Fault.ELSEWHERE: 3,
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
"""The cost of a change with a value that differs by a name."""

FOLD = NAMED << _COUNT_BITS
"""The cost of several changes that are one of the other side, or none, by a name."""

_FAULT = FOLD << _COUNT_BITS
_LONGEST_TIME = 1 << 36  # milliseconds; two years, of which a million fit


def fault(*kinds: Fault) -> int:
    """The cost of faults."""
    return sum(FAULTS[kind] for kind in kinds) * _FAULT


def faults_of(cost: int) -> int:
    """What a cost has of faults."""
    return cost // _FAULT


def milliseconds(apart: int) -> int:
    """The cost of changes that are so many milliseconds apart."""
    return min(abs(apart), _LONGEST_TIME)
