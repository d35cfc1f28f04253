"""Compares a part of the keys by fingerprints, and counts what its keys contribute to the result.

`settle` compares all keys of the part. `settle_prints` needs no values: it leaves out the keys whose values are needed,
which `settle` compares when their values have come.

A key is settled by fingerprints if every side has the same changes: the same operations, in the same order, on images
with the same fingerprints, and, if the sides share a clock, with the same commit time stamps. A row before a change, or
a time stamp, that a message lacks matches anything. The exact way (`Merge`) would find no difference there. `aligning`
aligns other keys by their fingerprints, with the few values needed, and so settles them as well; the rest go the exact
way.

`_count` adds what the exact way would have counted for settled keys, a column at a time. Code that looks at every
change in the exact way (its time, order or place) must do the same there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy
import pyarrow
from pyarrow import compute

from differential.align.merging import Merge
from differential.align.pairs import Pair
from differential.align.spellings import meanings_of
from differential.checks.clocks import ranges
from differential.counts import SHOWN, Counts, SpelledColumn
from differential.decode.canonical import load, shown
from differential.decode.fingerprints import UNKNOWN_IMAGE
from differential.decode.slim import Kind, Slim, payload_part
from differential.model import Difference
from differential.prints.aligning import Aligner, instant_of
from differential.prints.clock_offsets import count_clock_offsets
from differential.prints.key_groups import Flags, Integers, KeyGroups, key_groups, ms_of_rows
from differential.prints.layout import KEY_IMAGE, OPS, PARTIAL_IMAGE
from differential.prints.storing import Stored, Values, others_in
from differential.prints.ways import ComparedBy, count_compared, ways_in

__all__ = ["settle", "settle_prints"]

_MODULUS = 2**64
_PRESENT = [OPS.index(op) for op in ("insert", "update", "upsert")]
_UNKNOWN = numpy.frombuffer(UNKNOWN_IMAGE, dtype=numpy.uint64)


def _count(groups: KeyGroups, counts: Counts, *, with_examples: bool = True) -> None:
    """Count what key groups contribute to the result, without examples if their values cannot be read."""
    _count_changes(groups, counts)
    _count_rows(groups, counts)
    for meaning, count, rows in _spelled(groups):
        counts.count_spelled(meaning, count, _examples(groups, rows, meaning.column) if with_examples else [])


def _count_changes(groups: KeyGroups, counts: Counts) -> None:
    """Count the changes of each side, by their operation too, and those that are alike."""
    ops = groups.columns["op_code"] % PARTIAL_IMAGE % len(OPS)
    for number in numpy.unique(groups.table).tolist():
        table_id, mine = groups.tables[number], groups.table == number
        for side, changes in enumerate(groups.changes[mine].sum(axis=0).tolist()):
            if changes:
                counts.changes[side, *table_id] += changes
                of_table = ops[ranges(groups.first[mine, side], groups.changes[mine, side])]
                for op, count in zip(OPS, numpy.bincount(of_table, minlength=len(OPS)).tolist(), strict=True):
                    counts.ops[side, *table_id, op] += count
        for pair, alike in zip(groups.pairs, groups.alike[mine].sum(axis=0).tolist(), strict=True):
            counts.alike[pair.context.pair, *table_id] += alike


def _count_rows(groups: KeyGroups, counts: Counts) -> None:
    """Count the final rows, and add them to the checksum of their table."""
    for side in range(groups.sides):
        some = numpy.flatnonzero(groups.changes[:, side])
        after = groups.columns["after"][groups.first[some, side] + groups.changes[some, side] - 1]
        ends = after.any(axis=1)
        for number in numpy.unique(groups.table[some]).tolist():
            mine = ends & (groups.table[some] == number)
            if rows := int(mine.sum()):
                table = (side, *groups.tables[number])
                counts.rows[table] += rows
                counts.checksum[table] = (
                    counts.checksum[table] + int(after[mine, 0].sum(dtype=numpy.uint64))
                ) % _MODULUS


def _spelled(groups: KeyGroups) -> Iterator[tuple[SpelledColumn, int, Integers]]:
    """The values that the sides spell differently: their column, their number, and the rows with the smallest keys."""
    distinct_bits = groups.columns["distinct_bits"]
    if not any(distinct_bits):
        return
    rank = numpy.empty(len(groups.keys), dtype=numpy.int64)  # by index in `groups.keys`, its place in sorted order
    rank[compute.sort_indices(groups.keys).to_numpy()] = numpy.arange(len(rank))
    for side in range(groups.sides):
        rows = groups.rows(side)
        tables, bits = groups.columns["table"][rows], groups.columns["spelling_bits"][rows]
        for table in numpy.unique(tables).tolist():
            mine = tables == table
            of_table, bits_of_rows = rows[mine], bits[mine]
            different, times = numpy.unique(bits_of_rows, return_counts=True)
            for bit, meaning in enumerate(meanings_of(groups.pairs, side, groups.tables[table])):
                has_bit = [bool(distinct_bits[number] >> bit & 1) for number in different.tolist()]
                if count := int(times[has_bit].sum()):
                    some = of_table if all(has_bit) else of_table[numpy.isin(bits_of_rows, different[has_bit])]
                    if len(some) > SHOWN:
                        ranks = rank[groups.columns["key"][some]]
                        some = some[ranks <= numpy.partition(ranks, SHOWN - 1)[SHOWN - 1]]
                    yield meaning, count, some


def _examples(groups: KeyGroups, rows: Integers, column: str) -> list[list[str]]:
    """The smallest keys of rows, and their values of a column."""
    found = []
    for row in rows.tolist():
        image = groups.image(row, "after") or groups.image(row, "before")
        assert image
        value = shown(load(image)[column])
        found.append([groups.keys[int(groups.columns["key"][row])].as_py().decode(), value])
    return sorted(found)[:SHOWN]


def settle(
    pairs: Sequence[Pair],
    sides: int,
    tables: Sequence[tuple[str, str]],
    places: Sequence[Stored],
    *,
    proven: bool = False,
) -> tuple[list[Difference], Counts]:
    """The differences in a part of the keys, and the counts of the part.

    `places` are those of the part's blocks in files. With `proven` every value is read, so that
    images which differ but have the same fingerprint (a collision) are found.
    """
    exact = Merge(pairs, sides)
    differences = list(exact.differences(ways_in(others_in(places), exact.counts)))
    groups = key_groups(pairs, sides, tables, places)
    if groups is None:
        return differences, exact.counts
    count_clock_offsets(pairs, groups.columns, exact.counts)
    if proven:
        _separate_collisions(groups.columns, groups.values)
    settled = _are_same(groups)
    count_compared(exact.counts, ComparedBy.PRINTS, int(groups.changes[settled].sum()))
    differences += _align(groups, settled, exact.counts)
    differences += exact.differences(_slims(groups, numpy.flatnonzero(~settled)))
    if settled.any():
        _count(groups.only(settled), exact.counts)
    return differences, exact.counts


def settle_prints(
    pairs: Sequence[Pair], sides: int, tables: Sequence[tuple[str, str]], places: Sequence[Stored]
) -> tuple[list[Difference], Counts, Integers]:
    """As `settle`, without values: the third result are the groups (`PRINTS`) of all keys that are left out.

    These keys may differ, or their values are examples. `settle` must compare them: the sum of both counts is that of
    the whole part.
    """
    exact = Merge(pairs, sides)
    differences = list(exact.differences(ways_in(others_in(places), exact.counts)))
    groups = key_groups(pairs, sides, tables, places)
    if groups is None:
        return differences, exact.counts, numpy.zeros(0, dtype=numpy.int64)
    same = _are_same(groups)
    left_out = ~same
    for _, _, rows in _spelled(groups.only(same)):
        left_out[numpy.searchsorted(groups.first[:, 0], rows, side="right") - 1] = True
    group = groups.columns["group"][groups.first[:, 0]]
    needed = numpy.unique(group[left_out])
    settled = ~numpy.isin(group, needed)  # several keys may share a group
    if settled.any():
        rest = groups.only(settled)
        count_clock_offsets(pairs, rest.columns_of_rows(), exact.counts)
        count_compared(exact.counts, ComparedBy.PRINTS, int(rest.changes.sum()))
        _count(rest, exact.counts, with_examples=False)
    return differences, exact.counts, needed


def _align(groups: KeyGroups, settled: Flags, counts: Counts) -> list[Difference]:
    """Align the other key groups by their fingerprints, and return their differences.

    A group that can be aligned so is settled: its flag in `settled` and its number in `groups.alike` are set.
    """
    if settled.all():
        return []
    align = Aligner(groups.pairs, groups.tables, groups.columns, groups.image, groups.cells)
    keys = numpy.flatnonzero(~settled)
    texts = groups.keys.take(pyarrow.array(groups.columns["key"][groups.first[keys, 0]])).to_pylist()
    differences: list[Difference] = []
    for key, text in zip(keys.tolist(), texts, strict=True):
        changes = groups.changes[key].tolist()
        result = align(text, int(groups.table[key]), groups.first[key].tolist(), changes)
        if result is None:  # the exact way compares it
            count_compared(counts, ComparedBy.FAILED, sum(changes))
            continue
        count_compared(counts, result.way, sum(changes))
        differences += result.differences
        groups.alike[key] = result.alike
        settled[key] = True
        _clear_bits_of_differing(groups, key, result.columns)
    return differences


def _slims(groups: KeyGroups, keys: Integers) -> Iterator[Slim]:
    """The slim records of all changes of some key groups, in order."""
    columns = groups.columns
    for row in ranges(groups.first[keys, 0], groups.changes[keys].sum(axis=1)).tolist():
        schema, table = groups.tables[columns["table"][row]]
        moved, op = divmod(int(columns["op_code"][row]) % PARTIAL_IMAGE, len(OPS))
        stamp, instant = int(columns["commit_ts"][row]), int(columns["instant"][row])
        yield Slim(
            int(columns["group"][row]),
            schema,
            table,
            groups.keys[int(columns["key"][row])].as_py(),
            int(columns["side"][row]),
            columns["topics"][columns["topic"][row]],
            int(columns["partition"][row]),
            int(columns["offset"][row]),
            int(columns["step"][row]),
            Kind.CHANGE,
            OPS[op],
            bool(moved),
            None if stamp < 0 else str(stamp),
            instant_of(instant, columns["transactions"][columns["transaction"][row]]),
            payload_part(groups.image(row, "before")) + b"\n" + payload_part(groups.image(row, "after")),
        )


def _clear_bits_of_differing(
    groups: KeyGroups, key: int, columns: Sequence[Mapping[int, frozenset[str] | None]]
) -> None:
    """Clear the spelling bits of values that differ between the sides of a pair: only common values are counted.

    `columns` are those of `Aligned`.
    """
    for pair, differing in zip(groups.pairs, columns, strict=True):
        # If the right side lacks the key, no value is common.
        rows = differing if groups.changes[key, pair.b] else range(groups.changes[key, pair.a])
        if not rows:
            continue
        bits = [
            (1 << bit, meaning.column)
            for bit, meaning in enumerate(meanings_of(groups.pairs, pair.a, groups.tables[groups.table[key]]))
            if meaning.pair == pair.context.pair
        ]
        for row in rows:
            differs_in = differing.get(row)  # None: the other side lacks the change
            mask = sum(bit for bit, column in bits if differs_in is None or column in differs_in)
            _clear_bits(groups.columns, groups.first[key, pair.a] + row, mask)


def _clear_bits(columns: dict[str, Any], row: int, mask: int) -> None:
    """Clear the spelling bits of a row that are set in a mask."""
    index, distinct = columns["spelling_bits"], columns["distinct_bits"]
    left = distinct[index[row]] & ~mask
    if left != distinct[index[row]]:
        if left not in distinct:
            distinct.append(left)
        index[row] = distinct.index(left)


def _separate_collisions(columns: dict[str, Any], values: Values) -> None:
    """Make the fingerprints of different images different, by their second halves; checksums use the first ones."""
    known: dict[tuple[int, int], dict[bytes | None, int]] = {}
    places = list(zip(*(columns[name].tolist() for name in ("row", "side", "table")), strict=True))
    for name in ("before", "after"):
        prints = columns[name].copy()
        for at, (print_, (row, side, table)) in enumerate(zip(prints.tolist(), places, strict=True)):
            images = known.setdefault(tuple(print_), {})
            prints[at, 1] += images.setdefault(values.image(row, name, side, table), len(images))
        columns[name] = prints


def _are_same(groups: KeyGroups) -> Flags:
    """Which key groups have the same changes on all sides.

    A row before a change matters only if both messages have it.
    """
    pairs, columns, first, changes = groups.pairs, groups.columns, groups.first, groups.changes
    same: Flags = (changes == changes[:, :1]).all(axis=1)
    keys = numpy.flatnonzero(same)
    lengths = changes[keys, 0]
    rows = [ranges(first[keys, side], lengths) for side in range(changes.shape[1])]
    equal = numpy.ones(len(rows[0]), dtype=bool)
    op_code, is_key = columns["op_code"] % PARTIAL_IMAGE, columns["op_code"] >= KEY_IMAGE
    is_upsert, is_present = op_code == OPS.index("upsert"), numpy.isin(op_code, _PRESENT)
    matches_any = (columns["before"] == _UNKNOWN).all(axis=1) | is_key
    for other in rows[1:]:
        equal &= (columns["after"][rows[0]] == columns["after"][other]).all(axis=1)
    for pair in pairs:
        a, b = rows[pair.a], rows[pair.b]
        equal &= (op_code[a] == op_code[b]) | (is_upsert[a] & is_present[b]) | (is_upsert[b] & is_present[a])
        # The operations already say whether there was a row before.
        equal &= matches_any[a] | matches_any[b] | (columns["before"][a] == columns["before"][b]).all(axis=1)
        if pair.context.same_clock:
            times = columns["commit_ts"][a], columns["commit_ts"][b]
            equal &= (times[0] == times[1]) | (numpy.minimum(*times) < 0)
    unlike = numpy.repeat(keys, lengths)[~equal]
    same[unlike] = False
    if not all(pair.context.same_clock for pair in pairs):
        same[numpy.searchsorted(first[:, 0], _perhaps_repeats(columns), side="right") - 1] = False
    return same


def _perhaps_repeats(columns: dict[str, Any]) -> Integers:
    """The rows that may repeat the row before them, of the same side and key.

    The rule is that of `repeated.may_repeat`.
    """
    times = ms_of_rows(columns)
    is_next = (columns["key_number"][1:] == columns["key_number"][:-1]) & (columns["side"][1:] == columns["side"][:-1])
    is_older = (times[1:] >= 0) & ((times[:-1] < 0) | (times[1:] < times[:-1]))
    is_same = (columns["commit_ts"][1:] >= 0) & (columns["commit_ts"][1:] == columns["commit_ts"][:-1])
    for name in ("before", "after"):
        is_same &= (columns[name][1:] == columns[name][:-1]).all(axis=1)
    found: Integers = numpy.flatnonzero(is_next & (is_older | is_same)) + 1
    return found
