"""Worked values and messages of TiCDC's Avro, as tables of data; numbers are those of the test vectors TV-AV-nnn."""

from __future__ import annotations

import json

import pytest

from reference_impl.avro import Options
from reference_impl.column_types import parse_column_type
from reference_impl.decimals import decimal_text, from_bytes, minimal_bytes, to_bytes, unscaled
from reference_impl.model import ABSENT, Column, Default, Index, Mask, Value
from reference_impl.profiles import CLASSIC, NEWARCH, Profile
from tests.unit.avro.samples import (
    body_of,
    column,
    field_of,
    insert,
    numbered,
    options,
    record,
    refusal,
    schema,
    table_of,
    write,
)

STRINGS = options(avro_decimal_handling_mode="string", avro_bigint_unsigned_handling_mode="string")

_ALLOWED = '{{"type":"string","connect.parameters":{{"allowed":"{}","tidb_type":"{}"}}}}'
_T = '{{"type":"{}","connect.parameters":{{"tidb_type":"{}"}}}}'


def _one(
    kind: str,
    value: Value,
    *,
    nullable: bool = False,
    default: Default = ABSENT,
    given: Options | None = None,
    profile: Profile = NEWARCH,
    charset: str | None = None,
) -> tuple[str, str]:
    """The type of a one-column table in its schema, and the body of a value; `id` is dropped from both."""
    plain = column("c", kind, nullable=nullable, default=default)
    table = table_of(Column("c", parse_column_type(kind, charset), nullable, default) if charset else plain)
    written = write(table, insert(table, c=value), given=given, profile=profile)
    field = json.loads(field_of(written, "c"))
    return json.dumps(field["type"], ensure_ascii=False, separators=(",", ":")), body_of(written.records[0].value)[2:]


TYPES = [
    *((1, kind, "1", _T.format("int", "INT"), "02") for kind in ("tinyint", "smallint", "mediumint", "int")),
    *(
        (3, f"{kind} unsigned", "1", _T.format("int", "INT UNSIGNED"), "02")
        for kind in ("tinyint", "smallint", "mediumint")
    ),
    (4, "int unsigned", "1", _T.format("long", "INT UNSIGNED"), "02"),
    (5, "bigint unsigned", "1", _T.format("long", "BIGINT UNSIGNED"), "02"),
    (7, "float", "3.14", _T.format("float", "FLOAT"), "c3f54840"),
    (8, "double", "2.71", _T.format("double", "DOUBLE"), "ae47e17a14ae0540"),
    *(
        (12, kind, "hello world", _T.format("string", "TEXT"), "1668656c6c6f20776f726c64")
        for kind in ("tinytext", "mediumtext", "text", "longtext", "varchar(20)", "char(20)")
    ),
    *(
        (13, kind, b"hello world", _T.format("bytes", "BLOB"), "1668656c6c6f20776f726c64")
        for kind in ("tinyblob", "mediumblob", "blob", "longblob", "varbinary(20)", "binary(11)")
    ),
    (14, "enum('a','b')", Index(1), _ALLOWED.format("a,b", "ENUM"), "0261"),
    (15, "set('a','b')", Mask(1), _ALLOWED.format("a,b", "SET"), "0261"),
    (16, "json", '{"key": "value"}', _T.format("string", "JSON"), "207b226b6579223a202276616c7565227d"),
    (17, "datetime", "2015-12-20 23:58:58", _T.format("string", "DATETIME"),
     "26323031352d31322d32302032333a35383a3538"),
    (17, "timestamp", "1973-12-30 15:30:00", _T.format("string", "TIMESTAMP"),
     "26313937332d31322d33302031353a33303a3030"),
    (17, "time", "23:59:59", _T.format("string", "TIME"), "1032333a35393a3539"),
    (80, "enum('a,b','c''d')", "a,b", _ALLOWED.format("a\\\\,b,c'd", "ENUM"), "06612c62"),
]  # fmt: skip


@pytest.mark.parametrize(("number", "kind", "value", "text", "body"), TYPES)
def test_a_type_has_its_schema_in_a_union_with_null_if_it_is_nullable_and_a_value_its_bytes(
    number: int, kind: str, value: Value, text: str, body: str
) -> None:
    assert _one(kind, value) == (text, body)
    assert _one(kind, value, nullable=True) == (f'["null",{text}]', "02" + body)  # TV-AV-019, TV-AV-066
    assert _one(kind, None, nullable=True)[1] == "00"


@pytest.mark.parametrize(
    ("kind", "value", "text", "body"),
    [
        ("bigint unsigned", "1", _T.format("string", "BIGINT UNSIGNED"), "0231"),  # TV-AV-006
        ("bigint unsigned", "9223372036854775808", _T.format("string", "BIGINT UNSIGNED"),
         "2639323233333732303336383534373735383038"),  # TV-AV-063
        ("decimal(13,7)", "129012.1230000", _T.format("string", "DECIMAL"),
         "1c3132393031322e31323330303030"),  # TV-AV-011
    ],
)  # fmt: skip
def test_string_modes_write_digits(kind: str, value: str, text: str, body: str) -> None:
    assert _one(kind, value, given=STRINGS) == (text, body)


