"""Answered messages are paired with expected ones, and judged by their order in each partition."""

from __future__ import annotations

import base64
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.cases.parts import find_in
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.oracle import ORACLES
from conformance.oracle.findings import Finding
from conformance.oracle.judge import Judge
from conformance.oracle.judges import judge_of
from conformance.oracle.order import Placement, are_halves, is_disordered, order_facts, paired_positions
from conformance.oracle.rules import Delivery, Message
from conformance.oracle.tree import Kind
from reference_impl.model import RowChange
from reference_impl.profiles import NEWARCH
from reference_impl.settings import Settings
from reference_impl.wire import table_from_json
from tests.amounts import ordinarily
from tests.every_case import heads, made
from tests.unit.oracle import judging
from tests.unit.oracle.judging import TS, with_records
from tests.unit.oracle.places import place


def message(text: str) -> Message | None:
    return Message({}, {"value": text}) if text != "-" else None


@pytest.mark.parametrize(
    ("expected", "got", "positions"),
    [
        ("ab", "ab", [0, 1]), ("ab", "ba", [1, 0]), ("aba", "aab", [0, 2, 1]), ("ab", "-a", [1, 0]), ("abc", "c", [2]),
        ("abc", "xyz", [0, 1, 2]), ("abc", "bxy", [1, 0, 2]), ("abc", "xac", [1, 0, 2]), ("aab", "xba", [1, 2, 0]),
        ("a", "ab", [0]), ("abc", "a", [0]), ("abc", "axc", [0, 1, 2]), ("abc", "cab", [2, 0, 1]),
        ("aab", "aba", [0, 2, 1]), ("aab", "baa", [2, 0, 1]), ("", "", []),
    ],
)  # fmt: skip
def test_a_message_is_paired_with_an_equal_one_and_the_rest_in_order(expected: str, got: str, positions: list[int]):
    wanted = [one for one in map(message, expected) if one]
    assert paired_positions(wanted, [*map(message, got)]) == positions


def test_messages_of_one_meaning_are_paired_whatever_their_text() -> None:
    wanted = [Message({}, {"value": "a"}, identity=1), Message({}, {"value": "b"}, identity=2)]
    given = [Message({}, {"value": "a"}, identity=2), Message({}, {"value": "b"}, identity=1)]
    assert paired_positions(wanted, given) == [1, 0]


def test_the_order_of_the_parts_of_a_message_does_not_count() -> None:
    wanted = [Message({}, {"key": "x", "value": "a"}), Message({}, {"key": "x", "value": "b"})]
    given = [Message({}, {"value": text, "key": "x"}) for text in "ba"]
    assert paired_positions(wanted, given) == [1, 0]


@pytest.mark.parametrize(
    ("places", "yes"),
    [
        ([], False), ([(0, 0), (0, 1)], False), ([(0, 1), (0, 1)], False), ([(0, 1), (0, 0)], True),
        ([(0, 1), (1, 0)], False), ([(0, 1), (1, 5), (0, 0)], True), ([(0, 0), (1, 1), (1, 0)], True),
        ([(0, 3), (1, 1), (1, 2), (0, 4)], False),
    ],
)  # fmt: skip
def test_order_is_that_inside_each_partition(places: list[tuple[int, int]], yes: bool) -> None:
    assert is_disordered(Placement(*pair) for pair in places) is yes


UPDATE = RowChange("update", "s", "t", 1, before={"id": "1"}, after={"id": "2"})
HALVES = [replace(UPDATE, op="delete", after=None), replace(UPDATE, op="insert", before=None)]
LATER = RowChange("insert", "s", "t", 2, after={"id": "9"})


