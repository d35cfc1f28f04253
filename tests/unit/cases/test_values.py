"""Values of columns as texts: what every type of TiDB holds, what is said of others, and which texts are one value."""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.column_types import BINARY, TEXT, Family, parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import Index, Mask, RawText
from reference_impl.values import (
    check_text,
    enum_index,
    from_wire,
    loosely_same_value,
    same_value,
    set_mask,
    takes,
    to_wire,
)

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
    ("decimal(3,1)", ["-99.9"], [], []),
    ("decimal(1,1)", ["0.1"], [], []),
    ("decimal(3,3)", ["0.999"], ["1.000"], ["0.99"]),
    ("decimal", ["9999999999", "-9999999999"], ["10000000000"], ["1.0"]),
    ("decimal(65,30)", ["9" * 35 + "." + "9" * 30], ["9" * 36 + "." + "9" * 30], ["1.0"]),
    ("float", ["0.1", "3.4e38", "-3.4028235e+38", "1e-45", "1."], ["3.5e38", "-1e39"], ["x", "nan", "inf", ""]),
    ("float(24)", ["3.4e38"], ["3.5e38"], []),
    ("float(25)", ["3.5e38", "1.7e308"], ["1.8e308"], []),
    ("float(30,10)", ["1.5"], ["3.5e38"], []),
    ("double", ["1.7e308", "-0", "1e39"], ["1.8e308", "-1e400"], ["0x1"]),
    ("year", ["0", "1901", "2155"], ["1900", "2156", "1", "-1"], ["00", "70.0", ""]),
    ("date", ["2024-12-31"], [], []),
    ("date", ["2024-02-30", "0000-00-00", "9999-12-31"], ["2024-13-01", "2024-01-32"], ["2024-1-1", "24-01-01", ""]),
    (
        "datetime",
        ["2024-01-02 23:59:59", "2024-12-31 23:59:59", "0000-00-00 00:00:00"],
        ["2024-01-02 24:00:00", "2024-01-02 00:60:00", "2024-01-02 00:00:60", "2024-13-02 00:00:00"],
        ["2024-01-02", "2024-01-02T00:00:00", "2024-01-02 00:00:00.0"],
    ),
    ("datetime(6)", ["2024-01-02 23:59:59.999999"], [], ["2024-01-02 23:59:59", "2024-01-02 23:59:59.99999"]),
    ("timestamp(3)", ["2024-01-02 03:04:05.678"], ["2024-01-02 25:04:05.678"], ["2024-01-02 03:04:05.67"]),
    ("time", ["-00:59:59"], [], []),
    ("time", ["838:59:59", "-838:59:59", "00:00:00"], ["839:00:00", "-839:00:00", "00:60:00", "00:00:60"], ["1:00:00"]),
    ("time(1)", ["838:59:59.0", "838:58:59.1", "838:59:58.1", "837:59:59.1"], [], []),
    ("time(2)", ["838:59:59.00", "838:59:58.99"], ["838:59:59.01", "-838:59:59.10"], ["838:59:59", "--01:00:00.00"]),
    ("enum('a','b')", ["a", "b"], ["c", "A", "a,b", ""], []),
    ("set('a','b')", ["", "a", "a,b"], ["c", "a,c", "a,"], []),
    ("enum", ["b"], [], []),  # a type without labels, as some messages name it
    ("set", ["d,c,a"], [], []),
    ("json", ['{"a": [1, null]}', "1", '"x"'], [], ["", "{", "{'a': 1}"]),
    ("vector(2)", ["[1,2.5]"], [], []),
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


