"""What is out of order is charged to the order, or to the rule that says in which order halves of updates stand."""

from __future__ import annotations

import pytest

from conformance.cases.model import Case
from reference_impl.model import RowChange
from reference_impl.settings import Settings
from reference_impl.wire import table_from_json
from tests.unit.oracle import judging
from tests.unit.oracle.judging import TS, with_records

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
