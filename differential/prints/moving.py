"""Moves blocks of fingerprints and values (`storing`) between machines that share no folder.

A block travels as a row of a frame. The worker that gets it writes it to a file of its own again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy
import pyarrow
from pyarrow import compute

from differential.prints.storing import OTHERS, Stored, read_stream, write_stream
from differential.record_batches import row_batches

__all__ = ["BLOCKS", "BLOCK_BYTES", "GROUPS", "only_groups", "packed", "unpacked"]

BLOCKS = pyarrow.schema(
    [
        ("part", pyarrow.int32()),
        ("is_of_others", pyarrow.bool_()),
        ("prints", pyarrow.binary()),
        ("values", pyarrow.binary()),
    ]
)
"""A block: a part of the keys, whether the block has slim records, and its two streams.

Slim records are in `prints`; `values` is then empty.
"""

GROUPS = numpy.dtype(numpy.int64)
"""The type of the groups of keys (`PRINTS`) in the binary column `groups`."""

# The allocator reuses buffers of up to 8 MiB; it requests larger ones from the system, which costs more than a copy.
BLOCK_BYTES = 8 * 2**20
"""The bytes of rows that are held until they become blocks, and of blocks in a batch."""

_MOST_BLOCKS = 4096  # of a batch


def packed(places: Iterable[Stored]) -> Iterator[Any]:
    """The blocks at places of files, as batches of `BLOCKS`."""
    return row_batches(BLOCKS, map(_block, places), _MOST_BLOCKS, most_bytes=BLOCK_BYTES)


def _block(place: Stored) -> tuple[int, bool, bytes, bytes]:
    part, name, begin, values, end = place
    with Path(name).open("rb") as file:
        file.seek(begin)
        block = file.read(end - begin)
    length = end - begin if values == OTHERS else values - begin
    return part, values == OTHERS, block[:length], block[length:]


def unpacked(folder: str, batches: Iterable[Any]) -> list[Stored]:
    """Write the blocks of batches to a new file in a folder; returns their places, part by part."""
    places: list[Stored] = []
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".blocks", delete=False) as file:
        for batch in batches:
            for part, is_of_others, prints, values in zip(*(c.to_pylist() for c in batch.columns), strict=True):
                begin = file.tell()
                file.write(prints)
                begin_of_values = OTHERS if is_of_others else file.tell()
                file.write(values)
                places.append((part, file.name, begin, begin_of_values, file.tell()))
    return sorted(places)


def only_groups(batches: Iterable[Any]) -> Iterator[Any]:
    """The rows of blocks whose key is in some groups, as batches of `BLOCKS`.

    `batches` have a further column `groups` with these groups.
    """
    for batch in batches:
        kept = []
        for part, is_of_others, prints, values, groups in zip(*(c.to_pylist() for c in batch.columns), strict=True):
            rows = read_stream(pyarrow.py_buffer(prints))
            keep = compute.is_in(rows["group"], pyarrow.array(numpy.frombuffer(groups, dtype=GROUPS)))
            if compute.any(keep).as_py():
                both = (rows, read_stream(pyarrow.py_buffer(values)))
                kept.append((part, is_of_others, *(_bytes(one.filter(keep)) for one in both)))
        yield from row_batches(BLOCKS, kept, _MOST_BLOCKS, most_bytes=BLOCK_BYTES)


def _bytes(rows: Any) -> bytes:
    sink = pyarrow.BufferOutputStream()
    write_stream(sink, rows)
    found: bytes = sink.getvalue().to_pybytes()
    return found
