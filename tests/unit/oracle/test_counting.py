"""Messages that are lost or too many, by their kinds, and updates that are two messages in place of one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from conformance.oracle.counts import MESSAGES, are_splits, differences, extra_kinds, lost_kinds, read_of, unread
from conformance.oracle.rules import Place
from tests.unit.oracle.places import holds, place


def counted(expected: Sequence[Any], given: Sequence[Any]) -> Place:
    """Messages are numbers, those that cannot be read are texts."""
    return place("avro", "value", tree={MESSAGES: list(expected)}, given={MESSAGES: list(given)})


def kind(message: int) -> str:
    return "odd" if message % 2 else "even"


KINDS: list[tuple[Sequence[Any], Sequence[Any], Sequence[str], bool, bool]] = [
    # expected, given, the kinds asked for, lost, extra
    ([1], [], ["odd"], True, False),
    ([], [1], ["odd"], False, True),
    ([1], [], ["even"], False, False),
    ([1, 2], [], ["odd", "even"], True, False),
    ([1, 2], [], ["odd"], False, False),
    ([1, 2], [4], ["odd"], True, False),
    ([1, 3, 5], [3], ["odd"], True, False),
    ([1], [2], ["odd", "even"], False, False),
    ([1], [1], ["odd"], False, False),
    ([1, 1], [1, "no header"], ["odd"], False, False),
    ([1], [3, 5, "no header"], ["odd"], False, False),
    ([2], [2, 4, 6], ["even"], False, True),
    ([], [], ["odd"], False, False),
]


@pytest.mark.parametrize(("expected", "given", "kinds", "lost", "extra"), KINDS)
def test_messages_of_some_kinds_alone_are_lost_or_too_many(
    expected: Sequence[Any], given: Sequence[Any], kinds: Sequence[str], lost: bool, extra: bool
) -> None:
    at = counted(expected, given)
    assert (lost_kinds(kind, *kinds)(at), extra_kinds(kind, *kinds)(at)) == (lost, extra)


def test_what_can_be_read_and_what_cannot_stand_apart() -> None:
    at = counted([1, "x"], [2, "no header", 3, "no body"])
    assert (read_of(at.expected_tree), read_of(at.got_tree), unread(at)) == ([1], [2, 3], ["no header", "no body"])
    nothing = place("avro", "value")
    assert (read_of(nothing.got_tree), unread(nothing)) == ([], [])


def test_differences_are_by_identity_and_number() -> None:
    at = counted([1, 1, 2, 4], [1, 3, 5, "x"])
    assert differences(at, lambda message: {"b": message, "a": 0}) == (
        ['{"a": 0, "b": 1}', '{"a": 0, "b": 2}', '{"a": 0, "b": 4}'],
        ['{"a": 0, "b": 3}', '{"a": 0, "b": 5}'],
    )
    assert differences(at, lambda message: object) == ([f'"{object}"'], [])


def whole(delete: int, insert: int, update: int) -> bool:
    """Halves are a negative number and its like."""
    return delete == -insert and update == insert > 0


SPLITS: list[tuple[Sequence[int], Sequence[int], int, bool]] = [
    ([-1, 1], [1], 1, True), ([-1, 1], [1], 0, False), ([-1, 1, -2, 2], [1, 2], 2, True),
    ([-1, 1, -2, 2], [1, 2], 1, False), ([5, -1, 1, 6], [5, 1, 6], 1, True), ([1], [1], 1, False), ([], [], 1, False),
    ([-1, 1, 5], [1], 1, False), ([-1, 1], [1, 5], 1, False), ([-1], [1], 1, False), ([-1, 2], [1], 1, False),
    ([-1, 1, 7], [1, 8], 1, False), ([-1, 1, -2], [1, -2], 1, True), ([-1, 1, 5, -2, 2], [1, 5, 2], 2, True),
    ([5], [5, 1], 1, False), ([1, -1], [1], 1, False),
]  # fmt: skip


@pytest.mark.parametrize(("split", "joined", "most", "expected"), SPLITS)
def test_updates_are_two_messages_in_place_of_one(
    split: Sequence[int], joined: Sequence[int], most: int, expected: bool
) -> None:
    assert are_splits(split, joined, lambda message: message, whole, most) is expected


# -- Open Protocol -----------------------------------------------------------------------------------------------------

RAW = {"output-raw-change-event": "true"}
at = partial(place, "open-protocol", "answer.events", values=("1", "2"), keys={"primary_key": ["c"]})


def message(key: Any, value: Any = None) -> dict[str, Any]:
    return {"key": key} if value is None else {"key": key, "value": value}


def row(ts: int = 1, table: str = "t", schema: str = "s", **value: Any) -> dict[str, Any]:
    key = {"ts": ts, "scm": schema, "tbl": table, "t": 1, **value.pop("key", {})}
    return message(key, {image: columns(**row) for image, row in value.items()})


def columns(**row: Any) -> dict[str, Any]:
    """Columns by name; `c` is the primary key."""
    return {name: {"t": 3, "f": 0x0B if name == "c" else 0x40, "v": value} for name, value in row.items()}


DELETE, INSERT = row(d={"c": 1, "x": 5}), row(u={"c": 2, "x": 6})
UPDATE = row(u={"c": 2, "x": 6}, p={"c": 1, "x": 5})
DDL, WATERMARK = message({"ts": 1, "t": 2}), message({"ts": 1, "t": 3})


def answered(expected: list[Any], got: list[Any], **more: Any) -> Place:
    return at(tree={"messages": expected}, given={"messages": got}, **more)


@pytest.mark.parametrize(
    ("lost", "kinds"),
    [
        (DDL, {"ddl"}),
        (WATERMARK, {"watermark"}),
        (INSERT, {"row"}),
        (message({"t": 4}), set()),
        (message({"t": []}), set()),
        (message({"t": {}}), set()),
        (message("t"), set()),
        ({}, set()),
    ],
)
def test_a_kind_of_message_is_lost(lost: Any, kinds: set[str]) -> None:
    here = answered([DELETE, lost], [DELETE])
    assert {kind for kind in ("row", "ddl", "watermark") if holds(f"lacks_kind={kind}", here)} == kinds


HALVES: list[tuple[bool, list[Any], list[Any]]] = [
    # whether the halves are those of the update, the halves, and the update
    (True, [DELETE, INSERT], [UPDATE]),
    (False, [INSERT, DELETE], [UPDATE]),
    (False, [DELETE, INSERT], [DELETE, INSERT]),
    (False, [DELETE], [UPDATE]),
    (False, [row(2, d={"c": 1}), INSERT], [UPDATE]),
    (False, [DELETE, row(2, u={"c": 2, "x": 6})], [UPDATE]),
    (False, [row(table="o", d={"c": 1}), INSERT], [UPDATE]),
    (False, [row(schema="o", d={"c": 1}), INSERT], [UPDATE]),
    (True, [DELETE, row(u={"c": 2})], [UPDATE]),
    (True, [DELETE, INSERT], [row(u={"c": 2})]),
    (False, [DELETE, row(u={"y": 2})], [UPDATE]),
    (False, [DELETE, row(u={"c": 2, "x": 7})], [UPDATE]),
    (False, [DELETE, row(u={})], [UPDATE]),
    (False, [DELETE, DELETE], [UPDATE]),
    (False, [DELETE, row()], [UPDATE]),
    (False, [DELETE, message(INSERT["key"], {"u": 1})], [UPDATE]),
    (False, [DELETE, INSERT], [message(UPDATE["key"], "u")]),
    (False, [message(DELETE["key"]), INSERT], [UPDATE]),
    (True, [DELETE, INSERT, DDL], [UPDATE, DDL]),
    (False, [DELETE, INSERT, DDL], [UPDATE, WATERMARK]),
    (False, [DELETE, INSERT, message(DDL["key"], {"q": "x"})], [UPDATE, message(DDL["key"], {"q": "y"})]),
    (False, [DELETE, INSERT, row(9, d={"c": 1})], [UPDATE, row(9, d={"c": 2})]),
    (True, [DELETE, INSERT, row(9, key={"ccl": "a"})], [UPDATE, row(9, key={"ccl": "b"})]),
    (False, [DELETE, INSERT, row(9, key={"ohk": True})], [UPDATE, row(9, key={"ohk": False})]),
    (False, [DELETE, INSERT, DELETE, INSERT], [UPDATE, UPDATE]),  # one update of a key alone is in the case
]


@pytest.mark.parametrize(("is_split", "split", "whole"), HALVES)
def test_an_update_is_split_otherwise_where_its_halves_are_there(is_split: bool, split: list[Any], whole: list[Any]):
    assert holds("is_split_otherwise", answered(split, whole)) is is_split
    assert holds("is_split_otherwise", answered(whole, split, options=RAW)) is is_split
    assert not holds("is_split_otherwise", answered(whole, split))
    assert not holds("is_split_otherwise", answered(split, [*whole, "not readable"]))
    assert not holds("is_split_otherwise", answered(split, whole, values=("1", "1")))


KEPT = row(u={"c": 1, "x": 6}, p={"c": 1, "x": 5})


@pytest.mark.parametrize(
    ("is_kept", "split", "whole"),
    [
        (True, [DELETE, row(u={"c": 1, "x": 6})], [KEPT]),
        (False, [DELETE, INSERT], [UPDATE]),
        (False, [DELETE, row(u={"x": 6})], [KEPT]),
        (True, [row(d={"x": 5}), row(u={"x": 6})], [row(u={"x": 6})]),
        (True, [row(d={"c": 1}), row(u={"c": 1, "x": 6})], [KEPT]),
        (False, [row(9, d={"c": 1}), row(u={"c": 1, "x": 6})], [KEPT]),
    ],
)
def test_the_halves_of_an_update_may_keep_their_primary_key(is_kept: bool, split: list[Any], whole: list[Any]) -> None:
    assert holds("keeps_primary_keys", answered(split, whole)) is is_kept
    assert holds("keeps_primary_keys", answered(whole, split, options=RAW)) is is_kept


@pytest.mark.parametrize(("flags", "is_kept"), [(0x08, False), (0xFF, False), (0x07, True), (0x10, True), (0, True)])
def test_the_primary_key_is_known_by_its_flag(flags: int, is_kept: bool) -> None:
    old, new = ({"c": {"t": 3, "f": flags, "v": value}} for value in (1, 2))
    split = [message(DELETE["key"], {"d": old}), message(DELETE["key"], {"u": new})]
    assert holds("keeps_primary_keys", answered(split, [message(DELETE["key"], {"u": new, "p": old})])) is is_kept
