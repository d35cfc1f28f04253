"""What of streams that go on is settled, and what must wait: the comparison of one part of the keys, piece by piece.

Of each key everything up to the last place at which the sides agree is settled at once: nothing that comes later can
change it. From the first difference on a key waits until its changes are due, which is when every side has gone on
beyond them for long enough; then it is settled up to a place at which nothing that belongs together is torn apart.
A comparison at once reads a key as a whole where its steps alone do not tell what belongs together. So that rounds find
what that finds, a key is cut where every such reading goes through; while there is no such place it waits on.
What is settled goes through the same `Merge` as a comparison of everything at once, so both tell the same. Times are
those that the messages carry; nothing here knows a clock.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from differential.align.alignment import WINDOW, StepKind, align
from differential.align.explained import Naming
from differential.align.merging import Merge, Pair, row_hash
from differential.align.readings import narrow_places
from differential.align.weighing import Weighing
from differential.counts import Counts
from differential.decode.slim import Kind, Slim, change_of
from differential.live.whole import count_clocks, judge
from differential.model import Change, Class, Difference, Place

__all__ = ["EVERYTHING", "Last", "SettledDifference", "Settling", "Timed", "Waiting"]


class Timed(NamedTuple):
    """A slim record and the time of its message in milliseconds since 1970; None where it has none."""

    row: Slim
    time: int | None


EVERYTHING = math.inf
"""As the time up to which changes are due: the streams are at their end, and all of them are."""

_Begin: TypeAlias = tuple[int, str, str, str, Place]  # side, schema, table, key

_CHUNK = 4096
_KEY = attrgetter("row.group", "row.schema", "row.table", "row.key")
_SAME = attrgetter("op", "moved", "payload")


@dataclass(frozen=True, slots=True)
class Last:
    """The last settled change of a key on a side. `who` stands for the key, `did` for what was done.

    `image` is the hash of the row that it left as `Counts.checksum` sums them, None where it left none.
    """

    who: bytes
    side: int
    schema: str
    table: str
    did: bytes
    image: int | None


@dataclass(frozen=True, slots=True)
class SettledDifference:
    """A difference, and for the first change of a piece that stands alone: what it repeats if that was the last."""

    difference: Difference
    repeats: Last | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A change that waits."""

    timed: Timed


