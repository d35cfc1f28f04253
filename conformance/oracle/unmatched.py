"""Finds the messages or events that an answer lacks or has in addition.

Each message of the shorter side is paired with one of the longer side: first with an equal one, then, in order, so that
the pairs have as much in common as possible. The messages without a partner are lost or additional.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from conformance.oracle.rules import Delivery
from conformance.oracle.tree import Maybe
from reference_impl.keys import handle_key
from reference_impl.model import RowChange
from reference_impl.wire import event_to_json

__all__ = ["Tally", "event_summary", "unmatched"]

Marks: TypeAlias = frozenset[Hashable]
"""The partition of a message and the leaves of its tree: the more two messages share, the more they are alike."""

# Beyond so many possible pairs, similarity is not looked at: the last messages without an equal one are unmatched.
_MOST_PAIRS = 10_000

_IDENTIFYING = ("kind", "op", "schema", "table", "commit_ts", "query")


@dataclass(frozen=True, slots=True)
class Tally:
    """The messages or events of one side, to be counted."""

    trees: Sequence[Any]  # the text of the reason for an unreadable message
    partitions: Sequence[int]
    positions: Sequence[int]  # in the answer

    @staticmethod
    def in_order(trees: Sequence[Any]) -> Tally:
        """The tally of events in the order of the answer, without partitions."""
        return Tally(trees, [0] * len(trees), range(len(trees)))

    def marks(self) -> list[Marks]:
        """The marks of each message."""
        pairs = zip(self.trees, self.partitions, strict=True)
        return [frozenset((("partition", partition), *_leaves(tree, ()))) for tree, partition in pairs]


def _leaves(tree: Any, path: tuple[str | int, ...]) -> Iterator[Hashable]:
    if isinstance(tree, Maybe):
        return  # an optional member, which the other side may lack
    if isinstance(tree, Mapping):
        for name, part in tree.items():
            yield from _leaves(part, (*path, name))
    elif isinstance(tree, (list, tuple)):
        for i, part in enumerate(tree):
            yield from _leaves(part, (*path, i))
    elif not isinstance(tree, frozenset):
        yield path, str(tree)


def unmatched(expected: Tally, got: Tally) -> tuple[list[int], list[int]]:
    """(positions of lost messages in `expected`, positions of additional ones in `got`); one of the lists is empty."""
    expected_marks, got_marks = expected.marks(), got.marks()
    waiting: dict[Marks, deque[int]] = defaultdict(deque)  # positions in `expected` without an equal message in `got`
    for i, marks in enumerate(expected_marks):
        waiting[marks].append(i)
    left_got = []
    for i, marks in enumerate(got_marks):
        if waiting[marks]:
            waiting[marks].popleft()
        else:
            left_got.append(i)
    left_expected = sorted(i for equal_ones in waiting.values() for i in equal_ones)
    if len(left_expected) >= len(left_got):
        return _without_partner(expected_marks, left_expected, got_marks, left_got), []
    return [], _without_partner(got_marks, left_got, expected_marks, left_expected)


def _without_partner(
    many: Sequence[Marks], left_many: list[int], few: Sequence[Marks], left_few: list[int]
) -> list[int]:
    """The positions of `left_many` that remain when each of `left_few` has a partner.

    Partners keep their order, and have as many marks in common as possible: this is a longest common subsequence, in
    which a pair counts as many times as it has marks in common.
    """
    rows, columns = len(left_few), len(left_many)
    if rows == 0 or rows == columns or rows * columns > _MOST_PAIRS:
        return left_many[rows:]
    worst = -1
    # best[r][c]: how much the first r of the few have in common with partners among the first c of the many.
    best = [[0] * (columns + 1)] + [[worst] * (columns + 1) for _ in range(rows)]
    for r in range(1, rows + 1):
        for c in range(r, columns + 1):
            paired = best[r - 1][c - 1] + len(few[left_few[r - 1]] & many[left_many[c - 1]])
            best[r][c] = max(paired, best[r][c - 1])
    unpaired, r = [], rows
    for c in range(columns, 0, -1):  # walk back through the table: a column that adds nothing has no partner
        if r == 0 or (c > r and best[r][c] == best[r][c - 1]):
            unpaired.append(left_many[c - 1])
        else:
            r -= 1
    return unpaired[::-1]


def event_summary(delivery: Delivery | None, event: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A summary of an event for a finding: its kind, its time, and the handle key of a row.

    The event is that of the delivery, or without one `event`, a JSON object. A row of an unknown table is its own key.
    """
    known: Any = delivery.event if delivery else event
    tree = known if isinstance(known, Mapping) else event_to_json(known)
    summary = {name: tree[name] for name in _IDENTIFYING if isinstance(tree.get(name), str)}
    row = tree.get("after") or tree.get("before") or {}
    key = {}
    if delivery and delivery.table:
        key = {name: row[name] for name in handle_key(delivery.table) if name in row}
    elif isinstance(known, RowChange):
        key = dict(row)
    return {**summary, "key": key} if key else summary
