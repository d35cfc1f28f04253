"""Which row of the truth a recorded row is: an alignment in order, of least cost, that outlives what was lost,

repeated or damaged. Both sides are identities and nothing else; what is compared later is not decided by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

__all__ = ["Mark", "align"]

_GAP = 3
_CELLS = 250_000
"""Pairs that are tried all; longer stretches are cut at what is equal on both sides."""


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
    """Pairs (expected, got) in the order of both; None on one side is a row that the other has not."""
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
    if (last_i - i) * (last_j - j) <= _CELLS:
        yield from _least(expected, got, i, last_i, j, last_j)
    else:
        yield from _cut(expected, got, i, last_i, j, last_j)
    yield from ((last_i + k, last_j + k) for k in range(tail))


def _cut(
    expected: Sequence[Mark], got: Sequence[Mark], i: int, last_i: int, j: int, last_j: int
) -> Iterator[tuple[int | None, int | None]]:
    matcher = SequenceMatcher(None, expected[i:last_i], got[j:last_j], autojunk=False)
    block = matcher.find_longest_match()
    if not block.size:
        yield from _least(expected, got, i, last_i, j, last_j)
        return
    here, there = i + block.a, j + block.b
    yield from _align(expected, got, i, here, j, there)
    yield from ((here + k, there + k) for k in range(block.size))
    yield from _align(expected, got, here + block.size, last_i, there + block.size, last_j)


def _least(
    expected: Sequence[Mark], got: Sequence[Mark], i: int, last_i: int, j: int, last_j: int
) -> Iterator[tuple[int | None, int | None]]:
    """The alignment of least cost: a row left over costs `_GAP`, a pair what its difference says."""
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


def _cost(expected: Mark, got: Mark) -> int:
    """How much must have happened to the one to be the other; more than two gaps where they cannot be the same."""
    known = [(a, b) for a, b in zip(_name(expected), _name(got), strict=True) if b is not None or not got.is_damaged]
    wrong = sum(a != b for a, b in known)
    if (expected.schema, expected.table) != (got.schema, got.table) and not got.is_damaged:
        return _GAP + 1 if (expected.op, expected.key, expected.body) == (got.op, got.key, got.body) else _NEVER
    if wrong == 0:
        return 0 if expected.body == got.body else 2 if not got.is_damaged else _GAP
    return _GAP + wrong if wrong < len(_name(expected)) - 1 else _NEVER


def _name(mark: Mark) -> tuple[str | None, ...]:
    return mark.schema, mark.table, mark.op, mark.key
