"""Checks of Avro that the sweep of faults does not reach: each speaks at its place of a fault made by hand."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from conformance.cases.model import Case
from reference_impl.registry import RegisteredSchema
from tests.unit.oracle.avro_answers import AS_STRINGS, BEFORE, ZONED, case_of, row, with_message, with_requests
from tests.unit.oracle.changes import both, drop, put
from tests.unit.oracle.faults_of_avro_messages import (
    KEPT,
    MARK,
    MARKED_DELETE,
    STATEMENT,
    WIDER,
    added,
    field,
    typed,
    without,
)
from tests.unit.oracle.judging import OLD, SMALL, Change, answer_of, ddl_event, judged, row_event

DELETE, INSERT = (case_of("encode", row(op, base=OLD), table=SMALL) for op in ("delete", "insert"))
KEPT_DELETE = case_of("encode", row("delete", base=OLD), table=SMALL, options=BEFORE)


def places(case: Case, answer: dict[str, Any]) -> set[tuple[str, str]]:
    """(requirement, path) of each finding."""
    return {(finding.requirement, finding.path) for finding in judged(case, answer).findings}


# -- values of another kind --------------------------------------------------------------------------------------------

TIMED, EMPTY_STATEMENT = bytes(8), b"\1{}"
DATUM = "a datum"


def with_value(case: Case, value: bytes | str) -> dict[str, Any]:
    """The reference's answer with another value in its record."""
    ok, whole = answer_of(case)["ok"], answer_of(INSERT)["ok"]
    text = whole["records"][0]["value"] if isinstance(value, str) else b64encode(value).decode()
    schemas = whole["schemas"] if isinstance(value, str) else ok["schemas"]
    return {"ok": {**ok, "records": [{**ok["records"][0], "value": text}], "schemas": schemas}}


KINDS: list[tuple[str, Case, bytes | str, str]] = [
    ("AV-003", INSERT, b"\2" + TIMED, "schema row varints marker commit_ts"),
    ("AV-003", INSERT, EMPTY_STATEMENT, "schema row varints marker ddl"),
    ("AV-004", DELETE, DATUM, ""),
    ("AV-121a", KEPT_DELETE, b"\3" + TIMED, "schema row varints marker commit_ts"),
    ("AV-121a", KEPT_DELETE, EMPTY_STATEMENT, "schema row varints marker ddl"),
    ("AV-130", MARK, DATUM, "schema row varints marker commit_ts"),
    ("AV-130", MARK, EMPTY_STATEMENT, "marker commit_ts ddl"),
    ("AV-130a", STATEMENT, DATUM, "schema row varints marker ddl"),
    ("AV-130a", STATEMENT, b"\2" + TIMED, "marker commit_ts ddl"),
    ("AV-131", MARKED_DELETE, DATUM, "schema row varints marker commit_ts"),
    ("AV-131", MARKED_DELETE, EMPTY_STATEMENT, "marker commit_ts ddl"),
]


@pytest.mark.parametrize(("requirement", "case", "value", "parts"), KINDS)
def test_a_value_of_another_kind_is_charged_at_every_part_that_differs(
    requirement: str, case: Case, value: bytes | str, parts: str
) -> None:
    expected = {(requirement, f"value.{part}") for part in parts.split()} or {(requirement, "value")}
    assert expected <= places(case, with_value(case, value))


# -- fields ------------------------------------------------------------------------------------------------------------

PATHS = {"key": "key.schema.fields.c", "value": "value.schema.fields.c", "before": "value.schema.before.type.fields.c"}
ROWS = {"key": "key.row.c", "value": "value.row.c", "before": "value.before.c"}
Column = dict[str, Any]


def change_of(part: str, column: Column, value: str, options: dict[str, str], **more: Any) -> Case:
    """An update of a table with that column `c`, which stands in the part; a key is that column."""
    columns = [SMALL["columns"][0], {"name": "c", "nullable": False, **column}]
    table = {**SMALL, "columns": columns, "primary_key": ["c" if part == "key" else "id"]}
    base = {"id": "1", "c": value}
    kept = BEFORE if part == "before" else {}
    return case_of("encode", row_event("update", base=base, id="1"), table=table, options=options | kept, **more)


