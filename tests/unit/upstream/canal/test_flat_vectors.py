"""Worked values and messages of Canal's flat message, as tables of data.

The expectations are those of the rules and of what Canal 1.1.7 was recorded to write.
"""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.java_numbers import double_text, float_text
from reference_impl.model import Column, DdlEvent, Index, Key, RawText, Table, Value
from reference_impl.settings import Settings
from reference_impl.stored_json import Opaque, stored_tree
from reference_impl.tso import compose
from reference_impl.upstream.canal.ddl import NO_NAMES, Statement, statement
from reference_impl.upstream.canal.json_text import literal, stored_text
from reference_impl.upstream.canal.partial_json import partial_text
from tests.unit.upstream.canal.flat_messages import (
    POSITION,
    ROW,
    TP_INT,
    options,
    row_event,
    shown,
    table_of,
    text_of,
    tree_of,
    write,
)

_LATIN1 = bytes(range(0x7F, 0x100)).decode("latin-1")

VALUES: list[tuple[str, str | None, Value, int, str | None]] = [
    # integers: the code of the next wider type beyond the signed range, MEDIUMINT excepted  [CJ-420]
    ("tinyint", None, "-128", -6, "-128"),
    ("tinyint unsigned", None, "127", -6, "127"),
    ("tinyint unsigned", None, "128", 5, "128"),
    ("tinyint unsigned", None, None, -6, None),
    ("smallint unsigned", None, "32768", 4, "32768"),
    ("mediumint unsigned", None, "16777215", 4, "16777215"),
    ("int unsigned", None, "2147483648", -5, "2147483648"),
    ("int(6) zerofill", None, "4294967295", -5, "4294967295"),
    ("bigint unsigned", None, "9223372036854775808", 3, "9223372036854775808"),
    ("bigint", None, "-9223372036854775808", -5, "-9223372036854775808"),
    ("bool", None, "2", -6, "2"),
    ("bit(64)", None, "18446744073709551615", -7, "18446744073709551615"),
    # DECIMAL without the zeros of its last group where that is not a full one  [CJ-443]
    ("decimal(10,4)", None, "123.4560", 3, "123.4560"),
    ("decimal(10,2)", None, "0.00", 3, "0.0"),
    ("decimal(20,4)", None, "-1.0000", 3, "-1.0"),
    ("decimal(10,2)", None, "5.00", 3, "5.0"),
    ("decimal(10,2)", None, "0.10", 3, "0.10"),
    ("decimal(65,30)", None, "-1." + "5" + "0" * 29, 3, "-1." + "5" + "0" * 26),
    ("decimal(30,30)", None, "0." + "0" * 29 + "1", 3, "0." + "0" * 29 + "1"),
    ("decimal(20,9)", None, "1.000000000", 3, "1.000000000"),
    ("decimal(10,0)", None, "-9999999999", 3, "-9999999999"),
    # FLOAT and DOUBLE as Java prints them  [CJ-441]
    ("float", None, "16777216", 7, "1.6777216E7"),
    ("float", None, "153.123", 7, "153.123"),
    ("double", None, "-0.0", 8, "-0.0"),
    ("double", None, "0", 8, "0.0"),
    ("float(25)", None, "1e7", 8, "1.0E7"),
    # strings and bytes  [CJ-424 … CJ-426, CJ-450 … CJ-453]
    ("char(10)", None, "a😀b", 1, "a😀b"),
    ("varchar(10)", None, "", 12, ""),
    ("text", None, "null", 2005, "null"),
    ("text(100)", None, "é", 2004, "Ã©"),
    ("longtext", None, None, 2005, None),
    ("binary(4)", None, b"ab\0\0", 2004, "ab"),
    ("binary(4)", None, b"\0\0\0\0", 2004, ""),
    ("binary(4)", None, b"\0a\0 ", 2004, "\0a\0 "),
    ("varbinary(300)", None, bytes(range(0x7F, 0x100)), 2004, _LATIN1),
    ("varbinary(4)", None, b"\0\0", 2004, "\0\0"),
    ("tinyblob", None, None, 2004, None),
    ("varchar(20)", "binary", b"bin", 12, "bin"),
    ("point", None, b"\0\0\0\0\1", 2004, "\0\0\0\0\1"),
    # another charset than UTF-8 comes out as what its bytes are in UTF-8  [DV-55]
    ("varchar(50)", "latin1", "café", 12, "caf\ufffd"),
    ("text", "latin1", "\x81€", 2005, "\ufffd\ufffd"),
    ("varchar(50)", "gbk", "测试gbk", 12, "\ufffd\ufffd\ufffd\ufffdgbk"),
    ("varchar(50)", "utf16", "i", 12, "\0i"),
    ("text", "ucs2", "中é", 2005, "N-\0\ufffd"),
    ("varchar(50)", "utf8mb3", "é中", 12, "é中"),
    ("varchar(50)", None, RawText(b"a\xff"), 12, "a\ufffd"),
    # dates and times
    ("date", None, "0000-00-00", 91, "0000-00-00"),
    ("datetime(6)", None, "0000-00-00 00:00:00.000000", 93, "0000-00-00 00:00:00.000000"),
    ("timestamp", None, "1970-01-01 00:00:01", 93, "1970-01-01 00:00:01"),
    ("time(1)", None, "-838:59:59.0", 92, "-838:59:59.0"),
    ("year", None, "0", 12, "0000"),
    ("year(4)", None, "2155", 12, "2155"),
    # ENUM and SET by number, and a NULL SET as a BLOB  [CJ-421, CJ-445]
    ("enum('a','b')", None, "b", 4, "2"),
    ("enum('a','b')", None, Index(0), 4, "0"),
    ("enum('a','b')", None, None, 4, None),
    ("set('a','b','c')", None, "a,c", -7, "5"),
    ("set('a','b','c')", None, "", -7, "0"),
    ("set('a','b','c')", None, None, 2004, None),
    # JSON  [CJ-422, CJ-454]
    ("json", None, '{"bb":1,"a":2,"":true,"c":3,"A":null}', 12, '{"": true, "A": null, "a": 2, "c": 3, "bb": 1}'),
    ("json", None, None, 1111, None),
]


