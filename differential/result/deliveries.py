"""Changes that come again where their producer promises to send each at least once: counted, and no difference.

One that leaves an older row behind a newer one is told by `checks.order`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from differential.align.merging import Pair
from differential.counts import Counts
from differential.model import Class, Difference
from differential.sides import Side

__all__ = ["REPEATED", "without_repeats"]

REPEATED = "repeated messages"


def without_repeats(
    differences: Iterable[Difference], sides: Sequence[Side], pairs: Sequence[Pair], counts: Counts
) -> Iterator[Difference]:
    """The differences without duplicates on a side that may send a message again; those are added to its `counts`."""
    numbers = {pair.context.pair: (pair.a, pair.b) for pair in pairs}
    first = {pair.context.pair for pair in pairs[:1]}
    for one in differences:
        if one.kind is Class.DUPLICATE:
            on_right = one.left is None
            number = numbers[one.pair][on_right]
            if sides[number].at_least_once:
                if one.pair in first or number == len(sides) - 1:
                    counts.control[number, REPEATED] += 1
                continue
        yield one
