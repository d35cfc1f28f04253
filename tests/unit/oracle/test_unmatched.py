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
from conformance.oracle.rules import Delivery
from conformance.oracle.tree import MISSING, Kind, Maybe
from conformance.oracle.unmatched import Tally, event_summary, unmatched
from reference_impl.model import Event, RowChange
from reference_impl.settings import Settings
from reference_impl.wire import table_from_json
from tests.unit.oracle.judging import SMALL, TS, answer_of, judged, put_to_a_decoder

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


# -- which of them are paired ------------------------------------------------------------------------------------------

A, B, C = ({"op": "insert", "row": {"id": n, "c": "x"}} for n in "123")
B_CHANGED, B_AGAIN = ({"op": "insert", "row": {"id": "2", "c": c}} for c in "yz")
LISTED, LISTED_CHANGED = {"rows": ["1", "2"]}, {"rows": ["1", "3"]}

Trees = list[Any]


@pytest.mark.parametrize(
    ("expected", "got", "lost", "extra"),
    [
        ([A, B], [A, B], [], []),
        ([A, B], [B, A], [], []),
        ([A, B], [C, A], [], []),
        ([A, A, B], [A, B], [1], []),
        ([A, B], [A, A, B], [], [1]),
        ([A, B, C], [B_CHANGED], [0, 2], []),
        ([B_AGAIN], [A, B_CHANGED, C], [], [0, 2]),
        ([A, B, C], [B_CHANGED, C], [0], []),
        ([A, A, B], [B_CHANGED], [0, 1], []),
        ([B, A, A], [B_CHANGED], [1, 2], []),
        ([LISTED, {"rows": ["7", "8"]}], [LISTED_CHANGED], [1], []),
        ([{"rows": ["7", "8"]}, LISTED], [LISTED_CHANGED], [0], []),
        ([{"rows": ["2", "1"]}, LISTED], [{"rows": ["1", "9"]}], [0], []),
        ([{"a": 1, "b": Maybe("x")}], [{"a": 1}], [], []),
        ([{"a": 1, "b": frozenset({"x"})}], [{"a": 1}], [], []),
        ([{"a": 1}, {"a": 2}], [{"a": "1"}], [1], []),
        ([A], ["unreadable", A], [], [0]),
        ([], [A], [], [0]),
        ([A], [], [0], []),
    ],
)
def test_the_most_similar_events_are_paired(expected: Trees, got: Trees, lost: list[int], extra: list[int]) -> None:
    assert unmatched(Tally.in_order(expected), Tally.in_order(got)) == (lost, extra)


def test_an_event_in_another_partition_is_another_event() -> None:
    expected, got = Tally([A, A], [0, 1], [0, 1]), Tally([A], [1], [0])
    assert unmatched(expected, got) == ([0], [])
    assert (Tally.in_order([A]).partitions, list(Tally.in_order([A, B]).positions)) == ([0], [0, 1])


@pytest.mark.parametrize(("wanted", "answered", "lost"), [(125, 80, range(45)), (126, 80, range(80, 126))])
def test_the_last_events_are_lost_beyond_ten_thousand_pairs(wanted: int, answered: int, lost: range) -> None:
    expected = [{"n": n, "side": "expected"} for n in range(wanted)]
    got = [{"n": n + wanted - answered, "side": "answered"} for n in range(answered)]
    assert unmatched(Tally.in_order(expected), Tally.in_order(got)) == ([*lost], [])


SMALL_TABLE = table_from_json(SMALL)
HEAD = {"kind": "row", "op": "insert", "schema": "test", "table": "t", "commit_ts": str(TS)}
INSERT = RowChange("insert", "test", "t", TS, after={"id": "1", "a": "2"})
DELETE = RowChange("delete", "test", "t", TS, before={"id": "1", "a": "2"})
MOVED = RowChange("update", "test", "t", TS, before={"id": "1"}, after={"id": "2"})


@pytest.mark.parametrize(
    ("delivery", "event", "summary"),
    [
        (Delivery(INSERT, SMALL_TABLE), None, HEAD | {"key": {"id": "1"}}),
        (Delivery(DELETE, SMALL_TABLE), None, HEAD | {"op": "delete", "key": {"id": "1"}}),
        (Delivery(MOVED, SMALL_TABLE), None, HEAD | {"op": "update", "key": {"id": "2"}}),
        (Delivery(INSERT, None), None, HEAD | {"key": {"id": "1", "a": "2"}}),
        (Delivery(RowChange("insert", "test", "t", TS, after={"a": "2"}), SMALL_TABLE), None, HEAD),
        (None, {**HEAD, "after": {"id": "1"}, "other": "x"}, HEAD),
        (None, {"kind": "ddl", "schema": MISSING, "table": None, "query": "q"}, {"kind": "ddl", "query": "q"}),
        (None, {"kind": "row", "commit_ts": 1}, {"kind": "row"}),
    ],
)
def test_a_summary_of_an_event_has_its_names_and_its_key(
    delivery: Delivery | None, event: dict[str, Any] | None, summary: dict[str, Any]
) -> None:
    assert event_summary(delivery, event) == summary
