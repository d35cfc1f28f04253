"""Worked values and messages of TiCDC's Canal-JSON, as tables of data.

Numbers in the first column are those of the test vectors: TV-0xx values, TV-1xx types, TV-2xx messages, TV-4xx texts.
"""

from __future__ import annotations

import pytest

from reference_impl.canal_json import Options
from reference_impl.canal_json.json_text import literal
from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, DdlEvent, Index, RawText, RowChange, Table, Value, Watermark
from reference_impl.settings import Settings
from reference_impl.tso import physical_ms
from tests.unit.canal_json.messages import COMMIT_TS, EXTENSION, ROW, TP_INT, text_of, tree_of, write

_CHINESE = "测试Varchar"
_LATIN1 = _CHINESE.encode().decode("latin-1")

VALUES: list[tuple[int, str, Value, str, int, str | None]] = [
    (1, "tinyint", "127", "tinyint", -6, "127"),
    (2, "tinyint unsigned", "127", "tinyint unsigned", -6, "127"),
    (3, "tinyint unsigned", "128", "tinyint unsigned", 5, "128"),
    (4, "tinyint unsigned", "0", "tinyint unsigned", -6, "0"),
    (5, "tinyint unsigned", None, "tinyint unsigned", -6, None),
    (6, "smallint", "32767", "smallint", 5, "32767"),
    (7, "smallint unsigned", "32767", "smallint unsigned", 5, "32767"),
    (8, "smallint unsigned", "32768", "smallint unsigned", 4, "32768"),
    (9, "smallint unsigned", None, "smallint unsigned", 5, None),
    (10, "mediumint", "8388607", "mediumint", 4, "8388607"),
    (11, "mediumint unsigned", "8388608", "mediumint unsigned", 4, "8388608"),
    (12, "mediumint unsigned", None, "mediumint unsigned", 4, None),
    (13, "int", "2147483647", "int", 4, "2147483647"),
    (14, "int unsigned", "2147483647", "int unsigned", 4, "2147483647"),
    (15, "int unsigned", "2147483648", "int unsigned", -5, "2147483648"),
    (16, "int unsigned", None, "int unsigned", 4, None),
    (17, "bigint", "9223372036854775807", "bigint", -5, "9223372036854775807"),
    (18, "bigint unsigned", "9223372036854775807", "bigint unsigned", -5, "9223372036854775807"),
    (19, "bigint unsigned", "9223372036854775808", "bigint unsigned", 3, "9223372036854775808"),
    (20, "bigint unsigned", None, "bigint unsigned", -5, None),
    (21, "float", "3.14", "float", 7, "3.14"),
    (22, "double", "2.71", "double", 8, "2.71"),
    (23, "decimal(10,0)", "2333", "decimal", 3, "2333"),
    (24, "float unsigned", "3.14", "float unsigned", 7, "3.14"),
    (24, "double unsigned", "2.71", "double unsigned", 8, "2.71"),
    (24, "decimal(10,0) unsigned", "2333", "decimal unsigned", 3, "2333"),
    (25, "varchar(40)", _CHINESE, "varchar", 12, _CHINESE),
    (26, "char(40)", _CHINESE, "char", 1, _CHINESE),
    (27, "binary(40)", _CHINESE.encode(), "binary", 2004, _LATIN1),
    (28, "varbinary(40)", _CHINESE.encode(), "varbinary", 2004, _LATIN1),
    *((29, word, _CHINESE, word, 2005, _CHINESE) for word in ("tinytext", "text", "mediumtext", "longtext")),
    *((30, word, _CHINESE.encode(), word, 2004, _LATIN1) for word in ("tinyblob", "blob", "mediumblob", "longblob")),
    (31, "date", "2020-02-20", "date", 91, "2020-02-20"),
    (32, "datetime", "2020-02-20 02:20:20", "datetime", 93, "2020-02-20 02:20:20"),
    (33, "timestamp", "2020-02-20 10:20:20", "timestamp", 93, "2020-02-20 10:20:20"),
    (34, "time", "02:20:20", "time", 92, "02:20:20"),
    (35, "year(4)", "2020", "year", 12, "2020"),
    (36, "enum('a','b')", "a", "enum", 4, "1"),
    (37, "set('a','b')", "a,b", "set", -7, "3"),
    (38, "bit(64)", "65", "bit", -7, "65"),
    (39, "json", '{"key1": "value1"}', "json", 12, '{"key1": "value1"}'),
    (40, "vector(5)", "[1,2,3,4,5]", "vector", 12, "[1,2,3,4,5]"),
    (42, "tinyint(1)", "1", "tinyint", -6, "1"),
    (43, "smallint", "-1", "smallint", 5, "-1"),
    (44, "float", "153.123", "float", 7, "153.123"),
    (44, "double", "153.123", "double", 8, "153.123"),
    (47, "year", "1970", "year", 12, "1970"),
    (49, "bit(10)", "81", "bit", -7, "81"),
    (50, "decimal(10,2)", "129012.12", "decimal", 3, "129012.12"),
    (51, "enum('a','b','c')", "a", "enum", 4, "1"),
    (51, "set('a','b','c')", "b", "set", -7, "2"),
    (52, "tinyblob", bytes.fromhex("89504E470D0A1A0A"), "tinyblob", 2004, "\x89PNG\r\n\x1a\n"),
    (55, "blob", bytes.fromhex("255044462D312E34"), "blob", 2004, "%PDF-1.4"),
    (56, "char(10)", "Alice", "char", 1, "Alice"),
    (58, "bigint", "-9223372036854775808", "bigint", -5, "-9223372036854775808"),
    (59, "tinyint unsigned", "255", "tinyint unsigned", 5, "255"),
    (59, "smallint unsigned", "65535", "smallint unsigned", 4, "65535"),
    (59, "mediumint unsigned", "16777215", "mediumint unsigned", 4, "16777215"),
    (59, "int unsigned", "4294967295", "int unsigned", -5, "4294967295"),
    (59, "bigint unsigned", "18446744073709551615", "bigint unsigned", 3, "18446744073709551615"),
    (61, "varchar(10)", "", "varchar", 12, ""),
    (61, "varbinary(10)", b"", "varbinary", 2004, ""),
    (62, "set('a','b','c')", "a,b", "set", -7, "3"),
    (63, "bit(10)", "341", "bit", -7, "341"),
    (390, "enum('a','b')", Index(0), "enum", 4, "0"),
    (391, "set('a','b')", "", "set", -7, "0"),
    (396, "year", "0", "year", 12, "0"),
    (401, "double", "1.0", "double", 8, "1"),
    (402, "double", "100", "double", 8, "100"),
    (403, "double", "1e7", "double", 8, "10000000"),
    (404, "double", "9999999", "double", 8, "9999999"),
    (405, "double", "12345678", "double", 8, "12345678"),
    (406, "double", "1e-4", "double", 8, "0.0001"),
    (407, "double", "1e21", "double", 8, "1" + "0" * 21),
    (408, "double", "-0.0", "double", 8, "-0"),
    (409, "double", "2e23", "double", 8, "2" + "0" * 23),
    (410, "double", "5e-324", "double", 8, "0." + "0" * 323 + "5"),
    (411, "float", "123.46", "float", 7, "123.46"),
    (412, "float", "2020.0202", "float", 7, "2020.0201"),
    (413, "float", "-2.7182818284", "float", 7, "-2.7182817"),
    (414, "float", "16777216", "float", 7, "16777216"),
    (415, "float", "3.4028235e38", "float", 7, "34028235" + "0" * 31),
    (416, "float", "1e-45", "float", 7, "0." + "0" * 44 + "1"),
    (353, "float(30)", "0.1", "double", 8, "0.1"),
]


