"""Arrow batches in, arrow batches out: the decoding and the merging that every runner shares.

`decode` and `merge` know no Spark. The columns of a frame are Kafka's; those between the two are `slim.COLUMNS`; those
that come out are `rows.COLUMNS`, and one more row a part, of class `COUNTED`, which holds its counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy
import orjson
import pyarrow

from differential import rows, slim
from differential.columnar import differences_in
from differential.counts import Counts
from differential.decoding import SlimReader
from differential.merging import Merge, Pair
from differential.sides import Side
from differential.slim import Slim
from reference_impl.model import Record

__all__ = ["BLOCKS", "COUNTED", "FRAME", "RESULT", "SLIM", "decode", "differences_of", "merge", "pack"]

COUNTED = "~counts"
_BATCH = 4096
_BLOCK = 48 * 2**20


def _schema(columns: Iterable[tuple[str, str]]) -> Any:
    return pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in columns])


FRAME = _schema(
    (
        ("key", "binary"),
        ("value", "binary"),
        ("topic", "string"),
        ("partition", "int32"),
        ("offset", "int64"),
    )
)
SLIM = _schema(slim.COLUMNS)
BLOCKS = _schema((("part", "int32"), ("block", "binary")))
RESULT = _schema(rows.COLUMNS)


def _batch(schema: Any, found: Sequence[Sequence[Any]]) -> Any:
    columns = zip(*found, strict=True) if found else ([] for _ in schema)
    arrays = [pyarrow.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def _tuples(batch: Any) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.to_pylist() for column in batch.columns), strict=True)


def decode(number: int, side: Side, batches: Iterable[Any]) -> Iterator[Any]:
    """From batches of frames to slim batches, and at the end one row with what was no change of a row."""
    read = SlimReader(number, side)
    counts: Counter[str] = Counter()
    for batch in batches:
        found: list[Slim] = []
        counts["messages"] += batch.num_rows
        for key, value, topic, partition, offset in _tuples(batch):
            found += read(Record(key, value, topic=topic, partition=partition, offset=offset))
        yield _batch(SLIM, found)
    counts.update(read.counts)
    yield _batch(SLIM, [slim.counts_row(number, counts)])


def pack(parts: int, batches: Iterable[Any]) -> Iterator[Any]:
    """Slim batches as batches of `BLOCKS`: rows of one part travel as one value, which costs Spark next to nothing.

    The changes of a key are all of one part, below `parts`.
    """
    held: list[Any] = []
    size = 0
    for batch in batches:
        held.append(batch)
        size += batch.nbytes
        if size >= _BLOCK:
            yield _packed(parts, held)
            held, size = [], 0
    if held:
        yield _packed(parts, held)


def _packed(parts: int, held: Sequence[Any]) -> Any:
    table = pyarrow.Table.from_batches(held)
    part = table["group"].to_numpy() % parts
    order = numpy.argsort(part, kind="stable")
    found, starts = numpy.unique(part[order], return_index=True)
    ends = [*starts[1:].tolist(), len(order)]
    blocks = []
    for start, end in zip(starts.tolist(), ends, strict=True):
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, SLIM) as writer:
            writer.write_table(table.take(pyarrow.array(order[start:end])).combine_chunks())
        blocks.append(sink.getvalue().to_pybytes())
    arrays = [pyarrow.array(found.astype(numpy.int32)), pyarrow.array(blocks, type=pyarrow.binary())]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=BLOCKS)


def _unpacked(batches: Iterable[Any]) -> Any:
    """Slim batches, or those of `BLOCKS`, as one table."""
    found: list[Any] = []
    for batch in batches:
        if batch.schema.names == BLOCKS.names:
            for block in batch.column("block"):
                found += pyarrow.ipc.open_stream(block.as_buffer())
        else:  # Spark may know of a column that it is never NULL
            found.append(pyarrow.RecordBatch.from_arrays(batch.columns, schema=SLIM))
    return pyarrow.Table.from_batches(found, schema=SLIM)


def merge(pairs: Sequence[Pair], sides: int, batches: Iterable[Any]) -> Iterator[Any]:
    """From batches of one part of the keys, slim or of `BLOCKS`, to differences and, last, the counts of the part.

    The rows may come in any order; they are held in memory, so that there must be parts enough.
    """
    merging = Merge(pairs, sides)
    found: list[tuple[Any, ...]] = []
    for difference in differences_in(merging, _unpacked(batches)):
        found.append(rows.row_of(difference))
        if len(found) == _BATCH:
            yield _batch(RESULT, found)
            found = []
    counts = orjson.dumps(merging.counts.to_json()).decode()
    found.append((None, COUNTED, *(None for _ in RESULT.names[3:]), counts))
    yield _batch(RESULT, found)


def differences_of(table: Any) -> tuple[Any, Counts]:
    """A table of results as its rows of differences, and the counts of all parts together."""
    counts = Counts()
    is_counts = pyarrow.compute.equal(table["class"], COUNTED)
    for text in table.filter(is_counts)["right_value"].to_pylist():
        counts.add(Counts.from_json(orjson.loads(text)))
    return table.filter(pyarrow.compute.invert(is_counts)), counts
