"""SQL of cases, held against the SQL that was recorded with the vectors, and against MySQL's rules of quoting."""

import pytest

from conformance.cases import sql
from conformance.cases.inputs import column, history, insert, numbered, table, timed
from conformance.catalogue.vectors import load_producers, recorded_vectors
from conformance.errors import SuiteError
from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, DdlEvent, Expression, Index, Key, Mask, RawText, Table

VECTORS = [
    v for p in load_producers().values() for q in ("canal-json", "open-protocol") for v in recorded_vectors(p, q)
]
CHANGES = ("INSERT", "UPDATE", "DELETE")


def families(vector) -> set[str]:
    return {str(c.type.family) for t in vector.tables for c in t.columns}


def test_statements_are_those_recorded_with_the_vectors() -> None:
    wrong = []
    for vector in (v for v in VECTORS if "bit" not in families(v)):
        made = sql.script(vector.tables, vector.events, vector.settings.timezone)
        if [s for s in made if s.startswith(CHANGES)] != [s for s in vector.sql if s.startswith(CHANGES)]:
            wrong.append(vector.case)
    assert wrong == []


def test_tables_are_those_recorded_with_the_vectors() -> None:
    # A recorded Table has no expressions, and its statement no ON UPDATE.
    whole = [t for v in VECTORS for t in v.tables if not any(c.generated or c.on_update_now for c in t.columns)]
    assert [t.create_sql for t in whole if sql.create_table(t) != t.create_sql] == []


LITERALS = {
    "a quote is doubled": ("varchar(9)", "it's", "'it''s'"),
    "a backslash is escaped": ("varchar(9)", "a\\b", "'a\\\\b'"),
    "a double quote is left": ("varchar(9)", '"', "'\"'"),
    "nul, line feed, carriage return and ^Z are escaped": ("text", "\0\n\r\x1a", "'\\0\\n\\r\\Z'"),
    "bytes are hexadecimal": ("blob", b"\x00\xff", "x'00ff'"),
    "no bytes at all": ("blob", b"", "x''"),
    "bits in full width": ("bit(9)", "5", "b'000000101'"),
    "text of 4 letters": ("varchar(9)", "null", "'null'"),
    "NULL": ("varchar(9)", None, "NULL"),
    "numbers are bare": ("decimal(5,2)", "-1.50", "-1.50"),
    "a year is bare": ("year", "0", "0"),
    "a time is quoted": ("time(1)", "-00:00:00.1", "'-00:00:00.1'"),
    "JSON is quoted": ("json", '{"a": "it\'s"}', "'{\"a\": \"it''s\"}'"),
    "an ENUM by number": ("enum('a')", Index(0), "0"),
    "a SET by mask": ("set('a')", Mask(1), "1"),
    "bytes that are no text": ("varchar(9)", RawText(b"\xff"), "_binary x'ff'"),
}


@pytest.mark.parametrize(("kind", "value", "expected"), LITERALS.values(), ids=LITERALS)
def test_a_literal_is_quoted_as_mysql_reads_it(kind: str, value: object, expected: str) -> None:
    assert sql.literal(column("c", kind), value) == expected  # type: ignore[arg-type]


def test_a_backquote_in_a_name_is_doubled() -> None:
    assert sql.identifier("a`b") == "`a``b`"


def test_an_escaped_label_of_an_enum_keeps_its_backslash() -> None:
    made = Table("test", "t", (column("e", "enum('back\\slash')"),))
    assert "enum('back\\\\slash')" in sql.create_table(made)


def test_everything_a_column_can_have_is_in_its_definition() -> None:
    made = Column(
        "c",
        parse_column_type("datetime(6)"),
        nullable=False,
        default=Expression("CURRENT_TIMESTAMP(6)"),
        on_update_now=True,
        comment="it's",
    )
    assert (
        "`c` datetime(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6) COMMENT 'it''s'"
    ) in sql.create_table(Table("test", "t", (made,)))


