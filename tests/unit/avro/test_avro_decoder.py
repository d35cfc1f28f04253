"""What the decoder makes of records: every profile, every form of a schema, names, operations, control messages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reference_impl.avro import Decoder
from reference_impl.model import DdlEvent, RowChange, Table, Value, Watermark
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings
from tests.unit.avro.samples import (
    EXTENSION,
    ID,
    INT,
    PERSON,
    TS,
    WATERMARKS,
    column,
    decode,
    insert,
    numbered,
    options,
    record,
    schema,
    table_of,
    write,
)

KEY = schema(ID)


def _typed(avro: Any, tidb: str, **parameters: str) -> dict[str, Any]:
    logical = avro if isinstance(avro, dict) else {"type": avro}
    return logical | {"connect.parameters": {"tidb_type": tidb, **parameters}}


def _decimal(precision: int, scale: int) -> dict[str, Any]:
    return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}


# Avro type, tidb_type and more parameters; the bytes of a value, and the value.
VALUES: list[tuple[Any, str, dict[str, str], str, Value]] = [
    ("int", "INT", {}, "ffffffff0f", "-2147483648"),
    ("int", "INT UNSIGNED", {}, "feffffff0f", "2147483647"),
    ("long", "INT UNSIGNED", {}, "feffffff1f", "4294967295"),
    ("long", "BIGINT", {}, "ffffffffffffffffff01", "-9223372036854775808"),
    ("long", "BIGINT UNSIGNED", {}, "ffffffffffffffffff01", "9223372036854775808"),
    ("long", "BIGINT UNSIGNED", {}, "01", "18446744073709551615"),
    ("string", "BIGINT UNSIGNED", {}, "0239", "9"),
    ("float", "FLOAT", {}, "c3f54840", "3.14"),
    ("double", "FLOAT", {}, "00000060b81e0940", "3.14"),
    ("float", "FLOAT", {}, "00000080", "-0"),
    ("double", "DOUBLE", {}, "ae47e17a14ae0540", "2.71"),
    (_decimal(10, 2), "DECIMAL", {}, "04fec6", "-3.14"),
    (_decimal(10, 2), "DECIMAL", {}, "060000" + "05", "0.05"),  # bytes that repeat the sign
    (_decimal(65, 0), "DECIMAL", {}, "3800f316271c7fc3908a8bef464e3945ef7a253609ffffffffffffffff", "9" * 65),
    ({"type": "bytes", "logicalType": "decimal", "precision": 3}, "DECIMAL", {}, "0207", "7"),  # scale 0 by default
    ("string", "DECIMAL", {}, "08332e3134", "3.14"),
    ("string", "DECIMAL", {}, "0235", "5"),
    ("string", "DECIMAL", {}, "082d302e35", "-0.5"),
    ("string", "DECIMAL", {}, "8201" + b"9".hex() * 65, "9" * 65),
    ("string", "DECIMAL", {}, "40" + b"0.".hex() + "30" * 30, "0." + "0" * 30),
    (_decimal(1, 0), "DECIMAL", {}, "02f7", "-9"),
    (_decimal(30, 30), "DECIMAL", {}, "0201", "0." + "0" * 29 + "1"),
    ("bytes", "BIT", {"length": "1"}, "0201", "1"),
    ("bytes", "BIT", {"length": "10"}, "0403ff", "1023"),
    ("bytes", "BIT", {"length": "10"}, "0241", "65"),
    ("bytes", "BIT", {"length": "10"}, "040041", "65"),
    ("bytes", "BIT", {"length": "64"}, "10ffffffffffffffff", str(2**64 - 1)),
    ("string", "TEXT", {}, "06e6b58b", "测"),
    ("bytes", "BLOB", {}, "0400ff", b"\0\xff"),
    ("string", "ENUM", {"allowed": "a\\,b,c'd"}, "06612c62", "a,b"),
    ("string", "ENUM", {"allowed": "a,"}, "00", ""),
    ("string", "SET", {"allowed": "a,b"}, "06612c62", "a,b"),
    ("string", "SET", {"allowed": "a,b"}, "00", ""),
    ("string", "JSON", {}, "045b5d", "[]"),
    ("string", "DATE", {}, "14323032302d30322d3230", "2020-02-20"),
    ("string", "DATETIME", {}, "2a" + b"2020-02-20 10:20:20.5".hex(), "2020-02-20 10:20:20.5"),
    ("string", "TIMESTAMP", {}, "26" + b"0000-00-00 00:00:00".hex(), "0000-00-00 00:00:00"),
    ("string", "TIME", {}, "14" + b"-838:59:59".hex(), "-838:59:59"),
    ("string", "TIME", {}, "1e" + b"23:59:59.123456".hex(), "23:59:59.123456"),
    ("string", "DATETIME", {}, "34" + b"9999-12-31 23:59:59.999999".hex(), "9999-12-31 23:59:59.999999"),
    ("int", "YEAR", {}, "00", "0"),
    ("int", "YEAR", {}, "c81f", "2020"),
    ("string", "TiDBVECTORFloat32", {}, "0e5b312c322e355d", "[1,2.5]"),
]


@pytest.mark.parametrize(("avro", "tidb", "more", "body", "value"), VALUES)
def test_a_value_is_what_the_schema_says_of_it(
    avro: Any, tidb: str, more: dict[str, str], body: str, value: Value
) -> None:
    type_ = _typed(avro, tidb, **more)
    registry = numbered(KEY, *(schema(ID, {"name": "c", "type": t}) for t in (type_, ["null", type_], [type_, "null"])))
    rows = [
        decode(registry, record("00 00000001 02", value_hex))
        for value_hex in (
            f"00 00000002 02 {body}",
            f"00 00000003 02 02{body}",
            f"00 00000004 02 00{body}",
            "00 00000003 02 00",
            "00 00000004 02 02",
        )
    ]
    got = [change.after["c"] for [change] in rows if isinstance(change, RowChange) and change.after]
    assert got == [value, value, value, None, None]


def test_a_row_that_does_not_say_what_happened_reads_as_an_insert() -> None:
    assert decode(numbered(KEY, schema(ID)), record("00 00000001 02", "00 00000002 02")) == [
        RowChange("insert", "test", "t", None, after={"id": "1"})
    ]


@pytest.mark.parametrize(("letter", "op"), [("63", "insert"), ("75", "update")])
def test_the_extension_has_the_operation_and_the_time(letter: str, op: Any) -> None:
    registry = numbered(KEY, schema(ID, *EXTENSION))
    sent = record("00 00000001 02", f"00 00000002 02 02{letter} 888080f08eb8ceca0b 80f7c0f3d45c")
    for given in ({}, {"enable_tidb_extension": "true"}):
        assert decode(registry, sent, given=options(**given)) == [RowChange(op, "test", "t", TS, after={"id": "1"})]


def test_the_extension_may_stand_anywhere_and_without_defaults() -> None:
    bare = [{name: field[name] for name in ("type", "name")} for field in EXTENSION]
    registry = numbered(KEY, schema(bare[2], bare[0], ID, bare[1]))
    sent = record("00 00000001 02", "00 00000002 80f7c0f3d45c 0263 02 888080f08eb8ceca0b")
    assert decode(registry, sent) == [RowChange("insert", "test", "t", TS, after={"id": "1"})]


def test_a_time_stamp_is_read_without_its_sign() -> None:
    registry = numbered(KEY, schema(ID, *EXTENSION))
    [change] = decode(registry, record("00 00000001 02", "00 00000002 02 0263 01 feffffffffff1f"))
    assert isinstance(change, RowChange)
    assert change.commit_ts == 2**64 - 1


def test_the_fields_of_a_checksum_are_no_columns() -> None:
    trio = [
        {"name": "_tidb_row_level_checksum", "type": "string"},
        {"name": "_tidb_corrupted", "type": "boolean"},
        {"name": "_tidb_checksum_version", "type": "int"},
    ]
    registry = numbered(KEY, schema(ID, *EXTENSION, *trio))
    head = "00 00000002 02 0263 888080f08eb8ceca0b 80f7c0f3d45c"
    for checksum in ("00", "0631 32 33", "14" + b"4294967295".hex()):
        for corrupted in ("00", "01"):  # which is a warning, not a fault  [AV-211]
            [change] = decode(registry, record("00 00000001 02", f"{head} {checksum} {corrupted} 02"))
            assert change == RowChange("insert", "test", "t", TS, after={"id": "1"})


def test_before_values_give_both_images() -> None:
    age = {"default": None, "name": "age", "type": ["null", INT]}
    before = {"type": "record", "name": "t_before", "namespace": "default.test", "fields": [ID, age]}
    field = {"default": None, "name": "_ticdc_before", "type": ["null", before]}
    registry = numbered(KEY, schema(ID, age, field, EXTENSION[0]))
    values = ["02 0224 00 0263", "02 0228 02 02 0224 0275", "02 0228 02 02 0228 0264"]
    changes = decode(registry, *(record("00 00000001 02", f"00 00000002 {value}") for value in values))
    old, new = {"id": "1", "age": "18"}, {"id": "1", "age": "20"}
    assert changes == [  # TV-AV-042, TV-AV-043
        RowChange("insert", "test", "t", None, after=old),
        RowChange("update", "test", "t", None, before=old, after=new),
        RowChange("delete", "test", "t", None, before=new),
    ]


def test_a_delete_is_a_key_without_a_value() -> None:
    assert decode(numbered(KEY), record("00 00000001 02", None)) == [
        RowChange("delete", "test", "t", None, before={"id": "1"})
    ]


def test_a_delete_in_the_mode_for_tests_has_its_time() -> None:
    sent = record("00 00000001 02", "03" + TS.to_bytes(8, "big").hex())
    assert decode(numbered(KEY), sent, given=WATERMARKS) == [RowChange("delete", "test", "t", TS, before={"id": "1"})]


def test_a_row_of_a_table_without_a_key_has_no_key() -> None:
    assert decode(numbered(schema(ID)), record(None, "00 00000001 02")) == [
        RowChange("insert", "test", "t", None, after={"id": "1"})
    ]


@pytest.mark.parametrize("value", [None, "03" + "00" * 8], ids=["null", "time stamp"])
def test_a_delete_without_its_row_is_ignored(value: str | None) -> None:
    following = record(None, "02" + TS.to_bytes(8, "big").hex())
    assert decode(numbered(KEY), record(None, value), following, given=WATERMARKS) == [Watermark(TS)]


@pytest.mark.parametrize("kind", ["float", "double"])
@pytest.mark.parametrize("default", ["0", "-1", "1e3", "0.5", str(2**63)])
def test_json_has_one_kind_of_number_for_defaults(kind: str, default: str) -> None:
    first = [_typed(kind, kind.upper()), "null"]
    for avro in (first, first[0]):
        text = schema(ID, {"default": "?", "name": "f", "type": avro}).replace('"?"', default)
        body = "02" + ("02" if avro is first else "00" * (4 if kind == "float" else 8))
        assert len(decode(numbered(text), record(None, f"00 00000001 {body}"))) == 1


def test_control_messages_of_the_mode_for_tests_are_read() -> None:
    text = '{"commitTs": 18446744073709551615, "new": 1, "table": "t", "schema": "s", "type": 250, "query": "x"}'
    got = decode(
        MemoryRegistry(),
        record(None, "0200000172a7381dc0"),
        record(None, "01" + text.encode().hex()),
        record(None, "01" + text.replace("250", "3").encode().hex()),
        given=WATERMARKS,
    )
    assert got == [
        Watermark(1591943372224),
        DdlEvent("s", "t", "x", None, 250, 2**64 - 1),
        DdlEvent("s", "t", "x", "create table", 3, 2**64 - 1),
    ]


FREE = [
    {"doc": "d", "aliases": ["u"]},
    {"fields": [ID | {"doc": "d", "order": "ignore", "aliases": ["b"], "default": 7, "x": [1]}]},
    {"fields": [{"name": "id", "type": INT | {"doc": "d", "x": {"y": None}}}]},
    {"fields": [{"name": "id", "type": [{"type": "null"}, INT]}]},
    {"name": "default.test.t", "namespace": "other"},
    {"fields": [{"name": "id", "type": {"connect.parameters": {"x": "y", "tidb_type": "INT"}, "type": "int"}}]},
]


@pytest.mark.parametrize("change", FREE, ids=str)
def test_what_avro_leaves_free_in_a_schema_changes_nothing(change: dict[str, Any]) -> None:
    text = json.dumps(dict(reversed((json.loads(KEY) | change).items())))
    body = "02 02" if isinstance(json.loads(text)["fields"][0]["type"], list) else "02"
    assert decode(numbered(text), record(f"00 00000001 {body}", None)) == [
        RowChange("delete", "test", "t", None, before={"id": "1"})
    ]


def test_a_number_may_be_longer_than_it_need_be() -> None:
    assert decode(numbered(KEY), record("00 00000001 828000", None)) == [
        RowChange("delete", "test", "t", None, before={"id": "1"})
    ]


def test_an_integer_that_became_wider_is_read_by_the_schema_of_its_record() -> None:
    wide = schema({"name": "id", "type": {"type": "long", "connect.parameters": {"tidb_type": "BIGINT"}}})
    records = [record("00 00000001 02", None), record("00 00000002 80808080808001", None)]
    got = decode(numbered(KEY, wide), *records, tables=(table_of(),))
    assert [change.before for change in got if isinstance(change, RowChange)] == [{"id": "1"}, {"id": str(2**41)}]


# Names


ODD = Table("my.db", "ta-ble", (column("i.d", "int", nullable=False), column("列", "int")), ("i.d",))
TWIN = Table("my_db", "ta-ble", (column("x", "int", nullable=False),), ("x",))


def test_names_come_back_as_the_tables_have_them() -> None:
    written = write(ODD, insert(ODD, **{"i.d": "1", "列": "2"}))
    named = decode(written.registry, *written.records, tables=(ODD, PERSON))
    assert named == [RowChange("insert", "my.db", "ta-ble", None, after={"i.d": "1", "列": "2"})]
    clean = decode(written.registry, *written.records)
    assert clean == [RowChange("insert", "my_db", "ta_ble", None, after={"i_d": "1", "_": "2"})]


def test_names_are_those_of_the_tables_of_the_same_call() -> None:
    written = write(ODD, insert(ODD, **{"i.d": "1", "列": "2"}))
    decoder = Decoder(settings=Settings(registry=written.registry))
    found = [decoder.decode(written.records, tables) for tables in ([ODD], [], [ODD, PERSON], [TWIN])]
    names = [(change.schema, change.table) for [change] in found if isinstance(change, RowChange)]
    assert names == [("my.db", "ta-ble"), ("my_db", "ta_ble"), ("my.db", "ta-ble"), ("my_db", "ta-ble")]


@pytest.mark.parametrize(
    ("space", "named"), [("keyspace.my_db", "my.db"), ("my_db", ""), ("my_db.", ""), ("keyspace.keyspace", "keyspace")]
)
def test_a_table_is_found_by_the_second_part_of_the_namespace(space: str, named: str) -> None:
    registry = numbered(schema(ID, namespace=space))
    given = table_of(schema="my.db")
    [change] = decode(registry, record("00 00000001 02", None), tables=(given,))
    assert change == RowChange("delete", named, "t", None, before={"id": "1"})  # TV-AV-045


def test_of_tables_with_one_clean_name_the_one_with_the_columns_is_meant() -> None:
    written = write(ODD, insert(ODD, **{"i.d": "1", "列": "2"}))
    [change] = decode(written.registry, *written.records, tables=(TWIN, ODD))
    assert (change.schema, change.table) == ("my.db", "ta-ble")  # type: ignore[union-attr]


def test_a_column_that_the_tables_do_not_have_keeps_the_name_of_its_field() -> None:
    written = write(ODD, insert(ODD, **{"i.d": "1", "列": "2"}))
    older = Table("my.db", "ta-ble", ODD.columns[:1], ("i.d",))
    [change] = decode(written.registry, *written.records, tables=(older,))
    assert isinstance(change, RowChange)
    assert change.after == {"i.d": "1", "_": "2"}


def test_the_null_of_a_virtual_column_is_no_value() -> None:
    table = table_of(column("v", "int", generated="virtual"))
    written = write(table, insert(table))
    for tables, row in (((table,), {"id": "1"}), ((), {"id": "1", "v": None})):
        [change] = decode(written.registry, *written.records, tables=tables)
        assert isinstance(change, RowChange)
        assert change.after == row


# The registry


class _Counting(MemoryRegistry):
    def __init__(self, of: MemoryRegistry) -> None:
        super().__init__(of.requests)
        self.asked: list[int] = []

    def schema(self, schema_id: int) -> str:
        self.asked.append(schema_id)
        return super().schema(schema_id)


def test_a_schema_is_looked_up_once_a_decoder_also_when_the_tables_change() -> None:
    written = write(PERSON, insert(PERSON, age="1"), insert(PERSON, age="2"))
    registry = _Counting(written.registry)
    decoder = Decoder(settings=Settings(registry=registry))
    for tables in ([PERSON], [], [PERSON, ODD]):
        assert len(decoder.decode(written.records, tables)) == 2
    assert registry.asked == [1, 2]  # the key first
