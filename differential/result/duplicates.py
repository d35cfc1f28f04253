"""Counts the duplicates of producers that promise at-least-once delivery, which are not differences.

`checks.order` reports a duplicate that leaves an older row after a newer one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from differential.align.pairs import Pair
from differential.counts import Counts
from differential.model import Class, Difference
from differential.sides import Side

__all__ = ["REPEATED", "without_repeats"]

REPEATED = "repeated messages"


def without_repeats(
    differences: Iterable[Difference], sides: Sequence[Side], pairs: Sequence[Pair], counts: Counts
) -> Iterator[Difference]:
    """The differences without permitted duplicates, which are added to `counts`."""
    numbers = {pair.context.pair: (pair.a, pair.b) for pair in pairs}
    first_pair = {number: name for name, pair in reversed(numbers.items()) for number in pair}
    for one in differences:
        if one.kind is Class.DUPLICATE:
            on_right = one.left is None
            number = numbers[one.pair][on_right]
            if sides[number].at_least_once:
                if one.pair == first_pair[number]:  # every pair of the side has the duplicate
                    counts.control[number, REPEATED] += 1
                continue
        yield one
