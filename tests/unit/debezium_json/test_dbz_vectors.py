"""Debezium JSON: vectors with numbers from documents, corpora of upstream's tests, and recordings."""

from __future__ import annotations

import json
from base64 import b64encode

import pytest

from conformance.catalogue.defects import defects_of_profile
from conformance.catalogue.vectors import Vector, load_producers, recorded_vectors
from reference_impl import options as option_strings
from reference_impl.debezium_json import Decoder, Encoder, Options
from reference_impl.errors import Rejected
from reference_impl.model import ABSENT, DdlEvent, Default, Index, RowChange, Value, Watermark
from reference_impl.profiles import PROFILES
from reference_impl.settings import Settings
from tests.unit.debezium_json.messages import (
    BARE,
    EXTENSION,
    NOW,
    decode_one,
    field_and_value,
    one_column,
    write,
)


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
    ("int", "1", _plain("int32"), "1"),
    ("date", "2023-11-30", _DATE, "19691"),
    ("date", "1000-01-01", _DATE, "-354285"),
    ("date", "9999-12-31", _DATE, "2932896"),
    ("date", "0000-00-00", _DATE, "null"),
    ("date", "2023-11-16", _DATE, "19677"),
    ("date", "0018-04-01", _DATE, "17622"),
    ("date", "0078-04-01", _DATE, "3012"),
    ("date", "0000-01-01", _DATE, "10957"),
    ("date", "2020-02-30", _DATE, "null"),
    ("datetime", "2023-11-30 12:34:56", _MS, "1701347696000"),
    ("datetime(1)", "2023-11-30 12:34:56.1", _MS, "1701347696100"),
    ("datetime(2)", "2023-11-16 12:34:56.12", _MS, "1700138096120"),
    ("datetime(3)", "2023-11-16 12:34:56.123", _MS, "1700138096123"),
    ("datetime(4)", "2023-11-30 12:34:56.1235", _US, "1701347696123500"),
    ("datetime(5)", "2023-11-16 12:34:56.12346", _US, "1700138096123460"),
    ("datetime(6)", "2023-11-30 12:34:56.123456", _US, "1701347696123456"),
    ("datetime(6)", "0000-00-00 00:00:00.000000", _US, "null"),
    ("datetime", "0018-04-01 12:34:56", _MS, "1522586096000"),
    ("datetime", "0078-04-01 12:34:56", _MS, "260282096000"),
    ("datetime", "2020-00-10 00:00:00", _MS, "null"),
    ("time", "12:34:56", _TIME, "45296000000"),
    ("time(1)", "12:34:56.1", _TIME, "45296100000"),
    ("time(6)", "-12:34:56.123456", _TIME, "-45296123456"),
    ("time", "838:59:59", _TIME, "3020399000000"),
    ("time(5)", "-838:59:59.00000", _TIME, "-3020399000000"),
    ("time(5)", "123:44:56.12346", _TIME, "445496123460"),
    ("time", "-12:34:00", _TIME, "-45240000000"),
    ("time(6)", "-01:00:00.000000", _TIME, "-3600000000"),
    ("time(3)", "-733:00:00.001", _TIME, "-2638800001000"),
    ("timestamp", "2023-11-30 12:34:56", _ZONED, '"2023-11-30T12:34:56Z"'),
    ("timestamp(5)", "2023-11-30 12:34:56.12346", _ZONED, '"2023-11-30T12:34:56.12346Z"'),
    ("timestamp", "1970-01-01 00:00:01", _ZONED, '"1970-01-01T00:00:01Z"'),
    ("timestamp(1)", "2016-08-09 17:11:08.0", _ZONED, '"2016-08-09T17:11:08.0Z"'),
    ("timestamp(3)", "0000-00-00 00:00:00.000", _ZONED, '"1970-01-01T00:00:00Z"'),
    ("year", "2023", _YEAR, "2023"),
    ("year(4)", "1901", _YEAR, "1901"),
    ("year", "0", _YEAR, "0"),
    ("bit(1)", "1", _plain("boolean"), "true"),
    ("bit(5)", "16", _bits(5), '"EA=="'),
    ("bit(6)", "16", _bits(6), '"EA=="'),
    ("bit(60)", "16", _bits(60), '"EAAAAAAAAAA="'),
    ("bit(10)", "322", _bits(10), '"QgE="'),
    ("bit(64)", str(2**64 - 1), _bits(64), '"//////////8="'),
    ("bit(64)", "23989979", _bits(64), '"2w5uAQAAAAA="'),
    ("varchar(100)", "foo", _plain("string"), '"foo"'),
    ("varbinary(100)", b"foo", _plain("string"), '"Zm9v"'),
    ("binary(100)", b"foo" + bytes(97), _plain("string"), '"Zm9v' + "A" * 130 + '=="'),
    ("varbinary(20)", b"MySQL", _plain("string"), '"TXlTUUw="'),
    ("varbinary(3)", b"\xff\xef\xbe", _plain("string"), '"/+++"'),
    ("decimal(10,5)", "12345.12345", _plain("double"), "12345.12345"),
    ("decimal(7,5)", "15.28000", _plain("double"), "15.28"),
    ("decimal(4,3)", "-2.111", _plain("double"), "-2.111"),
    ("float", "12345.12345", _plain("float"), "12345.123"),
    ("float(10,2)", "5.61", _plain("double"), "5.61"),
    ("float(35,5)", "30.12346", _plain("double"), "30.12346"),
    ("float unsigned", "64.1234", _plain("float"), "64.1234"),
    ("double", "12345.12345", _plain("double"), "12345.12345"),
    ("int", "-2147483648", _plain("int32"), "-2147483648"),
    ("int unsigned", "4294967295", _plain("int64"), "4294967295"),
    ("int(5) unsigned zerofill", "4294967295", _plain("int64"), "4294967295"),
    ("tinyint", "-128", _plain("int16"), "-128"),
    ("tinyint unsigned", "255", _plain("int16"), "255"),
    ("tinyint(1)", "10", _plain("int16"), "10"),
    ("smallint unsigned", "65535", _plain("int32"), "65535"),
    ("mediumint unsigned", "16777215", _plain("int32"), "16777215"),
    ("bigint", "-9223372036854775808", _plain("int64"), "-9223372036854775808"),
    ("bigint unsigned", "18446744073709551615", _plain("int64"), "-1"),
    ("bigint unsigned", "14446744073709551615", _plain("int64"), "-4000000000000000001"),
    ("enum('a','b','c')", "a", _ENUM, '"a"'),
    ("set('a','b','c')", "a,b", _SET, '"a,b"'),
    ("set('a','b','c')", "", _SET, '""'),
    ("json", '["foo"]', _named("string", "data.Json"), '"[\\"foo\\"]"'),
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


