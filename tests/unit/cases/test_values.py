"""Values of columns as texts: what every type of TiDB holds and what not, and which texts are one value."""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.column_types import Family, parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import Index, Mask, RawText
from reference_impl.values import check_text, from_wire, loosely_same_value, same_value, to_wire

# By type: what it holds, what is beyond it, what has not its form. The bounds are those of the MySQL manual.
TEXTS: list[tuple[str, list[str], list[str], list[str]]] = [
    ("tinyint", ["-128", "0", "127"], ["-129", "128"], ["", "1.0", "01", "+1", "-0", "x", " 1", "1\n", "١"]),
    ("tinyint unsigned", ["0", "255"], ["-1", "256"], ["-0"]),
    ("bool", ["0", "1", "127"], ["128"], ["true"]),
    ("smallint", ["-32768", "32767"], ["-32769", "32768"], []),
    ("smallint unsigned", ["0", "65535"], ["-1", "65536"], []),
    ("mediumint", ["-8388608", "8388607"], ["-8388609", "8388608"], []),
    ("mediumint unsigned", ["16777215"], ["16777216"], []),
    ("int", ["-2147483648", "2147483647"], ["-2147483649", "2147483648"], []),
    ("int(3)", ["2147483647"], ["2147483648"], []),
    ("int zerofill", ["4294967295"], ["-1"], ["0001"]),
    ("int unsigned", ["4294967295"], ["4294967296"], []),
    ("bigint", ["-9223372036854775808", "9223372036854775807"], ["-9223372036854775809", "9" * 5000], []),
    ("bigint unsigned", ["0", "18446744073709551615"], ["18446744073709551616", "-1"], []),
    ("serial", ["18446744073709551615"], ["-1"], []),
    ("bit(1)", ["0", "1"], ["2", "-1"], ["b'1'"]),
    ("bit(10)", ["1023"], ["1024"], []),
    ("bit(64)", ["18446744073709551615"], ["18446744073709551616"], []),
    ("decimal(5,2)", ["999.99", "-999.99", "-0.10"], ["1000.00", "-1000.00"], ["1", "1.5", "1.555", ".55", "1e2"]),
    ("decimal(5,2) unsigned", ["999.99"], ["-1.00"], []),
    ("decimal(3,3)", ["0.999"], ["1.000"], ["0.99"]),
    ("decimal", ["9999999999", "-9999999999"], ["10000000000"], ["1.0"]),
    ("decimal(65,30)", ["9" * 35 + "." + "9" * 30], ["9" * 36 + "." + "9" * 30], ["1.0"]),
    ("float", ["0.1", "3.4e38", "-3.4028235e+38", "1e-45", "1."], ["3.5e38", "-1e39"], ["x", "nan", "inf", ""]),
    ("float(24)", ["3.4e38"], ["3.5e38"], []),
    ("float(25)", ["3.5e38", "1.7e308"], ["1.8e308"], []),
    ("float(30,10)", ["1.5"], ["3.5e38"], []),
    ("double", ["1.7e308", "-0"], ["1.8e308", "-1e400"], ["0x1"]),
    ("year", ["0", "1901", "2155"], ["1900", "2156", "1", "-1"], ["00", "70.0", ""]),
    ("date", ["2024-02-30", "0000-00-00", "9999-12-31"], ["2024-13-01", "2024-01-32"], ["2024-1-1", "24-01-01", ""]),
    (
        "datetime",
        ["2024-01-02 23:59:59", "0000-00-00 00:00:00"],
        ["2024-01-02 24:00:00", "2024-01-02 00:60:00", "2024-01-02 00:00:60", "2024-13-02 00:00:00"],
        ["2024-01-02", "2024-01-02T00:00:00", "2024-01-02 00:00:00.0"],
    ),
    ("datetime(6)", ["2024-01-02 23:59:59.999999"], [], ["2024-01-02 23:59:59", "2024-01-02 23:59:59.99999"]),
    ("timestamp(3)", ["2024-01-02 03:04:05.678"], ["2024-01-02 25:04:05.678"], ["2024-01-02 03:04:05.67"]),
    ("time", ["838:59:59", "-838:59:59", "00:00:00"], ["839:00:00", "-839:00:00", "00:60:00", "00:00:60"], ["1:00:00"]),
    ("time(2)", ["838:59:59.00", "838:59:58.99"], ["838:59:59.01", "-838:59:59.10"], ["838:59:59", "--01:00:00.00"]),
    ("enum('a','b')", ["a", "b"], ["c", "A", "a,b", ""], []),
    ("set('a','b')", ["", "a", "a,b"], ["c", "a,c", "a,"], []),
    ("json", ['{"a": [1, null]}', "1", '"x"'], [], ["", "{", "{'a': 1}"]),
    ("vector(2)", ["[1,2]", "[0.5,-1e3]"], ["[1]", "[1,2,3]"], ["", "1,2", '["1","2"]', "[1,null]", '{"1":2}']),
    ("vector", ["[1]", "[1,2,3]", "[]", "[3.4028235e38]", "[-3.4028235e38]"], ["[1e39]", "[-1e39]"], ["[[1]]"]),
    ("varchar(3)", ["", "abc", "longer than it is declared"], [], []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        *((kind, text, None) for kind, held, _, _ in TEXTS for text in held),
        *((kind, text, "range") for kind, _, beyond, _ in TEXTS for text in beyond),
        *((kind, text, "type") for kind, _, _, formless in TEXTS for text in formless),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_type_holds_the_texts_of_its_form_inside_its_bounds(kind: str, text: str, reason: str | None) -> None:
    if reason is None:
        check_text(parse_column_type(kind), text)
        assert from_wire(parse_column_type(kind), text) == text
        return
    with pytest.raises(Rejected) as refused:
        check_text(parse_column_type(kind), text)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        ("int", None, None),
        ("binary(2)", "AGE=", b"\x00a"),
        ("blob", "", b""),
        ("varchar(2)", {"base64": "/w=="}, RawText(b"\xff")),
        ("enum('a','b')", {"index": "0"}, Index(0)),
        ("set('a','b')", {"mask": "3"}, Mask(3)),
    ],
)
def test_a_value_goes_to_the_wire_and_back(kind: str, given: Any, value: object) -> None:
    assert from_wire(parse_column_type(kind), given) == value
    assert to_wire(value) == given  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "given", "reason"),
    [
        ("int", 1, "schema"),
        ("int", True, "schema"),
        ("int", ["1"], "schema"),
        ("int", {"index": "1"}, "schema"),  # the number of a label, of a column without labels
        ("set('a')", {"index": "1"}, "schema"),
        ("enum('a')", {"mask": "1"}, "schema"),
        ("enum('a')", {"index": 1}, "schema"),
        ("enum('a')", {"index": "-1"}, "schema"),
        ("enum('a')", {"index": "1", "mask": "1"}, "schema"),
        ("enum('a')", {"number": "1"}, "schema"),
        ("int", {"base64": "AA=="}, "schema"),
        ("binary(2)", {"base64": "AA=="}, "schema"),
        ("binary(2)", "no base64", "type"),
        ("varchar(2)", {"base64": "AA"}, "type"),
    ],
)
def test_what_is_no_value_of_the_wire_is_refused(kind: str, given: Any, reason: str) -> None:
    with pytest.raises(Rejected) as refused:
        from_wire(parse_column_type(kind), given)
    assert refused.value.reason == reason


