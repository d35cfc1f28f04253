"""JSON as MySQL stores it: the order of names, the numbers, and scalars without a form in JSON."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from reference_impl.errors import Rejected
from reference_impl.stored_json import Opaque, stored_tree


def opaque(kind: str, text: str) -> str:
    return f'{{"$opaque": ["T", ["{kind}", "{text}"]]}}'


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("null", None),
        ("true", True),
        ('"text"', "text"),
        ("1", 1),
        ("1.50", Decimal("1.50")),
        ("-0.0", Decimal("-0.0")),
        # An integer has 64 bits, with a sign or without one; any other is a double.
        ("-9223372036854775808", -(2**63)),
        ("18446744073709551615", 2**64 - 1),
        ("-9223372036854775809", Decimal(-(2**63) - 1)),
        ("18446744073709551616", Decimal(2**64)),
        ("[1, [18446744073709551616]]", [1, [Decimal(2**64)]]),
        ("[true, false]", [True, False]),
        # As recorded of MySQL 9.7.
        (opaque("date", "2024-02-29"), Opaque("date", "2024-02-29")),
        (opaque("time", "12:34:56.5"), Opaque("time", "12:34:56.5")),
        (opaque("datetime", "2024-02-29 12:34:56.789"), Opaque("datetime", "2024-02-29 12:34:56.789")),
        (opaque("dec", "1.50"), Opaque("dec", "1.50")),
        (opaque("bin", "b'abc'"), Opaque("bin", "abc")),
        (opaque("bin", r"b'\\x05\\xff'"), Opaque("bin", "\x05\xff")),
        (f'[{{"a": {opaque("dec", "1")}}}]', [{"a": Opaque("dec", "1")}]),
        ('{"$opaque": 1, "a": 2}', {"a": 2, "$opaque": 1}),
    ],
)
def test_a_text_is_stored_as_a_tree(text: str, tree: Any) -> None:
    found = stored_tree(text)
    assert (found, type(found)) == (tree, type(tree))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"b": 1, "a": 2}', ["a", "b"]),
        ('{"aa": 1, "b": 2, "": 3}', ["", "b", "aa"]),
        ('{"zz": 1, "é": 2, "c": 3}', ["c", "zz", "é"]),  # é has two bytes, 0xC3 0xA9
        ('{"aaa": 1, "é": 2}', ["é", "aaa"]),
        ('{"a": 1, "a": 2}', ["a"]),
    ],
)
def test_names_are_stored_by_the_number_of_their_bytes_then_by_their_bytes(text: str, names: list[str]) -> None:
    assert [*stored_tree(text)] == names


def test_the_last_of_two_equal_names_is_kept() -> None:
    assert stored_tree('{"a": 1, "b": {"c": 3, "c": 4}, "a": 2}') == {"a": 2, "b": {"c": 4}}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "",
        opaque("year", "2024"),
        opaque("DATE", "2024-02-29"),
        opaque("bin", "abc"),  # the name of a variable
        opaque("bin", "'abc'"),  # a text, not bytes
        opaque("bin", "b'abc"),
        opaque("bin", "1"),
        '{"$opaque": ["T", ["date", 1]]}',
        '{"$opaque": ["T", ["bin", 1]]}',
        '{"$opaque": ["T", ["date"]]}',
        '{"$opaque": ["T", ["date", "x", "y"]]}',
        '{"$opaque": ["T"]}',
        '{"$opaque": 1}',
        '{"$opaque": null}',
    ],
)
def test_what_is_no_stored_json_is_refused_as_of_a_wrong_type(text: str) -> None:
    with pytest.raises(Rejected) as refused:
        stored_tree(text)
    assert refused.value.reason == "type"