# Column type, nullable, default, `default` of the schema or None, what a NULL is written as.
DEFAULTS: list[tuple[str, bool, Default, str | None, str | None]] = [
    ("int", True, ABSENT, None, "null"),
    ("int", True, None, None, "null"),
    ("tinyint unsigned", True, "100", "100", "100"),
    ("bigint unsigned", True, "100", "100", "100"),
    ("bigint", True, "9223372036854775807", "9223372036854776000", "9223372036854775807"),
    ("bigint unsigned", True, "18446744073709551615", "18446744073709552000", "-1"),
    ("varchar(10)", True, "100", '"100"', '"100"'),
    ("bit(1)", True, "1", "true", "true"),
    ("bit(10)", True, "322", '"QgE="', '"QgE="'),
    ("bit(25)", True, str(0b100001111), '"DwEAAA=="', '"DwEAAA=="'),
    ("bit(25)", True, str(0b10110000100001111), '"D2EBAA=="', '"D2EBAA=="'),
    ("double", True, "3.3", "3.3", "3.3"),
    ("decimal(7,5)", True, "15.28000", "15.28", "15.28"),
    ("decimal(65,18)", True, "0.000000000000000000", "0", "0"),
    ("float", True, "1.23456789", "1.23456789", "1.2345679"),
    ("date", False, "1976-08-23", "2426", None),
    ("date", True, "2024-02-29", "19782", "19782"),
    ("date", False, "0000-00-00", "0", None),
    ("date", True, "0000-00-00", None, "null"),
    ("datetime", True, "2018-01-03 00:00:10", "1514937610000", "1514937610000"),
    ("datetime", False, "0000-00-00 00:00:00", "0", None),
    ("datetime", True, "0000-00-00 00:00:00", None, "null"),
    ("datetime(6)", True, "2024-02-29 01:02:03.456789", "1709168523456789", "1709168523456789"),
    ("year", False, "1", "2001", None),
    ("year", True, "2024", "2024", "2024"),
    ("time(1)", True, "-23:45:56.7", "-85556700000", "-85556700000"),
    ("time(6)", True, "123:00:00.123456", "442800123456", "442800123456"),
    ("time", False, "01:00:00", "3600000000", None),
    ("timestamp", False, "0000-00-00 00:00:00", '"1970-01-01T00:00:00Z"', None),
    ("timestamp", True, "0000-00-00 00:00:00", None, "null"),
    ("timestamp(3)", True, "2024-02-29 01:02:03.456", '"2024-02-29T01:02:03.456Z"', '"2024-02-29T01:02:03.456Z"'),
    ("enum('a','b','c')", True, "a", '"a"', '"a"'),
    ("set('a','b','c')", True, "a,b", '"a,b"', '"a,b"'),
    ("set('a','b')", True, "", '""', '""'),
    ("varbinary(8)", True, "bin", '"bin"', '"Ymlu"'),
    ("binary(5)", True, "bin", '"bin\\u0000\\u0000"', '"YmluAAA="'),
]


