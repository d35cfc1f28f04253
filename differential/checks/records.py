"""Check records: what the checks of whole streams need to know of a change, in 33 bytes.

A check record has the offset and the time of a change, and hashes of its key and of its images. A slim record of kind
`CHECKS` packs many of them, all for one check and of one partition; `Merge` brings them together.
"""

from __future__ import annotations

import re
from binascii import crc32
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy
import orjson
import pyarrow
from numpy.typing import NDArray

from differential.decode.slim import Kind, Slim, key_seed
from differential.sides import Side
from reference_impl.model import Record

__all__ = [
    "DELETE",
    "EFFECT_AFTER",
    "INSERT",
    "OTHER",
    "READ",
    "RECORD",
    "TOMBSTONE",
    "Arrays",
    "Check",
    "CheckRecords",
    "Columns",
    "Records",
    "arrays_of",
    "code_of",
    "columns_in",
    "columns_of",
    "effects_of",
    "effects_of_prints",
    "packed",
    "records_in",
]

Records: TypeAlias = NDArray[Any]
"""An array of `RECORD`."""

OTHER, DELETE, INSERT, TOMBSTONE, READ = range(5)
"""The codes of operations in `op`."""

_OPS = {"delete": DELETE, "insert": INSERT, "read": READ}
RECORD = numpy.dtype(
    [
        ("offset", "<i8"),
        ("step", "<i4"),  # the place of a change in its message
        ("time", "<i8"),  # a commit time stamp, milliseconds, or a place in the binary log: see `Check`
        ("key", "<u8"),  # a hash
        ("effect", "<u4"),  # hashes of the images: upper half before the change, lower half (`EFFECT_AFTER`) after it
        ("op", "u1"),
    ]
)
EFFECT_AFTER = numpy.uint32(0xFFFF)
"""The part of `effect` that identifies the row after a change."""

_MOST_DIGITS = 18  # numbers with so many digits fit into 63 bits
_LEAST_BITS, _LEAST = numpy.uint64(16), numpy.uint64(0xFFFF)


def code_of(op: str) -> int:
    """The code of an operation in a record."""
    return _OPS.get(op, OTHER)


class Check:
    """The checks that use the records of a slim record; the column `op` of the slim record names the check."""

    ORDER = "order"
    """`time` is the commit time; the row has the changes of a table in a partition."""
    ORDER_AND_DUPLICATES = "order and duplicates"
    """As `ORDER`, for a side that may send a change again."""
    DUPLICATES = "duplicates"
    """As `ORDER_AND_DUPLICATES`, for a side whose changes have no order across rows."""
    LOG = "log"
    """`time` is the place in the binary log; the row has all messages of a partition, with tombstones."""
    LOG_ALONE = "log without tombstones"
    """As `LOG`, for a side that is configured to write no tombstones."""


class Columns(NamedTuple):
    """Changes as columns, from which check records are made."""

    table: Sequence[tuple[str, str]]
    key: Sequence[bytes]
    topic: Sequence[str]
    partition: Sequence[int]
    offset: Sequence[int]
    step: Sequence[int]
    op: Sequence[str]
    commit_ts: Sequence[int | None]
    instant: Sequence[int]  # milliseconds since 1970, -1 if unknown
    effect: Sequence[int]  # see `RECORD`


class Arrays(NamedTuple):
    """Changes as arrays, from which check records are made."""

    tables: Sequence[tuple[str, str]]
    table: NDArray[Any]  # indexes into `tables`
    places: Sequence[tuple[str, int]]  # topic, partition
    place: NDArray[Any]  # indexes into `places`
    offset: NDArray[Any]
    step: NDArray[Any]
    op: NDArray[Any]
    time: NDArray[Any]  # a TSO where `stamped`, else milliseconds, -1 if unknown
    stamped: NDArray[Any]
    key: NDArray[Any]  # hashes
    effect: NDArray[Any]  # hashes, see `RECORD`


# In a connector's message, after its rows: the place of the change in the binary log, and the operation.
_LOG = re.compile(rb'"file":"[^"]*?([0-9]{1,18})","pos":([0-9]{1,18}),"row":([0-9]{1,18})[^{}]*\}')
_OP = re.compile(rb'"op":"([a-z])"')
_SOURCE = b'"source":{'
_POS_BITS, _ROW_BITS = 32, 14  # a position has four bytes in the log itself
_FILES = 1 << (63 - _POS_BITS - _ROW_BITS)