def in_part(part: str, change: Change) -> Change:
    """A change of the field `c` of that part, its type and its parameters, and of the row that has its value."""

    def changed(tree: Any) -> None:
        if part == "before":
            fields, row = typed(field(tree, "_ticdc_before"))["fields"], tree["value"]["row"]["_ticdc_before"]
            given = next(one for one in fields if one["name"] == "c")
        else:
            given, row = field(tree, "c", part), tree[part]["row"]
        kind = typed(given)
        change({"field": given, "type": kind, "parameters": kind.get("connect.parameters"), "row": row})

    return changed


def no_parameters(tree: Any) -> None:
    del tree["type"]["connect.parameters"]


def tidb_type(text: str) -> Change:
    return put("parameters.tidb_type", text)


def required(tree: Any) -> None:
    tree["field"]["type"] = tree["type"]


def null(tree: Any) -> None:
    if not isinstance(tree["field"]["type"], list):
        tree["field"]["type"] = ["null", tree["type"]]
    tree["row"]["c"] = None


OF_OTHER_TYPE = both(put("type.type", "bytes"), put("row.c", "00"))
OF_BYTES = {"type": "varchar(5)", "charset": "binary"}
TIDB_TYPE = ".type.connect.parameters.tidb_type"
NOW = {"expression": "CURRENT_TIMESTAMP"}
DAY, TIME = "2024-01-02", "2024-01-02 03:04:05"
Fault = tuple[str, str, str, Column, str, dict[str, str], Change]


def of_default(requirement: str, part: str, kind: str, text: Any, value: str, options: dict[str, str]) -> Fault:
    """A column with a default, for which its field has another."""
    column = {"type": kind} | ({} if text is None else {"default": text})
    return requirement, part, ".default", column, value, options, put("field.default", "7")


FIELDS: list[Fault] = [
    of_default("AV-045a", "before", "int", None, "1", {}),
    of_default("AV-050", "before", "decimal(5,2)", "1.50", "2.00", {}),
    of_default("AV-050", "key", "decimal(5,2)", "1.50", "2.00", {}),
    of_default("AV-055", "before", "tinyint", "2", "1", {}),
    of_default("AV-055", "before", "int", "2", "1", {}),
    of_default("AV-056", "before", "int unsigned", "2", "1", {}),
    of_default("AV-056", "before", "bigint", "2", "1", {}),
    of_default("AV-057", "before", "bigint unsigned", "2", "1", {}),
    of_default("AV-058", "before", "bigint unsigned", "2", "1", AS_STRINGS),
    of_default("AV-058", "key", "bigint unsigned", "2", "1", AS_STRINGS),
    of_default("AV-059", "before", "float", "1.5", "2", {}),
    of_default("AV-060", "before", "double", "1.5", "2", {}),
    of_default("AV-061", "before", "decimal(5,2)", "1.50", "2.00", AS_STRINGS),
    of_default("AV-061", "key", "decimal(5,2)", "1.50", "2.00", AS_STRINGS),
    of_default("AV-063", "before", "varchar(5)", "x", "y", {}),
    of_default("AV-064", "before", "enum('a','b')", "a", "b", {}),
    of_default("AV-065", "before", "date", DAY, DAY, {}),
    of_default("AV-065", "before", "datetime", TIME, TIME, {}),
    of_default("AV-066", "before", "timestamp", TIME, TIME, {}),
    of_default("AV-066a", "key", "datetime", NOW, TIME, {}),
    ("AV-047", "key", ".default", {"type": "int", "nullable": True}, "1", {}, put("field.default", 7)),
    ("AV-047", "key", ".nullable", {"type": "int", "nullable": True}, "1", {}, required),
    ("AV-048", "key", ".nullable", {"type": "int", "nullable": True, "default": "2"}, "1", {}, required),
    ("AV-049", "key", ".default", {"type": "decimal(5,2)", "nullable": True}, "1.00", {}, put("field.default", "x")),
    ("AV-049", "key", ".nullable", {"type": "decimal(5,2)", "nullable": True}, "1.00", {}, required),
    ("AV-068", "key", ".nullable", {"type": "varchar(5)", "nullable": True, "default": "null"}, "x", {}, required),
    ("AV-068", "before", ".nullable", {"type": "varchar(5)", "nullable": True, "default": "null"}, "x", {}, required),
    ("AV-085", "key", ".type.type", {"type": "decimal(5,2)"}, "1.00", AS_STRINGS, OF_OTHER_TYPE),
    ("AV-099", "key", ".type.type", OF_BYTES, "eA==", {}, put("type.type", "string")),
    ("AV-099", "key", ".type.connect.parameters", OF_BYTES, "eA==", {}, no_parameters),
    ("AV-099", "key", TIDB_TYPE, OF_BYTES, "eA==", {}, tidb_type("TEXT")),
    ("AV-099a", "key", TIDB_TYPE, {"type": "decimal(5,2) unsigned"}, "1.00", {}, tidb_type("DECIMAL UNSIGNED")),
    *(
        ("AV-085", "key", f".type.{name}", {"type": "decimal(5,2)"}, "1.00", AS_STRINGS, put(f"type.{name}", text))
        for name, text in (("logicalType", "decimal"), ("precision", 5), ("scale", 2))
    ),
    *(
        ("AV-031", part, f".type.{name}", {"type": "int"}, "1", {}, put(f"type.{name}", text))
        for part in PATHS
        for name, text in (("logicalType", "decimal"), ("precision", 5), ("scale", 2))
    ),
    *(
        ("AV-031", part, f".type.connect.parameters.{name}", {"type": "int"}, "1", {}, put(f"parameters.{name}", "5"))
        for part in PATHS
        for name in ("length", "allowed")
    ),
]