INTEGERS = [("int", "-1", "01"), ("int", "127", "fe01"), ("int", "-128", "ff01")]


@pytest.mark.parametrize(("kind", "value", "body"), INTEGERS)
def test_integers_are_zig_zag_numbers(kind: str, value: str, body: str) -> None:
    assert _one(kind, value)[1] == body  # TV-AV-060, TV-AV-061


UNSCALED = {
    0: "00",
    1: "01",
    -1: "ff",
    127: "7f",
    128: "0080",
    255: "00ff",
    256: "0100",
    -127: "81",
    -128: "80",
    -129: "ff7f",
    -255: "ff01",
    -256: "ff00",
    -257: "feff",
    32767: "7fff",
    32768: "008000",
    -32768: "8000",
    -32769: "ff7fff",
    10**65 - 1: "00f316271c7fc3908a8bef464e3945ef7a253609ffffffffffffffff",
    1 - 10**65: "ff0ce9d8e3803c6f757410b9b1c6ba1085dac9f60000000000000001",
}


@pytest.mark.parametrize(("number", "data"), UNSCALED.items())
def test_an_unscaled_number_has_as_few_bytes_as_it_can(number: int, data: str) -> None:
    assert to_bytes(number).hex() == data  # AV-100
    assert from_bytes(bytes.fromhex(data)) == number


@pytest.mark.parametrize(
    ("text", "scale", "data"),
    [
        ("129012.123", 0, "01f7f4"),
        ("129012.123", 7, "012c6137b6b0"),
        ("3.14", 2, "013a"),
        ("-3.14", 2, "fec6"),
        ("179394.2333", 6, "29c4bac3d4"),
        ("2333.654321", 6, "008b18bd31"),
        ("1.7371", 4, "43db"),
        ("-1.5", 0, "fe"),
        *(("1", 0, "01"), ("1.5", 3, "05dc"), ("1.59", 1, "0f"), ("-1.51", 1, "f0"), ("-0.01", 2, "ff")),
    ],
)
def test_a_decimal_is_scaled_and_rounded_down(text: str, scale: int, data: str) -> None:
    assert to_bytes(unscaled(text, scale)).hex() == data  # TV-AV-010, TV-AV-071 … TV-AV-074


@pytest.mark.parametrize(
    ("number", "scale", "text"),
    [
        *((0, 0, "0"), (0, 2, "0.00"), (-5, 2, "-0.05"), (314, 2, "3.14"), (1, 30, "0." + "0" * 29 + "1")),
        *((-1, 0, "-1"), (-1, 1, "-0.1"), (10, 1, "1.0"), (-123456, 3, "-123.456"), (12, 5, "0.00012")),
    ],
)
def test_a_scaled_number_has_exactly_its_fractional_digits(number: int, scale: int, text: str) -> None:
    assert decimal_text(number, scale) == text


@pytest.mark.parametrize(("value", "body"), [("0", "0200"), ("1", "0201"), ("128", "040080"), ("-129", "04ff7f")])
def test_a_decimal_stands_behind_its_length(value: str, body: str) -> None:
    assert _one("decimal(5,0)", value)[1] == body  # TV-AV-069


def test_bits_are_as_wide_as_the_column_or_as_short_as_the_value() -> None:
    assert _one("bit(10)", "65", nullable=True, default="1")[1] == "00040041"  # TV-AV-076
    assert _one("bit(10)", "65", nullable=True, default="1", profile=CLASSIC)[1] == "000241"
    found = {number: minimal_bytes(number).hex() for number in (0, 1, 255, 256, 683, 2**64 - 1)}
    assert found == {0: "00", 1: "01", 255: "ff", 256: "0100", 683: "02ab", 2**64 - 1: "ff" * 8}  # AV-105, TV-AV-009


def test_a_text_default_null_is_no_null() -> None:
    type_ = [{"type": "string", "connect.parameters": {"tidb_type": "TEXT"}}, "null"]
    registry = numbered(schema({"default": "null", "name": "c", "type": type_}))
    assert refusal(registry, record("00 00000001 02", None)) != "schema"  # TV-AV-035


@pytest.mark.parametrize(
    ("space", "expected"), [("keyspace.schema", "schema"), (".schema", "schema"), ("keyspace", ""), ("", "")]
)
def test_the_schema_of_a_table_is_the_second_part_of_the_namespace(space: str, expected: str) -> None:
    registry = numbered(schema({"name": "id", "type": {"type": "int", "connect.parameters": {"tidb_type": "INT"}}},
                               namespace=space))  # fmt: skip
    change = refusal(registry, record("00 00000001 02", None))
    assert f"schema='{expected}', table='t'" in change  # TV-AV-045