class CheckRecords:
    """Makes the check records of one side's messages.

    `number` is 0 for left, 1 for right, 2 for third.
    """

    def __init__(self, number: int, side: Side) -> None:
        self._number = number
        self._check_of_log = Check.LOG if side.every_option().get("tombstones.on.delete") == "true" else Check.LOG_ALONE
        self.has_checks_of_changes = side.traits.is_of_ticdc or side.at_least_once
        """Whether the order of the side's changes is checked, or their duplicates, or both."""
        with_duplicates = Check.ORDER_AND_DUPLICATES if side.traits.is_of_ticdc else Check.DUPLICATES
        self._check_of_changes = with_duplicates if side.at_least_once else Check.ORDER

    def of_changes(self, given: Columns) -> list[Slim]:
        """The check records of changes, as slim records; only if `has_checks_of_changes`."""
        return self.of_arrays(arrays_of(given)) if given.key else []

    def of_messages(self, messages: Iterable[Record]) -> list[Slim]:
        """The check records with the places of messages in the binary log, for a side whose messages have these."""
        found: dict[tuple[str, int], list[tuple[int, int, int, int, int, int]]] = {}
        for record in messages:
            if record.key is not None and (place := _in_log(record)) is not None:
                time, op = place
                where = record.topic or "", record.partition or 0
                found.setdefault(where, []).append((record.offset or 0, 0, time, _key(record.key, 0), 0, op))
        return [
            self._row(self._check_of_log, ("", ""), topic, partition, numpy.array(rows, dtype=RECORD))
            for (topic, partition), rows in found.items()
        ]

    def of_arrays(self, given: Arrays) -> list[Slim]:
        """As `of_changes`, for arrays; only if `has_checks_of_changes`, and if there is a change."""
        records = packed(given)
        table_and_place = given.table.astype(numpy.int64) * len(given.places) + given.place
        order = numpy.argsort(table_and_place, kind="stable")
        found, starts = numpy.unique(table_and_place[order], return_index=True)
        rows = []
        for number, part in zip(found.tolist(), numpy.split(records[order], starts[1:]), strict=True):
            table, place = divmod(number, len(given.places))
            topic, partition = given.places[place]
            rows.append(self._row(self._check_of_changes, given.tables[table], topic, partition, part))
        return rows

    def _row(self, check: str, table: tuple[str, str], topic: str, partition: int, records: Records) -> Slim:
        # Rows with equal key columns are collected together; this key separates all others.
        identity = f"{check}\0{table[0]}\0{table[1]}\0{topic}\0{partition}".encode()
        first, group = int(records["offset"].min()), (crc32(identity), *table, identity)
        data = records.tobytes()
        return Slim(*group, self._number, topic, partition, first, 0, Kind.CHECKS, check, False, None, "", data)


def columns_of(rows: Iterable[Slim]) -> Columns:
    """The changes among slim records, as columns."""
    changes = [row for row in rows if row.kind == Kind.CHANGE]
    return Columns(
        [(row.schema, row.table) for row in changes],
        [row.key for row in changes],
        [row.topic for row in changes],
        [row.partition for row in changes],
        [row.offset for row in changes],
        [row.step for row in changes],
        [row.op for row in changes],
        [None if row.commit_ts is None else int(row.commit_ts) for row in changes],
        [_ms_of(row.instant) for row in changes],
        _effects_in(row.payload for row in changes),
    )


def columns_in(batch: Any) -> Columns:
    """As `columns_of`, for a slim batch that holds only changes."""
    names = ("schema", "table", "key", "topic", "partition", "offset", "step", "op")
    schema, table, key, topic, partition, offset, step, op = (batch.column(name).to_pylist() for name in names)
    times = batch.column("commit_ts").cast(pyarrow.int64()).to_pylist()
    instants = [_ms_of(instant) for instant in batch.column("instant").to_pylist()]
    effect = _effects_in(batch.column("payload").to_pylist())
    tables = list(zip(schema, table, strict=True))
    return Columns(tables, key, topic, partition, offset, step, op, times, instants, effect)


