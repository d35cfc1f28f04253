"""Corruptions of whole messages: lost, twice, stale, in another order or partition, cut; and of tombstones."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random

from shaped import BINARY, opened, payload_of, rows_of, table_of
from streams_of_trees import Apply, Corruption, Stream, exchanged, has_tombstone, row_key

from reference_impl.model import Record

__all__ = ["MESSAGES"]


def _lost(stream: Stream, draw: Random) -> list[Record] | None:
    at = draw.choice(stream.rows())
    records = [*stream.records]
    del records[at : at + 1 + (has_tombstone(stream, at))]
    return stream.with_records(records)


def _lost_with_row(stream: Stream, draw: Random) -> list[Record] | None:
    """All messages with the key of one row."""
    keys = [row_key(stream, at) for at in stream.rows()]
    chosen = draw.choice([key for key in keys if key])
    gone = {at for at, key in zip(stream.rows(), keys, strict=True) if key == chosen}
    gone |= {at + 1 for at in gone if has_tombstone(stream, at)}
    return stream.with_records([record for at, record in enumerate(stream.records) if at not in gone])


def _lost_table(stream: Stream, draw: Random) -> list[Record] | None:
    if stream.dialect in BINARY:
        return None
    named = {at: table_of(stream.dialect, trees) for at, trees in stream.trees() if at in {*stream.rows()}}
    chosen = draw.choice(sorted(set(named.values())))
    gone = {at for at, table in named.items() if table == chosen}
    gone |= {at + 1 for at in gone if has_tombstone(stream, at)}
    return stream.with_records([record for at, record in enumerate(stream.records) if at not in gone])


def _lost_tail(stream: Stream, draw: Random) -> list[Record] | None:
    return [*stream.records[: -max(5, len(stream.records) // 20)]]


def _duplicated(stream: Stream, draw: Random) -> list[Record] | None:
    at = draw.choice(stream.rows())
    return stream.with_records([*stream.records[: at + 1], *stream.records[at:]])


def _histories(stream: Stream) -> list[list[int]]:
    """The places of messages of each row that has several."""
    found: dict[str, list[int]] = {}
    for at in stream.rows():
        if key := row_key(stream, at):
            found.setdefault(key, []).append(at)
    return [places for places in found.values() if len(places) > 1]


def _stale(stream: Stream, draw: Random) -> list[Record] | None:
    """The first message of a row again behind its last."""
    histories = [places for places in _histories(stream) if _differ(stream, places[0], places[-1])]
    if not histories:
        return None
    places = draw.choice(histories)
    records = [*stream.records]
    records.insert(places[-1] + 1 + has_tombstone(stream, places[-1]), records[places[0]])
    return stream.with_records(records)


def _differ(stream: Stream, a: int, b: int) -> bool:
    return stream.records[a].value != stream.records[b].value


def _stale_end(stream: Stream, draw: Random) -> list[Record] | None:
    """An old message of a row at the very end."""
    histories = [places for places in _histories(stream) if _differ(stream, places[0], places[-1])]
    if not histories:
        return None
    return stream.with_records([*stream.records, stream.records[draw.choice(histories)[0]]])


def _swapped_of_row(stream: Stream, draw: Random) -> list[Record] | None:
    histories = [places for places in _histories(stream) if _differ(stream, places[0], places[1])]
    histories = [p for p in histories if not has_tombstone(stream, p[0]) and not has_tombstone(stream, p[1])]
    if not histories:
        return None
    a, b = draw.choice(histories)[:2]
    records = [*stream.records]
    records[a], records[b] = records[b], records[a]
    return stream.with_records(records)


def _op(stream: Stream, at: int) -> str:
    trees = opened(stream.dialect, stream.records[at])
    if trees is None:
        return ""
    images = [image.name for image in rows_of(stream.dialect, trees[1])]
    return "delete" if images and "after" not in images else "insert" if "before" not in images else "update"


def _commit(stream: Stream, at: int) -> object:
    trees = opened(stream.dialect, stream.records[at])
    if trees is None:
        return None
    key, value = trees
    told = payload_of(value)
    return (
        (value.get("_tidb") or {}).get("commitTs") or (key or {}).get("ts") or told.get("source", {}).get("commit_ts")
    )


def _delete_behind_insert(stream: Stream, draw: Random) -> list[Record] | None:
    """A delete of the old key and the insert of the new one, of one transaction, change places."""
    rows = stream.rows()
    found = [
        (a, b)
        for a, b in itertools.pairwise(rows)
        if b == a + 1
        and (_op(stream, a), _op(stream, b)) == ("delete", "insert")
        and _commit(stream, a) == _commit(stream, b) is not None
        and row_key(stream, a) != row_key(stream, b)
        and stream.records[a].topic == stream.records[b].topic
    ]
    return exchanged(stream, draw.choice(found)) if found else None


def _swapped_across_rows(stream: Stream, draw: Random) -> list[Record] | None:
    """Two messages of different rows and times change places."""
    rows = stream.rows()
    found = [
        (a, b)
        for a, b in zip(rows, rows[3:], strict=False)
        if row_key(stream, a) != row_key(stream, b)
        and (stream.records[a].topic, stream.records[a].partition)
        == (stream.records[b].topic, stream.records[b].partition)
        and _commit(stream, a) != _commit(stream, b)
        and not has_tombstone(stream, a)
        and not has_tombstone(stream, b)
        and not {row_key(stream, n) for n in (a, b)} & {row_key(stream, n) for n in rows if a < n < b}
    ]
    return exchanged(stream, draw.choice(found)) if found else None


def _other_partition(stream: Stream, draw: Random) -> list[Record] | None:
    """A change of a row that has several is in another partition, where it is before or behind all others."""
    histories = [places for places in _histories(stream) if _differ(stream, places[0], places[-1])]
    if not histories:
        return None
    at = draw.choice(histories)[0]
    records = [*stream.records]
    records[at] = replace(records[at], partition=(records[at].partition or 0) + 1)
    if has_tombstone(stream, at):
        records[at + 1] = replace(records[at + 1], partition=records[at].partition)
    return stream.with_records(records)


def _cut(stream: Stream, draw: Random) -> list[Record] | None:
    at = draw.choice(stream.rows())
    value = stream.records[at].value or b""
    records = [*stream.records]
    records[at] = replace(records[at], value=value[: len(value) * 2 // 3])
    return records


def _tombstones(stream: Stream) -> list[int]:
    return [] if stream.dialect == "avro" else [at for at, record in enumerate(stream.records) if record.value is None]


def _tombstone_lost(stream: Stream, draw: Random) -> list[Record] | None:
    found = _tombstones(stream)
    if not found:
        return None
    at = draw.choice(found)
    return stream.with_records([*stream.records[:at], *stream.records[at + 1 :]])


def _all_tombstones_lost(stream: Stream, draw: Random) -> list[Record] | None:
    found = {*_tombstones(stream)}
    return stream.with_records([r for at, r in enumerate(stream.records) if at not in found]) if found else None


def _tombstone_of_another(stream: Stream, draw: Random) -> list[Record] | None:
    found = _tombstones(stream)
    if not found:
        return None
    at = draw.choice(found)
    records = [*stream.records]
    records[at] = replace(records[at], key=_flip_last_digit(records[at].key))
    return records


def _stray_tombstone(stream: Stream, draw: Random) -> list[Record] | None:
    if stream.dialect == "avro":
        return None
    at = draw.choice([at for at in stream.rows() if not has_tombstone(stream, at)])
    key = stream.records[at].key or b"1"
    tombstone = replace(stream.records[at], key=key, value=None)
    return stream.with_records([*stream.records[: at + 1], tombstone, *stream.records[at + 1 :]])


def _key_of_all(key: bytes | None) -> Apply:
    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        rows = {*stream.rows()}
        made = [replace(r, key=key) if at in rows else r for at, r in enumerate(stream.records)]
        return None if made == [*stream.records] else made

    return apply


def _key_of_one(change: Callable[[bytes | None], bytes | None]) -> Apply:
    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        rows = [at for at in stream.rows() if not has_tombstone(stream, at)]
        at = draw.choice(rows)
        records = [*stream.records]
        records[at] = replace(records[at], key=change(records[at].key))
        return None if records[at] == stream.records[at] else records

    return apply


def _flip_last_digit(key: bytes | None) -> bytes | None:
    if key is None:
        return b"1"
    places = [n for n, byte in enumerate(key) if 48 <= byte <= 57]
    if not places:
        return key + b"1"
    at = places[-1]
    return key[:at] + b"%d" % ((key[at] - 47) % 10) + key[at + 1 :]


def _all() -> Iterator[Corruption]:
    whole: Sequence[tuple[str, str, Apply]] = (
        ("a message lost", "lost", _lost),
        ("all messages of a row lost", "lost", _lost_with_row),
        ("all messages of a table lost", "lost", _lost_table),
        ("the end of the stream lost", "lost", _lost_tail),
        ("a message twice", "duplicated", _duplicated),
        ("an old message behind a newer one", "stale", _stale),
        ("an old message at the end", "stale", _stale_end),
        ("two messages of a row exchanged", "reordered", _swapped_of_row),
        ("a delete behind the insert of its new key", "reordered", _delete_behind_insert),
        ("two messages of different rows exchanged", "reordered", _swapped_across_rows),
        ("a change in another partition", "partition", _other_partition),
        ("a message cut", "cut", _cut),
        ("the Kafka key of all lost or added", "key", _key_of_all(None)),
        ("the Kafka key of all the same", "key", _key_of_all(b"1")),
        ("the Kafka key of one lost", "key", _key_of_one(lambda key: None)),
        ("a digit in the Kafka key of one", "key", _key_of_one(_flip_last_digit)),
        ("a tombstone lost", "tombstone", _tombstone_lost),
        ("all tombstones lost", "tombstone", _all_tombstones_lost),
        ("a tombstone of another key", "tombstone", _tombstone_of_another),
        ("a tombstone of a live row", "tombstone", _stray_tombstone),
    )
    yield from (Corruption(*one) for one in whole)


MESSAGES: Sequence[Corruption] = tuple(_all())