@pytest.mark.parametrize(("number", "kind", "value", "mysql_type", "code", "text"), VALUES)
def test_a_value_is_written_with_the_type_code_and_text_of_its_vector(
    number: int, kind: str, value: Value, mysql_type: str, code: int, text: str | None
) -> None:
    assert text_of(kind, value) == (mysql_type, code, text)


@pytest.mark.parametrize(
    ("kind", "charset", "mysql_type", "code"),
    [
        ("char(4)", "binary", "binary", 2004),
        ("varchar(4)", "binary", "varbinary", 2004),
        ("text", "binary", "blob", 2004),
        ("longtext", "binary", "longblob", 2004),
    ],
)
def test_charset_binary_makes_a_character_type_its_binary_twin(
    kind: str, charset: str, mysql_type: str, code: int
) -> None:
    assert text_of(kind, b"a", charset=charset) == (mysql_type, code, "a")


# Declared type, default text, content-compatible text.  TV-101 to TV-114
TYPES = [
    ("int", "int", "int(11)"),
    ("tinyint", "tinyint", "tinyint(4)"),
    ("smallint", "smallint", "smallint(6)"),
    ("mediumint", "mediumint", "mediumint(9)"),
    ("bigint", "bigint", "bigint(20)"),
    ("int unsigned", "int unsigned", "int(10) unsigned"),
    ("tinyint unsigned", "tinyint unsigned", "tinyint(3) unsigned"),
    ("smallint unsigned", "smallint unsigned", "smallint(5) unsigned"),
    ("mediumint unsigned", "mediumint unsigned", "mediumint(8) unsigned"),
    ("bigint unsigned", "bigint unsigned", "bigint(20) unsigned"),
    ("int(10)", "int", "int(10)"),
    ("bigint(19) unsigned", "bigint unsigned", "bigint(19) unsigned"),
    ("int zerofill", "int unsigned zerofill", "int(10) unsigned zerofill"),
    ("smallint unsigned zerofill", "smallint unsigned zerofill", "smallint(5) unsigned zerofill"),
    ("bit", "bit", "bit(1)"),
    ("bit(3)", "bit", "bit(3)"),
    ("bool", "tinyint", "tinyint(1)"),
    ("float", "float", "float"),
    ("double", "double", "double"),
    ("float(10,3)", "float", "float(10,3)"),
    ("float(10)", "float", "float"),
    ("double(20,3)", "double", "double(20,3)"),
    ("float unsigned", "float unsigned", "float unsigned"),
    ("double zerofill", "double unsigned zerofill", "double unsigned zerofill"),
    ("decimal", "decimal", "decimal(10,0)"),
    ("numeric", "decimal", "decimal(10,0)"),
    ("decimal(5)", "decimal", "decimal(5,0)"),
    ("decimal(5,2)", "decimal", "decimal(5,2)"),
    ("decimal unsigned", "decimal unsigned", "decimal(10,0) unsigned"),
    ("decimal zerofill", "decimal unsigned zerofill", "decimal(10,0) unsigned zerofill"),
    ("time", "time", "time"),
    ("time(3)", "time", "time(3)"),
    ("datetime(3)", "datetime", "datetime(3)"),
    ("timestamp(3)", "timestamp", "timestamp(3)"),
    ("date", "date", "date"),
    ("year", "year", "year(4)"),
    ("year(4)", "year", "year(4)"),
    ("char", "char", "char(1)"),
    ("char(123)", "char", "char(123)"),
    ("varchar(123)", "varchar", "varchar(123)"),
    ("binary", "binary", "binary(1)"),
    ("binary(10)", "binary", "binary(10)"),
    ("varbinary(23)", "varbinary", "varbinary(23)"),
    *((word, word, word) for word in ("tinytext", "text", "longtext", "tinyblob", "blob", "longblob", "json")),
    ("enum('a', 'b', 'c')", "enum", "enum('a','b','c')"),
    ("set('a', 'b', 'c')", "set", "set('a','b','c')"),
    ("enum('it''s','a\\b')", "enum", "enum('it''s','a\\\\b')"),
    ("vector(5)", "vector", "vector(5)"),
    ("vector", "vector", "vector"),
]


