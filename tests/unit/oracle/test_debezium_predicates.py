"""What the helpers and predicates of Debezium JSON say of texts, values and places made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.oracle.debezium.compare import bytes_of, is_canonical
from conformance.oracle.debezium.known_values import calendar_day, instant, is_early, known_value
from reference_impl.settings import Settings
from tests.unit.oracle.places import holds, place


@pytest.mark.parametrize(
    ("text", "data", "canonical"),
    [
        ("YQ==", b"a", True), ("YQ", b"a", False), ("-_8=", b"\xfb\xff", False), ("+/8=", b"\xfb\xff", True),
        ("YQ===", b"a", False), ("=YQ=", None, False), ("Y", None, False), ("Y*Q=", None, False),
    ],
)  # fmt: skip
def test_base64_is_read_in_any_alphabet_and_canonical_in_one(text: str, data: bytes | None, canonical: bool) -> None:
    assert bytes_of(text) == data
    assert is_canonical(text) is canonical


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-11-23", "2024-11-23"), ("0069-01-02", "2069-01-02"), ("0070-01-02", "1970-01-02"),
        ("0100-01-02", "0100-01-02"), ("2023-02-30", "None"),
    ],
)  # fmt: skip
def test_a_year_below_a_hundred_is_moved(text: str, day: str) -> None:
    assert str(calendar_day(text)) == day


@pytest.mark.parametrize(
    ("text", "zone", "moment"),
    [
        ("1970-01-01 00:00:01", "UTC", "1970-01-01 00:00:01+00:00"), ("1970-01-01 00:00:00", "UTC", "None"),
        ("1970-01-01 09:00:01.5", "Asia/Tokyo", "1970-01-01 00:00:01+00:00"),
        ("1970-01-01 09:00:00", "Asia/Tokyo", "None"), ("0000-00-00 00:00:00", "UTC", "None"),
    ],
)  # fmt: skip
def test_the_first_time_stamp_is_a_second_after_the_epoch(text: str, zone: str, moment: str) -> None:
    assert str(instant(text, Settings(timezone=zone))) == moment
    assert is_early("1970-01-01 00:00:00")
    assert not is_early("1970-01-01 00:00:01")


@pytest.mark.parametrize(
    ("kind", "value", "known"),
    [
        ("decimal(20,2)", "1.50", "1.50"),
        ("decimal(18,2)", "9999999999999999.99", {"10000000000000000.00", "10000000000000000", "9999999999999999.99"}),
        ("decimal(18,0)", "-999999999999999999", {"-1000000000000000000", "-999999999999999999"}),
    ],
)
def test_a_decimal_that_left_its_type_may_be_its_largest(kind: str, value: str, known: Any) -> None:
    table = place("debezium", "value.payload.after.c", column=kind).table
    assert table is not None
    found = known_value(table.columns[1], value, Settings())
    assert found == (frozenset(known) if isinstance(known, set) else known)


@pytest.mark.parametrize(
    ("expected", "got", "escaped"),
    [('"a"b"."t"', '"a\\"b"."t"', True), ('"a"b"."t"', '"a""b"."t"', True), ('"a"b"."t"', '"ab"."t"', False)],
)
def test_a_quote_in_an_id_may_be_escaped_or_doubled(expected: str, got: str, escaped: bool) -> None:
    assert holds("is_quote_escaped", place("debezium", "value.payload.tableChanges.0.id", expected, got)) is escaped