@pytest.mark.parametrize(("requirement", "part", "below", "column", "value", "options", "change"), FIELDS)
def test_a_check_speaks_of_a_rare_fault_in_a_field(
    requirement: str, part: str, below: str, column: Column, value: str, options: dict[str, str], change: Change
) -> None:
    case = change_of(part, column, value, options)
    assert places(case, answer_of(case)) == set()
    found = places(case, with_message(case, in_part(part, change)))
    assert (requirement, PATHS[part] + below) in found


VALUES: list[tuple[str, str, Column, str, dict[str, Any], Change]] = [
    ("AV-052", "key", {"type": "int"}, "1", {}, null),
    ("AV-085a", "key", {"type": "decimal(5,2)"}, "1.00", {"options": AS_STRINGS}, put("row.c", "2.00")),
    ("AV-085b", "key", {"type": "decimal(5,2)"}, "1.00", {"options": AS_STRINGS}, put("row.c", "1.0")),
    ("AV-094d", "before", {"type": "timestamp"}, TIME, {"settings": ZONED}, put("row.c", "2024-01-01 19:04:05")),
]


@pytest.mark.parametrize(("requirement", "part", "column", "text", "more", "change"), VALUES)
def test_a_check_speaks_of_a_rare_fault_in_a_value(
    requirement: str, part: str, column: Column, text: str, more: dict[str, Any], change: Change
) -> None:
    case = change_of(part, column, text, **{"options": {}, **more})
    assert places(case, answer_of(case)) == set()
    assert (requirement, ROWS[part]) in places(case, with_message(case, in_part(part, change)))


# -- names, extension, text and registrations --------------------------------------------------------------------------

WITH_NAME = {
    **SMALL,
    "columns": [*SMALL["columns"], {"name": "_tidb_x", "type": "int", "nullable": False}],
    "primary_key": ["id", "_tidb_x"],
}
LIKE_EXTENSION = case_of("encode", row("insert", base={**OLD, "_tidb_x": "3"}), table=WITH_NAME)
DECIMAL_KEY = change_of("key", {"type": "decimal(5,2)"}, "1.00", {})


