"""Decides, round by round, which changes of growing streams are settled and which must wait.

A key group is compared up to the last unambiguous change; the rest waits. Changes up to the last position at which the
sides agree are settled at once, since later changes cannot alter that. From the first difference on, changes wait until
they are due, that is, until every side has continued long enough after them. Due changes are settled up to a position
that separates no changes belonging together.

A comparison of whole streams may need all changes of a key to match them. Rounds give the same result because a key is
cut only at positions that every faultless alignment passes (see `align.cut_positions`); without such a position it
keeps waiting. Settled changes go through the same `Merge` as in a comparison of whole streams. Times are those in the
messages; no wall clock is used.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from differential.align.alignment import WINDOW, align
from differential.align.cut_positions import common_positions
from differential.align.merging import Merge, row_hash
from differential.align.pairs import Pair
from differential.align.steps import StepKind
from differential.align.weighing import Weighing
from differential.counts import Counts
from differential.decode.slim import Kind, Slim, change_of
from differential.live.whole import count_clock_offsets, judge, was_judged
from differential.model import Change, Class, Difference, Place

__all__ = ["EVERYTHING", "LastChange", "SettledDifference", "Settling", "Timed", "Waiting"]


class Timed(NamedTuple):
    """A slim record and the time of its message in milliseconds since 1970, None if unknown."""

    row: Slim
    time: int | None


EVERYTHING = math.inf
"""The time up to which changes are due at the end of the streams: all of them are due."""

_ChangeId: TypeAlias = tuple[int, str, str, str, Place]  # side, schema, table, key, place

_CHUNK = 4096
_KEY = attrgetter("row.group", "row.schema", "row.table", "row.key")
_SAME = attrgetter("op", "moved", "payload")


@dataclass(frozen=True, slots=True)
class LastChange:
    """The last settled change of a key on a side."""

    key_hash: bytes  # of schema, table and key
    side: int
    schema: str
    table: str
    change_hash: bytes
    image: int | None  # the hash of the row after it, as summed in `Counts.checksum`; None if there is no row


@dataclass(frozen=True, slots=True)
class SettledDifference:
    """A difference in settled changes."""

    difference: Difference
    repeats: LastChange | None = None
    """Of an unmatched change with which a round begins: the change itself.

    If it equals the last change that earlier rounds settled, the difference is a duplicate.
    """


@dataclass(frozen=True, slots=True)
class Waiting:
    """A change that waits for later messages."""

    timed: Timed


class Settling:
    """Settles the changes of one part of the keys, as far as possible.

    Changes whose messages are not newer than `due` are due; with None no change is due. `counts` and `newest`, the time
    of the newest message of each side, are complete after the last of `pieces`. `counts` lacks final rows, since these
    need the `LastChange` of every key.
    """

    def __init__(self, pairs: Sequence[Pair], sides: int, due: float | None) -> None:
        self._pairs, self._sides, self._due = pairs, sides, due
        self._merge = Merge(pairs, sides)
        self._of_pair = {pair.context.pair: (pair.a, pair.b) for pair in pairs}
        self.newest: dict[int, int] = {}

    @property
    def counts(self) -> Counts:
        """The counts of settled changes."""
        return self._merge.counts

    def pieces(self, rows: Iterable[Timed]) -> Iterator[SettledDifference | Waiting | LastChange]:
        """Settle waiting and new rows as far as possible; `rows` has both, sorted as for a `Merge`."""
        settled: list[Slim] = []
        begins: dict[_ChangeId, LastChange] = {}
        for _, of_key in groupby(rows, _KEY):
            yield from self._key_pieces(of_key, settled, begins)
            if len(settled) >= _CHUNK:
                yield from self._differences(settled, begins)
                settled, begins = [], {}
        yield from self._differences(settled, begins)
        self.counts.rows.clear()
        self.counts.checksum.clear()

    def _key_pieces(
        self, rows: Iterable[Timed], settled: list[Slim], begins: dict[_ChangeId, LastChange]
    ) -> Iterator[SettledDifference | Waiting | LastChange]:
        """The waiting and last changes of a key, or the differences in the check records of a partition.

        `settled` gets the settled rows, `begins` the first change of a key if nothing tells that it is not a duplicate.
        """
        changes: list[list[Timed]] = [[] for _ in range(self._sides)]
        for_checks: list[Timed] = []
        for timed in rows:
            row, time = timed
            if row.kind == Kind.CHANGE:
                changes[row.side].append(timed)
                continue
            if row.kind == Kind.CHECKS:
                for_checks.append(timed)
                continue
            settled.append(row)  # not a row change: no later message concerns it
            if time is not None:
                self.newest[row.side] = max(self.newest.get(row.side, time), time)
        if for_checks:
            yield from self._judge(for_checks)
        agreed, settled_counts = self._settled_counts(changes)
        for side, n in zip(changes, settled_counts, strict=True):
            settled += [row for row, _ in side[:n]]
            if n:
                yield _last_change(side[n - 1].row)
            if n and not agreed:
                begins[_id_of(side[0].row)] = _last_change(side[0].row)
            yield from map(Waiting, side[n:])

    def _judge(self, rows: Sequence[Timed]) -> Iterator[SettledDifference | Waiting]:
        """The differences in the due check records of a partition.

        The others wait, and so do the due ones that the next round needs once more; see `judge`.
        """
        due = [self._is_due(timed) for timed in rows]
        found = judge(self._pairs, [row for row, _ in rows], due)
        yield from map(SettledDifference, found.differences)
        if self._due != EVERYTHING:
            yield from (Waiting(Timed(row, None)) for row in found.kept)
            not_due = (one for one, is_due in zip(rows, due, strict=True) if not is_due)
            yield from (Waiting(one) for one in not_due if not was_judged(one.row))

    def _differences(
        self, settled: Sequence[Slim], begins: Mapping[_ChangeId, LastChange]
    ) -> Iterator[SettledDifference]:
        count_clock_offsets(self._pairs, settled, self.counts)
        for d in self._merge.differences(settled):
            place, side = (d.left, 0) if d.kind is Class.MISSING else (d.right, 1)
            if d.kind in (Class.MISSING, Class.EXTRA) and place is not None:
                change_id = (self._of_pair[d.pair][side], d.schema, d.table, d.key, place)
                yield SettledDifference(d, begins.get(change_id))
            else:
                yield SettledDifference(d)

    def _settled_counts(self, changes: Sequence[Sequence[Timed]]) -> tuple[int, Sequence[int]]:
        """The number of equal first changes, and by side the number of settled changes."""
        agreed = 0
        for step in zip(*changes, strict=False):
            if not all(_match_for_certain(pair, step[pair.a].row, step[pair.b].row) for pair in self._pairs):
                break
            agreed += 1
        agreed = self._last_certain_position(changes, agreed)
        rest = [side[agreed:] for side in changes]
        due = self._due_of(rest)
        if all(n == len(side) for n, side in zip(due, rest, strict=True)):
            return agreed, [len(side) for side in changes]
        return agreed, [agreed + n for n in (self._last_separating_position(rest, due) if any(due) else due)]

    def _last_certain_position(self, changes: Sequence[Sequence[Timed]], agreed: int) -> int:
        """The last position, up to `agreed`, that every faultless alignment passes, whatever changes come later.

        Several steps of upstream at one time may form one change, so a position between them is not certain.
        """
        of_upstream = [side for side in changes if side and side[0].row.commit_ts is None]
        while agreed and any(not self._is_over(side, agreed) for side in of_upstream):
            agreed -= 1
        if all(a.row.instant != b.row.instant for side in of_upstream for a, b in pairwise(side[:agreed])):
            return agreed
        rows = [side[: agreed + WINDOW] for side in changes]
        due = self._due_of(rows)
        changes_of = [[change_of(row) for row, _ in side] for side in rows]
        over = [n for n in range(1, agreed) if all(self._is_over(side, n) for side in of_upstream)]
        certain = [0, *over, agreed] if agreed else [0]
        for pair in self._pairs:
            if not pair.context.same_clock and len(certain) > 1:
                of_pair = due[pair.a], due[pair.b]
                positions = _common_positions(pair, changes_of[pair.a], changes_of[pair.b], of_pair) or {(0, 0)}
                certain = [n for n in certain if (n, n) in positions]
        return certain[-1]

    def _is_over(self, side: Sequence[Timed], count: int) -> bool:
        """Whether the first `count` changes include all changes of the time of the last one."""
        if count < len(side):
            return side[count - 1].row.instant != side[count].row.instant
        return self._is_due(side[count - 1])

    def _due_of(self, changes: Iterable[Iterable[Timed]]) -> list[int]:
        """By side, the number of due changes before the first that is not due."""
        return [sum(1 for _ in takewhile(self._is_due, side)) for side in changes]

    def _is_due(self, timed: Timed) -> bool:
        time = EVERYTHING if timed.time is None else timed.time
        return self._due is not None and time <= self._due

    def _last_separating_position(self, rows: Sequence[Sequence[Timed]], due: Sequence[int]) -> Sequence[int]:
        """By side, the largest number of due changes that can be compared without the changes after them."""
        changes = [[change_of(row) for row, _ in side] for side in rows]
        found = {(p.a, p.b): _cut_positions(p, changes[p.a], changes[p.b], (due[p.a], due[p.b])) for p in self._pairs}
        cuts: list[tuple[int, ...]] = [(n,) for n in range(due[0] + 1)]
        for number in range(1, self._sides):
            partners: dict[int, list[int]] = {}
            for first, n in found[0, number].positions:
                if n <= due[number]:
                    partners.setdefault(first, []).append(n)
            cuts = [
                (*cut, n)
                for cut in cuts
                for n in partners.get(cut[0], ())
                if all((cut[other], n) in found[other, number].positions for other in range(1, number))
            ]
        for cut in sorted(cuts, key=sum, reverse=True):
            separates = (positions.separates_twins(cut[a], cut[b]) for (a, b), positions in found.items())
            if not any(map(_cuts_transaction, changes, cut)) and not any(separates):
                return cut
        return [0] * self._sides


def _last_change(row: Slim) -> LastChange:
    key_hash = hashlib.blake2b(f"{row.schema}\0{row.table}\0".encode() + row.key, digest_size=16).digest()
    change_hash = hashlib.blake2b(f"{row.op} {row.moved}\n".encode() + (row.payload or b""), digest_size=8).digest()
    image = change_of(row).after
    return LastChange(
        key_hash, row.side, row.schema, row.table, change_hash, None if image is None else row_hash(image)
    )


def _id_of(row: Slim) -> _ChangeId:
    return row.side, row.schema, row.table, row.key.decode(), Place(*row.place)


def _match_for_certain(pair: Pair, left: Slim, right: Slim) -> bool:
    """Whether two changes match, whatever changes come later."""
    if pair.context.same_clock and left.commit_ts != right.commit_ts:
        return False
    if _SAME(left) == _SAME(right):
        return True
    a, b = change_of(left), change_of(right)
    return Weighing(pair.context, pair.namer).are_equivalent(a, b)


@dataclass(frozen=True, slots=True)
class _CutPositions:
    """Positions at which two sequences of changes may be cut, as numbers of changes before the cut."""

    positions: frozenset[tuple[int, int]]
    # The positions of unmatched changes that are equal on both sides: they must stay together.
    twins: tuple[tuple[int, int], ...]

    def separates_twins(self, i: int, j: int) -> bool:
        """Whether a cut separates equal changes that must stay together."""
        return any((a < i) != (b < j) for a, b in self.twins)


def _common_positions(
    pair: Pair, left: Sequence[Change], right: Sequence[Change], due: tuple[int, int]
) -> frozenset[tuple[int, int]] | None:
    """As `common_positions`, for the sides of a pair."""
    weighing = Weighing(pair.context, pair.namer)
    return common_positions(left, right, weighing.are_equivalent, weighing.naming.explains_steps, due)


def _cut_positions(pair: Pair, left: Sequence[Change], right: Sequence[Change], due: tuple[int, int]) -> _CutPositions:
    """Positions at which both sides of a pair may be cut.

    `due` is the number of due changes by side. If a faultless alignment covers them all, these are the positions that
    every faultless alignment passes. Otherwise, and with one clock or many due changes, they are the positions between
    the steps of the cheapest alignment.
    """
    if not pair.context.same_clock and max(due) <= WINDOW:
        common = _common_positions(pair, left, right, due)
        if common is not None:
            return _CutPositions(common, ())
    i = j = 0
    positions = {(0, 0)}
    unmatched: tuple[list[int], list[int]] = ([], [])
    for step in align(left, right, Weighing(pair.context, pair.namer)):
        if step.kind is StepKind.EQUAL:
            positions.update((i + n, j + n) for n in range(1, len(step.left)))
        if not step.right:
            unmatched[0].extend(range(i, i + len(step.left)))
        if not step.left:
            unmatched[1].extend(range(j, j + len(step.right)))
        i, j = i + len(step.left), j + len(step.right)
        positions.add((i, j))
    return _CutPositions(frozenset(positions), tuple(_twins(left, right, *unmatched)))


def _twins(
    left: Sequence[Change], right: Sequence[Change], of_left: Iterable[int], of_right: Iterable[int]
) -> Iterator[tuple[int, int]]:
    """Positions of equal changes, paired in order."""
    there: dict[Any, list[int]] = {}
    for place in of_right:
        there.setdefault(_content(right[place]), []).append(place)
    for place in of_left:
        if same := there.get(_content(left[place])):
            yield place, same.pop(0)


def _content(change: Change) -> Any:
    return change.op, change.moved, change.before, change.after


def _cuts_transaction(changes: Sequence[Change], cut: int) -> bool:
    """Whether a cut separates changes of one transaction: those of one time."""
    if not 0 < cut < len(changes):
        return False
    before, behind = changes[cut - 1], changes[cut]
    time = (before.instant, before.commit_ts)
    return time == (behind.instant, behind.commit_ts) and time != ("", None)
