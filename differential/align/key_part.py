"""The slim records of one part of the keys, as columns in the order in which they are merged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy
import pyarrow

from differential.align.cells import Integers

__all__ = ["KeyPart", "sorted_part"]

_MOST_BYTES = 2**31 - 1  # of an array with 32-bit offsets


@dataclass(frozen=True, slots=True)
class _Coded:
    """A column as its distinct values, and the index of its value for each row."""

    codes: Integers  # by row, an index into `values`
    values: Sequence[Any]  # sorted ascending

    @classmethod
    def of(cls, column: Any) -> _Coded:
        encoded = column.dictionary_encode()
        values = encoded.dictionary.to_pylist()
        order = sorted(range(len(values)), key=values.__getitem__)
        codes = numpy.empty(len(values), dtype=numpy.int64)
        codes[order] = numpy.arange(len(values))
        return cls(codes[encoded.indices.to_numpy()], [values[n] for n in order])

    def at(self, rows: Integers) -> Iterator[Any]:
        """The values of rows."""
        return map(self.values.__getitem__, self.codes[rows].tolist())


def _whole(column: Any) -> Any:
    """A column as one array; binary data of 2 GiB and more get 64-bit offsets."""
    if column.nbytes > _MOST_BYTES and pyarrow.types.is_binary(column.type):
        column = column.cast(pyarrow.large_binary())
    return column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column


_CODED = ("schema", "table", "key", "topic", "op")


@dataclass(frozen=True, slots=True)
class KeyPart:
    """Rows sorted by table and key, then by side, then by topic, partition, offset and step.

    "Position" means the position in that order.
    """

    columns: dict[str, Any]  # unsorted, by name
    coded: dict[str, _Coded]  # the columns of `_CODED`, unsorted
    uncoded: Any  # a batch of the other columns, unsorted
    order: Integers  # by position, the number of the row in the unsorted columns
    begins: Integers  # by key and side, the position of its first row, or of the row that would follow
    counts: Integers  # by key and side, the number of rows
    key_of: Integers  # by position, the number of its key
    rank: Integers  # by position, the number of rows of its side and key before it
    table_of: Integers  # by key, the index of its table in `tables`
    tables: list[tuple[str, str]]

    def numbers(self, name: str) -> Integers:
        """A column of numbers, by position."""
        found: Integers = self.columns[name].to_numpy(zero_copy_only=False)[self.order]
        return found

    def codes(self, name: str) -> Integers:
        """The codes of a coded column, by position."""
        return self.coded[name].codes[self.order]

    def take(self, name: str, at: Integers) -> Any:
        """The values of a column at positions."""
        return self.columns[name].take(pyarrow.array(self.order[at]))

    def rows(self, at: Integers) -> Iterator[tuple[Any, ...]]:
        """The values of all columns at positions as Python objects, row by row."""
        rows = self.order[at]
        others = iter(self.uncoded.take(pyarrow.array(rows)).columns)
        coded = map(self.coded.get, self.columns)
        values = (next(others).to_pylist() if one is None else one.at(rows) for one in coded)
        return zip(*values, strict=True)


def sorted_part(table: Any, sides: int) -> KeyPart:
    """Sort the rows of a table of slim records of `sides` sides; the table must not be empty."""
    columns = {name: _whole(table[name]) for name in table.column_names}
    coded = {name: _Coded.of(columns[name]) for name in _CODED}
    schema, name, key, topic = (coded[column] for column in _CODED[:4])
    table_of = schema.codes * len(name.values) + name.codes
    of_key = table_of * len(key.values) + key.codes
    side, partition, offset, step = (
        columns[name].to_numpy().astype(numpy.int64) for name in ("side", "partition", "offset", "step")
    )
    offset_and_step = [step, offset] if step.any() else [offset]
    order = numpy.lexsort([*offset_and_step, partition, side * len(topic.values) + topic.codes, of_key])
    of_key, side = of_key[order], side[order]
    starts = numpy.flatnonzero(numpy.concatenate(([True], of_key[1:] != of_key[:-1])))
    key_of = numpy.repeat(numpy.arange(len(starts)), numpy.diff(numpy.append(starts, len(order))))
    counts = numpy.bincount(key_of * sides + side, minlength=len(starts) * sides).reshape(-1, sides)
    begins = numpy.cumsum(counts).reshape(-1, sides) - counts
    rank = numpy.arange(len(order)) - begins[key_of, side]
    tables = list(product(schema.values, name.values))
    uncoded = pyarrow.RecordBatch.from_pydict({n: column for n, column in columns.items() if n not in coded})
    return KeyPart(columns, coded, uncoded, order, begins, counts, key_of, rank, table_of[order[starts]], tables)