def arrays_of(given: Columns) -> Arrays:
    """Columns of changes as arrays."""
    seeds = {table: key_seed(*table) for table in dict.fromkeys(given.table)}
    tables, table = _numbered(given.table)
    places, place = _numbered(list(zip(given.topic, given.partition, strict=True)))
    keys = [_key(key, seeds[table_]) for key, table_ in zip(given.key, given.table, strict=True)]
    return Arrays(
        tables,
        table,
        places,
        place,
        numpy.asarray(given.offset, dtype=numpy.int64),
        numpy.asarray(given.step, dtype=numpy.int32),
        numpy.asarray(list(map(code_of, given.op)), dtype=numpy.uint8),
        numpy.asarray([ms if ts is None else ts for ts, ms in zip(given.commit_ts, given.instant, strict=True)]),
        numpy.asarray([ts is not None for ts in given.commit_ts]),
        numpy.asarray(keys, dtype=numpy.uint64),
        numpy.asarray(given.effect, dtype=numpy.uint32),
    )


def packed(given: Arrays, dtype: numpy.dtype[Any] = RECORD) -> Records:
    """The check records of changes, in order."""
    records = numpy.zeros(len(given.key), dtype=dtype)
    for name in records.dtype.names or ():
        records[name] = getattr(given, name)
    return records


def _numbered(values: Sequence[Any]) -> tuple[list[Any], NDArray[Any]]:
    """The distinct values, and the index of each value among them."""
    known = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return list(known), numpy.asarray([known[value] for value in values], dtype=numpy.int64)


def _key(key: bytes, seed: int) -> int:
    """A 64-bit hash of a key and of its reverse, one half each."""
    return crc32(key, seed) << 32 | crc32(key[::-1])


def records_in(row: Slim) -> Records:
    """The check records of a slim record."""
    return numpy.frombuffer(row.payload or b"", dtype=RECORD)


def effects_of_prints(before: NDArray[Any], after: NDArray[Any]) -> NDArray[Any]:
    """As `effects_of`, for fingerprints as two numbers each."""
    found: NDArray[Any] = (before[:, 0] & _LEAST) << _LEAST_BITS | after[:, 0] & _LEAST
    return found


def effects_of(before: Sequence[bytes], after: Sequence[bytes]) -> list[int]:
    """Hashes of the effects of changes, by their images or fingerprints, for `Columns.effect`."""
    halves = zip(map(crc32, before), map(crc32, after), strict=True)
    return [(old & 0xFFFF) << 16 | new & 0xFFFF for old, new in halves]


def _effects_in(payloads: Iterable[bytes | None]) -> list[int]:
    images = [(payload or b"").partition(b"\n") for payload in payloads]
    return effects_of([before for before, _, _ in images], [after for _, _, after in images])


def _ms_of(instant: str) -> int:
    """The milliseconds of an instant; -1 without a time."""
    time = instant.partition(" ")[0]
    return int(time) if time.isdecimal() and len(time) <= _MOST_DIGITS else -1


def _in_log(record: Record) -> tuple[int, int] | None:
    """The place in the binary log (0 for a tombstone) and the operation of a connector's record.

    None for others.
    """
    if record.value is None:
        return 0, TOMBSTONE
    found = _LOG.search(record.value, max(record.value.rfind(_SOURCE), 0))
    op_found = _OP.search(record.value, found.end()) if found else None
    if found is None or op_found is None:
        position = _in_another_order(record.value)
    else:
        position = int(found[1]), int(found[2]), int(found[3]), op_found[1].decode()
    if position is None:
        return None
    file, pos, row, op = position
    place = (file % _FILES) << (_POS_BITS + _ROW_BITS) | pos % (1 << _POS_BITS) << _ROW_BITS | row % (1 << _ROW_BITS)
    return place, {"d": DELETE, "c": INSERT}.get(op, OTHER)


def _in_another_order(value: bytes) -> tuple[int, int, int, str] | None:
    """File, position, row and operation of a message in another JSON spelling.

    None for a message without a place in the binary log.
    """
    try:
        tree = orjson.loads(value)
        payload = tree.get("payload", tree)
        source, op = payload["source"], payload["op"]
        file = re.search("(?<![0-9])([0-9]{1,18})$", source["file"]) if isinstance(op, str) else None
        return (int(file[1]), int(source["pos"]), int(source["row"]), op) if file else None
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError, ValueError):
        return None