@pytest.mark.parametrize(("kind", "nullable", "default", "in_schema", "for_null"), DEFAULTS)
def test_a_default_stands_in_the_schema_and_in_place_of_null(
    kind: str, nullable: bool, default: Default, in_schema: str | None, for_null: str | None
) -> None:
    table = one_column(kind, nullable=nullable, default=default)
    schema, text = field_and_value(table, None)
    assert schema.partition('"field":"c"')[2] == ("}" if in_schema is None else f',"default":{in_schema}}}')
    if for_null is not None:
        assert text == for_null


# Canonical messages of `table1`; what the extension adds is left out.

_SOURCE = (
    '"source":{"version":"2.4.0.Final","connector":"TiCDC","name":"test_cluster","ts_ms":0,"snapshot":"false",'
    '"db":"%s","table":"%s","server_id":0,"gtid":null,"file":"","pos":0,"row":0,"thread":0,"query":null,'
    '"commit_ts":%d,"cluster_id":"test_cluster"},"ts_ms":1701326309000'
)
_TINY_SOURCE = _SOURCE % ("test", "table1", 1)
_SOURCE_SCHEMA = (
    '{"type":"struct","fields":[{"type":"string","optional":false,"field":"version"},{"type":"string",'
    '"optional":false,"field":"connector"},{"type":"string","optional":false,"field":"name"},{"type":"int64",'
    '"optional":false,"field":"ts_ms"},{"type":"string","optional":true,"name":"io.debezium.data.Enum","version":1,'
    '"parameters":{"allowed":"true,last,false,incremental"},"default":"false","field":"snapshot"},{"type":"string",'
    '"optional":false,"field":"db"},{"type":"string","optional":true,"field":"sequence"},{"type":"string",'
    '"optional":true,"field":"table"},{"type":"int64","optional":false,"field":"server_id"},{"type":"string",'
    '"optional":true,"field":"gtid"},{"type":"string","optional":false,"field":"file"},{"type":"int64",'
    '"optional":false,"field":"pos"},{"type":"int32","optional":false,"field":"row"},{"type":"int64",'
    '"optional":true,"field":"thread"},{"type":"string","optional":true,"field":"query"}%s],"optional":false,'
    '"name":"io.debezium.connector.mysql.Source","field":"source"}'
)
_COMMIT_SCHEMA = (
    ',{"type":"int64","optional":false,"field":"commit_ts"},{"type":"string","optional":false,"field":"cluster_id"}'
)
_END_SCHEMA = (
    '{"type":"string","optional":false,"field":"op"},{"type":"int64","optional":true,"field":"ts_ms"},'
    '{"type":"struct","fields":[{"type":"string","optional":false,"field":"id"},{"type":"int64","optional":false,'
    '"field":"total_order"},{"type":"int64","optional":false,"field":"data_collection_order"}],"optional":true,'
    '"name":"event.block","version":1,"field":"transaction"}'
)


