"""Finds the differences between whole streams, once all their messages are counted; and gathers those of every kind.

A contradiction that the messages of a topic share, such as of an option, is one difference, with their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from differential.align.pairs import Pair
from differential.checks.clocks import clock_differences
from differential.checks.judging import fault_of_side
from differential.counts import Counts
from differential.decode.contradictions import OPTIONS, contradiction_in, is_contradiction
from differential.model import Class, Difference, Place
from differential.result.duplicates import without_repeats
from differential.sides import Side
from differential.statements.comparing import Statements

__all__ = ["every_difference", "stream_differences"]


def every_difference(
    of_changes: Iterable[Difference],
    counts: Counts,
    sides: Sequence[Side],
    pairs: Sequence[Pair],
    statements: Statements | None = None,
    *,
    clock_offset: int = 0,
) -> Iterator[Difference]:
    """The differences of changes, of statements and of whole streams, without permitted duplicates.

    `counts` must be complete once `of_changes` is exhausted. `statements` gets the result for statements; for
    `clock_offset` see `stream_differences`. `--live` puts them together itself, since they come in rounds.
    """
    of_statements = (statements or Statements(sides, pairs)).differences(counts)
    of_streams = stream_differences(sides, pairs, counts, clock_offset=clock_offset)
    return without_repeats(chain(of_changes, of_statements, of_streams), sides, pairs, counts)


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
