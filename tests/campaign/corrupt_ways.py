"""Corruptions of how rows are written: their columns and operations, their keys, whole messages and their bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

from trees import BINARY, Apply, Corruption, Stream, Tree, in_any_order, payload_of, rows_of, shut

from reference_impl.model import Record


def _column_renamed(change: Callable[[str], str]) -> Apply:
    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        def renamed(key: Tree, value: Tree) -> None:
            for image in rows_of(stream.dialect, value):
                name = [*image.cells][-1]
                if change(name) != name:
                    image.cells[change(name)] = image.cells.pop(name)

        return stream.one_changed(draw, renamed)

    return apply


def _column_more(stream: Stream, draw: Random) -> list[Record] | None:
    def more(key: Tree, value: Tree) -> None:
        for image in rows_of(stream.dialect, value):
            image.cells["zz_more"] = {"t": 3, "f": 0, "v": 1} if stream.dialect == "open-protocol" else None

    return stream.changed(draw.choice(stream.rows), more)


# -- operations


def _other_op(of: Sequence[str], to: str) -> Apply:
    """A row that is written as another operation, its images as they are."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        def change(key: Tree, value: Tree) -> None:
            payload = payload_of(value)
            for name in ("type", "op"):
                if payload.get(name) in of:
                    payload[name] = to

        return stream.one_changed(draw, change)

    return apply


def _update_in_two(stream: Stream, draw: Random) -> list[Record] | None:
    """An update sent as a delete of the old row and an insert of the new one."""
    if stream.dialect not in ("debezium", "debezium-connector", "open-protocol"):
        return None
    for at in in_any_order(draw, stream.rows):
        if len(stream.images(at)) != 2:
            continue
        halves = []
        for kept in ("before", "after"):
            key, value = stream.trees(at)
            if stream.dialect == "open-protocol":
                row = value.pop("p")
                if kept == "before":
                    value["d"] = {**value.pop("u"), **row}
            else:
                payload = payload_of(value)
                payload["op"] = "d" if kept == "before" else "c"
                payload["after" if kept == "before" else "before"] = None
            halves.append(shut(stream.dialect, stream.records[at], (key, value)))
        return stream.with_records([*stream.records[:at], *halves, *stream.records[at + 1 :]])
    return None


# -- keys and messages


def _key_of_another(stream: Stream, draw: Random) -> list[Record] | None:
    """A message with the Kafka key of another row."""
    keyed = [at for at in stream.rows if stream.records[at].key and not stream.has_tombstone(at)]
    for a, b in pairwise(keyed):
        if stream.records[a].key != stream.records[b].key and stream.dialect not in (*BINARY, "open-protocol"):
            return stream.with_one(a, key=stream.records[b].key)
    return None


def _copy_over_next(stream: Stream, draw: Random) -> list[Record] | None:
    """A message stands in the place of the next one, which is lost."""
    rows = [at for at in stream.rows if not stream.has_tombstone(at)]
    for a, b in pairwise(rows):
        if stream.records[a].topic == stream.records[b].topic and stream.records[a].value != stream.records[b].value:
            return [
                *stream.records[:b],
                replace(stream.records[a], offset=stream.records[b].offset),
                *stream.records[b + 1 :],
            ]
    return None


def _bytes(change: Callable[[bytes], bytes]) -> Apply:
    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        at = draw.choice(stream.rows)
        return stream.with_one(at, value=change(stream.records[at].value or b""))

    return apply


def _lost_part(keep: Callable[[int, int], bool]) -> Apply:
    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        rows = [at for at in stream.rows if not stream.has_tombstone(at)]
        return stream.without([at for number, at in enumerate(rows) if not keep(number, len(rows))])

    return apply


