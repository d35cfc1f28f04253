"""Worked messages of TiCDC's Canal-JSON: rows, DDL statements and watermarks, and what follows from their tables."""

from __future__ import annotations

import pytest

from reference_impl.canal_json import Options
from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, DdlEvent, RowChange, Table, Watermark
from reference_impl.settings import Settings
from reference_impl.tso import physical_ms
from tests.unit.canal_json.messages import COMMIT_TS, EXTENSION, ROW, TP_INT, tree_of, write

_INSERT = RowChange("insert", "test", "tp_int", COMMIT_TS, after=ROW)
_UPDATE = RowChange("update", "test", "tp_int", COMMIT_TS, before=ROW, after=ROW | {"c_int": "0", "c_tinyint": "0"})
_DELETE = RowChange("delete", "test", "tp_int", COMMIT_TS, before=ROW)

_W1_HEAD = (
    '{"id":0,"database":"test","table":"tp_int","pkNames":["id"],"isDdl":false,"type":"INSERT","es":1639633141221,'
    '"ts":1639633142960,"sql":"","sqlType":{"id":4,"c_tinyint":-6,"c_smallint":5,"c_mediumint":4,"c_int":4,'
    '"c_bigint":-5},"mysqlType":{"id":"int","c_tinyint":"tinyint","c_smallint":"smallint","c_mediumint":"mediumint",'
    '"c_int":"int","c_bigint":"bigint"},'
)
_OLD_ROW = (
    '{"id":"2","c_tinyint":"127","c_smallint":"32767","c_mediumint":"8388607","c_int":"2147483647",'
    '"c_bigint":"9223372036854775807"}'
)
_NEW_ROW = (
    '{"id":"2","c_tinyint":"0","c_smallint":"32767","c_mediumint":"8388607","c_int":"0",'
    '"c_bigint":"9223372036854775807"}'
)


def test_an_insert_is_worked_message_w_1() -> None:
    [value] = write(_INSERT, options=EXTENSION, settings=Settings(now_ms=1639633142960))
    expected = _W1_HEAD + f'"old":null,"data":[{_OLD_ROW}],"_tidb":{{"commitTs":429819990172237824}}}}'
    assert value.decode() == expected


def test_an_update_ends_like_worked_message_w_2() -> None:
    [value] = write(_UPDATE)
    assert value.decode().endswith(f'"bigint"}},"old":[{_OLD_ROW}],"data":[{_NEW_ROW}]}}')


def test_a_content_compatible_update_has_the_parts_of_worked_message_w_3() -> None:
    [value] = write(_UPDATE, options=Options(content_compatible=True))
    types = (
        '"mysqlType":{"id":"int(11)","c_tinyint":"tinyint(4)","c_smallint":"smallint(6)","c_mediumint":"mediumint(9)",'
        '"c_int":"int(11)","c_bigint":"bigint(20)"}'
    )
    assert f'{types},"old":[{{"c_tinyint":"127","c_int":"2147483647"}}],"data":[{_NEW_ROW}]}}'.encode() in value


def test_a_delete_of_the_handle_key_alone_has_the_parts_of_worked_message_w_4() -> None:
    [value] = write(_DELETE, options=Options(delete_only_output_handle_key_columns=True))
    assert value.endswith(b'"sqlType":{"id":4},"mysqlType":{"id":"int"},"old":null,"data":[{"id":"2"}]}')


def test_a_watermark_is_worked_message_w_5() -> None:
    [value] = write(Watermark(429918007904436226), options=EXTENSION, settings=Settings(now_ms=1640007050284))
    assert value == (
        b'{"id":0,"database":"","table":"","pkNames":null,"isDdl":false,"type":"TIDB_WATERMARK","es":1640007049196,'
        b'"ts":1640007050284,"sql":"","sqlType":null,"mysqlType":null,"data":null,"old":null,'
        b'"_tidb":{"watermarkTs":429918007904436226}}'
    )


