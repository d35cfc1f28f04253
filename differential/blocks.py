"""Packs slim batches into blocks of bytes, one part of the keys each, until the sides are compared.

Blocks travel as values of a column, which Spark moves between machines at little cost (`pack`, `unpack`). If all
workers are on one machine, `write_blocks` stores blocks in files and `read_blocks` reads them: Spark moves only their
places, and their bytes never enter a JVM.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, starmap
from operator import itemgetter
from typing import Any

import numpy
import pyarrow

__all__ = [
    "BLOCKS",
    "PLACES",
    "READ_OPTIONS",
    "WRITE_OPTIONS",
    "pack",
    "parted",
    "read_blocks",
    "unpack",
    "write_blocks",
]


BLOCKS = pyarrow.schema([("part", pyarrow.int32()), ("block", pyarrow.binary())])
PLACES = pyarrow.schema(
    [("part", pyarrow.int32()), ("file", pyarrow.string()), ("begin", pyarrow.int64()), ("size", pyarrow.int64())]
)
"""A block consists of `size` bytes of a file, from `begin` on."""

# The bytes of rows that are held until they become blocks of a column, or of a file. The allocator reuses buffers of up
# to 8 MiB; it requests larger ones from the system, which costs more than a copy.
_VALUE_BYTES = 8 * 2**20
_FILE_BYTES = 32 * 2**20

# Blocks are small: handing each column to a thread costs several times as much as packing it.
WRITE_OPTIONS = pyarrow.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
READ_OPTIONS = pyarrow.ipc.IpcReadOptions(use_threads=False)


def parted(parts: int, most: int, batches: Iterable[Any]) -> Iterator[list[tuple[int, Any]]]:
    """Split rows by part of the keys, after every `most` bytes of rows.

    Yields the number and the table of each part.
    """
    held: list[Any] = []
    size = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        held.append(batch)
        size += batch.nbytes
        if size >= most:
            yield _by_part(parts, held)
            held, size = [], 0
    if held:
        yield _by_part(parts, held)


def _by_part(parts: int, held: Sequence[Any]) -> list[tuple[int, Any]]:
    table = pyarrow.Table.from_batches(held).combine_chunks()
    part = table["group"].to_numpy() % parts
    order = numpy.argsort(part, kind="stable")
    numbers, starts = numpy.unique(part[order], return_index=True)
    ordered = table.take(pyarrow.array(order)).combine_chunks()
    ends = [*starts[1:].tolist(), len(order)]
    return [
        (number, ordered.slice(start, end - start))
        for number, start, end in zip(numbers.tolist(), starts.tolist(), ends, strict=True)
    ]


def _write(sink: Any, rows: Any) -> None:
    with pyarrow.ipc.new_stream(sink, rows.schema, options=WRITE_OPTIONS) as writer:
        writer.write_table(rows)


def _batch(schema: Any, rows: Sequence[Sequence[Any]]) -> Any:
    arrays = [pyarrow.array(column, field.type) for column, field in zip(zip(*rows, strict=True), schema, strict=True)]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def pack(parts: int, batches: Iterable[Any]) -> Iterator[Any]:
    """Slim batches as batches of `BLOCKS`; all changes of a key are in one part, below `parts`."""
    for blocks_of in parted(parts, _VALUE_BYTES, batches):
        blocks = []
        for part, rows in blocks_of:
            sink = pyarrow.BufferOutputStream()
            _write(sink, rows)
            blocks.append((part, sink.getvalue().to_pybytes()))
        yield _batch(BLOCKS, blocks)


def unpack(batches: Iterable[Any]) -> Iterator[Iterator[Any]]:
    """The slim batches in blocks, as one iterator: the parts arrive mixed, and are merged together."""
    blocks = (block for batch in batches for block in batch.column("block"))
    yield (slim for block in blocks for slim in pyarrow.ipc.open_stream(block.as_buffer(), options=READ_OPTIONS))


def write_blocks(folder: str, parts: int, batches: Iterable[Any]) -> Iterator[Any]:
    """Write slim batches to a new file in `folder`, and yield their places as batches of `PLACES`."""
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".blocks", delete=False) as file:
        for blocks_of in parted(parts, _FILE_BYTES, batches):
            places = []
            for part, rows in blocks_of:
                begin = file.tell()
                _write(file, rows)
                places.append((part, file.name, begin, file.tell() - begin))
            yield _batch(PLACES, places)


def read_blocks(batches: Iterable[Any]) -> Iterator[Iterator[Any]]:
    """The slim batches at places of blocks, an iterator for each part.

    A part is read when it is consumed.
    """
    places = sorted(row for batch in batches for row in zip(*(c.to_pylist() for c in batch.columns), strict=True))
    for _, of_part in groupby(places, itemgetter(0)):
        yield chain.from_iterable(starmap(_read, list(of_part)))


def _read(part: int, name: str, begin: int, size: int) -> list[Any]:
    with pyarrow.memory_map(name) as file:
        file.seek(begin)
        return list(pyarrow.ipc.open_stream(file.read_buffer(size), options=READ_OPTIONS))