SAME: list[tuple[str, Any, Any]] = [
    ("int", "1", "1"),
    ("int", None, None),
    ("float", "0.1", "0.10000000149011612"),
    ("float", "1e2", "100"),
    ("double", "1e2", "100.0"),
    ("float", "0", "-0"),
    ("double", "0", "-0"),
    ("json", '{"a":1,"b":2}', '{"b": 2, "a": 1.0}'),
    ("vector(1)", "[0.1]", "[0.10000000149011612]"),
    ("enum('a','b')", "b", Index(2)),
    ("enum('a','b')", Index(1), "a"),
    ("set('a','b')", "a,b", Mask(3)),
    ("set('a','b')", Mask(0), ""),
    ("blob", b"a", b"a"),
]
LOOSELY: list[tuple[str, Any, Any]] = [
    ("decimal(5,2)", "1.5", "1.50"),
    ("decimal(5,2)", "2", "2.00"),
    ("datetime(3)", "2024-01-02 03:04:05", "2024-01-02 03:04:05.000"),
    ("datetime(3)", "2024-01-02 03:04:05.100", "2024-01-02 03:04:05.1"),
    ("timestamp(6)", "2024-01-02 03:04:05.5", "2024-01-02 03:04:05.500000"),
    ("time(2)", "01:02:03.00", "01:02:03"),
]
OTHERS: list[tuple[str, Any, Any]] = [
    ("int", "1", "2"),
    ("int", "1", None),
    ("int", None, "0"),
    ("int", "1", "1.0"),
    ("double", "0.1", "0.10000000149011612"),
    ("float", "0.1", "0.2"),
    ("json", '{"a":1}', '{"a":2}'),
    ("json", "{", "["),
    ("vector(1)", "[0.1]", "[0.2]"),
    ("vector(2)", "[1,2]", "[1]"),
    ("vector(1)", "[1]", "1"),
    ("enum('a','b')", "a", Index(2)),
    ("enum('a','b')", "c", Index(2)),
    ("set('a','b')", "a", Mask(3)),
    ("set('a','b')", "c", Mask(3)),
    ("blob", b"a", "a"),
    ("varchar(3)", "1.0", "1.00"),
    ("decimal(5,2)", "1.5", "1.51"),
    ("decimal(5,2)", "1.5", "x"),
    ("datetime(3)", "2024-01-02 03:04:05", "2024-01-02 03:04:06.000"),
    ("datetime(3)", "2024-01-02 03:04:05.1", "2024-01-02 03:04:05.01"),
    ("datetime(3)", "2024-01-02 03:04:05.1", "2024-01-02 03:04:05"),
    ("date", "2024-01-02", "2024-01-03"),
]


