"""Which requirement a wrong answer of a Debezium decoder is held against."""

from __future__ import annotations

from typing import Any

import pytest
from debezium_answers import BARE, CHANGED, EXTENDED, NO_OLD, blamed, case_of, ddl, drop, put, row

from conformance.cases.model import Case
from tests.unit.oracle.judging import Change, answer_of, mark

INSERTED = case_of("decode", row("insert"), options=EXTENDED)
UPDATED = case_of("decode", row("update", c="z"))
UNTOLD = case_of("decode", row("update", c="z"), options=NO_OLD)
DELETED = case_of("decode", row("delete"))
TWO = case_of("decode", row("insert"), row("delete", ts=8 << 18))
STATED = case_of("decode", ddl(), table=CHANGED)
MARKED = case_of("decode", mark(), options=EXTENDED)
PRESSED = case_of("decode", row("insert"), options={"large-message-handle-compression": "lz4"})
UNSCHEMED = case_of("decode", row("insert"), options=BARE)
BLIND = case_of("decode", row("insert"), options=EXTENDED, send_tables=False)
DEFAULTED = case_of("decode", row("insert", ti=None, x=""))


def emptied(events: list[Any]) -> None:
    """No event at all."""
    events.clear()


def swapped(events: list[Any]) -> None:
    """Each image in the place of the other."""
    events[0]["before"], events[0]["after"] = events[0]["after"], events[0]["before"]


EVENTS: list[tuple[str, Case, Change]] = [
    ("453", PRESSED, emptied),
    ("453", INSERTED, emptied),
    ("453", STATED, emptied),
    ("453", MARKED, emptied),
    ("453", UNSCHEMED, emptied),
    ("453", BLIND, emptied),
    ("453", TWO, lambda events: events.append(events[0])),
    ("451a", INSERTED, put("0.kind", "ddl")),
    ("451b", STATED, put("0.kind", "row")),
    ("451c", MARKED, put("0.kind", "row")),
    ("451a", INSERTED, put("0.op", "update")),
    ("451a", INSERTED, drop("0.op")),
    ("451y", STATED, put("0.op", "insert")),
    ("451f", INSERTED, put("0.schema", "TEST")),
    ("451f", INSERTED, put("0.table", "my-cluster.test.t")),
    ("451f", INSERTED, drop("0.table")),
    ("451b", STATED, put("0.schema", "x")),
    ("451b", STATED, put("0.table", "")),
    ("451b", STATED, drop("0.query")),
    ("451b", STATED, put("0.query", "x")),
    ("451y", MARKED, put("0.schema", "test")),
    ("451y", INSERTED, put("0.query", "INSERT")),
    ("451d", INSERTED, put("0.commit_ts", "8")),
    ("451d", INSERTED, drop("0.commit_ts")),
    ("451d", STATED, put("0.commit_ts", "7")),
    ("451d", MARKED, put("0.commit_ts", str((7 << 18) + 1))),
    ("451y", INSERTED, put("0.before", {"id": "1"})),
    ("451y", DELETED, put("0.after", {"id": "1"})),
    ("451y", UNTOLD, put("0.before", {"id": "1"})),
    ("451e", INSERTED, put("0.after", None)),
    ("451e", DELETED, drop("0.before")),
    ("451e", UPDATED, put("0.before", None)),
    ("451e", UPDATED, swapped),
    ("451e", INSERTED, drop("0.after.c")),
    ("451e", INSERTED, drop("0.after.id")),
    ("451e 451u", INSERTED, drop("0.after.o")),
    ("451y", INSERTED, put("0.after.more", "1")),
    ("451y", INSERTED, put("0.after.gen", "9")),
    ("451y", INSERTED, put("0.more", "1")),
    ("451g", INSERTED, put("0.after.ti", "253")),
    ("451g", INSERTED, put("0.after.ti", "-4")),
    ("451g", INSERTED, put("0.after.bo", "0")),
    ("451g", INSERTED, put("0.after.su", "-1")),
    ("451g", INSERTED, put("0.after.iu", "-1")),
    ("451g", INSERTED, put("0.after.b", "9007199254740992")),
    ("451g", INSERTED, put("0.after.b", None)),
    ("451e 451h", INSERTED, put("0.after.bu", "-1")),
    ("451i", INSERTED, put("0.after.b1", "0")),
    ("451i", INSERTED, put("0.after.bt", "258")),
    ("451j", INSERTED, put("0.after.f", "0.2")),
    ("451j", INSERTED, put("0.after.g", "0.250001")),
    ("451k", INSERTED, put("0.after.m", "1.51")),
    ("451k", INSERTED, put("0.after.m", "150")),
    ("451l", INSERTED, put("0.after.d", "2024-03-01")),
    ("451l", INSERTED, put("0.after.d", "19782")),
    ("451l", INSERTED, put("0.after.dt", "2024-02-29 09:02:03")),
    ("451l", INSERTED, put("0.after.d6", "2024-02-29 01:02:03.456000")),
    ("451m", INSERTED, put("0.after.w", "2024-02-29 09:02:03.500")),
    ("451m", INSERTED, put("0.after.w", "2024-02-29T01:02:03.500Z")),
    ("451n", INSERTED, put("0.after.tm", "01:02:03")),
    ("451o", INSERTED, put("0.after.y", "24")),
    ("451p", INSERTED, put("0.after.c", "Y")),
    ("451p", INSERTED, put("0.after.x", "text ")),
    ("451q", INSERTED, put("0.after.q", "QVFMLw==")),
    ("451r", INSERTED, put("0.after.e", "a")),
    ("451r", INSERTED, put("0.after.s", "a")),
    ("451s", INSERTED, put("0.after.j", '{"a": 1.5}')),
    ("451e 451t", INSERTED, put("0.after.v", "[1,0.25]")),
    ("451e 451u", INSERTED, put("0.after.o", "0")),
    ("451g", DEFAULTED, put("0.after.ti", None)),
    ("451p 451u", DEFAULTED, put("0.after.x", None)),
    ("451k 451x", BLIND, put("0.after.m", "1.51")),
    ("451p", UPDATED, put("0.before.c", "z")),
    ("451g", DELETED, put("0.before.id", "2")),
]