@pytest.mark.parametrize(("kind", "charset", "value", "code", "text"), VALUES)
def test_a_value_has_this_code_and_this_text(
    kind: str, charset: str | None, value: Value, code: int, text: str | None
) -> None:
    assert text_of(kind, value, charset)[1:] == (code, text)


TYPES = [
    # declared, as the statement says it, as MySQL answers, as MariaDB answers  [CJ-431 … CJ-435]
    ("bool", "bool", "tinyint(1)", "tinyint(1)"),
    ("tinyint", "tinyint", "tinyint", "tinyint(4)"),
    ("int(11)", "int(11)", "int", "int(11)"),
    ("INT(11) unsigned", "INT(11) unsigned", "int unsigned", "int(11) unsigned"),
    ("int unsigned", "int unsigned", "int unsigned", "int(10) unsigned"),
    ("int(6) zerofill", "int(6) unsigned zerofill", "int(6) unsigned zerofill", "int(6) unsigned zerofill"),
    ("int8", "int8", "bigint", "bigint(20)"),
    ("middleint", "middleint", "mediumint", "mediumint(9)"),
    ("Integer", "Integer", "int", "int(11)"),
    ("serial", "serial", "bigint unsigned", "bigint(20) unsigned"),
    ("decimal", "decimal", "decimal(10,0)", "decimal(10,0)"),
    ("decimal(10, 2)", "decimal(10,2)", "decimal(10,2)", "decimal(10,2)"),
    ("decimal(10,2) zerofill", *["decimal(10,2) unsigned zerofill"] * 3),
    ("fixed(10,3)", "fixed(10,3)", "decimal(10,3)", "decimal(10,3)"),
    ("Double Precision", "Double Precision", "double", "double"),
    ("real", "real", "double", "double"),
    ("float(7,3)", "float(7,3)", "float(7,3)", "float(7,3)"),
    ("float(24)", "float(24)", "float", "float"),
    ("float(25)", "double(25)", "double", "double"),
    ("bit", "bit", "bit(1)", "bit(1)"),
    ("year(4)", "year(4)", "year", "year(4)"),
    ("datetime(3)", "datetime(3)", "datetime(3)", "datetime(3)"),
    ("national varchar(50)", "national varchar(50)", "varchar(50)", "varchar(50)"),
    ("char(5)", "char(5)", "char(5)", "char(5)"),
    ("varchar(0)", "varchar(0)", "varchar(0)", "varchar(0)"),
    ("text(100)", "text(100)", "text", "text"),
    ("text(50)", "text(50)", "tinytext", "tinytext"),
    ("text(20000)", "text(20000)", "mediumtext", "mediumtext"),
    ("blob(100)", "blob(100)", "tinyblob", "tinyblob"),
    ("geometrycollection", "geometrycollection", "geomcollection", "geometrycollection"),
    ("json", "json", "json", "longtext"),
    (r"enum('x','it''s','\\')", r"enum('x','it''s','\')", r"enum('x','it''s','\')", r"enum('x','it''s','\')"),
    ("set('x y','ç')", "set('x y','ç')", "set('x y','ç')", "set('x y','ç')"),
    ("nvarchar(6)", "nvarchar(6)", "varchar(6)", "varchar(6)"),
    ("character(6)", "character(6)", "char(6)", "char(6)"),
    ("long", "long", "mediumtext", "mediumtext"),
    # what the statement parser gives up on is asked of the server
    ("char varying(6)", "varchar(6)", "varchar(6)", "varchar(6)"),
    ("long varchar", "mediumtext", "mediumtext", "mediumtext"),
]


