"""The order of statements that both sides have, across tables and topics.

A consumer sees the order of two statements if they are in one partition of a topic. Across topics it sees their times.
Two servers may execute independent statements in another order: that is not a difference if the times of both sides
show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from differential.checks.order import out_of_line
from differential.statements.items import Item

__all__ = ["Match", "are_reversed", "moved"]

Match: TypeAlias = tuple[Item, Item]
"""A statement that both sides have: the left item and the right one."""


def are_reversed(one: Match, other: Match) -> bool:
    """Whether the sides have two statements in opposite orders, and the times do not explain it."""
    orders = [_order(one[n], other[n]) for n in (0, 1)]
    if 0 in orders or orders[0] == orders[1]:
        return False
    of_tables = {(match[0].step.schema, match[0].step.table) for match in (one, other)}
    return len(of_tables) == 1 or orders != [_by_clock(one[n], other[n]) for n in (0, 1)]


def _order(a: Item, b: Item) -> int:
    """-1 if `a` is before `b` on their side, 1 if it is after it, 0 if the order is unknown."""
    return _sign(a.number, b.number) if a.queue == b.queue else _by_clock(a, b)


def _by_clock(a: Item, b: Item) -> int:
    return _sign(a.time, b.time) if a.time and b.time else 0


def _sign(a: int, b: int) -> int:
    return (a > b) - (a < b)


def moved(given: Sequence[Match]) -> list[Match]:
    """The fewest statements that are in another order on the other side, in the order of the left side.

    Statements of one table are expected to be in order.
    """
    found: dict[tuple[int, str, str], Match] = {}
    for n in (0, 1):
        queues: dict[tuple[str, int], list[Match]] = {}
        for match in sorted(given, key=lambda match: match[n].number):
            queues.setdefault(match[n].queue, []).append(match)
        for queue in queues.values():
            if n == 0:
                for same_queue in _by_right_queue(queue):
                    found |= {_identity(match): match for match in _out_of_order(same_queue, 1, by_clock=False)}
            rest = [match for match in queue if _identity(match) not in found]
            found |= {_identity(match): match for match in _out_of_order(rest, 1 - n, by_clock=True)}
    return [found[identity] for identity in sorted(found)]


def _identity(match: Match) -> tuple[int, str, str]:
    return match[0].number, match[0].step.schema, match[0].step.table


def _by_right_queue(queue: Sequence[Match]) -> list[list[Match]]:
    """The statements, grouped by their partition of a topic on the right side."""
    parts: dict[tuple[str, int], list[Match]] = {}
    for match in queue:
        parts.setdefault(match[1].queue, []).append(match)
    return [*parts.values()]


def _out_of_order(queue: Sequence[Match], n: int, *, by_clock: bool) -> list[Match]:
    """The statements of one queue that side `n` has in another order.

    With `by_clock`, the order is that of its times across queues.
    """
    known = [match for match in queue if match[n].time] if by_clock else queue
    places = {*out_of_line([match[n].time if by_clock else match[n].number for match in known])}
    kept = [match for at, match in enumerate(known) if at not in places]
    found = []
    for match in (known[at] for at in sorted(places)):
        others = (one for one in kept if not by_clock or one[n].queue != match[n].queue)
        if any(are_reversed(match, one) for one in others):
            found.append(match)
        else:
            kept.append(match)
    return found