def test_an_insert_without_schema_is_the_canonical_text() -> None:
    change = RowChange("insert", "test", "table1", 1, after={"tiny": "1"})
    assert write(change, options=BARE) == [
        (
            '{"payload":{"tiny":1}}',
            f'{{"payload":{{{_TINY_SOURCE},"transaction":null,"op":"c","before":null,"after":{{"tiny":1}}}}}}',
        )
    ]


def test_an_update_with_extension_is_the_canonical_text() -> None:
    change = RowChange("update", "test", "table1", 1, before={"tiny": "2"}, after={"tiny": "1"})
    options = Options(enable_tidb_extension=True, output_raw_change_event=True)
    field = '{"tidb_type":"tinyint","type":"int16","optional":false,"field":"tiny"}'
    images = ",".join(
        f'{{"type":"struct","optional":true,"name":"test_cluster.test.table1.Value","field":"{name}","fields":[{field}]}}'
        for name in ("before", "after")
    )
    assert write(change, options=options) == [
        (
            '{"payload":{"tiny":1},"schema":{"type":"struct","name":"test_cluster.test.table1.Key","optional":false,'
            f'"fields":[{field}]}}}}',
            f'{{"payload":{{{_TINY_SOURCE},"transaction":null,"op":"u","before":{{"tiny":2}},"after":{{"tiny":1}}}},'
            '"schema":{"type":"struct","optional":false,"name":"test_cluster.test.table1.Envelope","version":1,'
            f'"fields":[{images},{_SOURCE_SCHEMA % _COMMIT_SCHEMA},{_END_SCHEMA}]}}}}',
        )
    ]


def test_a_delete_puts_the_missing_image_first() -> None:
    change = RowChange("delete", "test", "table1", 1, before={"tiny": "2"})
    [(key, value)] = write(change, options=BARE)
    assert key == '{"payload":{"tiny":2}}'
    assert value.endswith('"transaction":null,"op":"d","after":null,"before":{"tiny":2}}}')


def test_a_watermark_is_the_canonical_text() -> None:
    key, value = write(Watermark(3), options=EXTENSION)[0]
    assert key == (
        '{"payload":{},"schema":{"type":"struct","name":"test_cluster.watermark.Key","optional":false,"fields":[]}}'
    )
    assert value == (
        f'{{"payload":{{{_SOURCE % ("", "", 3)},"transaction":null,"op":"m"}},"schema":{{"type":"struct",'
        '"optional":false,"name":"test_cluster.watermark.Envelope","version":1,'
        f'"fields":[{_SOURCE_SCHEMA % _COMMIT_SCHEMA},{_END_SCHEMA}]}}}}'
    )


def _field(name: str, optional: bool, kind: str, more: str = "") -> str:
    return f'{{"field":"{name}","optional":{str(optional).lower()},"type":"{kind}"{more}}}'


def test_the_schema_of_a_statement_is_the_canonical_text() -> None:
    strings = ',"items":{"type":"string","optional":false}'
    column = ",".join(
        (
            _field("name", False, "string"),
            _field("jdbcType", False, "int32"),
            _field("nativeType", True, "int32"),
            _field("typeName", False, "string"),
            _field("typeExpression", True, "string"),
            _field("charsetName", True, "string"),
            _field("length", True, "int32"),
            _field("scale", True, "int32"),
            _field("position", False, "int32"),
            _field("optional", True, "boolean"),
            _field("autoIncremented", True, "boolean"),
            _field("generated", True, "boolean"),
            _field("comment", True, "string"),
            _field("defaultValueExpression", True, "string"),
            _field("enumValues", True, "array", strings),
        )
    )
    items = (
        ',"items":{"name":"io.debezium.connector.schema.%s","optional":false,"type":"struct","version":1,"fields":[%s]}'
    )
    table = ",".join(
        (
            _field("defaultCharsetName", True, "string"),
            _field("primaryKeyColumnNames", True, "array", strings),
            _field("columns", False, "array", items % ("Column", column)),
            _field("comment", True, "string"),
        )
    )
    more = f',"name":"io.debezium.connector.schema.Table","version":1,"fields":[{table}]'
    change = ",".join(
        (_field("type", False, "string"), _field("id", False, "string"), _field("table", True, "struct", more))
    )
    fields = ",".join(
        (
            _SOURCE_SCHEMA % "",
            _field("ts_ms", False, "int64"),
            *(_field(name, True, "string") for name in ("databaseName", "schemaName", "ddl")),
            _field("tableChanges", False, "array", items % ("Change", change)),
        )
    )
    event = DdlEvent("test", "", "CREATE DATABASE test", action_code=1, commit_ts=1)
    [(key, value)] = write(event)
    assert key == (
        '{"payload":{"databaseName":"test"},"schema":{"type":"struct",'
        '"name":"io.debezium.connector.mysql.SchemaChangeKey","optional":false,"version":1,'
        '"fields":[{"field":"databaseName","optional":false,"type":"string"}]}}'
    )
    assert value == (
        f'{{"payload":{{{_SOURCE % ("test", "", 1)},"databaseName":"test","schemaName":null,'
        '"ddl":"CREATE DATABASE test","tableChanges":[]},"schema":{"optional":false,"type":"struct","version":1,'
        f'"name":"io.debezium.connector.mysql.SchemaChangeValue","fields":[{fields}]}}}}'
    )


