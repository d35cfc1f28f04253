"""JSON texts token by token and JSON trees path by path: expectations written by hand."""

from __future__ import annotations

import pickle
from decimal import Decimal
from typing import Any

import pytest

from conformance.oracle.texts import text_differences
from conformance.oracle.tree import (
    MISSING,
    Spot,
    doubled_members,
    equal,
    is_plainly_equal,
    json_kind,
    path_text,
    walk,
)
from reference_impl.exact_json import Object, loads

# -- texts -------------------------------------------------------------------------------------------------------------

BLANK = "white space"
TEXTS: list[tuple[str, str, list[tuple[str, str, str]]]] = [
    ('{"a":1}', '{"a":1}', [("space", "", ""), ("string", '"a"', '"a"'), ("other", "{", "{"), ("other", ":1}", ":1}")]),
    ('["a"]', '[ "a"]', [("space", "", BLANK), ("string", '"a"', '"a"'), ("other", "[", "["), ("other", "]", "]")]),
    ('[ "a"]', '["a"]', [("space", BLANK, ""), ("string", '"a"', '"a"'), ("other", "[", "["), ("other", "]", "]")]),
    ("[ ]", "[ ]", [("space", BLANK, BLANK), ("other", "[", "["), ("other", "]", "]")]),
    ('"a b"', '"a b"', [("space", "", ""), ("string", '"a b"', '"a b"')]),
    ('"a"', '"\\u0061"', [("space", "", ""), ("string", '"a"', '"\\u0061"')]),
    ('"a"', '"b"', [("space", "", "")]),
    ('["a"]', '["b"]', [("space", "", "")]),
    (
        '{"a":1,"b":2,"c":"x"}',
        '{"c":"\\u0078","b":3,"a":1.0}',
        [
            ("space", "", ""),
            ("string", '"c"', '"c"'),
            ("string", '"x"', '"\\u0078"'),
            ("string", '"b"', '"b"'),
            ("string", '"a"', '"a"'),
            ("other", "1", "1.0"),
        ],
    ),
    (
        '{"a":1,"b":"1"}',
        '{"b":"2","a":1.0}',
        [("space", "", ""), ("string", '"b"', '"b"'), ("string", '"a"', '"a"'), ("other", "1", "1.0")],
    ),
    (
        '{"a":1,"b":1.0}',
        '{"b":1.0,"a":1}',
        [
            ("space", "", ""),
            ("string", '"b"', '"b"'),
            ("string", '"a"', '"a"'),
            ("other", "1.0", "1.0"),
            ("other", "1", "1"),
        ],
    ),
    ('["a"]', '["a","a"]', [("space", "", "")]),
    ('"\\""', '"\\""', [("space", "", ""), ("string", '"\\""', '"\\""')]),
    ('"a\\\nb"', '"a\\\nb"', [("space", "", ""), ("string", '"a\\\nb"', '"a\\\nb"')]),
    ("[1]", "[1.0]", [("space", "", ""), ("other", "[1]", "[1.0]")]),
    ("[1]", "[2]", [("space", "", "")]),
    ("[100]", "[1e2]", [("space", "", ""), ("other", "[100]", "[1e2]")]),
    ("[100]", "[1E+2]", [("space", "", ""), ("other", "[100]", "[1E+2]")]),
    ("[0]", "[-0]", [("space", "", ""), ("other", "[0]", "[-0]")]),
    ("[0]", "[0.00]", [("space", "", ""), ("other", "[0]", "[0.00]")]),
    ("[-1]", "[1]", [("space", "", "")]),
    ("[0]", "[1]", [("space", "", "")]),
    ("[-1]", "[-1.0]", [("space", "", ""), ("other", "[-1]", "[-1.0]")]),
    ("[1e999999999]", "[1e999999999]", [("space", "", ""), ("other", "[1e999999999]", "[1e999999999]")]),
    ("[1e999999999]", "[10e999999998]", [("space", "", ""), ("other", "[1e999999999]", "[10e999999998]")]),
    ("[true]", "[false]", [("space", "", "")]),
    ("[1, 2]", "[1,2]", [("space", BLANK, "")]),
    ("[1, 2]", "[1, 3]", [("space", BLANK, BLANK), ("other", "[1,", "[1,")]),
    (
        "[1, 1, 1, 1]",
        "[1, 1, 1, 1]",
        [("space", BLANK, BLANK), ("other", "[1,", "[1,"), ("other", "1,", "1,"), ("other", "1]", "1]")],
    ),
    (
        '["a","a"]',
        '["a","a"]',
        [("space", "", ""), ("string", '"a"', '"a"'), ("other", "[", "["), ("other", ",", ","), ("other", "]", "]")],
    ),
    (
        '["a" , "b" , "c"]',
        '["a" , "b" , "c"]',
        [
            ("space", BLANK, BLANK),
            *(("string", f'"{c}"', f'"{c}"') for c in "abc"),
            ("other", "[", "["),
            ("other", ",", ","),
            ("other", "]", "]"),
        ],
    ),
]


