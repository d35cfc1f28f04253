"""How the oracle of Open Protocol tells strings and leaves apart: escapes, quoting, and what is free."""

from __future__ import annotations

import base64
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from conformance.oracle.open_protocol.compare import compare, reads_alike
from conformance.oracle.open_protocol.strings import is_beyond_document
from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING, Kind
from tests.unit.oracle.judging import ddl_event, mark, row_event
from tests.unit.oracle.places import holds, place

at = partial(place, "open-protocol")
TEXT = "text.value.string"


def rules(predicate: str, ids: tuple[str, ...], where: Place) -> set[str]:
    """Those requirements for which the predicate holds at a place."""
    return {requirement for requirement in ids if holds(f"{predicate}={requirement}", where)}


# -- escapes of JSON ---------------------------------------------------------------------------------------------------

ESCAPES = ("OP-070", "OP-071", "OP-072", "OP-073", "OP-074", "OP-075", "OP-076", "OP-078")


@pytest.mark.parametrize(
    ("expected", "got", "spoken"),
    [
        *((f'"{unit}"', f'"{unit}"', rule) for unit, rule in (
            ('\\"', "070"), ("\\\\", "070"), ("\\n", "071"), ("\\r", "071"), ("\\t", "071"), ("\\b", "072"),
            ("\\f", "072"), ("\\u0008", "072"), ("\\u0000", "073"), ("\\u001f", "073"), (" ", "078"), ("\x7f", "074"),
            ("~", "078"), ("\x80", "078"), ("<", "075"), ("\\u003e", "075"), ("\\u0026", "075"), ("=", "078"),
            ("\\u2028", "076"), ("\u2029", "076"), ("\u2027", "078"), ("\u202a", "078"), ("X", "078"), ("é", "078"),
            ("\\ud83d\\ude00", "078"), ("\\uD83D\\uDE00", "078"), ("\\u003cx", "075 078"),
        )),
        ('"\\u003ca\\n"', '"<a\\n"', "075"), ('"\\u003ca\\n"', '"\\u003ca\\u000a"', "071"),
        ('"\\u003ca\\n"', '"<a\\u000a"', "071 075"), ('"\\u003ca\\n"', '"<\\n"', ""),
        ('"\\ud83d\\ude00<"', '"\\uD83D\\uDE00<"', "078"), ('"\\uDBFF\\uDFFF<"', '"\U0010ffff\\u003c"', "078 075"),
        ('""', '""', ""),
    ],
)  # fmt: skip
def test_a_rule_on_escapes_speaks_of_its_characters(expected: str, got: str, spoken: str) -> None:
    found = rules("is_escape_of_it", ESCAPES, at(TEXT, expected, got))
    assert found == {f"OP-{number}" for number in spoken.split()}


NAMED = {"schema": "te<st", "name": "t>"}
INSERT = {**row_event("insert", base={"id": "1"}, table="t>"), "schema": "te<st"}
STATEMENT = ddl_event(schema="te<st", table="t>", query="A & B")


@pytest.mark.parametrize(
    ("literal", "is_name", "more"),
    [
        ('"te\\u003cst"', True, {}),
        ('"t>"', True, {}),
        ('"c&"', True, {"column": {"name": "c&", "type": "int"}}),
        ('"c"', False, {}),  # nothing to escape
        ('"id"', False, {}),
        ('"X"', False, {"column": {"name": "X", "type": "int"}}),
        ('"c>"', False, {}),
        ('"é"', True, {"column": {"name": "é", "type": "int"}}),
        ('"\\"c"', True, {"column": {"name": '"c', "type": "int"}}),
        ('"c\x7f"', True, {"column": {"name": "c\x7f", "type": "int"}}),
        ('"A & B"', True, {"event": STATEMENT}),
        ('"te<st"', True, {"event": STATEMENT}),
        ('"t>"', True, {"event": STATEMENT}),
        ('"c&"', False, {"event": STATEMENT, "column": {"name": "c&", "type": "int"}}),
        ('"te<st"', False, {"event": mark()}),
    ],
)
def test_a_name_is_one_with_something_to_escape(literal: str, is_name: bool, more: dict[str, Any]) -> None:
    where = at("text.key.string", literal, literal, keys=NAMED, **{"event": INSERT, **more})
    assert holds("is_name", where) is is_name
    assert not (is_name and rules("is_escape_of_it", ESCAPES, where))


def test_no_name_is_known_without_a_table() -> None:
    where = at(TEXT, '"c&"', '"c&"', event=mark(), column={"name": "c&", "type": "int"})
    assert holds("is_name", where)
    assert not holds("is_name", where._replace(delivery=None))


