"""The events that an answer lacks, or has in addition, identified by their position and their key.

There are as many as the numbers differ by. Each answered message is paired, in order, with the most similar expected
one: first with an equal one, then with the one that has most in common.
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

# Beyond so many possible pairs, the last ones left count as unmatched.
_MOST_PAIRS = 10_000

_IDENTIFYING = ("kind", "op", "schema", "table", "commit_ts", "query")


@dataclass(frozen=True, slots=True)
class Tally:
    """The counted parts of one side: the trees of messages or events, their partitions, their positions in the answer.

    An unreadable message is the text of the reason.
    """

    trees: Sequence[Any]
    partitions: Sequence[int]
    places: Sequence[int]

    @staticmethod
    def in_order(trees: Sequence[Any]) -> Tally:
        """Of events that stand in the order of the answer."""
        return Tally(trees, [0] * len(trees), range(len(trees)))

    def marks(self) -> list[Marks]:
        """The comparable part of each."""
        pairs = zip(self.trees, self.partitions, strict=True)
        return [frozenset((("partition", partition), *_leaves(tree, ()))) for tree, partition in pairs]


def _leaves(tree: Any, path: tuple[str | int, ...]) -> Iterator[Hashable]:
    if isinstance(tree, Maybe):
        return  # a missing member counts as equal
    if isinstance(tree, Mapping):
        for name, part in tree.items():
            yield from _leaves(part, (*path, name))
    elif isinstance(tree, (list, tuple)):
        for i, part in enumerate(tree):
            yield from _leaves(part, (*path, i))
    elif not isinstance(tree, frozenset):
        yield path, str(tree)


def unmatched(expected: Tally, got: Tally) -> tuple[list[int], list[int]]:
    """Positions of `expected` that `got` lacks, or of `got` that are too many: one of the two lists is empty."""
    wanted, given = expected.marks(), got.marks()
    positions: dict[Marks, deque[int]] = defaultdict(deque)
    for i, marks in enumerate(wanted):
        positions[marks].append(i)
    left_given = []
    for i, marks in enumerate(given):
        if waiting := positions[marks]:
            waiting.popleft()
        else:
            left_given.append(i)
    left_expected = sorted(i for waiting in positions.values() for i in waiting)
    if len(left_expected) >= len(left_given):
        return _odd(wanted, left_expected, given, left_given), []
    return [], _odd(given, left_given, wanted, left_expected)


def _odd(many: Sequence[Marks], left_many: list[int], few: Sequence[Marks], left_few: list[int]) -> list[int]:
    """The positions of `left_many` without a partner when each of `left_few` has one, in order, the most similar."""
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
    odd, r = [], rows
    for c in range(columns, 0, -1):
        if r == 0 or (c > r and best[r][c] == best[r][c - 1]):
            odd.append(left_many[c - 1])
        else:
            r -= 1
    return odd[::-1]


def event_summary(delivery: Delivery | None, event: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A summary of an event: its kind, its time, and the handle key of a row."""
    given: Any = delivery.event if delivery else event
    tree = given if isinstance(given, Mapping) else event_to_json(given)
    summary = {name: tree[name] for name in _IDENTIFYING if isinstance(tree.get(name), str)}
    row = tree.get("after") or tree.get("before") or {}
    table = delivery.table if delivery else None
    key = {name: row[name] for name in (handle_key(table) if table else ()) if name in row}
    if isinstance(given, RowChange) and table is None:
        key = dict(row)
    return {**summary, "key": key} if key else summary
