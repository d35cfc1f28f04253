"""Debezium JSON, the text of a statement: its pieces, the columns that it defines, and the tables that it renames."""

from __future__ import annotations

import pytest

from reference_impl.debezium_json.statement import Definition, Renaming, definitions, renamings
from reference_impl.sql_tokens import TableName

NO_COLUMNS = [
    *("PRIMARY KEY (a)", "UNIQUE u (a)", "KEY k (a)", "INDEX i (a)", "FULLTEXT INDEX f (a)", "SPATIAL INDEX s (a)"),
    *("VECTOR INDEX v ((a))", "COLUMNAR INDEX c (a)", "CONSTRAINT c CHECK (a)", "FOREIGN KEY (a) REFERENCES u (a)"),
    *("CHECK (a > 1)", "PARTITION (PARTITION p)", "STATS_EXTENDED s (a)", "'a' int", "a"),
]


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
        *(
            (query, ["a"])
            for query in (
                *("CREATE TABLE t (a int)", "CREATE TEMPORARY TABLE t (a int)", "CREATE TABLE IF NOT EXISTS t (a int)"),
                *("ALTER TABLE t ADD a int", "ALTER IGNORE TABLE t ADD a int", "ALTER TABLE IF EXISTS t ADD a int"),
                *("ALTER TABLE t MODIFY COLUMN IF EXISTS a int", "ALTER TABLE t MODIFY COLUMN a int"),
                *("ALTER TABLE t CHANGE COLUMN b a int", "ALTER TABLE t CHANGE b a int", "ALTER TABLE t ADD (a int)"),
            )
        ),
        *((f"ALTER TABLE t ADD {clause}, ADD z int", ["z"]) for clause in NO_COLUMNS),
        *(
            (query, [])
            for query in (
                *("CREATE FUNCTION f (a int) RETURNS int RETURN a", "DROP TABLE t", "TABLE t (a int)", "ALTER TABLE t"),
                *("CREATE", "ALTER TABLE t ADD"),
            )
        ),
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
        *(
            (f"a int {rest}", Definition("a", "INT"))
            for rest in ("default (1)", "DEFAULT uuid()", "DEFAULT -5", "(", "()", "(²)", "DEFAULT", "")
        ),
        ("a int DEFAULT 5 NOT NULL", Definition("a", "INT", None, "5")),
        ("a int NOT NULL DEFAULT 5", Definition("a", "INT", None, "5")),
        ("a int (5", Definition("a", "INT", 5)),
        ("a decimal(5,2)", Definition("a", "DECIMAL", 5)),
        ("a decimal DEFAULT 1.", Definition("a", "DECIMAL", None, "1")),
    ],
)
def test_a_definition_has_length_and_literal_default_and_may_be_cut(text: str, definition: Definition) -> None:
    assert definitions(f"ALTER TABLE t ADD {text}") == {"a": definition}


@pytest.mark.parametrize("word", ["NOW", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "now", "LocalTime"])
@pytest.mark.parametrize("arguments", ["", "()", "(3)"])
def test_the_time_of_the_change_has_several_names(word: str, arguments: str) -> None:
    query = f"ALTER TABLE t ADD a datetime(3) DEFAULT {word}{arguments}"
    assert definitions(query) == {"a": Definition("a", "DATETIME", 3, default_now=True)}


def _renamed(*pairs: tuple[str | None, str, str | None, str]) -> list[Renaming]:
    return [Renaming(TableName(a, b), TableName(c, d)) for a, b, c, d in pairs]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("RENAME TABLE a TO b", _renamed((None, "a", None, "b"))),
        ("RENAME TABLES a TO b, s.c TO u.d", _renamed((None, "a", None, "b"), ("s", "c", "u", "d"))),
        ("ALTER TABLE a RENAME b", _renamed((None, "a", None, "b"))),
        ("ALTER TABLE IF EXISTS a RENAME TO b", _renamed((None, "a", None, "b"))),
        ("ALTER IGNORE TABLE a RENAME TO b", _renamed((None, "a", None, "b"))),
        ("ALTER TABLE a RENAME AS b", _renamed((None, "a", None, "b"))),
        ("ALTER TABLE a RENAME = b", _renamed((None, "a", None, "b"))),
        ("ALTER TABLE a ADD x int, RENAME TO b", _renamed((None, "a", None, "b"))),
        ("ALTER TABLE a RENAME COLUMN x TO y, RENAME INDEX i TO j, RENAME KEY k TO l", []),
        ("ALTER TABLE a RENAME", []),
        ("ALTER TABLE a RENAME INDEX", []),
        ("ALTER TABLE a RENAME TO", []),
        ("CREATE TABLE a TO b", []),
        ("DROP TABLE t", []),
        ("RENAME TABLE a", []),
        ("", []),
    ],
)
def test_a_statement_may_rename_tables_in_several_ways(query: str, found: list[Renaming]) -> None:
    assert renamings(query) == found
