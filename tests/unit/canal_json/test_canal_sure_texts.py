"""Which texts of a column are values at the first look, and what a value that is refused or read at its limit is."""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.canal_json.texts import quick_test, reader, writer
from reference_impl.canal_json.types import read_mysql_type
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import Index, Mask

_DAY = "2024-01-01 "

# mysqlType, texts that are surely values, texts that need a second look or are none.
SURE: list[tuple[str, list[str], list[str]]] = [
    (
        "tinyint",
        ["0", "1", "9", "10", "99", "100", "127", "-1", "-127"],
        ["128", "200", "-0", "00", "01", "", "x", "1 "],
    ),
    ("smallint", ["32767", "-32767", "29999", "9999"], ["32768", "33000", "40000", "100000"]),
    ("mediumint", ["8388607", "-8388607", "8299999"], ["8388608", "9000000", "10000000"]),
    ("int", ["2147483647", "-2147483647", "1999999999"], ["2147483648", "2147483700", "3000000000", "+1", "1.0"]),
    ("bigint", ["9223372036854775807", "-9223372036854775807"], ["9223372036854775808", "10000000000000000000"]),
    ("tinyint unsigned", ["0", "127"], ["-1", "-0", "128", "255"]),
    ("smallint unsigned", ["32767"], ["-1", "32768", "65535"]),
    ("int unsigned", ["2147483647"], ["-1", "2147483648", "4294967295"]),
    ("bigint unsigned", ["9223372036854775807"], ["-1", "9223372036854775808"]),
    (
        "decimal",
        ["0", "1", "-1", "10", "1.5", "0.0", "1" * 35, "0." + "1" * 30, "-" + "9" * 35 + ".5"],
        ["1" * 36, "0." + "1" * 31, "01", ".5", "1.", "1e3", ""],
    ),
    ("decimal unsigned", ["0", "1.5"], ["-1", "-0.5"]),
    ("decimal(5,2)", ["0.00", "9.99", "999.99", "-999.99"], ["999.9", "999.999", "1000.00", "1", "01.00"]),
    ("decimal(5,2) unsigned", ["999.99"], ["-999.99"]),
    ("decimal(5)", ["0", "99999", "-99999"], ["100000", "1.0", "1."]),
    ("decimal(5,0)", ["0", "99999"], ["100000", "1.0"]),
    ("decimal(2,2)", ["0.99", "-0.99"], ["1.00", "9.99"]),
    ("decimal(3,2)", ["0.99", "9.99"], ["10.00"]),
    *(
        (word, ["0", "1.5", "-1.5", "9" * 30, "0." + "1" * 30], ["9" * 31, "0." + "1" * 31, "1e3", "NaN", "1.", ""])
        for word in ("float", "double", "float(10,3)")
    ),
    ("float unsigned", ["0", "1.5"], ["-1.5"]),
    ("double unsigned", ["0", "1.5"], ["-1.5"]),
    (
        "date",
        ["0000-00-00", "2024-12-31", "2024-09-29", "2024-10-30", "9999-11-19"],
        ["2024-13-01", "2024-20-01", "2024-01-32", "2024-01-40", "2024-1-01", "24-01-01"],
    ),
    *(
        (
            word,
            [_DAY + time for time in ("00:00:00", "19:59:59", "23:59:59", "00:00:00.1", "00:00:00.123456")],
            [
                *(_DAY + time for time in ("24:00:00", "30:00:00", "00:60:00", "00:00:60", "00:00:00.1234567")),
                *("2024-01-01", "2024-01-01T00:00:00", "2024-13-01 00:00:00"),
            ],
        )
        for word in ("datetime", "timestamp")
    ),
    ("datetime(3)", [_DAY + "00:00:00.123"], [_DAY + "00:00:00", _DAY + "00:00:00.12", _DAY + "00:00:00.1234"]),
    ("timestamp(1)", [_DAY + "00:00:00.1"], [_DAY + "00:00:00"]),
    (
        "time",
        ["00:00:00", "-99:59:59", "12:34:56.1", "12:34:56.123456"],
        ["100:00:00", "1:00:00", "00:60:00", "00:00:60", "00:00:00.1234567"],
    ),
    ("time(2)", ["00:00:00.12"], ["00:00:00", "00:00:00.1"]),
    ("year", ["1910", "1999", "2000", "2099"], ["1900", "1909", "2100", "2200", "0", "0000", "99"]),
    ("year(4)", ["1910"], ["0"]),
    ("varchar", ["", "a\nb", "x" * 1000], []),
    ("varchar(2)", ["", "ab", "\n\n"], ["abc"]),
    ("char(1)", ["", "a"], ["ab"]),
    *((word, ["", "a\nb"], []) for word in ("char", "tinytext", "text", "mediumtext", "longtext")),
]


@pytest.mark.parametrize(("mysql_type", "sure", "open_"), SURE)
def test_the_quick_test_of_a_type_knows_plain_values_and_nothing_else(
    mysql_type: str, sure: list[str], open_: list[str]
) -> None:
    declared = read_mysql_type(mysql_type)
    test = quick_test(declared.column_type, declared.exact)
    assert test is not None
    assert [text for text in sure if not test(text)] == []
    assert [text for text in open_ if test(text)] == []
    assert [reader(declared.column_type, declared.exact)(text) for text in sure] == sure


