"""From what a document shows to records: orders of display, records of key and value."""

from __future__ import annotations

from conformance.cases.normalise import records_of, reorder_at
from reference_impl import exact_json
from reference_impl.model import Record


def test_members_are_put_in_the_order_of_their_place_and_others_stay_behind_them() -> None:
    tree = {"b": {"y": 1, "z": 2, "x": 3}, "a": 4}
    assert exact_json.dumps(reorder_at(tree, {"": ["a"], "b": ["x", "y"]})) == '{"a":4,"b":{"x":3,"y":1,"z":2}}'


def test_an_element_that_is_named_by_its_number_has_an_order_of_its_own() -> None:
    tree = {"f": [{"y": 1, "x": [{"q": 2, "p": 3}]}, {"y": 4, "x": 5}]}
    orders = {"f[0].x[]": ["p"], "f[]": ["x"]}
    assert exact_json.dumps(reorder_at(tree, orders)) == '{"f":[{"y":1,"x":[{"p":3,"q":2}]},{"x":5,"y":4}]}'


def test_a_tree_without_orders_stays_as_it_is() -> None:
    assert exact_json.dumps(reorder_at({"b": [{"d": 1, "c": 2}], "a": 3}, {})) == '{"b":[{"d":1,"c":2}],"a":3}'


def test_a_record_is_its_key_and_value_without_white_space() -> None:
    assert records_of('{"key": {"a": 1}, "value": {"b": [2, 3.0]}}', ["records"]) == (
        Record(b'{"a":1}', b'{"b":[2,3.0]}'),
    )


def test_records_in_a_list_may_say_their_partition_and_none_are_no_records() -> None:
    text = '[{"key": {}, "value": {}, "partition": 0}, {"key": {}, "value": {}, "partition": 1}]'
    assert records_of(text, ["records"]) == (Record(b"{}", b"{}", 0), Record(b"{}", b"{}", 1))
    assert records_of("[]", ["records"]) == ()
