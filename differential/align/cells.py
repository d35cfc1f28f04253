"""Reads the cells of many images at once, column by column.

Arrow's JSON reader creates no Python object for a cell. It reads texts, NULL and bytes in base64, which covers nearly
all cells. If a requested column has a cell of another kind, or both texts and bytes, or if the images are longer than a
block of that reader, nothing is read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeAlias

import numpy
import orjson
import pyarrow
from numpy.typing import NDArray
from pyarrow import json

from differential.model import Cell

__all__ = ["CellColumn", "Flags", "Images", "Integers"]

Flags: TypeAlias = NDArray[numpy.bool_]
Integers: TypeAlias = NDArray[numpy.int64]

_LONGEST_BLOCK = 2**31 - 1  # bytes
_TAG = "base64"
_TAGGED = pyarrow.struct([(_TAG, pyarrow.string())])


@dataclass(slots=True)
class CellColumn:
    """A column of images."""

    name: str
    images: Sequence[bytes]
    texts: Any  # the distinct values
    place: NDArray[numpy.int32]  # by image, the index of its value in `texts`; their number for NULL or no value
    tagged: bool  # the texts are bytes in base64, not the values themselves
    _has_column: Flags | None = field(default=None, init=False)  # cached

    @property
    def has_column(self) -> Flags:
        """Which images have the column, even if it is NULL."""
        if self._has_column is None:
            self._has_column = self.place < len(self.texts)
            first = b'{"%s":null' % orjson.dumps(self.name)[1:-1]
            later = b"," + first[1:]
            for n in numpy.flatnonzero(~self._has_column).tolist():
                image = self.images[n]
                self._has_column[n] = later in image or image.startswith(first)
        return self._has_column

    def values(self, at: Integers) -> list[Cell]:
        """The values of the images with these numbers."""
        return self.cells(self.texts.take(pyarrow.array(self.place[at], mask=self.place[at] == len(self.texts))))

    def cells(self, texts: Any) -> list[Cell]:
        """The cells for some of the texts, or for NULL."""
        given: list[str | None] = texts.to_pylist()
        return [{_TAG: text} if self.tagged and text is not None else text for text in given]


class Images:
    """Reads columns out of images; it remembers the type of each column."""

    def __init__(self, names: Collection[str]) -> None:
        self._types = dict.fromkeys(names, pyarrow.string())

    def read(self, images: Sequence[bytes]) -> Mapping[str, CellColumn] | None:
        """The requested columns of all images, by name; None if one of these columns cannot be read.

        A column can be read if its cells are texts and NULL, or bytes in base64 and NULL, and if all images together
        are shorter than 2 GiB.
        """
        if sum(map(len, images)) + len(images) > _LONGEST_BLOCK:  # with a line feed after each
            return None
        try:
            table = self._table(images)
        except pyarrow.ArrowInvalid:
            tagged = _tagged(images)
            self._types = {name: _TAGGED if name in tagged else pyarrow.string() for name in self._types}
            try:
                table = self._table(images)
            except pyarrow.ArrowInvalid:
                return None
        found: dict[str, CellColumn] = {}
        for name, kind in self._types.items():
            [column] = table[name].chunks  # one block gives one chunk
            texts = column.flatten()[0] if kind == _TAGGED else column
            if texts.null_count > column.null_count:
                return None  # a tag of another name
            coded = texts.dictionary_encode()
            place = coded.indices.fill_null(len(coded.dictionary)) if coded.null_count else coded.indices
            found[name] = CellColumn(name, images, coded.dictionary, place.to_numpy(), kind == _TAGGED)
        return found

    def _table(self, images: Sequence[bytes]) -> Any:
        lines = b"\n".join(images)
        types = pyarrow.schema(self._types.items())
        return json.read_json(
            pyarrow.BufferReader(lines),
            json.ReadOptions(use_threads=False, block_size=len(lines) + 1),
            json.ParseOptions(explicit_schema=types, unexpected_field_behavior="ignore"),
        )


def _tagged(images: Sequence[bytes]) -> set[str]:
    """The columns of which some image has bytes in base64."""
    cells = chain.from_iterable(orjson.loads(image).items() for image in images)
    return {name for name, cell in cells if type(cell) is dict and _TAG in cell}
