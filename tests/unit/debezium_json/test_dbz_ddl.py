"""Debezium JSON, statements: which have a message, what it tells of the table, and what it takes from the text."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from reference_impl.actions import TRUNCATE_TABLE
from reference_impl.column_types import parse_column_type
from reference_impl.debezium_json.ddl import CHANGE_TYPES
from reference_impl.model import ABSENT, Column, DdlEvent, Default, Expression, Key, Table
from reference_impl.profiles import DOC
from reference_impl.settings import Settings
from tests.unit.debezium_json.messages import BARE, write

_INT = parse_column_type("int")
T = Table("test", "t", (Column("id", _INT, False), Column("a", parse_column_type("varchar(20)"))), primary_key=("id",))


def _statement(query: str, code: int, after: Table | None = T, **members: Any) -> DdlEvent:
    table = after.name if after is not None else "t"
    return DdlEvent(
        "test", **{"table": table, "query": query, "action_code": code, "commit_ts": 1, "table_after": after, **members}
    )


def _payloads(event: DdlEvent, timezone: str = "UTC") -> list[dict[str, Any]]:
    settings = Settings(timezone=timezone)
    return [json.loads(value)["payload"] for _, value in write(event, tables=(), options=BARE, settings=settings)]


def _changes(event: DdlEvent, timezone: str = "UTC") -> list[dict[str, Any]]:
    [payload] = _payloads(event, timezone)
    changes: list[dict[str, Any]] = payload["tableChanges"]
    return changes


def _told(kind: str, query: str = "x", timezone: str = "UTC", **members: Any) -> dict[str, Any]:
    """How the column `c` of a table is told after a statement."""
    charset = members.get("charset")
    column = Column("c", parse_column_type(kind, charset), **members)
    [change] = _changes(_statement(query, 5, Table("test", "t", (column,))), timezone)
    [told] = change["table"]["columns"]
    return dict(told)


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


# Column type, jdbcType, typeName, typeExpression, charsetName, length, scale.
TOLD: list[tuple[str, int, str, str, str | None, int | None, int | None]] = [
    ("tinyint(3) unsigned zerofill", 5, "TINYINT UNSIGNED ZEROFILL", "TINYINT UNSIGNED ZEROFILL", None, 3, None),
    ("int(8) unsigned zerofill", 4, "INT UNSIGNED ZEROFILL", "INT UNSIGNED ZEROFILL", None, 8, None),
    ("float", 6, "FLOAT", "FLOAT", None, None, None),
    ("float(24)", 6, "FLOAT", "FLOAT", None, None, None),
    ("float(10,2) unsigned", 6, "FLOAT UNSIGNED", "FLOAT UNSIGNED", None, 10, 2),
    ("double", 8, "DOUBLE", "DOUBLE", None, None, None),
    ("double(10,3)", 8, "DOUBLE", "DOUBLE(10,3)", None, 10, 3),
    ("decimal", 3, "DECIMAL", "DECIMAL", None, 10, 0),
    ("decimal(10,2) unsigned", 3, "DECIMAL", "DECIMAL", None, 10, 2),
    ("vector(3)", 12, "VECTOR", "VECTOR(3)", None, 3, None),
]


@pytest.mark.parametrize(("kind", "jdbc", "name", "expression", "charset", "length", "scale"), TOLD)
def test_a_column_is_described_by_its_type(
    kind: str, jdbc: int, name: str, expression: str, charset: str | None, length: int | None, scale: int | None
) -> None:
    told = _told(kind)
    members = ("jdbcType", "typeName", "typeExpression", "charsetName", "length", "scale")
    assert [told[member] for member in members] == [jdbc, name, expression, charset, length, scale]


def test_the_members_of_a_column_have_their_order() -> None:
    assert list(_told("int")) == [
        *("name", "jdbcType", "nativeType", "comment", "defaultValueExpression", "enumValues", "typeName"),
        *("typeExpression", "charsetName", "length", "scale", "position", "optional", "autoIncremented", "generated"),
    ]


def test_positions_count_from_one() -> None:
    [change] = _changes(_statement("x", 5))
    assert [(c["position"], c["optional"]) for c in change["table"]["columns"]] == [(1, False), (2, True)]


@pytest.mark.parametrize(
    ("kind", "members", "counts"),
    [
        ("int", {}, False),
        ("int", {"auto_increment": True}, True),
        ("int", {"generated": "stored"}, False),
        ("timestamp", {"on_update_now": True}, True),
        ("datetime", {"on_update_now": True}, False),
    ],
)
def test_generated_means_counted_or_touched(kind: str, members: dict[str, Any], counts: bool) -> None:
    told = _told(kind, **members)
    assert (told["autoIncremented"], told["generated"]) == (counts, counts)


def test_labels_stand_in_single_quotes_and_are_not_escaped() -> None:
    assert _told("enum('a','it''s')")["enumValues"] == ["'a'", "'it's'"]
    assert _told("set('x')")["enumValues"] == ["'x'"]


@pytest.mark.parametrize(
    ("kind", "default", "told"),
    [
        ("int", ABSENT, None),
        ("int", None, None),
        ("int", "5", "5"),
        ("varchar(5)", "it's", "it's"),
        ("bit(5)", "5", "00101"),
        ("bit(8)", "5", "101"),
        ("bit(10)", "322", "0101000010"),
        ("bit(16)", "256", "100000000"),
        *(("bit(1)", bit, bit) for bit in "01"),
        *(("bit(7)", "5", "0000101"), ("bit(8)", "255", "11111111"), ("bit(9)", "1", "000000001")),
        *(("bit(12)", "4095", "1" * 12), ("bit(24)", "65537", "1" + "00000000" + "00000001"), ("bit(8)", "256", "256")),
        *(("time", "00:00:01", "00:00:01"), ("year", "2024", "2024"), ("date", "2024-01-01", "2024-01-01")),
        ("datetime", Expression("CURRENT_TIMESTAMP"), "1970-01-01 00:00:00"),
        ("timestamp(6)", Expression("current_timestamp(6)"), "1970-01-01 00:00:00"),
        ("varchar(40)", Expression("uuid()"), "uuid()"),
        ("timestamp", "2020-01-01 08:00:00", "2020-01-01 00:00:00"),
        ("timestamp", "0000-00-00 00:00:00", "0000-00-00 00:00:00"),
    ],
)
def test_a_default_is_written_as_the_catalogue_keeps_it(kind: str, default: Default, told: str | None) -> None:
    assert _told(kind, timezone="+08:00", default=default)["defaultValueExpression"] == told


# What the statement says of the columns that it defines.


def test_the_comment_of_a_defined_column_is_dropped_any_other_stays() -> None:
    assert _told("int", "ALTER TABLE t ADD x int", comment="hi")["comment"] == "hi"
    assert _told("int", "ALTER TABLE t ADD c int COMMENT 'hi'", comment="hi")["comment"] is None
    assert _told("int", comment="")["comment"] is None


def test_the_document_has_the_comment_of_a_defined_column_too() -> None:
    table = Table("test", "t", (Column("c", parse_column_type("int"), comment="hi"),))
    [(_, value)] = write(_statement("ALTER TABLE t ADD c int COMMENT 'hi'", 5, table), profile=DOC)
    [change] = json.loads(value)["payload"]["tableChanges"]
    assert [column["comment"] for column in change["table"]["columns"]] == ["hi"]


@pytest.mark.parametrize(
    ("kind", "query", "default", "length", "told"),
    [
        ("datetime", "ALTER TABLE t ADD c datetime default current_timestamp", None, None, "1970-01-01 00:00:00"),
        ("time(2)", "ALTER TABLE t ADD c time(2) default 0", "00:00:00.00", 2, "0"),
        ("timestamp(3)", "ALTER TABLE t ADD c timestamp(3) default now()", None, 3, "1970-01-01 00:00:00"),
        ("year", "ALTER TABLE t ADD c year(4) default 1970 comment 'first'", "1970", 4, "1970"),
        ("year", "ALTER TABLE t ADD c year", ABSENT, None, None),
        ("datetime", "ALTER TABLE t ADD c datetime default '2020-01-01'", "2020-01-01 00:00:00", None, "2020-01-01"),
        ("datetime", "ALTER TABLE t ADD x datetime", "2020-01-01 00:00:00", 0, "2020-01-01 00:00:00"),
        ("datetime", "ALTER TABLE t MODIFY c datetime DEFAULT NULL", None, None, None),
        ("datetime", "ALTER TABLE t CHANGE x c datetime(3)", ABSENT, 3, None),
        ("time", "ALTER TABLE t ADD c time DEFAULT -1", "-00:00:01", None, "-00:00:01"),
        ("time", "ALTER TABLE t ADD c time DEFAULT (now())", ABSENT, None, None),
        (
            "timestamp",
            "ALTER TABLE t ADD c timestamp DEFAULT '2020-01-01 08:00:00'",
            "2020-01-01 08:00:00",
            None,
            "2020-01-01 08:00:00",
        ),
        ("datetime", "CREATE TABLE t (C datetime(3), c datetime)", ABSENT, None, None),
        ("int", "ALTER TABLE t ADD c int(5) DEFAULT 5", "6", None, "6"),
    ],
)
def test_temporal_columns_take_fraction_and_default_from_the_statement_that_defines_them(
    kind: str, query: str, default: Default, length: int | None, told: str | None
) -> None:
    given = _told(kind, query, timezone="+08:00", default=default)
    assert (given["length"], given["defaultValueExpression"]) == (length, told)
