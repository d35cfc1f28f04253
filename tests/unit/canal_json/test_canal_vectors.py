"""Worked values, types and texts of TiCDC's Canal-JSON, as tables of data.

Numbers in the first column are those of the test vectors: TV-0xx values, TV-1xx types, TV-4xx texts.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.canal_json.texts import literal
from reference_impl.canal_json.types import mysql_type, read_mysql_type
from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, RawText, RowChange, Table, Value
from tests.unit.canal_json.messages import text_of, write

_CHINESE = "测试Varchar"
_LATIN1 = _CHINESE.encode().decode("latin-1")

VALUES: list[tuple[int, str, Value, str, int, str | None]] = [
    (9, "smallint unsigned", None, "smallint unsigned", 5, None),
    (12, "mediumint unsigned", None, "mediumint unsigned", 4, None),
    (16, "int unsigned", None, "int unsigned", 4, None),
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
    (35, "year(4)", "2020", "year", 12, "2020"),
    (40, "vector(5)", "[1,2,3,4,5]", "vector", 12, "[1,2,3,4,5]"),
    (43, "smallint", "-1", "smallint", 5, "-1"),
    (44, "float", "153.123", "float", 7, "153.123"),
    (44, "double", "153.123", "double", 8, "153.123"),
    (49, "bit(10)", "81", "bit", -7, "81"),
    (51, "set('a','b','c')", "b", "set", -7, "2"),
    (52, "tinyblob", bytes.fromhex("89504E470D0A1A0A"), "tinyblob", 2004, "\x89PNG\r\n\x1a\n"),
    (55, "blob", bytes.fromhex("255044462D312E34"), "blob", 2004, "%PDF-1.4"),
    (61, "varchar(10)", "", "varchar", 12, ""),
    (61, "varbinary(10)", b"", "varbinary", 2004, ""),
    (63, "bit(10)", "341", "bit", -7, "341"),
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
    ("float(10,0)", "float", "float"),
    ("double(10,0) unsigned", "double unsigned", "double unsigned"),
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
    ("char(0)", "char", "char(0)"),
    ("varbinary(0)", "varbinary", "varbinary(0)"),
    ("char(123)", "char", "char(123)"),
    ("varchar(123)", "varchar", "varchar(123)"),
    ("binary", "binary", "binary(1)"),
    ("binary(10)", "binary", "binary(10)"),
    ("varbinary(23)", "varbinary", "varbinary(23)"),
    *((word, word, word) for word in ("tinytext", "text", "longtext", "tinyblob", "blob", "longblob", "json")),
    ("enum('a', 'b', 'c')", "enum", "enum('a','b','c')"),
    ("set('a', 'b', 'c')", "set", "set('a','b','c')"),
    ("enum('it''s','a\\b')", "enum", "enum('it''s','a\\b')"),
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


@pytest.mark.parametrize(
    ("code", "is_byte"), [(0xDC7F, False), (0xDC80, True), (0xDCFF, True), (0xDD00, False), (0x7F, False)]
)
def test_a_byte_that_is_not_utf_8_arrives_as_one_of_128_surrogates(code: int, is_byte: bool) -> None:
    assert literal(chr(code)) == ('"\\ufffd"' if is_byte else f'"{chr(code)}"')


# A label, and how `mysqlType` writes it in content-compatible mode.  [CJ-377]
@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("a", "a"), ("it's", "it''s"), ("a\\b", "a\\b"), ("a\0b", "a\\0b"), ("a\nb", "a\\nb"), ("a\rb", "a\\rb"),
        ("a\tb", "a\tb"), ("a,b", "a,b"), ("a)b", "a)b"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("word", ["enum", "set"])
def test_a_label_is_escaped_in_mysql_type_and_read_again(word: str, label: str, text: str) -> None:
    kind = replace(parse_column_type(f"{word}('x','y')"), members=(label, "y"))
    written = mysql_type(kind, full=True)
    assert written == f"{word}('{text}','y')"
    assert read_mysql_type(written).column_type.members == (label, "y")


@pytest.mark.parametrize(
    ("text", "members"), [("enum('a\nb', 'c')", ("a\nb", "c")), ("set('\\n','\\x')", ("\n", "\\x"))]
)
def test_labels_of_a_mysql_type_may_have_other_blanks_and_any_backslash(text: str, members: tuple[str, ...]) -> None:
    assert read_mysql_type(text).column_type.members == members


def test_bytes_are_written_as_iso_8859_1_and_then_escaped() -> None:
    data = bytes([5, 7, 10, 15, 36, 50, 43, 99, 120, 60, 38, 255, 254, 45, 55, 70])
    table = Table("test", "t", (Column("c", parse_column_type("varbinary(16)")),))
    [value] = write(RowChange("insert", "test", "t", 1, after={"c": data}), tables=(table,))
    assert '"data":[{"c":"\\u0005\\u0007\\n\\u000f$2+cx\\u003c\\u0026ÿþ-7F"}]'.encode() in value
