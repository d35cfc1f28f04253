"""What is no table, event, record or claim of the harness protocol is refused with its class and a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from reference_impl.errors import Rejected
from reference_impl.model import Column, DdlEvent, RowChange, Table
from reference_impl.wire import (
    claim_from_json,
    column_from_json,
    column_to_json,
    event_from_json,
    event_to_json,
    events_from_json,
    record_from_json,
    record_to_json,
    table_from_json,
    table_to_json,
)

Json = Mapping[str, Any]
COLUMN: Json = {"name": "a", "type": "int"}
TABLE: Json = {"schema": "d", "name": "t", "columns": [COLUMN, {"name": "b", "type": "binary(2)"}]}
ROW: Json = {"kind": "row", "op": "insert", "schema": "d", "table": "t", "commit_ts": "7", "after": {"a": "1"}}
DDL: Json = {"kind": "ddl", "schema": "d", "table": "t", "query": "…", "commit_ts": "7"}
WATERMARK: Json = {"kind": "watermark", "commit_ts": "7"}
RECORD: Json = {"key": None, "value": "AA=="}
CLAIM: Json = {"location": "file:///x", "value": "AA=="}


def event(given: Json) -> object:
    return event_from_json(given, {("d", "t"): table_from_json(TABLE)})


def without(given: Json, name: str) -> Json:
    return {key: value for key, value in given.items() if key != name}


# By reader: what is given, the member, its JSON kind in Python, and what is said to lack it.
REQUIRED: list[tuple[Callable[[Any], object], Json, str, str, str]] = [
    (column_from_json, COLUMN, "name", "string", "a column"),
    (column_from_json, COLUMN, "type", "string", "column 'a'"),
    (table_from_json, TABLE, "name", "string", "a table"),
    (table_from_json, TABLE, "schema", "string", "table 't'"),
    (table_from_json, TABLE, "columns", "list", "table 't'"),
    (event, ROW, "kind", "string", "an event"),
    (event, ROW, "op", "string", "a row event"),
    (event, ROW, "schema", "string", "a row event"),
    (event, ROW, "table", "string", "a row event"),
    (event, DDL, "query", "string", "a ddl event"),
    (event, WATERMARK, "commit_ts", "string", "a watermark"),
    (claim_from_json, CLAIM, "value", "string", "a claim"),
    (claim_from_json, CLAIM, "location", "string", "a claim"),
]


@pytest.mark.parametrize(("read", "given", "name", "kind", "what"), REQUIRED)
def test_a_required_member_is_there_and_of_its_kind(read, given, name, kind, what) -> None:
    wrong: list[tuple[Json, str]] = [
        (without(given, name), f"{what} has no member {name!r}"),
        *(({**given, name: value}, f"{what}: {name!r} is not a {kind}") for value in (None, 7, True, {})),
    ]
    for member, words in wrong:
        with pytest.raises(Rejected) as refused:
            read(member)
        assert (refused.value.reason, refused.value.message) == ("schema", words)


# The reader, what is given, and the refusal.
REFUSED: list[tuple[Callable[[Any], object], Any, str, str]] = [
    *(
        (event, {**given, name: value}, reason, f"{what}: {name!r} is not a {form}")
        for given, what, names in (
            (ROW, "a row event", ("commit_ts", "start_ts")),
            (DDL, "a ddl event", ("commit_ts",)),
            (WATERMARK, "a watermark", ("commit_ts",)),
        )
        for name in names
        for value, reason, form in (
            (7, "schema", "string"),
            ("", "type", "string of digits"),
            ("-7", "type", "string of digits"),
            ("7.0", "type", "string of digits"),
            ("²", "type", "string of digits"),
            ("٧", "type", "string of digits"),
        )
    ),
    (event, {**ROW, "commit_ts": "9" * 5000}, "range", "a row event: 'commit_ts' has more than 20 digits"),
    (event, {**ROW, "kind": "Row"}, "type", "an event has the kind 'Row'"),
    (event, {**ROW, "op": "merge"}, "type", "a row event has the op 'merge'"),
    (event, {**ROW, "op": "Insert"}, "type", "a row event has the op 'Insert'"),
    (event, {**ROW, "table": "x"}, "semantics", "a row event names the table d.x, which is not among the tables"),
    (event, {**ROW, "schema": "x"}, "semantics", "a row event names the table x.t, which is not among the tables"),
    (event, {**ROW, "before": []}, "schema", "before is not an object"),
    (event, {**ROW, "after": "x"}, "schema", "after is not an object"),
    (event, {**ROW, "before": {"x": "1"}}, "semantics", "before: the table has no column 'x'"),
    (event, {**ROW, "after": {"x": "1"}}, "semantics", "after: the table has no column 'x'"),
    (event, {**ROW, "before": {"a": "x"}}, "type", "before.a: 'x' is not an integer"),
    (event, {**ROW, "after": {"a": "2147483648"}}, "range", "after.a: 2147483648 is outside int"),
    (event, {**ROW, "after": {"a": 1}}, "schema", "after.a: 1 is not a value of a int column"),
    (event, {**DDL, "table_before": without(TABLE, "name")}, "schema", "a table has no member 'name'"),
    (event, {**DDL, "other_tables": [without(TABLE, "name")]}, "schema", "a table has no member 'name'"),
    *(
        (
            table_from_json,
            {**TABLE, **keys},
            "semantics",
            "table 't': a key names the column 'x', which it does not have",
        )
        for keys in (
            {"primary_key": ["a", "x"]},
            {"unique_keys": [{"name": "u", "columns": ["b", "x"]}]},
            {"indexes": [{"name": "i", "columns": ["x"]}]},
        )
    ),
    (table_from_json, {**TABLE, "unique_keys": 5}, "schema", "table 't': 'unique_keys' is not a list"),
    (
        table_from_json,
        {**TABLE, "indexes": [{"name": "k"}]},
        "schema",
        "table 't': a key of 'indexes' has no member 'columns'",
    ),
    (table_from_json, {**TABLE, "primary_key": "a"}, "schema", "table 't': 'primary_key' is not a list"),
    (table_from_json, {**TABLE, "primary_key": [1]}, "schema", "table 't': the names of columns are not all strings"),
    (table_from_json, {**TABLE, "charset": []}, "schema", "table 't': 'charset' is not a string"),
    (event, {**ROW, "source": 5}, "schema", "a row event: 'source' is not an object"),
    (event, {**DDL, "table_after": 5}, "schema", "a ddl event: 'table_after' is not an object"),
    (event, {**DDL, "other_tables": 5}, "schema", "a ddl event: 'other_tables' is not a list"),
    (column_from_json, {**COLUMN, "nullable": "no"}, "schema", "column 'a': 'nullable' is not true or false"),
    (column_from_json, {**COLUMN, "default": {"expression": 5}}, "schema", "a default: 'expression' is not a string"),
    (column_from_json, [], "schema", "a column has no member 'name'"),
    (table_from_json, None, "schema", "a table has no member 'name'"),
    (column_from_json, {**COLUMN, "default": 5}, "schema", "default 5 is not a string"),
    (column_from_json, {**COLUMN, "default": {"text": "x"}}, "schema", "default {'text': 'x'} is not a string"),
    (column_from_json, {**COLUMN, "type": "x"}, "type", "'x': unknown column type 'x'"),
    (record_from_json, [], "schema", "a record is not an object"),
    (record_from_json, None, "schema", "a record is not an object"),
    (record_from_json, {"value": None}, "schema", "a record has no member 'key'"),
    (record_from_json, {"key": None}, "schema", "a record has no member 'value'"),
    (record_from_json, {**RECORD, "key": 1}, "schema", "a record's key is neither null nor a base64 string"),
    (record_from_json, {**RECORD, "value": {}}, "schema", "a record's value is neither null nor a base64 string"),
    (record_from_json, {**RECORD, "key": "AA"}, "schema", "a record's key is not base64"),
    (record_from_json, {**RECORD, "value": "A*=="}, "schema", "a record's value is not base64"),
    (record_from_json, {**RECORD, "value": "AA==\n"}, "schema", "a record's value is not base64"),
    (record_from_json, {**RECORD, "value": "é"}, "schema", "a record's value is not base64"),
    (record_from_json, {**RECORD, "partition": "1"}, "schema", "a record: 'partition' is not a whole number"),
    (record_from_json, {**RECORD, "partition": True}, "schema", "a record: 'partition' is not a whole number"),
    (record_from_json, {**RECORD, "topic": 1}, "schema", "a record: 'topic' is not a string"),
    (record_from_json, {**RECORD, "offset": "1"}, "schema", "a record: 'offset' is not a whole number"),
    (record_from_json, {**RECORD, "timestamp": 1.5}, "schema", "a record: 'timestamp' is not a whole number"),
    (record_from_json, {**RECORD, "headers": {}}, "schema", "a record: 'headers' is not a list"),
    *(
        (
            *(record_from_json, {**RECORD, "headers": [header]}),
            *("schema", "a record: a header is not a pair of a name and a value"),
        )
        for header in ("ab", ["a"], ["a", None, None], [1, None], {"a": None, "b": None})
    ),
    (record_from_json, {**RECORD, "headers": [["a", 1]]}, "schema", "a header is neither null nor a base64 string"),
    (record_from_json, {**RECORD, "headers": [["a", "x"]]}, "schema", "a header is not base64"),
    (claim_from_json, {**CLAIM, "value": "x"}, "schema", "a claim's value is not base64"),
]


@pytest.mark.parametrize(("read", "given", "reason", "words"), REFUSED)
def test_a_member_of_another_kind_or_value_is_refused(read, given, reason, words) -> None:
    with pytest.raises(Rejected) as refused:
        read(given)
    assert (refused.value.reason, refused.value.message) == (reason, words)


@pytest.mark.parametrize("op", ["insert", "update", "delete", "upsert", "read"])
def test_the_operations_are_those_of_the_harness_protocol(op: str) -> None:
    found = event({**ROW, "op": op})
    assert isinstance(found, RowChange)
    assert found.op == op


def test_members_that_are_left_out_or_null_are_none_or_have_their_defaults() -> None:
    for lacking in ({}, {"commit_ts": None, "start_ts": None, "before": None, "after": None, "source": None}):
        row = event({"kind": "row", "op": "read", "schema": "d", "table": "t", **lacking})
        assert row == RowChange("read", "d", "t", None)
    for lacking in ({}, {"commit_ts": None, "table_before": None, "table_after": None, "other_tables": None}):
        assert event({"kind": "ddl", "query": "…", **lacking}) == DdlEvent("", "", "…")
    column = column_from_json(COLUMN)
    for lacking in ({}, {"primary_key": None, "unique_keys": None, "indexes": None, "charset": None, "comment": None}):
        table = {"schema": "d", "name": "t", "columns": [COLUMN], **lacking}
        assert table_from_json(table) == Table("d", "t", (column,), clustered=True)
    assert column == Column("a", column.type, nullable=True)
    nothing = dict.fromkeys(("partition", "topic", "headers", "offset", "timestamp"))
    assert record_from_json({**RECORD, **nothing}) == record_from_json(RECORD)
    assert record_to_json(record_from_json({**RECORD, "headers": []})) == RECORD


def test_what_is_written_has_no_member_that_says_nothing() -> None:
    assert column_to_json(column_from_json(COLUMN)) == {"name": "a", "type": "int", "nullable": True}
    assert table_to_json(table_from_json({"schema": "d", "name": "t", "columns": []})) == {
        "schema": "d",
        "name": "t",
        "columns": [],
        "primary_key": [],
        "unique_keys": [],
        "indexes": [],
        "clustered": True,
    }
    row = event({**without(ROW, "commit_ts"), "after": {"b": "AGE=", "a": None}})
    assert isinstance(row, RowChange)
    assert row.after == {"b": b"\x00a", "a": None}
    assert event_to_json(row) == {
        "kind": "row",
        "op": "insert",
        "schema": "d",
        "table": "t",
        "before": None,
        "after": {"b": "AGE=", "a": None},
    }
    assert event_to_json(DdlEvent("d", "", "…")) == {"kind": "ddl", "schema": "d", "table": "", "query": "…"}


def test_zero_is_no_absence() -> None:
    assert event({**ROW, "commit_ts": "0", "start_ts": "0"}) == RowChange(
        *("insert", "d", "t", 0), after={"a": "1"}, start_ts=0
    )
    record = {**RECORD, "partition": 0, "topic": "", "offset": 0, "timestamp": 0}
    assert record_to_json(record_from_json(record)) == record
    ddl = {**DDL, "action": "", "action_code": 0, "commit_ts": "0", "source": {}}
    assert event_to_json(event(ddl)) == ddl  # type: ignore[arg-type]
    row = {**ROW, "commit_ts": "0", "start_ts": "0", "partition_id": 0, "row_id": "", "source": {}, "before": {}}
    assert event_to_json(event(row)) == row  # type: ignore[arg-type]


def test_a_claim_of_no_bytes_is_empty() -> None:
    assert claim_from_json({**CLAIM, "value": ""}).content == b""


def test_of_tables_given_twice_the_last_counts() -> None:
    tables = [table_from_json(TABLE), table_from_json({**TABLE, "columns": [{"name": "z", "type": "int"}]})]
    assert len(events_from_json([{**ROW, "after": {"z": "1"}}], tables)) == 1
