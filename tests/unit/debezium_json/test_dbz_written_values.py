"""Debezium JSON, written: texts, numbers, times and defaults in a column, and values that are refused."""

from __future__ import annotations

import pytest

from reference_impl.errors import Rejected
from reference_impl.model import Expression, Value
from tests.unit.debezium_json.messages import field_and_value, one_column


def test_strings_are_escaped_as_little_as_possible() -> None:
    value = '"\\\b\f\n\r\t\x1f\x7f/<>&\u2028é😀'
    assert field_and_value(one_column("text"), value)[1] == ('"\\"\\\\\\u0008\\u000c\\n\\r\\t\\u001f\x7f/<>&\u2028é😀"')


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
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
    ],
)
def test_numbers_are_plain_from_a_millionth_to_a_trillion_milliards(kind: str, value: str, text: str) -> None:
    assert field_and_value(one_column(kind), value)[1] == text


def test_allowed_values_escape_commas_in_an_enum_alone() -> None:
    schema, text = field_and_value(one_column("enum('a','c,d','it''s')"), "c,d")
    assert ('"allowed":"a,c\\\\,d,it\'s"' in schema, text) == (True, '"c,d"')


def test_a_timestamp_is_written_in_utc_the_earlier_instant_of_a_repeated_hour() -> None:
    table = one_column("timestamp")
    for zone, text, utc in (
        ("America/New_York", "2024-11-03 01:30:00", "2024-11-03T05:30:00Z"),
        ("+05:30", "2024-02-29 12:34:56", "2024-02-29T07:04:56Z"),
        ("-08:00", "1969-12-31 16:00:01", "1970-01-01T00:00:01Z"),
    ):
        assert field_and_value(table, text, timezone=zone)[1] == f'"{utc}"'


@pytest.mark.parametrize(("kind", "zero"), [("date", "0000-00-00"), ("datetime", "2024-00-01 00:00:00")])
def test_a_date_of_no_calendar_is_null_or_zero_where_null_may_not_be(kind: str, zero: str) -> None:
    assert field_and_value(one_column(kind), zero)[1] == "null"
    assert field_and_value(one_column(kind, nullable=False), zero)[1] == "0"


# Defaults that are expressions


@pytest.mark.parametrize(
    ("kind", "nullable", "in_schema", "for_null"),
    [
        ("timestamp", True, None, "null"),
        ("timestamp(6)", False, '"1970-01-01T00:00:00Z"', None),
        ("datetime", True, "0", "0"),
        ("datetime(6)", False, "0", None),
    ],
)
@pytest.mark.parametrize("text", ["CURRENT_TIMESTAMP", "now(6)", "CURRENT_TIMESTAMP(6)"])
def test_the_time_of_the_change_is_no_default_to_write(
    kind: str, nullable: bool, in_schema: str | None, for_null: str | None, text: str
) -> None:
    schema, value = field_and_value(one_column(kind, nullable=nullable, default=Expression(text)), None)
    assert schema.partition('"field":"c"')[2] == ("}" if in_schema is None else f',"default":{in_schema}}}')
    assert for_null in (None, value)


@pytest.mark.parametrize(
    ("kind", "in_schema", "for_null"),
    [("varchar(40)", '"uuid()"', '"uuid()"'), ("int", None, "null"), ("time", None, "null"), ("year", None, "null")],
)
def test_another_expression_is_a_default_of_texts_alone(kind: str, in_schema: str | None, for_null: str) -> None:
    schema, value = field_and_value(one_column(kind, default=Expression("uuid()")), None)
    assert schema.partition('"field":"c"')[2] == ("}" if in_schema is None else f',"default":{in_schema}}}')
    assert value == for_null


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("bit(3)", "x"),
        ("date", b"x"),
        ("float", "x"),
        ("text", b""),
        ("blob", ""),
        ("enum('a')", b""),
        ("set('a')", b""),
    ],
)
def test_a_value_of_another_type_is_refused(kind: str, value: Value) -> None:
    with pytest.raises(Rejected) as caught:
        field_and_value(one_column(kind), value)
    assert caught.value.reason == "type"


def test_a_type_that_tidb_lacks_is_refused() -> None:
    with pytest.raises(Rejected) as caught:
        field_and_value(one_column("point"), b"")
    assert caught.value.reason == "type"


def test_a_zone_that_does_not_exist_is_refused() -> None:
    with pytest.raises(Rejected) as caught:
        field_and_value(one_column("timestamp"), "2024-01-01 00:00:00", timezone="Nowhere/Else")
    assert caught.value.reason == "semantics"
