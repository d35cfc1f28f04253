"""Arrow batches of a limited size: of records, with the columns of Kafka's records, and of any other rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy
import pyarrow

from conformance.errors import UsageError
from reference_impl.model import Record

__all__ = [
    "RECORD_SCHEMA",
    "binaries",
    "message_counts",
    "pieces",
    "record_batch",
    "record_batches",
    "records_at",
    "row_batches",
]

_Item = TypeVar("_Item")

_MOST_BYTES = 256 << 20
"""Of a batch. A column of Arrow holds 2 GiB, and what is decoded from a message may be several times as long."""
_LONGEST = (1 << 31) - 1
"""Bytes of a message; neither Arrow nor Kafka has longer ones."""

RECORD_SCHEMA = pyarrow.schema(
    [
        ("key", pyarrow.binary()),
        ("value", pyarrow.binary()),
        ("topic", pyarrow.string()),
        ("partition", pyarrow.int32()),
        ("offset", pyarrow.int64()),
    ]
)


def record_batch(records: Sequence[Record]) -> Any:
    """Records as a batch with the columns of `RECORD_SCHEMA`."""
    columns = [[getattr(record, name) for record in records] for name in RECORD_SCHEMA.names]
    arrays = [pyarrow.array(column, type=field.type) for column, field in zip(columns, RECORD_SCHEMA, strict=True)]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=RECORD_SCHEMA)


def record_batches(
    records: Iterable[Record], most_records: int, *, most_bytes: int = _MOST_BYTES, longest: int = _LONGEST
) -> Iterator[Any]:
    """Records as batches with the columns of `RECORD_SCHEMA`, each of a limited number of records and of bytes.

    Raises `UsageError` for a message longer than `longest`.
    """

    def length_of(record: Record) -> int:
        length = len(record.key or b"") + len(record.value or b"")
        if length > longest:
            place = (record.topic or "a message") + ("" if record.offset is None else f" at offset {record.offset}")
            raise UsageError(f"{place}: {length:,} bytes are too long for a message; at most {longest:,} are read")
        return length

    yield from map(record_batch, _chunks(records, length_of, most_records, most_bytes))


def row_batches(
    schema: Any, rows: Iterable[Sequence[Any]], most_rows: int, *, most_bytes: int = _MOST_BYTES
) -> Iterator[Any]:
    """Rows as batches, each of a limited number of rows, and of characters and bytes in them."""
    for chunk in _chunks(rows, _length_of_row, most_rows, most_bytes):
        arrays = [
            pyarrow.array(column, type=field.type)
            for column, field in zip(zip(*chunk, strict=True), schema, strict=True)
        ]
        yield pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def _length_of_row(row: Sequence[Any]) -> int:
    return sum(len(cell) for cell in row if isinstance(cell, (str, bytes)))


def _chunks(
    items: Iterable[_Item], length_of: Callable[[_Item], int], most_items: int, most_length: int
) -> Iterator[list[_Item]]:
    """The items in lists, each of a limited number of items and, unless it has one item alone, of a limited length."""
    chunk: list[_Item] = []
    size = 0
    for item in items:
        length = length_of(item)
        if chunk and (len(chunk) == most_items or size + length > most_length):
            yield chunk
            chunk, size = [], 0
        chunk.append(item)
        size += length
    if chunk:
        yield chunk


def pieces(batch: Any, most_bytes: int = _MOST_BYTES) -> Iterator[Any]:
    """A batch in pieces of at most `most_bytes` in all, or of one row; nothing is copied."""
    half = batch.num_rows // 2
    if not half or batch.nbytes <= most_bytes:
        yield batch
        return
    yield from pieces(batch.slice(0, half), most_bytes)
    yield from pieces(batch.slice(half), most_bytes)


def records_at(batch: Any, positions: Sequence[int]) -> Iterator[Record]:
    """The records at positions of a batch."""
    chosen = pyarrow.array(positions, pyarrow.int64())  # pyarrow cannot infer the type of an empty list
    return (
        Record(k, v, topic=t, partition=p, offset=o)
        for k, v, t, p, o in zip(*(column.to_pylist() for column in batch.take(chosen).columns), strict=True)
    )


def message_counts(batch: Any) -> dict[tuple[str, int], int]:
    """The number of records of each topic and partition."""
    columns = [batch.column("topic").fill_null(""), batch.column("partition").fill_null(0)]
    names = ["topic", "partition"]
    counted = pyarrow.table(columns, names).group_by(names).aggregate([([], "count_all")])
    topics, partitions, counts = (counted[name].to_pylist() for name in (*names, "count_all"))
    return {(t, p): n for t, p, n in zip(topics, partitions, counts, strict=True)}


def binaries(column: Any) -> list[bytes | None]:
    """The values of a binary column; faster than pyarrow's `to_pylist` without NULLs."""
    if column.null_count == len(column):
        return [None] * len(column)
    if column.null_count or column.type != pyarrow.binary():
        return list(column.to_pylist())
    _, offsets, data = column.buffers()
    ends = numpy.frombuffer(offsets, dtype=numpy.int32)[column.offset : column.offset + len(column) + 1]
    start = int(ends[0])
    whole = data.slice(start, int(ends[-1]) - start).to_pybytes()
    places = (ends - start).tolist()
    return [whole[a:b] for a, b in pairwise(places)]
