"""Corruptions of what stands between a producer and its reader: mirrors, transforms, limits, restarts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from copies import partitioned
from corrupt_columns import put
from corrupt_members import commit_ts_of
from corrupt_values import cell_of
from shaped import BINARY, Tree, images_of, opened, payload_of, rows_of, table_of
from streams_of_trees import Apply, Corruption, Stream, edited, has_tombstone, in_any_order, row_key

from reference_impl.keys import handle_key
from reference_impl.model import Record

__all__ = ["PIPELINES"]


def _with_tombstone(stream: Stream, at: int) -> list[Record]:
    return [*stream.records[at : at + 1 + has_tombstone(stream, at)]]


def _window_again(stream: Stream, draw: Random) -> list[Record] | None:
    """A connector began again at an earlier place, and went on behind the one where it had been."""
    rows = stream.rows()
    again = {*rows[len(rows) // 3 : len(rows) // 3 + 8]}
    made: list[Record] = []
    waiting: list[Record] = []
    for at, record in enumerate(stream.records):
        made.append(record)
        waiting += _with_tombstone(stream, at) if at in again else []
        if waiting and at > max(again) and not has_tombstone(stream, at):
            made, waiting = made + waiting, []
    return stream.with_records(made)


def _old_window_at_end(stream: Stream, draw: Random) -> list[Record] | None:
    """Old messages of rows that have newer ones, at the end."""
    keys: dict[str, list[int]] = {}
    for at in stream.rows():
        if key := row_key(stream, at):
            keys.setdefault(key, []).append(at)
    old = sorted(places[0] for places in keys.values() if len(places) > 1)[:6]
    if not old:
        return None
    return stream.with_records([*stream.records, *(record for at in old for record in _with_tombstone(stream, at))])


def _largest(stream: Stream) -> int:
    """The size that one message of twenty exceeds."""
    sizes = sorted(len(stream.records[at].value or b"") for at in stream.rows())
    return sizes[len(sizes) * 19 // 20 - 1]


def _large_lost(stream: Stream, draw: Random) -> list[Record] | None:
    most, rows = _largest(stream), {*stream.rows()}
    kept = [r for at, r in enumerate(stream.records) if at not in rows or len(r.value or b"") <= most]
    return stream.with_records(kept)


def _large_cut(stream: Stream, draw: Random) -> list[Record] | None:
    most = _largest(stream)
    return [replace(r, value=r.value[:most] if r.value and len(r.value) > most else r.value) for r in stream.records]


def _partition_lost(stream: Stream, draw: Random) -> list[Record] | None:
    parted = partitioned(stream, 3)
    rows = {*stream.rows()}
    if parted is None or not any(parted[at].partition == 1 for at in rows):
        return None
    return stream.with_records([r for r in parted if r.partition != 1])


def _partitions_joined(stream: Stream, draw: Random) -> list[Record] | None:
    """Three partitions, copied one behind the other into one."""
    parted = partitioned(stream, 3)
    if parted is None:
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
        if stream.dialect != "debezium-connector" and stream.dialect != "debezium":
            return None
        made, rows = [*stream.records], stream.rows()
        for at in [draw.choice(rows)] if one else rows:
            key = json.loads(made[at].key or b"null")
            if not isinstance(key, dict):
                return None
            told = payload_of(key)
            told |= {name: str(value) for name, value in told.items() if isinstance(value, int)}
            data = json.dumps(key, separators=(",", ":")).encode()
            for n in range(at, at + 1 + has_tombstone(stream, at)):
                made[n] = replace(made[n], key=data)
        return None if made == [*stream.records] else made

    return apply


def _table_case(one: bool) -> Apply:
    def upper(key: Tree, value: Tree) -> None:
        told = payload_of(value)
        holder = key if isinstance(key, dict) and "tbl" in key else told if "table" in told else told.get("source", {})
        for name in ("tbl", "table"):
            if isinstance(holder.get(name), str):
                holder[name] = holder[name].upper()

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        return stream.changed(draw.choice(stream.rows()), upper) if one else stream.all_changed(upper)

    return apply


def _delete_as_nulls(stream: Stream, draw: Random) -> list[Record] | None:
    """A delete told as an update of its row to NULL in all columns but those of the key."""
    for at in in_any_order(draw, stream.rows()):
        images, trees = images_of(stream.dialect, stream.records[at]), opened(stream.dialect, stream.records[at])
        if trees is None or [*images] != ["before"] or stream.dialect == "canal":
            continue
        table = stream.tables.get(table_of(stream.dialect, trees))
        keys = {*handle_key(table)} if table else set()

        def change(key: Tree, value: Tree, keys: set[str] = keys) -> None:
            [image] = [*rows_of(stream.dialect, value)][:1]
            row, told = image.cells, payload_of(value)
            new = json.loads(json.dumps(row))
            for name in new:
                if name not in keys:
                    put(new, name, None, stream.dialect)
            if stream.dialect == "open-protocol":
                value.pop("d")
                value |= {"u": new, "p": row}
            elif stream.dialect == "canal-json":
                told |= {"type": "UPDATE", "data": [new], "old": [row]}
            else:
                told |= {"op": "u", "before": row, "after": new}

        return stream.changed(at, change)
    return None


def _other_time(key: Tree, value: Tree, dialect: str) -> None:
    place = commit_ts_of(dialect, key, value)
    if place is not None:
        place[0][place[1]] += 5000 << 18
    told = payload_of(value)
    for holder, name in ((told, "es"), (told.get("source") or {}, "ts_ms")):
        if isinstance(holder.get(name), int):
            holder[name] += 5000
    source = told.get("source") or {}
    for name, factor in (("ts_us", 1000), ("ts_ns", 1_000_000)):
        if name in source:
            source[name] = source["ts_ms"] * factor


def _again_at_another_time(stream: Stream, draw: Random) -> list[Record] | None:
    """A message again, as of another transaction five seconds later."""
    for at in in_any_order(draw, stream.rows()):
        if has_tombstone(stream, at):
            continue
        other = edited(stream.dialect, stream.records[at], lambda key, value: _other_time(key, value, stream.dialect))
        if other is not None:
            return stream.with_records([*stream.records[: at + 1], other, *stream.records[at + 1 :]])
    return None


def _after_as_before(stream: Stream, draw: Random) -> list[Record] | None:
    """An update that leaves its row as it was, in place of one that changes it."""
    for at in in_any_order(draw, stream.rows()):
        images = images_of(stream.dialect, stream.records[at])
        if len(images) == 2 and any(images["after"].get(name) != cell for name, cell in images["before"].items()):

            def change(key: Tree, value: Tree) -> None:
                found = {image.name: image.cells for image in rows_of(stream.dialect, value)}
                found["after"] |= found["before"]

            return stream.changed(at, change)
    return None


def _again_with_other_values(stream: Stream, draw: Random) -> list[Record] | None:
    """A message again, with another text in it."""
    for at in in_any_order(draw, stream.rows()):
        trees = opened(stream.dialect, stream.records[at])
        if trees is None or has_tombstone(stream, at):
            continue
        keys = (
            {*handle_key(stream.tables[name])} if (name := table_of(stream.dialect, trees)) in stream.tables else {""}
        )

        def change(key: Tree, value: Tree, keys: set[str] = keys) -> None:
            for image in rows_of(stream.dialect, value):
                for column, cell in image.cells.items():
                    told = cell_of(cell, stream.dialect)
                    if image.name == "after" and column not in keys and isinstance(told, str) and told.isalpha():
                        put(image.cells, column, f"{told}x", stream.dialect)
                        return

        other = edited(stream.dialect, stream.records[at], change)
        if other is not None and keys != {""}:
            return stream.with_records([*stream.records[: at + 1], other, *stream.records[at + 1 :]])
    return None


def _rounded_commit_ts(stream: Stream, draw: Random) -> list[Record] | None:
    """Commit time stamps through a double, as tools have them that know no other number."""

    def rounded(key: Tree, value: Tree) -> None:
        place = commit_ts_of(stream.dialect, key, value)
        if place is not None:
            place[0][place[1]] = int(float(place[0][place[1]]))

    return stream.all_changed(rounded)


def _old(change: Callable[[dict[str, Any], dict[str, Any]], dict[str, Any] | None]) -> Apply:
    """The `old` of an update of the canal family."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        def changed(key: Tree, value: Tree) -> None:
            if value.get("type") == "UPDATE" and value.get("old"):
                made = [change(old, new) for old, new in zip(value["old"], value["data"], strict=True)]
                value["old"] = None if None in made else made

        if not stream.dialect.startswith("canal"):
            return None
        for at in in_any_order(draw, stream.rows()):
            if (made := stream.changed(at, changed)) is not None:
                return made
        return None

    return apply