def _block_later(stream: Stream, draw: Random) -> list[Record] | None:
    """Ten messages come behind the ten that follow them, rows of one partition among both: only there is an order."""
    records, rows = stream.records, {*stream.rows}

    def partitions(begin: int) -> set[tuple[str | None, int | None]]:
        return {(records[n].topic, records[n].partition) for n in range(begin, begin + 10) if n in rows}

    places = range(len(records) // 3, len(records) - 20) if len(records) >= 60 else ()
    at = next((at for at in places if partitions(at) & partitions(at + 10)), None)
    if at is None:
        return None
    return stream.with_records(
        [*records[:at], *records[at + 10 : at + 20], *records[at : at + 10], *records[at + 20 :]]
    )


def _in_other_table(stream: Stream, draw: Random) -> list[Record] | None:
    """A row names another of the tables."""
    if stream.dialect not in ("canal", "canal-json", "debezium", "debezium-connector"):
        return None

    def change(key: Tree, value: Tree) -> None:
        payload = payload_of(value)
        holder = payload if "table" in payload else payload["source"]
        holder["table"] = next(name for name in sorted(stream.tables) if name != holder["table"])

    return stream.changed(draw.choice(stream.rows), change)


def _member_more(stream: Stream, draw: Random) -> list[Record] | None:
    def more(key: Tree, value: Tree) -> None:
        payload_of(value)["zz_more"] = 1

    return stream.changed(draw.choice(stream.rows), more)


def _first_tombstone(stream: Stream) -> int | None:
    return next((at + 1 for at in stream.rows if stream.has_tombstone(at)), None)


def _tombstone_first(stream: Stream, draw: Random) -> list[Record] | None:
    """A tombstone before its delete."""
    at = _first_tombstone(stream)
    return None if at is None else stream.exchanged(at - 1, at)


def _tombstone_elsewhere(stream: Stream, draw: Random) -> list[Record] | None:
    """A tombstone in another partition than its delete."""
    at = _first_tombstone(stream)
    return None if at is None else stream.with_one(at, partition=(stream.records[at].partition or 0) + 1, offset=0)


WAYS = (
    Corruption("a column in another case", "names", _column_renamed(str.swapcase)),
    Corruption("a column with a blank behind its name", "names", _column_renamed(lambda name: f"{name} ")),
    Corruption("a column more", "names", _column_more),
    Corruption("a member more", "names", _member_more),
    Corruption("a row of another table", "names", _in_other_table),
    Corruption("an insert told as an update", "operation", _other_op(("INSERT", "c"), "UPDATE")),
    Corruption("an insert told as `u`", "operation", _other_op(("c",), "u")),
    Corruption("an insert told as read", "operation", _other_op(("c",), "r")),
    Corruption("an update told as an insert", "operation", _other_op(("UPDATE",), "INSERT")),
    Corruption("an update told as `c`", "operation", _other_op(("u",), "c")),
    Corruption("an update told as a delete", "operation", _other_op(("UPDATE",), "DELETE")),
    Corruption("an update told as `d`", "operation", _other_op(("u",), "d")),
    Corruption("a delete told as an insert", "operation", _other_op(("DELETE",), "INSERT")),
    Corruption("a delete told as `c`", "operation", _other_op(("d",), "c")),
    Corruption("a delete told in another case", "operation", _other_op(("DELETE",), "delete")),
    Corruption("an operation that nobody knows", "operation", _other_op(("INSERT", "c"), "zz")),
    Corruption("an update told as a delete and an insert", "operation", _update_in_two),
    Corruption("the Kafka key of another row", "key", _key_of_another),
    Corruption("a message in place of the next", "lost", _copy_over_next),
    Corruption("every second message lost", "lost", _lost_part(lambda number, count: number % 2 == 0)),
    Corruption("the first half lost", "lost", _lost_part(lambda number, count: number >= count // 2)),
    Corruption("one of twenty lost", "lost", _lost_part(lambda number, count: number % 20 != 7)),
    Corruption("ten messages behind the next ten", "reordered", _block_later),
    Corruption("a tombstone before its delete", "tombstone", _tombstone_first),
    Corruption("a tombstone in another partition", "tombstone", _tombstone_elsewhere),
    Corruption("a message that is empty", "cut", _bytes(lambda data: b"")),
    Corruption("a message that is `{}`", "cut", _bytes(lambda data: b"{}")),
    Corruption("a message that is `null`", "cut", _bytes(lambda data: b"null")),
    Corruption("a message with more behind it", "cut", _bytes(lambda data: data + b"{")),
    Corruption("a message behind a mark of its bytes", "cut", _bytes(lambda data: b"\xef\xbb\xbf" + data)),
    Corruption("a byte that is no UTF-8", "cut", _bytes(lambda data: data[:-40] + b"\xff" + data[-40:])),
    Corruption("a message in UTF-16", "cut", _bytes(lambda data: data.decode("utf-8", "replace").encode("utf-16"))),
)
