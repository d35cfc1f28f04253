"""What Open Protocol is blamed for where the profile, a defect or a list of numbers decides it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.model import Case
from reference_impl.profiles import CLASSIC, NEWARCH
from reference_impl.protocols import CODECS
from tests.unit.oracle.changes import drop, put
from tests.unit.oracle.faults_of_open_protocol import (
    CLAIMED,
    DDL,
    DDL_SCHEMA,
    DELETE,
    INSERT,
    MARK,
    ONLY_CHANGED,
    UPDATE,
)
from tests.unit.oracle.judging import SMALL, answer_of, blamed, judged, options_of
from tests.unit.oracle.open_answers import ROW, case_of, ddl, row, with_message


def test_what_the_other_generation_writes_breaks_nothing_but_rules_of_style():
    found = {
        finding.requirement
        for case in (INSERT, UPDATE, DELETE, DDL, DDL_SCHEMA, MARK)
        for finding in judged(case, answer_of(case, CLASSIC)).findings
    }
    assert found == {"OP-024", "OP-045", "OP-075", "OP-076"}


def test_the_order_of_members_of_a_key_is_that_of_the_profile():
    case = case_of("encode", row("insert"))
    shuffled = put("key", b'{"t":1,"ts":7,"scm":"test","tbl":"t"}')
    assert blamed(case, with_message(case, shuffled, CLASSIC), CLASSIC) == ["OP-022"]


def test_a_generated_column_in_an_index_has_the_flags_of_either_generation():
    table = {
        **SMALL,
        "columns": [SMALL["columns"][0], {"name": "a", "type": "int", "generated": "stored"}],
        "indexes": [{"name": "i", "columns": ["id", "a"]}],
    }
    case = case_of("encode", row("insert", base={"id": "1", "a": "2"}), table=table)
    assert answer_of(case, CLASSIC) != answer_of(case, NEWARCH)
    assert blamed(case, answer_of(case, CLASSIC)) == ["OP-045", "OP-252"]


def test_a_claim_check_file_is_compared_with_the_whole_event_and_its_name_is_free():
    right = answer_of(CLAIMED)
    other = with_message(CLAIMED, drop("value.u.id.h"))
    assert blamed(CLAIMED, right) == []
    assert "OP-170" in blamed(CLAIMED, {"ok": {**right["ok"], "claims": []}})
    assert blamed(CLAIMED, other) == ["OP-052"]


@pytest.mark.parametrize(("kind", "is_short"), [("varchar(5)", True), ("char(5)", True), ("text", False)])
def test_the_rule_on_bytes_that_are_not_utf_8_is_one_of_short_texts(kind: str, is_short: bool):
    table = {**SMALL, "columns": [SMALL["columns"][0], {"name": "a", "type": kind}]}
    case = case_of("encode", row("insert", base={"id": "1", "a": {"base64": "Yf8="}}), table=table)
    assert ("OP-077" in blamed(case, with_message(case, put("value.u.a.v", "b")))) is is_short


# -- names that are lost in the records --------------------------------------------------------------------------------


def with_lost_names(case: Case) -> Case:
    """A decoder is put what a producer writes that loses the names of columns which are NULL in `p`."""
    defects = frozenset({"open-protocol/nameless-null-in-p"})
    encoder = CODECS["open-protocol"].encoder(options_of(case), NEWARCH, defects=defects)
    return replace(case, role="decode", records=encoder.encode(case.events, case.tables).records)


def test_a_column_whose_name_is_lost_in_the_records_may_be_left_out_but_not_be_invented():
    case = case_of("encode", row("update", c=None), options=ONLY_CHANGED)
    decode = with_lost_names(case)
    answer = answer_of(decode)
    assert "c" not in answer["ok"]["events"][0]["before"]
    assert blamed(decode, answer) == []
    answer["ok"]["events"][0]["before"]["c"] = ROW["c"]
    assert blamed(decode, answer) == []
    answer["ok"]["events"][0]["before"]["c"] = None
    assert blamed(decode, answer) == ["OP-119"]


@pytest.mark.parametrize("earlier", [ROW, {**ROW, "c": None}])
def test_a_previous_value_that_the_records_tell_may_not_be_left_out(earlier: dict[str, Any]):
    """Where one column has lost its name, the others have not."""
    case = case_of(
        "encode", row("update", base=earlier, c=None if earlier is ROW else "x", m="2.50"), options=ONLY_CHANGED
    )
    decode = with_lost_names(case)
    answer = answer_of(decode)
    assert blamed(decode, answer) == []
    del answer["ok"]["events"][0]["before"]["m"]
    assert blamed(decode, answer) == ["OP-042"]


# -- numbers of statements: three lists have them, each of which has a rule of its own ---------------------------------


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
