"""Statements in a topic of several partitions: a copy in each of them, as some dialects of TiCDC have it."""

from __future__ import annotations

from binascii import crc32
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from corrupt_members import commit_ts_of, other_kind_of, sql_of
from shaped import BINARY, Tree, payload_of
from streams_of_trees import Apply, Corruption, Stream, changer, has_tombstone, row_key

from differential.sides import Side
from reference_impl.model import Record

__all__ = ["COPIES", "OF_COPIES", "partitioned"]

COUNT = 3


def partitioned(stream: Stream, count: int) -> list[Record] | None:
    """The messages in so many partitions, by the key of the row, of a producer whose messages have one row each."""
    if stream.dialect in ("canal", *BINARY):
        return None
    rows, records = {*stream.rows()}, [*stream.records]
    for at in rows:
        partition = crc32(row_key(stream, at).encode()) % count
        for n in range(at, at + 1 + has_tombstone(stream, at)):
            records[n] = replace(records[n], partition=partition)
    return records


def _with_copies(stream: Stream) -> Stream | None:
    """The stream in several partitions, with a copy of each statement in all of them."""
    records, statements = partitioned(stream, COUNT), {*stream.statements()}
    if records is None or not statements or not Side("left", stream.dialect).traits.broadcasts:
        return None
    made: list[Record] = []
    for at, record in enumerate(records):
        if at in statements:
            made += [replace(record, partition=partition) for partition in range(COUNT)]
        else:
            made.append(record)
    return replace(stream, records=stream.with_records(made))


def _copies(change: Callable[[Stream, Sequence[int], Random], list[Record] | None]) -> Apply:
    """A change of the copies in the second partition."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        copied = _with_copies(stream)
        if copied is None:
            return None
        places = [at for at in copied.statements() if copied.records[at].partition == 1]
        made = change(copied, places, draw)
        return None if made is None else copied.with_records(made)

    return apply


def _edited(change: Callable[[str], Callable[[Tree, Tree], None]]) -> Apply:
    def of_one(stream: Stream, places: Sequence[int], draw: Random) -> list[Record] | None:
        return stream.changed(draw.choice(places), change(stream.dialect))

    return _copies(of_one)


def _lost(stream: Stream, places: Sequence[int], draw: Random) -> list[Record]:
    gone = draw.choice(places)
    return [record for at, record in enumerate(stream.records) if at != gone]


def _exchanged(stream: Stream, places: Sequence[int], draw: Random) -> list[Record] | None:
    topics: dict[str | None, list[int]] = {}
    for at in places:
        topics.setdefault(stream.records[at].topic, []).append(at)
    pairs = [of[:2] for of in topics.values() if len(of) > 1]
    if not pairs:
        return None
    a, b = draw.choice(pairs)
    made = [*stream.records]
    made[a], made[b] = made[b], made[a]
    return made


def _later(dialect: str) -> Callable[[Tree, Tree], None]:
    def later(key: Tree, value: Tree) -> None:
        place = commit_ts_of(dialect, key, value)
        if place is not None:
            place[0][place[1]] += 1000 << 18
        source = payload_of(value).get("source") or {}
        if "ts_ms" in source:
            source["ts_ms"] += 1000

    return later


def _twice(stream: Stream, places: Sequence[int], draw: Random) -> list[Record]:
    at = draw.choice(places)
    return [*stream.records[: at + 1], *stream.records[at:]]


def _partition_again(stream: Stream, places: Sequence[int], draw: Random) -> list[Record]:
    return [*stream.records, *(record for record in stream.records if record.partition == 1)]


def _all() -> Iterator[Corruption]:
    whole: Sequence[tuple[str, Apply]] = (
        ("a copy of a statement lost", _copies(_lost)),
        ("two copies of statements exchanged", _copies(_exchanged)),
        (
            "a copy of a statement of other words",
            _edited(lambda d: changer(d, sql_of, lambda sql: f"{sql} COMMENT 'x'")),
        ),
        ("a copy of a statement of another kind", _edited(other_kind_of)),
        ("a copy of a statement at another time", _edited(_later)),
    )
    yield from (Corruption(name, "DDL", apply) for name, apply in whole)


COPIES: Sequence[Corruption] = tuple(_all())

OF_COPIES: Mapping[str, Apply] = {
    "copies of statements in three partitions": _copies(lambda stream, places, draw: [*stream.records]),
    "a copy of a statement twice": _copies(_twice),
    "a partition with copies of statements again": _copies(_partition_again),
}
