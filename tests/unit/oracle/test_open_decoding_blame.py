"""Each thing that a decoder can do wrong is held against the requirement that speaks of it, alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from open_answers import ROW, case_of, ddl, drop, mark, put, row

from reference_impl.profiles import NEWARCH
from reference_impl.protocols import CODECS
from tests.unit.oracle.judging import answer_of, blamed, options_of

ONLY_CHANGED = {"only-output-updated-columns": "true"}
NO_OLD = {"open-output-old-value": "false"}
HANDLE_ONLY = {"large-message-handle-option": "handle-key-only", "max-message-bytes": "300"}

EVENTS: list[tuple[str, dict[str, Any], Callable[[Any], None]]] = [
    ("OP-257", {"events": [row("insert")]}, lambda events: events.clear()),
    ("OP-020", {"events": [row("insert")]}, put("0.kind", "ddl")),
    ("OP-025", {"events": [mark()]}, put("0.kind", "row")),
    ("OP-027", {"events": [row("insert")]}, put("0.commit_ts", "8")),
    ("OP-027", {"events": [mark()]}, drop("0.commit_ts")),
    ("OP-034", {"events": [row("insert")]}, put("0.table", "T")),
    ("OP-024a", {"events": [ddl(table="")]}, put("0.table", "t")),
    ("OP-040", {"events": [row("insert")]}, drop("0.after.c")),
    ("OP-040", {"events": [row("insert")]}, put("0.after.more", "1")),
    ("OP-041", {"events": [row("insert")]}, put("0.after", None)),
    ("OP-041", {"events": [row("delete")]}, put("0.after", {"id": "1"})),
    ("OP-042", {"events": [row("update", c="z")]}, put("0.before", None)),
    ("OP-042", {"events": [row("update", c="z")]}, drop("0.before.c")),
    ("OP-048", {"events": [row("delete")]}, drop("0.before.c")),
    ("OP-051", {"events": [row("update", c="z")]}, put("0.op", "insert")),
    ("OP-060", {"events": [row("update", c="z")], "options": ONLY_CHANGED}, put("0.before.id", "1")),
    ("OP-065", {"events": [ddl()]}, drop("0.query")),
    ("OP-066", {"events": [ddl()]}, put("0.query", "x")),
    ("OP-143", {"events": [ddl()]}, put("0.action_code", 6)),
    ("OP-143a", {"events": [ddl(code=61)]}, put("0.action_code", 6)),
    ("OP-144", {"events": [ddl(code=99)]}, put("0.action_code", 6)),
    ("OP-028", {"events": [row("insert") | {"partition_id": 4}]}, drop("0.partition_id")),
    ("OP-094", {"events": [row("insert")]}, put("0.after.id", "2")),
    ("OP-238", {"events": [row("insert")]}, put("0.after.n", "9007199254740992")),
    ("OP-095", {"events": [row("insert")]}, put("0.after.f", "0.2")),
    ("OP-112", {"events": [row("insert")]}, put("0.after.m", "1.51")),
    ("OP-113", {"events": [row("insert")]}, put("0.after.e", {"index": "1"})),
    ("OP-119", {"events": [row("insert")]}, put("0.after.o", "0")),
    ("OP-119", {"events": [row("insert")]}, put("0.after.c", None)),
    ("OP-119", {"events": [row("insert", q=None)]}, put("0.after.q", "eA==")),
    ("OP-119", {"events": [row("insert", q=None)], "send_tables": False}, put("0.after.q", "eA==")),
    ("OP-140", {"events": [row("insert")]}, put("0.after.q", "eA==")),
    ("OP-106", {"events": [row("insert", q="eA==")]}, put("0.after.q", "eQ==")),
    ("OP-120", {"events": [row("insert")], "send_tables": False}, put("0.after.b", {"base64": "eA=="})),
    ("OP-142", {"events": [row("insert")], "send_tables": False}, put("0.after.q", "eA==")),
    ("OP-243", {"events": [row("update", c="z")], "options": NO_OLD}, put("0.op", "delete")),
    ("OP-051", {"events": [row("update")], "options": ONLY_CHANGED}, put("0.op", "delete")),
    ("OP-057", {"events": [row("update")], "options": ONLY_CHANGED}, put("0.before", {"id": "1"})),
    ("OP-042", {"events": [row("update")], "options": ONLY_CHANGED}, put("0.before", {"id": "2"})),
    ("OP-042", {"events": [row("update", c="z")], "options": ONLY_CHANGED}, put("0.before.id", None)),
    ("OP-244", {"events": [row("insert")], "options": HANDLE_ONLY}, put("0.after.k", "5")),
]


@pytest.mark.parametrize(("requirement", "given", "change"), EVENTS, ids=[f"{i}-{m[0]}" for i, m in enumerate(EVENTS)])
def test_a_wrong_event_is_held_against_one_requirement(
    requirement: str, given: dict[str, Any], change: Callable[[Any], None]
):
    members = {name: value for name, value in given.items() if name != "events"}
    case = case_of("decode", *given["events"], **members)
    answer = answer_of(case)
    assert blamed(case, answer) == []
    events = {str(i): event for i, event in enumerate(answer["ok"]["events"])}
    change(events)
    assert blamed(case, {"ok": {"events": list(events.values())}}) == [requirement]


def test_a_decoder_may_say_what_the_format_does_not_carry():
    case = case_of("decode", row("insert"))
    answer = answer_of(case)
    answer["ok"]["events"][0] |= {"source": {"offset": "1"}, "row_id": "1"}
    assert blamed(case, answer) == []


def test_an_update_without_previous_values_may_be_called_an_insert_an_update_or_an_upsert():
    case = case_of("decode", row("update", c="z"), options=NO_OLD)
    answer = answer_of(case)
    found = []
    for name in ("insert", "update", "upsert"):
        answer["ok"]["events"][0]["op"] = name
        found += blamed(case, answer)
    assert found == []


def test_a_refusal_of_another_json_spelling_is_held_against_its_rule():
    spaced = replace(case_of("decode", row("insert")), axes={"encoding": "spaced"})
    extended = replace(spaced, axes={"encoding": "unknown members"})
    refusal = {"rejected": {"class": "syntax", "message": "no"}}
    assert (blamed(spaced, refusal), blamed(extended, refusal)) == (["OP-083a"], ["OP-245"])


def test_a_column_whose_name_is_lost_in_the_records_may_be_left_out_but_not_be_invented():
    case = case_of("encode", row("update", c=None), options=ONLY_CHANGED)
    defects = frozenset({"open-protocol/nameless-null-in-p"})
    encoder = CODECS["open-protocol"].encoder(options_of(case), NEWARCH, defects=defects)
    decode = replace(case, role="decode", records=encoder.encode(case.events, case.tables).records)
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
    defects = frozenset({"open-protocol/nameless-null-in-p"})
    encoder = CODECS["open-protocol"].encoder(options_of(case), NEWARCH, defects=defects)
    decode = replace(case, role="decode", records=encoder.encode(case.events, case.tables).records)
    answer = answer_of(decode)
    assert blamed(decode, answer) == []
    del answer["ok"]["events"][0]["before"]["m"]
    assert blamed(decode, answer) == ["OP-042"]
