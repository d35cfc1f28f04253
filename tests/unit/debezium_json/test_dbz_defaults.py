"""Defaults of columns at the edges of their forms: in the schema, and in place of NULL.  [DBZ-140, DBZ-162]"""

from __future__ import annotations

import pytest

from reference_impl.errors import Rejected
from reference_impl.profiles import NEWARCH
from tests.unit.debezium_json.messages import field_and_value, one_column

# Column type, default, `default` of the schema of a nullable column, what NULL is written as.
NULLABLE: list[tuple[str, str, str | None, str]] = [
    *((word, "-5", "-5", "-5") for word in ("tinyint", "smallint", "mediumint", "int", "bigint")),
    ("int", "x", None, "null"),
    ("int", "1_0", None, "null"),
    ("bigint", "9223372036854775807", "9223372036854776000", "9223372036854775807"),
    ("bigint", "-9223372036854775808", "-9223372036854776000", "-9223372036854775808"),
    ("bigint unsigned", "9223372036854775807", "9223372036854776000", "9223372036854775807"),
    ("bigint unsigned", "9223372036854775808", "9223372036854776000", "-9223372036854775808"),
    ("decimal(10,2)", "1.10", "1.1", "1.1"),
    ("decimal(10,2)", "x", None, "null"),
    *(("double", text, number, number) for text, number in (("1e2", "100"), ("-1.5E+2", "-150"), ("+5", "5"))),
    *((word, "1e400", None, "null") for word in ("double", "float")),
    ("float", "0.1", "0.1", "0.1"),
    ("float", "16777217", "16777217", "16777216"),
    ("date", "x", None, "null"),
    ("date", "1970-01-01", "0", "0"),
    ("datetime", "x", "0", "0"),
    ("datetime", "2020-00-10 00:00:00", "0", "0"),
    ("datetime", "0000-00-00 01:02:03", None, "null"),
    ("datetime(3)", "2024-01-01 00:00:00.123", "1704067200123", "1704067200123"),
    ("datetime(4)", "2024-01-01 00:00:00.1234", "1704067200123400", "1704067200123400"),
    *(
        ("year", text, in_schema, text)
        for text, in_schema in (("0", "2000"), ("69", "2069"), ("70", "1970"), ("99", "1999"), ("100", "100"))
    ),
    ("year", "x", None, "null"),
    ("time", "-00:00:01", "-1000000", "-1000000"),
    ("time", "838:59:59", "3020399000000", "3020399000000"),
    ("time(6)", "00:00:00.000001", "1", "1"),
    ("time(6)", "00:00:00.1234567", None, "null"),
    ("time", "x", None, "null"),
    ("bit(1)", "0", "false", "false"),
    ("bit(8)", "255", '"/w=="', '"/w=="'),
    ("bit(9)", "511", '"/wE="', '"/wE="'),
    *(("bit(9)", text, None, "null") for text in ("x", "-1", "512", "65536")),
    *((kind, digits, None, "null") for kind, digits in (("bigint", "9" * 5000), ("time", "9" * 5000 + ":00:00"))),
    *(("double", text, None, "null") for text in ("x", "1e400", "1e9999999999")),
    ("double", ".5", "0.5", "0.5"),
    ("enum('a','b')", "b", '"b"', '"b"'),
    ("enum('a','b')", "x", '"x"', '""'),
    ("set('a','b')", "b,a", '"b,a"', '"b,a"'),
    ("set('a','b')", "a,x", '"a,x"', '""'),
    ("json", "[1]", '"[1]"', '"[1]"'),
    ("vector", "[1]", '"[1]"', '"[1]"'),
    *((word, 'a"b', '"a\\"b"', '"a\\"b"') for word in ("char(9)", "varchar(9)", "tinytext", "text", "longtext")),
    *((word, "é", '"é"', '"w6k="') for word in ("varbinary(8)", "tinyblob", "blob", "mediumblob", "longblob")),
]


@pytest.mark.parametrize(("kind", "default", "in_schema", "for_null"), NULLABLE)
def test_a_default_of_a_nullable_column(kind: str, default: str, in_schema: str | None, for_null: str) -> None:
    schema, text = field_and_value(one_column(kind, default=default), None)
    assert schema.partition('"field":"c"')[2] == ("}" if in_schema is None else f',"default":{in_schema}}}')
    assert text == for_null


# Column type, default, `default` of the schema of a column that is not nullable.
NOT_NULL: list[tuple[str, str, str]] = [
    ("date", "x", "0"),
    ("date", "0000-00-00", "0"),
    ("date", "2020-02-30", "0"),
    ("datetime", "x", "0"),
    ("datetime", "0000-00-00 01:02:03", "0"),
    ("timestamp", "0000-00-00 00:00:00", '"1970-01-01T00:00:00Z"'),
    ("timestamp(3)", "2024-01-01 00:00:00.120", '"2024-01-01T00:00:00.120Z"'),
]


@pytest.mark.parametrize(("kind", "default", "in_schema"), NOT_NULL)
def test_a_default_of_a_column_that_is_not_nullable(kind: str, default: str, in_schema: str) -> None:
    table = one_column(kind, nullable=False, default=default)
    assert field_and_value(table, None)[0].partition('"field":"c"')[2] == f',"default":{in_schema}}}'


# Column type, default, what stands for NULL with the defect and without it.
DEFECTS: list[tuple[str, str, str, str, str]] = [
    ("doubled-binary-default", "blob", "x", '"eA==","c":"x"', '"eA=="'),
    ("doubled-binary-default", "varchar(5)", "x", '"x"', '"x"'),
    ("large-default-as-zero", "bigint unsigned", "9223372036854775807", "9223372036854775807", "9223372036854775807"),
    ("large-default-as-zero", "bigint unsigned", "9223372036854775808", "0", "-9223372036854775808"),
    ("time-default-as-zero", "time", "00:00:01", "0", "1000000"),
    ("year-default-as-text", "year", "1970", '"1970"', "1970"),
]


@pytest.mark.parametrize(("name", "kind", "default", "wrong", "right"), DEFECTS)
def test_a_defect_changes_what_stands_for_null(name: str, kind: str, default: str, wrong: str, right: str) -> None:
    table = one_column(kind, default=default)
    assert field_and_value(table, None, profile=NEWARCH)[1] == right
    assert field_and_value(table, None, profile=NEWARCH, defects=frozenset({f"debezium/{name}"}))[1] == wrong


@pytest.mark.parametrize("kind", ["blob", "text"])
def test_a_default_of_half_a_character_is_refused(kind: str) -> None:
    with pytest.raises(Rejected, match=r"U[+]D800 stands alone"):
        field_and_value(one_column(kind, default="\ud800"), None)