def _of_table_lost_behind(stream: Stream, draw: Random) -> list[Record] | None:
    """From the middle on the messages of a table are lost: a filter of topics that was set anew."""
    if stream.dialect in BINARY:
        return None
    rows = [at for at in stream.rows() if at > len(stream.records) // 2]
    tables = {at: table_of(stream.dialect, trees) for at, trees in stream.trees()}
    chosen = draw.choice(sorted({tables[at] for at in rows}))
    gone = {n for at in rows if tables[at] == chosen for n in range(at, at + 1 + has_tombstone(stream, at))}
    return stream.with_records([record for at, record in enumerate(stream.records) if at not in gone])


def _deletes_lost(stream: Stream, draw: Random) -> list[Record] | None:
    """No delete arrives: a sink that only upserts, copied on."""
    gone: set[int] = set()
    for at in stream.rows():
        if stream.dialect not in BINARY and [*images_of(stream.dialect, stream.records[at])] == ["before"]:
            gone |= {*range(at, at + 1 + has_tombstone(stream, at))}
    return stream.with_records([r for at, r in enumerate(stream.records) if at not in gone]) if gone else None


def _deletes_first(stream: Stream, draw: Random) -> list[Record] | None:
    """An insert behind the delete of its row: two consumers of one partition."""
    last: dict[str, int] = {}
    for at in stream.rows():
        images, key = images_of(stream.dialect, stream.records[at]), row_key(stream, at)
        if [*images] == ["before"] and key in last:
            a, records = last[key], [*stream.records]
            moved = records.pop(a)
            records.insert(at + has_tombstone(stream, at), moved)
            return stream.with_records(records)
        if key:
            last[key] = at
    return None


def _statement_behind_rows(stream: Stream, draw: Random) -> list[Record] | None:
    """A statement that arrives after the first rows that it is about."""
    rows = {*stream.rows()}
    tables = {at: table_of(stream.dialect, trees) for at, trees in stream.trees()}
    for at in in_any_order(draw, stream.statements()):
        behind = [n for n in sorted(rows) if n > at and tables[n] == tables[at]]
        if tables[at] in stream.tables and behind and not any(at < n <= behind[0] for n in stream.statements()):
            records = [*stream.records]
            moved = records.pop(at)
            records.insert(behind[0] + has_tombstone(stream, behind[0]), moved)
            return stream.with_records(records)
    return None


def _all() -> Iterator[Corruption]:
    whole: Sequence[tuple[str, str, Apply]] = (
        ("a window that was sent again", "duplicated", _window_again),
        ("an old window at the end", "stale", _old_window_at_end),
        ("the largest messages lost", "lost", _large_lost),
        ("the largest messages cut", "cut", _large_cut),
        ("one partition of three lost", "lost", _partition_lost),
        ("three partitions joined one behind the other", "reordered", _partitions_joined),
        ("no tombstones in one partition", "tombstone", _tombstones_of_a_partition),
        ("all messages backwards", "reordered", _backwards),
        ("numbers as texts in a Kafka key", "key", _key_as_texts(one=True)),
        ("numbers as texts in all Kafka keys", "key", _key_as_texts(one=False)),
        ("a table in capitals", "names", _table_case(one=True)),
        ("all tables in capitals", "names", _table_case(one=False)),
        ("a delete told as an update to NULL", "operation", _delete_as_nulls),
        ("a message again at another time", "duplicated", _again_at_another_time),
        ("a message again with another value", "duplicated", _again_with_other_values),
        ("an update that leaves its row as it was", "value", _after_as_before),
        ("commit time stamps through a double", "clock", _rounded_commit_ts),
        ("an `old` that is empty", "before image", _old(lambda old, new: {})),
        ("an `old` that is null", "before image", _old(lambda old, new: None)),
        ("an `old` of the new values", "before image", _old(lambda old, new: {name: new[name] for name in old})),
        ("an `old` of all columns", "before image", _old(lambda old, new: {**new, **old})),
        ("the second half of a table lost", "lost", _of_table_lost_behind),
        ("a statement behind the first row after it", "DDL", _statement_behind_rows),
        ("all deletes lost", "lost", _deletes_lost),
        ("an insert behind the delete of its row", "reordered", _deletes_first),
    )
    yield from (Corruption(*one) for one in whole)


PIPELINES: Sequence[Corruption] = tuple(_all())
