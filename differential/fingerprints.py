"""What is counted of keys that are alike on all sides, out of the rows of one side.

Two sides of a key are alike when their fingerprints are: then nothing needs to meet, and the images stay where they
were read. What the merge would have counted of such keys is counted here: `alike` sums up a batch, in any order and
with the changes of a key anywhere, and `settled` turns the sums of a table into counts. Arrow batches in, Arrow batches
out; no Spark.
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
"""A row a batch and key: how many changes, the place of the last, and the hash of the row that it left, NULL for none.

`row` is the unsigned hash as a signed number. A row with `counts` holds what was counted of values, and nothing else.
"""

SETTLED = (("schema", "string"), ("table", "string"), ("changes", "int64"), ("rows", "int64"), ("checksum", "string"))
"""A row a table: sums over its keys; the checksum as the digits of a sum that is not yet taken modulo 2**64."""

_ALIKE = pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in ALIKE])
_SORTED = [(name, "ascending") for name in slim.ORDERING]
_SIGN, _MODULUS = 2**63, 2**64


def alike(pairs: Sequence[Pair], sides: int, batches: Iterable[Any]) -> Iterator[Any]:
    """From slim batches of one side, of keys that are alike on all, to batches of `ALIKE`.

    Raises `SuiteError` where the merge does not find the keys alike.
    """
    watched = any(found for pair in pairs for found in pair.watched.values())
    named = Counts()
    for batch in batches:
        if not batch.num_rows:
            continue
        rows = batch.take(compute.sort_indices(batch, sort_keys=_SORTED))
        if watched:
            counts = _met_with_itself(pairs, sides, rows)
            named.add(Counts(named=counts.named, shown=counts.shown))
        yield _lasts(rows)
    if named.named:
        text = orjson.dumps(named.to_json()).decode()
        nothing = [pyarrow.nulls(1, kind) for kind in _ALIKE.types[:-1]]
        yield pyarrow.RecordBatch.from_arrays([*nothing, pyarrow.array([text])], schema=_ALIKE)


def _met_with_itself(pairs: Sequence[Pair], sides: int, rows: Any) -> Counts:
    """What the merge counts where every side has these rows."""
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
    """Of sorted rows the last of each key, and how many there are."""
    groups = rows.column("group")
    ends = [*compute.indices_nonzero(compute.not_equal(groups[1:], groups[:-1])).to_pylist(), rows.num_rows - 1]
    last = rows.take(pyarrow.array(ends))
    changes = [end - before for end, before in zip(ends, [-1, *ends[:-1]], strict=True)]
    cells = (column.to_pylist() for column in last.columns)
    left = list(map(_row_left, map(slim.Slim._make, zip(*cells, strict=True))))
    columns = [last.column(name) for name, _ in ALIKE[:7]]
    columns += [pyarrow.array(values, type=pyarrow.int64()) for values in (changes, left)]
    return pyarrow.RecordBatch.from_arrays([*columns, pyarrow.nulls(len(ends), pyarrow.string())], schema=_ALIKE)


def _row_left(row: slim.Slim) -> int | None:
    change = change_of(row)
    if change.after is None:
        return None
    unsigned = row_hash(change.after)
    return unsigned - _MODULUS if unsigned >= _SIGN else unsigned  # the same modulo 2**64


def settled(pairs: Sequence[Pair], sides: int, batches: Iterable[Any]) -> Iterator[Any]:
    """From batches of `SETTLED` to one row of class `COUNTED`: what all sides and pairs have in common."""
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