@pytest.mark.parametrize(("expected", "got", "differences"), TEXTS)
def test_tokens_of_equal_value_are_told_in_pairs(expected: str, got: str, differences: list[tuple[str, str, str]]):
    assert list(text_differences(expected, got)) == differences


def test_numbers_of_many_digits_are_compared_exactly() -> None:
    many = "1" * 4000
    assert ("other", f"[{many}]", f"[{many}.0]") in list(text_differences(f"[{many}]", f"[{many}.0]"))
    assert len(list(text_differences(f"[{many}1]", f"[{many}2]"))) == 1


# -- trees -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tree", "kind"),
    [
        (None, "null"),
        (True, "boolean"),
        (False, "boolean"),
        (1, "number"),
        (Decimal("1.5"), "number"),
        ("", "string"),
        ([], "array"),
        ((), "array"),
        ({}, "object"),
        (MISSING, "missing"),
    ],
)
def test_a_tree_has_a_json_kind(tree: Any, kind: str) -> None:
    assert json_kind(tree) == kind


EQUAL: list[tuple[Any, Any, bool, bool]] = [
    # one, other, equal, the same node
    (1, 1, True, True),
    (1, 2, False, False),
    (1, True, False, False),
    (True, 1, False, False),
    (True, True, True, True),
    (False, 0, False, False),
    (1, Decimal(1), True, False),
    (Decimal("1.0"), Decimal(1), True, True),
    ("a", "a", True, True),
    ("a", "b", False, False),
    (None, None, True, True),
    (None, MISSING, False, False),
    (MISSING, MISSING, True, True),
    ([1], [1], True, False),
    ([1], [True], False, False),
    ([[0]], [[False]], False, False),
    ((1,), [1], True, False),
    ([1], (1,), True, False),
    ((1,), (True,), False, False),
    ([(0,)], [(False,)], False, False),
    ({"a": (1,)}, {"a": [1]}, True, False),
    ({"a": (1,)}, {"a": (True,)}, False, False),
    ({"a": 1}, [1], False, False),
    ({"a": 1}, {"a": 1}, True, False),
    ({"a": 1}, {"a": True}, False, False),
    ({"a": [1]}, {"a": [2]}, False, False),
]


@pytest.mark.parametrize(("one", "other", "are_equal", "same"), EQUAL)
def test_true_is_not_one(one: Any, other: Any, are_equal: bool, same: bool) -> None:
    assert equal(one, other) is are_equal
    assert is_plainly_equal(one, other) is same


def test_one_and_the_same_part_is_the_same() -> None:
    part = {"a": 1}
    assert is_plainly_equal(part, part)


def test_what_is_missing_is_one_and_is_shown_and_pickled_as_such() -> None:
    assert repr(MISSING) == "(missing)"
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("value",), "value"),
        (("value", "data", 0, "c"), "value.data[0].c"),
        (("value", 0, 1), "value[0][1]"),
        ((0, "a"), "[0].a"),
    ],
)
def test_a_path_as_text(path: tuple[str | int, ...], text: str) -> None:
    assert path_text(path) == text


