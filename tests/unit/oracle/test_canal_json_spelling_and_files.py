"""Another spelling of a Canal-JSON message breaks little; a claim-check file is held against the message in it."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.catalogue.register import Level, load_register
from tests.unit.oracle.canal_answers import COMMIT_TS, EXTENSION, TABLE, case_of, row, with_message, with_text
from tests.unit.oracle.changes import put
from tests.unit.oracle.faults_of_canal_json import DDL, INSERT, TRUNCATED
from tests.unit.oracle.judging import Change, answer_of, assert_charged, ddl_event, judged

REGISTER = load_register("canal-json")

TEXTS: list[tuple[str, Case, str, str]] = [
    ("CJ-012", INSERT, '"id":0', '"id": 0'),
    ("CJ-701", INSERT, '\\"a\\"', "\\u0022a\\u0022"),
    ("CJ-702", INSERT, "\\u003cnull\\u003e", "<null>"),
    ("CJ-703", INSERT, " \\t ", " \\u0009 "),
    ("CJ-706", INSERT, "é", "\\u00e9"),
    ("CJ-707", INSERT, " / ", " \\/ "),
    ("CJ-710", DDL, "DROP", "\\u0044ROP"),
    ("CJ-711", INSERT, '"id":0', '"id":0e0'),  # the only one that makes a float of an integer
]


@pytest.mark.parametrize(("expected", "case", "old", "new"), TEXTS)
def test_another_spelling_of_the_same_message_breaks_a_may_alone(expected: str, case: Case, old: str, new: str) -> None:
    answer = with_text(answer_of(case), lambda text: text.replace(old, new, 1))
    assert_charged(judged(case, answer), {expected})
    levels = {REGISTER.requirements[finding.requirement].level for finding in judged(case, answer).findings}
    assert levels == {Level.SHOULD if expected == "CJ-711" else Level.MAY}


# -- files -------------------------------------------------------------------------------------------------------------

STORED = {"large-message-handle-option": "claim-check", "claim-check-storage-uri": "file:///claims"}
LIMITED = {**EXTENSION, "max-message-bytes": "800"}


def claim_case(x: str = "y" * 2000, role: Any = "encode") -> Case:
    return case_of(row("insert", x=x), options=LIMITED | STORED, role=role)


def in_file(edit: Change) -> Change:
    """A change of the message in the claim-check file."""

    def change(ok: Any) -> None:
        wrapped = json.loads(base64.b64decode(ok["claims"][0]["value"]))
        message = json.loads(base64.b64decode(wrapped["value"]))
        edit(message)
        wrapped["value"] = base64.b64encode(json.dumps(message).encode()).decode()
        ok["claims"][0]["value"] = base64.b64encode(json.dumps(wrapped).encode()).decode()

    return change


def one_more(ok: Any) -> None:
    """A file that no message refers to."""
    ok["claims"].append({**ok["claims"][0], "location": "file:///claims/more.json"})


FILES: list[Change] = [
    put("claims.0.location", "file:///claims/other.json"),  # the message refers to no file
    in_file(put("type", "DELETE")),
    *(in_file(put("es", value)) for value in (1, True, None)),  # no text: compared as it is
    one_more,
    put("claims", []),
]


@pytest.mark.parametrize("change", FILES)
def test_a_file_that_is_not_the_whole_message_is_found(change: Change) -> None:
    case = claim_case()
    answer = answer_of(case)
    change(answer["ok"])
    assert_charged(judged(case, answer), {"CJ-133"})


def test_the_name_of_a_claim_check_file_is_free() -> None:
    case = claim_case()
    answer = answer_of(case)
    [claim] = answer["ok"]["claims"]
    name = claim["location"].rpartition("/")[2]
    claim["location"] = claim["location"].replace(name, "other.json")
    renamed = with_text(answer, lambda text: text.replace(name, "other.json"))
    assert judged(case, renamed).findings == []


@pytest.mark.parametrize(
    ("expected", "got", "charged"),
    [
        ('{"a":1,"b":2}', '{"b": 2, "a": 1.0}', set()),
        ("1", "1.00", set()),
        ("1", "true", {"CJ-133"}),
        ("9007199254740993", "9007199254740992", {"CJ-133"}),
        ("{", "[", {"CJ-133"}),
    ],
)
def test_texts_in_a_file_may_be_the_same_json_with_exact_numbers(expected: str, got: str, charged: set[str]) -> None:
    case = claim_case(x=expected + " " * 2000)
    answer = answer_of(case)
    in_file(put("data.0.x", got))(answer["ok"])
    assert_charged(judged(case, answer), charged)


@pytest.mark.parametrize("location", [5, None, ["file:///claims/x.json"]])
def test_a_location_that_is_no_text_refers_to_no_file(location: object) -> None:
    case = claim_case()
    odd = with_message(answer_of(case), put("_tidb.claimCheckLocation", location))
    assert {f.path for f in judged(case, odd).findings} == {"value._tidb.claimCheckLocation"}


def test_a_row_put_into_storage_is_more_than_its_key() -> None:
    case = claim_case(role="decode")
    answer = answer_of(case)
    answer["ok"]["events"][0]["after"] = {"b": "1", "a": "k"}
    assert_charged(judged(case, answer), {"CJ-133"})


# -- types of statements -----------------------------------------------------------------------------------------------

KINDS = {
    "CJ-601": [3], "CJ-602": [4], "CJ-603": [11], "CJ-604": [14, 47], "CJ-605": [7, 9, 32], "CJ-606": [8, 10, 33],
    "CJ-607": [5, 6, 12, 13, 15, 17, 18, 19, 20, 22, 23, 37, 38, 41, 64, 71, 72], "CJ-608": [1, 21, 24, 25, 26],
    "CJ-608a": [2], "CJ-609": [16, 27, 42, 65, 67, 77], "CJ-610": [60], "CJ-627": [61],
}  # fmt: skip


@pytest.mark.parametrize(("requirement", "code"), [(id_, code) for id_, codes in KINDS.items() for code in codes])
def test_another_type_of_a_statement_is_charged_to_the_rule_of_its_kind(requirement: str, code: int) -> None:
    case = case_of(ddl_event(COMMIT_TS, after=TABLE, **TRUNCATED | {"action": "", "action_code": code}))
    answer = with_message(answer_of(case), put("type", "OTHER"))
    assert_charged(judged(case, answer), {requirement})
