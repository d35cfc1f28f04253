"""Corruptions of what stands between a producer and its reader: mirrors, transforms, limits, restarts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from copies import partitioned
from corrupt_messages import histories
from trees import (
    BINARY,
    Apply,
    Corruption,
    Image,
    Stream,
    Tree,
    changer,
    commit_ts_of,
    edited,
    in_any_order,
    later,
    payload_of,
    rows_of,
    source_of,
)

from reference_impl.model import Record


def _window_again(stream: Stream, draw: Random) -> list[Record]:
    """A connector began again at an earlier place, and went on behind the one where it had been."""
    begin = len(stream.rows) // 3
    again = stream.rows[begin : begin + 8]
    waiting = [stream.records[n] for at in again for n in stream.whole(at)]
    at = next(at for at in range(again[-1] + 1, len(stream.records)) if not stream.has_tombstone(at))
    return stream.with_again(at, *waiting)


def _old_window_at_end(stream: Stream, draw: Random) -> list[Record] | None:
    """Old messages of rows that have newer ones, at the end."""
    old = sorted(places[0] for places in histories(stream))[:6]
    again = [stream.records[n] for at in old for n in stream.whole(at)]
    return stream.with_records([*stream.records, *again]) if old else None


def _largest(stream: Stream) -> int:
    """The size that one message of twenty exceeds."""
    sizes = sorted(len(stream.records[at].value or b"") for at in stream.rows)
    return sizes[len(sizes) * 19 // 20 - 1]


def _large_lost(stream: Stream, draw: Random) -> list[Record] | None:
    most, rows = _largest(stream), {*stream.rows}
    kept = [r for at, r in enumerate(stream.records) if at not in rows or len(r.value or b"") <= most]
    return stream.with_records(kept)


def _large_cut(stream: Stream, draw: Random) -> list[Record] | None:
    most = _largest(stream)
    return [replace(r, value=r.value[:most] if r.value and len(r.value) > most else r.value) for r in stream.records]


def _partition_lost(stream: Stream, draw: Random) -> list[Record] | None:
    parted = partitioned(stream, 3)
    if parted is None or not any(parted[at].partition == 1 for at in stream.rows):
        return None
    return stream.with_records([r for r in parted if r.partition != 1])


def _partitions_joined(stream: Stream, draw: Random) -> list[Record] | None:
    """Three partitions, copied one behind the other into one."""
    if (parted := partitioned(stream, 3)) is None:
        return None
    order = sorted(range(len(parted)), key=lambda at: ((parted[at].topic or ""), parted[at].partition or 0, at))
    made = stream.with_records([stream.records[at] for at in order])
    return None if [r.value for r in made] == [r.value for r in stream.records] else made


def _tombstones_of_a_partition(stream: Stream, draw: Random) -> list[Record] | None:
    parted = partitioned(stream, 2)
    if parted is None or stream.dialect != "debezium-connector":
        return None
    kept = [r for r in parted if r.value is not None or r.partition != 1]
    return stream.with_records(kept) if len(kept) < len(parted) else None


def _backwards(stream: Stream, draw: Random) -> list[Record] | None:
    """All messages in the opposite order, a tombstone behind its delete."""
    groups: list[list[Record]] = []
    for record in stream.records:
        if record.value is None and groups and stream.dialect not in BINARY:
            groups[-1].append(record)
        else:
            groups.append([record])
    return stream.with_records([record for group in reversed(groups) for record in group])


def _key_as_texts(one: bool) -> Apply:
    """Numbers in Kafka keys as texts."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        if "debezium" not in stream.dialect:
            return None
        made, rows = [*stream.records], stream.rows
        for at in [draw.choice(rows)] if one else rows:
            key = json.loads(made[at].key or b"null")
            if not isinstance(key, dict):
                return None
            payload = payload_of(key)
            payload |= {name: str(value) for name, value in payload.items() if isinstance(value, int)}
            data = json.dumps(key, separators=(",", ":")).encode()
            for n in stream.whole(at):
                made[n] = replace(made[n], key=data)
        return None if made == [*stream.records] else made

    return apply


def _in_capitals(key: Tree, value: Tree) -> None:
    """The name of the table."""
    payload = payload_of(value)
    holder = key if isinstance(key, dict) and "tbl" in key else payload if "table" in payload else source_of(value)
    holder |= {name: holder[name].upper() for name in ("tbl", "table") if isinstance(holder.get(name), str)}


def _delete_as_nulls(stream: Stream, draw: Random) -> list[Record] | None:
    """A delete sent as an update of its row to NULL in all columns but those of the key."""
    for at in in_any_order(draw, stream.rows):
        if [*stream.images(at)] == ["before"] and stream.dialect != "canal":
            return stream.changed(at, partial(_update_to_null, stream, stream.key_columns(at)))
    return None


def _update_to_null(stream: Stream, keys: Sequence[str], key: Tree, value: Tree) -> None:
    image = next(rows_of(stream.dialect, value))
    row, payload = image.cells, payload_of(value)
    new = Image("after", json.loads(json.dumps(row)), image.framed)
    for name in row.keys() - {*keys}:
        new.put(name, None)
    if stream.dialect == "open-protocol":
        value.pop("d")
        value |= {"u": new.cells, "p": row}
    elif stream.dialect == "canal-json":
        payload |= {"type": "UPDATE", "data": [new.cells], "old": [row]}
    else:
        payload |= {"op": "u", "before": row, "after": new.cells}


def _again_at_another_time(stream: Stream, draw: Random) -> list[Record] | None:
    """A message again, as of another transaction five seconds later."""
    for at in in_any_order(draw, stream.rows):
        other = edited(stream.dialect, stream.records[at], later(stream.dialect, 5000))
        if other is not None and not stream.has_tombstone(at):
            return stream.with_again(at, other)
    return None


