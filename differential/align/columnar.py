"""The merge of one part, column by column: what is alike is counted without a Python object a row.

A part is a table of slim records in any order, with all changes of each of its keys. Keys that are alike on all sides
are found by comparing columns; the rows of all others, in the order that `Merge` needs, go through it one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy
import pyarrow
from numpy.typing import NDArray
from pyarrow import compute

from differential.align.merging import Merge
from differential.decode.slim import Kind, after_of, shown_of
from differential.model import Difference

__all__ = ["differences_in"]

_Integers: TypeAlias = NDArray[numpy.int64]
_SLICE = 8192
_OFFSETS_END = 2**31 - 1  # more bytes than this need wide offsets


def _coded(column: Any) -> tuple[_Integers, list[Any]]:
    """Small numbers for the values of a column, and the values by their numbers."""
    encoded = column.dictionary_encode()
    return encoded.indices.to_numpy().astype(numpy.int64), encoded.dictionary.to_pylist()


def _whole(column: Any) -> Any:
    """A column as one array."""
    if column.nbytes > _OFFSETS_END and pyarrow.types.is_binary(column.type):
        column = column.cast(pyarrow.large_binary())
    return column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column


@dataclass(slots=True)
class _Part:
    """Rows in order: by key, then by side, then by place. `starts` and `lengths` are of keys, `of` is of rows."""

    columns: dict[str, Any]
    order: _Integers
    starts: _Integers
    lengths: _Integers
    of: _Integers  # number of the key
    where: _Integers  # number of the table
    tables: list[tuple[str, str]]

    def numbers(self, name: str) -> _Integers:
        """A column of numbers, in order."""
        found: _Integers = self.columns[name].to_numpy(zero_copy_only=False)[self.order]
        return found

    def take(self, name: str, at: _Integers) -> Any:
        """The values at places of the order."""
        return self.columns[name].take(pyarrow.array(self.order[at]))


def _in_order(table: Any) -> _Part:
    columns = {name: _whole(table[name]) for name in table.column_names}
    schemas, tables, keys = (_coded(columns[name]) for name in ("schema", "table", "key"))
    topics, names = _coded(columns["topic"])
    rank = numpy.empty(len(names), dtype=numpy.int64)
    rank[sorted(range(len(names)), key=names.__getitem__)] = numpy.arange(len(names))
    where = schemas[0] * len(tables[1]) + tables[0]
    key = where * len(keys[1]) + keys[0]
    side, partition, offset, step = (
        columns[name].to_numpy().astype(numpy.int64) for name in ("side", "partition", "offset", "step")
    )
    places = [step, offset] if step.any() else [offset]
    order = numpy.lexsort([*places, partition, side * len(names) + rank[topics], key])
    key = key[order]
    starts = numpy.flatnonzero(numpy.concatenate(([True], key[1:] != key[:-1])))
    lengths = numpy.diff(numpy.append(starts, len(key)))
    of = numpy.repeat(numpy.arange(len(starts)), lengths)
    known = [(schema, table) for schema in schemas[1] for table in tables[1]]
    return _Part(columns, order, starts, lengths, of, where[order], known)


def _alike(merge: Merge, part: _Part) -> tuple[NDArray[numpy.bool_], _Integers]:
    """Which keys have the same changes on all sides, and the places of their changes on the first side."""
    side = part.numbers("side")
    first = numpy.add.reduceat(side == 0, part.starts)
    alike = numpy.add.reduceat(part.numbers("kind") != Kind.CHANGE, part.starts) == 0
    for number in range(1, merge.sides):
        alike &= numpy.add.reduceat(side == number, part.starts) == first
    at = numpy.flatnonzero((side == 0) & alike[part.of])
    operations = _coded(part.columns["op"])[0][part.order]
    moved = part.numbers("moved")
    ahead = first[part.of[at]]
    payload, same = part.take("payload", at), numpy.ones(len(at), dtype=bool)
    for number in range(1, merge.sides):
        other = at + number * ahead
        same &= (operations[at] == operations[other]) & (moved[at] == moved[other])
        same &= compute.equal(payload, part.take("payload", other)).to_numpy(zero_copy_only=False)
    for a, b in merge.of_one_clock():
        times = (part.take("commit_ts", at + number * ahead).fill_null("") for number in (a, b))
        same &= compute.equal(*times).to_numpy(zero_copy_only=False)
    alike[part.of[at[~same]]] = False
    return alike, at[alike[part.of[at]]]


def _count(merge: Merge, part: _Part, at: _Integers) -> None:
    """Count changes that are alike, by their places on the first side."""
    changes = numpy.bincount(part.where[at], minlength=len(part.tables))
    for where in numpy.flatnonzero(changes):
        merge.same(part.tables[where], int(changes[where]))
    last = at[numpy.append(part.of[at[1:]] != part.of[at[:-1]], True)] if len(at) else at
    for of in (last[begin : begin + _SLICE] for begin in range(0, len(last), _SLICE)):
        rows = zip(
            part.where[of].tolist(), *(part.take(name, of).to_pylist() for name in ("key", "payload")), strict=True
        )
        for where, key, payload in rows:
            merge.ends(part.tables[where], key, after_of(payload))


def _watch(merge: Merge, part: _Part, at: _Integers) -> None:
    """Count values that are written otherwise, of changes that are alike."""
    for watcher in merge.watchers:
        watched = numpy.array([watcher.concerns(*where) for where in part.tables])
        mine = at[watched[part.where[at]]]
        for of in (mine[begin : begin + _SLICE] for begin in range(0, len(mine), _SLICE)):
            keys = part.take("key", of).cast(pyarrow.string()).to_pylist()
            rows = zip(
                part.where[of].tolist(), keys, *(part.take(n, of).to_pylist() for n in ("op", "payload")), strict=True
            )
            for where, key, op, payload in rows:
                if image := shown_of(payload):
                    watcher.see(part.tables[where], op, key, image)


def differences_in(merge: Merge, table: Any) -> Iterator[Difference]:
    """The differences in a part; its counts are in `merge` when they are exhausted."""
    rest: Iterator[tuple[Any, ...]] = iter(())
    if table.num_rows:
        part = _in_order(table)
        alike, at = _alike(merge, part)
        _count(merge, part, at)
        _watch(merge, part, at)
        rest = _rows(part, table.column_names, numpy.flatnonzero(~alike[part.of]))
    yield from merge.differences(rest)


def _rows(part: _Part, names: list[str], at: _Integers) -> Iterator[tuple[Any, ...]]:
    for begin in range(0, len(at), _SLICE):
        of = at[begin : begin + _SLICE]
        yield from zip(*(part.take(name, of).to_pylist() for name in names), strict=True)