@pytest.mark.parametrize(
    ("requirements", "case", "change"), EVENTS, ids=[f"{i}-{e[0].replace(' ', '+')}" for i, e in enumerate(EVENTS)]
)
def test_a_wrong_event_is_held_against_the_requirement_that_speaks_of_it(requirements: str, case: Case, change: Change):
    answer = answer_of(case)
    assert blamed(case, answer) == []
    change(answer["ok"]["events"])
    assert blamed(case, answer) == requirements.split()


@pytest.mark.parametrize(
    ("requirement", "case"),
    [("451a", INSERTED), ("451b", STATED), ("451c", MARKED), ("451a", UNSCHEMED), ("451x", BLIND), ("016a", PRESSED)],
)
def test_a_refusal_is_held_against_what_had_to_be_read(requirement: str, case: Case):
    assert blamed(case, {"rejected": {"class": "syntax", "message": "no"}}) == [requirement]


@pytest.mark.parametrize(
    "refusal", [{"class": "schema", "message": "no"}, {"class": "syntax", "message": "there is no Schema"}]
)
def test_a_refusal_for_a_schema_that_is_switched_off_is_held_against_reading_without_one(refusal: dict[str, str]):
    assert blamed(UNSCHEMED, {"rejected": refusal}) == ["451w"]
    assert blamed(INSERTED, {"rejected": refusal}) == ["451a"]


def test_a_decoder_may_say_what_the_format_does_not_carry():
    answer = answer_of(INSERTED)
    answer["ok"]["events"][0] |= {"source": {"offset": "1"}, "row_id": "1"}
    assert blamed(INSERTED, answer) == []
