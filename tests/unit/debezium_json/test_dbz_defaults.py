"""Defaults of columns at the edges of their forms: in the schema, and in place of NULL.  [DBZ-140, DBZ-162]"""

from __future__ import annotations

import pytest

from reference_impl.errors import Rejected
from reference_impl.model import ABSENT, Default, Expression
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
    *((kind, False, "x", "0", None) for kind in ("date", "datetime")),
    ("date", False, "2020-02-30", "0", None),
    ("datetime", False, "0000-00-00 01:02:03", "0", None),
    ("timestamp(3)", False, "2024-01-01 00:00:00.120", '"2024-01-01T00:00:00.120Z"', None),
    *(
        (kind, nullable, Expression(now), in_schema, for_null)
        for now in ("CURRENT_TIMESTAMP", "now(6)", "CURRENT_TIMESTAMP(6)")
        for kind, nullable, in_schema, for_null in (
            ("timestamp", True, None, "null"),
            ("timestamp(6)", False, '"1970-01-01T00:00:00Z"', None),
            ("datetime", True, "0", "0"),
            ("datetime(6)", False, "0", None),
        )
    ),
    ("varchar(40)", True, Expression("uuid()"), '"uuid()"', '"uuid()"'),
    *((word, True, Expression("uuid()"), None, "null") for word in ("int", "time", "year")),
    *((kind, True, default, in_schema, for_null) for kind, default, in_schema, for_null in NULLABLE),
]


@pytest.mark.parametrize(("kind", "nullable", "default", "in_schema", "for_null"), DEFAULTS)
def test_a_default_stands_in_the_schema_and_in_place_of_null(
    kind: str, nullable: bool, default: Default, in_schema: str | None, for_null: str | None
) -> None:
    table = one_column(kind, nullable=nullable, default=default)
    schema, text = field_and_value(table, None)
    assert schema.partition('"field":"c"')[2] == ("}" if in_schema is None else f',"default":{in_schema}}}')
    assert for_null in (None, text)


@pytest.mark.parametrize("kind", ["blob", "text"])
def test_a_default_of_half_a_character_is_refused(kind: str) -> None:
    with pytest.raises(Rejected, match=r"U[+]D800 stands alone"):
        field_and_value(one_column(kind, default="\ud800"), None)
