"""Pairs recorded rows with those of the truth: an alignment in order, of least cost.

It tolerates lost, repeated and damaged rows. Only identities are compared here, the contents later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeAlias

__all__ = ["Identity", "align"]

IndexPair: TypeAlias = tuple[int | None, int | None]
"""(index in the expected rows, index in the recorded ones); None stands for a row that this side lacks."""

_GAP = 3
"""The cost of a row that is left over."""
_MOST_PAIRS = 250_000
"""The most pairs of rows to compare with each other; longer stretches are first cut at their longest equal block."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What distinguishes a row from others of its stream: table, operation, key and content. None means unknown.

    `op` is the operation as the dialect writes it; `key` and `body` are texts that are equal if the contents are.
    """

    schema: str | None
    table: str | None
    op: str | None
    key: str | None
    body: str | None

    @property
    def is_damaged(self) -> bool:
        """Whether the row could not be read."""
        return self.body is None


def align(expected: Sequence[Identity], got: Sequence[Identity]) -> list[IndexPair]:
    """Pairs of rows, in the order of both sides."""
    return list(_align(expected, got, 0, len(expected), 0, len(got)))


def _align(
    expected: Sequence[Identity], got: Sequence[Identity], i: int, end_i: int, j: int, end_j: int
) -> Iterator[IndexPair]:
    while i < end_i and j < end_j and expected[i] == got[j]:
        yield i, j
        i, j = i + 1, j + 1
    tail = 0
    while end_i > i and end_j > j and expected[end_i - 1] == got[end_j - 1]:
        end_i, end_j, tail = end_i - 1, end_j - 1, tail + 1
    if (end_i - i) * (end_j - j) <= _MOST_PAIRS:
        yield from _cheapest(expected, got, i, end_i, j, end_j)
    else:
        yield from _around_longest_block(expected, got, i, end_i, j, end_j)
    yield from ((end_i + k, end_j + k) for k in range(tail))


def _around_longest_block(
    expected: Sequence[Identity], got: Sequence[Identity], i: int, end_i: int, j: int, end_j: int
) -> Iterator[IndexPair]:
    matcher = SequenceMatcher(None, expected[i:end_i], got[j:end_j], autojunk=False)
    block = matcher.find_longest_match()
    if not block.size:
        yield from _cheapest(expected, got, i, end_i, j, end_j)
        return
    begin_i, begin_j = i + block.a, j + block.b
    yield from _align(expected, got, i, begin_i, j, begin_j)
    yield from ((begin_i + k, begin_j + k) for k in range(block.size))
    yield from _align(expected, got, begin_i + block.size, end_i, begin_j + block.size, end_j)


def _cheapest(
    expected: Sequence[Identity], got: Sequence[Identity], i: int, end_i: int, j: int, end_j: int
) -> Iterator[IndexPair]:
    """The alignment of least cost: a row left over costs `_GAP`, a pair its `_cost`."""
    rows, columns = end_i - i, end_j - j
    costs = [[_GAP * column for column in range(columns + 1)]]
    for a in range(1, rows + 1):
        above, line = costs[-1], [_GAP * a]
        for b in range(1, columns + 1):
            paired = above[b - 1] + _cost(expected[i + a - 1], got[j + b - 1])
            line.append(min(paired, above[b] + _GAP, line[-1] + _GAP))
        costs.append(line)
    steps: list[IndexPair] = []
    a, b = rows, columns
    while a or b:
        if a and b and costs[a][b] == costs[a - 1][b - 1] + _cost(expected[i + a - 1], got[j + b - 1]):
            a, b = a - 1, b - 1
            steps.append((i + a, j + b))
        elif b and costs[a][b] == costs[a][b - 1] + _GAP:
            b -= 1
            steps.append((None, j + b))
        else:
            a -= 1
            steps.append((i + a, None))
    yield from reversed(steps)


_NEVER = 2 * _GAP + 1  # two rows left over cost less
_OTHER_BODY = 2
_MOST_WRONG = 2  # of the four members of `_members`, in two records of one row


def _cost(expected: Identity, got: Identity) -> int:
    """The cost of pairing two rows; more than two gaps if they cannot be the same row."""
    if (expected.schema, expected.table) != (got.schema, got.table) and not got.is_damaged:
        is_same_change = (expected.op, expected.key, expected.body) == (got.op, got.key, got.body)
        return _GAP + 1 if is_same_change else _NEVER
    members = list(zip(_members(expected), _members(got), strict=True))
    wrong = sum(a != b for a, b in members if b is not None or not got.is_damaged)
    if wrong > _MOST_WRONG:
        return _NEVER
    if wrong:
        return _GAP + wrong
    if expected.body == got.body:
        return 0
    return _GAP if got.is_damaged else _OTHER_BODY


def _members(identity: Identity) -> tuple[str | None, ...]:
    return identity.schema, identity.table, identity.op, identity.key
