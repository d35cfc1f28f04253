"""Divergences that a comparison of rows does not meet: the messages of both dialects show them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pytest

from conformance.catalogue.corpora import load_statements
from conformance.catalogue.divergences import Met
from conformance.ddl import tables_of_sql
from differential.sides import Side
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import Column, DdlEvent, Event, Record, RowChange, Table, Watermark
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings
from tests.unit.differential.building import differences, side_of, written
from tests.unit.differential.reproducing import SCHEMA, Scene, changes_of
from tests.unit.differential.test_named_divergences import CANAL, DEBEZIUM, ENTRIES

TSO = 430_000_000_000_000_000
Sent = dict[str, Any]

Records: TypeAlias = Sequence[Record]


def trees(records: Iterable[Record]) -> list[Sent]:
    return [json.loads(record.value or b"") for record in records]


def members(records: Records, name: str) -> list[Any]:
    """A member of each message."""
    return [message[name] for message in trees(records)]


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
    # Canal puts the rows of a statement into one message.
    "DV-05": (
        lambda records: [[row["id"] for row in data] for data in members(records, "data")],
        [["1", "2"]],
        [["1"], ["2"]],
    ),
    # `old` of a later row has what changed in an earlier one.
    "DV-06": (
        lambda records: members(records, "old"),
        [[{"a": "1"}, {"a": "2", "b": "2"}]],
        [[{"id": "1", "a": "1", "b": "1"}], [{"id": "2", "a": "2", "b": "2"}]],
    ),
    "DV-10": (lambda records: members(records, "pkNames"), [None], [[]]),
    # The code of a message of several rows is that of the last.
    "DV-14": (lambda records: [codes["c"] for codes in members(records, "sqlType")], [5], [-6, 5]),
    # A partial image may lack even the key.
    "DV-34": (
        lambda records: [members(records, name) for name in ("data", "old", "pkNames")],
        [[[{"a": "2"}]], [[{}]], [None]],
        [[[{"id": "1", "a": "2", "b": "5"}]], [[{"id": "1", "a": "1", "b": "5"}]], [["id"]]],
    ),
    "DBZ-529": (tombstones, 1, 0),
    "DBZ-530": (
        lambda records: [[name for name, _ in record.headers] for record in records if record.value],
        [["__debezium.newkey"], ["__debezium.oldkey"]],
        [[], []],
    ),
    "DBZ-531": (keys, [None], [{}]),
    "DBZ-532": (lambda records: [list(key) for key in keys(records)], [["b", "a"]], [["a", "b"]]),
    "DBZ-533": (keys, [{"a": 1, "b": 2}], [{"b": 2}]),
    "DBZ-534": (keys, [{"a": 1}], [{}]),
    "DBZ-536": (lambda records: (ops(records), tombstones(records)), (["d", "c"], 1), (["d", "c"], 0)),
    "DBZ-538": (names, ["default.shop.a-b.Key"], ["default.shop.a_b.Key"]),
}


@pytest.mark.parametrize("id_", SHOWN)
def test_messages_of_rows_show_the_divergence(id_: str) -> None:
    view, upstream, ticdc = SHOWN[id_]
    assert [view(records) for records in Scene(ENTRIES[id_]).messages.values()] == [upstream, ticdc]


def sent(dialect: str, events: Iterable[Event], *tables: Table, **options: str) -> list[Sent]:
    return trees(written(side_of("", dialect, tables, **options), events))


def test_watermarks_are_ticdc_s_alone() -> None:
    assert ENTRIES["DV-04"].when == {"canal-json": {"enable-tidb-extension": ("true",)}}
    [watermark] = sent("canal-json", [Watermark(TSO)], enable_tidb_extension="true")
    assert watermark["type"] == "TIDB_WATERMARK"
    assert sent("canal-json", [Watermark(TSO)]) == []


def test_canal_sends_the_statement_that_caused_the_rows() -> None:
    given = Scene(ENTRIES["DV-21"])
    assert given.entry.reproducer is not None
    [[change]] = changes_of(given.entry.reproducer, given.table)
    query = given.entry.reproducer.statements[0]
    canal = sent("canal", [replace(change, source={"query": query})], given.table)
    assert [(m["type"], m["isDdl"], m["sql"]) for m in canal] == [("QUERY", False, query), ("INSERT", False, "")]
    assert [m["type"] for m in sent("canal-json", [change], given.table)] == ["INSERT"]


def test_a_delete_of_an_early_release_repeats_its_row() -> None:
    given = Scene(ENTRIES["DV-37"])
    assert given.entry.reproducer is not None
    [[change]] = changes_of(given.entry.reproducer, given.table)

    def old(profile: Profile) -> Any:
        [message] = trees(written(Side("", "canal-json", profile=profile), [change], [given.table]))
        return message["old"]

    assert old(replace(NEWARCH, release=(5, 3, 0))) == [{"id": "1", "c": "1"}]
    assert (old(NEWARCH), members(given.messages["canal"], "old")) == (None, [None])


def column(kind: str) -> Table:
    return Table(
        SCHEMA, "t", tuple(Column(n, parse_column_type(k)) for n, k in (("id", "bigint"), ("c", kind))), ("id",)
    )


def test_each_stops_at_a_type_that_it_does_not_know() -> None:
    row = {"id": "1", "c": None}
    change = RowChange("insert", SCHEMA, "t", TSO, after=row)
    for kind, writes, stops in (("vector(2)", "canal-json", "canal"), ("point", "canal", "canal-json")):
        assert sent(writes, [change], column(kind))
        with pytest.raises(Rejected):
            sent(stops, [change], column(kind))
    assert {ENTRIES["DV-56"].types, ENTRIES["DV-59"].types} == {("vector",), ("geometry",)}


def test_a_name_in_json_that_needs_an_escape_makes_no_json_of_it() -> None:
    [canal], [ticdc] = map(trees, Scene(ENTRIES["DV-109"]).messages.values())
    assert json.loads(ticdc["data"][0]["c"]) == {'a"b': 1}
    with pytest.raises(json.JSONDecodeError):
        json.loads(canal["data"][0]["c"])


def test_json_by_its_differences_is_a_text_of_calls() -> None:
    before, after = {"id": "1", "c": '{"a": 1}'}, {"id": "1", "c": '{"a": 2}'}
    source = {"binlog_row_value_options": "PARTIAL_JSON"}
    change = RowChange("update", SCHEMA, "t", TSO, before, after, source=source)
    [canal], [ticdc] = (sent(dialect, [change], column("json")) for dialect in ("canal", "canal-json"))
    assert (canal["data"][0]["c"], ticdc["data"][0]["c"]) == ("JSON_REPLACE(c, '$.a', 2)", '{"a": 2}')
    assert ENTRIES["DV-52"].types == ("json",)


def test_scalars_that_json_has_no_form_for_are_written_out() -> None:
    opaque = '[{"$opaque": ["T", ["date", "2024-02-29"]]}, {"$opaque": ["T", ["dec", "1.50"]]}]'
    change = RowChange("insert", SCHEMA, "t", TSO, after={"id": "1", "c": opaque})
    [canal] = sent("canal", [change], column("json"))
    assert canal["data"][0]["c"] == '["2024-02-29 00:00:00.000000", 1.50]'
    assert ENTRIES["DV-51"].met is Met.OUTSIDE


def test_time_stamps_of_two_zones_are_compared_as_instants() -> None:
    table = column("timestamp(3)")
    shown = {"canal": ("+08:00", "2024-03-01 01:00:00.500"), "canal-json": ("UTC", "2024-02-29 17:00:00.500")}
    for canal_shows, differs in (("2024-03-01 01:00:00.500", False), ("2024-02-29 17:00:00.500", True)):
        sides, streams = [], []
        for name, (dialect, (zone, text)) in zip(("left", "right"), shown.items(), strict=True):
            own = canal_shows if dialect == "canal" else text
            change = RowChange("insert", SCHEMA, "t", TSO, after={"id": "1", "c": own})
            streams.append(written(side_of(name, dialect, [table]), [change]))
            sides.append(Side(name, dialect, settings=Settings(timezone=zone), tables=(table,)))
        assert bool(differences(sides, streams)) is differs
    assert ENTRIES["DV-53"].types == ("timestamp",)


# Entry: TiCDC's action, types of Canal and of TiCDC.
DDL: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "DV-83": ("drop primary key", ("ALTER",), "DINDEX"),
    "DV-84": ("drop foreign key", ("ALTER",), "DINDEX"),
    "DV-85": ("add foreign key", (), "CINDEX"),
    "DV-86": ("multi-schema change", ("CINDEX",), "ALTER"),
    "DV-87": ("create view", (), "QUERY"),
    "DV-88": ("exchange partition", ("ALTER",), "QUERY"),
    "DV-114": ("remove partitioning", (), "ALTER"),
    "DV-115": ("alter schema charset", (), "QUERY"),
    "DV-116": ("create table", ("QUERY",), "CREATE"),
    "DV-118": ("drop check constraint", ("DINDEX",), "QUERY"),
}


# Entry of Canal: codes of TiDB's actions that it is about.
ACTIONS: Mapping[str, tuple[int, ...]] = {
    "DV-83": (33,),
    "DV-84": (10,),
    "DV-85": (9,),
    "DV-87": (21, 24),
    "DV-88": (42,),
    "DV-91": (65, 67),
    "DV-114": (71, 72),
    "DV-115": (26,),
    "DV-116": (38, 41),
    "DV-118": (43, 44, 45),
    "DV-119": (
        16,
        25,
        *range(27, 32),
        *range(34, 37),
        39,
        40,
        46,
        *range(49, 55),
        *range(56, 60),
        62,
        63,
        *range(68, 71),
        73,
    ),
}


def test_every_action_with_different_types_has_an_entry() -> None:
    differing = set()
    for given in load_statements():
        event = DdlEvent("test", given.table, given.query, action_code=given.code, commit_ts=TSO)
        canal, ticdc = ([(m["type"], m["table"]) for m in sent(d, [event])] for d in ("canal", "canal-json"))
        differing |= {given.code} if canal != ticdc else set()
    assert differing == {code for codes in ACTIONS.values() for code in codes}
    assert ACTIONS.keys() <= ENTRIES.keys()


def statement(id_: str) -> DdlEvent:
    reproducer = ENTRIES[id_].reproducer
    assert reproducer is not None
    [query] = reproducer.statements
    return DdlEvent(SCHEMA, "t", query, action=DDL[id_][0], commit_ts=TSO)


@pytest.mark.parametrize("id_", DDL)
def test_a_statement_of_canal_has_another_type(id_: str) -> None:
    _, upstream_has, ticdc_has = DDL[id_]
    event = statement(id_)
    assert tuple(message["type"] for message in sent("canal", [event])) == upstream_has
    assert [message["type"] for message in sent("canal-json", [event])] == [ticdc_has]


def test_canal_names_nothing_in_a_statement_that_it_cannot_read() -> None:
    [message] = sent("canal", [statement("DV-116")])
    assert (message["database"], message["table"]) == ("", "")


# -- statements of Debezium --------------------------------------------------------------------------------------------


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
        before = [made] if self.before and dialect == "debezium-connector" else []
        known = [table for table in tables[:1] if table is not None]
        records = written(side_of("", dialect), [*before, event], known)
        found: list[Any] = payload(records[-1].value)["tableChanges"]
        return found


def defined(definition: str) -> Statement:
    """A statement that makes a table with a column `c`."""
    create = f"CREATE TABLE t (id INT PRIMARY KEY, c {definition})"
    return Statement(create, "create table", after=create)


def of_c(member: str) -> Callable[[list[Any]], Any]:
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
    "DBZ-508": (defined("FLOAT(24)"), of_c("length"), 24, None),
    "DBZ-510": (defined(r"ENUM('c,\'d','g,''h')"), of_c("enumValues"), [r"'c,\'d'", "'g,''h'"], ["'c,'d'", "'g,'h'"]),
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
    "DBZ-596": (defined("INT(11)"), of_c("length"), 11, None),
    "DBZ-598": (defined("CHAR(1)"), of_c("length"), 1, None),
    "DBZ-599": (defined("NUMERIC(5,2)"), of_c("typeName"), "NUMERIC", "DECIMAL"),
    "DBZ-600": (
        Statement("ALTER TABLE t ADD d INT", "add column", DATED, DATED.replace("c DATETIME", "c DATETIME, d INT")),
        lambda changes: changes[0]["table"]["columns"][1]["length"],
        None,
        0,
    ),
    "DBZ-601": (defined("DATETIME ON UPDATE CURRENT_TIMESTAMP"), of_c("autoIncremented"), True, False),
    "DBZ-611": (defined("VARCHAR(9) CHARACTER SET utf8mb3"), of_c("charsetName"), "utf8mb3", "utf8"),
    "DBZ-602": (
        defined("TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP"),
        of_c("autoIncremented"),
        False,
        True,
    ),
}

# Said to differ, and the same in the messages.
ALIKE: Mapping[str, tuple[Statement, Callable[[list[Any]], Any], Any]] = {
    "DBZ-591": (Statement("TRUNCATE TABLE t", "truncate table", TABLE, TABLE), kinds, []),
    "DBZ-597": (defined("INT(10)"), of_c("length"), 10),
    "DBZ-608": (defined("INT AS (id + 1) STORED"), of_c("generated"), False),
}


@pytest.mark.parametrize("id_", TOLD)
def test_messages_of_statements_of_debezium_show_the_divergence(id_: str) -> None:
    statement, view, upstream, ticdc = TOLD[id_]
    assert (view(statement.changes("debezium-connector")), view(statement.changes("debezium"))) == (upstream, ticdc)


@pytest.mark.parametrize("id_", ALIKE)
def test_messages_of_statements_show_that_there_is_no_difference(id_: str) -> None:
    statement, view, both = ALIKE[id_]
    assert view(statement.changes("debezium-connector")) == view(statement.changes("debezium")) == both


def test_every_message_that_one_dialect_alone_has_is_shown_here() -> None:
    elsewhere = {"DBZ-541", "DBZ-540a"}  # of which remedies show that an option decides
    shown = SHOWN.keys() | {"DV-04", "DV-21"}
    assert {one.id for one in (*CANAL, *DEBEZIUM) if one.met is Met.MESSAGE} - shown == elsewhere
    assert {id_ for id_ in SHOWN if ENTRIES[id_].met is not Met.MESSAGE} == {"DV-10", "DV-34"}
