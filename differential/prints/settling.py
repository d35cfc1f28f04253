"""Settles keys by the fingerprints of their changes, and counts what they contribute to the result.

A key is settled if every side has the same changes: the same operations, in the same order, on images with the same
fingerprints, and, if the sides share a clock, with the same commit time stamps. A row before a change, or a time stamp,
that a message lacks agrees with everything. The exact way (`Merge`) would find no difference there. `aligning` aligns
other keys by their fingerprints, with the few values needed, and so settles them as well; the rest go the exact way.

Each of `CONTRIBUTIONS` gets the `Settled` keys of a part and adds what the exact way would have counted for them, a
column at a time. Code that looks at every change in the exact way (its time, order or place) must add a function there
for settled keys.
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
from differential.prints.clocking import count_clocks
from differential.prints.marks import named_of
from differential.prints.reading import KEY_IMAGE, OPS, PARTIAL_IMAGE
from differential.prints.storing import Stored, Values, others_in, prints_in
from differential.prints.ways import ComparedBy, count_compared, ways_in
from reference_impl.tso import LOGICAL_BITS

__all__ = ["CONTRIBUTIONS", "Contribution", "Settled", "settle"]

_MODULUS = 2**64
_PRESENT = [OPS.index(op) for op in ("insert", "update", "upsert")]
_NO_ROW, _UNKNOWN = (numpy.frombuffer(print_, dtype=numpy.uint64) for print_ in (NO_ROW, UNKNOWN_IMAGE))


@dataclass(frozen=True, slots=True)
class Settled:
    """The settled keys of a part, and all rows of the part as columns, sorted by key, side and place.

    `columns` are those of `PRINTS`, with fingerprints as two numbers, and times below 0 if unknown. Three of them are
    indexes into lists in `columns`: `marks` into `marks of`, `topic` into `topic of`, `transaction` into `transaction
    of`; `key` is an index into `names`. `key number` numbers each key with its table, from 0.
    """

    pairs: Sequence[Pair]
    sides: int  # the number of sides
    tables: Sequence[tuple[str, str]]
    first: Integers  # by key and side, the row number of its first change
    changes: Integers  # by key and side, its number of changes
    alike: Integers  # by key and pair, the number of changes that take part in no difference
    table: Integers  # by key, the number of its table
    columns: dict[str, Any]
    names: Any  # the distinct keys
    values: Values  # reads the images of rows

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

    def only(self, keep: Flags) -> Settled:
        """The keys whose flag in `keep` is set."""
        kept = {name: getattr(self, name)[keep] for name in ("first", "changes", "alike", "table")}
        return replace(self, **kept)


Contribution: TypeAlias = Callable[[Settled, Counts], None]


def _count_changes(keys: Settled, counts: Counts) -> None:
    """Count the changes of each side, and those that are alike."""
    for number in numpy.unique(keys.table).tolist():
        where, mine = keys.tables[number], keys.table == number
        for side, changes in enumerate(keys.changes[mine].sum(axis=0).tolist()):
            if changes:
                counts.changes[side, *where] += changes
        for pair, alike in zip(keys.pairs, keys.alike[mine].sum(axis=0).tolist(), strict=True):
            counts.alike[pair.context.pair, *where] += alike


def _count_rows(keys: Settled, counts: Counts) -> None:
    """Count the rows that keys end with, and add to their checksum."""
    for side in range(keys.sides):
        some = numpy.flatnonzero(keys.changes[:, side])
        after = keys.columns["after"][keys.first[some, side] + keys.changes[some, side] - 1]
        ends = after.any(axis=1)
        for number in numpy.unique(keys.table[some]).tolist():
            mine = ends & (keys.table[some] == number)
            if rows := int(mine.sum()):
                table = (side, *keys.tables[number])
                counts.rows[table] += rows
                counts.checksum[table] = (
                    counts.checksum[table] + int(after[mine, 0].sum(dtype=numpy.uint64))
                ) % _MODULUS


def _count_marks(keys: Settled, counts: Counts) -> None:
    """Count values that the sides spell differently; the smallest keys are examples."""
    masks = keys.columns["marks of"]
    if not any(masks):
        return
    rank = numpy.empty(len(keys.names), dtype=numpy.int64)
    rank[compute.sort_indices(keys.names).to_numpy()] = numpy.arange(len(rank))
    for side in range(keys.sides):
        rows = keys.rows(side)
        tables, marks = keys.columns["table"][rows], keys.columns["marks"][rows]
        for table in numpy.unique(tables).tolist():
            mine = tables == table
            of_table, of_marks = rows[mine], marks[mine]
            different, times = numpy.unique(of_marks, return_counts=True)
            for bit, named in enumerate(named_of(keys.pairs, side, keys.tables[table])):
                has_bit = [bool(masks[place] >> bit & 1) for place in different.tolist()]
                if count := int(times[has_bit].sum()):
                    some = of_table if all(has_bit) else of_table[numpy.isin(of_marks, different[has_bit])]
                    counts.name(named, count, _examples(keys, some, rank, named[3]))


def _examples(keys: Settled, rows: Integers, rank: Integers, column: str) -> list[list[str]]:
    """The smallest keys of rows, and their values of a column."""
    if len(rows) > SHOWN:
        ranks = rank[keys.columns["key"][rows]]
        rows = rows[ranks <= numpy.partition(ranks, SHOWN - 1)[SHOWN - 1]]
    found = []
    for row in rows.tolist():
        image = keys.image(row, "after") or keys.image(row, "before")
        assert image
        value = shown(load(image)[column])
        found.append([keys.names[int(keys.columns["key"][row])].as_py().decode(), value])
    return sorted(found)[:SHOWN]


CONTRIBUTIONS: tuple[Contribution, ...] = (_count_changes, _count_rows, _count_marks)


def settle(
    pairs: Sequence[Pair],
    sides: int,
    tables: Sequence[tuple[str, str]],
    places: Sequence[Stored],
    *,
    proven: bool = False,
) -> tuple[list[Difference], Counts]:
    """The differences in a part of the keys, and the counts of the part.

    With `proven` every value is read, and different images with one fingerprint (a collision) are distinguished.
    """
    table, values = prints_in(places), Values(places)
    exact = Merge(pairs, sides)
    differences = list(exact.differences(ways_in(others_in(places), exact.counts)))
    if not table.num_rows:
        return differences, exact.counts
    columns, names = _in_order(table)
    starts = numpy.flatnonzero(numpy.concatenate(([True], columns["key number"][1:] != columns["key number"][:-1])))
    key_of = numpy.repeat(numpy.arange(len(starts)), numpy.diff(numpy.append(starts, len(table))))
    count_clocks(pairs, columns, exact.counts)
    if proven:
        _separate_collisions(columns, values)
    each = numpy.bincount(key_of * sides + columns["side"], minlength=len(starts) * sides).reshape(-1, sides)
    firsts = starts[:, None] + numpy.cumsum(each, axis=1) - each
    settled = _are_same(pairs, columns, firsts, each)
    alike = numpy.repeat(each[:, :1], len(pairs), axis=1)
    found = Settled(pairs, sides, tables, firsts, each, alike, columns["table"][starts], columns, names, values)
    count_compared(exact.counts, ComparedBy.PRINTS, int(each[settled].sum()))
    differences += _aligned(found, settled, exact.counts)
    differences += exact.differences(_slims(found, numpy.flatnonzero(~settled)))
    if settled.any():
        for contribute in CONTRIBUTIONS:
            contribute(found.only(settled), exact.counts)
    return differences, exact.counts


def _aligned(found: Settled, settled: Flags, counts: Counts) -> list[Difference]:
    """The differences of keys that are aligned by their fingerprints, which settles them."""
    if settled.all():
        return []
    align = Aligner(found.pairs, found.tables, found.columns, found.image, found.cells)
    keys = numpy.flatnonzero(~settled)
    texts = found.names.take(pyarrow.array(found.columns["key"][found.first[keys, 0]])).to_pylist()
    differences: list[Difference] = []
    for key, text in zip(keys.tolist(), texts, strict=True):
        firsts, each = found.first[key].tolist(), found.changes[key].tolist()
        result = align(text, int(found.table[key]), firsts, each)
        count_compared(counts, result if isinstance(result, ComparedBy) else result.way, sum(each))
        if isinstance(result, ComparedBy):
            continue
        differences += result.differences
        found.alike[key] = result.alike
        settled[key] = True
        _clear_marks(found, key, result.columns)
    return differences


def _slims(found: Settled, keys: Integers) -> Iterator[Slim]:
    """The slim records of all changes of keys, in order."""
    columns = found.columns
    for row in _ranges(found.first[keys, 0], found.changes[keys].sum(axis=1)).tolist():
        schema, table = found.tables[columns["table"][row]]
        moved, op = divmod(int(columns["op_code"][row]) % PARTIAL_IMAGE, len(OPS))
        stamp, instant = int(columns["commit_ts"][row]), int(columns["instant"][row])
        yield Slim(
            int(columns["group"][row]),
            schema,
            table,
            found.names[int(columns["key"][row])].as_py(),
            int(columns["side"][row]),
            columns["topic of"][columns["topic"][row]],
            int(columns["partition"][row]),
            int(columns["offset"][row]),
            int(columns["step"][row]),
            Kind.CHANGE,
            OPS[op],
            bool(moved),
            None if stamp < 0 else str(stamp),
            instant_of(instant, columns["transaction of"][columns["transaction"][row]]),
            payload_part(found.image(row, "before")) + b"\n" + payload_part(found.image(row, "after")),
        )


def _clear_marks(found: Settled, key: int, columns: Sequence[Mapping[int, frozenset[str] | None]]) -> None:
    """Clear the marks of a key's values that differ between the sides of a pair."""
    for pair, differing in zip(found.pairs, columns, strict=True):
        rows = differing if found.changes[key, pair.b] else range(found.changes[key, pair.a])
        if not rows:
            continue
        bits = [
            (1 << bit, named[3])
            for bit, named in enumerate(named_of(found.pairs, pair.a, found.tables[found.table[key]]))
            if named[0] == pair.context.pair
        ]
        for row in rows:
            differs_in = differing.get(row)
            mask = sum(bit for bit, column in bits if differs_in is None or column in differs_in)
            _clear_bits(found.columns, found.first[key, pair.a] + row, mask)


