"""What the rows of all upstream dialects use: conversions of time, and the numbers of negatives."""

from __future__ import annotations

from conformance.cases.negatives.texts import Amounts

__all__ = ["FEW", "MILLISECONDS", "SOME", "within_time"]

MILLISECONDS = 1000
"""In a second."""
SOME = Amounts(4, 8, utf8=3, doubled=5, missing=6, renamed=6, exchanged=3, kinds=14, numbers=5)
FEW = Amounts(0, 4, utf8=1, doubled=2, missing=2, renamed=2, exchanged=1, kinds=5, numbers=1)
_LAST_SECOND = 253_402_128_000
"""Of a day whose date a calendar has in every zone: 9999-12-30 begins."""


def within_time(second: float) -> float:
    """The UNIX time, or the nearest one that a calendar has."""
    return min(max(second, 0), _LAST_SECOND)