def test_the_document_example_of_an_update_is_read() -> None:
    event = decode_one(
        {
            "payload": {
                "source": {
                    "version": "2.4.0.Final",
                    "connector": "TiCDC",
                    "db": "test",
                    "table": "table1",
                    "commit_ts": 1,
                },
                "ts_ms": NOW,
                "op": "u",
                "before": {"tiny": 2},
                "after": {"tiny": 1},
            }
        }
    )
    assert event == RowChange("update", "test", "table1", 1, before={"tiny": "2"}, after={"tiny": "1"})


_RECORDED = [(p.profile, v) for p in load_producers().values() for v in recorded_vectors(p, "debezium")]


def _written(vector: Vector, profile: str) -> object:
    defects = frozenset(defect.id for defect in defects_of_profile(profile))
    try:
        options = option_strings.parse(Options, vector.options)
        encoder = Encoder(options, PROFILES[profile], settings=vector.settings, defects=defects)
        return [(r.key, r.value) for r in encoder.encode(vector.events, vector.tables).records]
    except Rejected as e:
        return e.reason


@pytest.mark.parametrize("profile", ["newarch", "classic"])
def test_with_its_defects_a_profile_writes_what_its_producer_wrote(profile: str) -> None:
    vectors = [v for name, v in _RECORDED if name == profile and v.crash is None]
    # Compressed bytes depend on the compressor.
    plain = [v for v in vectors if "large-message-handle-compression" not in v.options]
    different = [
        vector.case
        for vector in plain
        if _written(vector, profile) != (vector.rejected or [(r.key, r.value) for r in vector.records or ()])
    ]
    assert plain
    assert not different


@pytest.mark.parametrize("profile", ["newarch", "classic"])
def test_whatever_a_producer_wrote_is_read_with_and_without_its_tables(profile: str) -> None:
    for name, vector in _RECORDED:
        if name == profile and vector.records:
            options = option_strings.parse(Options, vector.options)
            for tables in (vector.tables, ()):
                assert len(Decoder(options).decode(vector.records, tables)) == len(vector.records), vector.case


def test_where_a_producer_crashed_a_null_is_the_default() -> None:
    [vector, *_] = [v for name, v in _RECORDED if name == "newarch" and v.crash is not None and not v.options]
    records = Encoder(Options(), settings=vector.settings).encode(vector.events, vector.tables).records
    after = json.loads(records[1].value or b"")["payload"]["after"]
    # 2024-02-29, the default of the column that was given NULL.
    assert after["n"] == 19782


def test_an_enum_value_that_was_invalid_is_an_empty_text_and_read_as_index_zero() -> None:
    table = one_column("enum('a','b')")
    assert field_and_value(table, Index(0))[1] == '""'
    [(_, value)] = write(RowChange("insert", "test", "t", 1, after={"c": Index(0)}), tables=(table,))
    event = decode_one(json.loads(value))
    assert isinstance(event, RowChange)
    assert event.after == {"c": Index(0)}


def test_without_a_wall_clock_the_commit_tells_the_time() -> None:
    change = RowChange("insert", "test", "table1", 5 << 18, after={"tiny": "1"})
    [(_, value)] = write(change, settings=Settings())
    payload = json.loads(value)["payload"]
    assert (payload["ts_ms"], payload["source"]["ts_ms"]) == (5, 5)