# -- quoting of binary strings -----------------------------------------------------------------------------------------

QUOTES = (
    "OP-130", "OP-130a", "OP-131", "OP-132", "OP-133", "OP-134", "OP-134a", "OP-135", "OP-136", "OP-137", "OP-138",
)  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "got", "spoken"),
    [
        *((unit, unit, rule) for unit, rule in (
            ("\\x7f", "135 130a"), ("\\x80", "130"), ("\\xff", "130 130a"), ("\\xa0", "130 130a"),
            ("\\x0a", "135 130a"), ("\\x01", "135"), ("\\u00ad", "137"),
            ("\\U000e0001", "138"), ('\\"', "131"), ("\\\\", "132"), ("\\n", "134"), ("\\r", "134"),
            *((f"\\{char}", "134 134a") for char in "abtvf"), ("'", "133"), ("a", "136"), ("x", "136"), ("é", "136"),
            ("", ""), ("\n", "136"),
        )),
        ("\\xff\\n", "\\xFF\\n", "130a"), ("\\xff\\n", "\\xff\\x0a", "134"), ("\\xff\\n", "\\xFF\\x0a", "130a 134"),
        ("\\xff\\n'", "\\x00\\n\\'", "130"),
        *((f"\\{char}", f"\\x{code}", "134a") for char, code in (
            ("a", "07"), ("b", "08"), ("t", "09"), ("v", "0b"), ("v", "0B"), ("f", "0c"),
        )),
        ("\\a", "\\x08", "134"), ("\\a\\n", "\\x07\\x0a", "134a 134"), ("\\a", "a", "134"), ("\\a'", "\\x07'", "134a"),
        ("\\x80", "\\x81", "130"), ("\\xff", "\\xfe", "130"), ("a", "", ""), ("ab", "a", ""), ("a", "b", "136"),
        ("\\u00ad", "\\xad", "137"), ("\\u00ad", "\\u00AD", "137"), ("\\U000e0001", "\\u00ad", "138"),
        ("'\\n", "\\'\\n", "133"), ("\\x7f", "\x7f", "135"),
        ("abc", "YWJj", ""), ("a\\n", "YQo", ""), ("\\xff", "/w==", ""), ("\\xff\\xe0", "_-A=", ""),
        ("\\u00a0", "c2a0", ""), ("ab", "6162", ""), ("\\xff", "FF", ""), ("a\\r", "0x610d", ""), ("J", "0x4A", ""),
        ('\\"ab', "xyz", ""), ("ab", "ba", ""), ('\\"ab', '"ab', "131"), ("\\x01a\\x02", "\x01a\x02", "135"),
        ('\\"', "Ig==", ""), (1, "a", ""), ("a", 1, ""), (MISSING, MISSING, ""),
    ],
)  # fmt: skip
def test_a_rule_on_quoting_speaks_where_two_texts_part(expected: Any, got: Any, spoken: str) -> None:
    where = at("value.u.c", expected, got, column="varbinary(9)")
    found = rules("is_quoting_of_it", QUOTES, where)
    assert found == {f"OP-{number}" for number in spoken.split()}
    assert holds("is_of_quoting", where) is (bool(found) and expected != got)
    assert holds("is_of_quoting", at("value.u.c", expected, got, column="binary(9)")) is (
        bool(found) and expected != got
    )
    assert not holds("is_of_quoting", at("value.u.c", expected, got, column="varchar(9)"))


@pytest.mark.parametrize(
    ("data", "beyond"),
    [
        (b"a'", False), (b'a"', True), (b"\\", True), (b"X", False), (b"\x00\x7f", False), (b"\x80\xff", False),
        ("é".encode(), False), ("\x80".encode(), True), ("\xad".encode(), True), ("\U000e0001".encode(), True),
        ("\ue000".encode(), True), ("\uffff".encode(), True), (b"", False),
    ],
)  # fmt: skip
def test_bytes_are_beyond_the_document_by_their_escapes(data: bytes, beyond: bool) -> None:
    text = base64.b64encode(data).decode()
    assert is_beyond_document(at("event.after.c", text, column="blob")) is beyond
    assert holds("is_quoted_beyond", at("event.after.c", text, column="varbinary(9)")) is beyond
    assert not holds("is_quoted_beyond", at("event.after.c", text, column="blob"))


@pytest.mark.parametrize("nothing", [None, MISSING])
def test_no_bytes_are_not_beyond_the_document(nothing: Any) -> None:
    assert not is_beyond_document(at("event.after.c", nothing, column="binary(9)"))


