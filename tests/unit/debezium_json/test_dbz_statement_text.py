"""Debezium JSON, the text of a statement: its pieces, the columns that it defines, and the tables that it renames."""

from __future__ import annotations

import pytest

from reference_impl.debezium_json.statement import Definition, definitions, renamings, statements, tokens


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("CREATE TABLE t (a int, `b c` int, KEY k (a), PRIMARY KEY (a), key2 int)", ["a", "b c", "key2"]),
        ("create table if not exists s.t (a decimal(10,2) default 1.5, b enum('x,y','(') not null)", ["a", "b"]),
        ("CREATE TABLE t (a int /*T![auto_rand] AUTO_RANDOM(5) */, /* b int, */ c int)", ["a", "c"]),
        ("CREATE TABLE t (a int -- , b int\n, c int # , d int\n)", ["a", "c"]),
        ("CREATE TABLE t (`primary` int, constraint x unique (a), check (a > 1))", ["primary"]),
        ("CREATE TABLE t LIKE u", []),
        ("CREATE TABLE t (LIKE u)", []),
        ("CREATE DATABASE x", []),
        ("CREATE VIEW v AS SELECT (a) FROM t", []),
        (
            "ALTER TABLE t ADD a int, ADD COLUMN b int, DROP COLUMN c, MODIFY d int, CHANGE e f int",
            ["a", "b", "d", "f"],
        ),
        ("ALTER TABLE t ADD COLUMN (a int, b varchar(5) default ',)')", ["a", "b"]),
        ("ALTER TABLE t ADD COLUMN IF NOT EXISTS a int", ["a"]),
        ("ALTER TABLE t ADD INDEX i (a), ADD UNIQUE u (b), ADD PARTITION (PARTITION p VALUES LESS THAN (3))", []),
        ("ALTER TABLE `s`.`t` ADD `q``q` int", ["q`q"]),
        ("/* c */ ALTER TABLE t ADD a int", ["a"]),
        ("ALTER TABLE t RENAME COLUMN a TO b, ALTER COLUMN c SET DEFAULT 3", []),
        ("DROP TABLE t", []),
        ("ALTER TABLE t ADD", []),
        ("CREATE TABLE t (", []),
        ("CREATE TABLE t (a int", ["a"]),
        ("'", []),
        ("", []),
    ],
)
def test_columns_that_a_statement_defines_are_found(query: str, names: list[str]) -> None:
    assert list(definitions(query)) == names


@pytest.mark.parametrize(
    ("text", "definition"),
    [
        ("a datetime(3) default '2020''s \\'x\\n'", Definition("a", "DATETIME", 3, "2020's 'x\n")),
        ('a time default "1"', Definition("a", "TIME", None, "1")),
        ("a year default 1970", Definition("a", "YEAR", None, "1970")),
        ("a time default 1.5", Definition("a", "TIME", None, "1.5")),
        ("a datetime default null", Definition("a", "DATETIME", default_null=True)),
        ("a datetime default NOW(3) on update now(3)", Definition("a", "DATETIME", default_now=True)),
        ("a datetime default LocalTime", Definition("a", "DATETIME", default_now=True)),
        ("a int check (a > default) default 5", Definition("a", "INT", None, "5")),
        ("a int default (1)", Definition("a", "INT")),
    ],
)
def test_a_definition_has_length_and_literal_default(text: str, definition: Definition) -> None:
    assert definitions(f"ALTER TABLE t ADD {text}") == {"a": definition}


def test_a_statement_in_pieces_keeps_what_the_quotes_hold() -> None:
    pieces = tokens("a `b``c` 'd''e' \"f\" (1.5) --x")
    assert [piece.text for piece in pieces] == ["a", "b`c", "d'e", "f", *"(1.5)--x"]


def test_statements_are_parted_by_semicolons_outside_of_quotes() -> None:
    assert statements("a ';' ; /* ; */ b;;") == ["a ';'", "b"]


def test_other_renamings_are_no_renamed_tables() -> None:
    assert renamings("ALTER TABLE t RENAME INDEX a TO b, RENAME COLUMN c TO d") == []
    assert renamings("DROP TABLE t") == []
