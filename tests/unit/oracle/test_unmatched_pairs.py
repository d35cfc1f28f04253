"""An answered event is paired with the expected one that it has most in common with; the others are lost or extra."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.oracle.rules import Delivery
from conformance.oracle.tree import MISSING, Maybe
from conformance.oracle.unmatched import Tally, event_summary, unmatched
from reference_impl.model import RowChange
from reference_impl.wire import table_from_json
from tests.unit.oracle.judging import SMALL, TS

A, B, C = ({"op": "insert", "row": {"id": n, "c": "x"}} for n in "123")
B_CHANGED, B_AGAIN = ({"op": "insert", "row": {"id": "2", "c": c}} for c in "yz")
LISTED, LISTED_CHANGED = {"rows": ["1", "2"]}, {"rows": ["1", "3"]}

Trees = list[Any]


@pytest.mark.parametrize(
    ("expected", "got", "lost", "extra"),
    [
        ([A, B], [A, B], [], []), ([A, B], [B, A], [], []), ([A, B], [C, A], [], []), ([A, A, B], [A, B], [1], []),
        ([A, B], [A, A, B], [], [1]), ([A, B, C], [B_CHANGED], [0, 2], []), ([B_AGAIN], [A, B_CHANGED, C], [], [0, 2]),
        ([A, B, C], [B_CHANGED, C], [0], []), ([A, A, B], [B_CHANGED], [0, 1], []),
        ([B, A, A], [B_CHANGED], [1, 2], []), ([LISTED, {"rows": ["7", "8"]}], [LISTED_CHANGED], [1], []),
        ([{"rows": ["7", "8"]}, LISTED], [LISTED_CHANGED], [0], []),
        ([{"rows": ["2", "1"]}, LISTED], [{"rows": ["1", "9"]}], [0], []),
        ([{"a": 1, "b": Maybe("x")}], [{"a": 1}], [], []), ([{"a": 1, "b": frozenset({"x"})}], [{"a": 1}], [], []),
        ([{"a": 1}, {"a": 2}], [{"a": "1"}], [1], []), ([A], ["unreadable", A], [], [0]), ([], [A], [], [0]),
        ([A], [], [0], []),
    ],
)  # fmt: skip
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


TABLE = table_from_json(SMALL)
HEAD = {"kind": "row", "op": "insert", "schema": "test", "table": "t", "commit_ts": str(TS)}
INSERT = RowChange("insert", "test", "t", TS, after={"id": "1", "a": "2"})
DELETE = RowChange("delete", "test", "t", TS, before={"id": "1", "a": "2"})
MOVED = RowChange("update", "test", "t", TS, before={"id": "1"}, after={"id": "2"})


@pytest.mark.parametrize(
    ("delivery", "event", "summary"),
    [
        (Delivery(INSERT, TABLE), None, HEAD | {"key": {"id": "1"}}),
        (Delivery(DELETE, TABLE), None, HEAD | {"op": "delete", "key": {"id": "1"}}),
        (Delivery(MOVED, TABLE), None, HEAD | {"op": "update", "key": {"id": "2"}}),
        (Delivery(INSERT, None), None, HEAD | {"key": {"id": "1", "a": "2"}}),
        (Delivery(RowChange("insert", "test", "t", TS, after={"a": "2"}), TABLE), None, HEAD),
        (None, {**HEAD, "after": {"id": "1"}, "other": "x"}, HEAD),
        (None, {"kind": "ddl", "schema": MISSING, "table": None, "query": "q"}, {"kind": "ddl", "query": "q"}),
        (None, {"kind": "row", "commit_ts": 1}, {"kind": "row"}),
    ],
)
def test_a_summary_of_an_event_has_its_names_and_its_key(
    delivery: Delivery | None, event: dict[str, Any] | None, summary: dict[str, Any]
) -> None:
    assert event_summary(delivery, event) == summary