def test_a_ddl_statement_is_worked_message_w_6() -> None:
    event = DdlEvent(
        "test", "", "DROP DATABASE IF EXISTS `test`", "drop schema", action_code=2, commit_ts=429819977969172480
    )
    [value] = write(event, options=EXTENSION, settings=Settings(now_ms=1639633095489))
    assert value == (
        b'{"id":0,"database":"test","table":"","pkNames":null,"isDdl":true,"type":"QUERY","es":1639633094670,'
        b'"ts":1639633095489,"sql":"DROP DATABASE IF EXISTS `test`","sqlType":null,"mysqlType":null,"data":null,'
        b'"old":null,"_tidb":{"commitTs":429819977969172480}}'
    )


def test_the_documents_second_table_has_the_values_of_worked_message_w_8() -> None:
    kinds = {
        "id": ("int", "1", "1"),
        "c_decimal": ("decimal(10,4)", "123.4560", "123.4560"),
        "c_char": ("char(16)", "abc", "abc"),
        "c_varchar": ("varchar(16)", "abc", "abc"),
        "c_binary": ("binary(16)", b"abc".ljust(16, b"\0"), "abc" + 13 * "\0"),
        "c_varbinary": ("varbinary(16)", b"abc", "abc"),
        "c_enum": ("enum('a','b','c')", "a", "1"),
        "c_set": ("set('a','b','c')", "a,b", "3"),
        "c_bit": ("bit(64)", "65", "65"),
    }
    table = Table("test", "t", tuple(Column(n, parse_column_type(k)) for n, (k, _, _) in kinds.items()), ("id",))
    row = {name: value for name, (_, value, _) in kinds.items()}
    [value] = write(RowChange("insert", "test", "t", 1, after=row), tables=(table,))
    assert tree_of(value)["data"] == [{name: text for name, (_, _, text) in kinds.items()}]


@pytest.mark.parametrize(("tso", "ms"), [(417318403368288260, 1591943372224), (429918007904436226, 1640007049196)])
def test_es_is_the_physical_part_of_the_time_stamp(tso: int, ms: int) -> None:
    [value] = write(Watermark(tso), options=EXTENSION)
    assert tree_of(value)["es"] == physical_ms(tso) == ms


_ABC = Table(
    "test",
    "t",
    tuple(Column(name, parse_column_type(kind)) for name, kind in (("a", "tinyint"), ("c", "int"), ("b", "tinyint"))),
    primary_key=("b", "a"),
)


def test_primary_key_names_are_in_table_order() -> None:
    [value] = write(RowChange("insert", "test", "t", 1, after={"a": "1", "c": "2", "b": "3"}), tables=(_ABC,))
    tree = tree_of(value)
    assert (tree["pkNames"], tree["sqlType"], tree["data"]) == (
        ["a", "b"],
        {"a": -6, "c": 4, "b": -6},
        [{"a": "1", "c": "2", "b": "3"}],
    )


def test_a_table_without_a_primary_key_has_an_empty_list_of_names() -> None:
    table = Table("test", "t", (Column("a", parse_column_type("int")),))
    [value] = write(RowChange("insert", "test", "t", 1, after={"a": "1"}), tables=(table,))
    assert tree_of(value)["pkNames"] == []


def test_members_of_a_row_are_in_table_order_whatever_the_order_of_the_row() -> None:
    [value] = write(RowChange("insert", "test", "t", 1, after={"b": "3", "c": "2", "a": "1"}), tables=(_ABC,))
    assert b'"data":[{"a":"1","c":"2","b":"3"}]' in value


def test_the_types_of_an_update_are_those_of_the_new_row() -> None:
    table = Table("test", "t", (Column("c", parse_column_type("int unsigned")),))
    change = RowChange("update", "test", "t", 1, before={"c": "4294967295"}, after={"c": "1"})
    [value] = write(change, tables=(table,))
    assert tree_of(value)["sqlType"] == {"c": 4}


