"""An encoder that names no partition of its records is judged on what they hold, in the order of production."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.oracle.judges import judge_of
from conformance.oracle.tree import Kind
from reference_impl.profiles import NEWARCH
from tests.every_case import heads, made

PROTOCOLS = ("canal-json", "open-protocol", "debezium", "avro")
# What partitions alone decide: where an event goes, how many copies there are, and what stands before what.
OF_PLACES = {Kind.ORDER, Kind.COUNT}


def partitioned(protocol: str) -> list[Case]:
    """The cases of encoders in which partitions matter."""
    cases = [made(c) for c in heads(protocol) if c.role == "encode" and f"{protocol}/partitions/" in c.id]
    assert len(cases) > 1
    return cases


def unplaced(answer: Any) -> Any:
    records = [{**record, "partition": None} for record in answer["ok"]["records"]]
    return {"ok": {**answer["ok"], "records": records}}


@pytest.mark.parametrize("protocol", PROTOCOLS)
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


@pytest.mark.parametrize("protocol", PROTOCOLS)
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


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_partition_and_the_first_of_one_are_the_same(protocol: str) -> None:
    judge, reference = judge_of(protocol, load_register(protocol), NEWARCH), Embedded(NEWARCH)
    asked = [head for head in heads(protocol) if head.role == "encode"]
    some = map(made, asked[:: len(asked) // 200])
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