@pytest.mark.parametrize(("kind", "a", "b"), SAME)
def test_texts_of_one_value_are_the_same(kind: str, a: Any, b: Any) -> None:
    column = parse_column_type(kind)
    assert same_value(column, a, b)
    assert same_value(column, b, a)
    assert loosely_same_value(column, a, b)


@pytest.mark.parametrize(("kind", "a", "b"), LOOSELY)
def test_trailing_zeros_count_only_for_who_knows_how_many_there_are(kind: str, a: Any, b: Any) -> None:
    column = parse_column_type(kind)
    assert loosely_same_value(column, a, b)
    assert loosely_same_value(column, b, a)
    assert not same_value(column, a, b)


@pytest.mark.parametrize(("kind", "a", "b"), OTHERS)
def test_texts_of_two_values_are_not_the_same(kind: str, a: Any, b: Any) -> None:
    column = parse_column_type(kind)
    assert not loosely_same_value(column, a, b)
    assert not loosely_same_value(column, b, a)


@pytest.mark.parametrize(
    ("text", "family", "length", "scale", "unsigned", "members"),
    [
        ("int", Family.INT, None, None, False, ()),
        ("INTEGER(11) UNSIGNED", Family.INT, 11, None, True, ()),
        ("bool", Family.TINYINT, 1, None, False, ()),
        ("decimal", Family.DECIMAL, 10, 0, False, ()),
        ("numeric(8,3)", Family.DECIMAL, 8, 3, False, ()),
        ("decimal(8)", Family.DECIMAL, 8, 0, False, ()),
        ("float(24)", Family.FLOAT, 24, None, False, ()),
        ("float(25)", Family.DOUBLE, 25, None, False, ()),
        ("float(30,10)", Family.FLOAT, 30, 10, False, ()),
        ("double precision", Family.DOUBLE, None, None, False, ()),
        ("bit", Family.BIT, 1, None, False, ()),
        ("char", Family.CHAR, 1, None, False, ()),
        ("serial", Family.BIGINT, None, None, True, ()),
        ("int zerofill", Family.INT, None, None, True, ()),
        ("enum('a','it''s','x,y')", Family.ENUM, None, None, False, ("a", "it's", "x,y")),
        ("set('')", Family.SET, None, None, False, ("",)),
    ],
)
def test_a_type_text_is_taken_apart(
    text: str, family: Family, length: int | None, scale: int | None, unsigned: bool, members: tuple[str, ...]
) -> None:
    found = parse_column_type(text)
    assert (found.family, found.length, found.scale, found.unsigned, found.members) == (
        family,
        length,
        scale,
        unsigned,
        members,
    )


@pytest.mark.parametrize("text", ["", "integers", "int(", "int(x)", "int()", "decimal(1,2,3)", "enum(a)", "enum('a'"])
def test_what_is_no_type_text_is_refused(text: str) -> None:
    with pytest.raises(Rejected) as refused:
        parse_column_type(text)
    assert refused.value.reason == "type"
