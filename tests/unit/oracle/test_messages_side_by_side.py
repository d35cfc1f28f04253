"""Messages of an answer held against those expected: their number, their order, and the spelling of their texts."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.oracle.counts import are_splits
from conformance.oracle.order import Placement, is_disordered, paired_positions
from conformance.oracle.rules import Message
from conformance.oracle.texts import text_differences

A, B, C, U, V = "a", "b", "c", "d1 i1", "d2 i2"


def is_whole(delete: Any, insert: Any, update: Any) -> bool:
    """Made-up messages: `d1`, `i1` are the halves of `d1 i1`."""
    return update == f"{delete} {insert}"


SPLITS = [
    (["d1", "i1"], [U], 1, True),
    ([A, "d1", "i1", B], [A, U, B], 1, True),
    (["d1", "i1", "d2", "i2"], [U, V], 2, True),
    (["d1", "i1", A, "d2", "i2"], [U, A, V], 2, True),
    (["d1", "i1", "d2", "i2"], [U, V], 1, False),  # more than may be
    ([A, B], [A, B], 1, False),  # none was split
    ([A], [A, U], 1, False),  # an update is lost
    (["d1"], [U], 1, False),  # a half is lost
    (["d1", "i1", A], [U], 1, False),  # a message too many
    (["d1", "i1", A], [U, B], 1, False),  # another message
    (["i1", "d1"], [U], 1, False),
]


@pytest.mark.parametrize(("split", "whole", "most", "expected"), SPLITS)
def test_halves_in_place_of_updates_explain_a_number_when_nothing_else_differs(
    split: list[str], whole: list[str], most: int, expected: bool
) -> None:
    assert are_splits(split, whole, lambda message: message, is_whole, most) is expected


ORDERS = [
    ([], False),
    ([(0, 0), (0, 1), (0, 2)], False),
    ([(0, 0), (0, 2), (0, 1)], True),
    ([(0, 1), (1, 0)], False),  # between partitions there is no order
    ([(0, 1), (1, 0), (0, 0)], True),
    ([(0, 3), (1, 1), (1, 2), (0, 4)], False),
    ([(0, 1), (0, 1)], False),  # one message for one event cannot go back
]


@pytest.mark.parametrize(("places", "disordered"), ORDERS)
def test_messages_are_disordered_where_they_go_back_inside_a_partition(
    places: list[tuple[int, int]], disordered: bool
) -> None:
    assert is_disordered(Placement(*pair) for pair in places) is disordered


def message(text: str) -> Message:
    return Message({}, {"value": text})


@pytest.mark.parametrize(
    ("expected", "got", "positions"),
    [
        ("abc", "abc", [0, 1, 2]),
        ("abc", "acb", [0, 2, 1]),
        ("abc", "cab", [2, 0, 1]),
        ("abc", "axc", [0, 1, 2]),  # what is left is paired in order
        ("abc", "xac", [1, 0, 2]),
        ("aab", "aba", [0, 2, 1]),
        ("ab", "abc", [0, 1]),  # of those too many, none
        ("abc", "a", [0]),
    ],
)
def test_a_message_stands_for_the_one_of_its_place_or_of_its_text(
    expected: str, got: str, positions: list[int]
) -> None:
    assert paired_positions([message(t) for t in expected], [message(t) for t in got]) == positions


def test_a_message_that_cannot_be_read_stands_for_what_is_left() -> None:
    assert paired_positions([message("a"), message("b")], [message("b"), None]) == [1, 0]


SPELLINGS = [
    ('{"a":1}', '{"a":1}', [("space", "", ""), ("string", '"a"', '"a"'), ("other", "{", "{"), ("other", ":1}", ":1}")]),
    ('{"a":1}', '{ "a":1}', [("space", "", "white space"), ("string", '"a"', '"a"'), ("other", "{", "{")]),
    ('["é"]', '["\\u00e9"]', [("space", "", ""), ("string", '"é"', '"\\u00e9"')]),
    ("[1.0]", "[1e0]", [("space", "", ""), ("other", "[1.0]", "[1e0]")]),
    ("[1.0]", "[1.1]", [("space", "", "")]),  # another tree: nothing is said of its spelling
    ('["a"]', '["b"]', [("space", "", "")]),
    ('["a b"]', '["a b"]', [("space", "", ""), ("string", '"a b"', '"a b"')]),  # inside a string there is none
]


@pytest.mark.parametrize(("expected", "got", "differences"), SPELLINGS)
def test_texts_of_one_tree_differ_by_white_space_strings_and_numbers(
    expected: str, got: str, differences: list[tuple[str, str, str]]
) -> None:
    found = list(text_differences(expected, got))
    assert found[: len(differences)] == differences
    assert {what for what, _, _ in found} <= {"space", "string", "other"}
