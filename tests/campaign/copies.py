"""Statements in a topic of several partitions: a copy in each of them, as some dialects of TiCDC have it."""

from __future__ import annotations

from binascii import crc32
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random

from corrupt_members import other_kind_of
from trees import BINARY, Apply, Corruption, Edit, Stream, changer, later, sql_of

from differential.sides import Side
from reference_impl.model import Record

COUNT = 3


def partitioned(stream: Stream, count: int) -> list[Record] | None:
    """The messages in so many partitions, by the key of the row, of a producer whose messages have one row each."""
    if stream.dialect in ("canal", *BINARY):
        return None
    records = [*stream.records]
    for at, key in stream.keys.items():
        for n in stream.whole(at):
            records[n] = replace(records[n], partition=crc32(key.encode()) % count)
    return records


def _with_copies(stream: Stream) -> Stream | None:
    """The stream in several partitions, with a copy of each statement in all of them."""
    records, statements = partitioned(stream, COUNT), {*stream.statements}
    if records is None or not statements or not Side("left", stream.dialect).traits.broadcasts:
        return None
    copies = [range(COUNT) if at in statements else (record.partition,) for at, record in enumerate(records)]
    made = [replace(one, partition=p) for one, places in zip(records, copies, strict=True) for p in places]
    return replace(stream, records=stream.with_records(made))


def _copies(change: Callable[[Stream, Sequence[int], Random], list[Record] | None]) -> Apply:
    """A change of the copies in the second partition."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        if (copied := _with_copies(stream)) is None:
            return None
        places = [at for at in copied.statements if copied.records[at].partition == 1]
        made = change(copied, places, draw)
        return None if made is None else copied.with_records(made)

    return apply


def _edited(change: Callable[[str], Edit]) -> Apply:
    return _copies(lambda stream, places, draw: stream.changed(draw.choice(places), change(stream.dialect)))


def _exchanged(stream: Stream, places: Sequence[int], draw: Random) -> list[Record] | None:
    topics: dict[str | None, list[int]] = {}
    for at in places:
        topics.setdefault(stream.records[at].topic, []).append(at)
    pairs = [of[:2] for of in topics.values() if len(of) > 1]
    return stream.exchanged(*draw.choice(pairs)) if pairs else None


def _twice(stream: Stream, places: Sequence[int], draw: Random) -> list[Record]:
    at = draw.choice(places)
    return stream.with_again(at, stream.records[at])


def _partition_again(stream: Stream, places: Sequence[int], draw: Random) -> list[Record]:
    return [*stream.records, *(record for record in stream.records if record.partition == 1)]


COPIES = (
    Corruption(
        "a copy of a statement lost", "DDL", _copies(lambda of, places, draw: of.without([draw.choice(places)]))
    ),
    Corruption("two copies of statements exchanged", "DDL", _copies(_exchanged)),
    Corruption(
        "a copy of a statement of other words",
        "DDL",
        _edited(lambda d: changer(d, sql_of, lambda sql: f"{sql} COMMENT 'x'")),
    ),
    Corruption("a copy of a statement of another kind", "DDL", _edited(other_kind_of)),
    Corruption("a copy of a statement at another time", "DDL", _edited(lambda dialect: later(dialect, 1000))),
)

OF_COPIES: Mapping[str, Apply] = {
    "copies of statements in three partitions": _copies(lambda stream, places, draw: [*stream.records]),
    "a copy of a statement twice": _copies(_twice),
    "a partition with copies of statements again": _copies(_partition_again),
}
