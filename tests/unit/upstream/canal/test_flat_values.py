"""Values of Canal's flat message, their codes, and the types that columns are told to have, as tables of data.

The expectations are those of the rules and of what Canal 1.1.7 was recorded to write.
"""

from __future__ import annotations

import pytest

from conformance.ddl import tables_of_sql
from reference_impl.errors import Rejected
from reference_impl.model import Index, RawText, Value
from reference_impl.upstream.canal.types import mysql_type, read_mysql_type
from tests.unit.upstream.canal.flat_messages import options, row_event, shown, table_of, text_of, tree_of, write

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


@pytest.mark.parametrize("shown_type", [r"enum('\\')", r"enum('a\b','c\d')", r"set('it''s','\\\\')"])
def test_a_type_in_a_message_is_written_again_with_every_backslash(shown_type: str) -> None:
    for declared in (True, False):
        assert mysql_type(read_mysql_type(shown_type), "utf8mb4", options(), declared=declared) == shown_type


def test_members_of_a_statement_are_written_as_the_server_stores_them() -> None:
    [table] = tables_of_sql(r"CREATE TABLE s.t (e enum('a\\\\b','c\\d','it\'s'))", "script")
    assert mysql_type(table.columns[0].type, "utf8mb4", options(), declared=True) == r"enum('a\\b','c\d','it''s')"


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
