"""Values at the ends of their types, written and read; the bytes of numbers, frames and topics.  [AV-075 … AV-108]"""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.avro import Options, framing
from reference_impl.avro.readers import reader
from reference_impl.avro.style import style_of
from reference_impl.avro.subjects import subject, topic_of
from reference_impl.avro.types import AvroType, avro_type
from reference_impl.avro.writers import writer
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import Value
from reference_impl.profiles import NEWARCH

STRINGS = Options(avro_decimal_handling_mode="string", avro_bigint_unsigned_handling_mode="string")

WRITTEN: list[tuple[str, Options, Value, Any]] = [
    ("tinyint", Options(), "-128", -128),
    ("tinyint unsigned", Options(), "255", 255),
    ("int unsigned", Options(), "4294967295", 4294967295),
    ("bigint", Options(), "-9223372036854775808", -(2**63)),
    ("bigint unsigned", Options(), "0", 0),
    ("bigint unsigned", Options(), "9223372036854775807", 2**63 - 1),
    ("bigint unsigned", Options(), "9223372036854775808", -(2**63)),
    ("bigint unsigned", Options(), "18446744073709551615", -1),
    ("bigint unsigned", STRINGS, "18446744073709551615", "18446744073709551615"),
    ("year", Options(), "0", 0),
    ("year", Options(), "2155", 2155),
    ("bit(1)", Options(), "1", b"\1"),
    ("bit(8)", Options(), "255", b"\xff"),
    ("bit(9)", Options(), "256", b"\1\0"),
    ("bit(16)", Options(), "1", b"\0\1"),
    ("bit(17)", Options(), "1", b"\0\0\1"),
    ("decimal(3,1)", Options(), "-99.9", (-999).to_bytes(2, "big", signed=True)),
    ("decimal(3,1)", STRINGS, "-99.9", "-99.9"),
    ("enum('a','b')", Options(), "b", "b"),
    ("set('a','b','c')", Options(), "a,c", "a,c"),
    ("set('a','b','c')", Options(), "", ""),
    ("vector", Options(), "[0.1234567891234,16777217]", "[0.12345679,16777216]"),
    ("vector", Options(), "[1.50, -0.1, 0.0, -0.0, 0, -0]", "[1.5,-0.1,0,-0,0,-0]"),
]


@pytest.mark.parametrize(("kind", "given", "value", "datum"), WRITTEN)
def test_a_value_is_written_as_its_datum(kind: str, given: Options, value: Value, datum: Any) -> None:
    declared, style = parse_column_type(kind), style_of(NEWARCH)
    assert writer(declared, avro_type(declared, given, style), style)(value) == datum


