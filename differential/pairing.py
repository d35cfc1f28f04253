"""Which changes belong together where two runs of them do not do the same.

Two changes that share most of their cells are one change, altered. Several changes of one side are one of the other
where that has a name, and every cell in which they then differ has one, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from differential.canonical import load
from differential.model import UNKNOWN, Change

__all__ = ["Explained", "Group", "Named", "as_one", "paired"]

Group: TypeAlias = tuple[Change, ...]
Explained: TypeAlias = Callable[[Change, Change, str, Mapping[str, Any], Mapping[str, Any]], bool]
"""Whether a column in which two changes differ does so by a name."""

Named: TypeAlias = Callable[[Group, Group], bool]
"""Whether it has a name that changes of both sides lead to the same row by other steps."""

_ALIKE = 0.5
"""Two changes that share at least this part of their cells are one change, altered."""

_LONGEST = 16
_FOR_A_GROUP = 0.25  # what several changes that are one weigh beyond pairs of them: less than any pair does


def _likeness(a: Change, b: Change, clocked: bool, explained: Explained) -> float:
    """The part of their cells that two changes share, or that differ by a name, from 0 to 1.

    It is 1 for changes that one clock gave one time.
    """
    if clocked and a.commit_ts is not None and a.commit_ts == b.commit_ts:
        return 1.0
    same = total = 0
    for x, y in ((a.before, b.before), (a.after, b.after)):
        if UNKNOWN in (x, y) or (x is None and y is None):
            continue
        if x is None or y is None:
            total += 1
            continue
        cells, others = load(x), load(y)
        names = cells.keys() | others.keys()
        total += len(names)
        for name in names:
            equal = name in cells and name in others and cells[name] == others[name]
            same += equal or explained(a, b, name, cells, others)
    return same / total if total else 1.0


def as_one(changes: Group) -> Change:
    """The change that several make together."""
    first, last = changes[0], changes[-1]
    op = "insert" if first.before is None else "delete" if last.after is None else "update"
    return first if len(changes) == 1 else replace(first, op=op, after=last.after)


def _chains(changes: Sequence[Change], start: int) -> Iterator[Group]:
    """Two and more changes of one time from a place on, each at the row that the one before it left."""
    time = (changes[start].instant, changes[start].commit_ts)
    for end in range(start + 2, min(len(changes), start + _LONGEST) + 1):
        before, one = changes[end - 2], changes[end - 1]
        if time == ("", None) or (one.instant, one.commit_ts) != time or before.after != one.before:
            return
        yield tuple(changes[start:end])


def _groups(
    left: Sequence[Change], right: Sequence[Change], explained: Explained, named: Named
) -> Iterator[tuple[int, int, int, int]]:
    """Places and lengths of several changes of one side that are one of the other, or several by other steps."""
    for j in range(len(right)):
        for group in _chains(right, j):
            for i, one in enumerate(left):
                if named((one,), group) and _likeness(one, as_one(group), False, explained) == 1.0:
                    yield i, j, 1, len(group)
            for i in range(len(left)):
                for others in _chains(left, i):
                    if named(others, group) and _likeness(as_one(others), as_one(group), False, explained) == 1.0:
                        yield i, j, len(others), len(group)
    for i in range(len(left)):
        for group in _chains(left, i):
            for j, one in enumerate(right):
                if named(group, (one,)) and _likeness(as_one(group), one, False, explained) == 1.0:
                    yield i, j, len(group), 1


def paired(
    left: Sequence[Change], right: Sequence[Change], *, clocked: bool, explained: Explained, named: Named
) -> Iterator[tuple[Group, Group]]:
    """Changes that belong together, in order; those that belong to none stand alone, opposite to none."""
    if len(left) == len(right) == 1:
        yield tuple(left), tuple(right)
        return
    steps: dict[tuple[int, int], list[tuple[float, int, int]]] = {}
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            if (alike := _likeness(a, b, clocked, explained)) >= _ALIKE:
                steps[i, j] = [(alike, 1, 1)]
    for i, j, m, n in _groups(left, right, explained, named):
        steps.setdefault((i, j), []).append((min(m, n) + _FOR_A_GROUP, m, n))
    # best[i][j]: the greatest weight that left[i:] and right[j:] can reach, each change used once and in order
    best = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            together = max((w + best[i + m][j + n] for w, m, n in steps.get((i, j), ())), default=0.0)
            best[i][j] = max(best[i + 1][j], best[i][j + 1], together)
    i = j = 0
    while i < len(left) and j < len(right):
        fitting = (s for s in steps.get((i, j), ()) if best[i][j] == s[0] + best[i + s[1]][j + s[2]])
        _, m, n = next(fitting, (0.0, 1, 0) if best[i][j] == best[i + 1][j] else (0.0, 0, 1))
        yield tuple(left[i : i + m]), tuple(right[j : j + n])
        i, j = i + m, j + n
    for a in left[i:]:
        yield (a,), ()
    for b in right[j:]:
        yield (), (b,)
