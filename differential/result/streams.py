"""Finds the differences between whole streams, once all their messages are counted.

A contradiction that the messages of a topic share, such as of an option, is one difference, with their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from differential.align.pairs import Pair
from differential.checks.clocks import clock_differences
from differential.checks.judging import fault_of_side
from differential.counts import Counts
from differential.decode.contradictions import OPTIONS, contradiction_in, is_contradiction
from differential.model import Class, Difference, Place
from differential.sides import Side

__all__ = ["stream_differences"]


def stream_differences(
    sides: Sequence[Side], pairs: Sequence[Pair], counts: Counts, *, clock_offset: int = 0
) -> Iterator[Difference]:
    """The differences between whole streams, in every pair; `counts` must be complete.

    `clock_offset`: how many seconds the right side's clock is declared to be ahead, in pairs with two clocks.
    """
    for pair in pairs:
        for number in (pair.a, pair.b):
            yield from _contradictions(pair, number, sides[number], counts)
        if not pair.context.same_clock:
            yield from clock_differences(pair.context.pair, counts, clock_offset)


def _contradictions(pair: Pair, number: int, side: Side, counts: Counts) -> Iterator[Difference]:
    """The contradictions in the messages of a side of a pair."""
    of_side = sorted((name, n) for (number_, name), n in counts.control.items() if number_ == number)
    options = side.every_option()
    for name, count in of_side:
        if is_contradiction(name):
            topic, member, expected, got = contradiction_in(name)
            option = OPTIONS.get(tuple(member.split(".")))
            expected = f"{expected} ({option}={options[option]})" if option in options else expected
            messages = f"{count:,} message{'' if count == 1 else 's'} of {topic or 'a topic without a name'}"
            names = ("", "", member)
            yield from fault_of_side(
                [pair.sides], number, Class.SHAPE, names, Place(topic), f"{got} in {messages}", expected
            )