NOT_WRITTEN: list[tuple[str, Value, str]] = [
    ("int", "-2147483649", "range"), ("int", " 1", "type"), ("int", None, "type"), ("int", "", "type"),
    ("int unsigned", "4294967296", "range"), ("bigint unsigned", "18446744073709551616", "range"),
    ("bigint unsigned", "-1", "range"), ("bit(4)", "-1", "range"), ("bit(4)", "01", "type"), ("bit(4)", None, "type"),
    ("bit(4)", "99", "range"), ("year", None, "type"), ("float", None, "type"), ("decimal(3,1)", None, "type"),
    ("text", None, "type"), ("text", 1, "type"), ("blob", None, "type"), ("blob", "x", "type"),
    ("enum('a')", None, "type"), ("set('a')", None, "type"), ("json", None, "type"), ("vector", None, "type"),
    ("date", b"2024-01-01", "type"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value", "reason"), NOT_WRITTEN)
def test_a_value_of_another_kind_is_refused(kind: str, value: Value, reason: str) -> None:
    declared, style = parse_column_type(kind), style_of(NEWARCH)
    with pytest.raises(Rejected) as refused:
        writer(declared, avro_type(declared, Options(), style), style)(value)
    assert refused.value.reason == reason


def _avro(avro: str, tidb: str, decimal: tuple[int, int] | None = None, **more: str) -> AvroType:
    return AvroType(avro, {"tidb_type": tidb, **more}, decimal)


READ: list[tuple[AvroType, Any, Value | str]] = [
    (_avro("int", "INT"), 2**31 - 1, "2147483647"),
    (_avro("int", "INT"), -(2**31), "-2147483648"),
    (_avro("int", "INT UNSIGNED"), 0, "0"),
    (_avro("long", "INT UNSIGNED"), 2**32 - 1, "4294967295"),
    (_avro("long", "BIGINT"), -1, "-1"),
    (_avro("long", "BIGINT UNSIGNED"), 0, "0"),
    (_avro("long", "BIGINT UNSIGNED"), 1, "1"),
    (_avro("long", "BIGINT UNSIGNED"), 2**63 - 1, "9223372036854775807"),
    (_avro("long", "BIGINT UNSIGNED"), -(2**63), "9223372036854775808"),
    (_avro("long", "BIGINT UNSIGNED"), -1, "18446744073709551615"),
    (_avro("bytes", "DECIMAL", (2, 1)), b"\x63", "9.9"),
    (_avro("bytes", "DECIMAL", (2, 1)), b"\x9d", "-9.9"),
    (_avro("bytes", "BIT", length="9"), b"\1\xff", "511"),
    (_avro("bytes", "BIT", length="9"), b"\xff", "255"),
    (_avro("double", "FLOAT"), 3.140000104904175, "3.14"),
    (_avro("double", "DOUBLE"), 3.140000104904175, "3.140000104904175"),
    (_avro("string", "ENUM", allowed="a,b"), "b", "b"),
    (_avro("string", "TIME"), "12:00:00", "12:00:00"),
    (_avro("string", "TIME"), "100:00:00.1", "100:00:00.1"),
    (_avro("string", "TIME"), "-838:59:59.000000", "-838:59:59.000000"),
    (_avro("string", "DATETIME"), "0000-00-00 00:00:00.000000", "0000-00-00 00:00:00.000000"),
    (_avro("string", "TIMESTAMP"), "2038-01-19 03:14:07.1", "2038-01-19 03:14:07.1"),
    (_avro("string", "DATE"), "0000-00-00", "0000-00-00"),
]


@pytest.mark.parametrize(("avro", "datum", "value"), READ)
def test_a_datum_is_read_as_its_value(avro: AvroType, datum: Any, value: Value) -> None:
    assert reader(avro)(datum) == value


NOT_READ: list[tuple[AvroType, Any, str]] = [
    *(
        (_avro("string", tidb), text, "type")
        for tidb, text in (
            *(("DECIMAL", "x"), ("DECIMAL", "1e5"), ("BIGINT UNSIGNED", "x"), ("JSON", "{"), ("DATE", "x")),
            *(("DATETIME", "2020-01-01"), ("TIMESTAMP", "2020-01-01 00:00:00.1234567"), ("TiDBVECTORFloat32", "[x")),
        )
    ),
    *(
        (_avro("string", tidb), text, "range")
        for tidb, text in (
            *(("DECIMAL", "0." + "0" * 31), ("BIGINT UNSIGNED", "-1"), ("DATE", "2020-13-01")),
            ("DATETIME", "2020-01-01 24:00:00"),
        )
    ),
    *((_avro("string", "ENUM", allowed="a,b"), label, "range") for label in ("c", "a,b")),
    (_avro("string", "SET", allowed="a,b"), "a,c", "range"),
    (_avro("bytes", "DECIMAL", (2, 0)), b"\x7f" * 3000, "range"),
    (_avro("bytes", "BIT", length="4"), b"\x10", "range"),
    (_avro("long", "INT UNSIGNED"), -1, "range"),
    (_avro("int", "YEAR"), 1, "range"),
    (_avro("int", "INT"), 2**31, "syntax"),
    (_avro("int", "INT"), -(2**31) - 1, "syntax"),
    (_avro("int", "INT UNSIGNED"), -1, "range"),
    (_avro("int", "INT UNSIGNED"), 2**31, "syntax"),
    (_avro("long", "INT UNSIGNED"), 2**32, "range"),
    (_avro("long", "INT UNSIGNED"), 2**63, "syntax"),
    (_avro("int", "YEAR"), 2**31, "syntax"),
    (_avro("int", "YEAR"), 2156, "range"),
    (_avro("bytes", "DECIMAL", (2, 1)), b"\x64", "range"),
    (_avro("bytes", "DECIMAL", (2, 1)), b"\x9c", "range"),
    (_avro("bytes", "DECIMAL", (2, 1)), b"", "type"),
    (_avro("bytes", "BIT", length="9"), b"\2\0", "range"),
    (_avro("bytes", "BIT", length="9"), b"\0\0\0", "type"),
    (_avro("bytes", "BIT", length="8"), b"\0\0", "type"),
    (_avro("bytes", "BIT", length="8"), b"", "type"),
    (_avro("float", "FLOAT"), float("nan"), "range"),
    (_avro("double", "DOUBLE"), float("inf"), "range"),
    (_avro("double", "FLOAT"), 3.5e38, "range"),
    (_avro("string", "DECIMAL"), "9" * 66, "range"),
    (_avro("string", "DATETIME"), "2024-01-01 00:00:60", "range"),
    (_avro("string", "DATETIME"), "2024-01-01 00:00:00.1234567", "type"),
    (_avro("string", "DATETIME"), "2024-01-01 00:00", "type"),
    (_avro("string", "TIMESTAMP"), "2024-01-01 00:60:00", "range"),
    (_avro("string", "TIME"), "00:00:60", "range"),
    (_avro("string", "TIME"), "839:00:00", "range"),
    (_avro("string", "TIME"), "12:00", "type"),
    (_avro("string", "SET", allowed="a,b"), "a,", "range"),
]


@pytest.mark.parametrize(("avro", "datum", "reason"), NOT_READ)
def test_a_datum_that_is_no_value_is_refused(avro: AvroType, datum: Any, reason: str) -> None:
    with pytest.raises(Rejected) as refused:
        reader(avro)(datum)
    assert refused.value.reason == reason


# Frames


@pytest.mark.parametrize(("schema_id", "data"), [(1, "0000000001"), (256, "0000000100"), (2**31 - 1, "007fffffff")])
def test_a_header_is_a_zero_and_the_id(schema_id: int, data: str) -> None:
    assert framing.header(schema_id).hex() == data  # AV-015
    assert framing.unframe(bytes.fromhex(data), "the key") == (schema_id, b"")
    assert framing.unframe(bytes.fromhex(data) + b"\2", "the key") == (schema_id, b"\2")


def test_the_first_byte_of_a_value_says_what_it_is() -> None:
    assert (framing.ROW, framing.DDL, framing.WATERMARK, framing.DELETE) == (0, 1, 2, 3)  # AV-130, AV-131
    assert framing.timestamp(framing.WATERMARK, 1591943372224).hex() == "0200000172a7381dc0"  # TV-AV-031
    assert framing.read_timestamp(bytes.fromhex("03ffffffffffffffff")) == 2**64 - 1


TOPICS = [
    ("{schema}_{table}", ("a", "b"), "a_b"),
    ("p-{schema}.{table}-s", ("my.db", "ta ble"), "p-my.db.ta_ble-s"),
    ("{schema}_{table}", ("{table}", "中文"), "_table____"),
    ("fixed", ("a", "b"), "fixed"),
    ("{schema}_{table}", ("s" * 200, "t" * 200), ("s" * 200 + "_" + "t" * 200)[:249]),
    ("{schema}{table}", ("s" * 249, "t"), "s" * 249),
    ("{schema}{table}", ("s" * 248, "tt"), "s" * 248 + "t"),
    ("{schema}{table}", (".", ""), "_"),
    ("{schema}{table}", (".", "."), "__"),
    ("{schema}.{table}", (".", "."), "..."),
    ("{schema}{table}", ("a-Z.0_9", "é"), "a-Z.0_9_"),
]


@pytest.mark.parametrize(("expression", "names", "topic"), TOPICS)
def test_a_topic_is_a_name_that_kafka_takes(expression: str, names: tuple[str, str], topic: str) -> None:
    assert topic_of(expression, *names) == topic  # OP-226
    assert subject(topic, "key") == f"{topic}-key"