def test_doubled_members_are_those_of_the_object_itself() -> None:
    assert doubled_members(loads('{"a": 1, "b": {"c": 1, "c": 2}, "a": 3}')) == ("a",)
    assert doubled_members(Object([("a", 1)])) == ()
    assert doubled_members({"a": 1}) == ()
    assert doubled_members("a") == ()


def nodes(expected: Any, got: Any, columns_at: frozenset[str] = frozenset()) -> list[tuple[Any, ...]]:
    """(path, expected, got, skeleton, column) of every node."""
    found = walk(expected, got, (), Spot(columns_at))
    return [(path_text(n.path), n.expected, n.got, n.spot.skeleton, n.column) for n in found]


def test_every_path_of_either_tree_is_a_node() -> None:
    want, have = {"a": 1, "b": [1, 2]}, {"c": 3, "b": [1, 5, 6]}
    assert nodes(want, have) == [
        ("", want, have, "", None),
        ("a", 1, MISSING, "a", None),
        ("b", [1, 2], [1, 5, 6], "b", None),
        ("b[0]", 1, 1, "b[]", None),
        ("b[1]", 2, 5, "b[]", None),
        ("b[2]", MISSING, 6, "b[]", None),
        ("c", MISSING, 3, "c", None),
    ]
    assert nodes([1, 2], [1]) == [
        ("", [1, 2], [1], "", None),
        ("[0]", 1, 1, "[]", None),
        ("[1]", 2, MISSING, "[]", None),
    ]


@pytest.mark.parametrize(
    ("want", "have"), [({"a": {"b": 1}}, {"a": 5}), ({"a": 5}, {"a": {"b": 1}}), ({"a": {"b": 1}}, {})]
)
def test_nothing_is_looked_at_below_a_path_of_one_tree(want: Any, have: Any) -> None:
    assert [path for path, *_ in nodes(want, have)] == ["", "a"]


def test_an_object_beside_an_array_has_no_parts() -> None:
    assert [path for path, *_ in nodes({"a": [1]}, {"a": {"b": 1}})] == ["", "a"]
    assert [path for path, *_ in nodes({"a": {"b": 1}}, {"a": [1]})] == ["", "a"]


def test_a_tuple_is_an_array() -> None:
    assert [path for path, *_ in nodes({"a": (1, 2)}, {"a": [1, 2]})] == ["", "a", "a[0]", "a[1]"]
    assert [path for path, *_ in nodes({"a": [1]}, {"a": (1,)})] == ["", "a", "a[0]"]


def test_members_of_an_object_of_columns_are_columns() -> None:
    want, have = {"row": {"c": {"v": [1]}}}, {"row": {"c": {"v": [2]}, "d": 5}}
    assert [(path, skeleton, column) for path, _, _, skeleton, column in nodes(want, have, frozenset({"row"}))] == [
        ("", "", None),
        ("row", "row", None),
        ("row.c", "row.{column}", "c"),
        ("row.c.v", "row.{column}.v", "c"),
        ("row.c.v[0]", "row.{column}.v[]", "c"),
        ("row.d", "row.{column}", "d"),
    ]


def test_a_path_has_one_spot() -> None:
    root = Spot(frozenset({"row"}))
    row = root.member("row")
    assert (row.has_columns, row.is_column, root.has_columns) == (True, False, False)
    assert row.member("a") is row.member("b")
    assert row.member("a").is_column
    assert root.member("a") is not root.member("b")
    assert row.position() is row.position()
    assert not row.position().is_column
    assert row.position().skeleton == "row[]"
    assert row.member("a").member("x").skeleton == "row.{column}.x"


def test_a_walk_begins_where_it_is_told() -> None:
    root = Spot(frozenset())
    [first, second] = walk({"a": 1}, {"a": 1}, ("value",), root.member("value"))
    assert (first.path, first.spot.skeleton) == (("value",), "value")
    assert (second.path, second.spot.skeleton) == (("value", "a"), "value.a")
    assert [node.spot.skeleton for node in walk({"a": 1}, {})] == ["", "a"]
