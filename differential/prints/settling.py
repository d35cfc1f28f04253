"""Compares a part of the keys by fingerprints, and counts what its keys contribute to the result.

A key is settled by fingerprints if every side has the same changes: the same operations, in the same order, on images
with the same fingerprints, and, if the sides share a clock, with the same commit time stamps. A row before a change, or
a time stamp, that a message lacks matches anything. The exact way (`Merge`) would find no difference there. `aligning`
aligns other keys by their fingerprints, with the few values needed, and so settles them as well; the rest go the exact
way.

Each of `CONTRIBUTIONS` gets the settled `KeyGroups` of a part and adds what the exact way would have counted for them,
a column at a time. Code that looks at every change in the exact way (its time, order or place) must add a function
there for settled keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy
import pyarrow
from pyarrow import compute

from differential.align.cells import Flags, Integers
from differential.align.merging import Merge, Pair
from differential.counts import SHOWN, Counts
from differential.decode.canonical import load, shown
from differential.decode.fingerprints import NO_ROW, SIZE, UNKNOWN_IMAGE
from differential.decode.slim import Kind, Slim, payload_part
from differential.model import Difference
from differential.prints.aligning import Aligner, instant_of
from differential.prints.clock_offsets import count_clock_offsets
from differential.prints.reading import KEY_IMAGE, OPS, PARTIAL_IMAGE
from differential.prints.spelling_bits import meanings_of
from differential.prints.storing import Stored, Values, others_in, prints_in
from differential.prints.ways import ComparedBy, count_compared, ways_in
from reference_impl.tso import LOGICAL_BITS

__all__ = ["CONTRIBUTIONS", "Contribution", "KeyGroups", "settle"]

_MODULUS = 2**64
_PRESENT = [OPS.index(op) for op in ("insert", "update", "upsert")]
_NO_ROW, _UNKNOWN = (numpy.frombuffer(print_, dtype=numpy.uint64) for print_ in (NO_ROW, UNKNOWN_IMAGE))


@dataclass(frozen=True, slots=True)
class KeyGroups:
    """Key groups of a part of the keys, and all rows of the part as columns, sorted by key, side and place.

    `columns` are those of `PRINTS`, with fingerprints as two numbers, and times below 0 if unknown. Three of them are
    indexes into lists that stand beside them: `spelling_bits` into `distinct_bits`, `topic` into `topics`,
    `transaction` into `transactions`. `key` is an index into `keys`; `key_number` tells keys of different tables apart.
    `row` is the number of the row in `values`.
    """

    pairs: Sequence[Pair]
    sides: int  # the number of sides
    tables: Sequence[tuple[str, str]]
    first: Integers  # by key and side, the row number of its first change
    changes: Integers  # by key and side, its number of changes
    alike: Integers  # by key and pair, the number of changes that take part in no difference
    table: Integers  # by key, the number of its table
    columns: dict[str, Any]
    keys: Any  # the distinct keys
    values: Values  # reads the images of rows from files

    def image(self, row: int, name: str) -> bytes | None:
        """The image `before` or `after` the change of a row."""
        columns = self.columns
        return self.values.image(int(columns["row"][row]), name, int(columns["side"][row]), int(columns["table"][row]))

    def cells(self, row: int, name: str) -> tuple[Sequence[str], bytes] | None:
        """The columns and the list of cells of an image; None for an image that is stored whole."""
        columns = self.columns
        return self.values.cells(int(columns["row"][row]), name, int(columns["side"][row]), int(columns["table"][row]))

    def rows(self, side: int) -> Integers:
        """The row numbers of all changes of a side."""
        return _ranges(self.first[:, side], self.changes[:, side])

    def only(self, keep: Flags) -> KeyGroups:
        """The key groups whose flag in `keep` is set."""
        kept = {name: getattr(self, name)[keep] for name in ("first", "changes", "alike", "table")}
        return replace(self, **kept)


Contribution: TypeAlias = Callable[[KeyGroups, Counts], None]


def _count_changes(groups: KeyGroups, counts: Counts) -> None:
    """Count the changes of each side, and those that are alike."""
    for number in numpy.unique(groups.table).tolist():
        table_id, mine = groups.tables[number], groups.table == number
        for side, changes in enumerate(groups.changes[mine].sum(axis=0).tolist()):
            if changes:
                counts.changes[side, *table_id] += changes
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


def _count_spellings(groups: KeyGroups, counts: Counts) -> None:
    """Count values that the sides spell differently; the smallest keys are examples."""
    distinct_bits = groups.columns["distinct_bits"]
    if not any(distinct_bits):
        return
    rank = numpy.empty(len(groups.keys), dtype=numpy.int64)
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
                    counts.count_spelled(meaning, count, _examples(groups, some, rank, meaning.column))


def _examples(groups: KeyGroups, rows: Integers, rank: Integers, column: str) -> list[list[str]]:
    """The smallest keys of rows, and their values of a column.

    `rank`: by index in `groups.keys`, the position of the key in sorted order.
    """
    if len(rows) > SHOWN:
        ranks = rank[groups.columns["key"][rows]]
        rows = rows[ranks <= numpy.partition(ranks, SHOWN - 1)[SHOWN - 1]]
    found = []
    for row in rows.tolist():
        image = groups.image(row, "after") or groups.image(row, "before")
        assert image
        value = shown(load(image)[column])
        found.append([groups.keys[int(groups.columns["key"][row])].as_py().decode(), value])
    return sorted(found)[:SHOWN]


CONTRIBUTIONS: tuple[Contribution, ...] = (_count_changes, _count_rows, _count_spellings)


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
    table, values = prints_in(places), Values(places)
    exact = Merge(pairs, sides)
    differences = list(exact.differences(ways_in(others_in(places), exact.counts)))
    if not table.num_rows:
        return differences, exact.counts
    columns, keys = _sorted_columns(table)
    starts = numpy.flatnonzero(numpy.concatenate(([True], columns["key_number"][1:] != columns["key_number"][:-1])))
    key_of = numpy.repeat(numpy.arange(len(starts)), numpy.diff(numpy.append(starts, len(table))))
    count_clock_offsets(pairs, columns, exact.counts)
    if proven:
        _separate_collisions(columns, values)
    changes = numpy.bincount(key_of * sides + columns["side"], minlength=len(starts) * sides).reshape(-1, sides)
    first = starts[:, None] + numpy.cumsum(changes, axis=1) - changes
    settled = _are_same(pairs, columns, first, changes)
    alike = numpy.repeat(changes[:, :1], len(pairs), axis=1)
    groups = KeyGroups(pairs, sides, tables, first, changes, alike, columns["table"][starts], columns, keys, values)
    count_compared(exact.counts, ComparedBy.PRINTS, int(changes[settled].sum()))
    differences += _align(groups, settled, exact.counts)
    differences += exact.differences(_slims(groups, numpy.flatnonzero(~settled)))
    if settled.any():
        for contribute in CONTRIBUTIONS:
            contribute(groups.only(settled), exact.counts)
    return differences, exact.counts


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
        if isinstance(result, ComparedBy):  # the exact way compares it
            count_compared(counts, result, sum(changes))
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
    for row in _ranges(groups.first[keys, 0], groups.changes[keys].sum(axis=1)).tolist():
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


def _sorted_columns(table: Any) -> tuple[dict[str, Any], Any]:
    """The columns and the distinct keys of `KeyGroups`, from a table of `PRINTS`."""
    table = table.combine_chunks()
    coded = table["key"].combine_chunks().dictionary_encode()
    columns = {name: table[name].to_numpy() for name in ("table", "side", "partition", "offset", "step", "op_code")}
    columns = {name: column.astype(numpy.int64) for name, column in columns.items()}
    columns |= {"group": table["group"].to_numpy(), "row": numpy.arange(len(table))}
    keys, tables = coded.indices.to_numpy().astype(numpy.int64), int(columns["table"].max()) + 1
    columns["key_number"] = keys * tables + columns["table"]
    topics = table["topic"].combine_chunks().dictionary_encode()
    names = topics.dictionary.to_pylist()
    rank = numpy.argsort(numpy.argsort(numpy.array(names, dtype=object)))
    columns["topic"] = rank[topics.indices.to_numpy()]
    transactions = table["transaction"].combine_chunks().fill_null("").dictionary_encode()
    columns["transaction"] = transactions.indices.to_numpy()
    for name in ("commit_ts", "instant"):
        columns[name] = table[name].fill_null(-1).to_numpy()
    for name in ("before", "after"):
        data = table[name].combine_chunks()
        whole = numpy.frombuffer(data.buffers()[1], dtype=numpy.uint64, count=2 * len(data), offset=SIZE * data.offset)
        columns[name] = whole.reshape(-1, 2)
    bits = table["spelling_bits"].combine_chunks().dictionary_encode()
    columns["spelling_bits"] = bits.indices.to_numpy().astype(numpy.int64)
    columns["key"] = coded.indices.to_numpy()
    places = [columns["offset"], columns["partition"], columns["topic"]]
    if columns["step"].any():
        places = [columns["step"], *places]
    order = numpy.lexsort([*places, columns["side"], columns["key_number"]])
    columns = {name: column[order] for name, column in columns.items()}
    columns |= {"topics": sorted(names), "transactions": transactions.dictionary.to_pylist()}
    columns["distinct_bits"] = [int.from_bytes(text, "little") for text in bits.dictionary.to_pylist()]
    return columns, coded.dictionary


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


def _ranges(first: Integers, lengths: Integers) -> Integers:
    """The numbers of several ranges, one after the other: first 5 and 20, lengths 2 and 3 → 5 6 20 21 22."""
    ends = numpy.cumsum(lengths)
    found: Integers = numpy.arange(ends[-1] if len(ends) else 0) + numpy.repeat(first - (ends - lengths), lengths)
    return found


def _are_same(pairs: Sequence[Pair], columns: dict[str, Any], first: Integers, changes: Integers) -> Flags:
    """Which key groups have the same changes on all sides.

    A row before a change matters only if both messages have it. `first` and `changes` are those of `KeyGroups`.
    """
    same: Flags = (changes == changes[:, :1]).all(axis=1)
    keys = numpy.flatnonzero(same)
    lengths = changes[keys, 0]
    rows = [_ranges(first[keys, side], lengths) for side in range(changes.shape[1])]
    equal = numpy.ones(len(rows[0]), dtype=bool)
    op_code, is_key = columns["op_code"] % PARTIAL_IMAGE, columns["op_code"] >= KEY_IMAGE
    is_upsert, is_present = op_code == OPS.index("upsert"), numpy.isin(op_code, _PRESENT)
    has_before = (columns["before"] != _NO_ROW).any(axis=1)
    matches_any = (columns["before"] == _UNKNOWN).all(axis=1) | is_key
    for other in rows[1:]:
        equal &= (columns["after"][rows[0]] == columns["after"][other]).all(axis=1)
    for pair in pairs:
        a, b = rows[pair.a], rows[pair.b]
        equal &= (op_code[a] == op_code[b]) | (is_upsert[a] & is_present[b]) | (is_upsert[b] & is_present[a])
        same_before = (columns["before"][a] == columns["before"][b]).all(axis=1)
        equal &= (
            same_before
            | (matches_any[a] & (has_before[b] | is_upsert[a]))
            | (matches_any[b] & (has_before[a] | is_upsert[b]))
        )
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
    times = numpy.where(columns["commit_ts"] >= 0, columns["commit_ts"] >> LOGICAL_BITS, columns["instant"])
    is_next = (columns["key_number"][1:] == columns["key_number"][:-1]) & (columns["side"][1:] == columns["side"][:-1])
    is_older = (times[1:] >= 0) & ((times[:-1] < 0) | (times[1:] < times[:-1]))
    is_same = columns["commit_ts"][1:] >= 0
    for name in ("commit_ts", "op_code"):
        is_same &= columns[name][1:] == columns[name][:-1]
    for name in ("before", "after"):
        is_same &= (columns[name][1:] == columns[name][:-1]).all(axis=1)
    found: Integers = numpy.flatnonzero(is_next & (is_older | is_same)) + 1
    return found
