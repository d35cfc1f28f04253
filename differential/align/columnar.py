"""Merges one part column by column: alike changes are counted without a Python object a row.

A part is a table of slim records in any order, with all changes of each of its keys. Comparing columns finds the
changes with which all sides of a key begin alike. Spellings and final rows are counted by columns as well. The
remaining changes of the keys go through `Merge` one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

import numpy
import pyarrow
from pyarrow import compute

from differential.align.cells import Flags, Integers
from differential.align.merging import Merge, differing_columns, row_hash
from differential.align.part import Part, in_order
from differential.align.spellings import Rows
from differential.decode.slim import Kind, Slim, after_of, identifying_image
from differential.model import Difference
from reference_impl.tso import LOGICAL_BITS

__all__ = ["differences_in"]

_SLICE = 8192
_LONGEST = 19  # digits of the largest 64-bit number


def differences_in(merge: Merge, table: Any) -> Iterator[Difference]:
    """The differences in a part; `merge` has its counts when they are exhausted."""
    rest: Iterator[Slim] = iter(())
    if table.num_rows:
        part = in_order(table, merge.sides)
        plain = numpy.add.reduceat(part.numbers("kind") != Kind.CHANGE, part.starts) == 0
        ahead = _ahead(merge, part, plain)
        alike = plain & (part.counts == ahead[:, None]).all(axis=1)
        _count(merge, part, plain, alike)
        differing = _Differing(merge, part, ahead)
        yield from differing.of(numpy.flatnonzero(plain & ~alike))
        for number in range(len(merge.pairs)):
            _watch(merge, part, number, plain[part.key_of] & ~differing.seen[number])
        rest = _rows(part, numpy.flatnonzero(~plain[part.key_of]))
    yield from merge.differences(rest)


def _ahead(merge: Merge, part: Part, plain: Flags) -> Integers:
    """By key, the number of first changes that are equal on all sides.

    0 for keys that are not `plain`.

    A plain key has only changes, no rows of other kinds.
    """
    ahead = numpy.where(plain, part.counts.min(axis=1), 0)
    at = numpy.flatnonzero((part.numbers("side") == 0) & (part.rank < ahead[part.key_of]))
    partners = [part.firsts(side)[part.key_of[at]] + part.rank[at] for side in range(merge.sides)]
    operations, moved = part.coded["op"].numbers[part.order], part.numbers("moved")
    payload, same = part.take("payload", at), numpy.ones(len(at), dtype=bool)
    for other in partners[1:]:
        same &= (operations[at] == operations[other]) & (moved[at] == moved[other])
        same &= compute.equal(payload, part.take("payload", other)).to_numpy(zero_copy_only=False)
    for pair in merge.pairs:
        if pair.context.same_clock:
            times = (part.take("commit_ts", partners[number]).fill_null("") for number in (pair.a, pair.b))
            same &= compute.equal(*times).to_numpy(zero_copy_only=False)
    numpy.minimum.at(ahead, part.key_of[at[~same]], part.rank[at[~same]])
    if not all(pair.context.same_clock for pair in merge.pairs):
        repeats = _perhaps_repeats(part)
        numpy.minimum.at(ahead, part.key_of[repeats], part.rank[repeats])
    return ahead


def _perhaps_repeats(part: Part) -> Integers:
    """The rows that may repeat the row before them, of the same side and key.

    The rule is that of `repeated.may_repeat`.
    """
    at = numpy.flatnonzero(part.rank > 0)
    times = _times(part, at), _times(part, at - 1)
    same = at[_equal(part, "commit_ts", at)]
    for name in ("op", "moved", "payload"):
        same = same[_equal(part, name, same)]
    return numpy.concatenate((at[(times[0] >= 0) & ((times[1] < 0) | (times[0] < times[1]))], same))


def _equal(part: Part, name: str, at: Integers) -> Flags:
    """Whether rows have the same value as the row before them; a missing value equals nothing."""
    found = compute.equal(part.take(name, at), part.take(name, at - 1)).fill_null(False)
    return numpy.asarray(found.to_numpy(zero_copy_only=False), dtype=bool)


def _times(part: Part, at: Integers) -> Integers:
    """The times of rows in milliseconds, below 0 if unknown."""
    of_commit = compute.shift_right(part.take("commit_ts", at).cast(pyarrow.uint64()), LOGICAL_BITS)
    begins = compute.list_element(compute.split_pattern(part.take("instant", at), " ", max_splits=1), 0)
    is_time = compute.and_(compute.ascii_is_decimal(begins), compute.less(compute.binary_length(begins), _LONGEST))
    of_log = compute.if_else(is_time, begins, None).cast(pyarrow.int64())
    times: Integers = compute.coalesce(of_commit.cast(pyarrow.int64()), of_log, -1).to_numpy(zero_copy_only=False)
    return times


def _count(merge: Merge, part: Part, plain: Flags, alike: Flags) -> None:
    """Count changes, and the rows that keys end with."""
    hashes = numpy.zeros(len(part.starts), dtype=numpy.uint64)
    ends = numpy.zeros(len(part.starts), dtype=bool)
    for side in range(merge.sides):
        keys = numpy.flatnonzero(plain & (part.counts[:, side] > 0))
        others = keys[~alike[keys]] if side else keys  # keys that are alike end as on the first side
        for begin in range(0, len(others), _SLICE):
            of = others[begin : begin + _SLICE]
            last = part.firsts(side)[of] + part.counts[of, side] - 1
            images = map(after_of, part.take("payload", last).to_pylist())
            found = [None if image is None else row_hash(image) for image in images]
            ends[of] = [one is not None for one in found]
            hashes[of] = [one or 0 for one in found]
        for table in numpy.unique(part.where[keys]):
            mine = keys[part.where[keys] == table]
            left = mine[ends[mine]]
            merge.count_changes(side, part.tables[table], int(part.counts[mine, side].sum()))
            merge.count_final_rows(side, part.tables[table], len(left), int(hashes[left].sum()))  # modulo 2**64
    for table in numpy.unique(part.where[alike]):
        merge.count_agreed(part.tables[table], int(part.counts[alike & (part.where == table), 0].sum()))


class _Differing:
    """The differences of keys that are not alike.

    `seen`: by pair, the rows whose values are counted already.
    """

    def __init__(self, merge: Merge, part: Part, ahead: Integers) -> None:
        self._merge, self._part, self._ahead = merge, part, ahead
        self.seen = [numpy.zeros(len(part.order), dtype=bool) for _ in merge.pairs]

    def of(self, keys: Integers) -> Iterator[Difference]:
        """The differences of keys.

        Each key is compared from the last of its equal first changes on.
        """
        part = self._part
        skipped = numpy.maximum(self._ahead - 1, 0)
        skipped[part.key_of[_of_message_before(part)]] = 0
        chosen = numpy.zeros(len(part.starts), dtype=bool)
        chosen[keys] = True
        at = numpy.flatnonzero(chosen[part.key_of] & (part.rank >= skipped[part.key_of]))
        rows = _rows(part, at)
        lengths = (part.counts[keys] - skipped[keys, None]).tolist()
        for key, most, ahead in zip(keys.tolist(), lengths, skipped[keys].tolist(), strict=True):
            changes = [list(islice(rows, length)) for length in most]
            for number, found in enumerate(self._merge.compared(changes, ahead, partial(self._first, key, ahead))):
                yield from found
                if found and changes[self._merge.pairs[number].b]:
                    where, of_key = part.tables[part.where[key]], next(side[0] for side in changes if side).key
                    with self._merge.guarded(self._merge.pairs[number], where, of_key):
                        self._see(number, key, ahead, changes, found)

    def _begin(self, key: int, side: int) -> int:
        """The position at which the changes of a key begin on a side."""
        return int(self._part.starts[key] + self._part.counts[key, :side].sum())

    def _first(self, key: int, count: int, side: int) -> Iterator[Slim]:
        """The first `count` changes of a key on a side."""
        begin = self._begin(key, side)
        return _rows(self._part, numpy.arange(begin, begin + count))

    def _see(self, number: int, key: int, ahead: int, changes: list[list[Slim]], found: list[Difference]) -> None:
        """Count the spellings of changes in which some columns differ."""
        pair, watcher = self._merge.pairs[number], self._merge.watchers[number]
        rows, begin = changes[pair.a], self._begin(key, pair.a) + ahead
        differing = differing_columns(rows, found)
        if len(differing) < len({one.left for one in found} - {None}):  # some concern skipped changes
            rows, begin = [*self._first(key, ahead, pair.a), *rows], begin - ahead
            differing = differing_columns(rows, found)
        first = changes[pair.b][0]
        schema, table, of_key = first.schema, first.table, first.key
        watched = watcher.columns(schema, table)
        for place, columns in differing.items():
            if columns is None or not watched.isdisjoint(columns):
                self.seen[number][begin + place] = True
                row = rows[place]
                if columns is not None and (image := identifying_image(row.payload)):
                    watcher.see((schema, table), row.op, of_key.decode(), image, columns)


def _of_message_before(part: Part) -> Integers:
    """The rows with the same side, key and message as the row before them."""
    topic, partition, offset = part.coded["topic"].numbers[part.order], *map(part.numbers, ("partition", "offset"))
    same = part.rank[1:] > 0
    for column in (topic, partition, offset):
        same = same & (column[1:] == column[:-1])
    found: Integers = numpy.flatnonzero(same) + 1
    return found


def _watch(merge: Merge, part: Part, number: int, plain: Flags) -> None:
    """Count values that the sides spell differently, in rows of the left side of a pair."""
    pair, watcher = merge.pairs[number], merge.watchers[number]
    watched = numpy.array([bool(watcher.columns(*where)) for where in part.tables])
    is_counted = watched[part.where] & (part.counts[:, pair.b] > 0)
    at = numpy.flatnonzero(plain & is_counted[part.key_of] & (part.numbers("side") == pair.a))
    operations, keys = part.coded["op"], part.coded["key"]
    for table in numpy.unique(part.where[part.key_of[at]]):
        mine = at[part.where[part.key_of[at]] == table]
        for some in (mine[begin : begin + _SLICE] for begin in range(0, len(mine), _SLICE)):
            images = [identifying_image(payload) for payload in part.take("payload", some).to_pylist()]
            present = numpy.array([bool(image) for image in images])
            if present.any():
                rows = part.order[some[present]]
                watcher.see_all(
                    part.tables[table],
                    Rows(
                        operations.values,
                        operations.numbers[rows],
                        keys.values,
                        keys.numbers[rows],
                        [*filter(None, images)],
                    ),
                )


def _rows(part: Part, at: Integers) -> Iterator[Slim]:
    """The slim records at positions of the order."""
    for some in (at[begin : begin + _SLICE] for begin in range(0, len(at), _SLICE)):
        yield from map(Slim._make, part.rows(some))