# The type, a text, the class, and what is said.
SAID: list[tuple[str, str, str, str]] = [
    ("int", "x", "type", "'x' is not an integer"),
    ("tinyint", "128", "range", "128 is outside tinyint"),
    ("decimal(3,1)", "x", "type", "'x' is not a decimal"),
    ("decimal(3,1)", "1.25", "type", "1.25 has 2 fractional digits, decimal(3,1) has 1"),
    ("decimal(3,1)", "100.0", "range", "100.0 is outside decimal(3,1)"),
    ("decimal(3,1)", "-099.9", "type", "'-099.9' is not a decimal"),
    ("decimal(3,1) unsigned", "-0.1", "range", "-0.1 is outside decimal(3,1) unsigned"),
    ("float", "x", "type", "'x' is not a number"),
    ("float", "+1", "type", "'+1' is not a number"),
    ("float", ".5", "type", "'.5' is not a number"),
    ("float", "-1e39", "range", "-1e39 is outside float"),
    ("float", "3.4028235677973366e38", "range", "3.4028235677973366e38 is outside float"),
    ("double", "-1e309", "range", "-1e309 is outside double"),
    ("year", "x", "type", "'x' is not a year"),
    ("year", "2156", "range", "2156 is not a year from 1901 to 2155"),
    ("year", "9" * 5000, "range", f"{'9' * 5000} is not a year from 1901 to 2155"),
    ("date", "x", "type", "'x' is not a date"),
    ("date", "2024-13-01", "range", "2024-13-01 is no date"),
    ("date", "2024-12-32", "range", "2024-12-32 is no date"),
    ("datetime", "x", "type", "'x' is not a date and time"),
    (
        "datetime(2)",
        "2024-01-02 03:04:05.6",
        "type",
        "2024-01-02 03:04:05.6 does not have the 2 fractional digits of datetime(2)",
    ),
    ("datetime", "2024-00-32 00:00:00", "range", "2024-00-32 00:00:00 is no date"),
    ("datetime", "2024-01-02 24:00:00", "range", "2024-01-02 24:00:00 is no time of day"),
    ("datetime", "2024-01-02 00:60:00", "range", "2024-01-02 00:60:00 is no time of day"),
    ("datetime", "2024-01-02 00:00:60", "range", "2024-01-02 00:00:60 is no time of day"),
    ("time", "x", "type", "'x' is not a time"),
    ("time(1)", "00:00:00", "type", "00:00:00 does not have the 1 fractional digits of time(1)"),
    ("time", "839:00:00", "range", "839:00:00 is outside -838:59:59 to 838:59:59"),
    ("time(1)", "838:59:59.1", "range", "838:59:59.1 is outside -838:59:59 to 838:59:59"),
    ("time", "00:60:00", "range", "00:60:00 is outside -838:59:59 to 838:59:59"),
    ("time", "00:00:60", "range", "00:00:60 is outside -838:59:59 to 838:59:59"),
    ("enum('a')", "b", "range", "'b' is not a member of enum('a')"),
    ("set('a','b')", "d,c,a", "range", "'c' is not a member of set('a','b')"),
    ("json", "{", "type", "a JSON column holds a text that is not JSON: not JSON: "),
    ("vector", "1", "type", "'1' is not a vector"),
    ("vector", "[NaN]", "type", "'[NaN]' is not a vector"),
    ("vector", "[" * 100_000, "type", f"'{'[' * 100_000}' is not a vector"),
    ("vector(2)", "[1]", "range", "1 elements in a vector(2)"),
]


@pytest.mark.parametrize(("kind", "text", "reason", "words"), SAID, ids=lambda value: value[:30])
def test_a_text_that_its_type_does_not_hold_is_refused_with_a_sentence(kind, text, reason, words) -> None:
    with pytest.raises(Rejected) as refused:
        check_text(parse_column_type(kind), text)
    assert refused.value.reason == reason
    assert refused.value.message.startswith(words)