def test_a_virtual_generated_column_is_left_out_and_a_stored_one_is_not() -> None:
    kind = parse_column_type("int")
    table = Table(
        "test", "t", (Column("a", kind), Column("v", kind, generated="virtual"), Column("s", kind, generated="stored"))
    )
    [value] = write(RowChange("insert", "test", "t", 1, after={"a": "1", "v": "2", "s": "3"}), tables=(table,))
    tree = tree_of(value)
    assert [list(tree[m]) for m in ("sqlType", "mysqlType")] + [list(tree["data"][0])] == [["a", "s"]] * 3


# Action code and name, `type`.  [CJ-601 … CJ-610], action names as recorded
ACTIONS = [
    (3, "create table", "CREATE"),
    (4, "drop table", "ERASE"),
    (11, "truncate table", "TRUNCATE"),
    (14, "rename table", "RENAME"),
    (47, "rename tables", "RENAME"),
    (7, "add index", "CINDEX"),
    (32, "add primary key", "CINDEX"),
    (9, "add foreign key", "CINDEX"),
    (8, "drop index", "DINDEX"),
    (33, "drop primary key", "DINDEX"),
    (10, "drop foreign key", "DINDEX"),
    (5, "add column", "ALTER"),
    (6, "drop column", "ALTER"),
    (12, "modify column", "ALTER"),
    (15, "set default value", "ALTER"),
    (17, "modify table comment", "ALTER"),
    (18, "rename index", "ALTER"),
    (20, "drop partition", "ALTER"),
    (22, "modify table charset and collate", "ALTER"),
    (23, "truncate partition", "ALTER"),
    (61, "alter table multi-schema change", "ALTER"),
    (1, "create schema", "QUERY"),
    (2, "drop schema", "QUERY"),
    (21, "create view", "QUERY"),
    (24, "drop view", "QUERY"),
    (25, "recover table", "QUERY"),
    (42, "exchange partition", "QUERY"),
    (48, "drop indexes", "QUERY"),
    (65, "alter ttl info", "QUERY"),
    (73, "add columnar index", "QUERY"),
    (60, "create tables", "CREATE"),
]


@pytest.mark.parametrize(("code", "action", "kind"), ACTIONS)
def test_the_type_of_a_ddl_message_follows_from_the_action_code_or_from_its_name(
    code: int, action: str, kind: str
) -> None:
    values = write(
        DdlEvent("test", "t", "x", action_code=code, commit_ts=1), DdlEvent("test", "t", "x", action, commit_ts=1)
    )
    assert [tree_of(value)["type"] for value in values] == [kind, kind]


@pytest.mark.parametrize("options", [Options(), EXTENSION])
def test_a_ddl_statement_is_written_word_for_word_and_has_no_row(options: Options) -> None:
    [value] = write(DdlEvent("d", "t", "alter table t /* a<b */", "add column", commit_ts=1), options=options)
    tree = tree_of(value)
    assert tree["sql"] == "alter table t /* a<b */"
    assert [tree[name] for name in ("pkNames", "sqlType", "mysqlType", "data", "old")] == [None] * 5


def test_a_ddl_message_leaves_a_time_stamp_of_zero_out() -> None:
    [value] = write(DdlEvent("d", "t", "x", commit_ts=0), options=EXTENSION)
    assert value.endswith(b'"old":null,"_tidb":{}}')


def test_a_later_table_version_is_in_force_after_its_ddl_event() -> None:
    newer = Table("test", "tp_int", (*TP_INT.columns, Column("added", parse_column_type("text"))), ("id",))
    ddl = DdlEvent("test", "tp_int", "alter", "add column", commit_ts=COMMIT_TS, table_after=newer)
    change = RowChange("insert", "test", "tp_int", COMMIT_TS, after=ROW | {"added": "x"})
    before, _, after = write(_INSERT, ddl, change)
    assert ("added" in tree_of(before)["data"][0], tree_of(after)["data"][0]["added"]) == (False, "x")