def _clear_bits(columns: dict[str, Any], at: int, without: int) -> None:
    """Clear some marks of a row."""
    marks, known = columns["marks"], columns["marks of"]
    left = known[marks[at]] & ~without
    if left != known[marks[at]]:
        if left not in known:
            known.append(left)
        marks[at] = known.index(left)


def _in_order(table: Any) -> tuple[dict[str, Any], Any]:
    """The sorted columns, with `key number`, and the distinct keys."""
    table = table.combine_chunks()
    coded = table["key"].combine_chunks().dictionary_encode()
    columns = {name: table[name].to_numpy() for name in ("table", "side", "partition", "offset", "step", "op_code")}
    columns = {name: column.astype(numpy.int64) for name, column in columns.items()}
    columns |= {"group": table["group"].to_numpy(), "row": numpy.arange(len(table))}
    keys, tables = coded.indices.to_numpy().astype(numpy.int64), int(columns["table"].max()) + 1
    columns["key number"] = keys * tables + columns["table"]
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
    marks = table["marks"].combine_chunks().dictionary_encode()
    columns["marks"] = marks.indices.to_numpy().astype(numpy.int64)
    columns["key"] = coded.indices.to_numpy()
    places = [columns["offset"], columns["partition"], columns["topic"]]
    if columns["step"].any():
        places = [columns["step"], *places]
    order = numpy.lexsort([*places, columns["side"], columns["key number"]])
    columns = {name: column[order] for name, column in columns.items()}
    columns |= {"topic of": sorted(names), "transaction of": transactions.dictionary.to_pylist()}
    columns["marks of"] = [int.from_bytes(bits, "little") for bits in marks.dictionary.to_pylist()]
    return columns, coded.dictionary