class Settling:
    """Settles what can be settled of one part of the keys.

    Changes whose messages are not younger than `due` are due, None = no change is. `counts` and `newest`, the time of
    the youngest message of each side, are complete when `parts` is exhausted; `counts` has no final rows, for which the
    `Last` of every key are needed.
    """

    def __init__(self, pairs: Sequence[Pair], sides: int, due: float | None) -> None:
        self._pairs, self._sides, self._due = pairs, sides, due
        self._merge = Merge(pairs, sides)
        self._of_pair = {pair.context.pair: (pair.a, pair.b) for pair in pairs}
        self.newest: dict[int, int] = {}

    @property
    def counts(self) -> Counts:
        """What was settled."""
        return self._merge.counts

    def parts(self, rows: Iterable[Timed]) -> Iterator[SettledDifference | Waiting | Last]:
        """What comes of rows that are sorted as for a `Merge`: those that waited and new ones together."""
        settled: list[Slim] = []
        begins: dict[_Begin, Last] = {}
        for _, of_key in groupby(rows, _KEY):
            yield from self._key(of_key, settled, begins)
            if len(settled) >= _CHUNK:
                yield from self._differences(settled, begins)
                settled, begins = [], {}
        yield from self._differences(settled, begins)
        self.counts.rows.clear()
        self.counts.checksum.clear()

    def _key(
        self, rows: Iterable[Timed], settled: list[Slim], begins: dict[_Begin, Last]
    ) -> Iterator[SettledDifference | Waiting | Last]:
        """What of a key waits and what it leaves; the rest goes to `settled`."""
        changes: list[list[Timed]] = [[] for _ in range(self._sides)]
        narrow: list[Timed] = []
        for timed in rows:
            row, time = timed
            if row.kind == Kind.CHANGE:
                changes[row.side].append(timed)
                continue
            if row.kind == Kind.NARROW:
                narrow.append(timed)
                continue
            settled.append(row)  # no change of a key: there is nothing to wait for
            if time is not None:
                self.newest[row.side] = max(self.newest.get(row.side, time), time)
        if narrow:
            yield from self._narrow(narrow)
        even, cut = self._cut(changes)
        for side, n in zip(changes, cut, strict=True):
            settled += [row for row, _ in side[:n]]
            if n:
                yield _last(side[n - 1].row)
            if n and not even:
                begins[_begin(side[0].row)] = _last(side[0].row)
            yield from map(Waiting, side[n:])

    def _narrow(self, rows: Sequence[Timed]) -> Iterator[SettledDifference | Waiting]:
        """What the narrow records of a partition say, as far as they are due; those of which more may be said wait."""
        due = [self._is_due(timed) for timed in rows]
        found = judge(self._pairs, [row for row, _ in rows], due, self.counts)
        yield from map(SettledDifference, found.differences)
        if self._due != EVERYTHING:
            yield from (Waiting(Timed(row, None)) for row in found.kept)
            yield from (Waiting(one) for one, now in zip(rows, due, strict=True) if not (now or one.row.moved))

    def _differences(self, settled: Sequence[Slim], begins: Mapping[_Begin, Last]) -> Iterator[SettledDifference]:
        count_clocks(self._pairs, settled, self.counts)
        for d in self._merge.differences(settled):
            place, side = (d.left, 0) if d.kind is Class.MISSING else (d.right, 1)
            if d.kind in (Class.MISSING, Class.EXTRA) and place is not None:
                begin = (self._of_pair[d.pair][side], d.schema, d.table, d.key, place)
                yield SettledDifference(d, begins.get(begin))
            else:
                yield SettledDifference(d)

    def _cut(self, changes: Sequence[Sequence[Timed]]) -> tuple[int, Sequence[int]]:
        """At how many changes the sides agree first, and how many of each side are settled."""
        even = 0
        for step in zip(*changes, strict=False):
            if not all(_sure(pair, step[pair.a].row, step[pair.b].row) for pair in self._pairs):
                break
            even += 1
        even = self._before_any_doubt(changes, even)
        rest = [side[even:] for side in changes]
        due = self._due_of(rest)
        if all(n == len(side) for n, side in zip(due, rest, strict=True)):
            return even, [len(side) for side in changes]
        return even, [even + n for n in (self._where_nothing_is_torn(rest, due) if any(due) else due)]

    def _before_any_doubt(self, changes: Sequence[Sequence[Timed]], even: int) -> int:
        """The last place at which the sides agree however the key is read that far, whatever comes later.

        Steps of upstream's that are of one time may be one change, so that they are not sure one by one.
        """
        steps = [side for side in changes if side and side[0].row.commit_ts is None]
        while even and any(not self._is_over(side, even) for side in steps):
            even -= 1
        if all(a.row.instant != b.row.instant for side in steps for a, b in pairwise(side[:even])):
            return even
        rows = [side[: even + WINDOW] for side in changes]
        due = self._due_of(rows)
        read = [[change_of(row) for row, _ in side] for side in rows]
        for pair in self._pairs:
            if not pair.context.same_clock and even:
                places = _read(pair, read[pair.a], read[pair.b], (due[pair.a], due[pair.b])) or {(0, 0)}
                even = max(
                    n
                    for n in range(even + 1)
                    if (n, n) in places and (n in (0, even) or all(self._is_over(side, n) for side in steps))
                )
        return even

    def _is_over(self, side: Sequence[Timed], count: int) -> bool:
        """Whether nothing can be of the time of the last of so many changes that is not among them."""
        if count < len(side):
            return side[count - 1].row.instant != side[count].row.instant
        return self._is_due(side[count - 1])

    def _due_of(self, changes: Iterable[Iterable[Timed]]) -> list[int]:
        """How many changes of each side are due before the first that is not."""
        return [sum(1 for _ in takewhile(self._is_due, side)) for side in changes]

    def _is_due(self, timed: Timed) -> bool:
        time = EVERYTHING if timed.time is None else timed.time
        return self._due is not None and time <= self._due

    def _where_nothing_is_torn(self, rows: Sequence[Sequence[Timed]], due: Sequence[int]) -> Sequence[int]:
        """The last place up to which all is due, and what is before it can be compared without what is behind it."""
        changes = [[change_of(row) for row, _ in side] for side in rows]
        found = {(p.a, p.b): _ends(p, changes[p.a], changes[p.b], (due[p.a], due[p.b])) for p in self._pairs}
        cuts: list[tuple[int, ...]] = [(n,) for n in range(due[0] + 1)]
        for number in range(1, self._sides):
            beside: dict[int, list[int]] = {}
            for first, n in found[0, number].places:
                if n <= due[number]:
                    beside.setdefault(first, []).append(n)
            cuts = [
                (*cut, n)
                for cut in cuts
                for n in beside.get(cut[0], ())
                if all((cut[other], n) in found[other, number].places for other in range(1, number))
            ]
        for cut in sorted(cuts, key=sum, reverse=True):
            torn = (ends.tears(cut[a], cut[b]) for (a, b), ends in found.items())
            if not any(map(_of_one_time, changes, cut)) and not any(torn):
                return cut
        return [0] * self._sides


