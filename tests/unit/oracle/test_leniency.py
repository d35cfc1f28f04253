"""Malformed input, all of it: what a decoder invents, loses or changes in reading it is red; what it says is not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from conformance.cases.invalid import invalid_cases
from conformance.cases.model import Case, ExpectedRejection
from conformance.cases.negatives import negative_cases
from conformance.cases.negatives.bases import base, negatives_of, value_of
from conformance.cases.negatives.model import SCHEMA, Negative
from conformance.catalogue.harm import Harm
from conformance.catalogue.register import Level, load_register
from conformance.embedded import Embedded
from conformance.oracle.findings import Finding, Judgement
from conformance.oracle.judges import CaseJudge, judge_of
from conformance.oracle.leniency import _OF_FORM, _with_events
from conformance.oracle.weights import grade, weight_of
from reference_impl.profiles import NEWARCH, PROFILES
from reference_impl.protocols import CODECS

Event = dict[str, Any]

INVENTED: Event = {"kind": "row", "op": "insert", "schema": "evil", "table": "evil", "commit_ts": "1"}
INVENTED |= {"before": None, "after": {"x": "666"}}


@cache
def refused(protocol: str) -> list[Case]:
    """Every case of a protocol whose input a decoder must refuse."""
    cases = [*invalid_cases(protocol), *negative_cases(protocol)]
    return [c for c in cases if c.role == "decode" and isinstance(c.expected, ExpectedRejection)]


@cache
def judge_for(protocol: str, profile: str = NEWARCH.name) -> CaseJudge:
    return judge_of(protocol, load_register(protocol), PROFILES[profile], remembers=True)


def judged(case: Case, *events: Event) -> Judgement:
    """The judgement of events that a decoder answers to a case that it must refuse."""
    profile = min(case.profiles, default=NEWARCH.name)
    return judge_for(case.protocol, profile).judge(case, {"ok": {"events": list(events)}})


def graded(case: Case, *events: Event) -> str:
    """What those events make of the case under the default gate."""
    register = load_register(case.protocol)
    return grade(weight_of(f, register.requirements[f.requirement]) for f in judged(case, *events).findings)


def harms(case: Case, *events: Event) -> set[Harm]:
    return {finding.harm for finding in judged(case, *events).findings}


def twin_of(case: Case) -> Case:
    assert isinstance(case.expected, ExpectedRejection)
    assert case.expected.twin is not None
    return case.expected.twin


def truth(case: Case) -> list[Event]:
    """What the message says without its fault, as the reference reads it."""
    return list(Embedded(NEWARCH).ask(twin_of(case))["ok"]["events"])


def fixture(protocol: str, name: str) -> Case:
    return next(case for case in refused(protocol) if case.id == f"{protocol}/invalid/{name}")


@pytest.mark.parametrize("protocol", CODECS)
def test_an_invented_row_is_red_in_place_of_any_refusal(protocol: str) -> None:
    green = [case.id for case in refused(protocol) if graded(case, INVENTED) != "fail"]
    assert (bool(refused(protocol)), green) == (True, [])


@pytest.mark.parametrize("protocol", CODECS)
def test_a_row_invented_beside_what_the_message_says_is_red(protocol: str) -> None:
    told = [case for case in refused(protocol) if case.expected.classes.isdisjoint(_OF_FORM)]  # type: ignore[union-attr]
    green = [case.id for case in told if graded(case, *truth(case), INVENTED) != "fail"]
    assert (bool(told), green) == (True, [])


@pytest.mark.parametrize("protocol", CODECS)
def test_what_the_message_says_without_its_fault_is_no_more_than_a_lack_of_strictness(protocol: str) -> None:
    cases = [c for c in refused(protocol) if c.expected.classes.isdisjoint(_OF_FORM)]  # type: ignore[union-attr]
    wrong = [case.id for case in cases if harms(case, *truth(case)) - {Harm.STRICTNESS}]
    assert (bool(cases), wrong) == (True, [])


@pytest.mark.parametrize("protocol", CODECS)
def test_a_row_whose_values_are_all_null_is_red_in_place_of_any_refusal(protocol: str) -> None:
    green = []
    for case in refused(protocol):
        events = truth(case)
        images = [e[image] for e in events for image in ("before", "after") if e.get(image)]
        if not any(value is not None for image in images for value in image.values()):
            continue
        nulls = [
            {name: dict.fromkeys(part) if name in ("before", "after") and part else part for name, part in e.items()}
            for e in events
        ]
        if graded(case, *nulls) != "fail":
            green.append(case.id)
    assert green == []


@pytest.mark.parametrize(
    ("protocol", "name", "change", "harm"),
    [
        ("canal-json", "170-tinyint-unsigned-256", {"c": "256"}, Harm.STRICTNESS),
        ("canal-json", "170-tinyint-unsigned-256", {"c": "0"}, Harm.CHANGED),
        ("canal-json", "170-tinyint-unsigned-256", {"c": None}, Harm.LOST),
        ("canal-json", "170-tinyint-unsigned-256", {"id": "2"}, Harm.CHANGED),
        ("canal-json", "170-tinyint-unsigned-256", {"id": "2", "c": "256"}, Harm.CHANGED),
        ("canal-json", "170-tinyint-unsigned-256", {"x": "1"}, Harm.CHANGED),
        ("canal-json", "145-int-of-null-text", {"c": "null"}, Harm.STRICTNESS),
        ("canal-json", "185-date-month-13", {"c": "2025-01-01"}, Harm.CHANGED),
        ("canal-json", "122-sqltype-999", {"c": "anything"}, Harm.STRICTNESS),
        ("canal-json", "122-sqltype-999", {"c": None}, Harm.LOST),
        ("debezium", "160-tinyint-unsigned-256", {"c": "256"}, Harm.STRICTNESS),
        ("debezium", "160-tinyint-unsigned-256", {"c": "0"}, Harm.CHANGED),
        ("debezium", "180-date-beyond-9999", {"c": "10000-01-01"}, Harm.STRICTNESS),
        ("debezium", "202-key-of-another-row", {"id": "2"}, Harm.STRICTNESS),
        ("debezium", "202-key-of-another-row", {"id": "3"}, Harm.CHANGED),
        ("open-protocol", "151-tinyint-unsigned-256", {"c": "256"}, Harm.STRICTNESS),
        ("open-protocol", "151-tinyint-unsigned-256", {"c": "0"}, Harm.CHANGED),
        ("open-protocol", "108-column-type-0", {"id": "2"}, Harm.CHANGED),
        ("avro", "146-int-unsigned-4294967296", {"c": "4294967296"}, Harm.STRICTNESS),
        ("avro", "146-int-unsigned-4294967296", {"c": "0"}, Harm.CHANGED),
        ("avro", "102-tidb-type-unknown", {"id": "2"}, Harm.CHANGED),
    ],
)
def test_the_faulty_value_may_be_read_as_it_is_written_and_every_other_is_held(
    protocol: str, name: str, change: Event, harm: Harm
) -> None:
    case = fixture(protocol, name)
    [event] = truth(case)
    assert harms(case, {**event, "after": {**event["after"], **change}}) == {harm}


@pytest.mark.parametrize(
    ("protocol", "name", "change", "harm"),
    [
        ("canal-json", "115-event-upsert", {"op": "update"}, Harm.STRICTNESS),
        ("canal-json", "115-event-upsert", {"table": "other"}, Harm.CHANGED),
        ("canal-json", "117-event-ddl-type-on-row", {"kind": "ddl"}, Harm.CHANGED),
        ("canal-json", "118-ddl-row-type", {"query": "another"}, Harm.CHANGED),
        ("canal-json", "168-tinyint-128", {"op": "delete"}, Harm.CHANGED),
        ("canal-json", "215-watermark-with-row", {"commit_ts": "1"}, Harm.CHANGED),
        ("canal-json", "208-insert-with-old", {"before": {"id": "1", "c": "b"}}, Harm.STRICTNESS),
        ("canal-json", "208-insert-with-old", {"before": {"id": "1", "c": "z"}}, Harm.CHANGED),
        ("debezium", "194-watermark-commit-ts-2-64", {"commit_ts": "18446744073709551616"}, Harm.STRICTNESS),
        ("debezium", "194-watermark-commit-ts-2-64", {"commit_ts": "7"}, Harm.CHANGED),
        ("debezium", "206-ddl-databases-differ", {"schema": "shop"}, Harm.STRICTNESS),
        ("debezium", "206-ddl-databases-differ", {"schema": "evil"}, Harm.CHANGED),
        ("debezium", "197-insert-with-before", {"op": "update", "before": {"id": "1", "c": "b"}}, Harm.STRICTNESS),
        ("open-protocol", "185-u-and-d", {"op": "delete", "after": None}, Harm.LOST),
        ("avro", "178-update-without-before", {"op": "insert", "before": None}, Harm.STRICTNESS),
        ("avro", "177-insert-with-before", {"before": {"id": "1", "c": "z"}}, Harm.CHANGED),
        ("avro", "171-key-of-another-table", {"table": "evil"}, Harm.CHANGED),
    ],
)
def test_the_faulty_member_may_be_read_as_it_is_written_and_every_other_is_held(
    protocol: str, name: str, change: Event, harm: Harm
) -> None:
    case = fixture(protocol, name)
    [event] = truth(case)
    assert harms(case, {**event, **change}) == {harm}


@pytest.mark.parametrize("name", ["093-key-trailing-byte", "021-delete-time-cut", "177-insert-with-before"])
def test_an_optional_refusal_does_not_make_an_invented_row_optional(name: str) -> None:
    case, register = fixture("avro", name), load_register("avro")
    *optional, invented = judged(case, INVENTED).findings
    given = judged(case, *truth(case)).findings
    assert (invented.requirement, weight_of(invented, register.requirements["AV-213"]).level) == ("AV-213", Level.MUST)
    assert {f.requirement for f in optional} == {f.requirement for f in given} == set(case.requirements)


def test_where_no_twin_is_known_a_row_of_a_table_that_the_records_do_not_name_is_changed() -> None:
    case = fixture("canal-json", "037-without-id")
    [event] = truth(case)
    alone = replace(case, expected=replace(case.expected, twin=None))  # type: ignore[type-var]
    assert [harms(alone, event), harms(alone, INVENTED)] == [{Harm.STRICTNESS}, {Harm.CHANGED}]


def test_where_nobody_can_lay_message_and_twin_side_by_side_one_column_alone_may_be_anything() -> None:
    case = fixture("canal-json", "170-tinyint-unsigned-256")
    [event] = truth(case)
    unread = replace(case, records=tuple(replace(r, value=b"{") for r in case.records))
    c, both = ({**event, "after": {**event["after"], **change}} for change in ({"c": "0"}, {"c": "0", "id": "2"}))
    assert [harms(unread, c), harms(unread, both)] == [{Harm.STRICTNESS}, {Harm.CHANGED}]
    assert _with_events(twin_of(case)).expected is not None


# -- some of it --------------------------------------------------------------------------------------------------------


def first_of(case: Case, *events: Event) -> Finding:
    """The first finding of events that a decoder answers to a case that it must refuse."""
    return judged(case, *events).findings[0]


def decoding(protocol: str, count: int = 12) -> list[Case]:
    """Invalid fixtures for a decoder, evenly spread, whose twin says something."""
    cases = [case for case in invalid_cases(protocol) if case.role == "decode"]
    return cases[:: max(1, len(cases) // count)]


@pytest.mark.parametrize("case", [c for protocol in CODECS for c in decoding(protocol)], ids=lambda case: case.id)
def test_who_reads_what_the_message_would_say_without_its_fault_breaks_no_must(case: Case) -> None:
    finding = first_of(case, *truth(case))
    requirement = load_register(case.protocol).requirements[finding.requirement]
    assert (finding.harm, weight_of(finding, requirement).level is Level.MUST) == (Harm.STRICTNESS, False)


@pytest.mark.parametrize("case", [c for protocol in CODECS for c in decoding(protocol)], ids=lambda case: case.id)
def test_who_drops_a_message_without_a_word_loses_it(case: Case) -> None:
    finding = first_of(case)
    requirement = load_register(case.protocol).requirements[finding.requirement]
    assert (finding.harm, weight_of(finding, requirement).level) == (Harm.LOST, requirement.level)


def test_a_statement_of_the_type_of_a_row_may_be_taken_for_that_statement_and_no_other() -> None:
    case = fixture("canal-json", "118-ddl-row-type")
    read = truth(case)
    taken = [{**read[0], "query": "another"}]
    harms = [first_of(case, *events).harm for events in (read, taken)]
    assert harms == [Harm.STRICTNESS, Harm.CHANGED]


def test_a_row_without_its_values_is_lost() -> None:
    case = fixture("canal-json", "049-without-data")
    [event] = truth(case)
    finding = first_of(case, {**event, "after": {}})
    assert finding.harm is Harm.LOST


def test_of_a_member_that_is_there_twice_the_right_one_is_taken_or_data_changes() -> None:
    given = base("canal-json", "row")
    value = value_of(given)
    change = Negative("doubled", "s doubled", value.replace(b'"s":"n', b'"s":"other","s":"n'), SCHEMA)
    [case] = negatives_of(given, "value", [change], "CJ-881")
    [event] = Embedded(NEWARCH).ask(given)["ok"]["events"]
    other = {**event, "after": {**event["after"], "s": "other"}}
    harms = [first_of(case, one).harm for one in (event, other)]
    assert harms == [Harm.STRICTNESS, Harm.CHANGED]


def test_what_an_encoder_should_refuse_is_lost_where_nothing_is_sent() -> None:
    case = next(c for c in invalid_cases("canal-json") if c.role == "encode")
    assert judge_for(case.protocol).judge(case, {"ok": {"records": []}}).findings[0].harm is Harm.LOST
