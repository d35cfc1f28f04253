"""Stores fingerprints, and next to them the values, in files until sides are compared.

A block of row changes of one part of the keys is two streams in a file: the fingerprints, and the cells of the images
as JSON. The second stream is read when a value is needed. A block of other messages is one stream, of slim records.
`moving` sends blocks to workers that do not see the file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeAlias

import numpy
import orjson
import pyarrow

from differential.batches import slim_batches
from differential.decode.slim import Slim
from differential.prints.layout import PRINTS, VALUES, Names

__all__ = [
    "FILE_BYTES",
    "OTHERS",
    "STORED",
    "Stored",
    "Values",
    "others_in",
    "prints_in",
    "read_stream",
    "store",
    "store_others",
    "write_stream",
]

Stored: TypeAlias = tuple[int, str, int, int, int]
"""Part of the keys, file, and offsets in it: of the fingerprints, of the values, and of the end of the block.

In a block of other messages the offset of the values is `OTHERS`: it has only the stream of their slim records.
"""

STORED = pyarrow.schema(
    [
        ("part", pyarrow.int32()),
        ("file", pyarrow.string()),
        ("begin", pyarrow.int64()),
        ("values", pyarrow.int64()),
        ("end", pyarrow.int64()),
    ]
)

OTHERS = -1
FILE_BYTES = 32 * 2**20
"""The bytes of rows that are held until they become blocks of a file."""

_NAMES = b"names"
_LIST = b"["

# Blocks are small: handing each column to a thread costs several times as much as packing it.
_WRITE_OPTIONS = pyarrow.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
_READ_OPTIONS = pyarrow.ipc.IpcReadOptions(use_threads=False)


def store(
    folder: str, parts: int, batches: Iterable[Any], names: Names, *, most_bytes: int = FILE_BYTES
) -> Iterator[Stored]:
    """Write batches of `PRINTS` and `VALUES` to a new file; yields the place of each block.

    `names`: the columns of the cells, by side and table; it must be complete for a batch when the batch comes. Every
    `most_bytes` of rows become a block for each part of the keys.
    """
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".prints", delete=False) as file:
        for blocks in _parted(parts, most_bytes, batches):
            metadata = {_NAMES: orjson.dumps([[*key, list(columns)] for key, columns in sorted(names.items())])}
            for part, rows in blocks:
                begin, block = file.tell(), pyarrow.BufferOutputStream()
                write_stream(block, rows.select(PRINTS.names))
                values = begin + block.tell()
                write_stream(block, rows.select(VALUES.names).replace_schema_metadata(metadata))
                file.write(block.getvalue())
                yield part, file.name, begin, values, file.tell()


def store_others(folder: str, parts: int, others: Sequence[Slim]) -> Iterator[Stored]:
    """Write slim records of other messages to a new file; yields the place of each block."""
    if others:
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".others", delete=False) as file:
            for blocks in _parted(parts, FILE_BYTES, slim_batches(others)):
                for part, rows in blocks:
                    begin = file.tell()
                    write_stream(file, rows)
                    yield part, file.name, begin, OTHERS, file.tell()


def _parted(parts: int, most: int, batches: Iterable[Any]) -> Iterator[list[tuple[int, Any]]]:
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


def others_in(places: Sequence[Stored]) -> list[Slim]:
    """The slim records of everything but row changes, sorted."""
    tables = [_stream(name, begin, end) for _, name, begin, values, end in places if values == OTHERS]
    rows = (row for table in tables for row in zip(*(column.to_pylist() for column in table.columns), strict=True))
    return sorted(map(Slim._make, rows), key=attrgetter("order"))


def write_stream(sink: Any, rows: Any) -> None:
    """Write a table as one stream of a block."""
    with pyarrow.ipc.new_stream(sink, rows.schema, options=_WRITE_OPTIONS) as writer:
        writer.write_table(rows)


def _stream(name: str, begin: int, end: int) -> Any:
    with pyarrow.memory_map(name) as file:
        file.seek(begin)
        return read_stream(file.read_buffer(end - begin))


def read_stream(data: Any) -> Any:
    """The table of one stream of a block."""
    return pyarrow.ipc.open_stream(data, options=_READ_OPTIONS).read_all()


def prints_in(places: Sequence[Stored]) -> Any:
    """The fingerprints of a part of the keys, as a table."""
    tables = (_stream(name, begin, values) for _, name, begin, values, _ in places if values != OTHERS)
    return pyarrow.concat_tables([PRINTS.empty_table(), *tables])


class Values:
    """The images of a part of the keys, by row of `prints_in`.

    They are read at the first access.
    """

    def __init__(self, places: Sequence[Stored]) -> None:
        self._places = places
        self._read: Any = None
        self._names: Mapping[tuple[int, int], list[str]] = {}

    def image(self, row: int, name: str, side: int, table: int) -> bytes | None:
        """The canonical image `before` or `after` a change, in the form of a slim record."""
        text = self._text(row, name)
        if text is None or not text.startswith(_LIST):
            return text
        return orjson.dumps(dict(zip(self._names[side, table], orjson.loads(text), strict=True)))

    def cells(self, row: int, name: str, side: int, table: int) -> tuple[Sequence[str], bytes] | None:
        """The columns of an image and the JSON list of its cells.

        None for an image that is stored whole.
        """
        text = self._text(row, name)
        return None if text is None or not text.startswith(_LIST) else (self._names[side, table], text)

    def _text(self, row: int, name: str) -> bytes | None:
        if self._read is None:
            self._read = self._opened()
        text: bytes | None = self._read[name][row].as_py()
        return text

    def _opened(self) -> dict[str, Any]:
        """The images before and after the changes, as chunked columns.

        Joining the chunks would take too long.
        """
        tables = [_stream(file, values, end) for _, file, _, values, end in self._places if values != OTHERS]
        listed = (names for one in tables for names in orjson.loads(one.schema.metadata[_NAMES]))
        self._names = {(side, table): names for side, table, names in listed}
        whole = pyarrow.concat_tables([one.replace_schema_metadata() for one in tables])
        return {field.name.removesuffix("_image"): whole[field.name] for field in VALUES}
