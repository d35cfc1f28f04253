"""Tables out of a person's DDL."""

from __future__ import annotations

import pytest

from conformance.ddl import tables_of_sql
from conformance.errors import UsageError
from reference_impl.column_types import Family, parse_column_type
from reference_impl.model import ABSENT, Column, Default, Expression, Key, Table


def only(sql: str) -> Table:
    [table] = tables_of_sql(sql, "tables.sql")
    return table


def column(definition: str) -> Column:
    return only(f"CREATE TABLE s.t (c {definition})").columns[0]


def test_keys_are_those_of_columns_and_of_the_table() -> None:
    table = only(
        "CREATE TABLE `s`.`t` (a int NOT NULL UNIQUE, b int, `c,d` varchar(9), PRIMARY KEY (b, a),"
        " UNIQUE KEY `u` (`c,d`(4)), KEY k (b), CONSTRAINT f FOREIGN KEY (b) REFERENCES x (y)) ENGINE=InnoDB"
    )
    assert table.id == ("s", "t")
    assert table.primary_key == ("b", "a")
    assert table.unique_keys == (Key("a", ("a",)), Key("u", ("c,d",)))
    assert [c.nullable for c in table.columns] == [False, False, True]


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ("int", ABSENT),
        ("int DEFAULT NULL", None),
        ("int NOT NULL DEFAULT '7'", "7"),
        ("decimal(10,4) DEFAULT 1.5", "1.5000"),
        ("bit(3) DEFAULT b'101'", "5"),
        ("varchar(3) DEFAULT 0x41", "A"),
        ("varchar(3) DEFAULT b'1000001'", "A"),
        ("binary(1) DEFAULT b'1000001'", "A"),
        ("varbinary(9) DEFAULT x''", ""),
        ("varchar(9) DEFAULT b''", ""),
        ("varchar(9) DEFAULT 'it''s'", "it's"),
        ("datetime(3) DEFAULT '2024-02-29 01:02:03'", "2024-02-29 01:02:03.000"),
        ("timestamp DEFAULT CURRENT_TIMESTAMP", Expression("CURRENT_TIMESTAMP")),
        ("varchar(36) DEFAULT (uuid())", Expression("(uuid())")),
        ("int DEFAULT 'seven'", Expression("'seven'")),
    ],
)
def test_a_default_is_a_value_string_where_it_is_a_literal_of_the_type(definition: str, expected: Default) -> None:
    assert column(definition).default == expected


def test_a_type_keeps_its_text_and_its_labels_lose_their_quotes() -> None:
    kind = column("enum('a','it''s','c,d') CHARACTER SET latin1").type
    assert (kind.family, kind.members) == (Family.ENUM, ("a", "it's", "c,d"))
    assert column("varchar(9) CHARACTER SET binary").type.family is Family.VARBINARY


@pytest.mark.parametrize(
    ("text", "family", "characters"),
    [
        ("national character varying(9)", Family.VARCHAR, 9),
        ("NCHAR varying(9)", Family.VARCHAR, 9),
        ("national character(9)", Family.CHAR, 9),
        ("long character varying", Family.MEDIUMTEXT, 1),
        ("varcharacter(9)", Family.VARCHAR, 9),
    ],
)
def test_a_type_keeps_its_words_of_which_canal_does_not_know_all(text: str, family: Family, characters: int) -> None:
    kind = column(f"{text} NOT NULL").type
    assert (kind.text, kind.family, kind.characters) == (text, family, characters)
    assert kind == parse_column_type(text)


def test_labels_in_double_quotes_have_single_ones_in_the_text_of_the_type() -> None:
    kind = column("""enum("it's", 'c,"d"', "e""f") NOT NULL""").type
    assert kind.text == """enum('it''s','c,"d"','e"f')"""
    assert kind == parse_column_type(kind.text)


def test_a_collation_of_the_table_is_that_of_columns_without_a_charset() -> None:
    table = only("CREATE TABLE s.t (a varchar(9), b varchar(9) COLLATE utf8mb4_bin, c int) COLLATE=utf8mb4_general_ci")
    assert [c.collation for c in table.columns] == ["utf8mb4_general_ci", "utf8mb4_bin", None]


@pytest.mark.parametrize(
    ("attributes", "charset", "collation"),
    [
        ("binary", "utf8mb3", "utf8mb3_bin"),
        ("binary CHARACTER SET latin1", "latin1", "latin1_bin"),
        ("CHARSET latin1 binary NOT NULL", "latin1", "latin1_bin"),
        ("CHAR SET latin1 binary NOT NULL", "latin1", "latin1_bin"),
        ("binary CHAR SET latin1", "latin1", "latin1_bin"),
        ("ascii", "latin1", None),
        ("unicode binary", "ucs2", "ucs2_bin"),
        ("binary ascii", "latin1", "latin1_bin"),
        ("byte", "binary", None),
        ("DEFAULT 'x' COMMENT 'binary'", None, "utf8mb3_general_ci"),
    ],
)
def test_words_after_a_type_name_its_charset_or_its_binary_collation(
    attributes: str, charset: str | None, collation: str | None
) -> None:
    table = only(f"CREATE TABLE s.t (c char(3) {attributes}) CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci")
    [c] = table.columns
    assert (c.charset, c.collation) == (charset, collation)
    assert c.type.family is (Family.BINARY if charset == "binary" else Family.CHAR)


