"""Changed records: every kind is drawn, the reference answers as follows from the change, and what is found is kept."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from conformance.cases.corpora import input_cases
from conformance.cases.inputs import Input, column, insert, table, timed
from conformance.cases.model import Case, ExpectedAnswer, ExpectedOneOf, ExpectedRejection
from conformance.cases.negatives.bases import base
from conformance.cases.negatives.drawn import Change, changed, simpler
from conformance.cases.negatives.parts import KINDS
from conformance.cases.saved import case_from_json, case_to_json
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.mutants import mutant_named
from conformance.oracle import ORACLES
from conformance.oracle.judge import Judge
from conformance.search.search import Search
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import CODECS
from tests.amounts import ordinarily
from tests.unit.search.test_search import SMALL, asker

every_protocol = pytest.mark.parametrize("protocol", CODECS)

EVENTS = ("row", "update", "delete", "two rows", "statement", "watermark")
OPTIONS = {
    "avro": {"enable-tidb-extension": "true", "avro-enable-watermark": "true"},
    "canal-json": {"enable-tidb-extension": "true"},
    "debezium": {"enable-tidb-extension": "true"},
    "open-protocol": {},
}
PLACES = ((0, 0), (1, 3), (3, 1), (9, 2), (20, 3), (33, 11))
OUTCOMES = {
    "a rejection": ExpectedRejection,
    "any answer": ExpectedAnswer,
    "the same events or a rejection": ExpectedOneOf,
    "the same events": type(None),
}


def _changes(legal: Case) -> Iterator[Case]:
    for part in range(4):
        for kind in range(len(KINDS)):
            for at, pick in PLACES:
                if case := changed(legal, Change(part, kind, at, pick)):
                    yield replace(case, id=f"{case.id}/{part} {kind} {at} {pick}")


@cache
def legal_case(protocol: str, events: str) -> Case:
    return base(protocol, events, OPTIONS[protocol])


@cache
def cases(protocol: str) -> tuple[Case, ...]:
    """Changed records of every kind of event."""
    return tuple(case for events in EVENTS for case in _changes(legal_case(protocol, events)))


@every_protocol
def test_what_follows_from_a_change_is_what_the_case_expects(protocol: str) -> None:
    wrong = [c.axes["change"] for c in cases(protocol) if not isinstance(c.expected, OUTCOMES[c.axes["follows"]])]
    assert wrong == []


@every_protocol
def test_the_reference_answers_every_change_as_follows_from_it(protocol: str) -> None:
    judge, reference = Judge(ORACLES[protocol], load_register(protocol), NEWARCH), Embedded()
    found = {(c.id, c.axes["change"]): judge.judge(c, reference.ask(c)).findings for c in cases(protocol)}
    assert {name: findings for name, findings in found.items() if findings} == {}


@pytest.mark.parametrize("protocol", ["canal-json", "debezium", "open-protocol"])
def test_every_outcome_follows_from_some_change(protocol: str) -> None:
    counts = Counter(case.axes["follows"] for case in cases(protocol))
    assert counts.keys() == OUTCOMES.keys()


@every_protocol
def test_a_change_is_made_in_the_records_alone(protocol: str) -> None:
    for case in cases(protocol):
        legal = legal_case(protocol, case.id.split("/")[2])
        differing = [one != other for one, other in zip(case.records, legal.records, strict=True)]
        assert (sum(differing), case.tables, case.schemas) == (1, legal.tables, legal.schemas), case.id


@every_protocol
def test_a_changed_record_that_is_saved_expects_what_it_expected(protocol: str) -> None:
    for case in cases(protocol)[::7]:
        again = case_from_json(json.loads(json.dumps(case_to_json(case))))
        assert (again.expected, again.records, again.axes) == (case.expected, case.records, dict(case.axes))
        if case.expected is not None:
            assert again.requirements == case.requirements


@every_protocol
def test_a_search_of_changed_records_tells_what_it_drew(protocol: str) -> None:
    examples = ordinarily(16, 60)
    search = Search(asker(protocol), protocol, "decode", NEWARCH, 3, examples, malformed=True)
    assert list(search.run()) == []
    lines = list(search.draw_counts.lines())
    assert [line.partition(":")[0] for line in lines[-2:]] == ["changes of a record", "expected"]
    assert (
        sum(search.draw_counts.changes.values())
        == sum(search.draw_counts.expected.values())
        == search.judged
        == examples
    )


def test_a_search_does_not_pursue_what_another_has_found() -> None:
    mutant = mutant_named("canal-json/read-column-lost")
    known: set[str] = set()

    def found(*, malformed: bool) -> set[str]:
        ask = asker("canal-json", NEWARCH, mutant)
        search = Search(ask, "canal-json", "decode", NEWARCH, 2, 20, scope=SMALL, malformed=malformed, known=known)
        return {counter_example.mark for counter_example in search.run()}

    legal = found(malformed=False)
    assert legal
    assert legal <= known
    assert not found(malformed=True) & legal
    known.clear()
    assert found(malformed=True) & legal


def test_a_simpler_change_is_smaller_in_one_number() -> None:
    change = Change(2, 3, 9, 1)
    for smaller in simpler(change):
        assert smaller.kind == change.kind
        numbers = [(smaller.part, change.part), (smaller.place, change.place), (smaller.variant, change.variant)]
        assert sum(a < b for a, b in numbers) == 1
        assert all(a <= b for a, b in numbers)
    assert list(simpler(Change())) == []


@pytest.mark.parametrize(("answer", "is_right"), [("events", True), ("rejected", True), ("others", False)])
def test_where_the_same_events_or_a_rejection_are_right_other_events_are_wrong(answer: str, is_right: bool) -> None:
    judge, reference = Judge(ORACLES["canal-json"], load_register("canal-json"), NEWARCH), Embedded()
    case = next(c for c in cases("canal-json") if isinstance(c.expected, ExpectedOneOf))
    legal = reference.ask(legal_case("canal-json", case.id.split("/")[2]))
    answers = {
        "events": legal,
        "rejected": {"rejected": {"class": "schema", "message": ""}},
        "others": {"ok": {"events": legal["ok"]["events"] * 2}},
    }
    judgement = judge.judge(case, answers[answer])
    assert (judgement.findings == []) == is_right
    assert (set(case.requirements) <= judgement.evaluated) == is_right


def test_a_schema_that_another_reader_refuses_is_nothing_to_judge_a_body_by() -> None:
    column_ = replace(column("d", "double"), default="0")
    made = table("t", (column("id", "int", nullable=False), column_))
    given = Input("search", (made,), timed([insert(made, {"id": "1", "d": "0"})]))
    legal = next(case for case in input_cases("avro", given) if case.role == "decode")
    case = changed(legal, Change(part=1, kind=2, place=8))
    assert case is not None
    assert (case.axes["negative"], case.axes["follows"]) == ("cut", "a rejection")
    turned = changed(legal, Change(part=1, kind=0, place=8))
    assert turned is not None
    assert turned.axes["follows"] == "any answer"
