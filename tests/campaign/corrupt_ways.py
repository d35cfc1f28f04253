"""Corruptions of how rows are told: their columns and operations, their keys, whole messages and their bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

from shaped import BINARY, Tree, images_of, opened, payload_of, rows_of, shut
from streams_of_trees import Apply, Corruption, Stream, has_tombstone, in_any_order

from reference_impl.model import Record

__all__ = ["WAYS"]


def _column_renamed(change: Callable[[str], str]) -> Apply:
    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        def renamed(key: Tree, value: Tree) -> None:
            for image in rows_of(stream.dialect, value):
                name = [*image.cells][-1]
                if change(name) != name:
                    image.cells[change(name)] = image.cells.pop(name)

        for at in in_any_order(draw, stream.rows()):
            if (made := stream.changed(at, renamed)) is not None:
                return made
        return None

    return apply


def _column_more(stream: Stream, draw: Random) -> list[Record] | None:
    def more(key: Tree, value: Tree) -> None:
        for image in rows_of(stream.dialect, value):
            image.cells["zz_more"] = {"t": 3, "f": 0, "v": 1} if stream.dialect == "open-protocol" else None

    return stream.changed(draw.choice(stream.rows()), more)


# -- operations


def _other_op(of: Sequence[str], to: str) -> Apply:
    """A row that is told as another operation, its images as they are."""

    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        def change(key: Tree, value: Tree) -> None:
            told = payload_of(value)
            for name in ("type", "op"):
                if told.get(name) in of:
                    told[name] = to

        for at in in_any_order(draw, stream.rows()):
            if (made := stream.changed(at, change)) is not None:
                return made
        return None

    return apply


def _update_in_two(stream: Stream, draw: Random) -> list[Record] | None:
    """An update told as a delete of the old row and an insert of the new one."""
    if stream.dialect not in ("debezium", "debezium-connector", "open-protocol"):
        return None
    for at in in_any_order(draw, stream.rows()):
        record = stream.records[at]
        trees = opened(stream.dialect, record)
        if trees is None or len(images_of(stream.dialect, stream.records[at])) != 2:
            continue
        halves = []
        for kept in ("before", "after"):
            copy = json.loads(json.dumps(trees))
            key, value = copy
            if stream.dialect == "open-protocol":
                row = value.pop("p")
                if kept == "before":
                    value["d"] = {**value.pop("u"), **row}
            else:
                told = payload_of(value)
                told["op"] = "d" if kept == "before" else "c"
                told["after" if kept == "before" else "before"] = None
            halves.append(shut(stream.dialect, record, (key, value)))
        return stream.with_records([*stream.records[:at], *halves, *stream.records[at + 1 :]])
    return None


# -- keys and messages


def _key_of_another(stream: Stream, draw: Random) -> list[Record] | None:
    """A message with the Kafka key of another row."""
    keyed = [at for at in stream.rows() if stream.records[at].key and not has_tombstone(stream, at)]
    for a, b in pairwise(keyed):
        if stream.records[a].key != stream.records[b].key and stream.dialect not in (*BINARY, "open-protocol"):
            made = [*stream.records]
            made[a] = replace(made[a], key=made[b].key)
            return made
    return None


def _copy_over_next(stream: Stream, draw: Random) -> list[Record] | None:
    """A message stands in the place of the next one, which is lost."""
    rows = [at for at in stream.rows() if not has_tombstone(stream, at)]
    for a, b in pairwise(rows):
        if stream.records[a].topic == stream.records[b].topic and stream.records[a].value != stream.records[b].value:
            made = [*stream.records]
            made[b] = replace(made[a], offset=made[b].offset)
            return made
    return None


def _bytes(change: Callable[[bytes], bytes]) -> Apply:
    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        at = draw.choice(stream.rows())
        made = [*stream.records]
        made[at] = replace(made[at], value=change(made[at].value or b""))
        return made

    return apply


def _lost_part(keep: Callable[[int, int], bool]) -> Apply:
    def apply(stream: Stream, draw: Random) -> list[Record] | None:
        rows = [at for at in stream.rows() if not has_tombstone(stream, at)]
        gone = {at for number, at in enumerate(rows) if not keep(number, len(rows))}
        return stream.with_records([record for at, record in enumerate(stream.records) if at not in gone])

    return apply


def _block_later(stream: Stream, draw: Random) -> list[Record] | None:
    """Ten messages come behind the ten that follow them, rows of one partition among both: only there is an order."""
    records, rows = stream.records, {*stream.rows()}

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
    """A row is told to be of another of the tables."""
    if stream.dialect not in ("canal", "canal-json", "debezium", "debezium-connector"):
        return None

    def change(key: Tree, value: Tree) -> None:
        told = payload_of(value)
        holder = told if "table" in told else told["source"]
        holder["table"] = next(name for name in sorted(stream.tables) if name != holder["table"])

    return stream.changed(draw.choice(stream.rows()), change)


def _member_more(stream: Stream, draw: Random) -> list[Record] | None:
    def more(key: Tree, value: Tree) -> None:
        payload_of(value)["zz_more"] = 1

    return stream.changed(draw.choice(stream.rows()), more)


def _tombstone_first(stream: Stream, draw: Random) -> list[Record] | None:
    """A tombstone before its delete."""
    at = next((at for at in stream.rows() if has_tombstone(stream, at)), None)
    if at is None:
        return None
    records = [*stream.records]
    records[at], records[at + 1] = records[at + 1], records[at]
    return stream.with_records(records)


def _tombstone_elsewhere(stream: Stream, draw: Random) -> list[Record] | None:
    """A tombstone in another partition than its delete."""
    at = next((at for at in stream.rows() if has_tombstone(stream, at)), None)
    if at is None:
        return None
    records = [*stream.records]
    records[at + 1] = replace(records[at + 1], partition=(records[at + 1].partition or 0) + 1, offset=0)
    return records


def _all() -> Iterator[Corruption]:
    whole: Sequence[tuple[str, str, Apply]] = (
        ("a column in another case", "names", _column_renamed(str.swapcase)),
        ("a column with a blank behind its name", "names", _column_renamed(lambda name: f"{name} ")),
        ("a column more", "names", _column_more),
        ("a member more", "names", _member_more),
        ("a row of another table", "names", _in_other_table),
        ("an insert told as an update", "operation", _other_op(("INSERT", "c"), "UPDATE")),
        ("an insert told as `u`", "operation", _other_op(("c",), "u")),
        ("an insert told as read", "operation", _other_op(("c",), "r")),
        ("an update told as an insert", "operation", _other_op(("UPDATE",), "INSERT")),
        ("an update told as `c`", "operation", _other_op(("u",), "c")),
        ("an update told as a delete", "operation", _other_op(("UPDATE",), "DELETE")),
        ("an update told as `d`", "operation", _other_op(("u",), "d")),
        ("a delete told as an insert", "operation", _other_op(("DELETE",), "INSERT")),
        ("a delete told as `c`", "operation", _other_op(("d",), "c")),
        ("a delete told in another case", "operation", _other_op(("DELETE",), "delete")),
        ("an operation that nobody knows", "operation", _other_op(("INSERT", "c"), "zz")),
        ("an update told as a delete and an insert", "operation", _update_in_two),
        ("the Kafka key of another row", "key", _key_of_another),
        ("a message in place of the next", "lost", _copy_over_next),
        ("every second message lost", "lost", _lost_part(lambda number, count: number % 2 == 0)),
        ("the first half lost", "lost", _lost_part(lambda number, count: number >= count // 2)),
        ("one of twenty lost", "lost", _lost_part(lambda number, count: number % 20 != 7)),
        ("ten messages behind the next ten", "reordered", _block_later),
        ("a tombstone before its delete", "tombstone", _tombstone_first),
        ("a tombstone in another partition", "tombstone", _tombstone_elsewhere),
        ("a message that is empty", "cut", _bytes(lambda data: b"")),
        ("a message that is `{}`", "cut", _bytes(lambda data: b"{}")),
        ("a message that is `null`", "cut", _bytes(lambda data: b"null")),
        ("a message with more behind it", "cut", _bytes(lambda data: data + b"{")),
        ("a message behind a mark of its bytes", "cut", _bytes(lambda data: b"\xef\xbb\xbf" + data)),
        ("a byte that is no UTF-8", "cut", _bytes(lambda data: data[:-40] + b"\xff" + data[-40:])),
        ("a message in UTF-16", "cut", _bytes(lambda data: data.decode("utf-8", "replace").encode("utf-16"))),
    )  # fmt: skip
    yield from (Corruption(*one) for one in whole)


WAYS: Sequence[Corruption] = tuple(_all())
