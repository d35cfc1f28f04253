"""The layout of rows of fingerprints, one a change, and of the values beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy
import pyarrow

from differential.checks.records import code_of
from differential.decode.fingerprints import SIZE
from differential.sides import Side

__all__ = [
    "KEY_IMAGE",
    "MOVED",
    "OPS",
    "OP_CODES",
    "PARTIAL_IMAGE",
    "PRINTED",
    "PRINTS",
    "VALUES",
    "Names",
    "tables_of",
]

OPS = ("insert", "update", "delete", "upsert", "read")
OP_CODES = numpy.asarray([code_of(op) for op in OPS], dtype=numpy.uint8)
"""The code of each of `OPS` in check records."""
MOVED = len(OPS)
"""Added to `op_code` for half of an update that changed the key."""
PARTIAL_IMAGE = 2 * len(OPS)
"""Added to `op_code` if the image before the change is partial: a delete that has only some columns."""
KEY_IMAGE = 2 * PARTIAL_IMAGE
"""Added in place of `PARTIAL_IMAGE` if these columns are those of the key, so that any row of the key matches."""

PRINTS = pyarrow.schema(
    [
        ("group", pyarrow.int64()),
        ("table", pyarrow.int16()),
        ("key", pyarrow.binary()),
        ("side", pyarrow.int8()),
        ("topic", pyarrow.string()),
        ("partition", pyarrow.int32()),
        ("offset", pyarrow.int64()),
        ("step", pyarrow.int32()),
        ("op_code", pyarrow.int8()),
        ("commit_ts", pyarrow.int64()),
        ("instant", pyarrow.int64()),
        ("transaction", pyarrow.string()),
        ("before", pyarrow.binary(SIZE)),
        ("after", pyarrow.binary(SIZE)),
        ("spelling_bits", pyarrow.binary()),
    ]
)
"""One row a change.

`table` is an index into `tables_of`. `op_code` is an index into `OPS`, plus `MOVED`, plus `PARTIAL_IMAGE` or
`KEY_IMAGE`. `instant` and `transaction` are parts of `Change.instant`. `before` and `after` are fingerprints of the
images, `spelling_bits` those of `SpellingBits`.
"""

VALUES = pyarrow.schema([("before_image", pyarrow.binary()), ("after_image", pyarrow.binary())])
"""The images of each row of `PRINTS`: lists of cells if `Names` has their columns, else whole images."""

Names: TypeAlias = Mapping[tuple[int, int], Sequence[str]]
"""By side and table, the columns of the lists in `VALUES`, in order."""

PRINTED = pyarrow.schema([*PRINTS, *VALUES])


def tables_of(sides: Iterable[Side]) -> list[tuple[str, str]]:
    """The tables of all sides, in order."""
    return sorted({table.id for side in sides for table in side.tables})