@pytest.mark.parametrize(("declared", "known", "mysql", "mariadb"), TYPES)
def test_the_type_of_a_column_is_as_declared_or_as_the_server_answers(
    declared: str, known: str, mysql: str, mariadb: str
) -> None:
    assert shown(declared) == known
    assert shown(declared, tsdb="false") == mysql
    assert shown(declared, tsdb="false", server="mariadb") == mariadb


def test_characters_without_a_charset_are_binary_to_the_server_alone() -> None:
    assert text_of("varchar(20)", b"\xff", "binary", options()) == ("varchar(20)", 12, "\ufffd")
    assert text_of("varchar(20)", b"\xff", "binary", options(tsdb="false")) == ("varbinary(20)", 2004, "ÿ")


def test_mariadb_logs_create_table_select_in_words_of_its_own() -> None:
    table = table_of("int", create_sql="create table t as select 1 as c")
    [data] = write(row_event("insert", after={"c": "1"}, table=table), tables=[table])
    assert tree_of(data)["mysqlType"] == {"c": "int"}
    mariadb = options(server="mariadb")
    [data] = write(row_event("insert", after={"c": "1"}, table=table), tables=[table], with_options=mariadb)
    assert tree_of(data)["mysqlType"] == {"c": "int(11)"}


def test_json_of_mariadb_is_the_bytes_of_its_text() -> None:
    mariadb = options(server="mariadb")
    assert text_of("json", '{"é": 1, "é": 2}', with_options=mariadb) == ("json", 2004, '{"Ã©": 1, "Ã©": 2}')
    assert text_of("json", None, with_options=mariadb) == ("json", 2004, None)


def test_canal_stops_at_a_vector() -> None:
    with pytest.raises(Rejected) as caught:
        text_of("vector(3)", "[1,2,3]")
    assert caught.value.reason == "type"


