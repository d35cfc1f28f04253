"""From what a document shows to records: orders of display, records of key and value."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.cases.normalise import records_of, reorder_at
from reference_impl import exact_json
from reference_impl.model import Record

ORDERED = {
    "others stay behind": (
        {"b": {"y": 1, "z": 2, "x": 3}, "a": 4},
        {"": ["a"], "b": ["x", "y"]},
        '{"a":4,"b":{"x":3,"y":1,"z":2}}',
    ),
    "an element that is named by its number": (
        {"f": [{"y": 1, "x": [{"q": 2, "p": 3}]}, {"y": 4, "x": 5}]},
        {"f[0].x[]": ["p"], "f[]": ["x"]},
        '{"f":[{"y":1,"x":[{"p":3,"q":2}]},{"x":5,"y":4}]}',
    ),
    "no orders": ({"b": [{"d": 1, "c": 2}], "a": 3}, {}, '{"b":[{"d":1,"c":2}],"a":3}'),
}


@pytest.mark.parametrize(("tree", "orders", "expected"), ORDERED.values(), ids=ORDERED)
def test_members_are_put_in_the_order_of_their_place(tree: Any, orders: Any, expected: str) -> None:
    assert exact_json.dumps(reorder_at(tree, orders)) == expected


def test_a_record_is_its_key_and_value_without_white_space() -> None:
    assert records_of('{"key": {"a": 1}, "value": {"b": [2, 3.0]}}', ["records"]) == (
        Record(b'{"a":1}', b'{"b":[2,3.0]}'),
    )


def test_records_in_a_list_may_say_their_partition_and_none_are_no_records() -> None:
    text = '[{"key": {}, "value": {}, "partition": 0}, {"key": {}, "value": {}, "partition": 1}]'
    assert records_of(text, ["records"]) == (Record(b"{}", b"{}", 0), Record(b"{}", b"{}", 1))
    assert records_of("[]", ["records"]) == ()
