"""Divergences of Debezium that a comparison does not meet: the messages of both dialects show them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pytest

from conformance.catalogue.divergences import Met
from conformance.ddl import tables_of_sql
from reference_impl.model import DdlEvent, Event, Record, Table
from tests.unit.differential.building import side_of, written
from tests.unit.differential.reproducing import Scene
from tests.unit.differential.test_divergences import DEBEZIUM, ENTRIES

UPSTREAM, TICDC = "debezium-connector", "debezium"

Records: TypeAlias = Sequence[Record]


def payload(data: bytes | None) -> Any:
    return None if data is None else json.loads(data)["payload"]


def keys(records: Records) -> list[Any]:
    return [payload(record.key) for record in records if record.value is not None]


def names(records: Records) -> list[str]:
    """The name of the schema of each key."""
    return [json.loads(record.key)["schema"]["name"] for record in records if record.key is not None]


def tombstones(records: Records) -> int:
    return sum(record.value is None for record in records)


def ops(records: Records) -> list[str]:
    return [payload(record.value)["op"] for record in records if record.value is not None]


# What the messages of a reproducer show: a view of them, and what it is upstream and in TiCDC.
SHOWN: Mapping[str, tuple[Callable[[Records], Any], Any, Any]] = {
    "DBZ-529": (tombstones, 1, 0),
    "DBZ-530": (lambda records: [[name for name, _ in record.headers] for record in records if record.value],
                [["__debezium.newkey"], ["__debezium.oldkey"]], [[], []]),
    "DBZ-531": (keys, [None], [{}]),
    "DBZ-532": (lambda records: [list(key) for key in keys(records)], [["b", "a"]], [["a", "b"]]),
    "DBZ-533": (keys, [{"a": 1, "b": 2}], [{"b": 2}]),
    "DBZ-534": (keys, [{"a": 1}], [{}]),
    "DBZ-536": (lambda records: (ops(records), tombstones(records)), (["d", "c"], 1), (["d", "c"], 0)),
    "DBZ-538": (names, ["default.shop.a-b.Key"], ["default.shop.a_b.Key"]),
}  # fmt: skip


@pytest.mark.parametrize("id_", SHOWN)
def test_messages_of_rows_show_the_divergence(id_: str) -> None:
    view, upstream, ticdc = SHOWN[id_]
    scene = Scene(ENTRIES[id_])
    assert (view(scene.messages[UPSTREAM]), view(scene.messages[TICDC])) == (upstream, ticdc)


def sent(dialect: str, events: Sequence[Event], tables: Sequence[Table] = (), **options: str) -> Records:
    return written(side_of("", dialect, **options), events, tables)


@dataclass(frozen=True)
class Statement:
    """A statement on `s.t`, the table before and after it, and TiDB's name of the action."""

    query: str
    action: str
    before: str = ""
    after: str = ""
    name: str = "t"

    def changes(self, dialect: str) -> list[Any]:
        """The table changes that the message of the statement tells."""
        tables = [tables_of_sql(f"USE s; {sql}", sql)[0] if sql else None for sql in (self.before, self.after)]
        ts = 430_000_000_000_000_000
        event = DdlEvent("s", self.name, self.query, self.action, None, ts, *tables)
        made = DdlEvent("s", "t", self.before, "create table", None, ts - 1, None, tables[0])
        before = [made] if self.before and dialect == UPSTREAM else []
        records = sent(dialect, [*before, event], [table for table in tables[:1] if table is not None])
        found: list[Any] = payload(records[-1].value)["tableChanges"]
        return found


def defined(definition: str) -> Statement:
    """A statement that makes a table with a column `c`."""
    create = f"CREATE TABLE t (id INT PRIMARY KEY, c {definition})"
    return Statement(create, "create table", after=create)


def column(member: str) -> Callable[[list[Any]], Any]:
    """A member of what the first change tells of `c`."""
    return lambda changes: changes[0]["table"]["columns"][-1][member]


def kinds(changes: list[Any]) -> list[str]:
    return [change["type"] + (" with a table" if change["table"] else "") for change in changes]


