"""Texts that no reader of numbers or times takes are another value, however lenient Python is."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.cases.inputs import column, insert, table
from conformance.cases.model import Case
from conformance.catalogue.harm import Harm
from conformance.oracle import ORACLES
from conformance.oracle.harm_at import harm_at
from conformance.oracle.rules import Delivery, Place
from conformance.oracle.tree import Kind
from reference_impl.floats import is_number, same_float
from reference_impl.profiles import NEWARCH

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
        ("int", "16777215", "16_777215"), ("int", "16777215", "\n16777215"), ("int", "7", "７"),
        ("decimal(10,2)", "99999999.99", "99_999999.99"), ("float", "0.5", "0.5 "), ("double", "0.5", "0._5"),
        ("datetime", "0000-00-00 00:00:00", "0000-00-00 00:00:00."), ("date", "2020-01-01", "2020-01-01."),
        ("varchar(9)", "1.5", "1.50"), ("varchar(9)", "T", " "),
    ],
)  # fmt: skip
def test_a_text_that_no_reader_takes_is_another_value(kind: str, expected: str, got: str) -> None:
    assert canal(kind, expected, got) == (Harm.CHANGED, Kind.VALUE)


@pytest.mark.parametrize(
    ("kind", "expected", "got"),
    [
        ("int", "10", "1e1"), ("decimal(5,2)", "1.50", "1.5"), ("double", "0.5", "5e-1"),
        ("datetime(3)", "2020-01-01 00:00:00.100", "2020-01-01T00:00:00.1Z"),
    ],
)  # fmt: skip
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
        ("decimal(5,2)", "1.50", "1_.5"), ("decimal(5,2)", "0.50", "1/2"), ("bigint unsigned", "10", "1_0"),
        ("datetime", "2020-01-01 00:00:00", "2020-01-01 00:00:00."),
    ],
)  # fmt: skip
def test_avro_reads_texts_no_more_leniently(kind: str, expected: str, got: str) -> None:
    assert compared("avro", ("value", "row", "c"), kind, expected, got) is Kind.VALUE


def test_debezium_reads_an_instant_only_where_digits_are_behind_the_point() -> None:
    path = ("value", "payload", "after", "c")
    right = "2020-01-01T00:00:00Z"
    assert compared("debezium", path, "timestamp", right, "2020-01-01T00:00:00.Z") is Kind.VALUE
    assert compared("debezium", path, "timestamp", right, "2020-01-01T00:00:00.0Z") is Kind.TEXT
