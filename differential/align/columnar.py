"""Merges one part of the keys column by column: alike changes are counted without a Python object a row.

The part is a table of slim records in any order, with all changes of each of its keys. Comparing columns finds the
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
from differential.align.key_part import KeyPart, sorted_part
from differential.align.merging import Merge, differing_columns, row_hash
from differential.align.spellings import Rows
from differential.decode.slim import Kind, Slim, after_of, identifying_image
from differential.model import Difference
from reference_impl.tso import LOGICAL_BITS

__all__ = ["differences_in"]

_SLICE = 8192
_LONGEST = 19  # digits of the largest 64-bit number


def differences_in(merge: Merge, table: Any) -> Iterator[Difference]:
    """The differences in a part of the keys; `merge.counts` is complete after the last one."""
    rest: Iterator[Slim] = iter(())
    if table.num_rows:
        part = sorted_part(table, merge.sides)
        has_only_changes = numpy.add.reduceat(part.numbers("kind") != Kind.CHANGE, part.begins[:, 0]) == 0
        equal_first = _count_equal_first(merge, part, has_only_changes)
        alike = has_only_changes & (part.counts == equal_first[:, None]).all(axis=1)
        _count(merge, part, has_only_changes, alike)
        differing = _DifferingKeys(merge, part, equal_first)
        yield from differing.differences(numpy.flatnonzero(has_only_changes & ~alike))
        for number in range(len(merge.pairs)):
            _count_spellings(merge, part, number, has_only_changes[part.key_of] & ~differing.counted[number])
        rest = _slims(part, numpy.flatnonzero(~has_only_changes[part.key_of]))
    yield from merge.differences(rest)


def _count_equal_first(merge: Merge, part: KeyPart, has_only_changes: Flags) -> Integers:
    """By key, the number of first changes that are equal on all sides; 0 for a key with rows of other kinds."""
    equal_first = numpy.where(has_only_changes, part.counts.min(axis=1), 0)
    at = numpy.flatnonzero((part.numbers("side") == 0) & (part.rank < equal_first[part.key_of]))
    partners = [part.begins[part.key_of[at], side] + part.rank[at] for side in range(merge.sides)]
    operations, moved = part.codes("op"), part.numbers("moved")
    payload, same = part.take("payload", at), numpy.ones(len(at), dtype=bool)
    for other in partners[1:]:
        same &= (operations[at] == operations[other]) & (moved[at] == moved[other])
        same &= compute.equal(payload, part.take("payload", other)).to_numpy(zero_copy_only=False)
    for pair in merge.pairs:
        if pair.context.same_clock:
            times = (part.take("commit_ts", partners[number]).fill_null("") for number in (pair.a, pair.b))
            same &= compute.equal(*times).to_numpy(zero_copy_only=False)
    numpy.minimum.at(equal_first, part.key_of[at[~same]], part.rank[at[~same]])
    if not all(pair.context.same_clock for pair in merge.pairs):
        repeats = _perhaps_repeats(part)
        numpy.minimum.at(equal_first, part.key_of[repeats], part.rank[repeats])
    return equal_first


def _perhaps_repeats(part: KeyPart) -> Integers:
    """The rows that may repeat the row before them, of the same side and key.

    The rule is that of `repeated.may_repeat`.
    """
    at = numpy.flatnonzero(part.rank > 0)
    times = _times(part, at), _times(part, at - 1)
    same = at[_equal(part, "commit_ts", at)]
    for name in ("op", "moved", "payload"):
        same = same[_equal(part, name, same)]
    return numpy.concatenate((at[(times[0] >= 0) & ((times[1] < 0) | (times[0] < times[1]))], same))


def _equal(part: KeyPart, name: str, at: Integers) -> Flags:
    """Whether rows have the same value as the row before them; a missing value equals nothing."""
    found = compute.equal(part.take(name, at), part.take(name, at - 1)).fill_null(False)
    return numpy.asarray(found.to_numpy(zero_copy_only=False), dtype=bool)


def _times(part: KeyPart, at: Integers) -> Integers:
    """The times of rows in milliseconds, below 0 if unknown."""
    of_commit = compute.shift_right(part.take("commit_ts", at).cast(pyarrow.uint64()), LOGICAL_BITS)
    begins = compute.list_element(compute.split_pattern(part.take("instant", at), " ", max_splits=1), 0)
    is_time = compute.and_(compute.ascii_is_decimal(begins), compute.less(compute.binary_length(begins), _LONGEST))
    of_log = compute.if_else(is_time, begins, None).cast(pyarrow.int64())
    times: Integers = compute.coalesce(of_commit.cast(pyarrow.int64()), of_log, -1).to_numpy(zero_copy_only=False)
    return times


def _count(merge: Merge, part: KeyPart, has_only_changes: Flags, alike: Flags) -> None:
    """Count changes, and the rows that keys end with."""
    hashes = numpy.zeros(len(part.begins), dtype=numpy.uint64)
    ends = numpy.zeros(len(part.begins), dtype=bool)
    for side in range(merge.sides):
        keys = numpy.flatnonzero(has_only_changes & (part.counts[:, side] > 0))
        others = keys[~alike[keys]] if side else keys  # keys that are alike end as on the first side
        for begin in range(0, len(others), _SLICE):
            of = others[begin : begin + _SLICE]
            last = part.begins[of, side] + part.counts[of, side] - 1
            images = map(after_of, part.take("payload", last).to_pylist())
            found = [None if image is None else row_hash(image) for image in images]
            ends[of] = [one is not None for one in found]
            hashes[of] = [one or 0 for one in found]
        for table in numpy.unique(part.table_of[keys]):
            mine = keys[part.table_of[keys] == table]
            left = mine[ends[mine]]
            merge.count_changes(side, part.tables[table], int(part.counts[mine, side].sum()))
            merge.count_final_rows(side, part.tables[table], len(left), int(hashes[left].sum()))  # modulo 2**64
    for table in numpy.unique(part.table_of[alike]):
        merge.count_alike(part.tables[table], int(part.counts[alike & (part.table_of == table), 0].sum()))


class _DifferingKeys:
    """Compares the keys that are not alike.

    `counted`: by pair, which rows need no more counting of spellings.
    """

    def __init__(self, merge: Merge, part: KeyPart, equal_first: Integers) -> None:
        self._merge, self._part, self._equal_first = merge, part, equal_first
        self.counted = [numpy.zeros(len(part.order), dtype=bool) for _ in merge.pairs]

    def differences(self, keys: Integers) -> Iterator[Difference]:
        """The differences of keys. Each is compared from the last of its equal first changes on."""
        part = self._part
        skipped = numpy.maximum(self._equal_first - 1, 0)
        skipped[part.key_of[_of_message_before(part)]] = 0
        chosen = numpy.zeros(len(part.begins), dtype=bool)
        chosen[keys] = True
        at = numpy.flatnonzero(chosen[part.key_of] & (part.rank >= skipped[part.key_of]))
        rows = _slims(part, at)
        lengths = (part.counts[keys] - skipped[keys, None]).tolist()
        for key, of_sides, before in zip(keys.tolist(), lengths, skipped[keys].tolist(), strict=True):
            changes = [list(islice(rows, length)) for length in of_sides]
            for number, found in enumerate(self._merge.compared(changes, before, partial(self._first, key, before))):
                yield from found
                if found and changes[self._merge.pairs[number].b]:
                    table_id, of_key = part.tables[part.table_of[key]], next(side[0] for side in changes if side).key
                    with self._merge.guarded(self._merge.pairs[number], table_id, of_key):
                        self._count_spellings(number, key, before, changes, found)

    def _first(self, key: int, count: int, side: int) -> Iterator[Slim]:
        """The first `count` changes of a key on a side."""
        begin = int(self._part.begins[key, side])
        return _slims(self._part, numpy.arange(begin, begin + count))

    def _count_spellings(
        self, number: int, key: int, skipped: int, changes: list[list[Slim]], found: list[Difference]
    ) -> None:
        """Count the spellings of changes in which some columns differ.

        `changes`: by side, the changes of the key after the `skipped` first ones.
        """
        pair, counter = self._merge.pairs[number], self._merge.counters[number]
        rows, begin = changes[pair.a], int(self._part.begins[key, pair.a]) + skipped
        differing = differing_columns(rows, found)
        if len(differing) < len({one.left for one in found} - {None}):  # some concern skipped changes
            rows, begin = [*self._first(key, skipped, pair.a), *rows], begin - skipped
            differing = differing_columns(rows, found)
        first = changes[pair.b][0]
        schema, table, of_key = first.schema, first.table, first.key
        counted_columns = counter.columns(schema, table)
        for place, columns in differing.items():
            if columns is None or not counted_columns.isdisjoint(columns):
                self.counted[number][begin + place] = True
                row = rows[place]
                if columns is not None and (image := identifying_image(row.payload)):
                    counter.count_row((schema, table), row.op, of_key.decode(), image, columns)


def _of_message_before(part: KeyPart) -> Integers:
    """The rows with the same side, key and message as the row before them."""
    topic, partition, offset = part.codes("topic"), *map(part.numbers, ("partition", "offset"))
    same = part.rank[1:] > 0
    for column in (topic, partition, offset):
        same = same & (column[1:] == column[:-1])
    found: Integers = numpy.flatnonzero(same) + 1
    return found


def _count_spellings(merge: Merge, part: KeyPart, number: int, rows_to_count: Flags) -> None:
    """Count values that the sides spell differently, in rows of the left side of a pair.

    Keys that the right side lacks are not counted.
    """
    pair, counter = merge.pairs[number], merge.counters[number]
    has_spellings = numpy.array([bool(counter.columns(*table)) for table in part.tables])
    is_counted = has_spellings[part.table_of] & (part.counts[:, pair.b] > 0)
    at = numpy.flatnonzero(rows_to_count & is_counted[part.key_of] & (part.numbers("side") == pair.a))
    operations, keys = part.coded["op"], part.coded["key"]
    for table in numpy.unique(part.table_of[part.key_of[at]]):
        mine = at[part.table_of[part.key_of[at]] == table]
        for some in (mine[begin : begin + _SLICE] for begin in range(0, len(mine), _SLICE)):
            images = [identifying_image(payload) for payload in part.take("payload", some).to_pylist()]
            present = numpy.array([bool(image) for image in images])
            if present.any():
                rows = part.order[some[present]]
                counter.count_rows(
                    part.tables[table],
                    Rows(
                        operations.values,
                        operations.codes[rows],
                        keys.values,
                        keys.codes[rows],
                        [*filter(None, images)],
                    ),
                )


def _slims(part: KeyPart, at: Integers) -> Iterator[Slim]:
    """The slim records at positions."""
    for some in (at[begin : begin + _SLICE] for begin in range(0, len(at), _SLICE)):
        yield from map(Slim._make, part.rows(some))
