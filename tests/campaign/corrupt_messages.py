"""Corruptions of whole messages: lost, twice, stale, in another order or partition, cut; and of tombstones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from random import Random

from trees import BINARY, Apply, Corruption, Stream, commit_ts_of

from reference_impl.model import Record


def _lost(stream: Stream, draw: Random) -> list[Record]:
    return stream.without([draw.choice(stream.rows)])


def _lost_with_row(stream: Stream, draw: Random) -> list[Record]:
    """All messages with the key of one row."""
    chosen = draw.choice([key for key in stream.keys.values() if key])
    return stream.without([at for at, key in stream.keys.items() if key == chosen])


def _lost_table(stream: Stream, draw: Random) -> list[Record] | None:
    if stream.dialect in BINARY:
        return None
    chosen = draw.choice(sorted({stream.names[at] for at in stream.rows}))
    return stream.without([at for at in stream.rows if stream.names[at] == chosen])


def _lost_tail(stream: Stream, draw: Random) -> list[Record]:
    return [*stream.records[: -max(5, len(stream.records) // 20)]]


def duplicated(stream: Stream, draw: Random) -> list[Record]:
    """A message of a row again, right behind itself."""
    at = draw.choice(stream.rows)
    return stream.with_again(at, stream.records[at])


def histories(stream: Stream) -> list[list[int]]:
    """The places of messages of each row that has several."""
    found: dict[str, list[int]] = {}
    for at, key in stream.keys.items():
        if key:
            found.setdefault(key, []).append(at)
    return [places for places in found.values() if len(places) > 1]


def _changing(stream: Stream, last: int = -1) -> list[list[int]]:
    """The histories whose first message is another than a later one."""
    values = [record.value for record in stream.records]
    return [places for places in histories(stream) if values[places[0]] != values[places[last]]]


def _stale(stream: Stream, draw: Random) -> list[Record] | None:
    """The first message of a row again behind its last."""
    if not (found := _changing(stream)):
        return None
    places = draw.choice(found)
    return stream.with_again(stream.whole(places[-1])[-1], stream.records[places[0]])


def _stale_end(stream: Stream, draw: Random) -> list[Record] | None:
    """An old message of a row at the very end."""
    found = _changing(stream)
    return stream.with_records([*stream.records, stream.records[draw.choice(found)[0]]]) if found else None


def _swapped_of_row(stream: Stream, draw: Random) -> list[Record] | None:
    found = [places[:2] for places in _changing(stream, 1) if not any(map(stream.has_tombstone, places[:2]))]
    return stream.exchanged(*draw.choice(found)) if found else None


def _op(stream: Stream, at: int) -> str:
    images = stream.images(at)
    return "delete" if images and "after" not in images else "insert" if "before" not in images else "update"


def _commit(stream: Stream, at: int) -> object:
    place = commit_ts_of(stream.dialect, *stream.trees(at))
    return place and place[0].get(place[1])


def _delete_behind_insert(stream: Stream, draw: Random) -> list[Record] | None:
    """A delete of the old key and the insert of the new one, of one transaction, change places."""
    found = [
        (a, b)
        for a, b in pairwise(stream.rows)
        if b == a + 1
        and (_op(stream, a), _op(stream, b)) == ("delete", "insert")
        and _commit(stream, a) == _commit(stream, b) is not None
        and stream.keys[a] != stream.keys[b]
        and stream.records[a].topic == stream.records[b].topic
    ]
    return stream.exchanged(*draw.choice(found)) if found else None


def _swapped_across_rows(stream: Stream, draw: Random) -> list[Record] | None:
    """Two messages of different rows and times change places."""
    rows, keys, of = stream.rows, stream.keys, stream.records
    found = [
        (a, b)
        for a, b in zip(rows, rows[3:], strict=False)
        if keys[a] != keys[b]
        and (of[a].topic, of[a].partition) == (of[b].topic, of[b].partition)
        and _commit(stream, a) != _commit(stream, b)
        and not stream.has_tombstone(a)
        and not stream.has_tombstone(b)
        and not {keys[a], keys[b]} & {keys[n] for n in rows if a < n < b}
    ]
    return stream.exchanged(*draw.choice(found)) if found else None


def _other_partition(stream: Stream, draw: Random) -> list[Record] | None:
    """A change of a row that has several is in another partition, where it is before or behind all others."""
    if not (found := _changing(stream)):
        return None
    places = stream.whole(draw.choice(found)[0])
    return stream.with_records(
        [replace(r, partition=(r.partition or 0) + 1) if at in places else r for at, r in enumerate(stream.records)]
    )


def _cut(stream: Stream, draw: Random) -> list[Record]:
    at = draw.choice(stream.rows)
    value = stream.records[at].value or b""
    return stream.with_one(at, value=value[: len(value) * 2 // 3])


def _tombstones(stream: Stream) -> list[int]:
    return [] if stream.dialect == "avro" else [at for at, record in enumerate(stream.records) if record.value is None]


def _tombstone_lost(stream: Stream, draw: Random) -> list[Record] | None:
    return stream.without([draw.choice(found)]) if (found := _tombstones(stream)) else None


def _all_tombstones_lost(stream: Stream, draw: Random) -> list[Record] | None:
    return stream.without(found) if (found := _tombstones(stream)) else None


def _tombstone_of_another(stream: Stream, draw: Random) -> list[Record] | None:
    if not (found := _tombstones(stream)):
        return None
    at = draw.choice(found)
    return stream.with_one(at, key=_flip_last_digit(stream.records[at].key))


def _stray_tombstone(stream: Stream, draw: Random) -> list[Record] | None:
    if stream.dialect == "avro":
        return None
    at = draw.choice([at for at in stream.rows if not stream.has_tombstone(at)])
    return stream.with_again(at, replace(stream.records[at], key=stream.records[at].key or b"1", value=None))


def _key_of_all(key: bytes | None) -> Apply:
    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        rows = {*stream.rows}
        made = [replace(r, key=key) if at in rows else r for at, r in enumerate(stream.records)]
        return None if made == [*stream.records] else made

    return apply


def _key_of_one(change: Callable[[bytes | None], bytes | None]) -> Apply:
    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        at = draw.choice([at for at in stream.rows if not stream.has_tombstone(at)])
        made = stream.with_one(at, key=change(stream.records[at].key))
        return None if made == [*stream.records] else made

    return apply


def _flip_last_digit(key: bytes | None) -> bytes | None:
    if key is None:
        return b"1"
    places = [n for n, byte in enumerate(key) if 48 <= byte <= 57]
    if not places:
        return key + b"1"
    at = places[-1]
    return key[:at] + b"%d" % ((key[at] - 47) % 10) + key[at + 1 :]


MESSAGES = (
    Corruption("a message lost", "lost", _lost),
    Corruption("all messages of a row lost", "lost", _lost_with_row),
    Corruption("all messages of a table lost", "lost", _lost_table),
    Corruption("the end of the stream lost", "lost", _lost_tail),
    Corruption("a message twice", "duplicated", duplicated),
    Corruption("an old message behind a newer one", "stale", _stale),
    Corruption("an old message at the end", "stale", _stale_end),
    Corruption("two messages of a row exchanged", "reordered", _swapped_of_row),
    Corruption("a delete behind the insert of its new key", "reordered", _delete_behind_insert),
    Corruption("two messages of different rows exchanged", "reordered", _swapped_across_rows),
    Corruption("a change in another partition", "partition", _other_partition),
    Corruption("a message cut", "cut", _cut),
    Corruption("the Kafka key of all lost or added", "key", _key_of_all(None)),
    Corruption("the Kafka key of all the same", "key", _key_of_all(b"1")),
    Corruption("the Kafka key of one lost", "key", _key_of_one(lambda key: None)),
    Corruption("a digit in the Kafka key of one", "key", _key_of_one(_flip_last_digit)),
    Corruption("a tombstone lost", "tombstone", _tombstone_lost),
    Corruption("all tombstones lost", "tombstone", _all_tombstones_lost),
    Corruption("a tombstone of another key", "tombstone", _tombstone_of_another),
    Corruption("a tombstone of a live row", "tombstone", _stray_tombstone),
)
