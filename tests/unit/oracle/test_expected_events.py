"""What a decoder must answer, and where an encoder sends it: expectations written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.oracle import ORACLES
from conformance.oracle.canal_json import ORACLE
from conformance.oracle.events import ANY_WRITE
from conformance.oracle.open_protocol.expected_events import changed, handle_columns
from conformance.oracle.tree import Maybe
from reference_impl.canal_json import Options
from reference_impl.options import parse
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from reference_impl.settings import Settings
from reference_impl.values import from_wire
from reference_impl.wire import column_from_json, table_from_json
from tests.unit.oracle.avro_answers import AS_STRINGS
from tests.unit.oracle.canal_answers import case_of, row
from tests.unit.oracle.faults_of_avro_messages import UNIQUE
from tests.unit.oracle.judging import (
    NEW,
    OLD,
    SMALL,
    TS,
    asked,
    beside_id,
    carried,
    ddl_event,
    mark,
    options_of,
    row_event,
)

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
    *(
        ("canal-json", UPDATE, option, (NEWARCH,), [("update", {"id": Maybe("1"), "a": "2"}, NEW, None)])
        for option in (CHANGED, {"content-compatible": "true"})
    ),
    ("canal-json", DELETE, HANDLE, (NEWARCH,), [("delete", ID, None, None)]),
    ("canal-json", INSERT, HANDLE, (NEWARCH,), [("insert", None, OLD, None)]),
    ("canal-json", MOVE, {}, (NEWARCH,), [("delete", OLD, None, None), ("insert", None, MOVED, None)]),
    ("canal-json", MOVE, RAW, (NEWARCH,), [("update", OLD, MOVED, None)]),
]


@pytest.mark.parametrize(("protocol", "event", "options", "profiles", "answered"), ROWS)
def test_a_row_comes_as_far_as_its_message_tells_it(
    protocol: str, event: Event, options: dict[str, str], profiles: tuple[Profile, ...], answered: list[Answered]
) -> None:
    for profile in profiles:
        settings = Settings(now_ms=1)
        case = asked(protocol, "decode", event, table=SMALL, written_as=profile, options=options, settings=settings)
        found = carried(case, profile)
        named = {"kind": "row", "schema": "test", "table": "t"}
        images = [{**named, "op": op, "before": old, "after": new} for op, old, new, _ in answered]
        assert found == [
            image if time is None else {**image, "commit_ts": time}
            for image, (*_, time) in zip(images, answered, strict=True)
        ]


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


# -- statements, watermarks, tables and columns -----------------------------------------------------------------------


def told(protocol: str, *events: Event, profile: Profile = NEWARCH, **more: Any) -> list[dict[str, Any]]:
    """What must be answered for events, written in the style of a profile."""
    members = {"table": SMALL, "options": {}, "settings": Settings(now_ms=1), **more}
    return carried(asked(protocol, "decode", *events, written_as=profile, **members), profile)


@pytest.mark.parametrize(("protocol", "options"), [("avro", WATCHED), ("open-protocol", {})])
@pytest.mark.parametrize("partitions", [1, 3])
def test_statements_and_watermarks_come_once_a_partition_and_without_definitions(
    protocol: str, options: dict[str, str], partitions: int
) -> None:
    statement = {"kind": "ddl", "schema": "test", "table": "t", "query": ddl_event()["query"], "action_code": 5}
    answered = [statement | {"action": Maybe(frozenset({"add column"}))}, {"kind": "watermark"}]
    found = told(protocol, ddl_event(), mark(), options=options, settings=Settings(partitions=partitions))
    assert found == [{**event, "commit_ts": TIME} for event in answered for _ in range(partitions)]


def test_statements_of_avro_come_in_the_mode_for_tests_alone() -> None:
    assert told("avro", ddl_event(), mark(), INSERT, options=EXTENDED)[0]["kind"] == "row"


@pytest.mark.parametrize(
    ("options", "profile", "image", "rows"),
    [
        ({}, NEWARCH, "after", [OLD]),
        (WATCHED, NEWARCH, "after", [OLD]),
        (BEFORE, NEWARCH, "before", [None, OLD]),
        ({}, CLASSIC, "before", [None, ID]),
    ],
)
def test_a_delete_of_a_row_of_avro_without_a_key_is_told_by_nothing(
    options: dict[str, str], profile: Profile, image: str, rows: list[Any]
) -> None:
    found = told("avro", INSERT, DELETE, table=UNIQUE, options=options, profile=profile)
    assert [event[image] for event in found] == rows


def test_names_of_avro_come_as_the_format_can_write_them() -> None:
    table = {**SMALL, "name": "t-1", "columns": [*SMALL["columns"], {"name": "2x", "type": "int"}]}
    [found] = told("avro", row_event("insert", base={**OLD, "2x": "4"}, table="t-1"), table=table)
    assert (found["table"], found["after"]) == ("t_1", {**OLD, "_2x": "4"})
    event = {"kind": "row", "schema": "a.b", "table": "t-1", "after": {"2x": "4"}, "before": None}
    renamed = {"schema": "a_b", "table": "t_1", "after": {"_2x": "4"}}
    assert ORACLES["avro"].with_written_names(event) == event | renamed


@pytest.mark.parametrize("options", [{}, AS_STRINGS], ids=["long", "string"])
def test_a_bigint_of_avro_beyond_a_long_is_carried_in_both_modes(options: dict[str, str]) -> None:
    table = beside_id({"name": "a", "type": "bigint unsigned"})
    row = {"id": "1", "a": "18446744073709551615"}
    assert [e["after"] for e in told("avro", row_event("insert", base=row), table=table, options=options)] == [row]


@pytest.mark.parametrize(
    ("protocol", "profile", "after"),
    [
        *(("avro", NEWARCH, OLD | {"g": Maybe(None)}), ("avro", CLASSIC, OLD)),
        *((protocol, NEWARCH, OLD) for protocol in ("canal-json", "debezium", "open-protocol")),
    ],
)
def test_a_virtual_column_need_not_come(protocol: str, profile: Profile, after: dict[str, Any]) -> None:
    table = {**SMALL, "columns": [*SMALL["columns"], {"name": "g", "type": "int", "generated": "virtual"}]}
    found = told(protocol, row_event("insert", base={**OLD, "g": "4"}), table=table, profile=profile)
    assert [event["after"] for event in found] == [after]


@pytest.mark.parametrize(
    ("protocol", "limit", "after"),
    [
        ("open-protocol", "160", ID),
        ("open-protocol", "10000", {"id": "1", "a": "2" * 9}),
        ("canal-json", "275", ID),
        ("canal-json", "10000", {"id": "1", "a": "2" * 9}),
    ],
)
def test_a_row_that_was_reduced_for_its_size_has_its_handle_columns(protocol: str, limit: str, after: dict[str, Any]):
    options = {**EXTENDED, "large-message-handle-option": "handle-key-only", "max-message-bytes": limit}
    options = options if protocol == "canal-json" else {name: options[name] for name in options if name not in EXTENDED}
    found = told(protocol, row_event("insert", base={"id": "1", "a": "2" * 9}), options=options)
    assert [event["after"] for event in found] == [after]


def test_bytes_that_are_no_text_are_lost_in_a_varchar_of_open_protocol_and_kept_in_a_text() -> None:
    columns = [SMALL["columns"][0], {"name": "a", "type": "varchar(9)"}, {"name": "b", "type": "text"}]
    raw = {"base64": "Yf9i"}
    found = told(
        "open-protocol", row_event("insert", base={"id": "1", "a": raw, "b": raw}), table={**SMALL, "columns": columns}
    )
    assert [event["after"] for event in found] == [{"id": "1", "a": "a\ufffdb", "b": raw}]


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
    assert changed(column, *(from_wire(column.type, value) for value in (before, after)), NEWARCH) is is_changed


@pytest.mark.parametrize(("profile", "columns"), [(NEWARCH, ("v",)), (DOC, ("v",)), (CLASSIC, ())])
def test_a_unique_key_over_a_virtual_column_is_a_handle_but_in_classic(profile: Profile, columns: tuple[str, ...]):
    virtual = {"name": "v", "type": "int", "nullable": False, "generated": "virtual"}
    table = table_from_json(
        {**SMALL, "primary_key": [], "columns": [virtual], "unique_keys": [{"name": "u", "columns": ["v"]}]}
    )
    assert handle_columns(table, profile) == columns


# -- Canal-JSON --------------------------------------------------------------------------------------------------------

DDL = {"kind": "ddl", "schema": "test", "table": "t", "query": "TRUNCATE TABLE `t`", "commit_ts": "8"}
MARK = {"kind": "watermark", "commit_ts": "9"}

CRC = 0x8C0469FD  # CRC-32 of `testt`: schema and table


def partitions(case: Case) -> list[int | None]:
    """Where each message goes."""
    return [d.partition for d in ORACLE.deliveries(case, parse(Options, case.options), NEWARCH)]


def test_a_row_goes_to_the_partition_of_its_table_a_statement_to_the_first_a_watermark_to_all():
    assert partitions(case_of(row("insert"), DDL, MARK, partitions=3)) == [CRC % 3, 0, 0, 1, 2]
    assert partitions(case_of(row("insert"), DDL, MARK, partitions=5)) == [CRC % 5, 0, 0, 1, 2, 3, 4]


def test_of_one_partition_nothing_is_said():
    assert partitions(case_of(row("insert"), DDL, MARK)) == [None] * 3


def test_a_watermark_is_sent_with_the_extension_alone():
    assert [e["kind"] for e in carried(case_of(row("insert"), DDL, MARK, options={}))] == ["row", "ddl"]
    assert carried(case_of(MARK)) == [MARK]


def test_of_the_action_of_a_statement_its_type_is_told():
    truncated = {"action": Maybe(frozenset({"truncate table"})), "action_code": Maybe(frozenset({11}))}
    assert carried(case_of({**DDL, "action": "truncate table", "action_code": 11})) == [{**DDL, **truncated}]
    created = {"action": Maybe(frozenset({"create table", "create tables"})), "action_code": Maybe(frozenset({3, 60}))}
    assert carried(case_of({**DDL, "action": "create table"})) == [{**DDL, **created}]
    [untimed] = carried(case_of(DDL, options={}))
    assert "commit_ts" not in untimed


@pytest.mark.parametrize(("profile", "names"), [(NEWARCH, {"u"}), (CLASSIC, {"a", "b", "u"})])
def test_a_virtual_column_counts_for_the_handle_key_of_all_but_the_classic_writer(profile: Profile, names: set[str]):
    """It is then chosen, but not sent."""
    columns = [
        *({"name": name, "type": "int", "nullable": False} for name in "uab"),
        {"name": "g", "type": "int", "nullable": False, "generated": "virtual"},
    ]
    keys = [{"name": "k1", "columns": ["u", "g"]}, {"name": "k2", "columns": ["a", "u", "b"]}]
    table = {"schema": "test", "name": "t", "columns": columns, "primary_key": [], "unique_keys": keys}
    event = {**row("delete"), "before": {"u": "1", "a": "2", "b": "3", "g": "4"}}
    options = {"delete-only-output-handle-key-columns": "true"}
    [found] = carried(case_of(event, table=table, options=options), profile)
    assert set(found["before"]) == names


@pytest.mark.parametrize(
    ("data", "text"),
    [("Yf9i", "a\ufffdb"), ("/////w==", "\ufffd" * 4), ("w6nD", "é\ufffd"), ("4oLhgqA=", "\ufffd\ufffdႠ")],
)
def test_each_byte_that_is_no_utf_8_comes_as_one_replacement(data: str, text: str):
    [found] = carried(case_of(row("insert", x={"base64": data})))
    assert found["after"]["x"] == text