# -- leaves ------------------------------------------------------------------------------------------------------------


def leaf(kind: str, expected: Any, got: Any, member: str = "v") -> Place:
    """A member of a column in a message."""
    return at("value.u.c", expected, got, column=kind)._replace(path=("value", "u", "c", member))


FILE = "8c29b7a2-0c1f-4b8a-9f3e-0123456789ab.json"


@pytest.mark.parametrize(
    ("kind", "expected", "got", "difference"),
    [
        ("float", 1, 1, None),
        ("float", Decimal("0.1"), Decimal("0.10000000149011612"), Kind.TEXT),
        ("double", Decimal("0.1"), Decimal("0.10000000149011612"), Kind.VALUE),
        ("double", Decimal("0.1"), Decimal("0.1000000000000000055511151231257827"), Kind.TEXT),
        ("float", Decimal("0.1"), Decimal("0.2"), Kind.VALUE),
        ("float", 1, Decimal("1.0"), None),
        ("float", True, False, Kind.VALUE),
        ("int", 1, 1, None),
        ("int", 1, 2, Kind.VALUE),
        ("int", 1, Decimal("1.0"), Kind.VALUE),
        ("int", Decimal("1.0"), Decimal("1.0"), None),
        ("int", True, True, None),
        ("int", True, 1, None),
        ("json", "[1]", "[1]", None),
        ("json", "[1]", "[ 1]", Kind.TEXT),
        ("json", "[1]", "[2]", Kind.VALUE),
        ("json", "[1]", "[", Kind.VALUE),
        ("json", "x", "x", None),
        ("json", 1, 2, Kind.VALUE),
        ("text", "[1]", "[ 1]", Kind.VALUE),
        ("text", "a", "a", None),
    ],
)
def test_leaves_differ_by_the_type_of_their_column(kind: str, expected: Any, got: Any, difference: Kind | None) -> None:
    assert compare(leaf(kind, expected, got)) is difference


@pytest.mark.parametrize("member", ["t", "f"])
def test_other_members_of_a_column_have_no_type(member: str) -> None:
    assert (
        compare(leaf("double", Decimal("0.10"), Decimal("0.1000000000000000055511151231257827"), member)) is Kind.VALUE
    )
    assert compare(leaf("json", "[1]", "[ 1]", member)) is Kind.VALUE


@pytest.mark.parametrize(
    ("expected", "got", "difference"),
    [
        (f"a/{FILE}", f"a/{FILE}", None),
        (f"a/{FILE}", f"a/{FILE.replace('8c', '00')}", None),
        (f"a/b/{FILE}", f"a/b/{FILE.replace('-9', '-8')}", None),
        (f"a/{FILE}", f"b/{FILE}", Kind.VALUE),
        (f"a/b/{FILE}", f"a/c/{FILE}", Kind.VALUE),
        (f"a/{FILE}", f"a/{FILE.replace('-4', '-5')}", Kind.VALUE),
        (f"a/{FILE}", f"a/{FILE}x", Kind.VALUE),
        (f"a/{FILE}", f"a/{FILE.upper()}", Kind.VALUE),
        (f"a/{FILE}", FILE, Kind.VALUE),
    ],
)
def test_the_name_of_a_file_is_free_and_its_folder_and_form_are_not(expected: str, got: str, difference: Kind | None):
    assert compare(at("key.ccl", expected, got)) is difference
    assert compare(at("claim.location", expected, got)) is difference
    assert compare(at("value.ccl", expected, got)) is (None if expected == got else Kind.VALUE)


@pytest.mark.parametrize(
    ("kind", "expected", "got", "alike"),
    [
        ("decimal(5,2)", "1.5", "1.50", True), ("decimal(5,2)", "1.5", "1.51", False), ("text", "a", "b", False),
        ("text", 1, 1, False), ("text", "a", None, False), ("varbinary(9)", "a", None, False),
        ("varbinary(9)", "\\xff", "\\xFF", True), ("varbinary(9)", "\\xff", "\\xfe", False),
        ("blob", "\\a", "\\x07", True), ("varbinary(9)", "a", "\\", False), ("varbinary(9)", "\\", "a", False),
    ],
)  # fmt: skip
def test_two_texts_read_alike_by_the_type_of_their_column(kind: str, expected: Any, got: Any, alike: bool) -> None:
    assert reads_alike(leaf(kind, expected, got)) is alike
    assert not reads_alike(leaf(kind, expected, got, "t"))
    assert not reads_alike(leaf(kind, expected, got)._replace(column=None))
