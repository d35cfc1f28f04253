"""What Open Protocol delivers of a stream, and what a decoder must answer: expectations written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.oracle.open_protocol.expected_events import changed, handle_columns
from conformance.oracle.tree import Maybe
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from reference_impl.settings import Settings
from reference_impl.values import from_wire
from reference_impl.wire import column_from_json, table_from_json
from tests.unit.oracle.judging import SMALL, carried
from tests.unit.oracle.open_answers import case_of, ddl, mark, row

KEY = {"name": "u", "columns": ["v"]}


def test_statements_and_watermarks_come_once_a_partition_and_without_definitions():
    found = carried(case_of("decode", ddl(), mark(), table=SMALL, settings=Settings(partitions=3)))
    statement = {"kind": "ddl", "schema": "test", "table": "t", "query": ddl()["query"], "action_code": 5}
    statement["action"] = Maybe(frozenset({"add column"}))
    assert found == [{**statement, "commit_ts": "7"}] * 3 + [{"kind": "watermark", "commit_ts": "7"}] * 3


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


@pytest.mark.parametrize(
    ("kind", "before", "after", "is_changed"),
    [
        ("int", "1", "1", False), ("int", "1", "2", True), ("int", None, "1", True),
        ("float", "0.1", "0.10000000149011612", False), ("double", "0.1", "0.10000000149011612", True),
        ("double", "0.1", "0.10", False), ("enum('a','b')", "a", {"index": "1"}, False),
        ("enum('a','b')", "a", {"index": "2"}, True), ("set('a','b')", "a,b", {"mask": "3"}, False),
        ("set('a','b')", "a,b", {"mask": "1"}, True), ("vector(1)", "[1]", "[1.0]", False),
        ("vector(1)", "[1]", "[2]", True),
        ("json", "[1]", "[ 1]", True),  # its text is what is written
    ],
)  # fmt: skip
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
