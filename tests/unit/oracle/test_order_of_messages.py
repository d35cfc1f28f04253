"""Answered messages are paired with expected ones, and judged by their order in each partition."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.oracle.order import Placement, are_halves, is_disordered, order_facts, paired_positions
from conformance.oracle.rules import Delivery, Message
from reference_impl.model import RowChange
from tests.unit.oracle.places import place


def message(text: str) -> Message | None:
    return Message({}, {"value": text}) if text != "-" else None


@pytest.mark.parametrize(
    ("expected", "got", "positions"),
    [
        ("ab", "ab", [0, 1]), ("ab", "ba", [1, 0]), ("aba", "aab", [0, 2, 1]), ("ab", "-a", [1, 0]), ("abc", "c", [2]),
        ("abc", "xyz", [0, 1, 2]), ("abc", "bxy", [1, 0, 2]), ("abc", "xac", [1, 0, 2]), ("aab", "xba", [1, 2, 0]),
        ("a", "ab", [0]), ("abc", "a", [0]), ("abc", "axc", [0, 1, 2]), ("abc", "cab", [2, 0, 1]),
        ("aab", "aba", [0, 2, 1]), ("", "", []),
    ],
)  # fmt: skip
def test_a_message_is_paired_with_an_equal_one_and_the_rest_in_order(
    expected: str, got: str, positions: list[int]
) -> None:
    wanted = [one for one in map(message, expected) if one]
    assert paired_positions(wanted, [*map(message, got)]) == positions


def test_messages_of_one_meaning_are_paired_whatever_their_text() -> None:
    wanted = [Message({}, {"value": "a"}, identity=1), Message({}, {"value": "b"}, identity=2)]
    given = [Message({}, {"value": "a"}, identity=2), Message({}, {"value": "b"}, identity=1)]
    assert paired_positions(wanted, given) == [1, 0]


def test_the_order_of_the_parts_of_a_message_does_not_count() -> None:
    wanted = [Message({}, {"key": "x", "value": "a"}), Message({}, {"key": "x", "value": "b"})]
    given = [Message({}, {"value": text, "key": "x"}) for text in "ba"]
    assert paired_positions(wanted, given) == [1, 0]


@pytest.mark.parametrize(
    ("places", "yes"),
    [
        ([], False), ([(0, 0), (0, 1)], False), ([(0, 1), (0, 1)], False), ([(0, 1), (0, 0)], True),
        ([(0, 1), (1, 0)], False), ([(0, 1), (1, 5), (0, 0)], True), ([(0, 0), (1, 1), (1, 0)], True),
        ([(0, 3), (1, 1), (1, 2), (0, 4)], False),
    ],
)  # fmt: skip
def test_order_is_that_inside_each_partition(places: list[tuple[int, int]], yes: bool) -> None:
    assert is_disordered(Placement(*pair) for pair in places) is yes


UPDATE = RowChange("update", "s", "t", 1, before={"id": "1"}, after={"id": "2"})
HALVES = [replace(UPDATE, op="delete", after=None), replace(UPDATE, op="insert", before=None)]
LATER = RowChange("insert", "s", "t", 2, after={"id": "9"})


@pytest.mark.parametrize(
    ("places", "events", "yes"),
    [
        ([(0, 1), (0, 0), (0, 2)], [UPDATE], True), ([(0, 0), (0, 1), (0, 2)], [UPDATE], False),
        ([(0, 1), (0, 2), (0, 0)], [UPDATE], False), ([(0, 2), (0, 1), (0, 0)], [UPDATE], False),
        ([(1, 1), (0, 0), (0, 2)], [UPDATE], False), ([(0, 1), (0, 2)], [UPDATE], False),
        ([(0, 0), (0, 2)], [UPDATE], False), ([(0, 1), (0, 0)], [], False),
        ([(0, 1), (0, 0)], [replace(UPDATE, commit_ts=2)], False),
        ([(0, 1), (0, 0)], [replace(UPDATE, table="u")], False),
        ([(0, 1), (0, 0)], [replace(UPDATE, schema="u")], False),
        ([(0, 1), (0, 0)], [replace(UPDATE, after={"id": "3"})], False),
        ([(0, 1), (0, 0)], [replace(UPDATE, before={"id": "3"})], False),
        ([(0, 1), (0, 0)], [replace(UPDATE, before={"ID": "1"}, after={"ID": "2"})], True),
        ([(0, 1), (0, 0)], [replace(UPDATE, op="insert")], False),
    ],
)  # fmt: skip
def test_exchanged_halves_are_those_of_one_update_in_one_partition(
    places: list[tuple[int, int]], events: list[RowChange], yes: bool
) -> None:
    facts = order_facts(
        [Placement(*pair) for pair in places], [Delivery(change, None) for change in (*HALVES, LATER)], events
    )
    assert are_halves(place("avro", "value.row.c", given=facts)) is yes


def test_an_order_without_facts_is_no_exchange_order_facts() -> None:
    assert are_halves(place("avro", "value.row.c")) is False
