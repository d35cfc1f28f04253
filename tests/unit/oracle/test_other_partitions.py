"""Order inside a partition is that of the events there: to which of them a row goes is another matter."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from conformance.cases.catalogue import find_in
from conformance.cases.model import Case
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.oracle import ORACLES
from conformance.oracle.judge import Finding, Judge
from conformance.oracle.tree import Kind
from reference_impl.profiles import NEWARCH
from tests.every_case import heads, made

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
def test_rows_that_all_go_to_one_partition_in_the_order_of_the_events_are_in_order(
    protocol: str, partition: int
) -> None:
    case = _case(protocol)
    assert _disorder(case, [{**record, "partition": partition} for record in _records(case)]) == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_rows_that_all_go_to_one_partition_backwards_are_not(protocol: str) -> None:
    case = _case(protocol)
    assert _disorder(case, [{**record, "partition": 1} for record in reversed(_records(case))]) != []