# Bits are what Java 17 and Java 25 were seen to print.  [TV-401 … TV-416]
FLOATS = [
    (64, 1.0, "1.0", "1.0"),
    (64, 1e7, "1.0E7", "1.0E7"),
    (64, 9999999.0, "9999999.0", "9999999.0"),
    (64, 12345678.0, "1.2345678E7", "1.2345678E7"),
    (64, 0.001, "0.001", "0.001"),
    (64, 0.0001, "1.0E-4", "1.0E-4"),
    (64, 1e21, "1.0E21", "1.0E21"),
    (64, 0.0, "0.0", "0.0"),
    (64, -0.0, "-0.0", "-0.0"),
    (64, 2e23, "1.9999999999999998E23", "2.0E23"),
    (64, 5e-324, "4.9E-324", "4.9E-324"),
    (64, 1.7976931348623157e308, "1.7976931348623157E308", "1.7976931348623157E308"),
    (32, 123.46, "123.46", "123.46"),
    (32, 2020.0202, "2020.0201", "2020.0201"),
    (32, -2.7182818284, "-2.7182817", "-2.7182817"),
    (32, 3.4028235e38, "3.4028235E38", "3.4028235E38"),
    (32, 1e-45, "1.4E-45", "1.4E-45"),
    (32, 1.17549435e-38, "1.17549435E-38", "1.1754944E-38"),
]


@pytest.mark.parametrize(("bits", "value", "java_17", "java_25"), FLOATS)
def test_a_float_has_the_digits_of_the_java_below(bits: int, value: float, java_17: str, java_25: str) -> None:
    text = float_text if bits == 32 else double_text
    assert (text(value, 17), text(value, 25)) == (java_17, java_25)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a<b>&c\"\\/'", '"a<b>&c\\"\\\\/\'"'),
        (
            "\0\x01\x07\x08\t\n\x0b\x0c\r\x1b\x1f\x7f",
            '"\\u0000\\u0001\\u0007\\b\\t\\n\\u000b\\f\\r\\u001b\\u001f\x7f"',
        ),
        ("\x80\x9f\xa0\xff\u2028\u2029😀", '"\x80\x9f\xa0\xff\u2028\u2029😀"'),
        ("\ud800", '"?"'),
    ],
)
def test_a_string_is_escaped_as_fastjson_does(text: str, written: str) -> None:
    assert literal(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("[1, 1.0, 1e7, 1e-4, 18446744073709551615, 18446744073709551616]",
         "[1, 1.0, 1.0E7, 1.0E-4, 18446744073709551615, 1.8446744073709552E19]"),
        ('{"k": "b\\b f\\f n\\n d\\u007f \\u00a0 <>& é"}', '{"k": "b\\u0008 f\\u000c n\\n d\\u007f \\u00a0 <>& é"}'),
        ('{"k": "cut \\u0000 here", "l": []}', '{"k": "cut ", "l": []}'),
        ('{"a\\"b": {}}', '{"a"b": {}}'),
        ('{"a": 1, "a": 2}', '{"a": 2}'),
        ('{"$opaque": ["T", ["date", "2024-02-29"]]}', '"2024-02-29 00:00:00.000000"'),
        ('{"$opaque": ["T", ["datetime", "2024-02-29 12:34:56.789"]]}', '"2024-02-29 12:34:56.789000"'),
        ('{"$opaque": ["T", ["time", "12:34:56.5"]]}', '"12:34:56.500000"'),
        ('{"$opaque": ["T", ["dec", "1.50"]]}', "1.50"),
        ('{"$opaque": ["T", ["bin", "b\'\\\\x05\'"]]}', '"\\u0005"'),
    ],
)  # fmt: skip
def test_a_json_value_is_printed_from_what_the_database_stores(text: str, written: str) -> None:
    assert stored_text(stored_tree(text), 17) == written


def test_a_scalar_that_json_has_no_form_for_is_told_by_kind() -> None:
    assert stored_tree('[{"$opaque": ["T", ["dec", "0.1"]]}]') == [Opaque("dec", "0.1")]
    for wrong in ('["T", ["colour", "red"]]', '["T"]', '["T", ["bin", "nonsense"]]', "1"):
        with pytest.raises(Rejected) as caught:
            stored_tree(f'{{"$opaque": {wrong}}}')
        assert caught.value.reason == "type"