@pytest.mark.parametrize(
    ("places", "events", "yes"),
    [
        ([(0, 1), (0, 0), (0, 2)], [UPDATE], True),
        ([(0, 0), (0, 1), (0, 2)], [UPDATE], False),
        ([(0, 1), (0, 2), (0, 0)], [UPDATE], False),
        ([(0, 2), (0, 1), (0, 0)], [UPDATE], False),
        ([(1, 1), (0, 0), (0, 2)], [UPDATE], False),
        ([(0, 1), (0, 2)], [UPDATE], False),
        ([(0, 0), (0, 2)], [UPDATE], False),
        ([(0, 1), (0, 0)], [], False),
        ([(0, 1), (0, 0)], [replace(UPDATE, commit_ts=2)], False),
        ([(0, 1), (0, 0)], [replace(UPDATE, table="u")], False),
        ([(0, 1), (0, 0)], [replace(UPDATE, schema="u")], False),
        ([(0, 1), (0, 0)], [replace(UPDATE, after={"id": "3"})], False),
        ([(0, 1), (0, 0)], [replace(UPDATE, before={"id": "3"})], False),
        ([(0, 1), (0, 0)], [replace(UPDATE, before={"ID": "1"}, after={"ID": "2"})], True),
        ([(0, 1), (0, 0)], [replace(UPDATE, op="insert")], False),
    ],
)
def test_exchanged_halves_are_those_of_one_update_in_one_partition(
    places: list[tuple[int, int]], events: list[RowChange], yes: bool
) -> None:
    facts = order_facts(
        [Placement(*pair) for pair in places], [Delivery(change, None) for change in (*HALVES, LATER)], events
    )
    assert are_halves(place("avro", "value.row.c", given=facts)) is yes


def test_an_order_without_facts_is_no_exchange_order_facts() -> None:
    assert are_halves(place("avro", "value.row.c")) is False


# -- halves of updates -------------------------------------------------------------------------------------------------

TABLE = table_from_json(
    {"schema": "s", "name": "t", "columns": [{"name": "id", "type": "int", "nullable": False}], "primary_key": ["id"]}
)
# Two inserts, and an update whose halves are the records 2 and 3.
EVENTS = (
    RowChange("insert", "s", "t", TS, after={"id": "1"}),
    RowChange("insert", "s", "t", TS, after={"id": "2"}),
    RowChange("update", "s", "t", TS, before={"id": "2"}, after={"id": "3"}),
)
# Where no document asks for the splitting, halves in the wrong order break the order as everything else does.
SPLIT = {"open-protocol": "OP-180", "canal-json": "CJ-666a", "debezium": "DBZ-039b", "avro": "AV-009"}
ORDER = {"open-protocol": "OP-155", "canal-json": "CJ-666a", "debezium": "DBZ-039b", "avro": "AV-002b"}


def blamed(protocol: str, *places: int) -> set[str]:
    """Who is blamed where the records stand in that order."""
    options = {"max-batch-size": "1"} if protocol == "open-protocol" else {}
    case = Case("toy", protocol, "encode", (TABLE,), EVENTS, options=options, settings=Settings(now_ms=1))
    return set(judging.blamed(case, with_records(case, lambda records: [records[place] for place in places])))


protocols = pytest.mark.parametrize("protocol", SPLIT)


@protocols
def test_the_order_of_the_events_breaks_nothing(protocol: str) -> None:
    assert blamed(protocol, 0, 1, 2, 3) == set()


@protocols
def test_an_insert_before_the_delete_of_its_update_breaks_the_rule_on_the_order_of_halves(protocol: str) -> None:
    assert blamed(protocol, 0, 1, 3, 2) == {SPLIT[protocol]}


@protocols
@pytest.mark.parametrize("places", [(1, 0, 2, 3), (2, 3, 0, 1), (3, 0, 1, 2), (1, 0, 3, 2), (0, 3, 2, 1)])
def test_any_other_order_breaks_the_order_alone(protocol: str, places: tuple[int, ...]) -> None:
    assert blamed(protocol, *places) == {ORDER[protocol]}


# -- rows in one partition ---------------------------------------------------------------------------------------------

PROTOCOLS = ("canal-json", "debezium")


def _case(protocol: str) -> Case:
    """Four tables, one row each, all inserts, over three partitions."""
    return made(find_in(heads(protocol), f"{protocol}/partitions/names in mixed case"))


def _disorder(case: Case, records: list[dict[str, Any]]) -> list[Finding]:
    judge = Judge(ORACLES[case.protocol], load_register(case.protocol), NEWARCH)
    return [f for f in judge.judge(case, {"ok": {"records": records}}).findings if f.kind is Kind.ORDER]


def _records(case: Case) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = Embedded().ask(case)["ok"]["records"]
    assert len({base64.b64decode(record["value"]) for record in records}) == len(case.events)
    return records


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("partition", [0, 1, 2])
def test_rows_that_all_go_to_one_partition_in_the_order_of_the_events_are_in_order(protocol: str, partition: int):
    case = _case(protocol)
    assert _disorder(case, [{**record, "partition": partition} for record in _records(case)]) == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_rows_that_all_go_to_one_partition_backwards_are_not(protocol: str) -> None:
    case = _case(protocol)
    assert _disorder(case, [{**record, "partition": 1} for record in reversed(_records(case))]) != []


