"""Stores fingerprints, and next to them the values, in files until sides are compared.

A block of one part of the keys is two streams in a file: the fingerprints, and the cells of the images as JSON. The
second stream is read when a value is needed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeAlias

import orjson
import pyarrow

from differential.batches import slim_batches
from differential.blocks import READ_OPTIONS, WRITE_OPTIONS, parted
from differential.decode.slim import Slim
from differential.prints.reading import PRINTS, VALUES, Names

__all__ = ["STORED", "Stored", "Values", "others_in", "prints_in", "store", "store_others"]

Stored: TypeAlias = tuple[int, str, int, int, int]
"""Part of the keys, file, and offsets in it: of the fingerprints, of the values, and of the end of the block.

In a block of slim records the offset of the values is -1.
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

_FILE_BYTES = 32 * 2**20
_NAMES = b"names"
_OTHERS = -1
_LIST = b"["


def store(folder: str, parts: int, batches: Iterable[Any], names: Names) -> Iterator[Stored]:
    """Write batches of `PRINTS` and `VALUES` to a new file; yields the place of each block.

    `names`: the columns of the cells, by side and table; it must be complete for a batch when the batch comes.
    """
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".prints", delete=False) as file:
        for blocks in parted(parts, _FILE_BYTES, batches):
            metadata = {_NAMES: orjson.dumps([[*key, list(columns)] for key, columns in sorted(names.items())])}
            for part, rows in blocks:
                begin, block = file.tell(), pyarrow.BufferOutputStream()
                _write(block, rows.select(PRINTS.names))
                values = begin + block.tell()
                _write(block, rows.select(VALUES.names).replace_schema_metadata(metadata))
                file.write(block.getvalue())
                yield part, file.name, begin, values, file.tell()


def store_others(folder: str, parts: int, others: Sequence[Slim]) -> Iterator[Stored]:
    """Write slim records of other messages to a new file; yields the place of each block."""
    if others:
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".others", delete=False) as file:
            for blocks in parted(parts, _FILE_BYTES, slim_batches(others)):
                for part, rows in blocks:
                    begin = file.tell()
                    _write(file, rows)
                    yield part, file.name, begin, _OTHERS, file.tell()


def others_in(places: Sequence[Stored]) -> list[Slim]:
    """The slim records of everything but row changes, sorted."""
    tables = [_stream(name, begin, end) for _, name, begin, values, end in places if values == _OTHERS]
    rows = (row for table in tables for row in zip(*(column.to_pylist() for column in table.columns), strict=True))
    return sorted(map(Slim._make, rows), key=attrgetter("order"))


def _write(sink: Any, rows: Any) -> None:
    with pyarrow.ipc.new_stream(sink, rows.schema, options=WRITE_OPTIONS) as writer:
        writer.write_table(rows)


def _stream(name: str, begin: int, end: int) -> Any:
    with pyarrow.memory_map(name) as file:
        file.seek(begin)
        return pyarrow.ipc.open_stream(file.read_buffer(end - begin), options=READ_OPTIONS).read_all()


def prints_in(places: Sequence[Stored]) -> Any:
    """The fingerprints of a part of the keys, as a table."""
    tables = (_stream(name, begin, values) for _, name, begin, values, _ in places if values != _OTHERS)
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
        tables = [_stream(file, values, end) for _, file, _, values, end in self._places if values != _OTHERS]
        listed = (names for one in tables for names in orjson.loads(one.schema.metadata[_NAMES]))
        self._names = {(side, table): names for side, table, names in listed}
        whole = pyarrow.concat_tables([one.replace_schema_metadata() for one in tables])
        return {field.name.removesuffix("_image"): whole[field.name] for field in VALUES}
