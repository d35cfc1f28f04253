"""Readers of values by column type and form: the last value that a type holds, and the words of a refusal."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from decimal import Decimal
from typing import Any

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.debezium_json.readers import enum_reader, read_unknown, reader
from reference_impl.debezium_json.types import Form
from reference_impl.errors import Rejected
from reference_impl.model import Index, Value
from reference_impl.upstream.debezium.readers import read_unknown as read_unknown_of_debezium

UNKNOWN = [read_unknown, read_unknown_of_debezium]
NEAR = False
EXACT = True

# Column type, whether its length and scale are known, form, what stands in the payload, value.
READ: list[tuple[str, bool, Form, Any, Value]] = [
    ("bit(1)", EXACT, Form.BOOLEAN, True, "1"),
    ("bit(1)", EXACT, Form.BOOLEAN, False, "0"),
    ("tinyint(1)", NEAR, Form.BOOLEAN, True, "1"),
    ("tinyint(1)", NEAR, Form.BOOLEAN, False, "0"),
    ("tinyint", NEAR, Form.INT16, -128, "-128"),
    ("tinyint", NEAR, Form.INT16, 127, "127"),
    ("tinyint unsigned", NEAR, Form.INT16, 255, "255"),
    ("smallint unsigned", NEAR, Form.INT32, 65535, "65535"),
    ("int unsigned", NEAR, Form.INT32, -1, "4294967295"),
    ("int unsigned", NEAR, Form.INT32, -(2**31), "2147483648"),
    ("int unsigned", NEAR, Form.INT64, 2**32 - 1, "4294967295"),
    ("bigint unsigned", NEAR, Form.INT64, -1, "18446744073709551615"),
    ("bigint unsigned", NEAR, Form.INT64, -(2**63), "9223372036854775808"),
    ("bigint unsigned", NEAR, Form.INT64, 0, "0"),
    ("bigint unsigned", NEAR, Form.INT64, 2**64 - 1, "18446744073709551615"),
    ("bigint", NEAR, Form.INT64, -(2**63), "-9223372036854775808"),
    ("bigint unsigned", NEAR, Form.DECIMAL, "AP//////////", "18446744073709551615"),
    ("bigint unsigned", NEAR, Form.DECIMAL, "AQ==", "1"),
    ("float", NEAR, Form.FLOAT, 3, "3"),
    ("float", NEAR, Form.FLOAT, -0.0, "-0.0"),
    ("float unsigned", NEAR, Form.FLOAT, -0.0, "-0.0"),
    ("double", NEAR, Form.DOUBLE, Decimal("1.50"), "1.5"),
    ("double", NEAR, Form.DOUBLE, 1.7976931348623157e308, "1.7976931348623157e+308"),
    ("decimal(5,2)", EXACT, Form.DOUBLE, 999.99, "999.99"),
    ("decimal(5,2)", EXACT, Form.DOUBLE, -999.99, "-999.99"),
    ("decimal(5,2)", EXACT, Form.DOUBLE, 1, "1.00"),
    ("decimal(5,2)", EXACT, Form.DOUBLE, 1.5, "1.50"),
    ("decimal(5,2)", EXACT, Form.DOUBLE, -0.0, "0.00"),
    ("decimal(5,2) unsigned", EXACT, Form.DOUBLE, 0, "0.00"),
    ("decimal", EXACT, Form.DOUBLE, 9999999999, "9999999999"),
    ("decimal(3)", EXACT, Form.DOUBLE, -0.0, "0"),
    ("decimal(20,0)", EXACT, Form.DOUBLE, 1e20, "100000000000000000000"),
    ("decimal", NEAR, Form.DOUBLE, -0.0, "0"),
    ("decimal", NEAR, Form.DOUBLE, -1.5, "-1.5"),
    ("decimal", NEAR, Form.DOUBLE, 1.5, "1.5"),
    ("decimal", NEAR, Form.DOUBLE, 1e22, "1" + "0" * 22),
    ("decimal", NEAR, Form.STRING, "-1.50", "-1.50"),
    ("decimal", NEAR, Form.STRING, "9" * 65, "9" * 65),
    ("decimal", NEAR, Form.STRING, "9" * 35 + "." + "9" * 30, "9" * 35 + "." + "9" * 30),
    ("decimal(5,2)", EXACT, Form.STRING, "1.50", "1.50"),
    ("decimal(5,2)", EXACT, Form.DECIMAL, "AJY=", "1.50"),
    ("decimal(5,2)", EXACT, Form.DECIMAL, "AQ==", "0.01"),
    ("decimal(5,2)", EXACT, Form.DECIMAL, "/w==", "-0.01"),
    ("decimal(5)", EXACT, Form.DECIMAL, "AJY=", "150"),
    ("decimal(5)", EXACT, Form.DECIMAL, "AA==", "0"),
    ("bit(10)", EXACT, Form.BITS, "/wM=", "1023"),
    ("bit(9)", EXACT, Form.BITS, "AQE=", "257"),
    ("bit(8)", EXACT, Form.BITS, "/w==", "255"),
    ("varchar(2)", EXACT, Form.STRING, "ab", "ab"),
    ("varchar(2)", NEAR, Form.STRING, "abc", "abc"),
    ("text", EXACT, Form.STRING, "abc", "abc"),
    ("varbinary(2)", EXACT, Form.STRING, "/+8=", b"\xff\xef"),
    ("varbinary(2)", EXACT, Form.STRING, "_-8=", b"\xff\xef"),
    ("varbinary(2)", NEAR, Form.STRING, "YWJj", b"abc"),
    ("blob", EXACT, Form.BYTES, "YWJj", b"abc"),
    ("geometry", NEAR, Form.GEOMETRY, {"wkb": "YQ==", "srid": None}, b"a"),
    ("enum('a','b,c')", EXACT, Form.ENUM, "a", "a"),
    ("enum('a','b,c')", EXACT, Form.ENUM, "b,c", "b,c"),
    ("enum('a','b,c')", EXACT, Form.ENUM, "b\\,c", "b,c"),
    ("enum('a','b,c')", EXACT, Form.ENUM, "", Index(0)),
    ("enum('a','')", EXACT, Form.ENUM, "", ""),
    ("set('a','b')", EXACT, Form.SET, "a,b", "a,b"),
    ("set('a','b')", EXACT, Form.SET, "", ""),
    ("json", EXACT, Form.JSON, "[1]", "[1]"),
    ("vector", NEAR, Form.VECTOR, "[1,2]", "[1,2]"),
    ("vector", NEAR, Form.FLOATS, [1, 2.5], "[1,2.5]"),
    ("vector", NEAR, Form.FLOATS, [], "[]"),
    ("vector", NEAR, Form.FLOATS, [0.10000000149011612, 16777217], "[0.1,16777216]"),
    ("date", EXACT, Form.DATE, 0, "1970-01-01"),
    ("date", EXACT, Form.DATE, 2932896, "9999-12-31"),
    ("datetime(3)", EXACT, Form.MILLIS, 1, "1970-01-01 00:00:00.001"),
    ("datetime", EXACT, Form.MILLIS, 1000, "1970-01-01 00:00:01"),
    ("datetime(6)", EXACT, Form.MICROS, 1, "1970-01-01 00:00:00.000001"),
    ("datetime(3)", EXACT, Form.CONNECT_TIMESTAMP, 1, "1970-01-01 00:00:00.001"),
    ("datetime(3)", NEAR, Form.MICROS, 1, "1970-01-01 00:00:00.000001"),
    ("time(6)", EXACT, Form.TIME, 1, "00:00:00.000001"),
    ("time(3)", EXACT, Form.CONNECT_TIME, 1, "00:00:00.001"),
    ("time", EXACT, Form.TIME, 1000000, "00:00:01"),
    ("timestamp", EXACT, Form.ZONED, "1970-01-01T00:00:01Z", "1970-01-01 00:00:01"),
    ("timestamp(2)", EXACT, Form.ZONED, "1970-01-01T00:00:01.10Z", "1970-01-01 00:00:01.10"),
    ("year", EXACT, Form.YEAR, 2155, "2155"),
    ("year", EXACT, Form.YEAR, 1901, "1901"),
    ("year", EXACT, Form.YEAR, "2024", "2024"),
]


@pytest.mark.parametrize(("kind", "exact", "form", "given", "value"), READ)
def test_a_value_is_read_by_its_type_and_form(kind: str, exact: bool, form: Form, given: Any, value: Value) -> None:
    assert reader(parse_column_type(kind), exact, form, UTC)(given) == value


def no_value(kind: str, given: Any) -> str:
    return f"{str(given)[:60]!r} is not a value of a {kind} column"


# As above, with the class and the words of the refusal.
REFUSED: list[tuple[str, bool, Form, Any, str, str]] = [
    *(
        (kind, NEAR, form, given, "type", no_value(kind, given))
        for kind, form, given in (
            *(("bit(1)", Form.BOOLEAN, given) for given in (1, "true", None)),
            *(("tinyint(1)", Form.BOOLEAN, given) for given in (1, "true")),
            *(("int", Form.INT32, given) for given in (True, 1.0, "1", [])),
            *(("bigint", Form.DECIMAL, given) for given in (1, "?", "YQ")),
            *(("double", Form.DOUBLE, given) for given in (True, "1", [])),
            *(("decimal(10,0)", Form.DOUBLE, given) for given in (True, "1")),
            *(("decimal(10,0)", Form.STRING, given) for given in (1, True)),
            *(("decimal(10,0)", Form.DECIMAL, given) for given in (1, "?")),
            *(("bit(8)", Form.BITS, given) for given in (1, "?", "YW==Jj", "YQ==!")),
            *(("text", Form.STRING, given) for given in (1, True, [])),
            *(("blob", Form.STRING, given) for given in (1, "YQ", "YQ ==", "YQ==\n", "Y!Q==", "é")),
            *(("blob", Form.BYTES, given) for given in (1, "_w==", "-w==", "YQ ==")),
            *(("geometry", Form.GEOMETRY, given) for given in ("YQ==", {}, {"wkb": 1}, [])[:2]),
            *(("set('a')", Form.SET, given) for given in (1, [])),
            *(("enum('a')", Form.ENUM, given) for given in (1, True)),
            *(("json", Form.JSON, given) for given in (1, {}, [])),
            *(("vector", Form.VECTOR, given) for given in (1, [1])),
            *(("vector", Form.FLOATS, given) for given in ("[1]", {}, 1)),
            *(("date", Form.DATE, given) for given in ("1970-01-01", True, 1.0)),
            *(("datetime(3)", Form.MILLIS, given) for given in ("1", True, 1.0)),
            *(("time(6)", Form.TIME, given) for given in ("1", True, 1.0)),
            *(("timestamp", Form.ZONED, given) for given in (1, [])),
            *(("year", Form.YEAR, given) for given in (True, 1.0, [])),
            ("text", Form.STRING, list(range(100))),
        )
    ),
    ("geometry", NEAR, Form.GEOMETRY, {"wkb": 1}, "type", no_value("geometry", 1)),
    ("vector", NEAR, Form.FLOATS, ["1"], "type", no_value("vector", "1")),
    ("vector", NEAR, Form.FLOATS, [1e39], "range", "1e+39 is outside vector"),
    ("vector", NEAR, Form.FLOATS, [10**400], "range", f"{10**400} is outside vector"),
    *(
        (kind, NEAR, form, given, "range", f"{given} is outside {kind}")
        for kind, form, given in (
            *(("tinyint", Form.INT16, given) for given in (-129, 128)),
            *(("tinyint unsigned", Form.INT16, given) for given in (-1, 256)),
            *(("smallint unsigned", Form.INT32, given) for given in (-1, 65536)),
            *(("int unsigned", Form.INT32, given) for given in (-(2**31) - 1, 2**32)),
            *(("int unsigned", Form.INT64, given) for given in (-1, 2**32)),
            *(("bigint unsigned", Form.INT64, given) for given in (-(2**63) - 1, 2**64)),
            *(("bigint", Form.INT64, given) for given in (-(2**63) - 1, 2**63)),
            *(("double", Form.DOUBLE, given) for given in (Decimal("1e400"), Decimal("-1e400"))),
            *(("decimal(10,0) unsigned", Form.DOUBLE, given) for given in (-1, -0.5)),
        )
    ),
    ("bigint unsigned", NEAR, Form.DECIMAL, "/w==", "range", "-1 is outside bigint unsigned"),
    ("bigint", NEAR, Form.DECIMAL, "AIAAAAAAAAAA", "range", "9223372036854775808 is outside bigint"),
    ("float unsigned", NEAR, Form.FLOAT, -0.5, "range", "-0.5 is outside float unsigned"),
    ("decimal(5,2)", EXACT, Form.DOUBLE, 1000, "range", "1000 is outside decimal(5,2)"),
    ("decimal(5,2)", EXACT, Form.DOUBLE, -1000, "range", "-1000 is outside decimal(5,2)"),
    ("decimal(10,0)", EXACT, Form.DOUBLE, 10**10, "range", f"{10**10} is outside decimal(10,0)"),
    ("decimal(5,2)", EXACT, Form.DOUBLE, 1.001, "type", "1.001 has more than the 2 fractional digits of decimal(5,2)"),
    ("decimal(5)", EXACT, Form.DOUBLE, 1.5, "type", "1.5 has more than the 0 fractional digits of decimal(5)"),
    ("decimal", NEAR, Form.STRING, "9" * 66, "range", "9" * 66 + " is outside decimal"),
    ("decimal", NEAR, Form.DOUBLE, 10**400, "range", f"{10**400} is outside decimal"),
    *(
        (kind, NEAR, Form.DECIMAL, "f" * 4000, "range", "a decimal of 3000 bytes has more than 65 digits")
        for kind in ("decimal", "bigint unsigned")
    ),
    (*("datetime(3)", EXACT, Form.MILLIS, 10**4299), *("range", "a huge number of microseconds since 1970 is no date")),
    (
        *("time(3)", EXACT, Form.CONNECT_TIME, 10**4299),
        *("range", "a huge number of microseconds is outside -838:59:59 to 838:59:59"),
    ),
    ("bit(9)", EXACT, Form.BITS, "AQ==", "type", "1 bytes in a bit(9)"),
    ("bit(9)", EXACT, Form.BITS, "AAI=", "range", "512 is outside bit(9)"),
    ("varchar(2)", EXACT, Form.STRING, "abc", "range", "3 characters in a varchar(2)"),
    ("varbinary(2)", EXACT, Form.STRING, "YWJj", "range", "3 bytes in a varbinary(2)"),
    ("enum('a','b,c')", EXACT, Form.ENUM, "c", "range", "'c' is not a member"),
    ("enum('a','b,c')", EXACT, Form.ENUM, "a\\,", "range", "'a\\\\,' is not a member"),
]


@pytest.mark.parametrize(("kind", "exact", "form", "given", "reason", "words"), REFUSED)
def test_what_is_no_value_is_refused_in_words(
    kind: str, exact: bool, form: Form, given: Any, reason: str, words: str
) -> None:
    with pytest.raises(Rejected) as caught:
        reader(parse_column_type(kind), exact, form, UTC)(given)
    assert (str(caught.value.reason), caught.value.message) == (reason, words)


@pytest.mark.parametrize(
    ("allowed", "given", "value"),
    [
        ("a,b", "a", "a"),
        ("a,b", "b", "b"),
        ("a,b", "", Index(0)),
        *(("a,,b", "", ""), ("a,", "", ""), ("it's,b\\,c", "it''s", "it''s"), ("it's,b\\,c", "b\\", "b\\")),
        ("a\\,b", "a,b", "a,b"),
        ("a\\,b", "a\\,b", "a,b"),
    ],
)
def test_a_label_is_read_by_what_the_schema_allows(allowed: str, given: str, value: Value) -> None:
    assert enum_reader(allowed)(given) == value


@pytest.mark.parametrize(
    ("given", "reason", "words"),
    [
        ("c", "range", "'c' is not a member"),
        ("a,b", "range", "'a,b' is not a member"),
        (1, "type", "'1' is not a label"),
        (list(range(100)), "type", f"{str(list(range(100)))[:60]!r} is not a label"),
    ],
)
def test_a_label_that_the_schema_does_not_allow_is_refused(given: Any, reason: str, words: str) -> None:
    with pytest.raises(Rejected) as caught:
        enum_reader("a,b")(given)
    assert (str(caught.value.reason), caught.value.message) == (reason, words)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (None, None),
        ("x", "x"),
        (True, "1"),
        (False, "0"),
        (7, "7"),
        (10**400, str(10**400)),
        (1.5, "1.5"),
        (-0.0, "-0.0"),
        *((Decimal("1.50"), "1.5"), (Decimal("1e308"), "1e+308")),
    ],
)
@pytest.mark.parametrize("read", UNKNOWN)
def test_a_value_that_nobody_describes_is_its_text(read: Callable[[Any], Value], given: Any, text: str | None) -> None:
    if given is not None or read is read_unknown:
        assert read(given) == text


@pytest.mark.parametrize(
    ("given", "reason", "words"),
    [
        (["a"], "type", "\"['a']\" is no value of a column"),
        ({}, "type", "'{}' is no value of a column"),
        (["x" * 100], "type", f"{str(['x' * 100])[:60]!r} is no value of a column"),
        *(
            (Decimal(text), "range", f"{Decimal(text)} is beyond a double")
            for text in ("1e400", "-1e309", "1e999999999")
        ),
    ],
)
@pytest.mark.parametrize("read", UNKNOWN)
def test_a_value_that_nobody_describes_may_be_none_of_a_column(
    read: Callable[[Any], Value], given: Any, reason: str, words: str
) -> None:
    with pytest.raises(Rejected) as caught:
        read(given)
    assert (str(caught.value.reason), caught.value.message) == (reason, words)
