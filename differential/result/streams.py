"""Finds the differences between whole streams, once all their messages are counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from differential.align.pairs import Pair
from differential.checks.clocks import clock_differences
from differential.checks.contradictions import contradiction_differences
from differential.counts import Counts
from differential.model import Difference
from differential.sides import Side

__all__ = ["stream_differences"]


def stream_differences(
    sides: Sequence[Side], pairs: Sequence[Pair], counts: Counts, *, clock_offset: int = 0
) -> Iterator[Difference]:
    """The differences between whole streams, in every pair; `counts` must be complete.

    `clock_offset`: how many seconds the right side's clock is declared to be ahead, in pairs with two clocks.
    """
    for pair in pairs:
        yield from contradiction_differences(
            pair.context.pair, ((pair.a, sides[pair.a]), (pair.b, sides[pair.b])), counts
        )
        if not pair.context.same_clock:
            yield from clock_differences(pair.context.pair, counts, clock_offset)