def _separate_collisions(columns: dict[str, Any], values: Values) -> None:
    """Change equal fingerprints of different images in their second halves.

    Checksums use the first halves.
    """
    known: dict[tuple[int, int], dict[bytes | None, int]] = {}
    places = list(zip(*(columns[name].tolist() for name in ("row", "side", "table")), strict=True))
    for name in ("before", "after"):
        prints = columns[name].copy()
        for at, (print_, (row, side, table)) in enumerate(zip(prints.tolist(), places, strict=True)):
            images = known.setdefault(tuple(print_), {})
            prints[at, 1] += images.setdefault(values.image(row, name, side, table), len(images))
        columns[name] = prints


def _ranges(first: Integers, lengths: Integers) -> Integers:
    """The numbers of several ranges, one after the other."""
    ends = numpy.cumsum(lengths)
    found: Integers = numpy.arange(ends[-1] if len(ends) else 0) + numpy.repeat(first - (ends - lengths), lengths)
    return found


def _are_same(pairs: Sequence[Pair], columns: dict[str, Any], firsts: Integers, each: Integers) -> Flags:
    """Which keys have the same changes on all sides.

    A row before a change matters only if both messages have it.
    """
    same: Flags = (each == each[:, :1]).all(axis=1)
    keys = numpy.flatnonzero(same)
    lengths = each[keys, 0]
    rows = [_ranges(firsts[keys, side], lengths) for side in range(each.shape[1])]
    equal = numpy.ones(len(rows[0]), dtype=bool)
    op_code, is_key = columns["op_code"] % PARTIAL_IMAGE, columns["op_code"] >= KEY_IMAGE
    is_upsert, is_present = op_code == OPS.index("upsert"), numpy.isin(op_code, _PRESENT)
    there = (columns["before"] != _NO_ROW).any(axis=1)
    is_open = (columns["before"] == _UNKNOWN).all(axis=1) | is_key
    for other in rows[1:]:
        equal &= (columns["after"][rows[0]] == columns["after"][other]).all(axis=1)
    for pair in pairs:
        a, b = rows[pair.a], rows[pair.b]
        equal &= (op_code[a] == op_code[b]) | (is_upsert[a] & is_present[b]) | (is_upsert[b] & is_present[a])
        same_before = (columns["before"][a] == columns["before"][b]).all(axis=1)
        equal &= same_before | (is_open[a] & (there[b] | is_upsert[a])) | (is_open[b] & (there[a] | is_upsert[b]))
        if pair.context.same_clock:
            times = columns["commit_ts"][a], columns["commit_ts"][b]
            equal &= (times[0] == times[1]) | (numpy.minimum(*times) < 0)
    unlike = numpy.repeat(keys, lengths)[~equal]
    same[unlike] = False
    if not all(pair.context.same_clock for pair in pairs):
        same[numpy.searchsorted(firsts[:, 0], _perhaps_repeats(columns), side="right") - 1] = False
    return same


def _perhaps_repeats(columns: dict[str, Any]) -> Integers:
    """The rows that may repeat the row before them, of the same side and key.

    The rule is that of `repeated.may_repeat`.
    """
    times = numpy.where(columns["commit_ts"] >= 0, columns["commit_ts"] >> LOGICAL_BITS, columns["instant"])
    is_next = (columns["key number"][1:] == columns["key number"][:-1]) & (columns["side"][1:] == columns["side"][:-1])
    is_older = (times[1:] >= 0) & ((times[:-1] < 0) | (times[1:] < times[:-1]))
    is_same = columns["commit_ts"][1:] >= 0
    for name in ("commit_ts", "op_code"):
        is_same &= columns[name][1:] == columns[name][:-1]
    for name in ("before", "after"):
        is_same &= (columns[name][1:] == columns[name][:-1]).all(axis=1)
    found: Integers = numpy.flatnonzero(is_next & (is_older | is_same)) + 1
    return found
