"""The connector's values, schemas and defaults, by rule.  [DBZ-201 … DBZ-223, DBZ-240 … DBZ-244, DBZ-704 … DBZ-707]"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from connector_messages import BARE, column, field_of, insert, options, payload_of, table_of, text_of, tree_of, write

from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import ABSENT, Default, Expression, Index, Mask, Value
from reference_impl.upstream.debezium.defaults import ZEROES
from reference_impl.upstream.debezium.readers import READERS
from reference_impl.upstream.debezium.texts import WRITERS
from reference_impl.upstream.debezium.types import DECIDING, FORMS, MODES, WORDS, Form

NEW = {"version": "3.6.1"}
CONNECT = {"time.precision.mode": "connect"}


@pytest.mark.parametrize(
    ("kind", "value", "given", "text"),
    [
        ("bool", "2", {}, "true"),
        ("tinyint(1)", "2", {}, "2"),
        ("int unsigned", "4294967295", {}, "4294967295"),
        ("integer unsigned", "4294967295", {}, "-1"),
        ("integer unsigned", "4294967295", NEW, "4294967295"),
        ("bigint unsigned", "18446744073709551615", {}, "-1"),
        ("bigint unsigned", "18446744073709551615", {"bigint.unsigned.handling.mode": "precise"}, '"AP//////////"'),
        ("decimal(10,5)", "12345.12345", {}, '"SZUp2Q=="'),
        ("decimal(7,2)", "12345.67", {}, '"EtaH"'),
        ("numeric(3,2)", "1.33", {}, '"AIU="'),
        ("decimal(4,3)", "-2.111", {}, '"98E="'),
        ("numeric(7,5)", "3.44400", {}, '"BUFQ"'),
        ("decimal(3,0)", "0", {}, '"AA=="'),
        ("decimal(3,0)", "-128", {}, '"gA=="'),
        ("decimal(7,5)", "15.28000", {"decimal.handling.mode": "string"}, '"15.28000"'),
        ("decimal(10,5)", "12345.12345", {"decimal.handling.mode": "double"}, "12345.12345"),
        ("float", "12345.123", {}, "12345.123"),
        ("float(10,2)", "5.61", {}, "5.610000133514404"),
        ("float(35,5)", "30.12346", {}, "30.12346076965332"),
        ("float(25)", "5.61", {}, "5.61"),
        ("float", "9999999", {}, "9999999.0"),
        ("real", "1e100", {}, '"Infinity"'),
        ("real", "-2.718281828459045", {}, "-2.7182817"),
        ("double", "123", {}, "123.0"),
        ("double", "10000000", {}, "1.0E7"),
        ("double", "0.0001", {}, "1.0E-4"),
        ("double", "2e23", {}, "1.9999999999999998E23"),
        ("float4", "1.5", {}, "null"),
        ("bit(1)", "1", {}, "true"),
        ("bit(10)", "322", {}, '"QgE="'),
        ("bit(64)", "23989979", {}, '"2w5uAQAAAAA="'),
        ("blob", b"\xff\xef\xbe", {}, '"/+++"'),
        ("blob", b"\xff\xef\xbe", {"binary.handling.mode": "base64"}, '"/+++"'),
        ("blob", b"\xff\xef\xbe", {"binary.handling.mode": "base64-url-safe"}, '"_---"'),
        ("blob", b"\xff\xef\xbe", {"binary.handling.mode": "hex"}, '"ffefbe"'),
        ("binary", b"\0", {}, '""'),
        ("binary(2)", b"a\0", {}, '"YQA="'),
        ("varchar(9)", "a😀b\u2028\x7f\x1f", {}, '"a\\uD83D\\uDE00b\u2028\x7f\\u001F"'),
        ("enum('a','c,d')", "c,d", {}, '"c\\\\,d"'),
        ("enum('a','c,d')", Index(0), {}, '""'),
        ("set('x','y','z')", Mask(5), {}, '"x,z"'),
        ("year", "0", {}, "1900"),
        ("year", "2155", {}, "2155"),
        ("date", "2023-11-16", {}, "19677"),
        ("date", "0018-04-01", {}, "17622"),
        ("date", "2024-00-01", {}, "null"),
        ("date", "0000-01-01", {}, "null"),
        ("datetime(2)", "2023-11-16 12:34:56.12", {}, "1700138096120"),
        ("datetime(4)", "2023-11-16 12:34:56.1235", {}, "1700138096123500"),
        ("datetime(6)", "0001-01-01 00:00:00.000000", {}, "978307200000000"),
        ("datetime(6)", "2023-11-16 12:34:56.123456", CONNECT, "1700138096123"),
        ("timestamp(1)", "2016-08-09 17:11:08.0", {}, '"2016-08-09T17:11:08.0Z"'),
        ("timestamp(3)", "0000-00-00 00:00:00.000", {}, '"1970-01-01T00:00:00.000Z"'),
        ("timestamp(3)", "0000-00-00 00:00:00.000", NEW, "null"),
        ("time", "838:59:59", {}, "3020399000000"),
        ("time(3)", "23:59:59.999", CONNECT, "86399999"),
        ("time", "24:00:00", CONNECT, "86400000"),
        ("time", "24:00:01", CONNECT, "null"),
        ("json", '{"b": [1, 2], "a": {"x": 1e7}}', {}, '"{\\"a\\":{\\"x\\":10000000},\\"b\\":[1,2]}"'),
        ("json", "[0.0001, 1.0, -0.0]", {}, None),
        ("json", '{"b": 1,"a":2}', {"server": "mariadb"}, '"{\\"b\\": 1,\\"a\\":2}"'),
        ("vector(3)", "[1,2.5,-3]", NEW, "[1.0,2.5,-3.0]"),
    ],
)
def test_a_value_in_the_binary_log(kind: str, value: Value, given: Mapping[str, str], text: str | None) -> None:
    expected = '"[0.000100000000000000004792173602385929598' if text is None else text
    written = text_of(kind, value, given)
    assert written.startswith(expected) if text is None else written == expected


@pytest.mark.parametrize(
    ("kind", "value", "old", "new"),
    [
        ("time", "-838:59:59", -3020399000000, -3020399000000),
        ("time(1)", "-838:59:59.0", -3020400147483, -3020399000000),
        ("time(6)", "-838:59:59.000000", -3020399048576, -3020399000000),
        ("time", "-12:34:00", -45243000000, -45240000000),
        ("time", "-12:00:00", -43443000000, -43200000000),
        ("time(6)", "-01:00:00.000000", -3844048576, -3600000000),
        ("time(6)", "-838:59:58.999999", -3020398999999, -3020398999999),
        ("time", "-13:14:50", -47690000000, -47690000000),
    ],
)
def test_negative_times_were_wrong_until_they_were_mended(kind: str, value: str, old: int, new: int) -> None:
    assert (text_of(kind, value), text_of(kind, value, NEW)) == (str(old), str(new))


@pytest.mark.parametrize(
    ("kind", "value", "given", "text"),
    [
        ("bool", "1", {}, "1"),
        ("real", "1e100", {}, "1.0E100"),
        ("float", "9999999", {}, "1.0E7"),
        ("varchar(3)", "bin", {}, '"bin"'),
        ("json", '{"b": [1, 1e15, 1e-4]}', {}, '"{\\"b\\": [1, 1e15, 0.0001]}"'),
        ("timestamp(6)", "2024-01-01 00:00:01.120000", {}, '"2024-01-01T00:00:01.12Z"'),
        ("timestamp(6)", "0000-00-00 00:00:00.000000", {}, "null"),
        ("time", "-00:00:01", {}, "1000000"),
        ("time", "-01:00:01", {}, "-3601000000"),
        ("time", "-00:00:01", NEW, "-1000000"),
        ("year", "0", {}, "2000"),
        ("date", "0000-01-01", {}, "null"),
        ("date", "0000-01-01", NEW, "10957"),
        ("datetime", "0000-01-01 00:00:00", NEW, "978307200000"),
        ("enum('a','c,d')", "c,d", {}, '"c,d"'),
    ],
)
def test_a_value_in_a_snapshot(kind: str, value: Value, given: Mapping[str, str], text: str) -> None:
    assert text_of(kind, value, given, "read") == text


def test_a_point_has_its_coordinates_and_a_geometry_only_its_bytes() -> None:
    point = bytes.fromhex("e6100000010100000000000000000034400000000000002440")
    wkb = '"wkb":"AQEAAAAAAAAAAAA0QAAAAAAAACRA","srid":4326}'
    assert text_of("point", point) == '{"x":20.0,"y":10.0,' + wkb
    assert text_of("geometry", point) == "{" + wkb
    assert text_of("geometry", bytes(4) + point[4:]).endswith('"srid":null}')


def test_text_of_charset_binary_is_read_as_latin_1() -> None:
    table = table_of(column("c", "varchar(9)", charset="binary"))
    [record] = write([insert(c="é".encode())], [table], BARE)
    assert payload_of(record)["after"]["c"] == "Ã©"


@pytest.mark.parametrize(
    ("kind", "given", "schema"),
    [
        ("bool", {}, {"type": "boolean"}),
        ("integer unsigned", {}, {"type": "int32"}),
        ("integer unsigned", NEW, {"type": "int64"}),
        ("int unsigned", {}, {"type": "int64"}),
        ("smallint unsigned", {}, {"type": "int32"}),
        ("real", {}, {"type": "float"}),
        ("float(7,3)", {}, {"type": "double"}),
        ("float4", {}, {"type": "double"}),
        ("decimal(8,2)", {"decimal.handling.mode": "string"}, {"type": "string"}),
        (
            "decimal(8,2)",
            {},
            {
                "type": "bytes",
                "name": "org.apache.kafka.connect.data.Decimal",
                "version": 1,
                "parameters": {"scale": "2", "connect.decimal.precision": "8"},
            },
        ),
        (
            "enum('x','it''s','c,d')",
            {},
            {
                "type": "string",
                "name": "io.debezium.data.Enum",
                "version": 1,
                "parameters": {"allowed": "x,it's,c\\,d"},
            },
        ),
        ("time", CONNECT, {"type": "int32", "name": "org.apache.kafka.connect.data.Time", "version": 1}),
        ("datetime(6)", {}, {"type": "int64", "name": "io.debezium.time.MicroTimestamp", "version": 1}),
        ("datetime(3)", {}, {"type": "int64", "name": "io.debezium.time.Timestamp", "version": 1}),
        ("blob", {}, {"type": "bytes"}),
        ("blob", {"binary.handling.mode": "hex"}, {"type": "string"}),
    ],
)
def test_the_schema_of_a_column(kind: str, given: Mapping[str, str], schema: Mapping[str, Any]) -> None:
    assert field_of(column("c", kind), given) == schema


def _sql(text: str) -> Expression:
    return Expression(text)


@pytest.mark.parametrize(
    ("kind", "default", "nullable", "given", "expected"),
    [
        ("int", _sql("- 7"), True, {}, -7),
        ("bigint", _sql("9223372036854775807"), True, {}, 9223372036854775807),
        ("bigint unsigned", _sql("18446744073709551615"), True, {}, 9223372036854775807),
        ("tinyint unsigned", "100", True, {}, 100),
        ("bool", _sql("true"), True, {}, True),
        ("bit(10)", _sql("b'0101000010'"), True, {}, "QgE="),
        ("bit(1)", _sql("1"), True, {}, True),
        ("decimal(10,4)", _sql("12345.12345"), True, {}, "B1u3Yw=="),
        ("varchar(9)", _sql("'a''b\"c\\\\d'"), True, {}, "a''b\"c\\\\d"),
        ("varchar(9)", "it's", True, {}, "it''s"),
        ("varbinary(5)", _sql("'abc'"), True, {"binary.handling.mode": "hex"}, "616263"),
        ("binary(5)", _sql("'ab'"), True, {}, "YWI="),
        ("date", _sql("'1976-08-23'"), False, {}, 2426),
        ("date", _sql("'0000-00-00'"), False, {}, 0),
        ("date", _sql("'0000-00-00'"), True, {}, None),
        ("date", _sql("20200101"), True, {}, None),
        ("datetime", _sql("current_timestamp"), True, {}, 0),
        ("datetime", _sql("'2018-01-03 00:00:10'"), True, {}, 1514937610000),
        ("timestamp", _sql("current_timestamp"), True, {}, None),
        ("timestamp", _sql("NOW()"), False, {}, "1970-01-01T00:00:00Z"),
        ("timestamp(3)", _sql("'2020-01-01 01:02:03.004'"), True, {}, "2020-01-01T01:02:03.004Z"),
        ("time(1)", _sql("'-23:45:56.7'"), True, {}, -85556700000),
        ("time", _sql("'-00:30:00'"), True, {}, 1800000000),
        ("time", _sql("'-00:30:00'"), True, NEW, -1800000000),
        ("time", _sql("'-00:30:00'"), True, {**NEW, **CONNECT}, None),
        ("time", _sql("'0000-00-00 01:00:00.000'"), False, {}, 3600000000),
        ("year", _sql("1"), False, {}, 2001),
        ("year", _sql("0"), True, {}, 2000),
        ("varbinary(9)", _sql("0x414243"), True, {}, None),
        ("varbinary(9)", _sql("0x414243"), True, NEW, "NDE0MjQ="),
        ("int", _sql("0x1F"), True, NEW, 1),
        ("bit(4)", _sql("101"), True, NEW, "BQ=="),
        ("bit(4)", _sql("9" * 5000), True, NEW, None),
        ("varchar(40)", _sql("( uuid() )"), True, {}, None),
        ("enum('a','b')", _sql("'b'"), True, {}, "b"),
        ("int", None, True, {}, None),
    ],
)
def test_a_default_in_a_schema_stands_for_null(
    kind: str, default: Default, nullable: bool, given: Mapping[str, str], expected: Any
) -> None:
    described = column("c", kind, nullable=nullable, default=default)
    [record] = write([insert(c=None)], [table_of(described)], given)
    field = tree_of(record)["schema"]["fields"][1]["fields"][1]
    after = payload_of(record)["after"]["c"]
    assert field.get("default") == expected
    assert "default" in field or expected is None
    assert type(field.get("default")) is type(expected)
    assert after == expected


def test_a_forbidden_null_is_a_zero_of_its_type() -> None:
    table = table_of(
        column("i", "int", nullable=False),
        column("v", "varchar(3)", nullable=False),
        column("d", "date", nullable=False),
    )
    [record] = write([insert(i=None, v=None, d="0000-00-00")], [table], BARE)
    assert payload_of(record)["after"] == {"id": 1, "i": 0, "v": "", "d": 0}


def test_a_type_that_the_version_does_not_know_is_not_supported() -> None:
    for kind in ("vector(3)", "varcharacter(3)", "long char varying"):
        with pytest.raises(Unsupported, match="does not know the type"):
            text_of(kind, None)
        assert text_of(kind, None, NEW) == "null"


@pytest.mark.parametrize(
    ("kind", "value", "reason"),
    [
        ("int", "x", "type"), ("int", b"1", "type"), ("tinyint", "128", "range"), ("date", "2023-02-30", "range"),
        ("enum('a')", "b", "range"), ("set('a')", "a,b", "range"), ("blob", "text", "type"), ("json", "{", "type"),
        ("geometry", b"\0", "type"), ("varchar(3)", "\ud800", "type"),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_its_column_is_refused(kind: str, value: Value, reason: str) -> None:
    with pytest.raises(Rejected) as caught:
        text_of(kind, value)
    assert caught.value.reason == reason


def test_absent_is_no_default() -> None:
    assert field_of(column("c", "int", default=ABSENT)) == {"type": "int32"}


def test_every_form_has_its_row_in_every_table() -> None:
    forms = set(Form)
    assert forms == set(FORMS) == set(WRITERS) == set(ZEROES) == set(READERS)
    chosen = {form for row in WORDS.values() for form in row if isinstance(form, Form)}
    assert chosen | {form for modes in MODES.values() for form in modes.values()} | {Form.WIDENED} == forms
    assert MODES.keys() == DECIDING.keys()
    assert all(hasattr(options(), attribute) for attribute in DECIDING.values())
