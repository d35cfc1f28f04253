"""What Open Protocol delivers of a stream, and what a decoder must answer: expectations written by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from open_answers import case_of, ddl, mark, row

from conformance.oracle.events import ANY_WRITE
from conformance.oracle.open_protocol import CARRIED, ORACLE
from conformance.oracle.open_protocol.expected_events import changed, handle_columns
from conformance.oracle.tree import Maybe
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from reference_impl.settings import Settings
from reference_impl.values import from_wire
from reference_impl.wire import column_from_json, table_from_json
from tests.unit.oracle.judging import NEW, OLD, SMALL, carried, options_of

UPDATE = row("update", base=OLD, a="3")
DELETE = row("delete", base=OLD)
KEY = {"name": "u", "columns": ["v"]}


def one(event: dict[str, Any], profile: Profile = NEWARCH, **options: str) -> dict[str, Any]:
    """What must be answered for one event."""
    given = {name.replace("_", "-"): value for name, value in options.items()}
    [found] = carried(case_of("decode", event, table=SMALL, options=given), profile)
    return found


def test_a_row_comes_with_both_images_and_its_time_stamp():
    assert one(UPDATE) == {
        "kind": "row",
        "op": "update",
        "schema": "test",
        "table": "t",
        "commit_ts": "7",
        "before": OLD,
        "after": NEW,
    }


def test_an_update_without_old_values_may_be_called_anything_that_leaves_the_row_as_it_is():
    found = one(UPDATE, open_output_old_value="false")
    assert (found["op"], found["before"], found["after"]) == (ANY_WRITE, None, NEW)


def test_of_only_updated_columns_the_changed_ones_come_back():
    assert one(UPDATE, only_output_updated_columns="true")["before"] == {"a": "2"}


def test_an_update_of_nothing_has_no_previous_row():
    found = one(row("update", base=OLD), only_output_updated_columns="true")
    assert (found["op"], found["before"]) == (ANY_WRITE, None)


@pytest.mark.parametrize(
    ("profile", "options", "before"),
    [
        (NEWARCH, {}, OLD),
        (NEWARCH, {"delete_only_output_handle_key_columns": "true"}, {"id": "1"}),
        (NEWARCH, {"open_output_old_value": "false"}, OLD),
        (CLASSIC, {"open_output_old_value": "false"}, OLD),
        (DOC, {"open_output_old_value": "false"}, {"id": "1"}),
    ],
)
def test_a_delete_has_the_columns_that_the_option_leaves(
    profile: Profile, options: dict[str, str], before: dict[str, str]
):
    assert one(DELETE, profile, **options)["before"] == before


def test_an_update_of_a_key_comes_as_a_delete_and_an_insert():
    found = carried(case_of("decode", row("update", base=OLD, id="5"), table=SMALL))
    assert [(event["op"], event["before"], event["after"]) for event in found] == [
        ("delete", OLD, None),
        ("insert", None, {"id": "5", "a": "2"}),
    ]


def test_a_raw_update_of_a_key_stays_one_event():
    case = case_of("decode", row("update", base=OLD, id="5"), table=SMALL, options={"output-raw-change-event": "true"})
    assert [event["op"] for event in carried(case)] == ["update"]


def test_statements_and_watermarks_come_once_a_partition_and_without_definitions():
    found = carried(case_of("decode", ddl(), mark(), table=SMALL, settings=Settings(partitions=3)))
    statement = {"kind": "ddl", "schema": "test", "table": "t", "query": ddl()["query"], "action_code": 5}
    statement["action"] = Maybe(frozenset({"add column"}))
    assert found == [{**statement, "commit_ts": "7"}] * 3 + [{"kind": "watermark", "commit_ts": "7"}] * 3


def test_rows_come_in_the_order_of_the_records_that_hold_them():
    # The state after schema and table name, as upstream's tests have it, modulo 3: 0 for t1, 2 for t2.
    assert (1079797119 % 3, 3646239941 % 3) == (0, 2)
    first, second = ({**SMALL, "name": name} for name in ("t1", "t2"))
    events = [row("insert", ts=8, table=name, base={"id": name[1], "a": "1"}) for name in ("t2", "t1", "t2", "t1")]
    statement = ddl() | {"table_after": second}
    case = case_of("decode", statement, *events, table=first, settings=Settings(partitions=3))
    found = [event["table"] for event in carried(case) if event["kind"] == "row"]
    assert found == ["t2", "t2", "t1", "t1"]
    sent = ORACLE.deliveries(replace(case, role="encode"), options_of(case), NEWARCH)
    assert [delivery.partition for delivery in sent] == [0, 1, 2, 2, 0, 2, 0]


def test_a_row_that_was_reduced_for_its_size_has_its_handle_columns():
    options = {"large-message-handle-option": "handle-key-only", "max-message-bytes": "160"}
    case = case_of("decode", row("insert", base={"id": "1", "a": "2" * 9}), table=SMALL, options=options)
    assert [event["after"] for event in carried(case)] == [{"id": "1"}]


def test_bytes_that_are_no_text_are_lost_in_a_varchar_and_kept_in_a_text():
    table = {
        **SMALL,
        "columns": [SMALL["columns"][0], {"name": "a", "type": "varchar(9)"}, {"name": "b", "type": "text"}],
    }
    raw = {"base64": "Yf9i"}
    case = case_of("decode", row("insert", base={"id": "1", "a": raw, "b": raw}), table=table)
    assert [event["after"] for event in carried(case)] == [{"id": "1", "a": "a\ufffdb", "b": raw}]


def test_what_is_carried_is_told_in_words():
    assert {"columns", "DDL", "resolved event"} <= {what for what, _ in CARRIED}


def test_an_update_that_has_lost_its_previous_row_may_be_read_as_any_write():
    assert {"insert", "update", "upsert"} == ANY_WRITE


@pytest.mark.parametrize(
    ("kind", "before", "after", "is_changed"),
    [
        ("int", "1", "1", False),
        ("int", "1", "2", True),
        ("int", None, "1", True),
        ("float", "0.1", "0.10000000149011612", False),
        ("double", "0.1", "0.10000000149011612", True),
        ("double", "0.1", "0.10", False),
        ("enum('a','b')", "a", {"index": "1"}, False),
        ("enum('a','b')", "a", {"index": "2"}, True),
        ("set('a','b')", "a,b", {"mask": "3"}, False),
        ("set('a','b')", "a,b", {"mask": "1"}, True),
        ("vector(1)", "[1]", "[1.0]", False),
        ("vector(1)", "[1]", "[2]", True),
        ("json", "[1]", "[ 1]", True),  # its text is what is written
    ],
)
def test_a_column_is_changed_where_its_two_values_differ_on_the_wire(
    kind: str, before: Any, after: Any, is_changed: bool
) -> None:
    column = column_from_json({"name": "c", "type": kind})
    assert changed(column, *(from_wire(column.type, value) for value in (before, after))) is is_changed


@pytest.mark.parametrize(("profile", "columns"), [(NEWARCH, ("v",)), (DOC, ("v",)), (CLASSIC, ())])
def test_a_unique_key_over_a_virtual_column_is_a_handle_but_in_classic(
    profile: Profile, columns: tuple[str, ...]
) -> None:
    virtual = {"name": "v", "type": "int", "nullable": False, "generated": "virtual"}
    table = table_from_json({**SMALL, "primary_key": [], "columns": [virtual], "unique_keys": [KEY]})
    assert handle_columns(table, profile) == columns
