"""Where the sides meet: sorted slim records in, differences and counts out.

`Merge` takes rows sorted by the first columns of `slim.COLUMNS`, as they come; the changes of one key may reach over
batches. It holds the changes of one key at a time, and what it returns depends on neither batches nor partitions:
differences are of keys, and counts are sums.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from operator import eq, itemgetter

from differential.align.comparison import Meeting, Namer, Watch, compare_key
from differential.align.watching import Watcher
from differential.counts import Counts
from differential.decode.slim import Kind, Slim, after_of, change_of, counts_of, shown_of, text_payload
from differential.model import Class, Difference, Place
from differential.sides import Side
from differential.window import Window, inside
from reference_impl.column_types import ColumnType

__all__ = ["Merge", "Pair", "pairs_of", "row_hash"]

_KEY = itemgetter(0, 1, 2, 3)
_SAME = itemgetter(10, 11, 14)  # op, moved, payload
_SAME_TIME = itemgetter(10, 11, 12, 14)  # and the commit time stamp


@dataclass(frozen=True, slots=True)
class Pair:
    """Two of the sides, by number, how they meet, and who names their differences."""

    a: int
    b: int
    meeting: Meeting
    namer: Namer
    watched: Mapping[tuple[str, str], tuple[tuple[str, Watch], ...]]  # by schema and table: columns
    window: Window | None = None


def pairs_of(
    sides: Sequence[Side], types: Mapping[tuple[str, str, str], ColumnType], namers: Mapping[str, Namer]
) -> tuple[Pair, ...]:
    """Every two of the sides: left-right, and with a third left-third and right-third."""
    pairs = []
    for a, b in combinations(range(len(sides)), 2):
        left, right = sides[a], sides[b]
        name = f"{left.name}-{right.name}"
        same_clock = left.carries.own and right.carries.own
        alone = left.new_rows_alone, right.new_rows_alone
        meeting, namer = Meeting(name, left.dialect, right.dialect, types, same_clock, alone), namers[name]
        watched: dict[tuple[str, str], tuple[tuple[str, Watch], ...]] = {}
        for where, kind in types.items():
            schema, table, column = where
            found = tuple((column, watch) for watch in namer.watches(where, kind))
            watched[schema, table] = (*watched.get((schema, table), ()), *found)
        pairs.append(Pair(a, b, meeting, namer, watched, left.window))
    return tuple(pairs)


def row_hash(key: bytes, image: bytes) -> int:
    """What a row adds to the checksum of its table, below 2**64."""
    return int.from_bytes(hashlib.blake2b(key + b"\n" + image, digest_size=8).digest(), "big")


class Merge:
    """Compares the sides of one part of the keys. `counts` is complete when `differences` is exhausted."""

    def __init__(self, pairs: Sequence[Pair], sides: int) -> None:
        self._pairs, self.sides = pairs, sides
        self.watchers = [Watcher(pair.meeting.pair, pair.watched) for pair in pairs]
        self.counts = Counts()

    def differences(self, rows: Iterable[Slim]) -> Iterator[Difference]:
        """The differences in sorted rows."""
        for _, of_key in groupby(rows, _KEY):
            changes: list[list[Slim]] = [[] for _ in range(self.sides)]
            for row in of_key:
                if row[9] == Kind.CHANGE:
                    changes[row[4]].append(row)
                elif row[9] == Kind.COUNTS:
                    self.counts.control.update({(row[4], what): n for what, n in counts_of(row).items()})
                elif row[9] == Kind.STATEMENT:
                    self.counts.statements.append((*row[4:9], row[1], row[2], *text_payload(row)))
                else:
                    yield from self._told(row)
            if any(changes):
                yield from self._key(changes)
        for watcher in self.watchers:
            watcher.settle(self.counts)

    def _key(self, changes: list[list[Slim]]) -> Iterator[Difference]:
        _, schema, table, key, *_ = next(side[0] for side in changes if side)
        for number, side in enumerate(changes):
            if side:
                self.counts.changes[number, schema, table] += len(side)
                self._fold(number, side[-1])
        for pair, watcher in zip(self._pairs, self.watchers, strict=True):
            left, right = changes[pair.a], changes[pair.b]
            found, alike = self._compared(pair, left, right)
            if pair.window is not None and pair.window.slack:
                found = list(inside(pair.window, found, left, right))
            yield from found
            self.counts.alike[pair.meeting.pair, schema, table] += alike
            if right and watcher.concerns(schema, table):
                _watch(watcher, (schema, table), key.decode(), left, found)

    def _compared(self, pair: Pair, left: list[Slim], right: list[Slim]) -> tuple[list[Difference], int]:
        """The differences in the changes of a key, and how many of them are alike."""
        same = _SAME_TIME if pair.meeting.same_clock else _SAME
        differing = (n for n, equal in enumerate(map(eq, map(same, left), map(same, right))) if not equal)
        first = next(differing, min(len(left), len(right)))
        if first == max(len(left), len(right)):
            return [], first
        begin = max(0, first - 1)  # what follows may repeat the last of those that are the same
        a, b = ([change_of(row) for row in side[begin:]] for side in (left, right))
        found = compare_key(pair.meeting, a, b, pair.namer)
        return found.differences, begin + found.alike

    def _fold(self, side: int, last: Slim) -> None:
        """Count the row that the last change of a key left."""
        image = after_of(last[14])
        if image is not None:
            self._left([side], last[1], last[2], row_hash(last[3], image))

    def _left(self, sides: Iterable[int], schema: str, table: str, hashed: int) -> None:
        for side in sides:
            of = (side, schema, table)
            self.counts.rows[of] += 1
            self.counts.checksum[of] = (self.counts.checksum[of] + hashed) % 2**64

    def same(self, where: tuple[str, str], changes: int) -> None:
        """Count changes of a table, by schema and name, that are the same on every side."""
        schema, table = where
        for side in range(self.sides):
            self.counts.changes[side, schema, table] += changes
        for pair in self._pairs:
            self.counts.alike[pair.meeting.pair, schema, table] += changes

    def ends(self, where: tuple[str, str], key: bytes, image: bytes | None) -> None:
        """Count the row of a key with which every side ends, None for no row."""
        if image is not None:
            self._left(range(self.sides), *where, row_hash(key, image))

    def of_one_clock(self) -> list[tuple[int, int]]:
        """The sides, two by two, whose time stamps must be the same."""
        return [(pair.a, pair.b) for pair in self._pairs if pair.meeting.same_clock]

    def _told(self, row: Slim) -> Iterator[Difference]:
        """What one side's message says of itself, in every pair of that side."""
        side, place = row[4], Place(row[5], row[6], row[7])
        texts = text_payload(row)
        for pair in self._pairs:
            if side not in (pair.a, pair.b):
                continue
            where = (place, None) if side == pair.a else (None, place)
            if row[9] == Kind.UNREADABLE:
                reason, why, got = texts
                kind, column = Class.UNDECODABLE, ""
                expected: str | None = f"{reason}: {why}"
            else:
                path, wanted, got = texts
                kind, column, expected = Class.SHAPE, path or "", wanted
            shown = (got, expected) if side == pair.a else (expected, got)
            yield _own(pair, kind, row, where, column, shown)


def _watch(
    watcher: Watcher, where: tuple[str, str], key: str, changes: Sequence[Slim], found: Sequence[Difference]
) -> None:
    """Count the values of a side that the other side has and writes in other words."""
    if not found:
        for row in changes:
            if image := shown_of(row[14]):
                watcher.see(where, row[10], key, image)
        return
    alone: set[tuple[str, int, int]] = set()
    apart: dict[tuple[str, int, int], set[str]] = {}
    for one in found:
        if one.left is not None:
            place = (one.left.topic, one.left.partition, one.left.offset)
            if one.right is None:
                alone.add(place)
            apart.setdefault(place, set()).add(one.column)
    for row in changes:
        if row[5:8] not in alone and (image := shown_of(row[14])):
            watcher.see(where, row[10], key, image, apart.get(row[5:8], ()))


def _own(
    pair: Pair,
    kind: Class,
    row: Slim,
    where: tuple[Place | None, Place | None],
    column: str,
    values: tuple[str | None, str | None],
) -> Difference:
    return Difference(
        pair.meeting.pair,
        kind,
        row[1],
        row[2],
        column,
        left=where[0],
        right=where[1],
        left_value=values[0],
        right_value=values[1],
    )
