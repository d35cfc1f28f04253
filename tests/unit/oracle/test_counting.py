"""Messages that are lost or too many, by their kinds, and updates that are two messages in place of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from conformance.oracle.counts import MESSAGES, are_splits, differences, extra_kinds, lost_kinds, read_of, unread
from conformance.oracle.rules import Place
from tests.unit.oracle.places import place


def counted(expected: Sequence[Any], given: Sequence[Any]) -> Place:
    """Messages are numbers, those that cannot be read are texts."""
    return place("avro", "value", tree={MESSAGES: list(expected)}, given={MESSAGES: list(given)})


def kind(message: int) -> str:
    return "odd" if message % 2 else "even"


KINDS: list[tuple[Sequence[Any], Sequence[Any], Sequence[str], bool, bool]] = [
    # expected, given, the kinds asked for, lost, extra
    ([1], [], ["odd"], True, False), ([], [1], ["odd"], False, True), ([1], [], ["even"], False, False),
    ([1, 2], [], ["odd", "even"], True, False), ([1, 2], [], ["odd"], False, False),
    ([1, 2], [4], ["odd"], True, False), ([1, 3, 5], [3], ["odd"], True, False),
    ([1], [2], ["odd", "even"], False, False), ([1], [1], ["odd"], False, False),
    ([1, 1], [1, "no header"], ["odd"], False, False), ([1], [3, 5, "no header"], ["odd"], False, False),
    ([2], [2, 4, 6], ["even"], False, True), ([], [], ["odd"], False, False),
]  # fmt: skip


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
