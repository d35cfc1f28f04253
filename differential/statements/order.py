"""The order of statements that both sides have, across tables and topics.

A consumer sees the order of two statements if they are in one partition of a topic. Across topics it sees their times.
Two servers may execute independent statements in another order: that is no difference if the times of both sides show
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from differential.checks.order import out_of_line
from differential.statements.streams import Item

__all__ = ["Both", "are_reversed", "moved"]

Both: TypeAlias = tuple[Item, Item]
"""A statement on both sides."""


def are_reversed(one: Both, other: Both) -> bool:
    """Whether the sides have two statements in opposite orders, and the times do not explain it."""
    orders = [_order(one[n], other[n]) for n in (0, 1)]
    if 0 in orders or orders[0] == orders[1]:
        return False
    of_tables = {(both[0].step.schema, both[0].step.table) for both in (one, other)}
    return len(of_tables) == 1 or orders != [_by_clock(one[n], other[n]) for n in (0, 1)]


def _order(a: Item, b: Item) -> int:
    """-1 if `a` is before `b` on their side, 1 if it is behind, 0 if the order is unknown."""
    return _compared(a.number, b.number) if a.queue == b.queue else _by_clock(a, b)


def _by_clock(a: Item, b: Item) -> int:
    return _compared(a.time, b.time) if a.time and b.time else 0


def _compared(a: int, b: int) -> int:
    return (a > b) - (a < b)


def moved(given: Sequence[Both]) -> list[Both]:
    """The fewest statements that are in another order on the other side, in the order of the left side.

    Statements of one table are expected to be in order.
    """
    found: dict[tuple[int, str, str], Both] = {}
    for n in (0, 1):
        queues: dict[tuple[str, int], list[Both]] = {}
        for both in sorted(given, key=lambda both: both[n].number):
            queues.setdefault(both[n].queue, []).append(both)
        for queue in queues.values():
            for same in _by_right_queue(queue) if n == 0 else ():
                found |= {_identity(both): both for both in _out_of(same, 1, by_clock=False)}
            rest = [both for both in queue if _identity(both) not in found]
            found |= {_identity(both): both for both in _out_of(rest, 1 - n, by_clock=True)}
    return [found[identity] for identity in sorted(found)]


def _identity(both: Both) -> tuple[int, str, str]:
    return both[0].number, both[0].step.schema, both[0].step.table


def _by_right_queue(queue: Sequence[Both]) -> list[list[Both]]:
    """The statements, grouped by their partition of a topic on the right side."""
    parts: dict[tuple[str, int], list[Both]] = {}
    for both in queue:
        parts.setdefault(both[1].queue, []).append(both)
    return [*parts.values()]


def _out_of(queue: Sequence[Both], n: int, *, by_clock: bool) -> list[Both]:
    """The statements of one queue that side `n` has in another order.

    With `by_clock`, the order is that of its times across queues.
    """
    known = [both for both in queue if both[n].time] if by_clock else queue
    places = {*out_of_line([both[n].time if by_clock else both[n].number for both in known])}
    kept = [both for at, both in enumerate(known) if at not in places]
    found = []
    for both in (known[at] for at in sorted(places)):
        others = (one for one in kept if not by_clock or one[n].queue != both[n].queue)
        if any(are_reversed(both, one) for one in others):
            found.append(both)
        else:
            kept.append(both)
    return found
