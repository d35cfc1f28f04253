"""The judge of cases of the upstream dialects: which requirement an answer breaks, and where two answers are right."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.inputs import column, ddl, history, insert, table, timed, update
from conformance.cases.model import Case, ExpectedAnswer, ExpectedRejection
from conformance.embedded import Embedded
from conformance.oracle.upstream.case_judge import UpstreamJudge
from reference_impl.errors import RejectionClass
from reference_impl.model import Event
from reference_impl.wire import record_from_json

Json = dict[str, Any]

TABLE = table("t", (column("id", "int", nullable=False), column("a", "varchar(20)"), column("n", "bigint unsigned")))
ROW = {"id": "7", "a": "x", "n": "18446744073709551615"}
CANAL, CONNECTOR = "canal", "debezium-connector"
BARE = {"schemas.enable": "false"}


def encode_case(protocol: str, *events: Event) -> Case:
    options = BARE if protocol == CONNECTOR else {}
    return Case("a/case", protocol, "encode", tables=(TABLE,), events=timed(events), options=options)


def decode_case(protocol: str, *events: Event) -> Case:
    case = encode_case(protocol, *events)
    answer = Embedded().ask(case)["ok"]["records"]
    return replace(case, role="decode", records=tuple(map(record_from_json, answer)))


def found(case: Case, change: Callable[[Json], Any]) -> list[tuple[str, str]]:
    """What is found in the right answer after a change: requirement and kind."""
    answer = copy.deepcopy(dict(Embedded().ask(case)))
    change(answer)
    return [(f.requirement, str(f.kind)) for f in UpstreamJudge(case.protocol).judge(case, answer).findings]


def value(answer: Json, at: int = 0) -> Json:
    tree: Json = json.loads(base64.b64decode(answer["ok"]["records"][at]["value"]))
    return tree


def put(answer: Json, tree: Json, at: int = 0) -> None:
    text = json.dumps(tree, separators=(",", ":"), ensure_ascii=False)
    answer["ok"]["records"][at]["value"] = base64.b64encode(text.encode()).decode()


def edited(change: Callable[[Json], Any]) -> Callable[[Json], None]:
    def edit(answer: Json) -> None:
        tree = value(answer)
        change(tree)
        put(answer, tree)

    return edit


def nothing(answer: Json) -> None:
    """The right answer."""


@pytest.mark.parametrize("protocol", [CANAL, CONNECTOR])
@pytest.mark.parametrize("make", [encode_case, decode_case])
def test_the_right_answer_breaks_nothing(protocol: str, make: Callable[..., Case]) -> None:
    assert found(make(protocol, *history(TABLE, [ROW, {**ROW, "a": None}, None])), nothing) == []


ENCODERS: dict[str, tuple[str, Callable[[Json], Any], list[tuple[str, str]]]] = {
    "a lost message": (CANAL, lambda a: a["ok"]["records"].clear(), [("CJ-901", "missing")]),
    "a message twice": (CANAL, lambda a: a["ok"].update(records=a["ok"]["records"] * 2), [("CJ-901", "extra")]),
    "a digit": (CANAL, edited(lambda t: t["data"][0].update(id="8")), [("CJ-440", "value")]),
    "a number for a text": (CANAL, edited(lambda t: t["data"][0].update(id=7)), [("CJ-909", "json kind")]),
    "a lost column": (CANAL, edited(lambda t: t["data"][0].pop("a")), [("CJ-905", "missing")]),
    "a code": (CANAL, edited(lambda t: t["sqlType"].update(n=-5)), [("CJ-420", "value")]),
    "no JSON": (CANAL, lambda a: a["ok"]["records"][0].update(value="e30x"), [("CJ-204", "broken")]),
    "a lost record": (CONNECTOR, lambda a: a["ok"]["records"].clear(), [("DBZ-251", "missing")]),
    "a number": (CONNECTOR, edited(lambda t: t["after"].update(id=8)), [("DBZ-206", "value")]),
    "a fraction": (CONNECTOR, edited(lambda t: t["after"].update(id=7.0)), [("DBZ-206", "value")]),
    "another topic": (CONNECTOR, lambda a: a["ok"]["records"][0].update(topic="x"), [("DBZ-252", "value")]),
    "a refusal": (
        CONNECTOR,
        lambda a: a.update(rejected={"class": "type", "message": ""}) or a.pop("ok"),
        [("DBZ-251", "refused")],
    ),
}


@pytest.mark.parametrize(("protocol", "change", "expected"), ENCODERS.values(), ids=ENCODERS)
def test_a_fault_of_an_encoder_is_one_of_the_requirement_that_speaks_there(
    protocol: str, change: Callable[[Json], Any], expected: list[tuple[str, str]]
) -> None:
    assert found(encode_case(protocol, insert(TABLE, ROW)), change) == expected


def test_a_lost_record_costs_itself_alone() -> None:
    case = encode_case(CONNECTOR, *history(TABLE, [ROW, {**ROW, "a": "y"}, None]))
    assert found(case, lambda a: a["ok"]["records"].pop(1)) == [("DBZ-251", "missing")]
    assert found(case, lambda a: a["ok"]["records"].pop(3)) == [("DBZ-022", "missing")]


def test_records_that_change_places_are_where_they_should_not_be() -> None:
    case = encode_case(CANAL, *(insert(TABLE, {**ROW, "id": str(n)}) for n in (1, 2)))
    kinds = found(case, lambda a: a["ok"]["records"].reverse())
    assert {requirement for requirement, _ in kinds} <= {"CJ-901", "CJ-440"}
    assert kinds


EVENTS: dict[str, tuple[str, Callable[[Json], Any], list[tuple[str, str]]]] = {
    "a value": (CANAL, lambda a: a["ok"]["events"][0]["after"].update(n="-1"), [("CJ-440", "value")]),
    "NULL for a value": (CANAL, lambda a: a["ok"]["events"][0]["after"].update(a=None), [("CJ-450", "value")]),
    "a lost event": (CANAL, lambda a: a["ok"]["events"].clear(), [("CJ-901", "count")]),
    "a commit time": (CANAL, lambda a: a["ok"]["events"][0].update(commit_ts="7"), [("CJ-668", "value")]),
    "another operation": (CONNECTOR, lambda a: a["ok"]["events"][0].update(op="read"), [("DBZ-044", "value")]),
    "a column more": (CONNECTOR, lambda a: a["ok"]["events"][0]["after"].update(z="1"), [("DBZ-447", "extra")]),
    "an image more": (CONNECTOR, lambda a: a["ok"]["events"][0].update(before={"id": "7"}), [("DBZ-447", "value")]),
}


@pytest.mark.parametrize(("protocol", "change", "expected"), EVENTS.values(), ids=EVENTS)
def test_a_fault_of_a_decoder_is_one_of_the_requirement_that_speaks_there(
    protocol: str, change: Callable[[Json], Any], expected: list[tuple[str, str]]
) -> None:
    assert found(decode_case(protocol, insert(TABLE, ROW)), change) == expected


def test_unchanged_columns_in_old_are_permitted_but_must_be_right() -> None:
    case = decode_case(CANAL, insert(TABLE, ROW), update(TABLE, ROW, {**ROW, "a": "y"}))
    assert found(case, lambda a: a["ok"]["events"][1]["before"].update(id="7")) == []
    assert found(case, lambda a: a["ok"]["events"][1]["before"].update(id="8")) == [("CJ-440", "value")]


@pytest.mark.parametrize(("own", "other"), [("after", "before"), ("before", "after")])
def test_an_image_that_is_the_other_one_is_one_fault_whatever_types_it_has(own: str, other: str) -> None:
    events = history(TABLE, [ROW, {**ROW, "a": "y", "n": "5"}])[1:]
    in_record = edited(lambda tree: tree.update({own: tree[other]}))
    assert found(encode_case(CONNECTOR, *events), in_record) == [("DBZ-044", "value")]
    one_off = edited(lambda tree: tree.update({own: tree[other] | {"a": "z"}}))
    assert len(found(encode_case(CONNECTOR, *events), one_off)) == 2

    def in_event(answer: Json) -> None:
        answer["ok"]["events"][0][own] = answer["ok"]["events"][0][other]

    assert found(decode_case(CONNECTOR, *events), in_event) == [("DBZ-447", "value")]


def test_an_image_that_is_the_other_one_without_its_key_has_lost_the_key() -> None:
    case = decode_case(CANAL, *history(TABLE, [ROW, {**ROW, "a": "y", "n": "5"}])[1:])

    def change(answer: Json) -> None:
        event = answer["ok"]["events"][0]
        event["after"] = {name: event["before"][name] for name in ("a", "n")}

    assert ("CJ-905", "missing") in found(case, change)


def test_a_change_of_a_key_is_one_event_or_two() -> None:
    case = decode_case(CONNECTOR, insert(TABLE, ROW), update(TABLE, ROW, {**ROW, "id": "8"}))

    def halved(answer: Json) -> None:
        whole = answer["ok"]["events"].pop()
        answer["ok"]["events"] += [{**whole, "op": "delete", "after": None}, {**whole, "op": "insert", "before": None}]

    assert found(case, halved) == []


def test_events_that_the_model_has_no_place_for_are_information() -> None:
    case = decode_case(CONNECTOR, insert(TABLE, ROW))
    assert found(case, lambda a: a["ok"]["events"].insert(0, {"kind": "transaction", "status": "BEGIN"})) == []


def test_a_statement_is_read_as_it_stands_in_its_record() -> None:
    statement = ddl(TABLE, "ALTER TABLE `t` COMMENT = 'X'", "modify table comment", table_after=TABLE)
    case = decode_case(CANAL, statement)
    assert found(case, nothing) == []
    assert found(case, lambda a: a["ok"]["events"][0].update(query="alter")) == [("CJ-653", "value")]


def test_what_must_be_refused_is_and_what_may_be_is_answered() -> None:
    base = replace(decode_case(CANAL, insert(TABLE, ROW)), requirements=("CJ-881",))
    must = replace(base, expected=ExpectedRejection(frozenset({RejectionClass.SCHEMA})))
    assert found(must, nothing) == [("CJ-881", "accepted")]
    other = replace(base, expected=ExpectedAnswer(), requirements=("CJ-887",))
    assert found(other, nothing) == []
    assert found(other, lambda a: a.update(error="broke") or a.pop("ok")) == [("CJ-887", "broken")]
