"""Debezium JSON, written: texts, numbers, times and defaults in a column, and values that are refused."""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.debezium_json.types import allowed
from reference_impl.errors import Rejected
from reference_impl.model import Index, Mask, RawText, Value
from tests.unit.debezium_json.messages import field_and_value, one_column


def test_strings_are_escaped_as_little_as_possible() -> None:
    value = '"\\\b\f\n\r\t\x1f\x7f/<>&\u2028é😀'
    assert field_and_value(one_column("text"), value)[1] == ('"\\"\\\\\\u0008\\u000c\\n\\r\\t\\u001f\x7f/<>&\u2028é😀"')


def test_allowed_values_escape_commas_in_an_enum_alone() -> None:
    schema, text = field_and_value(one_column("enum('a','c,d','it''s')"), "c,d")
    assert ('"allowed":"a,c\\\\,d,it\'s"' in schema, text) == (True, '"c,d"')


# Column type, `allowed`.  [DBZ-131]
@pytest.mark.parametrize(
    ("kind", "listed"),
    [
        ("enum('a','b')", "a,b"),
        ("enum('a,b','c')", "a\\,b,c"),
        ("enum('a\\''b')", "a'b"),
        ("enum('a''''b')", "a'b"),
        ("set('a','b')", "a,b"),
        ("set('a\\''b')", "a\\'b"),
        ("set('a''''b')", "a''b"),
    ],
)
def test_allowed_loses_characters_of_labels_in_an_enum_alone(kind: str, listed: str) -> None:
    assert allowed(parse_column_type(kind)) == listed


def test_a_timestamp_is_written_in_utc_the_earlier_instant_of_a_repeated_hour() -> None:
    table = one_column("timestamp")
    for zone, text, utc in (
        ("America/New_York", "2024-11-03 01:30:00", "2024-11-03T05:30:00Z"),
        ("+05:30", "2024-02-29 12:34:56", "2024-02-29T07:04:56Z"),
        ("-08:00", "1969-12-31 16:00:01", "1970-01-01T00:00:01Z"),
        ("UTC", "1969-12-31 23:59:59", "1970-01-01T00:00:00Z"),  # before the smallest TIMESTAMP  [DBZ-136]
    ):
        assert field_and_value(table, text, timezone=zone)[1] == f'"{utc}"'


@pytest.mark.parametrize(("kind", "zero"), [("date", "0000-00-00"), ("datetime", "2024-00-01 00:00:00")])
def test_a_date_of_no_calendar_is_null_or_zero_where_null_may_not_be(kind: str, zero: str) -> None:
    assert field_and_value(one_column(kind), zero)[1] == "null"
    assert field_and_value(one_column(kind, nullable=False), zero)[1] == "0"


# Column type, value, JSON text: labels by their number or mask, and numbers at their limits.  [DBZ-100 … DBZ-119]
@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        *(("enum('a','b','c')", Index(n), text) for n, text in enumerate(('""', '"a"', '"b"', '"c"', '""'))),
        ("enum('a','b','c')", "b", '"b"'),
        *(("set('a','b','c')", Mask(n), text) for n, text in ((0, '""'), (1, '"a"'), (4, '"c"'), (7, '"a,b,c"'))),
        ("set('a','b','c')", "a,c", '"a,c"'),
        # Plain from a millionth to a trillion milliards.
        ("double", "1e20", "100000000000000000000"),
        ("double", "1e21", "1e+21"),
        ("double", "0.000001", "0.000001"),
        ("double", "0.0000001", "1e-07"),
        ("double", "-1.5e-9", "-1.5e-09"),
        ("float", "1e-7", "1e-07"),
        ("double", "1.5e-10", "1.5e-10"),
        ("double", "-0", "-0"),
        ("double", "123.0", "123"),
        ("float", "0.000001", "0.000001"),
        ("float", "16777217", "16777216"),
        ("decimal(65,0)", "9" * 65, "1e+65"),
        ("decimal(30,10)", "12345678901234567890.1234567891", "12345678901234567000"),
        ("bigint unsigned", "9223372036854775807", "9223372036854775807"),
        ("bigint unsigned", "9223372036854775808", "-9223372036854775808"),
        ("bigint unsigned", "18446744073709551615", "-1"),
        ("bigint", "-9223372036854775808", "-9223372036854775808"),
        ("int unsigned", "4294967295", "4294967295"),
        ("bit(1)", "0", "false"),
        ("bit(1)", "1", "true"),
        ("bit(2)", "1", '"AQ=="'),
        ("bit(8)", "255", '"/w=="'),
        ("bit(9)", "256", '"AAE="'),
        ("text", RawText(b"a"), '"a"'),
        ("text", RawText(b"\xc3\xa9"), '"é"'),
        ("blob", b"", '""'),
        ("date", "1970-01-01", "0"),
        ("datetime", "1970-01-01 00:00:00", "0"),
        ("datetime(3)", "1970-01-01 00:00:00.001", "1"),
        ("datetime(4)", "1970-01-01 00:00:00.0001", "100"),
        ("time", "00:00:00", "0"),
        ("time(6)", "-00:00:00.000001", "-1"),
        ("year", "0", "0"),
    ],
)
def test_a_value_is_written_in_the_form_of_its_type(kind: str, value: Value, text: str) -> None:
    assert field_and_value(one_column(kind), value)[1] == text


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("bit(3)", "x"),
        *((word, "x") for word in ("float", "double", "time", "bigint unsigned")),
        *((word, 1) for word in ("int", "bit(3)", "text", "blob", "json", "enum('a')", "set('a')", "year", "time")),
        ("date", b"x"),
        ("float", "x"),
        ("text", b""),
        ("blob", ""),
        ("enum('a')", b""),
        ("set('a')", b""),
    ],
)
def test_a_value_of_another_type_is_refused_by_its_column_type(kind: str, value: Any) -> None:
    with pytest.raises(Rejected) as caught:
        field_and_value(one_column(kind), value)
    assert (caught.value.reason, caught.value.message) == ("type", f"{value!r} is not a value of a {kind} column")


def test_a_type_that_tidb_lacks_is_refused() -> None:
    with pytest.raises(Rejected) as caught:
        field_and_value(one_column("point"), b"")
    assert caught.value.reason == "type"


def test_a_zone_that_does_not_exist_is_refused() -> None:
    with pytest.raises(Rejected) as caught:
        field_and_value(one_column("timestamp"), "2024-01-01 00:00:00", timezone="Nowhere/Else")
    assert caught.value.reason == "semantics"