@pytest.mark.parametrize(
    ("kind", "given", "reason", "words"),
    [
        ("int", 1, "schema", "1 is not a value of a int column"),
        ("int", {}, "schema", "{} is not a value of a int column"),
        ("int", True, "schema", "True is not a value of a int column"),
        ("int", ["1"], "schema", "['1'] is not a value of a int column"),
        # the number of a label, of a column without labels
        ("int", {"index": "1"}, "schema", "{'index': '1'} is not a value of a int column"),
        ("set('a')", {"index": "1"}, "schema", "{'index': '1'} is not a value of a set('a') column"),
        ("enum('a')", {"mask": "1"}, "schema", "{'mask': '1'} is not a value of a enum('a') column"),
        ("enum('a')", {"index": 1}, "schema", "{'index': 1} is not a value of a enum('a') column"),
        ("enum('a')", {"index": "-1"}, "schema", "{'index': '-1'} is not a value of a enum('a') column"),
        (
            "enum('a')",
            {"index": "1", "mask": "1"},
            "schema",
            "{'index': '1', 'mask': '1'} is not a value of a enum('a') column",
        ),
        ("enum('a')", {"number": "1"}, "schema", "{'number': '1'} is not a value of a enum('a') column"),
        ("int", {"base64": "AA=="}, "schema", "{'base64': 'AA=='} is not a value of a int column"),
        ("binary(2)", {"base64": "AA=="}, "schema", "{'base64': 'AA=='} is not a value of a binary(2) column"),
        ("blob", "A" * 41, "type", f"'{'A' * 40}' is not base64"),
        ("blob", "é", "type", "'é' is not base64"),
        ("blob", "AA==\n", "type", "'AA==\\n' is not base64"),
        ("text", {"base64": "A"}, "type", "'A' is not base64"),
        ("text", {"base64": b"AA=="}, "schema", "{'base64': b'AA=='} is not a value of a text column"),
        ("enum('a')", {"index": "1.0"}, "schema", "{'index': '1.0'} is not a value of a enum('a') column"),
        ("set('a')", {"mask": "-1"}, "schema", "{'mask': '-1'} is not a value of a set('a') column"),
    ],
)
def test_a_value_of_the_wire_that_is_none_is_refused_with_a_sentence(kind, given, reason, words) -> None:
    with pytest.raises(Rejected) as refused:
        from_wire(parse_column_type(kind), given)
    assert (refused.value.reason, refused.value.message) == (reason, words)


FORMS = {Family.ENUM: (str, Index), Family.SET: (str, Mask)}


@pytest.mark.parametrize("family", Family)
def test_a_family_takes_texts_or_bytes_and_those_with_labels_their_numbers(family: Family) -> None:
    expected: tuple[type, ...] = (bytes,) if family in BINARY else (str, RawText) if family in TEXT else (str,)
    assert takes(family) == FORMS.get(family, expected)


ENUM, SET = parse_column_type("enum('a','b','c')"), parse_column_type("set('a','b','c')")


@pytest.mark.parametrize(("value", "number"), [("a", 1), ("c", 3), (Index(0), 0), (Index(7), 7)])
def test_labels_of_enum_count_from_1(value: Any, number: int) -> None:
    assert enum_index(ENUM, value) == number


@pytest.mark.parametrize(
    ("value", "bits"), [("", 0), ("a", 1), ("b", 2), ("a,c", 5), ("c,a", 5), ("c,c", 4), (Mask(8), 8)]
)
def test_labels_of_set_are_bits(value: Any, bits: int) -> None:
    assert set_mask(SET, value) == bits


@pytest.mark.parametrize(
    ("number", "kind", "value", "reason", "words"),
    [
        (enum_index, ENUM, "d", "range", "'d' is not a member of enum('a','b','c')"),
        (enum_index, ENUM, "", "range", "'' is not a member of enum('a','b','c')"),
        (enum_index, ENUM, Mask(1), "type", "Mask(bits=1) is not a value of a enum('a','b','c') column"),
        (enum_index, ENUM, b"a", "type", "b'a' is not a value of a enum('a','b','c') column"),
        (set_mask, SET, "a,d", "range", "'d' is not a member of set('a','b','c')"),
        (set_mask, SET, Index(1), "type", "Index(number=1) is not a value of a set('a','b','c') column"),
        (set_mask, SET, None, "type", "None is not a value of a set('a','b','c') column"),
    ],
)
def test_what_is_no_label_has_no_number(number: Any, kind: Any, value: Any, reason: str, words: str) -> None:
    with pytest.raises(Rejected) as refused:
        number(kind, value)
    assert (refused.value.reason, refused.value.message) == (reason, words)