def _after_as_before(stream: Stream, draw: Random) -> list[Record] | None:
    """An update that leaves its row as it was, in place of one that changes it."""

    def change(key: Tree, value: Tree) -> None:
        found = {image.name: image.cells for image in rows_of(stream.dialect, value)}
        found["after"] |= found["before"]

    for at in in_any_order(draw, stream.rows):
        images = {name: image.cells for name, image in stream.images(at).items()}
        if len(images) == 2 and any(images["after"].get(name) != cell for name, cell in images["before"].items()):
            return stream.changed(at, change)
    return None


def _again_with_other_values(stream: Stream, draw: Random) -> list[Record] | None:
    """A message again, with another text in it."""
    for at in in_any_order(draw, stream.rows):
        keys = stream.key_columns(at)

        def change(key: Tree, value: Tree, keys: Sequence[str] = keys) -> None:
            for image in rows_of(stream.dialect, value):
                for column in image.cells if image.name == "after" else ():
                    text = image.get(column)
                    if column not in keys and isinstance(text, str) and text.isalpha():
                        image.put(column, f"{text}x")
                        return

        other = edited(stream.dialect, stream.records[at], change)
        if other is not None and keys and not stream.has_tombstone(at):
            return stream.with_again(at, other)
    return None


def _rounded_commit_ts(stream: Stream, draw: Random) -> list[Record] | None:
    """Commit time stamps through a double, as tools have them that know no other number."""
    return stream.all_changed(changer(stream.dialect, commit_ts_of, lambda ts: int(float(ts))))


def _old(change: Callable[[dict[str, Any], dict[str, Any]], dict[str, Any] | None]) -> Apply:
    """The `old` of an update of the canal family."""

    def changed(key: Tree, value: Tree) -> None:
        if value.get("type") == "UPDATE" and value.get("old"):
            made = [change(old, new) for old, new in zip(value["old"], value["data"], strict=True)]
            value["old"] = None if None in made else made

    return lambda stream, draw: stream.one_changed(draw, changed) if "canal" in stream.dialect else None


def _of_table_lost_behind(stream: Stream, draw: Random) -> list[Record] | None:
    """From the middle on the messages of a table are lost: a filter of topics that was set anew."""
    if stream.dialect in BINARY:
        return None
    rows = [at for at in stream.rows if at > len(stream.records) // 2]
    chosen = draw.choice(sorted({stream.names[at] for at in rows}))
    return stream.without([at for at in rows if stream.names[at] == chosen])


def _deletes_lost(stream: Stream, draw: Random) -> list[Record] | None:
    """No delete arrives: a sink that only upserts, copied on."""
    gone = [at for at in stream.rows if [*stream.images(at)] == ["before"]]
    return stream.without(gone) if gone else None


def _deletes_first(stream: Stream, draw: Random) -> list[Record] | None:
    """An insert behind the delete of its row: two consumers of one partition."""
    last: dict[str, int] = {}
    for at, key in stream.keys.items():
        if [*stream.images(at)] == ["before"] and key in last:
            return stream.moved(last[key], stream.whole(at)[-1])
        if key:
            last[key] = at
    return None


def _statement_behind_rows(stream: Stream, draw: Random) -> list[Record] | None:
    """A statement that arrives after the first rows that it is about."""
    for at in in_any_order(draw, stream.statements):
        behind = [n for n in stream.rows if n > at and stream.names[n] == stream.names[at]]
        known = stream.names[at] in stream.tables
        if known and behind and not any(at < n <= behind[0] for n in stream.statements):
            return stream.moved(at, stream.whole(behind[0])[-1])
    return None


PIPELINES = (
    Corruption("a window that was sent again", "duplicated", _window_again),
    Corruption("an old window at the end", "stale", _old_window_at_end),
    Corruption("the largest messages lost", "lost", _large_lost),
    Corruption("the largest messages cut", "cut", _large_cut),
    Corruption("one partition of three lost", "lost", _partition_lost),
    Corruption("three partitions joined one behind the other", "reordered", _partitions_joined),
    Corruption("no tombstones in one partition", "tombstone", _tombstones_of_a_partition),
    Corruption("all messages backwards", "reordered", _backwards),
    Corruption("numbers as texts in a Kafka key", "key", _key_as_texts(one=True)),
    Corruption("numbers as texts in all Kafka keys", "key", _key_as_texts(one=False)),
    Corruption("a table in capitals", "names", lambda of, draw: of.changed(draw.choice(of.rows), _in_capitals)),
    Corruption("all tables in capitals", "names", lambda of, draw: of.all_changed(_in_capitals)),
    Corruption("a delete told as an update to NULL", "operation", _delete_as_nulls),
    Corruption("a message again at another time", "duplicated", _again_at_another_time),
    Corruption("a message again with another value", "duplicated", _again_with_other_values),
    Corruption("an update that leaves its row as it was", "value", _after_as_before),
    Corruption("commit time stamps through a double", "clock", _rounded_commit_ts),
    Corruption("an `old` that is empty", "before image", _old(lambda old, new: {})),
    Corruption("an `old` that is null", "before image", _old(lambda old, new: None)),
    Corruption("an `old` of the new values", "before image", _old(lambda old, new: {name: new[name] for name in old})),
    Corruption("an `old` of all columns", "before image", _old(lambda old, new: {**new, **old})),
    Corruption("the second half of a table lost", "lost", _of_table_lost_behind),
    Corruption("a statement behind the first row after it", "DDL", _statement_behind_rows),
    Corruption("all deletes lost", "lost", _deletes_lost),
    Corruption("an insert behind the delete of its row", "reordered", _deletes_first),
)
