"""Events that an answer lacks, or has too many of, are told by their place and their key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.cases.model import Case, Role
from conformance.oracle.findings import Finding
from conformance.oracle.tree import Kind
from conformance.oracle.unmatched import Tally, unmatched
from reference_impl.model import Event, RowChange
from reference_impl.settings import Settings
from reference_impl.wire import table_from_json
from tests.unit.oracle.judging import TS, answer_of, judged, put_to_a_decoder

TABLE = table_from_json(
    {
        "schema": "s",
        "name": "t",
        "columns": [
            {"name": "id", "type": "int", "nullable": False},
            {"name": "c", "type": "varchar(9)", "nullable": True},
        ],
        "primary_key": ["id"],
    }
)
ANSWERED = {"open-protocol": "OP-257", "canal-json": "CJ-888", "debezium": "DBZ-453", "avro": "AV-213"}

protocols = pytest.mark.parametrize("protocol", ANSWERED)
roles = pytest.mark.parametrize("role", ["encode", "decode"])

Change = Callable[[list[Any]], list[Any]]


def inserts(*ids: int) -> tuple[Event, ...]:
    return tuple(RowChange("insert", "s", "t", TS, after={"id": str(i), "c": "x"}) for i in ids)


def found(protocol: str, role: Role, events: Sequence[Event], change: Change, **options: str) -> list[Finding]:
    """What is found where the list of records or events of a right answer is changed; those of level SHOULD apart."""
    case = Case("toy", protocol, "encode", (TABLE,), tuple(events), options=options, settings=Settings(now_ms=1))
    if protocol == "open-protocol":
        case = replace(case, options={"max-batch-size": "1"} | options)
    part = "records"
    if role == "decode":
        case, part = put_to_a_decoder(case), "events"
    ok = answer_of(case)["ok"]
    answer = {"ok": {**ok, part: change(list(ok[part]))}}
    return [finding for finding in judged(case, answer).findings if finding.requirement == ANSWERED[protocol]]


@protocols
@roles
@pytest.mark.parametrize("lost", range(4))
def test_a_lost_event_is_told_by_its_place_and_its_key(protocol: str, role: Role, lost: int) -> None:
    [finding] = found(protocol, role, inserts(1, 2, 3, 4), lambda given: [*given[:lost], *given[lost + 1 :]])
    assert (finding.path, finding.kind) == (f"answer[{lost}]", Kind.COUNT)
    assert finding.expected["table"] == "t"
    assert finding.expected["key"] == {"id": str(lost + 1)}
    assert finding.got == "nothing: 3 in place of 4"


@protocols
@roles
def test_every_lost_event_is_a_finding_with_one_mark(protocol: str, role: Role) -> None:
    findings = found(protocol, role, inserts(1, 2, 3, 4), lambda given: given[1:3])
    assert [finding.expected["key"]["id"] for finding in findings] == ["1", "4"]
    assert len({finding.fingerprint for finding in findings}) == 1


@protocols
@roles
def test_an_event_too_many_is_told_by_its_place(protocol: str, role: Role) -> None:
    [finding] = found(protocol, role, inserts(1, 2), lambda given: [given[0], *given])
    assert (finding.path, finding.expected) == ("answer[1]", "nothing: 2, not 3")


@protocols
def test_more_than_ten_lost_events_are_told_as_a_number(protocol: str) -> None:
    findings = found(protocol, "decode", inserts(*range(15)), lambda given: [])
    assert len(findings) == 10
    assert findings[-1].got == "nothing, as for 5 more: 0 in place of 15"


@protocols
def test_an_answer_with_all_events_breaks_nothing(protocol: str) -> None:
    assert found(protocol, "encode", inserts(1, 2), lambda given: given) == []


def test_a_lost_event_is_told_though_another_has_a_wrong_value() -> None:
    def change(given: list[Any]) -> list[Any]:
        return [{**given[1], "after": {**given[1]["after"], "c": "y"}}, given[2]]

    [finding] = found("canal-json", "decode", inserts(1, 2, 3), change)
    assert finding.expected["key"] == {"id": "1"}


@given(st.lists(st.integers(0, 3), max_size=8), st.lists(st.integers(0, 3), max_size=8))
def test_as_many_are_told_as_the_numbers_differ(wanted: list[int], answered: list[int]) -> None:
    lost, extra = unmatched(*(Tally.in_order([{"v": v} for v in side]) for side in (wanted, answered)))
    assert len(lost) - len(extra) == len(wanted) - len(answered)
    assert not (lost and extra)
    assert set(lost) <= set(range(len(wanted)))
    assert set(extra) <= set(range(len(answered)))


@given(st.lists(st.integers(), unique=True, max_size=8), st.data())
def test_those_that_are_lost_from_a_list_are_those_that_are_told(wanted: list[int], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(wanted), max_size=len(wanted)))
    answered = [v for v, is_kept in zip(wanted, kept, strict=True) if is_kept]
    lost, _ = unmatched(*(Tally.in_order([{"v": v} for v in side]) for side in (wanted, answered)))
    assert lost == [i for i, is_kept in enumerate(kept) if not is_kept]
