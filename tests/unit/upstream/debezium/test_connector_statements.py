"""The connector's statements: the records that they have, the tables after them, and the rows behind them.

[DBZ-250 … DBZ-253, DBZ-350 … DBZ-359, DBZ-544, DBZ-700 … DBZ-709]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from connector_messages import BARE, column, options, payload_of, table_of, tree_of, write

from reference_impl.model import DdlEvent, Key, RowChange, Table
from reference_impl.settings import Settings
from reference_impl.upstream.debezium import Encoder

NEW = {"version": "3.6.1"}


def _told(*queries: str, given: Mapping[str, str] | None = None) -> list[Any]:
    events = [DdlEvent("test", "", query) for query in queries]
    return [tree_of(r) for r in write(events, (), {**BARE, **(given or {})})]


def test_a_statement_has_the_table_after_it() -> None:
    made, changed = _told(
        "create table t (id INT(11) UNSIGNED not null auto_increment primary key, v varchar(9) default 'x''y')",
        "alter table t add column e enum('a','b') not null first, change v w numeric(8,3)",
    )
    assert list(made) == ["source", "ts_ms", "databaseName", "schemaName", "ddl", "tableChanges"]
    [change] = made["tableChanges"]
    assert (change["type"], change["id"]) == ("CREATE", '"test"."t"')
    first, second = change["table"]["columns"]
    assert (first["typeName"], first["jdbcType"], first["length"], first["optional"]) == ("INT UNSIGNED", 4, 11, False)
    assert first["autoIncremented"] is first["generated"] is True
    assert (second["charsetName"], second["defaultValueExpression"]) == ("utf8mb4", "x''y")
    [change] = changed["tableChanges"]
    names = [(c["name"], c["typeName"], c["length"], c["scale"], c["position"]) for c in change["table"]["columns"]]
    assert names == [("e", "ENUM", 1, None, 1), ("id", "INT UNSIGNED", 11, None, 2), ("w", "NUMERIC", 8, 3, 3)]
    assert change["table"]["columns"][0]["enumValues"] == ["'a'", "'b'"]
    assert change["table"]["primaryKeyColumnNames"] == ["id"]


def test_labels_may_have_double_quotes() -> None:
    [made] = _told("""create table t (e enum("it's",'say "no"'))""")
    assert made["tableChanges"][0]["table"]["columns"][0]["enumValues"] == ['"it\'s"', "'say \"no\"'"]


def test_a_renamed_table_has_its_new_name_alone() -> None:
    records = _told("create table a (i int)", "create table c (i int)", "rename table a to b, c to d")
    assert [r["ddl"] for r in records[2:]] == ["rename table a to b", "rename table c to d"]
    assert [r["tableChanges"][0]["id"] for r in records[2:]] == ['"test"."b"', '"test"."d"']
    assert {r["source"]["table"] for r in records[2:]} == {"b,d"}


def test_the_time_that_a_statement_waits_for_its_table_is_no_action() -> None:
    for limit in ("wait 5", "nowait"):
        [_, changed] = _told("create table t (id int)", f"alter table t {limit} add column v int, add w int")
        assert [c["name"] for c in changed["tableChanges"][0]["table"]["columns"]] == ["id", "v", "w"]


def test_the_time_that_a_statement_waits_for_its_table_is_no_new_name() -> None:
    for limit in ("wait 5", "nowait"):
        [_, renamed] = _told("create table a (i int)", f"rename table a {limit} to b")
        assert (renamed["tableChanges"][0]["id"], renamed["ddl"]) == ('"test"."b"', f"rename table a {limit} to b")


def test_a_table_that_the_parser_cannot_rename_keeps_its_name() -> None:
    renamed, altered = _told("create table a (i int)", "rename table if exists a to b", "alter table a add j int")[1:]
    assert (renamed["ddl"], renamed["tableChanges"]) == ("rename table if exists a to b", [])
    [change] = altered["tableChanges"]
    assert (change["id"], [c["name"] for c in change["table"]["columns"]]) == ('"test"."a"', ["i", "j"])


@pytest.mark.parametrize(("version", "knows"), [("2.4.0", False), ("3.0.7", False), ("3.6.1", True), ("3.6.3", True)])
def test_only_newer_versions_know_that_tables_may_be_renamed_in_the_plural(version: str, knows: bool) -> None:
    queries = ("create table a (i int)", "rename tables a to b, b to c", "alter table c add j int")
    records = _told(*queries, given={"version": version})[1:]
    ids = [(record["ddl"], [change["id"] for change in record["tableChanges"]]) for record in records]
    altered = ("alter table c add j int", ['"test"."c"'])
    if knows:
        assert ids == [("rename tables a to b", []), ("rename tables b to c", ['"test"."c"']), altered]
    else:
        assert ids[:1] == [("rename tables a to b, b to c", [])]


def test_dropped_tables_have_a_record_each() -> None:
    records = _told("create table b (i int)", "drop table if exists a, b")
    assert [r["ddl"] for r in records[1:]] == ["DROP TABLE IF EXISTS `test`.`b`", "DROP TABLE IF EXISTS `test`.`a`"]
    assert records[1]["tableChanges"] == [{"type": "DROP", "id": '"test"."b"', "table": None}]


@pytest.mark.parametrize(
    ("query", "table", "old", "new"),
    [
        ("create database test", None, 1, 1),
        ("alter database test character set latin1", "", 1, 1),
        ("truncate table t", "t", 1, 0),
        ("create view v as select 1", "v", 1, 0),
        ("create or replace definer=`r`@`%` view `d`.`v` as select 1 from table_x", "v", 1, 0),
        ("create definer=`event`@'my-table' view v as select 1", "v", 1, 0),
        ("create index view on t (a)", "", 1, 1),
        ("drop trigger x", "", 1, 0),
        ("grant select on *.* to x", "", 1, 0),
        ("create index i on t (a)", "", 1, 1),
        ("create event e on schedule every 1 day do select 1", "", 1, 1),
    ],
)
def test_statements_that_change_no_table_have_none(query: str, table: str | None, old: int, new: int) -> None:
    records = _told(query)
    assert len(records) == old
    assert (records[0]["source"]["table"], records[0]["tableChanges"]) == (table, [])
    assert len(_told(query, given=NEW)) == new


@pytest.mark.parametrize(
    ("body", "table"),
    [
        ("create table e (id int)", "e"),
        ("alter table t add b int", "t"),
        ("rename table t to u", "u"),
        ("create table t (id int)", None),  # which it knows
        ("truncate table t", None),
        ("drop database x", None),
        ("insert into t values (1)", None),
        ("set @a = 1", None),
    ],
)
@pytest.mark.parametrize("event", ["create definer=`r`@`%` event `do` on schedule every 1 day do", "alter event e do"])
def test_the_newest_parser_applies_the_statement_of_an_events_body(event: str, body: str, table: str | None) -> None:
    create, statement = "create table t (id int)", f"{event} {body}"
    old, new = _told(create, statement)[-1], _told(create, statement, given=NEW)[-1]
    assert (old["ddl"], old["source"]["table"]) == (statement, "")
    assert (new["ddl"], new["source"]["table"]) == ((statement, "") if table is None else (body, table))


@pytest.mark.parametrize("name", ["view", "`trigger`", "`function`"])
def test_a_table_is_known_whatever_its_columns_are_called(name: str) -> None:
    [record] = _told(f"create table t (id int primary key, {name} int)", given=NEW)
    assert [c["name"] for c in record["tableChanges"][0]["table"]["columns"]] == ["id", name.strip("`")]


@pytest.mark.parametrize(
    ("action", "columns", "key"),
    [
        ("drop column A", ["id"], ["id"]),
        ("change ID k int", ["k", "a"], ["k"]),
        ("modify ID bigint", ["id", "a"], ["id"]),
        ("modify A bigint first", ["a", "id"], ["id"]),
        ("rename column A to b", ["id", "b"], ["id"]),
        ("add b int after ID", ["id", "b", "a"], ["id"]),
        ("drop primary key, add primary key (A)", ["id", "a"], ["a"]),
        ("add column if not exists A int", ["id", "A"], ["id"]),
    ],
)
def test_letter_case_does_not_distinguish_columns(action: str, columns: list[str], key: list[str]) -> None:
    record = _told("create table t (id int, a int, primary key (ID))", f"alter table if exists t {action}")[-1]
    table = record["tableChanges"][0]["table"]
    assert ([c["name"] for c in table["columns"]], table["primaryKeyColumnNames"]) == (columns, key)


@pytest.mark.parametrize(
    ("query", "name", "optional"),
    [
        ("rename table t to u", "u", False),
        ("alter table t rename u", "u", False),
        ("create or replace table t (id int primary key, a int)", "t", False),
        ("create or replace table t like v", "t", True),
        ("drop database test", "t", True),
    ],
)
def test_not_null_that_an_old_version_keeps_goes_with_its_table(query: str, name: str, optional: bool) -> None:
    encoder = Encoder(options(), settings=Settings(topic="dbz"))
    made = ["create table t (id int primary key, a int not null)", "alter table t modify a int"]
    made += ["create table v (id int primary key, a int)", query]
    encoder.encode([DdlEvent("test", "t", text) for text in made])
    row = RowChange("insert", "test", name, None, None, {"id": "1", "a": "1"})
    [record] = encoder.encode([row], [replace(table_of(column("a", "int")), name=name)]).records
    assert tree_of(record)["schema"]["fields"][0]["fields"][1]["optional"] is optional


def test_after_its_primary_key_is_dropped_a_table_has_no_key() -> None:
    queries = ("create table t (id int primary key, u int not null, unique key (u))", "alter table t drop primary key")
    assert _told(*queries)[1]["tableChanges"][0]["table"]["primaryKeyColumnNames"] == []


def test_what_a_statement_says_counts_for_the_rows_behind_it() -> None:
    events = [
        DdlEvent("test", "t", "create table t (a int unique, b integer unsigned)"),
        RowChange("insert", "test", "t", None, None, {"a": "1", "b": "4294967295"}),
    ]
    record = write(events, (), BARE)[1]
    assert (record.key, payload_of(record)["after"]) == (b'{"a":1}', {"a": 1, "b": -1})


_KEY = Key("uk", ("u",))
# (the primary key before, whether `u` may be NULL before and after, the statement, the key after it)
_ALTERED = [
    (("id",), False, False, "alter table t drop primary key", None),
    ((), False, False, "alter table t drop index uk", '{"u":1}'),
    ((), False, False, "alter table t add primary key (id)", '{"id":1}'),
    ((), True, False, "alter table t modify u int not null", None),
    ((), False, True, "alter table t modify u int null", '{"u":1}'),
    ((), True, True, "alter table t add unique key v (id)", '{"id":1}'),
    (("id",), False, False, "create unique index w on t (u)", '{"id":1}'),
]


@pytest.mark.parametrize(("primary", "was", "now", "query", "key"), _ALTERED)
def test_a_key_is_chosen_once_and_goes_only_with_a_primary_key(
    primary: tuple[str, ...], was: bool, now: bool, query: str, key: str | None
) -> None:
    def version(unique: bool, nullable: bool, given: tuple[str, ...]) -> Table:
        columns = (column("id", "int", nullable=False), column("u", "int", nullable=nullable))
        return Table("test", "t", columns, given, (_KEY,) if unique else ())

    later = {"drop primary key": (), "add primary key (id)": ("id",)}.get(query.removeprefix("alter table t "), primary)
    after = version("drop index" not in query, now, later)
    row = RowChange("insert", "test", "t", None, None, {"id": "1", "u": "1"})
    events = [DdlEvent("test", "t", query, table_after=after), row]
    record = write(events, [version(True, was, primary)], BARE)[-1]
    assert (record.key.decode() if record.key is not None else None) == key


_TABLE = "create table t (id int primary key, v varchar(9){column}){table}"
# (what the column and the table say, another statement, what a row with é becomes)
_COLLATED = [
    ("", " collate latin1_swedish_ci", "", "\ufffd"),
    ("", " collate latin1_swedish_ci", "rename table t to u, u to t", "\ufffd"),
    ("", " collate latin1_swedish_ci", "alter table t convert to character set utf8mb4", "é"),
    ("", " charset latin1 collate latin1_swedish_ci", "", "é"),
    ("", " collate utf8mb3_bin", "", "é"),
    (" collate latin1_swedish_ci", "", "", "é"),
    (" character set utf8mb4", " collate latin1_swedish_ci", "", "é"),
]


@pytest.mark.parametrize(("column_says", "table_says", "then", "read"), _COLLATED)
def test_the_connector_finds_no_charset_in_a_collation_alone(
    column_says: str, table_says: str, then: str, read: str
) -> None:
    statements = [_TABLE.format(column=column_says, table=table_says), *filter(None, [then])]
    told = [DdlEvent("test", "t", text) for text in statements]
    row = RowChange("insert", "test", "t", None, None, {"id": "1", "v": "é"})
    assert payload_of(write([*told, row], (), BARE)[-1])["after"]["v"] == read


def test_a_copy_of_a_table_and_the_default_of_its_schema_are_mistaken_alike() -> None:
    row = RowChange("insert", "test", "u", None, None, {"id": "1", "v": "é"})
    made = [_TABLE.format(column="", table=" collate latin1_bin"), "create table u like t"]
    assert payload_of(write([*(DdlEvent("test", "t", m) for m in made), row], (), BARE)[-1])["after"]["v"] == "\ufffd"
    schema = DdlEvent("test", "", "create database test character set latin1")
    table = DdlEvent("test", "u", _TABLE.format(column="", table=" collate utf8mb4_bin").replace(" t ", " u "))
    assert payload_of(write([schema, table, row], (), BARE)[-1])["after"]["v"] == "Ã©"


def test_schema_changes_can_be_left_out() -> None:
    assert _told("create table t (a int)", given={"include.schema.changes": "false"}) == []


@pytest.mark.parametrize(
    "query", ["create unique", "create table t (", "alter table", "rename table a", "drop table ,"]
)
def test_an_unknown_statement_is_passed_on_unchanged(query: str) -> None:
    assert [(r["ddl"], r["tableChanges"]) for r in _told(query)][-1:] == [(query, [])]


def test_parentheses_of_any_depth_are_passed_on() -> None:
    assert _told("create table t (a int)", "alter table t add " + "(" * 3000)[-1]["tableChanges"] == []
