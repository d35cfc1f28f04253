"""What sides call the types of columns: compared where both tell it, and each difference has its names."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from conformance.ddl import tables_of_sql
from differential.counts import Counts
from differential.model import Status
from differential.sides import Side
from differential.type_names.comparing import TypeNamesResult, names_of, type_names
from differential.type_names.naming import SCHEMA_MEMBERS
from reference_impl.column_types import Family, parse_column_type
from reference_impl.model import Column, Table
from tests.unit.differential.building import pairs_for
from tests.unit.differential.test_divergences_debezium_types import ASPECTS

COLUMNS = (
    "id BIGINT PRIMARY KEY, price DECIMAL(10,2), code VARCHAR(20), flag BOOLEAN, made REAL, data VARBINARY(8), "
    "word INTEGER UNSIGNED, state ENUM('a','b'), note TEXT(100)"
)
TABLES = tuple(tables_of_sql(f"USE s; CREATE TABLE t ({COLUMNS}); CREATE TABLE idle ({COLUMNS})", "t"))
SCHEMALESS = {"debezium-disable-schema": "true"}


def compared(left: Side, right: Side, changed: tuple[str, ...] = ("t",)) -> TypeNamesResult:
    sides = [left, right]
    (pair,) = pairs_for(sides)
    counts = Counts()
    counts.changes[0, "s", "idle"] = 1
    counts.changes.update({(side, "s", table): 1 for side in (0, 1) for table in changed})
    return type_names(pair, sides, counts)


def side(name: str, dialect: str, options: Mapping[str, str] | None = None) -> Side:
    return Side(name, dialect, options or {}, tables=TABLES)


def told(found: TypeNamesResult) -> dict[tuple[str, str], tuple[str | None, str | None, tuple[str, ...]]]:
    return {
        (one.column, one.member): (one.left, one.right, tuple(name.divergence for name in one.names))
        for one in found.differ
    }


def test_types_of_canal_are_named_part_by_part() -> None:
    found = compared(side("left", "canal-json"), side("right", "canal"))
    assert told(found) == {
        ("id", "mysqlType"): ("bigint", "BIGINT", ("DV-102",)),
        ("price", "mysqlType"): ("decimal", "DECIMAL(10,2)", ("DV-102", "DV-02")),
        ("code", "mysqlType"): ("varchar", "VARCHAR(20)", ("DV-102", "DV-02")),
        ("flag", "mysqlType"): ("tinyint", "BOOLEAN", ("DV-102",)),
        ("made", "mysqlType"): ("double", "REAL", ("DV-102",)),
        ("data", "mysqlType"): ("varbinary", "VARBINARY(8)", ("DV-102", "DV-02")),
        ("word", "mysqlType"): ("int unsigned", "INTEGER unsigned", ("DV-102",)),
        ("state", "mysqlType"): ("enum", "ENUM('a','b')", ("DV-102", "DV-02")),
        ("note", "mysqlType"): ("text", "TEXT(100)", ("DV-102", "DV-02")),
        ("note", "sqlType"): ("2005", "2004", ("DV-54",)),
    }


def test_an_undocumented_name_determines_the_status_of_several() -> None:
    found = {one.column: one.status for one in compared(side("left", "canal-json"), side("right", "canal")).differ}
    assert found["price"] is Status.UNDOCUMENTED


def test_fields_of_schemas_are_compared_member_by_member() -> None:
    found = compared(side("left", "debezium-connector"), side("right", "debezium"))
    assert told(found) == {
        ("price", "type"): ("bytes", "double", ("DBZ-503",)),
        ("price", "name"): ("org.apache.kafka.connect.data.Decimal", None, ("DBZ-503",)),
        ("price", "version"): ("1", None, ("DBZ-503",)),
        ("price", "parameters"): ('{"connect.decimal.precision": "10", "scale": "2"}', None, ("DBZ-503",)),
        ("flag", "type"): ("boolean", "int16", ("DBZ-505",)),
        ("made", "type"): ("float", "double", ("DBZ-504",)),
        ("data", "type"): ("bytes", "string", ("DBZ-502",)),
        ("word", "type"): ("int32", "int64", ("DBZ-552",)),
    }
    assert found.equal == 4


@pytest.mark.parametrize("version", ["2.4.0", "3.6.1"])
def test_records_of_transactions_are_not_taken_for_the_row(version: str) -> None:
    options = {"version": version, "provide.transaction.metadata": "true"}
    found = compared(side("left", "debezium-connector", options), side("right", "debezium"))
    assert ("price", "type") in told(found)


def test_one_dialect_differs_by_its_options_and_has_no_names() -> None:
    options = {"avro-decimal-handling-mode": "string"}
    found = compared(side("left", "avro"), side("right", "avro", options))
    assert {(one.column, one.status) for one in found.differ} == {("price", Status.UNEXPLAINED)}
    assert told(found)["price", "type"] == ("bytes", "string", ())
    assert compared(side("left", "open-protocol"), side("right", "open-protocol")) == TypeNamesResult("", 9)


def test_only_tables_that_changed_on_both_sides_are_compared() -> None:
    assert compared(side("left", "canal-json"), side("right", "canal"), ()) == TypeNamesResult()
    both = compared(side("left", "canal-json"), side("right", "canal"), ("t", "idle"))
    assert {one.table for one in both.differ} == {"t", "idle"}


NOT_COMPARED = {
    "unlike families": (side("left", "canal-json"), side("right", "open-protocol"), "incomparable members"),
    "without schemas": (side("left", "debezium"), side("right", "debezium", SCHEMALESS), "right: debezium with these"),
}


@pytest.mark.parametrize("name", NOT_COMPARED)
def test_names_that_cannot_be_compared_are_not_listed_but_said_to_be_so(name: str) -> None:
    left, right, why = NOT_COMPARED[name]
    found = compared(left, right)
    assert (found.differ, found.equal) == ((), 0)
    assert why in found.reason


MEMBERS = {Family.ENUM: "('a')", Family.SET: "('a')"}
TYPES = [parse_column_type(family.value + MEMBERS.get(family, "")) for family in Family]
EVERY = Table("s", "every", tuple(Column(f"c{n}", kind) for n, kind in enumerate(TYPES)))


@pytest.mark.parametrize("dialect", ["canal", "canal-json", "debezium", "debezium-connector", "open-protocol", "avro"])
def test_every_type_that_a_dialect_can_write_has_a_name_in_it(dialect: str) -> None:
    named = names_of(Side("", dialect), EVERY)
    families = {column.type.family for column in EVERY.columns if column.name in named}
    assert set(Family) - families <= {Family.GEOMETRY, Family.VECTOR}
    assert all(any(members.values()) for members in named.values())


def test_what_an_entry_is_about_is_what_the_tables_show() -> None:
    shown = {id_: aspects - {"text", "default"} for id_, aspects in ASPECTS.items()}
    about = {
        id_: {"type" if m in ("name", "version") else m for m in members} for id_, members in SCHEMA_MEMBERS.items()
    }
    alone = {"DBZ-542"}  # around the row
    of_values = {"DBZ-504a", "DBZ-504b", "DBZ-505a", "DBZ-568"}  # what makes a value differ beside its type
    assert {id_: members for id_, members in about.items() if id_ not in alone} == {
        id_: set(aspects) for id_, aspects in shown.items() if aspects and id_ not in of_values
    }