def test_keys_indexes_and_a_nonclustered_key_are_in_the_table() -> None:
    made = Table(
        "test",
        "t",
        (column("a", "int", nullable=False), column("b", "int")),
        primary_key=("a",),
        unique_keys=(Key("u", ("b", "a")),),
        indexes=(Key("i", ("b",)),),
        clustered=False,
    )
    assert sql.create_table(made) == (
        "CREATE TABLE `test`.`t` (`a` int NOT NULL, `b` int, PRIMARY KEY (`a`) /*T![clustered_index] NONCLUSTERED */,"
        " UNIQUE KEY `u` (`b`,`a`), KEY `i` (`b`))"
    )


def test_a_generated_column_without_an_expression_is_our_fault() -> None:
    made = Table("test", "t", (Column("g", parse_column_type("int"), generated="stored"),))
    with pytest.raises(SuiteError, match="'g' is generated"):
        sql.create_table(made)


def test_a_script_sets_the_zone_and_makes_databases_and_tables_where_they_are_missing() -> None:
    made = numbered()
    script = sql.script([made], history(made, [{"id": "1"}]), "Europe/Berlin")
    assert script[:3] == (
        "SET time_zone = 'Europe/Berlin'",
        "CREATE DATABASE IF NOT EXISTS `test`",
        "CREATE TABLE IF NOT EXISTS `test`.`t` (`id` int NOT NULL, PRIMARY KEY (`id`)"
        " /*T![clustered_index] CLUSTERED */)",
    )


def test_rows_of_one_time_stamp_are_one_transaction() -> None:
    made = numbered()
    script = sql.script([made], [insert(made, {"id": str(i)}, 7) for i in (1, 2)])
    assert script[3:] == (
        "BEGIN",
        "INSERT INTO `test`.`t` (`id`) VALUES (1)",
        "INSERT INTO `test`.`t` (`id`) VALUES (2)",
        "COMMIT",
    )


@pytest.mark.parametrize(("date", "is_lenient"), [("2024-00-01", True), ("2024-02-01", False)])
def test_a_date_with_zeros_alone_is_written_outside_the_strict_modes(date: str, is_lenient: bool) -> None:
    made = numbered(column("d", "date"))
    assert ("SET sql_mode = ''" in sql.script([made], history(made, [{"id": "1", "d": date}]))) is is_lenient


def test_rows_after_a_statement_go_to_the_table_as_it_then_is() -> None:
    before, after = numbered(), numbered(column("n", "bit(2)"))
    statement = DdlEvent("test", "t", "ALTER TABLE t ADD COLUMN n bit(2)", table_after=after)
    script = sql.script([before], timed([statement, insert(after, {"id": "1", "n": "2"})]))
    assert script[3:] == (
        "USE `test`",
        "ALTER TABLE t ADD COLUMN n bit(2)",
        "INSERT INTO `test`.`t` (`id`,`n`) VALUES (1,b'10')",
    )


def test_rows_without_times_stay_in_their_places_among_statements() -> None:
    before, after = numbered(), numbered(column("n", "int"))
    statement = DdlEvent("test", "t", "ALTER TABLE t ADD COLUMN n int", table_after=after)
    script = sql.script([before], [insert(before, {"id": "1"}), statement, insert(after, {"id": "2", "n": "3"})])
    assert script[3:] == (
        "INSERT INTO `test`.`t` (`id`) VALUES (1)",
        "USE `test`",
        "ALTER TABLE t ADD COLUMN n int",
        "INSERT INTO `test`.`t` (`id`,`n`) VALUES (2,3)",
    )


def test_a_row_without_a_handle_key_is_found_by_all_its_columns_json_as_json() -> None:
    made = table("t", [column("a", "int"), column("j", "json")], [])
    [*_, last] = sql.script([made], history(made, [{"a": None, "j": "{}"}, None]))
    assert last == "DELETE FROM `test`.`t` WHERE `a` <=> NULL AND `j` <=> CAST('{}' AS JSON) LIMIT 1"
