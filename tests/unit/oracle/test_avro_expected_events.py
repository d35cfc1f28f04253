"""What Avro delivers of a stream, and what a decoder must answer: expectations written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.oracle.avro import ORACLE
from conformance.oracle.tree import Maybe
from reference_impl.profiles import CLASSIC, NEWARCH, Profile
from reference_impl.settings import Settings
from tests.unit.oracle.avro_answers import AS_STRINGS, BEFORE, EXTENDED, WATCHED, case_of, row
from tests.unit.oracle.faults_of_avro import UNIQUE
from tests.unit.oracle.judging import OLD, SMALL, carried, ddl_event, mark

INSERT, UPDATE, DELETE = row("insert", base=OLD), row("update", base=OLD, a="3"), row("delete", base=OLD)


def of(*events: dict[str, Any], options: Any = None, profile: Profile = NEWARCH, **more: Any) -> list[dict[str, Any]]:
    """What must be answered for events, written in the style of a profile."""
    members = {"table": SMALL, **more}
    return carried(case_of("decode", *events, options=options or {}, written_as=profile, **members), profile)


def test_a_delete_of_a_row_without_a_key_is_told_by_nothing():
    assert [event["after"] for event in of(INSERT, DELETE, table=UNIQUE)] == [OLD]
    assert [event["after"] for event in of(INSERT, DELETE, table=UNIQUE, options=WATCHED)] == [OLD]
    assert [event["before"] for event in of(INSERT, DELETE, table=UNIQUE, options=BEFORE)] == [None, OLD]
    assert [event["before"] for event in of(INSERT, DELETE, table=UNIQUE, profile=CLASSIC)] == [None, {"id": "1"}]


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