def test_json_by_difference_is_the_calls_that_make_it() -> None:
    before, after = stored_tree('{"k": "v", "e7": 1e7}'), stored_tree('{"k": "v", "e7": 1}')
    assert partial_text("j", before, after, 17) == "JSON_REPLACE(j, '$.e7', 1)"
    after = stored_tree('{"k": ["w"], "n n": 1.5}')
    assert (
        partial_text("j", before, after, 17)
        == "JSON_REMOVE(JSON_INSERT(JSON_REPLACE(j, '$.k', [\"w\"]), '$.\"n n\"', 1.5), '$.e7')"
    )


def test_the_worked_insert_comes_out_byte_for_byte() -> None:
    [data] = write(row_event("insert", after=ROW))
    assert data == (
        b'{"data":[{"id":"2","c_tinyint":"127","c_int":"2147483647"}],"database":"test","es":1639633141000,"gtid":"",'
        b'"id":7,"isDdl":false,"mysqlType":{"id":"int","c_tinyint":"tinyint","c_int":"int"},"old":null,'
        b'"pkNames":["id"],"sql":"","sqlType":{"id":4,"c_tinyint":-6,"c_int":4},"table":"tp_int","ts":1639633142960,'
        b'"type":"INSERT"}'
    )


def test_rows_of_one_rows_event_are_one_message() -> None:
    rows = [{**ROW, "id": str(n)} for n in (1, 2, 3)]
    events = [row_event("delete", before=row, rows_event="e") for row in rows]
    [data] = write(*events)
    assert tree_of(data)["data"] == rows
    assert tree_of(data)["old"] is None
    assert len(write(*[row_event("delete", before=row) for row in rows])) == 3


def test_old_gathers_what_changed_in_the_row_and_in_rows_before_it() -> None:
    before: list[dict[str, Value]] = [
        {"id": "1", "c_tinyint": "1", "c_int": "1"},
        {"id": "2", "c_tinyint": None, "c_int": "2"},
    ]
    after = [{**before[0], "c_int": None}, {**before[1], "c_tinyint": "3"}]
    [data] = write(*(row_event("update", b, a, rows_event="e") for b, a in zip(before, after, strict=True)))
    assert tree_of(data)["old"] == [{"c_int": "1"}, {"c_tinyint": None, "c_int": "2"}]


def test_the_last_row_decides_the_codes_of_a_message() -> None:
    table = table_of("set('a')")
    rows: list[Value] = ["a", None]
    [data] = write(*(row_event("insert", after={"c": v}, table=table, rows_event=1) for v in rows), tables=[table])
    assert tree_of(data)["sqlType"] == {"c": 2004}


def test_a_change_of_a_key_stays_one_update() -> None:
    [data] = write(row_event("update", ROW, {**ROW, "id": "3"}))
    assert (tree_of(data)["type"], tree_of(data)["old"]) == ("UPDATE", [{"id": "2"}])


def test_an_update_that_changes_nothing_has_an_empty_old_row() -> None:
    [data] = write(row_event("update", ROW, ROW))
    assert tree_of(data)["old"] == [{}]


_KEYS = Table(
    "s",
    "t",
    tuple(Column(n, parse_column_type(k), nullable=n == "t") for n, k in (("b", "int"), ("t", "text"), ("a", "int"))),
)


@pytest.mark.parametrize(
    ("primary", "unique", "names"),
    [(("a", "b"), (), ["b", "a"]), ((), (Key("u", ("a",)),), None), ((), (), None)],
)
def test_key_names_are_the_primary_key_in_table_order(
    primary: tuple[str, ...], unique: tuple[Key, ...], names: list[str] | None
) -> None:
    table = Table("s", "t", _KEYS.columns, primary_key=primary, unique_keys=unique)
    [data] = write(row_event("delete", before={"b": "1", "t": "x", "a": "2"}, table=table), tables=[table])
    assert tree_of(data)["pkNames"] == names


_WIDE = Table(
    "s",
    "t",
    tuple(
        Column(name, parse_column_type(kind), nullable=name != "id")
        for name, kind in (("id", "int"), ("a", "int"), ("b", "varchar(10)"), ("c", "text"))
    ),
    primary_key=("id",),
)
_FIRST = {"id": "1", "a": "1", "b": None, "c": None}
_FULL = {"id": "2", "a": "1", "b": "x", "c": "text"}