@pytest.mark.parametrize(
    "word", ["bit", "enum", "set", "binary", "varbinary", "tinyblob", "longblob", "json", "vector"]
)
def test_a_type_whose_values_are_more_than_their_text_has_no_quick_test(word: str) -> None:
    declared = read_mysql_type(word)
    assert quick_test(declared.column_type, declared.exact) is None


# mysqlType, text, value: at the limit of what the type may hold.  [CJ-380 … CJ-402]
AT_THE_LIMIT: list[tuple[str, str, Any]] = [
    ("decimal", "9" * 65, "9" * 65),
    ("decimal", "0." + "1" * 30, "0." + "1" * 30),
    ("decimal(65,30)", "9" * 35 + "." + "9" * 30, "9" * 35 + "." + "9" * 30),
    ("float unsigned", "-0", "-0"),
    ("float unsigned", "-0.0", "-0.0"),
    ("varchar(2)", "ab", "ab"),
    ("varbinary(2)", "ÿþ", b"\xff\xfe"),
    ("binary(2)", "ab", b"ab"),
    ("tinyblob", "abc", b"abc"),
    ("bit(8)", "255", "255"),
    ("enum", "1", Index(1)),
    ("enum", "65535", Index(65535)),
    ("enum('a','b')", "1", "a"),
    ("enum('a','b')", "2", "b"),
    ("set", "18446744073709551615", Mask(2**64 - 1)),
    ("set('a','b')", "1", "a"),
    ("set('a','b')", "2", "b"),
    ("set('a','b')", "3", "a,b"),
    ("year", "1901", "1901"),
    ("year", "2155", "2155"),
    ("time", "838:59:59.000000", "838:59:59.000000"),
]


@pytest.mark.parametrize(("mysql_type", "text", "value"), AT_THE_LIMIT)
def test_the_last_value_of_a_type_is_read(mysql_type: str, text: str, value: Any) -> None:
    declared = read_mysql_type(mysql_type)
    assert reader(declared.column_type, declared.exact)(text) == value


# mysqlType, text, class, words.
REFUSED: list[tuple[str, str, str, str]] = [
    ("int unsigned", "-1", "range", "-1 is outside int unsigned"),
    ("float unsigned", "-0.5", "range", "-0.5 is outside float unsigned"),
    ("decimal", "0." + "1" * 31, "range", "0." + "1" * 31 + " has more than 30 fractional digits"),
    ("varchar(2)", "abc", "range", "3 characters in a varchar(2)"),
    ("varbinary(2)", "abc", "range", "3 bytes in a varbinary(2)"),
    ("varbinary(2)", "aĀ", "type", "U+0100 in a varbinary(2) is beyond a byte"),
    ("enum", "a", "type", "'a' is not the number of a member of an enum"),
    ("set", "01", "type", "'01' is not the number of a member of an set"),
    ("enum", "65536", "range", "65536 is beyond the members of enum"),
    ("enum('a','b')", "3", "range", "3 is beyond the members of enum('a','b')"),
    ("set('a','b')", "4", "range", "4 is beyond the members of set('a','b')"),
    ("set", "18446744073709551616", "range", "18446744073709551616 is beyond the members of set"),
    ("set", "1" * 21, "range", "1" * 21 + " is beyond the members of set"),
]


@pytest.mark.parametrize(("mysql_type", "text", "reason", "words"), REFUSED)
def test_a_text_that_is_no_value_is_refused_in_words(mysql_type: str, text: str, reason: str, words: str) -> None:
    declared = read_mysql_type(mysql_type)
    with pytest.raises(Rejected) as caught:
        reader(declared.column_type, declared.exact)(text)
    assert (caught.value.reason, caught.value.message) == (reason, words)


@pytest.mark.parametrize(
    ("column_type", "value"),
    [
        *((word, 1) for word in ("int", "text", "binary(1)", "float", "double", "vector", "json", "date")),
        *(("float", text) for text in ("x", "1e39", "")),
        *(("double", text) for text in ("x", "1e309")),
        ("binary(1)", "a"),
        ("char(1)", b"a"),
    ],
)
def test_a_value_that_cannot_be_written_is_named_with_its_column_type(column_type: str, value: Any) -> None:
    with pytest.raises(Rejected) as caught:
        writer(parse_column_type(column_type))(value)
    assert (caught.value.reason, caught.value.message) == (
        "type",
        f"{value!r} is not a value of a {column_type} column",
    )


def test_a_vector_element_beyond_32_bits_is_out_of_range() -> None:
    with pytest.raises(Rejected) as caught:
        writer(parse_column_type("vector"))("[1e39]")
    assert (caught.value.reason, caught.value.message) == ("range", "1E+39 is outside vector")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("[]", "[]"),
        ("[1, 2.50, -0.0]", "[1,2.5,-0]"),
        ("[0.1, 16777217, 1e10]", "[0.1,16777216,10000000000]"),
        ("[0.30000001192092896]", "[0.3]"),
        ("[1" + "0" * 30 + "]", "[1" + "0" * 30 + "]"),
    ],
)
def test_the_elements_of_a_vector_are_written_as_floats_of_32_bits(value: str, text: str) -> None:
    assert writer(parse_column_type("vector"))(value) == text