@pytest.mark.parametrize(("declared", "default", "compatible"), TYPES)
def test_mysql_type_has_parameters_in_content_compatible_mode_alone(
    declared: str, default: str, compatible: str
) -> None:
    assert (text_of(declared, None)[0], text_of(declared, None, full=True)[0]) == (default, compatible)


# TV-060, TV-417 to TV-421
ESCAPES = [
    ("a<b>&c\"\\/'", "a\\u003cb\\u003e\\u0026c\\\"\\\\/'"),
    (
        "\x00\x01\x07\x08\t\n\x0b\x0c\r\x1b\x1f\x7f",
        "\\u0000\\u0001\\u0007\\u0008\\t\\n\\u000b\\u000c\\r\\u001b\\u001f\x7f",
    ),
    ("\x80\x9f\xa0\xff", "\x80\x9f\xa0\xff"),
    ("\u2028\u2029", "\\u2028\\u2029"),
    ("测😀", "测😀"),
]


@pytest.mark.parametrize(("text", "escaped"), ESCAPES)
def test_a_string_is_escaped_as_its_vector_says(text: str, escaped: str) -> None:
    assert literal(text) == f'"{escaped}"'


@pytest.mark.parametrize(
    ("data", "escaped"), [(b"\xff", "\\ufffd"), (b"\xc3(", "\\ufffd("), (b"\xe6\xb5", "\\ufffd\\ufffd"), (b"a", "a")]
)
def test_each_byte_that_is_not_utf_8_becomes_one_escaped_replacement_character(data: bytes, escaped: str) -> None:
    table = Table("test", "t", (Column("c", parse_column_type("text")),))
    [value] = write(RowChange("insert", "test", "t", 1, after={"c": RawText(data)}), tables=(table,))
    assert f'"data":[{{"c":"{escaped}"}}]'.encode() in value


def test_bytes_are_written_as_iso_8859_1_and_then_escaped() -> None:
    data = bytes([5, 7, 10, 15, 36, 50, 43, 99, 120, 60, 38, 255, 254, 45, 55, 70])
    table = Table("test", "t", (Column("c", parse_column_type("varbinary(16)")),))
    [value] = write(RowChange("insert", "test", "t", 1, after={"c": data}), tables=(table,))
    assert '"data":[{"c":"\\u0005\\u0007\\n\\u000f$2+cx\\u003c\\u0026ÿþ-7F"}]'.encode() in value


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