# The type, two values, whether they are the same, and whether they are but for trailing zeros.
COMPARED: list[tuple[str, Any, Any, bool, bool]] = [
    ("int", None, None, True, True),
    ("int", None, "1", False, False),
    ("int", "1", "1", True, True),
    ("int", "1", "2", False, False),
    ("varchar(9)", "a", RawText(b"a"), False, False),
    ("varchar(9)", RawText(b"a"), RawText(b"a"), True, True),
    ("blob", b"a", b"a", True, True),
    ("blob", b"a", b"b", False, False),
    ("enum('a','b')", Index(2), Index(2), True, True),
    ("enum('a','b')", Index(1), Index(2), False, False),
    ("enum('a','b')", "x", Index(0), False, False),
    ("enum('a','b')", b"a", Index(1), False, False),
    ("set('a','b')", Mask(3), Mask(3), True, True),
    ("set('a','b')", Mask(3), "b,a", True, True),
    ("set('a','b')", "x", Mask(0), False, False),
    ("float", "0.1", "0.10000000149011612", True, True),
    ("double", "0.1", "0.10000000149011612", False, False),
    ("double", "1", "1.0", True, True),
    ("json", "[1.0]", "[ 1 ]", True, True),
    ("json", "{", "[", False, False),
    ("json", "[1]", "[", False, False),
    ("json", "[1]", "[2]", False, False),
    ("vector", "[1, 2]", "[1,2.0]", True, True),
    ("vector", "[0.1]", "[0.10000000149011612]", True, True),
    ("vector", "[1]", "[1,2]", False, False),
    ("vector", "[1]", "[2]", False, False),
    ("vector", "[-0.0]", "[0]", True, True),
    ("vector", "[1e39]", "[1e40]", False, False),  # beyond 32 bits
    ("vector", f"[1{'0' * 400}]", "[1]", False, False),
    ("vector", "1", "2", False, False),
    ("vector", "[", "[1]", False, False),
    ("vector", '["a"]', '["b"]', False, False),
    ("decimal(5,2)", "1.5", "1.50", False, True),
    ("decimal(5,2)", "1.5", "1.51", False, False),
    ("decimal(5,2)", "1.5", "x", False, False),
    ("decimal(5,2)", "x", "1.5", False, False),
    ("decimal(5,2)", "1", "1e0", False, False),
    ("int", "1", "1.0", False, False),
    ("datetime(3)", "2024-01-02 03:04:05.100", "2024-01-02 03:04:05.1", False, True),
    ("timestamp(3)", "2024-01-02 03:04:05", "2024-01-02 03:04:05.000", False, True),
    ("time(3)", "03:04:05.000", "03:04:05", False, True),
    ("time(3)", "03:04:05.", "03:04:05", False, False),
    ("time(3)", "03:04:05.010", "03:04:05.01", False, True),
    ("time(3)", "03:04:05.001", "03:04:05.1", False, False),
    ("time(3)", "03:04:50", "03:04:5", False, False),
    ("date", "2024-01-10", "2024-01-1", False, False),
    ("varchar(9)", "1.50", "1.5", False, False),
    ("float", "1e2", "100", True, True),
    ("float", "0", "-0", True, True),
    ("float", "0.1", "0.2", False, False),
    ("double", "1e2", "100.0", True, True),
    ("double", "0", "-0", True, True),
    ("json", '{"a":1,"b":2}', '{"b": 2, "a": 1.0}', True, True),
    ("enum('a','b')", "b", Index(2), True, True),
    ("enum('a','b')", "a", Index(2), False, False),
    ("set('a','b')", Mask(0), "", True, True),
    ("set('a','b')", "a", Mask(3), False, False),
    ("blob", b"a", "a", False, False),
    ("decimal(5,2)", "2", "2.00", False, True),
    ("datetime(3)", "2024-01-02 03:04:05", "2024-01-02 03:04:06.000", False, False),
    ("datetime(3)", "2024-01-02 03:04:05.1", "2024-01-02 03:04:05.01", False, False),
    ("datetime(3)", "2024-01-02 03:04:05.1", "2024-01-02 03:04:05", False, False),
    ("timestamp(6)", "2024-01-02 03:04:05.5", "2024-01-02 03:04:05.500000", False, True),
]


@pytest.mark.parametrize(("kind", "a", "b", "same", "loosely"), COMPARED)
def test_values_are_compared_by_the_type_of_their_column(kind: str, a: Any, b: Any, same: bool, loosely: bool) -> None:
    column = parse_column_type(kind)
    for one, other in ((a, b), (b, a)):
        assert same_value(column, one, other) is same
        assert loosely_same_value(column, one, other) is loosely


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
def test_a_type_text_is_taken_apart(text, family, length, scale, unsigned, members) -> None:
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
