"""JSON read with exact numbers, the order of members, and members that occur twice."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from reference_impl.errors import Rejected
from reference_impl.exact_json import (
    Object,
    dumps,
    loads,
    loads_merged,
    loads_quickly,
    loads_strict,
    same,
    string_writer,
)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("null", None),
        ("true", True),
        ("12345678901234567890123", 12345678901234567890123),
        ("0", 0),
        ("1.10", Decimal("1.10")),
        ("1e2", Decimal("1e2")),
        ("1e400", Decimal("1e400")),
        (r'"\ud83d\ude00"', "😀"),
        (r'"\uD83D\uDE00"', "😀"),
        (r'"\ud83d\ude00\ud83d\ude00 \u00e9"', "😀😀 é"),
        (r'"\ud800\udc00"', "\U00010000"),
        (r'"\udbff\udfff"', "\U0010ffff"),
        (r'"\ud7ff\ue000"', "\ud7ff\ue000"),
        (r'"\\ud800"', r"\ud800"),
        (r'"\\\\udc00"', r"\\udc00"),
        (r'"\ud83d\ude00\\ud800"', r"😀\ud800"),
        ("[]", []),
        ('{"b": [1], "a": {"c": null}}', {"b": [1], "a": {"c": None}}),
    ],
)
def test_a_text_is_read_exactly_by_every_reader(text: str, tree: Any) -> None:
    for found in (loads(text), loads(text.encode()), loads_strict(text), loads_merged(text, dict)):
        assert (found, type(found) in (type(tree), Object)) == (tree, True)
    if isinstance(tree, Decimal):
        assert str(loads(text)) == str(tree)


def test_minus_zero_is_no_integer() -> None:
    assert (str(loads("-0")), type(loads("-0"))) == ("-0", Decimal)
    assert (loads("-1"), type(loads("-1"))) == (-1, int)


def test_members_keep_their_order_and_those_that_occur_twice_are_named() -> None:
    found = loads('{"b": 1, "a": 2, "b": 3, "c": 4, "a": 5, "b": 6}')
    assert [*found.items()] == [("b", 6), ("a", 5), ("c", 4)]
    assert found.doubled == ("b", "a", "b")
    assert loads('{"b": 1, "a": 2}').doubled == ()
    assert Object().doubled == ()
    assert Object([("x", 1)]) == {"x": 1}


BROKEN: list[str | bytes] = [
    *("", "{", "[1,]", "{'a': 1}", "nul", "1 2", "01", ".5", "+1"),
    *("{}{}", '{"a": 1,}', b"\xef\xbb\xbf{}", '{"a": 0} // comment', '"raw\ttab"', '"\x01"', '{"a": 0,"a": 0'),
    *("NaN", "Infinity", "-Infinity", "[NaN]"),
    *('"\n"', '"', r'"\x"', b"\xff", b'"\xc3"'),
    *("[" * 100_000, "1e9999999999999999999"),
    *(r'"\ud800"', r'"\uD800"', r'"\udc00"', r'"\uDFFF"', r'"\udbff"', r'"\ud800 \udc00"', r'"\ud800\ud800"'),
    *(r'"\ud800\n"', r'"\udc00\ud800"', r'"\ud83d\ude00\ude00"', r'"\ud83d\ude00\ud83d"', r'"a\ud800\u0041"'),
    r'{"\ud800": 1}',
]


@pytest.mark.parametrize("text", BROKEN, ids=lambda text: repr(text)[:30])
def test_what_is_not_json_is_refused_as_syntax_by_every_reader(text: str | bytes) -> None:
    for read in (loads, loads_strict, lambda given: loads_merged(given, dict)):
        with pytest.raises(Rejected) as refused:
            read(text)
        assert refused.value.reason == "syntax"


@pytest.mark.parametrize("sign", ["", "-"])
def test_an_integer_of_more_digits_than_python_reads_is_refused_for_its_length(sign: str) -> None:
    assert loads(sign + "9" * 4300) == int(sign + "9" * 4300)
    with pytest.raises(Rejected, match="an integer of 4,301 digits is too long") as refused:
        loads(sign + "9" * 4301)
    assert refused.value.reason == "syntax"


def test_a_fault_says_where_the_bytes_are_no_text() -> None:
    with pytest.raises(Rejected, match="not UTF-8 at byte 3"):
        loads(b'{"a\xff": 1}')


@pytest.mark.parametrize(
    ("text", "reason", "words"),
    [
        ('{"a": 1, "b": 2, "a": 3}', "schema", "doubled member 'a'"),
        ('[{"x": {"y": 1, "y": 1}}]', "schema", "doubled member 'y'"),
        ('{"a": 1, "a": 3', "syntax", "not JSON"),
        ('[{"a": 1, "a": 3}, nul]', "syntax", "not JSON"),
    ],
)
def test_a_strict_reader_refuses_doubled_members_unless_the_text_is_not_json(
    text: str, reason: str, words: str
) -> None:
    with pytest.raises(Rejected, match=words) as refused:
        loads_strict(text)
    assert refused.value.reason == reason


def test_members_are_merged_by_the_function_given_and_its_refusal_stands_unless_the_text_is_not_json() -> None:
    assert loads_merged('{"a": [{"b": 1}]}', lambda pairs: [*pairs]) == [("a", [[("b", 1)]])]

    def refuse(pairs: list[tuple[str, Any]]) -> Any:
        raise Rejected("schema" if pairs else "range", "no")

    for text, reason in (("{}", "range"), ("[{}", "range"), ('{"a": 1}', "schema"), ('[{"a": 1}', "syntax")):
        with pytest.raises(Rejected) as refused:
            loads_merged(text, refuse)
        assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("data", "tree"),
    [
        (b'{"a":1,"b":[true,null,"x"]}', {"a": 1, "b": [True, None, "x"]}),
        (b"1.5", 1.5),
        (b'{"a":1,"a":1}', None),
        (b'{"a": 1}', None),
        (b"1.50", None),
        (b"0.1000000000000000000001", None),
        (b"-0", None),
        (b"{", None),
        (b"\xff", None),
    ],
)
def test_the_quick_reader_reads_only_what_it_would_write_alike(data: bytes, tree: Any) -> None:
    assert loads_quickly(data) == tree


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("null", "null", True), ("null", "0", False), ("null", '""', False), ("true", "true", True),
        ("true", "1", False), ("false", "0", False), ("true", "false", False), ("1", "1.0", True), ("100", "1e2", True),
        ("1", "2", False), ("1", '"1"', False), ("1", "[1]", False), ("1", "{}", False), ('"a"', '"a"', True),
        ('"a"', "[1]", False), ('"a"', "{}", False), ("null", "[]", False), ('"a"', '"b"', False),
        ("[1, 2]", "[1, 2]", True), ("[1, 2]", "[2, 1]", False), ("[1]", "[1, 2]", False), ("[]", "{}", False),
        ("[true]", "[1]", False), ('{"a": 1, "b": 2}', '{"b": 2, "a": 1.0}', True), ('{"a": 1}', '{"a": 2}', False),
        ('{"a": 1, "b": 1}', '{"a": 1, "b": 2}', False), ('{"a": 1}', '{"b": 1}', False),
        ('{"a": 1}', '{"a": 1, "b": 1}', False), ('{"a": true}', '{"a": 1}', False),
    ],
)  # fmt: skip
def test_trees_are_the_same_whatever_the_order_of_members_and_the_form_of_a_number(
    a: str, b: str, expected: bool
) -> None:
    assert (same(loads(a), loads(b)), same(loads(b), loads(a))) == (expected, expected)


def test_a_string_literal_escapes_quotes_backslashes_and_what_is_given() -> None:
    write = string_writer({0x0A: "\\n", 0x26: "\\u0026"})
    assert write('a"b\\c\n&\té') == '"a\\"b\\\\c\\n\\u0026\té"'
    assert [write(text) for text in ("\t", "a\n", "\u2028")] == ['"\t"', '"a\\n"', '"\u2028"']


@pytest.mark.parametrize("text", ['{"b":[1.50,-0,null],"a":{"é😀":"\\u0001<&"}}', "18446744073709551616", "[]", '""'])
def test_a_written_tree_keeps_the_digits_of_numbers_and_the_order_of_members(text: str) -> None:
    assert dumps(loads(text)) == text
