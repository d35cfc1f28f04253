"""Another spelling of the same text or number is held against the rule of that spelling, alone."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.oracle.open_protocol.reading import read
from reference_impl.profiles import profile_of_release
from tests.unit.oracle.changes import put
from tests.unit.oracle.judging import beside_id, blamed, options_of, written
from tests.unit.oracle.open_answers import ROW, case_of, ddl, row, with_message

TEXTS: list[tuple[str, str, str, str]] = [
    ("OP-026", "x", ",", ", "), ("OP-070", '"', '\\"', "\\u0022"), ("OP-071", "\n", "\\n", "\\u000a"),
    ("OP-072", "\b", "\\u0008", "\\b"), ("OP-073", "\x1f", "\\u001f", "\\u001F"), ("OP-074", "\x7f", "\x7f", "\\u007f"),
    ("OP-075", "<", "<", "\\u003c"), ("OP-076", "\u2028", "\u2028", "\\u2028"), ("OP-078", "/é", "/é", "\\/é"),
    ("OP-078", "😀", "😀", "\\ud83d\\ude00"),
]  # fmt: skip


NUMBERS: list[tuple[str, str, str, str, str]] = [
    ("OP-079", "double", "0.0000001", "1e-07", "1E-7"),
    ("OP-081", "double", "1", '"v":1}}', '"v":1.0}}'),
    ("OP-079", "double", "0.1", "0.1", "0.1000000000000000055511151231257827"),
    ("OP-080", "float", "0.1", "0.1", "0.10000000149011612"),
    ("OP-081", "double", "-0", '"v":-0}', '"v":0}'),
    # an integer with a point or an exponent
    ("OP-081a OP-094", "int", "7", '"v":7', '"v":7.0'),
    ("OP-081a OP-094", "int", "7", '"v":7', '"v":7e0'),
    ("OP-081a OP-094", "int", "7", '"t":3', '"t":3.0'),
]


def texts_of(case: Case) -> list[tuple[str, str]]:
    """The (key, value) texts of the reference's messages."""
    read_back = [message for record in written(case) for message in read(record, options_of(case)).messages]
    return [(message.texts["key"], message.texts["value"]) for message in read_back]


def respelled(kind: str, value: str, part: str, instead: str) -> tuple[Case, dict[str, Any]]:
    """An insert of a value, and the answer to it with a part of the text written in another way."""
    case = case_of("encode", row("insert", base={"id": "1", "a": value}), table=beside_id({"name": "a", "type": kind}))
    [(_, text)] = texts_of(case)
    assert part in text
    return case, with_message(case, put("value", text.replace(part, instead).encode()))


@pytest.mark.parametrize(
    ("requirements", "kind", "value", "part", "instead"),
    [*((requirement, "varchar(20)", *rest) for requirement, *rest in TEXTS), *NUMBERS],
)
def test_another_spelling_breaks_its_own_rule(requirements: str, kind: str, value: str, part: str, instead: str):
    case, answer = respelled(kind, value, part, instead)
    assert blamed(case, answer) == requirements.split()


def test_a_name_that_is_escaped_in_another_way_is_a_rule_of_its_own():
    case = case_of("encode", ddl(table="<t>"))
    [(key, _)] = texts_of(case)
    wrong = with_message(case, put("key", key.replace("<", "\\u003c").encode()))
    assert blamed(case, wrong) == ["OP-083"]


NO_UTF_8 = {"base64": "Yf9i"}  # a, a byte that is no UTF-8, b


@pytest.mark.parametrize(
    ("events", "image"),
    [
        ([row("insert", c=NO_UTF_8)], "u"),
        ([row("update", c=NO_UTF_8)], "u"),
        ([row("update", base={**ROW, "c": NO_UTF_8}, c="z")], "p"),
    ],
)
def test_another_value_of_a_text_that_is_no_utf_8_is_held_against_the_rule_of_such_texts(events: Any, image: str):
    case = case_of("encode", *events)
    assert blamed(case, with_message(case, put(f"value.{image}.c.v", "another"))) == ["OP-077"]


def test_a_text_that_is_utf_8_beside_one_that_is_not_keeps_its_own_rule():
    case = case_of("encode", row("insert", c=NO_UTF_8))
    # The change writes the whole value anew, and U+FFFD raw.
    assert blamed(case, with_message(case, put("value.u.x.v", "another"))) == ["OP-078", "OP-115"]
    update = case_of("encode", row("update", base={**ROW, "c": NO_UTF_8}, c="z"))
    assert "OP-077" not in blamed(update, with_message(update, put("value.u.c.v", "another")))


@pytest.mark.parametrize(
    ("digits", "before_v7", "since_v7"),
    [
        ("0.1", [], []),
        ("0.10000000149011612", [], ["OP-080"]),
        ("1.0000000149011612e-1", [], ["OP-080"]),
        ("0.100000001", ["OP-080a"], ["OP-080"]),
        ("0.1000000014901161193847656250", ["OP-080a"], ["OP-080"]),
    ],
)
def test_before_v7_0_0_a_float_may_have_the_digits_of_the_widened_number(
    digits: str, before_v7: list[str], since_v7: list[str]
) -> None:
    case, written = respelled("float", "0.1", "0.1", digits)
    assert blamed(case, written, profile_of_release("v6.5.0")) == ["OP-045", *before_v7]
    assert blamed(case, written, profile_of_release("v7.1.0")) == ["OP-045", *since_v7]
