"""Numbers of statements in Open Protocol: three lists have them, each of which has a rule of its own."""

from __future__ import annotations

import pytest
from open_answers import case_of, ddl, put, row, with_message

from tests.unit.oracle.judging import answer_of, blamed


@pytest.mark.parametrize(
    ("code", "encode", "decode"),
    [
        (0, "OP-145", "OP-144"),
        (1, "OP-143", "OP-143"),
        (36, "OP-143", "OP-143"),  # the last of the document's list
        (37, "OP-143a", "OP-143a"),
        (77, "OP-143a", "OP-143a"),  # the last of TiDB's
        (78, "OP-145", "OP-144"),
        (231, "OP-145", "OP-144"),
    ],
)
def test_another_number_of_a_statement_is_held_against_the_list_that_has_the_right_one(
    code: int, encode: str, decode: str
):
    written = case_of("encode", ddl(code=code))
    assert blamed(written, with_message(written, put("value.t", 99))) == [encode]
    read_back = case_of("decode", ddl(code=code))
    answer = answer_of(read_back)
    answer["ok"]["events"][0]["action_code"] = 99
    assert blamed(read_back, answer) == [decode]


REFUSED = {"rejected": {"class": "type", "message": "no such statement"}}


@pytest.mark.parametrize(
    ("code", "encode", "decode"),
    [(36, "OP-001", "OP-001"), (37, "OP-143a", "OP-143a"), (77, "OP-143a", "OP-143a"), (231, "OP-145", "OP-144")],
)
def test_the_refusal_of_a_statement_beyond_the_list_is_held_against_the_rule_on_its_code(
    code: int, encode: str, decode: str
):
    assert blamed(case_of("encode", ddl(code=code)), REFUSED) == [encode]
    assert blamed(case_of("decode", ddl(code=code)), REFUSED) == [decode]


def test_the_refusal_of_a_row_beside_such_a_statement_may_have_another_reason():
    assert blamed(case_of("encode", ddl(code=231), row("insert")), REFUSED) == ["OP-001"]