def _last(row: Slim) -> Last:
    who = hashlib.blake2b(f"{row.schema}\0{row.table}\0".encode() + row.key, digest_size=16).digest()
    did = hashlib.blake2b(f"{row.op} {row.moved}\n".encode() + (row.payload or b""), digest_size=8).digest()
    image = change_of(row).after
    return Last(who, row.side, row.schema, row.table, did, None if image is None else row_hash(image))


def _begin(row: Slim) -> _Begin:
    return row.side, row.schema, row.table, row.key.decode(), Place(*row.place)


def _sure(pair: Pair, left: Slim, right: Slim) -> bool:
    """Whether two changes at which both sides stand belong together whatever comes after them."""
    if pair.context.same_clock and left.commit_ts != right.commit_ts:
        return False
    if _SAME(left) == _SAME(right):
        return True
    a, b = change_of(left), change_of(right)
    return _weighing(pair).do_the_same(a, b)


def _weighing(pair: Pair) -> Weighing:
    return Weighing(Naming(pair.context, pair.namer), same_clock=pair.context.same_clock)


@dataclass(frozen=True, slots=True)
class _Ends:
    """Where two sequences of changes may be cut: lengths of both that end together.

    `twins` are places of changes that stand alone and are the same on both sides: they belong together.
    """

    places: frozenset[tuple[int, int]]
    twins: tuple[tuple[int, int], ...]

    def tears(self, i: int, j: int) -> bool:
        """Whether a cut parts what belongs together."""
        return any((a < i) != (b < j) for a, b in self.twins)


def _read(
    pair: Pair, left: Sequence[Change], right: Sequence[Change], due: tuple[int, int]
) -> frozenset[tuple[int, int]] | None:
    """Places through which every reading of both sides goes, None where nothing reads as far as it should."""
    weighing = _weighing(pair)
    return narrow_places(left, right, weighing.do_the_same, weighing.naming.names, due)


def _ends(pair: Pair, left: Sequence[Change], right: Sequence[Change], due: tuple[int, int]) -> _Ends:
    """Where both sides of a pair may be cut, of which so many changes are due.

    Where all that is due can be read, that is where every reading goes. Else, or where that leaves too much in doubt,
    it is between the steps of the alignment.
    """
    clock = pair.context.same_clock
    if not clock and max(due) <= WINDOW and (read := _read(pair, left, right, due)) is not None:
        return _Ends(read, ())
    i = j = 0
    places = {(0, 0)}
    alone: tuple[list[int], list[int]] = ([], [])
    for step in align(left, right, _weighing(pair)):
        if step.kind is StepKind.EQUAL:
            places.update((i + n, j + n) for n in range(1, len(step.left)))
        if not step.right:
            alone[0].extend(range(i, i + len(step.left)))
        if not step.left:
            alone[1].extend(range(j, j + len(step.right)))
        i, j = i + len(step.left), j + len(step.right)
        places.add((i, j))
    return _Ends(frozenset(places), tuple(_twins(left, right, *alone)))


def _twins(
    left: Sequence[Change], right: Sequence[Change], of_left: Iterable[int], of_right: Iterable[int]
) -> Iterator[tuple[int, int]]:
    """Places of changes that do the same, each the first of those that are left."""
    there: dict[Any, list[int]] = {}
    for place in of_right:
        there.setdefault(_doing(right[place]), []).append(place)
    for place in of_left:
        if same := there.get(_doing(left[place])):
            yield place, same.pop(0)


def _doing(change: Change) -> Any:
    return change.op, change.moved, change.before, change.after


def _of_one_time(changes: Sequence[Change], cut: int) -> bool:
    """Whether a cut parts changes of one transaction."""
    if not 0 < cut < len(changes):
        return False
    before, behind = changes[cut - 1], changes[cut]
    time = (before.instant, before.commit_ts)
    return time == (behind.instant, behind.commit_ts) and time != ("", None)
