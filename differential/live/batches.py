"""Decodes and settles Arrow batches of growing streams, with the time of each message.

The result is rows of four kinds of "pieces": waiting changes, differences, last changes and counts. The column `what`
has the kind; the columns that belong to other kinds are empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson
import pyarrow

from differential import rows
from differential.align.pairs import Pair
from differential.batches import RESULT, SLIM, decode
from differential.counts import Counts
from differential.decode import slim
from differential.decode.quick import FEW
from differential.decode.slim import Kind
from differential.live.rounds import LastChange, SettledDifference, Settling, Timed, Waiting
from differential.record_batches import RECORD_SCHEMA
from differential.sides import Side

__all__ = [
    "COLUMNS",
    "COUNTED",
    "DIFFERENCE",
    "LAST",
    "PIECES",
    "TIMED",
    "WAITING",
    "counted",
    "decode_timed",
    "settle",
]

WAITING, DIFFERENCE, LAST, COUNTED = "waiting", "difference", "last", "counted"

TIMED = pyarrow.schema([*SLIM, ("time", pyarrow.int64())])
"""Slim records, each with the time of its message."""

_OF_LAST = [
    ("key_hash", pyarrow.binary()),
    ("of_side", pyarrow.int8()),
    ("change_hash", pyarrow.binary()),
    ("image", pyarrow.int64()),  # a hash as a signed number
]
_OF_DIFFERENCE = [(f"difference_{field.name}", field.type) for field in RESULT]
PIECES = pyarrow.schema([("what", pyarrow.string()), *TIMED, *_OF_LAST, *_OF_DIFFERENCE])
"""The columns of all pieces."""

COLUMNS = {
    WAITING: TIMED.names,
    DIFFERENCE: [name for name, _ in (*_OF_DIFFERENCE, *_OF_LAST[:3])],
    LAST: ["schema", "table", *(name for name, _ in _OF_LAST)],
    COUNTED: ["payload"],
}
"""The columns of each kind of pieces, in order."""
_BATCH = 4096
_OF_MANY_MESSAGES = (Kind.COUNTS, Kind.CHECKS)


def _timed(batch: Any) -> Iterator[Timed]:
    *columns, times = (column.to_pylist() for column in batch.columns)
    return map(Timed, map(slim.Slim._make, zip(*columns, strict=True)), times)


def decode_timed(number: int, side: Side, batches: Iterable[Any]) -> Iterator[Any]:
    """From batches of messages with a column `time` to batches of `TIMED`; rows of counts have the latest time.

    This relies on `decode` yielding the rows of a batch before it takes the next batch.
    """
    times: dict[tuple[str, int, int], int | None] = {}
    newest: int | None = None

    def without_times() -> Iterator[Any]:
        nonlocal times, newest
        for batch in batches:
            of_batch = batch.column("time").to_pylist()
            times = dict(zip(_places_of(batch), of_batch, strict=True))
            newest = max((time for time in (newest, *of_batch) if time is not None), default=None)
            yield batch.select(RECORD_SCHEMA.names)

    for batch in decode(number, side, without_times(), few=FEW):
        kinds = batch.column("kind").to_pylist()
        found = [
            newest if kind in _OF_MANY_MESSAGES else times[place]
            for kind, place in zip(kinds, _places_of(batch), strict=True)
        ]
        column = pyarrow.array(found, pyarrow.int64())
        yield pyarrow.RecordBatch.from_arrays([*batch.columns, column], schema=TIMED)


def _places_of(batch: Any) -> Iterator[tuple[str, int, int]]:
    return zip(*(batch.column(name).to_pylist() for name in ("topic", "partition", "offset")), strict=True)


def settle(pairs: Sequence[Pair], sides: int, due: float | None, batches: Iterable[Any]) -> Iterator[Any]:
    """From sorted `TIMED` batches of one part of the keys to pieces and, last, the counts of the part."""
    settling = Settling(pairs, sides, due)
    found: dict[str, list[tuple[Any, ...]]] = {what: [] for what in COLUMNS}
    for piece in settling.pieces(timed for batch in batches for timed in _timed(batch)):
        what, row = _row(piece)
        found[what].append(row)
        if len(found[what]) == _BATCH:
            yield _pieces(what, found[what])
            found[what] = []
    newest = [[side, time] for side, time in sorted(settling.newest.items())]
    found[COUNTED].append((orjson.dumps({"counts": settling.counts.to_json(), "newest": newest}),))
    for what, some in found.items():
        if some:
            yield _pieces(what, some)


def _row(piece: SettledDifference | Waiting | LastChange) -> tuple[str, tuple[Any, ...]]:
    if isinstance(piece, Waiting):
        return WAITING, (*piece.timed.row, piece.timed.time)
    if isinstance(piece, LastChange):
        image = None if piece.image is None else piece.image - (piece.image >> 63 << 64)
        return LAST, (piece.schema, piece.table, piece.key_hash, piece.side, piece.change_hash, image)
    last = piece.repeats
    repeated = (last.key_hash, last.side, last.change_hash) if last else (None, None, None)
    return DIFFERENCE, (*rows.row_of(piece.difference), *repeated)


def _pieces(what: str, found: Sequence[tuple[Any, ...]]) -> Any:
    columns: dict[str, Any] = dict(zip(COLUMNS[what], zip(*found, strict=True), strict=True))
    columns["what"] = [what] * len(found)
    arrays = [
        pyarrow.array(columns[of.name], type=of.type) if of.name in columns else pyarrow.nulls(len(found), of.type)
        for of in PIECES
    ]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=PIECES)


def counted(payloads: Iterable[bytes]) -> tuple[Counts, dict[int, int]]:
    """The counts of all parts together, and the time of the newest message of each side."""
    counts, newest = Counts(), dict[int, int]()
    for payload in payloads:
        part = orjson.loads(payload)
        counts.add(Counts.from_json(part["counts"]))
        for side, time in part["newest"]:
            newest[side] = max(time, newest.get(side, time))
    return counts, newest
