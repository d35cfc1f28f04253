"""Which changes belong together where two runs of them do not do the same.

Two changes that share most of their cells are one change, altered. Several changes of one side are one of the other
where that has a name, and every cell in which they then differ has one, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from differential.align.explained import Naming
from differential.align.untold import begin_alike, goes_on, tells_its_start
from differential.decode.canonical import comparable, load
from differential.model import UNKNOWN, Change

__all__ = ["Before", "Group", "as_one", "chains", "paired"]

Group: TypeAlias = tuple[Change, ...]
Before: TypeAlias = "tuple[Change | None, Change | None]"

_ALIKE = 0.5
"""Two changes that share at least this part of their cells are one change, altered."""

_LONGEST = 16
_FOR_A_GROUP = 0.25  # what several changes that are one weigh beyond pairs of them: less than any pair does


class _Likeness:
    """How much changes have in common. Each image is read once, however many others it is held against."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._read: dict[bytes, tuple[tuple[str, ...], tuple[Any, ...], Mapping[str, Any]]] = {}
        self._columns: dict[str, bool] = {}
        self._known: dict[tuple[str, str, str, str, str], bool] = {}

    def _parts(self, image: bytes) -> tuple[tuple[str, ...], tuple[Any, ...], Mapping[str, Any]]:
        found = self._read.get(image)
        if found is None:
            cells = load(image)
            found = self._read[image] = (*cells,), (*cells.values(),), cells
        return found

    def _has_name(self, a: Change, b: Change, column: str, cells: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
        left, right = cells.get(column), others.get(column)
        if not (isinstance(left, str) and isinstance(right, str)):
            return self._naming.is_explained(a, b, column, cells, others)
        nameable = self._columns.get(column)
        if nameable is None:
            nameable = self._columns[column] = self._naming.may_name(a, column)
        if not nameable:
            return False
        key = (column, left, right, a.op, b.op)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._naming.is_explained(a, b, column, cells, others)
        return known

    def same(self, a: Change, b: Change) -> bool:
        """Whether they share all of their cells, but for those that differ by a name."""
        if UNKNOWN in (a.before, b.before) and not begin_alike(a, b):
            return False
        return all(self._counted(a, b, x, y, at_once=True) for x, y in _images(a, b))

    def _counted(
        self, a: Change, b: Change, x: bytes | None, y: bytes | None, *, at_once: bool = False
    ) -> tuple[int, int] | None:
        """The cells that two images share, and all; None at once where the first is to be all, and is not."""
        if x is None or y is None:
            return None if at_once else (0, 1)
        names, values, cells = self._parts(x)
        if x == y:
            return len(names), len(names)
        others_names, others_values, others = self._parts(y)
        if names == others_names:
            unlike = [name for name, u, v in zip(names, values, others_values, strict=True) if u != v]
            same, total = len(names) - len(unlike), len(names)
        else:
            union = {*comparable(x, y, cells, others)}
            shared = [name for name in union if name in cells and name in others and cells[name] == others[name]]
            same, total = len(shared), len(union)
            unlike = [*union.difference(shared)]
        for name in unlike:
            if self._has_name(a, b, name, cells, others):
                same += 1
            elif at_once:
                return None
        return same, total

    def of(self, a: Change, b: Change, clocked: bool) -> float:
        """The part of their cells that two changes share, or that differ by a name, from 0 to 1.

        It is 1 for changes that one clock gave one time.
        """
        if clocked and a.commit_ts is not None and a.commit_ts == b.commit_ts:
            return 1.0
        same = total = 0
        for x, y in _images(a, b):
            counted = self._counted(a, b, x, y) or (0, 0)
            same, total = same + counted[0], total + counted[1]
        return same / total if total else 1.0

    def are_successive(self, a: Change, b: Change, clocked: bool) -> bool:
        """Whether one change starts from the row that the other left, and both of their rows differ: they are two.

        Of one clock and one time they are one, whatever their rows are.
        """
        if clocked and a.commit_ts is not None and a.commit_ts == b.commit_ts:
            return False
        images = (a.before, b.before), (a.after, b.after)
        if any(x == y or UNKNOWN in (x, y) for x, y in images) or not (a.after == b.before or b.after == a.before):
            return False
        return not any(self._counted(a, b, x, y, at_once=True) for x, y in images)


def _images(a: Change, b: Change) -> Iterator[tuple[bytes | None, bytes | None]]:
    """The images of both that can be held against one another."""
    for x, y in ((a.before, b.before), (a.after, b.after)):
        if UNKNOWN not in (x, y) and not (x is None and y is None):
            yield x, y


def as_one(changes: Group) -> Change:
    """The change that several make together."""
    first, last = changes[0], changes[-1]
    op = "insert" if first.before is None else "delete" if last.after is None else "update"
    return first if len(changes) == 1 else replace(first, op=op, after=last.after)


def chains(changes: Sequence[Change], start: int) -> Iterator[Group]:
    """Two and more changes of one time from a place on, each at the row that the one before it left."""
    time = (changes[start].instant, changes[start].commit_ts)
    for end in range(start + 2, min(len(changes), start + _LONGEST) + 1):
        before, one = changes[end - 2], changes[end - 1]
        if time == ("", None) or (one.instant, one.commit_ts) != time or before.after != one.before:
            return
        yield tuple(changes[start:end])


def _groups(
    left: Sequence[Change], right: Sequence[Change], before: Before, likeness: _Likeness, naming: Naming
) -> Iterator[tuple[int, int, int, int]]:
    """Places and lengths of several changes of one side that are one of the other, or several by other steps.

    Where one does not tell its start, the others must go on from what is before them: else one may be lacking there.
    """
    goes_ons = [
        [goes_on(side[n - 1] if n else last, one) for n, one in enumerate(side)]
        for last, side in zip(before, (left, right), strict=True)
    ]

    def are(i: int, j: int, one: Change, other: Change) -> bool:
        told = tells_its_start(one) and tells_its_start(other)
        return (told or (goes_ons[0][i] and goes_ons[1][j])) and likeness.same(one, other)

    lefts, rights = ([[(g, as_one(g)) for g in chains(side, n)] for n in range(len(side))] for side in (left, right))
    for j, groups in enumerate(rights):
        for group, whole in groups:
            for i, one in enumerate(left):
                if are(i, j, one, whole) and naming.of_run((one,), group):
                    yield i, j, 1, len(group)
            for i, many in enumerate(lefts):
                for others, made in many:
                    if are(i, j, made, whole) and naming.of_run(others, group):
                        yield i, j, len(others), len(group)
    for i, groups in enumerate(lefts):
        for group, whole in groups:
            for j, one in enumerate(right):
                if are(i, j, whole, one) and naming.of_run(group, (one,)):
                    yield i, j, len(group), 1


def paired(
    left: Sequence[Change],
    right: Sequence[Change],
    naming: Naming,
    *,
    clocked: bool,
    before: Before = (None, None),
) -> Iterator[tuple[Group, Group]]:
    """Changes that belong together, in order; those that belong to none stand alone, opposite to none.

    `before` are the last changes of both sides before these.
    """
    likeness = _Likeness(naming)
    if len(left) == len(right) == 1 and not likeness.are_successive(left[0], right[0], clocked):
        yield tuple(left), tuple(right)
        return
    if not left or not right:
        yield from (((one,), ()) for one in left)
        yield from (((), (one,)) for one in right)
        return
    steps: dict[tuple[int, int], list[tuple[float, int, int]]] = {}
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            if (alike := likeness.of(a, b, clocked)) >= _ALIKE and not likeness.are_successive(a, b, clocked):
                steps[i, j] = [(alike, 1, 1)]
    for i, j, m, n in _groups(left, right, before, likeness, naming):
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
