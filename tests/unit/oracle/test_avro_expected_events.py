"""What Avro delivers of a stream, and what a decoder must answer: expectations written by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from avro_answers import AS_STRINGS, BEFORE, EXTENDED, RAW, WATCHED, case_of, row
from avro_cases import UNIQUE

from conformance.oracle.avro import CARRIED, ORACLE
from conformance.oracle.events import ANY_WRITE
from conformance.oracle.tree import Maybe
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from reference_impl.settings import Settings
from tests.unit.oracle.judging import NEW, OLD, SMALL, carried, ddl_event, mark, options_of

INSERT, UPDATE, DELETE = row("insert", base=OLD), row("update", base=OLD, a="3"), row("delete", base=OLD)


def of(*events: dict[str, Any], options: Any = None, profile: Profile = NEWARCH, **more: Any) -> list[dict[str, Any]]:
    """What must be answered for events, written in the style of a profile."""
    members = {"table": SMALL, **more}
    return carried(case_of("decode", *events, options=options or {}, written_as=profile, **members), profile)


def test_a_row_alone_does_not_say_what_happened_nor_when():
    expected = {"kind": "row", "op": ANY_WRITE, "schema": "test", "table": "t", "before": None, "after": NEW}
    assert of(UPDATE) == [expected]
    assert {"insert", "update", "upsert"} == ANY_WRITE


def test_the_extension_tells_operation_and_time():
    [found] = of(UPDATE, options=EXTENDED)
    assert (found["op"], found["commit_ts"], found["before"], found["after"]) == ("update", str(7 << 18), None, NEW)


def test_a_delete_is_its_key_and_has_no_time():
    [found] = of(DELETE, options=EXTENDED)
    assert (found["op"], found["before"], found["after"]) == ("delete", {"id": "1"}, None)
    assert "commit_ts" not in found


@pytest.mark.parametrize(("profile", "time"), [(NEWARCH, str(7 << 18)), (CLASSIC, None), (DOC, None)])
def test_in_the_mode_for_tests_a_delete_of_the_new_architecture_has_its_time(profile: Profile, time: str | None):
    [found] = of(DELETE, options=WATCHED, profile=profile)
    assert found.get("commit_ts") == time


@pytest.mark.parametrize(("profile", "before"), [(NEWARCH, OLD), (CLASSIC, None), (DOC, None)])
def test_the_row_before_an_update_is_there_where_it_is_written(profile: Profile, before: Any):
    [found] = of(UPDATE, options={**BEFORE, **EXTENDED}, profile=profile)
    assert (found["op"], found["before"], found["after"]) == ("update", before, NEW)


def test_a_delete_with_the_row_before_has_every_column():
    [found] = of(DELETE, options=BEFORE)
    assert (found["op"], found["before"], found["after"]) == ("delete", OLD, None)


def test_a_delete_of_a_row_without_a_key_is_told_by_nothing():
    assert [event["after"] for event in of(INSERT, DELETE, table=UNIQUE)] == [OLD]
    assert [event["after"] for event in of(INSERT, DELETE, table=UNIQUE, options=WATCHED)] == [OLD]
    assert [event["before"] for event in of(INSERT, DELETE, table=UNIQUE, options=BEFORE)] == [None, OLD]
    assert [event["before"] for event in of(INSERT, DELETE, table=UNIQUE, profile=CLASSIC)] == [None, {"id": "1"}]


def test_an_update_of_a_key_comes_as_a_delete_and_an_insert():
    found = of(row("update", base=OLD, id="5"))
    assert [(event["op"], event["before"], event["after"]) for event in found] == [
        ("delete", {"id": "1"}, None),
        (ANY_WRITE, None, {"id": "5", "a": "2"}),
    ]


def test_a_raw_update_of_a_key_stays_one_event():
    assert [event["after"] for event in of(row("update", base=OLD, id="5"), options=RAW)] == [{"id": "5", "a": "2"}]


def test_statements_and_watermarks_come_in_the_mode_for_tests_alone():
    assert of(ddl_event(), mark(), INSERT, options=EXTENDED)[0]["kind"] == "row"
    statement = {"kind": "ddl", "schema": "test", "table": "t", "query": ddl_event()["query"], "action_code": 5}
    statement["action"] = Maybe(frozenset({"add column"}))
    time = {"commit_ts": str(7 << 18)}
    assert of(ddl_event(), mark(), options=WATCHED) == [statement | time, {"kind": "watermark"} | time]
    several = Settings(partitions=3)
    assert (
        of(ddl_event(), mark(), options=WATCHED, settings=several)
        == [statement | time] * 3 + [{"kind": "watermark"} | time] * 3
    )


def test_names_come_as_the_format_can_write_them():
    table = {**SMALL, "name": "t-1", "columns": [*SMALL["columns"], {"name": "2x", "type": "int"}]}
    [found] = of(row("insert", base={**OLD, "2x": "4"}, table="t-1"), table=table)
    assert (found["table"], found["after"]) == ("t_1", {**OLD, "_2x": "4"})
    named = ORACLE.with_written_names(
        {"kind": "row", "schema": "a.b", "table": "t-1", "after": {"2x": "4"}, "before": None}
    )
    assert named == {"kind": "row", "schema": "a_b", "table": "t_1", "after": {"_2x": "4"}, "before": None}


@pytest.mark.parametrize("options", [{}, AS_STRINGS], ids=["long", "string"])
def test_a_bigint_beyond_a_long_is_carried_in_both_modes(options: dict[str, str]):
    table = {**SMALL, "columns": [SMALL["columns"][0], {"name": "a", "type": "bigint unsigned"}]}
    [found] = of(row("insert", base={"id": "1", "a": "18446744073709551615"}), table=table, options=options)
    assert found["after"] == {"id": "1", "a": "18446744073709551615"}


def test_a_virtual_column_need_not_come():
    table = {**SMALL, "columns": [*SMALL["columns"], {"name": "g", "type": "int", "generated": "virtual"}]}
    [found] = of(row("insert", base={**OLD, "g": "4"}), table=table)
    assert found["after"] == {**OLD, "g": Maybe(None)}
    [found] = of(row("insert", base={**OLD, "g": "4"}), table=table, profile=CLASSIC)
    assert found["after"] == OLD


def test_rows_come_in_the_order_of_the_records_that_hold_them():
    # The state after schema and table name, as upstream's tests have it, modulo 3: 0 for t1, 2 for t2.
    assert (1079797119 % 3, 3646239941 % 3) == (0, 2)
    first, second = ({**SMALL, "name": name} for name in ("t1", "t2"))
    events = [row("insert", ts=8 << 18, table=name, base={"id": name[1], "a": "1"}) for name in ("t2", "t1", "t2")]
    case = case_of("encode", ddl_event(after=second), *events, table=first, settings=Settings(partitions=3))
    sent = ORACLE.deliveries(case, options_of(case), NEWARCH)
    assert [delivery.partition for delivery in sent] == [2, 0, 2]
    watched = replace(case, options=WATCHED)
    assert len(ORACLE.deliveries(watched, options_of(watched), NEWARCH)) == 6


def test_what_is_carried_is_told_in_words():
    assert {"operation", "columns of a delete", "DDL, watermark"} <= {what for what, _ in CARRIED}
