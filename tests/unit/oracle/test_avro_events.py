"""Each thing that an Avro decoder can do wrong is held against the requirements that speak of it, and no other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from avro_answers import AS_STRINGS, BEFORE, EXTENDED, ROW, WATCHED, ZONED, case_of, row
from avro_cases import UNIQUE, WIDER

from conformance.cases.model import Case
from conformance.catalogue.register import Level, load_register
from tests.unit.oracle.judging import OLD, SMALL, answer_of, blamed, ddl_event, mark

Events = list[dict[str, Any]]

SMALL_BIT = {**SMALL, "columns": [SMALL["columns"][0], {"name": "a", "type": "bit(10)"}]}

PLAIN = case_of("decode", row("insert"))
NULLS = case_of("decode", row("insert", o=None, c=None, ti=None))
TOLD = case_of("decode", row("insert"), options=EXTENDED)
TOLD_UPDATE = case_of("decode", row("update", c="z"), options=EXTENDED)
DELETE = case_of("decode", row("delete"))
KEPT = case_of("decode", row("update", base=OLD, a="3"), table=SMALL, options=BEFORE)
KEPT_DELETE = case_of("decode", row("delete", base=OLD), table=SMALL, options=BEFORE)
TEXTS = case_of("decode", row("insert"), options=AS_STRINGS)
EASTERN = case_of("decode", row("insert"), settings=ZONED)
STATEMENT = case_of("decode", ddl_event(), table=SMALL, options=WATCHED)
MARK = case_of("decode", mark(), table=SMALL, options=WATCHED)
MARKED_DELETE = case_of("decode", row("delete", base=OLD), table=SMALL, options=WATCHED)
KEYLESS = case_of("decode", row("insert", base=OLD), table=UNIQUE)
KEYLESS_DELETE = case_of("decode", row("insert", base=OLD), row("delete", base=OLD, ts=8 << 18), table=UNIQUE)
TWO = case_of("decode", row("insert", base=OLD), row("delete", base=OLD, ts=8 << 18), table=SMALL)
GROWN = case_of(
    "decode",
    row("insert", base=OLD),
    ddl_event(after=WIDER, ts=8 << 18),
    row("insert", base={**OLD, "id": "2", "c": "3"}, ts=9 << 18),
    table=SMALL,
)
SHORT_BIT = case_of("decode", row("insert", base={"id": "1", "a": "65"}), table=SMALL_BIT)


def value(name: str, got: Any, image: str = "after") -> Callable[[Events], None]:
    """Another value of a column."""

    def change(events: Events) -> None:
        events[-1][image][name] = got

    return change


def lost(name: str, image: str = "after") -> Callable[[Events], None]:
    """A column that is left out."""

    def change(events: Events) -> None:
        del events[-1][image][name]

    return change


def member(name: str, got: Any) -> Callable[[Events], None]:
    """Another member of the event."""

    def change(events: Events) -> None:
        events[-1][name] = got

    return change


def left_out(name: str) -> Callable[[Events], None]:
    """A member that is left out."""

    def change(events: Events) -> None:
        del events[-1][name]

    return change


EVENTS: list[tuple[list[str], Case, Callable[[Events], object]]] = [
    # values
    (["AV-075b"], PLAIN, value("ti", "253")),
    (["AV-075b"], PLAIN, value("tu", "-56")),
    (["AV-077b"], PLAIN, value("id", "2")),
    (["AV-078b"], PLAIN, value("iu", "-1")),
    (["AV-079b"], PLAIN, value("b", "9007199254740992")),
    (["AV-080b"], PLAIN, value("bu", "8")),
    (["AV-080d"], PLAIN, value("big", "-1")),
    (["AV-080b", "AV-080d"], PLAIN, value("big", "9223372036854775807")),
    (["AV-081a"], TEXTS, value("big", "9223372036854775807")),
    (["AV-082d"], PLAIN, value("f", "0.2")),
    (["AV-083b"], PLAIN, value("g", "0.10000000149011612")),
    (["AV-100"], PLAIN, value("mn", "-1.25")),
    (["AV-100", "AV-104"], PLAIN, value("m", "-12345678901234567000.00")),
    (["AV-085a"], TEXTS, value("mn", "1.26")),
    (["AV-105", "AV-105c"], PLAIN, value("bt", "16640")),
    (["AV-105", "AV-105c"], SHORT_BIT, value("a", "16640")),
    (["AV-087b"], PLAIN, value("c", "Y")),
    (["AV-087b"], PLAIN, value("x", "")),
    (["AV-088b"], PLAIN, value("q", "AQI=")),
    (["AV-088b"], PLAIN, value("cb", "eQ==")),
    (["AV-089c"], PLAIN, value("e", "a")),
    (["AV-089c", "AV-107"], PLAIN, value("e", "b\\,c")),
    (["AV-090c"], PLAIN, value("s", "x")),
    (["AV-091b"], PLAIN, value("j", '{"a": 2, "b": [2]}')),
    (["AV-092b"], PLAIN, value("d", "2024-02-28")),
    (["AV-093b"], PLAIN, value("dt", "2024-02-29 01:02:03.045")),
    (["AV-094b"], PLAIN, value("w", "2024-02-29 01:02:04")),
    (["AV-094b", "AV-094d"], EASTERN, value("w", "2024-02-28 17:02:03")),
    (["AV-095b"], PLAIN, value("tm", "01:02:03.5")),
    (["AV-096b"], PLAIN, value("y", "24")),
    (["AV-097b", "AV-203c"], PLAIN, value("v", "[1,2]")),
    (["AV-052"], PLAIN, value("c", None)),
    (["AV-052"], NULLS, value("c", "")),
    (["AV-052"], NULLS, value("ti", "0")),
    (["AV-203b"], PLAIN, value("gen", "9")),
    # which columns
    (["AV-203c"], PLAIN, lost("x")),
    (["AV-203b"], PLAIN, value("more", "1")),
    (["AV-205"], TOLD, value("_tidb_op", "c")),
    (["AV-205"], TOLD, value("_tidb_commit_ts", "1")),
    (["AV-039a"], PLAIN, lambda events: events[0]["after"].update(C=events[0]["after"].pop("c"))),
    (["AV-202a"], DELETE, lost("k", "before")),
    (["AV-203b"], DELETE, value("c", "y", "before")),
    (["AV-202a"], KEPT_DELETE, lost("a", "before")),
    (["AV-203c"], KEPT, lost("a", "before")),
    (["AV-175", "AV-203c"], GROWN, lost("c")),
    # members
    (["AV-203c"], PLAIN, member("kind", "watermark")),
    (["AV-203"], PLAIN, member("op", "delete")),
    (["AV-204"], TOLD, member("op", "update")),
    (["AV-204"], TOLD_UPDATE, member("op", "insert")),
    (["AV-202"], DELETE, member("op", "update")),
    (["AV-207"], PLAIN, member("table", "test.t")),
    (["AV-207"], PLAIN, member("schema", "default")),
    (["AV-203a"], TOLD, member("commit_ts", "8")),
    (["AV-203a"], TOLD, left_out("commit_ts")),
    (["AV-203b"], PLAIN, member("commit_ts", "7")),
    (["AV-203b"], PLAIN, member("before", dict(ROW))),
    (["AV-202"], DELETE, member("after", {"id": "1", "k": "5"})),
    (["AV-202a"], DELETE, member("before", None)),
    (["AV-203c"], PLAIN, member("after", None)),
    (["AV-120c"], KEPT, member("before", None)),
    (["AV-120c"], KEPT, left_out("before")),
    (["AV-077b"], KEPT, value("a", "9", "before")),
    (["AV-131b"], MARKED_DELETE, member("commit_ts", "1")),
    (["AV-131b"], MARKED_DELETE, left_out("commit_ts")),
    # the mode for tests
    (["AV-130e"], STATEMENT, member("query", "x")),
    (["AV-130e"], STATEMENT, member("action_code", 6)),
    (["AV-130e"], STATEMENT, member("table", "u")),
    (["AV-130e"], STATEMENT, member("commit_ts", "1")),
    (["AV-130f"], MARK, member("commit_ts", "1")),
    (["AV-130f"], MARK, member("kind", "row")),
    (["AV-203b"], MARK, member("table", "t")),
    # how many
    (["AV-202"], TWO, lambda events: events.pop()),
    (["AV-213"], TWO, lambda events: events.clear()),
    (["AV-213"], TWO, lambda events: events.append(events[0])),
    (["AV-213"], TWO, lambda events: events.append(events[-1])),
    (["AV-213"], KEYLESS_DELETE, lambda events: events.append(events[0])),
    (["AV-200"], KEYLESS, lambda events: events.clear()),
    (["AV-200a"], KEYLESS_DELETE, lambda events: events.append({**events[0], "op": "delete", "after": None})),
    (["AV-130e"], STATEMENT, lambda events: events.clear()),
    (["AV-130f"], MARK, lambda events: events.clear()),
    (["AV-131b"], MARKED_DELETE, lambda events: events.clear()),
]


@pytest.mark.parametrize(
    ("requirements", "case", "change"), EVENTS, ids=[f"{i}-{'+'.join(m[0])}" for i, m in enumerate(EVENTS)]
)
def test_a_wrong_event_is_held_against_what_speaks_of_it(
    requirements: list[str], case: Case, change: Callable[[Events], object]
):
    answer = answer_of(case)
    assert blamed(case, answer) == []
    change(answer["ok"]["events"])
    assert blamed(case, answer) == requirements


LEVELS = {name: requirement.level for name, requirement in load_register("avro").requirements.items()}
WRONG = {
    **dict.fromkeys(("id", "ti", "tu", "iu", "b", "big", "f", "g", "m", "mn", "bt", "k", "o"), "7"),
    **dict.fromkeys(("c", "nu", "x"), "Z"),
    **dict.fromkeys(("q", "bn", "cb"), "QUJD"),
    "bu": "9",
    "e": "a",
    "s": "y",
    "j": "7",
    "d": "2001-01-01",
    "dt": "2001-01-01 00:00:00.000",
    "y": "2001",
    "w": "2001-01-01 00:00:00",
    "tm": "00:00:00.1",
    "v": "[7,7]",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_always_breaks_a_must(name: str):
    answer = answer_of(PLAIN)
    answer["ok"]["events"][0]["after"][name] = WRONG[name]
    assert Level.MUST in {LEVELS[requirement] for requirement in blamed(PLAIN, answer)}


REFUSALS: list[tuple[list[str], Case]] = [
    (["AV-203"], PLAIN),
    (["AV-203c"], TOLD),
    (["AV-202"], DELETE),
    (["AV-120c"], KEPT),
    (["AV-130e"], STATEMENT),
    (["AV-130f"], MARK),
    (["AV-131b"], MARKED_DELETE),
    (["AV-200"], KEYLESS),
    (["AV-200a"], KEYLESS_DELETE),
    (["AV-175"], replace(PLAIN, axes={"encoding": "spaced"})),
]


@pytest.mark.parametrize(("requirements", "case"), REFUSALS, ids=[f"{r[0][0]}" for r in REFUSALS])
def test_a_record_that_is_refused_is_held_against_what_it_shows(requirements: list[str], case: Case):
    refusal = {"rejected": {"class": "framing", "message": "no"}}
    assert blamed(case, refusal) == requirements


@pytest.mark.parametrize("op", ["insert", "update", "upsert"])
def test_a_row_that_does_not_say_what_happened_may_be_called_anything_that_leaves_it(op: str):
    answer = answer_of(PLAIN)
    answer["ok"]["events"][0]["op"] = op
    assert blamed(PLAIN, answer) == []


def test_a_virtual_column_may_be_left_out_or_null():
    answer = answer_of(PLAIN)
    answer["ok"]["events"][0]["after"].pop("gen", None)
    assert blamed(PLAIN, answer) == []
    answer["ok"]["events"][0]["after"]["gen"] = None
    assert blamed(PLAIN, answer) == []
