"""Counts keys that are alike on all sides, from the rows of one side.

Keys with equal fingerprints on all sides need no merge, and their images need not be moved. This module counts
what the merge would have counted for them: `alike` sums up a batch in any order, and `settled` turns the sums of
tables into counts. Both map Arrow batches to Arrow batches, without Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson
import pyarrow
from pyarrow import compute

from conformance.errors import SuiteError
from differential.align.merging import Pair, row_hash
from differential.batches import COUNTED, RESULT, SLIM, differences_of, merge
from differential.counts import Counts
from differential.decode import slim
from differential.decode.slim import change_of

__all__ = ["ALIKE", "SETTLED", "alike", "settled"]

ALIKE = (
    ("group", "int64"),
    ("schema", "string"),
    ("table", "string"),
    ("topic", "string"),
    ("partition", "int32"),
    ("offset", "int64"),
    ("step", "int32"),
    ("changes", "int64"),
    ("row", "int64"),
    ("counts", "string"),
)
"""A row for each batch and key: its changes, the place of the last one, and the hash of the final row.

`row` is the unsigned hash as a signed number, or NULL without a row. A row with `counts` holds only counts of values.
"""

SETTLED = (("schema", "string"), ("table", "string"), ("changes", "int64"), ("rows", "int64"), ("checksum", "string"))
"""A row for each table: sums over its keys; the checksum is in digits, not yet modulo 2**64."""

_ALIKE = pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in ALIKE])
_SORTED = [(name, "ascending") for name in slim.ORDERING]
_SIGN, _MODULUS = 2**63, 2**64


def alike(pairs: Sequence[Pair], sides: int, batches: Iterable[Any]) -> Iterator[Any]:
    """Turn slim batches of one side, whose keys are alike on all sides, into batches of `ALIKE`.

    Raises `SuiteError` if the merge finds a difference in the keys.
    """
    has_spellings = any(any(pair.spellings.values()) for pair in pairs)
    spellings = Counts()
    for batch in batches:
        if not batch.num_rows:
            continue
        rows = batch.take(compute.sort_indices(batch, sort_keys=_SORTED))
        if has_spellings:
            counts = _merged_with_itself(pairs, sides, rows)
            spellings.add(Counts(named=counts.named, shown=counts.shown))
        yield _lasts(rows)
    if spellings.named:
        text = orjson.dumps(spellings.to_json()).decode()
        empty = [pyarrow.nulls(1, type_) for type_ in _ALIKE.types[:-1]]
        yield pyarrow.RecordBatch.from_arrays([*empty, pyarrow.array([text])], schema=_ALIKE)


def _merged_with_itself(pairs: Sequence[Pair], sides: int, rows: Any) -> Counts:
    """The counts of a merge in which every side has these rows."""
    side = SLIM.get_field_index("side")
    copies = []
    for number in range(sides):
        columns = list(rows.columns)
        columns[side] = pyarrow.array([number] * rows.num_rows, type=pyarrow.int8())
        copies.append(pyarrow.RecordBatch.from_arrays(columns, schema=SLIM))
    together = pyarrow.Table.from_batches(copies).sort_by(_SORTED)
    differences, counts = differences_of(pyarrow.Table.from_batches(merge(pairs, sides, together.to_batches())))
    if differences.num_rows:
        raise SuiteError(f"changes that are the same differ: {differences.slice(0, 1).to_pylist()[0]}")
    return counts


def _lasts(rows: Any) -> Any:
    """The last row of each key in sorted rows, and the number of the key's rows."""
    groups = rows.column("group")
    ends = [*compute.indices_nonzero(compute.not_equal(groups[1:], groups[:-1])).to_pylist(), rows.num_rows - 1]
    last = rows.take(pyarrow.array(ends))
    changes = [end - before for end, before in zip(ends, [-1, *ends[:-1]], strict=True)]
    cells = (column.to_pylist() for column in last.columns)
    final_rows = list(map(_signed_hash, map(slim.Slim._make, zip(*cells, strict=True))))
    columns = [last.column(name) for name, _ in ALIKE[:7]]
    columns += [pyarrow.array(values, type=pyarrow.int64()) for values in (changes, final_rows)]
    return pyarrow.RecordBatch.from_arrays([*columns, pyarrow.nulls(len(ends), pyarrow.string())], schema=_ALIKE)


def _signed_hash(row: slim.Slim) -> int | None:
    """The hash of the row after a change, as a signed number; None without a row."""
    change = change_of(row)
    if change.after is None:
        return None
    unsigned = row_hash(change.after)
    return unsigned - _MODULUS if unsigned >= _SIGN else unsigned  # the same modulo 2**64


def settled(pairs: Sequence[Pair], sides: int, batches: Iterable[Any]) -> Iterator[Any]:
    """Turn batches of `SETTLED` into one row of class `COUNTED` with the counts of all sides and pairs."""
    counts = Counts()
    for batch in batches:
        for schema, table, changes, rows, checksum in zip(*(c.to_pylist() for c in batch.columns), strict=True):
            for side in range(sides):
                key = (side, schema, table)
                counts.changes[key] += changes
                if rows:
                    counts.rows[key] += rows
                    counts.checksum[key] = (counts.checksum[key] + int(checksum)) % _MODULUS
            for pair in pairs:
                counts.alike[pair.context.pair, schema, table] += changes
    text = orjson.dumps(counts.to_json()).decode()
    cells = {"class": COUNTED, "right_value": text}
    yield pyarrow.RecordBatch.from_pylist([cells], schema=RESULT)