# -- records that name no partition ------------------------------------------------------------------------------------

EVERY_PROTOCOL = ("canal-json", "open-protocol", "debezium", "avro")
# What partitions alone decide: where an event goes, how many copies there are, and what stands before what.
OF_PLACES = {Kind.ORDER, Kind.COUNT}
_ALIKE = ("many rows over 2", "many rows over 7")


@cache
def partitioned(protocol: str) -> list[Case]:
    """The cases of encoders in which partitions matter; of those with many rows, which are alike, one."""
    found = [c for c in heads(protocol) if c.role == "encode" and f"{protocol}/partitions/" in c.id]
    cases = [made(c) for c in found if c.id.rpartition("/")[2] not in ordinarily(_ALIKE, ())]
    assert len(cases) > 1
    return cases


def unplaced(answer: Any) -> Any:
    records = [{**record, "partition": None} for record in answer["ok"]["records"]]
    return {"ok": {**answer["ok"], "records": records}}


@pytest.mark.parametrize("protocol", EVERY_PROTOCOL)
def test_leaving_out_the_partitions_is_no_fault_of_a_value(protocol: str) -> None:
    judge, reference = judge_of(protocol, load_register(protocol), NEWARCH), Embedded(NEWARCH)
    looked_at = 0
    for case in partitioned(protocol):
        answer = reference.ask(case)
        if len({record.get("partition") for record in answer["ok"]["records"]}) > 1:
            looked_at += 1
            found = judge.judge(case, unplaced(answer)).findings
            assert {f.kind for f in found if f.path != "frame.partition"} <= OF_PLACES, case.id
    assert looked_at


@pytest.mark.parametrize("protocol", EVERY_PROTOCOL)
def test_records_in_the_wrong_order_are_found_without_partitions_too(protocol: str) -> None:
    judge, reference = judge_of(protocol, load_register(protocol), NEWARCH), Embedded(NEWARCH)
    looked_at = 0
    for case in partitioned(protocol):
        answer = unplaced(reference.ask(case))
        turned = {"ok": {**answer["ok"], "records": answer["ok"]["records"][::-1]}}
        found = [judge.judge(case, given).findings for given in (answer, turned)]
        if len({record["value"] for record in answer["ok"]["records"]}) == len(answer["ok"]["records"]) > 1:
            looked_at += 1
            assert {(f.requirement, f.kind) for f in found[1]} - {(f.requirement, f.kind) for f in found[0]}, case.id
    assert looked_at


@pytest.mark.parametrize("protocol", EVERY_PROTOCOL)
def test_no_partition_and_the_first_of_one_are_the_same(protocol: str) -> None:
    judge, reference = judge_of(protocol, load_register(protocol), NEWARCH), Embedded(NEWARCH)
    asked = [head for head in heads(protocol) if head.role == "encode"]
    some = map(made, asked[:: len(asked) // ordinarily(35, 200)])
    mixed = 0
    for case in (c for c in some if len(c.events) > 2 and c.settings.partitions == 1):
        answer = reference.ask(case)
        if (records := answer.get("ok", {}).get("records", ()))[2:]:
            mixed += 1
            turns = [{**record, "partition": 0} if n % 2 else record for n, record in enumerate(records)]
            found = [judge.judge(case, given) for given in (answer, {"ok": {**answer["ok"], "records": turns}})]
            assert {f.requirement for f in found[1].findings} == {f.requirement for f in found[0].findings}, case.id
    assert mixed


def test_an_unreadable_batch_counts_for_the_batch_of_its_partition_whatever_was_sent_first() -> None:
    protocol = "open-protocol"
    judge, reference = judge_of(protocol, load_register(protocol), NEWARCH), Embedded(NEWARCH)
    looked_at = 0
    for case in partitioned(protocol):
        records = reference.ask(case).get("ok", {}).get("records", [])
        sizes = [len(record["key"]) for record in records]
        if len({record.get("partition") for record in records}) != len(records) or len(set(sizes)) == 1:
            continue
        looked_at += 1
        for at, record in enumerate(records):
            others = [one for n, one in enumerate(records) if n != at]
            for broken in ([*others, {**record, "value": "AA=="}], [{**record, "value": "AA=="}, *others]):
                found = judge.judge(case, {"ok": {"records": broken}}).findings
                assert [f for f in found if f.kind is Kind.COUNT] == [], case.id
    assert looked_at
