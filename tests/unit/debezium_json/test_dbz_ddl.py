"""Debezium JSON, statements: which have a message, what it tells of the table, and what it takes from the text."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from reference_impl.actions import TRUNCATE_TABLE
from reference_impl.column_types import parse_column_type
from reference_impl.debezium_json.ddl import CHANGE_TYPES
from reference_impl.model import Column, DdlEvent, Key, Table
from reference_impl.profiles import DOC
from tests.unit.debezium_json.messages import BARE, write

_INT = parse_column_type("int")
T = Table("test", "t", (Column("id", _INT, False), Column("a", parse_column_type("varchar(20)"))), primary_key=("id",))


def _statement(query: str, code: int, after: Table | None = T, **members: Any) -> DdlEvent:
    table = after.name if after is not None else "t"
    return DdlEvent(
        "test", **{"table": table, "query": query, "action_code": code, "commit_ts": 1, "table_after": after, **members}
    )


def _payloads(event: DdlEvent) -> list[dict[str, Any]]:
    return [json.loads(value)["payload"] for _, value in write(event, tables=(), options=BARE)]


def _changes(event: DdlEvent) -> list[dict[str, Any]]:
    [payload] = _payloads(event)
    changes: list[dict[str, Any]] = payload["tableChanges"]
    return changes


def test_an_action_has_a_message_with_its_kind_of_change_or_none() -> None:
    for code in range(256):
        found = [[change["type"] for change in payload["tableChanges"]] for payload in _payloads(_statement("x", code))]
        known = [[]] if code == TRUNCATE_TABLE else [[CHANGE_TYPES[code]]] if code in CHANGE_TYPES else []
        assert found == known


def test_an_action_may_be_known_by_name_alone() -> None:
    named = _statement("x", 0, action_code=None, action="Add Column")
    assert _changes(named) == _changes(_statement("x", 5))
    assert _payloads(replace(named, action="lock table")) == []


def test_the_payload_names_database_statement_and_table() -> None:
    [payload] = _payloads(_statement("ALTER TABLE t ADD n int", 5))
    assert list(payload) == ["source", "ts_ms", "databaseName", "schemaName", "ddl", "tableChanges"]
    assert (payload["source"]["db"], payload["source"]["table"]) == ("test", "t")
    assert (payload["databaseName"], payload["schemaName"], payload["ddl"]) == ("test", None, "ALTER TABLE t ADD n int")


def test_a_statement_about_a_schema_changes_no_table() -> None:
    for code in (1, 2, 26):
        assert _changes(_statement("x", code, None, table="")) == []


def test_a_dropped_table_is_null_but_a_dropped_view_is_empty() -> None:
    assert _changes(_statement("DROP TABLE `t`", 4, None)) == [{"type": "DROP", "id": '"test"."t"', "table": None}]
    assert _changes(_statement("DROP VIEW `t`", 24, None))[0]["table"] == {
        "defaultCharsetName": "",
        "primaryKeyColumnNames": [],
        "columns": [],
        "comment": None,
    }


def test_a_dropped_index_leaves_the_whole_table() -> None:
    [change] = _changes(_statement("ALTER TABLE t DROP INDEX i", 8))
    assert [column["name"] for column in change["table"]["columns"]] == ["id", "a"]


@pytest.mark.parametrize(
    ("query", "old"),
    [
        ("RENAME TABLE `test`.`s` TO `test`.`t`", '"test"."s"'),
        ("rename table s to t", '"test"."s"'),
        ("RENAME TABLE x TO y, other.s TO test.t", '"other"."s"'),
        ("ALTER TABLE s RENAME TO t", '"test"."s"'),
        ("ALTER TABLE `s` RENAME AS `t`, COMMENT 'x'", '"test"."s"'),
        ("ALTER TABLE s RENAME = t", '"test"."s"'),
        ("ALTER TABLE s RENAME t", '"test"."s"'),
        ("not to be read", '"test"."was"'),
    ],
)
def test_a_renamed_table_has_its_old_name_before_the_new_one(query: str, old: str) -> None:
    [change] = _changes(_statement(query, 14, table_before=replace(T, name="was")))
    assert change["id"] == f'{old},"test"."t"'


def test_a_table_renamed_into_another_schema_has_its_old_schema_before_the_new_one() -> None:
    before = replace(T, schema="old", name="s")
    [change] = _changes(_statement("RENAME TABLE s TO test.t", 14, table_before=before))
    assert change["id"] == '"old"."s","test"."t"'


@pytest.mark.parametrize(
    ("query", "schema", "ddls"),
    [
        (
            *("RENAME TABLE s TO test.t, r TO u", "old"),
            ["RENAME TABLE `old`.`s` TO `test`.`t`", "RENAME TABLE `old`.`r` TO `old`.`u`"],
        ),
        (
            *("RENAME TABLE S TO test.t, r TO test.u", "test"),  # names without a schema are all of one schema
            ["RENAME TABLE `old`.`s` TO `test`.`t`", "RENAME TABLE `old`.`r` TO `test`.`u`"],
        ),
    ],
)
def test_each_of_several_renamed_tables_has_a_schema_of_its_own(query: str, schema: str, ddls: list[str]) -> None:
    before, other = replace(T, schema="old", name="s"), replace(T, schema=schema, name="u")
    event = _statement(query, 47, table_before=before, other_tables=(other,))
    assert [payload["ddl"] for payload in _payloads(event)] == ddls


def test_a_rename_of_an_unknown_table_has_only_the_new_name() -> None:
    assert _changes(_statement("?", 14))[0]["id"] == '"test"."t"'


def test_several_renamed_tables_have_a_message_each() -> None:
    event = _statement("RENAME TABLE a TO t, o.b TO `u``x`", 47, other_tables=(replace(T, name="u`x"),))
    payloads = _payloads(event)
    assert [payload["ddl"] for payload in payloads] == [
        "RENAME TABLE `test`.`a` TO `test`.`t`",
        "RENAME TABLE `o`.`b` TO `test`.`u``x`",
    ]
    assert [payload["tableChanges"][0]["id"] for payload in payloads] == [
        '"test"."a","test"."t"',
        '"o"."b","test"."u`x"',
    ]


def test_several_created_tables_have_a_message_each() -> None:
    event = _statement("CREATE TABLE t (id int); CREATE TABLE u (id int);", 60, other_tables=(replace(T, name="u"),))
    payloads = _payloads(event)
    assert [(p["ddl"], p["source"]["table"]) for p in payloads] == [
        ("CREATE TABLE t (id int)", "t"),
        ("CREATE TABLE u (id int)", "u"),
    ]


def test_each_of_several_created_tables_has_its_own_columns() -> None:
    u = Table("test", "u", (Column("n", _INT),))
    query = "CREATE TABLE t (id int); CREATE TABLE u (n int);"
    for event in (_statement(query, 60, other_tables=(u,)), _statement(query, 60, None, other_tables=(T, u))):
        tables = [payload["tableChanges"][0]["table"] for payload in _payloads(event)]
        assert [[column["name"] for column in table["columns"]] for table in tables] == [["id", "a"], ["n"]]


def test_the_statement_of_a_single_table_stays_as_it_is() -> None:
    for code, query in ((60, "CREATE TABLE t (id int);"), (47, "rename table s to t"), (14, "ALTER TABLE s RENAME t;")):
        assert [payload["ddl"] for payload in _payloads(_statement(query, code))] == [query]


def test_the_primary_key_is_in_index_order_else_the_first_unique_key_without_null() -> None:
    columns = (*T.columns, Column("b", _INT, False), Column("c", _INT, False))
    keys = (Key("n", ("a",)), Key("bc", ("c", "b")), Key("b", ("b",)))
    for table, names in (
        (replace(T, columns=columns, primary_key=("c", "id"), unique_keys=keys), ["c", "id"]),
        (replace(T, columns=columns, primary_key=(), unique_keys=keys), ["c", "b"]),
        (replace(T, columns=columns, primary_key=(), unique_keys=keys[:1]), []),
    ):
        assert _changes(_statement("x", 5, table))[0]["table"]["primaryKeyColumnNames"] == names


def test_a_table_has_its_charset_or_the_usual_one() -> None:
    assert _changes(_statement("x", 5))[0]["table"]["defaultCharsetName"] == "utf8mb4"
    assert _changes(_statement("x", 5, replace(T, charset="latin1")))[0]["table"]["defaultCharsetName"] == "latin1"


def test_positions_count_from_one() -> None:
    [change] = _changes(_statement("x", 5))
    assert [(c["position"], c["optional"]) for c in change["table"]["columns"]] == [(1, False), (2, True)]


def test_the_document_has_the_comment_of_a_defined_column_too() -> None:
    table = Table("test", "t", (Column("c", parse_column_type("int"), comment="hi"),))
    [(_, value)] = write(_statement("ALTER TABLE t ADD c int COMMENT 'hi'", 5, table), profile=DOC)
    [change] = json.loads(value)["payload"]["tableChanges"]
    assert [column["comment"] for column in change["table"]["columns"]] == ["hi"]
