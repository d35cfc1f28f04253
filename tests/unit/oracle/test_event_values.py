"""Values that are answered, held against one value and against several; and texts that are no value."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.cases.inputs import column, insert, table
from conformance.cases.model import Case
from conformance.catalogue.harm import Harm
from conformance.oracle import ORACLES
from conformance.oracle.answered_events import comparable_event
from conformance.oracle.events import compare_event_alternatives, compare_event_leaf
from conformance.oracle.harm_at import harm_at
from conformance.oracle.rules import Delivery, Place
from conformance.oracle.tree import Kind
from reference_impl.floats import is_number, same_float
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
        ("bigint unsigned", {LARGE, "-1"}, LARGE, True),
        ("bigint unsigned", {LARGE, "-1"}, "-1", True),
        ("bigint unsigned", {LARGE, "-1"}, "0", False),
        ("int", {"1", "2"}, "x", False),  # no value of the column at all
        ("int", {"1", "2"}, {"index": "1"}, False),
        ("int", {"1", "2"}, 1, False),
        ("int", {"1", "2"}, None, False),
        ("int", {"1", None}, None, True),
        ("decimal(5,2)", {"1.50"}, "1.5", True),
        ("decimal(5,2)", {"1.50"}, "1.50e0", True),
        ("decimal(5,2)", {"1.50"}, "1.51", False),
        ("enum('a','b')", {"b", ""}, {"index": "2"}, True),
        ("enum('a','b')", {"b", ""}, {"index": "1"}, False),
        ("datetime(2)", {"2024-01-02 03:04:05"}, "2024-01-02 03:04:05.00", True),
    ],
)
def test_one_of_several_values_will_do_and_nothing_else(kind: str, expected: set[Any], got: Any, is_one: bool) -> None:
    assert (compare_event_alternatives(place(kind, frozenset(expected), got)) is None) is is_one


@pytest.mark.parametrize(
    ("kind", "expected", "got", "difference"),
    [
        ("int", "1", "1", None),
        ("int", "1", "2", Kind.VALUE),
        ("double", "1e2", "100", None),
        ("enum('a','b')", "b", {"index": "2"}, None),
        ("enum('a','b')", "b", {"index": "1"}, Kind.VALUE),
        ("json", '{"a":1}', '{"a": 1.0}', None),
    ],
)
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
    ({"op": "update", "before": {}}, {"before": None}, {"before": {}}),
    ({"op": "update", "before": {}}, {}, {}),
    ({"op": "update", "before": {}}, {"before": ROW}, {"before": ROW}),
    ({"op": "update", "after": ROW}, {"after": None}, {"after": None}),
    ({"op": "update"}, {"before": {}}, {"before": {}}),
    ({"op": "update"}, {"before": ROW}, {"before": ROW}),
    ({"source": 1}, {"source": 2, "status": 3}, {"source": 2}),
    ({}, {"commit_ts": "1", "query": ""}, {"commit_ts": "1", "query": ""}),
    *(
        ({}, {name: 1}, {})
        for name in (
            *("source", "partition_id", "row_id", "action", "action_code", "table_before", "table_after"),
            *("other_tables", "status", "position"),
        )
    ),
]


@pytest.mark.parametrize(("expected", "got", "comparable"), COMPARABLE)
def test_information_and_missing_images_are_free_and_nothing_else(
    expected: dict[str, Any], got: dict[str, Any], comparable: dict[str, Any]
) -> None:
    assert comparable_event(expected, got) == comparable


# -- texts that no reader takes, however lenient Python is -------------------------------------------------------------

UNREADABLE = ["1_0", "１０", "\n10", "10 ", "", "1e", "0x0a", "1/1", "--1", "nan", "inf", "1e9999999999"]


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_text_that_python_alone_may_read_is_no_number(text: str) -> None:
    assert not is_number(text)
    assert not same_float(text, "10", 64)
    assert not same_float("10", text, 32)


@pytest.mark.parametrize(("text", "bits"), [("1e39", 32), ("1e400", 32), ("1e400", 64), ("9" * 400, 64)])
def test_a_number_beyond_the_width_equals_no_number(text: str, bits: int) -> None:
    assert not same_float(text, text, bits)
    assert not same_float(text, "-" + text, bits)


@pytest.mark.parametrize("text", ["10", "+10", "010", "10.0", "10.", "1e1", "1E+1", "-.5"])
def test_every_way_to_write_a_number_is_one(text: str) -> None:
    assert is_number(text)


def canal(kind: str, expected: str, got: str) -> tuple[Harm, Kind | None]:
    """The harm of a text in `data` of a Canal-JSON message that an encoder wrote, and what it is compared as."""
    one = column("c", kind)
    of = table("t", (one,))
    path, tree = ("value", "data", 0, "c"), {"value": {"data": [{"c": expected}]}}
    delivery = Delivery(insert(of, {"c": expected}), of)
    place = Place("encode", path, expected, got, tree, Case("x", "canal-json", "encode"), None, NEWARCH, delivery, one)
    oracle = ORACLES["canal-json"]
    return harm_at(oracle, place, "value.data[].{column}", Kind.VALUE), oracle.compare(place)


@pytest.mark.parametrize(
    ("kind", "expected", "got"),
    [
        ("int", "16777215", "16_777215"),
        ("int", "16777215", "\n16777215"),
        ("int", "7", "７"),
        ("decimal(10,2)", "99999999.99", "99_999999.99"),
        ("float", "0.5", "0.5 "),
        ("double", "0.5", "0._5"),
        ("datetime", "0000-00-00 00:00:00", "0000-00-00 00:00:00."),
        ("date", "2020-01-01", "2020-01-01."),
        ("varchar(9)", "1.5", "1.50"),
        ("varchar(9)", "T", " "),
    ],
)
def test_a_text_that_no_reader_takes_is_another_value(kind: str, expected: str, got: str) -> None:
    assert canal(kind, expected, got) == (Harm.CHANGED, Kind.VALUE)


@pytest.mark.parametrize(
    ("kind", "expected", "got"),
    [
        ("int", "10", "1e1"),
        ("decimal(5,2)", "1.50", "1.5"),
        ("double", "0.5", "5e-1"),
        ("datetime(3)", "2020-01-01 00:00:00.100", "2020-01-01T00:00:00.1Z"),
    ],
)
def test_a_text_that_readers_take_is_the_same_in_other_words(kind: str, expected: str, got: str) -> None:
    assert canal(kind, expected, got)[0] is Harm.FORM


def compared(protocol: str, path: tuple[Any, ...], kind: str, expected: str, got: str) -> Kind | None:
    one = column("c", kind)
    case = Case("x", protocol, "encode")
    of = table("t", (one,))
    delivery = Delivery(insert(of, {"c": expected}), of)
    place = Place("encode", path, expected, got, {}, case, None, NEWARCH, delivery, one)
    return ORACLES[protocol].compare(place)


@pytest.mark.parametrize(
    ("kind", "expected", "got"),
    [
        ("decimal(5,2)", "1.50", "1_.5"),
        ("decimal(5,2)", "0.50", "1/2"),
        ("bigint unsigned", "10", "1_0"),
        ("datetime", "2020-01-01 00:00:00", "2020-01-01 00:00:00."),
    ],
)
def test_avro_reads_texts_no_more_leniently(kind: str, expected: str, got: str) -> None:
    assert compared("avro", ("value", "row", "c"), kind, expected, got) is Kind.VALUE


def test_debezium_reads_an_instant_only_where_digits_are_behind_the_point() -> None:
    path = ("value", "payload", "after", "c")
    right = "2020-01-01T00:00:00Z"
    assert compared("debezium", path, "timestamp", right, "2020-01-01T00:00:00.Z") is Kind.VALUE
    assert compared("debezium", path, "timestamp", right, "2020-01-01T00:00:00.0Z") is Kind.TEXT
