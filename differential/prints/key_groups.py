"""The changes of a part of the keys as columns, and the key groups in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

from differential.align.pairs import Pair
from differential.checks.clocks import ranges
from differential.decode.fingerprints import SIZE
from differential.prints.storing import Stored, Values, prints_in
from reference_impl.tso import LOGICAL_BITS

__all__ = ["Flags", "Integers", "KeyGroups", "key_groups", "ms_of_rows"]

Flags: TypeAlias = NDArray[numpy.bool_]
Integers: TypeAlias = NDArray[numpy.int64]


def ms_of_rows(columns: Mapping[str, Any]) -> Integers:
    """As `times.ms_of`, for the rows of `KeyGroups`; below 0 if unknown."""
    times: Integers = numpy.where(columns["commit_ts"] >= 0, columns["commit_ts"] >> LOGICAL_BITS, columns["instant"])
    return times


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
        return ranges(self.first[:, side], self.changes[:, side])

    def columns_of_rows(self) -> dict[str, Any]:
        """The columns of the rows of these key groups only."""
        rows = ranges(self.first[:, 0], self.changes.sum(axis=1))
        return {name: one[rows] if isinstance(one, numpy.ndarray) else one for name, one in self.columns.items()}

    def only(self, keep: Flags) -> KeyGroups:
        """The key groups whose flag in `keep` is set."""
        kept = {name: getattr(self, name)[keep] for name in ("first", "changes", "alike", "table")}
        return replace(self, **kept)


def key_groups(
    pairs: Sequence[Pair], sides: int, tables: Sequence[tuple[str, str]], places: Sequence[Stored]
) -> KeyGroups | None:
    """All key groups of a part of the keys, as if all changes were alike; None if there are none."""
    table = prints_in(places)
    if not table.num_rows:
        return None
    columns, keys = _sorted_columns(table)
    starts = numpy.flatnonzero(numpy.concatenate(([True], columns["key_number"][1:] != columns["key_number"][:-1])))
    key_of = numpy.repeat(numpy.arange(len(starts)), numpy.diff(numpy.append(starts, len(table))))
    changes = numpy.bincount(key_of * sides + columns["side"], minlength=len(starts) * sides).reshape(-1, sides)
    first = starts[:, None] + numpy.cumsum(changes, axis=1) - changes
    alike = numpy.repeat(changes[:, :1], len(pairs), axis=1)
    values = Values(places)
    return KeyGroups(pairs, sides, tables, first, changes, alike, columns["table"][starts], columns, keys, values)


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