TABLE = "CREATE TABLE t (id INT PRIMARY KEY, c INT)"
INDEXED = "CREATE TABLE t (id INT PRIMARY KEY, c INT, KEY i (c))"
DATED = "CREATE TABLE t (id INT PRIMARY KEY, c DATETIME)"
RENAMED = "CREATE TABLE u (id INT PRIMARY KEY, c INT)"

# What messages of statements show: the statement, a view of its changes, and what it is upstream and in TiCDC.
TOLD: Mapping[str, tuple[Statement, Callable[[list[Any]], Any], Any, Any]] = {
    "DBZ-508": (defined("FLOAT(24)"), column("length"), 24, None),
    "DBZ-510": (defined(r"ENUM('c,\'d','g,''h')"), column("enumValues"), [r"'c,\'d'", "'g,''h'"], ["'c,'d'", "'g,'h'"]),
    "DBZ-590": (
        Statement("RENAME TABLE t TO u", "rename table", TABLE, RENAMED, "u"),
        lambda changes: changes[0]["id"],
        '"s"."u"',
        '"s"."t","s"."u"',
    ),
    "DBZ-592": (Statement("DROP INDEX i ON t", "drop index", INDEXED, TABLE), kinds, [], ["DROP with a table"]),
    "DBZ-593": (
        Statement("ALTER TABLE t DROP INDEX i", "drop index", INDEXED, TABLE),
        kinds,
        ["ALTER with a table"],
        ["DROP with a table"],
    ),
    "DBZ-594": (Statement("CREATE INDEX i ON t (c)", "add index", TABLE, INDEXED), kinds, [], ["ALTER with a table"]),
    "DBZ-595": (
        Statement("CREATE VIEW v AS SELECT id FROM t", "create view", "", "CREATE TABLE v (id INT)", "v"),
        kinds,
        [],
        ["CREATE with a table"],
    ),
    "DBZ-596": (defined("INT(11)"), column("length"), 11, None),
    "DBZ-598": (defined("CHAR(1)"), column("length"), 1, None),
    "DBZ-599": (defined("NUMERIC(5,2)"), column("typeName"), "NUMERIC", "DECIMAL"),
    "DBZ-600": (
        Statement("ALTER TABLE t ADD d INT", "add column", DATED, DATED.replace("c DATETIME", "c DATETIME, d INT")),
        lambda changes: changes[0]["table"]["columns"][1]["length"],
        None,
        0,
    ),
    "DBZ-601": (defined("DATETIME ON UPDATE CURRENT_TIMESTAMP"), column("autoIncremented"), True, False),
    "DBZ-611": (defined("VARCHAR(9) CHARACTER SET utf8mb3"), column("charsetName"), "utf8mb3", "utf8"),
    "DBZ-602": (
        defined("TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP"),
        column("autoIncremented"),
        False,
        True,
    ),
}  # fmt: skip

# Said to differ, and the same in the messages.
ALIKE: Mapping[str, tuple[Statement, Callable[[list[Any]], Any], Any]] = {
    "DBZ-591": (Statement("TRUNCATE TABLE t", "truncate table", TABLE, TABLE), kinds, []),
    "DBZ-597": (defined("INT(10)"), column("length"), 10),
    "DBZ-608": (defined("INT AS (id + 1) STORED"), column("generated"), False),
}


@pytest.mark.parametrize("id_", TOLD)
def test_messages_of_statements_show_the_divergence(id_: str) -> None:
    statement, view, upstream, ticdc = TOLD[id_]
    assert (view(statement.changes(UPSTREAM)), view(statement.changes(TICDC))) == (upstream, ticdc)


@pytest.mark.parametrize("id_", ALIKE)
def test_messages_of_statements_show_that_there_is_no_difference(id_: str) -> None:
    statement, view, both = ALIKE[id_]
    assert view(statement.changes(UPSTREAM)) == view(statement.changes(TICDC)) == both


def test_every_message_that_one_dialect_alone_has_is_shown_here() -> None:
    elsewhere = {"DBZ-541", "DBZ-540a"}  # of which remedies show that an option decides
    assert {one.id for one in DEBEZIUM if one.met is Met.MESSAGE} == SHOWN.keys() | elsewhere
