"""What a decoder must answer of a change of a row, and where an encoder sends it: expectations written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from conformance.oracle import ORACLES
from conformance.oracle.events import ANY_WRITE
from conformance.oracle.tree import Maybe
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from reference_impl.settings import Settings
from tests.unit.oracle.judging import NEW, OLD, SMALL, TS, asked, carried, ddl_event, options_of, row_event

INSERT, DELETE, SAME = (row_event(op, base=OLD) for op in ("insert", "delete", "update"))
UPDATE, MOVE = row_event("update", base=OLD, a="3"), row_event("update", base=OLD, id="5")
TIME, ID, MOVED = str(TS), {"id": "1"}, {"id": "5", "a": "2"}
EXTENDED, RAW = {"enable-tidb-extension": "true"}, {"output-raw-change-event": "true"}
WATCHED = {**EXTENDED, "avro-enable-watermark": "true"}
BEFORE = {"avro-include-before-value": "true"}
OPEN_UNTOLD, UNTOLD = {"open-output-old-value": "false"}, {"debezium-output-old-value": "false"}
HANDLE, CHANGED = {"delete-only-output-handle-key-columns": "true"}, {"only-output-updated-columns": "true"}
OTHERS = (CLASSIC, DOC)
Event = Mapping[str, Any]
Answered = tuple[Any, Any, Any, str | None]
"""Operation, row before, row after, and time."""

ROWS: list[tuple[str, Event, dict[str, str], tuple[Profile, ...], list[Answered]]] = [
    # a row alone does not say what happened nor when
    ("avro", UPDATE, {}, (NEWARCH,), [(ANY_WRITE, None, NEW, None)]),
    ("avro", UPDATE, EXTENDED, (NEWARCH,), [("update", None, NEW, TIME)]),
    ("avro", UPDATE, BEFORE | EXTENDED, (NEWARCH,), [("update", OLD, NEW, TIME)]),
    ("avro", UPDATE, BEFORE | EXTENDED, OTHERS, [("update", None, NEW, TIME)]),
    # a delete is its key and has no time
    ("avro", DELETE, EXTENDED, (NEWARCH,), [("delete", ID, None, None)]),
    ("avro", DELETE, WATCHED, (NEWARCH,), [("delete", ID, None, TIME)]),
    ("avro", DELETE, WATCHED, OTHERS, [("delete", ID, None, None)]),
    ("avro", DELETE, BEFORE, (NEWARCH,), [("delete", OLD, None, None)]),
    ("avro", MOVE, {}, (NEWARCH,), [("delete", ID, None, None), (ANY_WRITE, None, MOVED, None)]),
    ("avro", MOVE, RAW, (NEWARCH,), [(ANY_WRITE, None, MOVED, None)]),
    ("open-protocol", UPDATE, {}, (NEWARCH,), [("update", OLD, NEW, TIME)]),
    ("open-protocol", UPDATE, OPEN_UNTOLD, (NEWARCH,), [(ANY_WRITE, None, NEW, TIME)]),
    ("open-protocol", UPDATE, CHANGED, (NEWARCH,), [("update", {"a": "2"}, NEW, TIME)]),
    ("open-protocol", SAME, CHANGED, (NEWARCH,), [(ANY_WRITE, None, OLD, TIME)]),
    ("open-protocol", DELETE, {}, (NEWARCH,), [("delete", OLD, None, TIME)]),
    ("open-protocol", DELETE, HANDLE, (NEWARCH,), [("delete", ID, None, TIME)]),
    ("open-protocol", DELETE, OPEN_UNTOLD, (NEWARCH, CLASSIC), [("delete", OLD, None, TIME)]),
    ("open-protocol", DELETE, OPEN_UNTOLD, (DOC,), [("delete", ID, None, TIME)]),
    ("open-protocol", MOVE, {}, (NEWARCH,), [("delete", OLD, None, TIME), ("insert", None, MOVED, TIME)]),
    ("open-protocol", MOVE, RAW, (NEWARCH,), [("update", OLD, MOVED, TIME)]),
    ("debezium", UPDATE, {}, (NEWARCH,), [("update", OLD, NEW, TIME)]),
    ("debezium", UPDATE, UNTOLD, (NEWARCH,), [("update", None, NEW, TIME)]),
    ("debezium", DELETE, UNTOLD, (NEWARCH,), [("delete", OLD, None, TIME)]),
    ("debezium", MOVE, {}, (NEWARCH,), [("delete", OLD, None, TIME), ("insert", None, MOVED, TIME)]),
    ("debezium", MOVE, RAW, (NEWARCH,), [("update", OLD, MOVED, TIME)]),
    ("canal-json", INSERT, {}, (NEWARCH,), [("insert", None, OLD, None)]),
    ("canal-json", INSERT, EXTENDED, (NEWARCH,), [("insert", None, OLD, TIME)]),
    # of an update of changed columns the others may be left out before
    *(("canal-json", UPDATE, option, (NEWARCH,), [("update", {"id": Maybe("1"), "a": "2"}, NEW, None)])
      for option in (CHANGED, {"content-compatible": "true"})),
    ("canal-json", DELETE, HANDLE, (NEWARCH,), [("delete", ID, None, None)]),
    ("canal-json", INSERT, HANDLE, (NEWARCH,), [("insert", None, OLD, None)]),
    ("canal-json", MOVE, {}, (NEWARCH,), [("delete", OLD, None, None), ("insert", None, MOVED, None)]),
    ("canal-json", MOVE, RAW, (NEWARCH,), [("update", OLD, MOVED, None)]),
]  # fmt: skip


@pytest.mark.parametrize(("protocol", "event", "options", "profiles", "answered"), ROWS)
def test_a_row_comes_as_far_as_its_message_tells_it(
    protocol: str, event: Event, options: dict[str, str], profiles: tuple[Profile, ...], answered: list[Answered]
) -> None:
    for profile in profiles:
        settings = Settings(now_ms=1)
        case = asked(protocol, "decode", event, table=SMALL, written_as=profile, options=options, settings=settings)
        found = carried(case, profile)
        assert [(e["op"], e["before"], e["after"], e.get("commit_ts")) for e in found] == answered
        names = {"kind": "row", "schema": "test", "table": "t"}
        assert [set(e) - {"op", "before", "after", "commit_ts"} for e in found] == [set(names)] * len(found)
        assert all(names.items() <= e.items() for e in found)


def test_any_write_is_one_that_leaves_the_row_there() -> None:
    assert {"insert", "update", "upsert"} == ANY_WRITE


ORDERS = [
    ("avro", {}, [2, 0, 2, 0], ["t2", "t1", "t2", "t1"]),
    ("avro", WATCHED, [0, 1, 2, 2, 0, 2, 0], ["t2", "t1", "t2", "t1"]),
    ("open-protocol", {}, [0, 1, 2, 2, 0, 2, 0], ["t2", "t2", "t1", "t1"]),  # one record holds those of a partition
]


@pytest.mark.parametrize(("protocol", "options", "partitions", "tables"), ORDERS)
def test_rows_come_in_the_order_of_the_records_that_hold_them(
    protocol: str, options: dict[str, str], partitions: list[int], tables: list[str]
) -> None:
    # The state after schema and table name, as upstream's tests have it, modulo 3: 0 for t1, 2 for t2.
    assert (1079797119 % 3, 3646239941 % 3) == (0, 2)
    first, second = ({**SMALL, "name": name} for name in ("t1", "t2"))
    rows = [row_event("insert", ts=8 << 18, table=f"t{n}", base={"id": n, "a": "1"}) for n in "2121"]
    events, settings = (ddl_event(after=second), *rows), Settings(partitions=3, now_ms=1)
    sent, read = (
        asked(protocol, role, *events, table=first, options=options, settings=settings) for role in ("encode", "decode")
    )
    deliveries = ORACLES[protocol].deliveries(sent, options_of(sent), NEWARCH)
    assert [delivery.partition for delivery in deliveries] == partitions
    assert [event["table"] for event in carried(read) if event["kind"] == "row"] == tables