IMAGES: list[tuple[Any, ...]] = [
    ("MINIMAL", "insert", None, _FIRST, {"id": "1", "a": "1"}, None, ["id"]),
    ("MINIMAL", "update", _FIRST, {**_FIRST, "a": "2"}, {"a": "2"}, [{}], None),
    ("MINIMAL", "delete", _FIRST, None, {"id": "1"}, None, ["id"]),
    ("NOBLOB", "insert", None, _FULL, _FULL, None, ["id"]),
    ("NOBLOB", "insert", None, _FIRST, {"id": "1", "a": "1", "b": None}, None, ["id"]),
    ("NOBLOB", "update", _FULL, {**_FULL, "a": "2"}, {"id": "2", "a": "2", "b": "x"}, [{"a": "1"}], ["id"]),
    ("NOBLOB", "delete", _FULL, None, {"id": "2", "a": "1", "b": "x"}, None, ["id"]),
    ("FULL", "delete", _FULL, None, _FULL, None, ["id"]),
]


@pytest.mark.parametrize(("image", "op", "before", "after", "data", "old", "names"), IMAGES)
@pytest.mark.parametrize("by_session", [False, True])
def test_a_row_image_has_the_columns_that_the_server_logged(
    image: str, op: str, before: Value, after: Value, data: object, old: object, names: object, by_session: bool
) -> None:
    own = {"binlog_row_image": image} if by_session else {}
    given = options() if by_session else options(binlog_row_image=image)
    [written] = write(row_event(op, before, after, table=_WIDE, **own), tables=[_WIDE], with_options=given)
    tree = tree_of(written)
    assert (tree["data"], tree["old"], tree["pkNames"]) == ([data], old, names)
    assert list(tree["sqlType"]) == list(tree["mysqlType"]) == list(tree["data"][0])


def test_a_session_may_log_json_by_its_differences() -> None:
    table = table_of("json")
    event = row_event(
        "update", {"c": '{"a": 1}'}, {"c": '{"a": 2}'}, table=table, binlog_row_value_options="PARTIAL_JSON"
    )
    [data] = write(event, tables=[table])
    assert tree_of(data)["data"] == [{"c": "JSON_REPLACE(c, '$.a', 2)"}]
    assert tree_of(data)["old"] == [{"c": '{"a": 1}'}]


@pytest.mark.parametrize(("server", "table"), [("mysql", "tp_int"), ("mariadb", "")])
def test_a_statement_that_the_binlog_has_goes_before_its_rows(server: str, table: str) -> None:
    event = row_event("insert", after=ROW, query="insert into tp_int values (…)")
    query, row = map(tree_of, write(event, with_options=options(server=server)))
    assert (query["type"], query["isDdl"], query["sql"]) == ("QUERY", False, "insert into tp_int values (…)")
    assert (query["database"], query["table"], query["data"]) == ("", table, None)
    assert row["type"] == "INSERT"


def test_a_position_that_no_source_tells_follows_from_the_rest() -> None:
    events = [DdlEvent("s", "t", "drop table t", commit_ts=compose(1639633141221))]
    [data] = write(*events, settings=Settings(now_ms=5))
    tree = tree_of(data)
    assert (tree["id"], tree["es"], tree["ts"], tree["gtid"]) == (1, 1639633141000, 5, "")
    [data] = write(*events)
    assert tree_of(data)["ts"] == 1639633141000


def test_a_gtid_is_told_where_canal_asks_for_it() -> None:
    event = row_event("insert", after=ROW, gtid="uuid:1-5")
    [silent], [told] = (write(event, with_options=options(gtid=g)) for g in ("false", "true"))
    assert (tree_of(silent)["gtid"], tree_of(told)["gtid"]) == ("", "uuid:1-5")


