"""Values that a decoder answers, held against one value and against several that may stand for each other."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.oracle.events import comparable_event, compare_event_alternatives, compare_event_leaf
from conformance.oracle.rules import Place
from conformance.oracle.tree import Kind
from reference_impl.profiles import NEWARCH
from reference_impl.wire import column_from_json

LARGE = "18446744073709551615"


def place(kind: str, expected: Any, got: Any) -> Place:
    """A column of that type in the row that was answered."""
    case = Case("toy/one", "debezium", "decode")
    column = column_from_json({"name": "c", "type": kind})
    return Place("decode", ("event", "after", "c"), expected, got, {}, case, None, NEWARCH, None, column, {})


@pytest.mark.parametrize(
    ("kind", "expected", "got", "is_one"),
    [
        ("bigint unsigned", {LARGE, "-1"}, LARGE, True), ("bigint unsigned", {LARGE, "-1"}, "-1", True),
        ("bigint unsigned", {LARGE, "-1"}, "0", False),
        ("int", {"1", "2"}, "x", False),  # no value of the column at all
        ("int", {"1", "2"}, {"index": "1"}, False), ("int", {"1", "2"}, 1, False), ("int", {"1", "2"}, None, False),
        ("int", {"1", None}, None, True), ("decimal(5,2)", {"1.50"}, "1.5", True),
        ("decimal(5,2)", {"1.50"}, "1.50e0", True), ("decimal(5,2)", {"1.50"}, "1.51", False),
        ("enum('a','b')", {"b", ""}, {"index": "2"}, True), ("enum('a','b')", {"b", ""}, {"index": "1"}, False),
        ("datetime(2)", {"2024-01-02 03:04:05"}, "2024-01-02 03:04:05.00", True),
    ],
)  # fmt: skip
def test_one_of_several_values_will_do_and_nothing_else(kind: str, expected: set[Any], got: Any, is_one: bool) -> None:
    assert (compare_event_alternatives(place(kind, frozenset(expected), got)) is None) is is_one


@pytest.mark.parametrize(
    ("kind", "expected", "got", "difference"),
    [
        ("int", "1", "1", None), ("int", "1", "2", Kind.VALUE), ("double", "1e2", "100", None),
        ("enum('a','b')", "b", {"index": "2"}, None), ("enum('a','b')", "b", {"index": "1"}, Kind.VALUE),
        ("json", '{"a":1}', '{"a": 1.0}', None),
    ],
)  # fmt: skip
def test_one_value_has_to_be_that_value(kind: str, expected: Any, got: Any, difference: Kind | None) -> None:
    assert compare_event_leaf(place(kind, expected, got)) == difference


ROW = {"c": "1"}
COMPARABLE: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({"op": "insert"}, {"op": "insert", "before": None, "after": ROW}, {"op": "insert", "after": ROW}),
    ({"op": "insert", "before": None}, {"op": "insert"}, {"op": "insert", "before": None}),
    ({"op": "delete", "after": None}, {"op": "delete"}, {"op": "delete", "after": None}),
    ({"op": "insert", "before": None}, {"before": {}}, {"before": {}}),
    ({"op": "delete", "after": None}, {"after": {}}, {"after": {}}),
    ({"op": "update", "before": None}, {"before": {}}, {"before": None}),
    ({"op": "insert", "after": None}, {"after": {}}, {"after": None}),
    ({"op": "delete", "before": None}, {"before": {}}, {"before": None}),
    ({"op": "update", "before": {}}, {"before": None}, {"before": {}}), ({"op": "update", "before": {}}, {}, {}),
    ({"op": "update", "before": {}}, {"before": ROW}, {"before": ROW}),
    ({"op": "update", "after": ROW}, {"after": None}, {"after": None}),
    ({"op": "update"}, {"before": {}}, {"before": {}}), ({"op": "update"}, {"before": ROW}, {"before": ROW}),
    ({"source": 1}, {"source": 2, "status": 3}, {"source": 2}),
    ({}, {"commit_ts": "1", "query": ""}, {"commit_ts": "1", "query": ""}),
    *(
        ({}, {name: 1}, {})
        for name in (
            *("source", "partition_id", "row_id", "action", "action_code", "table_before", "table_after"),
            *("other_tables", "status", "position"),
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(("expected", "got", "comparable"), COMPARABLE)
def test_information_and_missing_images_are_free_and_nothing_else(
    expected: dict[str, Any], got: dict[str, Any], comparable: dict[str, Any]
) -> None:
    assert comparable_event(expected, got) == comparable
