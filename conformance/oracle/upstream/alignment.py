"""Pairs recorded rows with those of the truth: an alignment in order, of least cost.

It tolerates lost, repeated and damaged rows. Both sides are identities (`Mark`); the contents are compared later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

__all__ = ["Mark", "align"]

_GAP = 3
"""The cost of a row that is left over."""
_MOST_PAIRS = 250_000
"""Up to so many pairs are all compared; longer stretches are first cut at their longest equal block."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The identity of a row: its table, its key, and its content. None means unknown.

    `op` is the letter of the dialect; `key` and `body` are texts that are equal where the contents are.
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


def align(expected: Sequence[Mark], got: Sequence[Mark]) -> list[tuple[int | None, int | None]]:
    """Pairs (expected, got) in the order of both; None stands for a row that this side lacks."""
    return list(_align(expected, got, 0, len(expected), 0, len(got)))


def _align(
    expected: Sequence[Mark], got: Sequence[Mark], i: int, last_i: int, j: int, last_j: int
) -> Iterator[tuple[int | None, int | None]]:
    while i < last_i and j < last_j and expected[i] == got[j]:
        yield i, j
        i, j = i + 1, j + 1
    tail = 0
    while last_i > i and last_j > j and expected[last_i - 1] == got[last_j - 1]:
        last_i, last_j, tail = last_i - 1, last_j - 1, tail + 1
    if (last_i - i) * (last_j - j) <= _MOST_PAIRS:
        yield from _cheapest(expected, got, i, last_i, j, last_j)
    else:
        yield from _around_longest_block(expected, got, i, last_i, j, last_j)
    yield from ((last_i + k, last_j + k) for k in range(tail))


def _around_longest_block(
    expected: Sequence[Mark], got: Sequence[Mark], i: int, last_i: int, j: int, last_j: int
) -> Iterator[tuple[int | None, int | None]]:
    matcher = SequenceMatcher(None, expected[i:last_i], got[j:last_j], autojunk=False)
    block = matcher.find_longest_match()
    if not block.size:
        yield from _cheapest(expected, got, i, last_i, j, last_j)
        return
    begin_i, begin_j = i + block.a, j + block.b
    yield from _align(expected, got, i, begin_i, j, begin_j)
    yield from ((begin_i + k, begin_j + k) for k in range(block.size))
    yield from _align(expected, got, begin_i + block.size, last_i, begin_j + block.size, last_j)


def _cheapest(
    expected: Sequence[Mark], got: Sequence[Mark], i: int, last_i: int, j: int, last_j: int
) -> Iterator[tuple[int | None, int | None]]:
    """The alignment of least cost: a row left over costs `_GAP`, a pair its `_cost`."""
    rows, columns = last_i - i, last_j - j
    costs = [[_GAP * column for column in range(columns + 1)]]
    for a in range(1, rows + 1):
        above, line = costs[-1], [_GAP * a]
        for b in range(1, columns + 1):
            paired = above[b - 1] + _cost(expected[i + a - 1], got[j + b - 1])
            line.append(min(paired, above[b] + _GAP, line[-1] + _GAP))
        costs.append(line)
    steps: list[tuple[int | None, int | None]] = []
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


_NEVER = 2 * _GAP + 1
_OTHER_BODY = 2


def _cost(expected: Mark, got: Mark) -> int:
    """The cost of taking two rows for one; more than two gaps if they cannot be the same row."""
    if (expected.schema, expected.table) != (got.schema, got.table) and not got.is_damaged:
        return _GAP + 1 if (expected.op, expected.key, expected.body) == (got.op, got.key, got.body) else _NEVER
    members = list(zip(_identity(expected), _identity(got), strict=True))
    wrong = sum(a != b for a, b in members if b is not None or not got.is_damaged)
    if wrong:
        return _GAP + wrong if wrong < len(members) - 1 else _NEVER
    if expected.body == got.body:
        return 0
    return _GAP if got.is_damaged else _OTHER_BODY


def _identity(mark: Mark) -> tuple[str | None, ...]:
    return mark.schema, mark.table, mark.op, mark.key