DDL = [
    ("CREATE TABLE t (id int)", Statement("CREATE")),
    ("/* leading */ create table d (id int /* in */ , v int -- tail\n)", Statement("CREATE")),
    ("create table o like t", Statement("CREATE")),
    ("DROP TABLE IF EXISTS `a`,`b` /* generated by server */", Statement("ERASE")),
    ("truncate t", Statement("TRUNCATE")),
    ("rename table a to b, c to d", Statement("RENAME")),
    ("create unique index i on t (a)", Statement("CINDEX")),
    ("drop index i on t", Statement("DINDEX")),
    ("create database d", Statement("QUERY")),
    ("drop schema if exists d", Statement("QUERY")),
    ("alter table t add column a int, add index i (a)", Statement("ALTER")),
    ("alter table t add index i (a), add column b int", Statement("CINDEX")),
    ("alter table `t` add fulltext index i (a)", Statement("CINDEX")),
    ("alter table t add primary key (id)", Statement("CINDEX")),
    ("alter table t add constraint u unique (id)", Statement("CINDEX")),
    ("alter table s.t drop key i", Statement("DINDEX")),
    ("alter table t drop constraint c", Statement("DINDEX")),
    ("alter table t drop primary key, add primary key (a)", Statement("ALTER")),
    ("alter table t drop foreign key f", Statement("ALTER")),
    ("alter table t rename index i to j", Statement("ALTER")),
    ("alter table t rename column i to j", Statement("ALTER")),
    ("alter table t rename to u", Statement("RENAME")),
    ("alter table t rename d.u", Statement("RENAME")),
    ("alter table t comment = 'invisible long character'", Statement("ALTER")),
    ("alter table `a#b` add index `a long -- name` (a) comment '/*'", Statement("CINDEX")),
    ("alter table t convert to character set utf8mb4", Statement("ALTER")),
    ("alter table t drop partition p", Statement("ALTER")),
    ("alter table t exchange partition p with table u", Statement("ALTER")),
    ("alter table t remove partitioning", None),
    ("alter table t add constraint c check (a > 0)", None),
    ("alter table t add foreign key (a) references u (a)", None),
    ("alter database d character set latin1", None),
    ("create or replace view v as select 1", None),
    ("drop view v", None),
    ("ALTER ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v` AS select 1", NO_NAMES),
    ("create table t (id int, a int invisible)", NO_NAMES),
    ("alter table t alter index i invisible", NO_NAMES),
    ("create table t (p point not null srid 4326)", NO_NAMES),
    ("create table t (a nvarchar(5), b character varying(5), c long)", Statement("CREATE")),
    *((f"create table t (a {words})", NO_NAMES) for words in ("long varchar", "char varying(5)", "nchar varying(5)")),
    *((f"create table t (a national {word}(5))", NO_NAMES) for word in ("character", "varcharacter", "char varying")),
    ("create trigger r before insert on t for each row set new.v = 1", None),
    ("create procedure p() select 1", None),
    ("grant select on *.* to u", None),
    ("analyze table t", None),
]


@pytest.mark.parametrize(("query", "expected"), DDL)
def test_a_statement_has_this_type_or_no_message(query: str, expected: Statement | None) -> None:
    assert statement(query) == expected


def test_a_ddl_message_has_the_statement_and_no_rows() -> None:
    [data] = write(DdlEvent("test", "t", "truncate table t", source=POSITION))
    assert data == (
        b'{"data":null,"database":"test","es":1639633141000,"gtid":"","id":7,"isDdl":true,"mysqlType":null,"old":null,'
        b'"pkNames":null,"sql":"truncate table t","sqlType":null,"table":"t","ts":1639633142960,"type":"TRUNCATE"}'
    )
    [data] = write(DdlEvent("test", "t", "create table t (a int invisible)", source=POSITION))
    assert (tree_of(data)["database"], tree_of(data)["table"]) == ("", "")
    assert write(DdlEvent("test", "v", "create view v as select 1", source=POSITION)) == []


def test_the_table_after_a_statement_is_in_force_for_the_rows_after_it() -> None:
    table = table_of("smallint")
    data = write(
        DdlEvent("test", "tp_int", "alter table tp_int add a int", table_after=table, source=POSITION),
        row_event("insert", after={"c": "1"}, table=table),
    )
    assert tree_of(data[1])["mysqlType"] == {"c": "smallint"}
    assert TP_INT.id == table.id