def extended(name: str) -> Change:
    """The value has another field of the extension."""
    return added(name, "long", "1")


def number_respelled(tree: Any) -> None:
    """A number in the schema of the key is written with a fraction, which has the same value."""
    typed(field(tree, "c", "key"))["precision"] = 5.0


MESSAGES: list[tuple[str, str, Case, Change]] = [
    ("AV-029", "text.key.other", DECIMAL_KEY, number_respelled),
    *(("AV-030", f"key.{at}._tidb_x", LIKE_EXTENSION, without("_tidb_x", "key")) for at in ("row", "schema.fields")),
    *(
        ("AV-122", f"value.{at}.{name}", KEPT, extended(name))
        for at in ("extension", "schema.extension")
        for name in ("_tidb_commit_ts", "_tidb_commit_physical_time")
    ),
]


@pytest.mark.parametrize(("requirement", "path", "case", "change"), MESSAGES)
def test_a_check_speaks_of_a_rare_fault_in_a_message(requirement: str, path: str, case: Case, change: Change) -> None:
    assert places(case, answer_of(case)) == set()
    assert (requirement, path) in places(case, with_message(case, change))


def test_a_check_speaks_of_a_second_schema_under_a_subject() -> None:
    other = RegisteredSchema(9, "test_t-value", answer_of(INSERT)["ok"]["schemas"][0]["schema"])
    found = places(INSERT, with_requests(INSERT, lambda requests: [*requests, other]))
    assert found == {("AV-156", "registry.subjects.test_t-value[1]")}


def test_a_check_speaks_of_a_schema_of_values_that_no_value_has() -> None:
    other = RegisteredSchema(9, "test_t-value", answer_of(INSERT)["ok"]["schemas"][1]["schema"])
    found = places(DELETE, with_requests(DELETE, lambda requests: [*requests, other]))
    assert found == {("AV-156", "registry.subjects.test_t-value")}


# -- events ------------------------------------------------------------------------------------------------------------

GROWN = case_of(
    "decode",
    row("update", base=OLD, a="3"),
    ddl_event(after=WIDER, ts=8 << 18),
    row("update", base={**OLD, "c": "3"}, a="3", ts=9 << 18),
    table=SMALL,
    options=BEFORE,
)
VIRTUAL = case_of(
    "decode",
    row("update", base={**OLD, "g": "4"}, a="3"),
    table={**SMALL, "columns": [*SMALL["columns"], {"name": "g", "type": "int", "generated": "virtual"}]},
    options=BEFORE,
)


EVENTS: list[tuple[str, str, Case, Change]] = [
    ("AV-175", "event.before.c", GROWN, drop("c")),
    ("AV-203c", "event.before.c", GROWN, drop("c")),
    ("AV-203b", "event.before.g", VIRTUAL, put("g", "4")),
]


@pytest.mark.parametrize(("requirement", "path", "case", "change"), EVENTS)
def test_a_check_speaks_of_a_rare_fault_in_the_row_before(requirement: str, path: str, case: Case, change: Change):
    answer = answer_of(case)
    assert places(case, answer) == set()
    change(answer["ok"]["events"][-1]["before"])
    assert (requirement, path) in places(case, answer)


NAMED_AS_EXTENSION = {
    **SMALL,
    "primary_key": ["_tidb_op"],
    "columns": [{"name": "_tidb_op", "type": "varchar(8)", "nullable": False}, {"name": "a", "type": "int"}],
}


def test_a_column_of_the_key_may_have_the_name_of_a_member_of_the_extension() -> None:
    case = case_of("encode", row("insert", base={"_tidb_op": "x", "a": "2"}), table=NAMED_AS_EXTENSION)
    answer = answer_of(case)
    assert places(case, answer) == set()
    answer["ok"]["records"][0]["key"] = b64encode(b"\0\0\0\0\1\2y").decode()
    assert places(case, answer) == {("AV-002b", "key.extension._tidb_op")}
