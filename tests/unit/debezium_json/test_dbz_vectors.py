"""Debezium JSON: values and defaults of every type, with numbers from documents and corpora of upstream's tests."""

from __future__ import annotations

import json
from base64 import b64encode

import pytest

from reference_impl.model import Index, RowChange, Value
from tests.unit.debezium_json.messages import decode_one, field_and_value, one_column, write


def _named(kind: str, name: str, parameters: str = "") -> str:
    more = f',"parameters":{parameters}' if parameters else ""
    return f'"type":"{kind}","optional":true,"name":"io.debezium.{name}","version":1{more}'


_DATE = _named("int32", "time.Date")
_MS, _US = _named("int64", "time.Timestamp"), _named("int64", "time.MicroTimestamp")
_TIME = _named("int64", "time.MicroTime")
_ZONED = _named("string", "time.ZonedTimestamp")
_YEAR = _named("int32", "time.Year")
_ENUM = _named("string", "data.Enum", '{"allowed":"a,b,c"}')
_SET = _named("string", "data.EnumSet", '{"allowed":"a,b,c"}')


def _bits(n: int) -> str:
    return _named("bytes", "data.Bits", f'{{"length":"{n}"}}')


def _plain(kind: str) -> str:
    return f'"type":"{kind}","optional":true'


# Column type, value, schema up to its `field`, JSON text of the value.
VALUES: list[tuple[str, Value, str, str]] = [
    ("date", "0000-00-00", _DATE, "null"),
    ("date", "2023-11-16", _DATE, "19677"),
    ("date", "0018-04-01", _DATE, "17622"),
    ("date", "0078-04-01", _DATE, "3012"),
    ("date", "0000-01-01", _DATE, "10957"),
    ("date", "2020-02-30", _DATE, "null"),
    ("datetime(1)", "2023-11-30 12:34:56.1", _MS, "1701347696100"),
    ("datetime(2)", "2023-11-16 12:34:56.12", _MS, "1700138096120"),
    ("datetime(3)", "2023-11-16 12:34:56.123", _MS, "1700138096123"),
    ("datetime(5)", "2023-11-16 12:34:56.12346", _US, "1700138096123460"),
    ("datetime(6)", "0000-00-00 00:00:00.000000", _US, "null"),
    ("datetime", "0018-04-01 12:34:56", _MS, "1522586096000"),
    ("datetime", "0078-04-01 12:34:56", _MS, "260282096000"),
    ("datetime", "2020-00-10 00:00:00", _MS, "null"),
    ("time(1)", "12:34:56.1", _TIME, "45296100000"),
    ("time(5)", "-838:59:59.00000", _TIME, "-3020399000000"),
    ("time(5)", "123:44:56.12346", _TIME, "445496123460"),
    ("time", "-12:34:00", _TIME, "-45240000000"),
    ("time(6)", "-01:00:00.000000", _TIME, "-3600000000"),
    ("time(3)", "-733:00:00.001", _TIME, "-2638800001000"),
    ("timestamp(5)", "2023-11-30 12:34:56.12346", _ZONED, '"2023-11-30T12:34:56.12346Z"'),
    ("timestamp(1)", "2016-08-09 17:11:08.0", _ZONED, '"2016-08-09T17:11:08.0Z"'),
    ("timestamp(3)", "0000-00-00 00:00:00.000", _ZONED, '"1970-01-01T00:00:00Z"'),
    ("year(4)", "1901", _YEAR, "1901"),
    ("bit(5)", "16", _bits(5), '"EA=="'),
    ("bit(6)", "16", _bits(6), '"EA=="'),
    ("bit(60)", "16", _bits(60), '"EAAAAAAAAAA="'),
    ("bit(64)", str(2**64 - 1), _bits(64), '"//////////8="'),
    ("binary(100)", b"foo" + bytes(97), _plain("string"), '"Zm9v' + "A" * 130 + '=="'),
    ("varbinary(20)", b"MySQL", _plain("string"), '"TXlTUUw="'),
    ("varbinary(3)", b"\xff\xef\xbe", _plain("string"), '"/+++"'),
    ("decimal(7,5)", "15.28000", _plain("double"), "15.28"),
    ("float", "12345.12345", _plain("float"), "12345.123"),
    ("float(35,5)", "30.12346", _plain("double"), "30.12346"),
    ("float unsigned", "64.1234", _plain("float"), "64.1234"),
    ("int(5) unsigned zerofill", "4294967295", _plain("int64"), "4294967295"),
    ("tinyint(1)", "10", _plain("int16"), "10"),
    ("bigint unsigned", "14446744073709551615", _plain("int64"), "-4000000000000000001"),
    ("enum('a','b','c')", "a", _ENUM, '"a"'),
    ("set('a','b','c')", "a,b", _SET, '"a,b"'),
    ("set('a','b','c')", "", _SET, '""'),
    ("json", '{"a": 1}', _named("string", "data.Json"), '"{\\"a\\": 1}"'),
    (
        "vector(3)",
        "[1,2,3]",
        '"type":"string","optional":true,"name":"io.debezium.data.TiDBVectorFloat32"',
        '"[1,2,3]"',
    ),
]


@pytest.mark.parametrize(("kind", "value", "schema", "text"), VALUES)
def test_a_value_has_the_schema_and_the_text_of_its_type(kind: str, value: Value, schema: str, text: str) -> None:
    assert field_and_value(one_column(kind), value) == (f'{{{schema},"field":"c"}}', text)


@pytest.mark.parametrize("word", ["char", "varchar"])
def test_character_columns_of_the_charset_binary_are_base64(word: str) -> None:
    _, text = field_and_value(one_column(f"{word}(3)", charset="binary"), b"\0\xff")
    assert text == f'"{b64encode(bytes([0, 255])).decode()}"'


def test_an_enum_value_that_was_invalid_is_an_empty_text_and_read_as_index_zero() -> None:
    table = one_column("enum('a','b')")
    assert field_and_value(table, Index(0))[1] == '""'
    [(_, value)] = write(RowChange("insert", "test", "t", 1, after={"c": Index(0)}), tables=(table,))
    event = decode_one(json.loads(value))
    assert isinstance(event, RowChange)
    assert event.after == {"c": Index(0)}