@pytest.mark.parametrize(
    "kind", ["NATIONAL CHAR(3)", "NATIONAL CHARACTER(3)", "NATIONAL VARCHAR(3)", "NCHAR(3)", "NVARCHAR(3)"]
)
def test_the_binary_collation_of_a_national_type_is_that_of_utf8mb3(kind: str) -> None:
    [c, d] = only(f"CREATE TABLE s.t (c {kind} BINARY NOT NULL, d {kind} BINARY) CHARSET=latin1").columns
    assert (c.charset, c.collation, c.nullable) == ("utf8mb3", "utf8mb3_bin", False)
    assert (d.type.family, d.type.characters) == (c.type.family, 3)


def test_a_binary_collation_of_an_unknown_charset_has_no_name() -> None:
    assert column("varchar(3) binary").collation is None


def test_serial_default_value_is_a_unique_key_that_counts_up() -> None:
    table = only("CREATE TABLE s.t (c int NULL SERIAL DEFAULT VALUE, d int)")
    assert table.columns[0] == Column("c", parse_column_type("int"), nullable=False, auto_increment=True)
    assert table.unique_keys == (Key("c", ("c",)),)


@pytest.mark.parametrize(
    "reference",
    [
        "p(id)",
        "s.p (id) MATCH FULL ON DELETE SET NULL ON UPDATE CASCADE",
        "p ON UPDATE NO ACTION",
        "p ON DELETE RESTRICT",
    ],
)
def test_attributes_may_follow_the_reference_of_a_column(reference: str) -> None:
    given = column(f"int REFERENCES {reference} DEFAULT 5 NOT NULL")
    assert (given.default, given.nullable, given.on_update_now) == ("5", False, False)


def test_a_comment_that_no_release_executes_holds_no_columns() -> None:
    table = only("CREATE TABLE s.t (a int /*!99999 , b int */ /*!80000 , c int */ /*!999999 , d int */)")
    assert [c.name for c in table.columns] == ["a", "c"]


def test_a_script_may_have_other_statements_comments_and_several_tables() -> None:
    sql = "-- dump\nUSE shop;\nDROP TABLE IF EXISTS `t`;\nCREATE TABLE `t` (a int);\nCREATE TABLE x.y (b int);"
    assert [table.id for table in tables_of_sql(sql, "dump.sql")] == [("shop", "t"), ("x", "y")]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("CREATE TABLE t (a int)", "dump.sql, statement 1 (line 1): the table 't' has no schema"),
        ("CREATE TABLE s.t LIKE s.x", "write its columns out"),
        ("CREATE TABLE s.t (a strange)", "statement 1 (line 1): table s.t: 'strange': unknown column type"),
        ("SELECT 1", "no CREATE TABLE statement"),
        ("", "no CREATE TABLE statement"),
    ],
)
def test_a_script_that_does_not_tell_enough_is_refused_with_the_reason(sql: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        tables_of_sql(sql, "dump.sql")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("definition", "default"),
    [
        ("varchar(9) DEFAULT _utf8mb4 x'41'", "A"),
        ("varchar(9) DEFAULT _latin1 0x4142 NOT NULL", "AB"),
        ("bit(8) DEFAULT _binary b'101'", "5"),
        ("date DEFAULT date'2020-02-02'", "2020-02-02"),
        ("timestamp(3) DEFAULT TIMESTAMP '2020-02-02 10:00:00'", "2020-02-02 10:00:00.000"),
        ("varchar(9) DEFAULT 'a' 'b'", "ab"),
        ("varchar(9) DEFAULT _latin1'a' /* x */ \"b\" NOT NULL", "ab"),
        ("varchar(9) DEFAULT N'it''s' ' so'", "it's so"),
        ("int DEFAULT '1' '2'", "12"),
        ("varbinary(3) DEFAULT 'a'", "a"),
        ("binary(3) DEFAULT 'a'", "a"),  # TiDB alone keeps it with zeros: `stored_default`
        ("int COLUMN_FORMAT DEFAULT STORAGE DEFAULT", ABSENT),
        ("int COLUMN_FORMAT DYNAMIC DEFAULT 5 STORAGE DISK", "5"),
    ],
)
def test_a_default_has_the_value_that_a_server_gives_it(definition: str, default: Default) -> None:
    [table] = tables_of_sql(f"CREATE TABLE s.t (a {definition}, b int)", "x")
    assert table.columns[0].default == default
    assert [column.name for column in table.columns] == ["a", "b"]


def test_labels_behind_commas_are_no_actions() -> None:
    sql = "CREATE TABLE s.t (a int); ALTER TABLE s.t SET TIFLASH REPLICA 2 LOCATION LABELS 'b', 'c', ADD b int"
    [table] = tables_of_sql(sql, "x")
    assert [column.name for column in table.columns] == ["a", "b"]
