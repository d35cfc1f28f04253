"""Whole dumps: what of them makes tables, what is passed over, and what is said of the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.ddl import Script, read_script, read_sql, tables_of_file, tables_of_sql
from conformance.ddl.encoding import text_of
from conformance.errors import UsageError
from reference_impl.model import ABSENT, Column, Expression, Table
from reference_impl.wire import table_from_json, table_to_json
from tests.snapshots.snapshot import assert_snapshot
from tests.unit.ddl.schemas import SCHEMAS


def shown_column(column: Column) -> str:
    default = column.default
    words = [column.name, column.type.text, "NULL" if column.nullable else "NOT NULL"]
    if default is not ABSENT:
        words.append(f"DEFAULT {default.text}" if isinstance(default, Expression) else f"DEFAULT {default!r}")
    marks = {"auto increment": column.auto_increment, "on update": column.on_update_now}
    words += [str(word) for word in (column.charset, column.collation, column.generated) if word]
    return " | ".join([*words, *(mark for mark, there in marks.items() if there)])


def shown_table(table: Table) -> list[str]:
    keys = [f"PRIMARY {table.primary_key}"] if table.primary_key else []
    keys += [f"UNIQUE {key.name} {key.columns}" for key in table.unique_keys]
    keys += [f"INDEX {key.name} {key.columns}" for key in table.indexes]
    head = [".".join(table.id), table.charset or "", "" if table.clustered else "nonclustered"]
    return [
        " ".join(filter(None, head)),
        *(f"    {shown_column(c)}" for c in table.columns),
        *(f"    {k}" for k in keys),
    ]


def shown(script: Script) -> list[str]:
    lines = [line for table in script.tables for line in shown_table(table)]
    lines += [f"not read: {one.text}" for one in script.not_read]
    return [*lines, *(f"passed over: {one.text}" for one in script.passed_over)]


def test_a_schema_is_read_as_a_person_reads_it() -> None:
    lines = []
    for name, path in SCHEMAS.items():
        lines += [f"# {name}", *shown(read_sql(path, "--schema"))]
    assert_snapshot("schemas.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_table_goes_through_its_json(name: str) -> None:
    for table in read_sql(SCHEMAS[name], "--schema").tables:
        assert table_to_json(table_from_json(table_to_json(table))) == table_to_json(table)


def names(sql: str) -> list[str]:
    return [".".join(table.id) for table in read_script(sql).tables]


PASSED_OVER = {
    "rows with statements in their texts": "INSERT INTO s.t VALUES (1,'CREATE TABLE s.x (a int);');",
    "comments": "-- CREATE TABLE s.x (a int);\n# CREATE TABLE s.x (a int);\n/* CREATE TABLE s.x (a int); */",
    "comments of MariaDB": "/*M!100616 CREATE TABLE s.x (a int) */;",
    "comments that no release executes": "/*!99999 CREATE TABLE s.x (a int); */ /*!999999\\- sandbox */;",
    "a trigger between delimiters": "DELIMITER ;;\nCREATE TRIGGER s.g BEFORE INSERT ON s.t FOR EACH ROW BEGIN\n"
    "CREATE TABLE s.x (a int); END ;;\nDELIMITER ;",
    "a routine whose delimiter is two dollars": "delimiter $$\nCREATE PROCEDURE p() BEGIN\n"
    "CREATE TABLE s.x (a int); END$$\ndelimiter ;",
    "a view": "/*!50001 CREATE VIEW s.x AS SELECT 1 AS a*/;",
    "a table that stands in for a view": "/*!50001 CREATE TABLE s.x (a int)*/; /*!50001 DROP TABLE IF EXISTS s.x*/;",
    "settings": "SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ 'a:1-2';LOCK TABLES t WRITE;UNLOCK TABLES;",
    "a rename of a user": "RENAME USER s TO x;",
    "no statement at all": ";;  ;",
}


@pytest.mark.parametrize("what", PASSED_OVER)
def test_what_makes_no_table_is_passed_over(what: str) -> None:
    script = read_script(f"CREATE TABLE s.t (a int);\n{PASSED_OVER[what]}\nCREATE TABLE s.u (a int);")
    assert [table.id for table in script.tables] == [("s", "t"), ("s", "u")]
    assert script.not_read == script.passed_over == ()


AFTER = {
    "ADD PRIMARY KEY (a)": "s.t | PRIMARY ('a',)",
    "ADD CONSTRAINT c UNIQUE (B, a)": "s.t | UNIQUE c ('b', 'a')",
    "ADD UNIQUE INDEX IF NOT EXISTS u USING BTREE (a)": "s.t | UNIQUE u ('a',)",
    "ADD FULLTEXT KEY f (b), ADD KEY (b)": "s.t | INDEX b ('b',)",
    "DROP b, MODIFY a bigint unsigned NOT NULL": "s.t | a | bigint unsigned | NOT NULL",
    "CHANGE COLUMN `a` `z` int AFTER b": "s.t | z | int | NULL",
    "ADD (c int, d date DEFAULT '2000-01-01')": "s.t | d | date | NULL | DEFAULT '2000-01-01'",
    "ADD c int FIRST, DROP b, DROP COLUMN a": "s.t | c | int | NULL",
    "RENAME COLUMN b TO y": "s.t | y | varchar(9) | NULL",
    "RENAME u": "s.u | b | varchar(9) | NULL",
    "RENAME TO x.u, DROP COLUMN b": "x.u | a | int | NULL",
    "ALTER b SET DEFAULT 'x'": "s.t | b | varchar(9) | NULL | DEFAULT 'x'",
    "CONVERT TO CHARACTER SET latin1": "s.t | b | varchar(9) | NULL | latin1",
    "DROP PARTITION p0, p1": "s.t | b | varchar(9) | NULL",
    "ORDER BY a, b": "s.t | b | varchar(9) | NULL",
    "DISABLE KEYS": "s.t | b | varchar(9) | NULL",
    "SET TIFLASH REPLICA 1": "s.t | b | varchar(9) | NULL",
    "ENGINE=InnoDB, AUTO_INCREMENT=7, LOCK=NONE": "s.t | b | varchar(9) | NULL",
}


@pytest.mark.parametrize("action", AFTER)
def test_a_table_is_what_its_statements_leave(action: str) -> None:
    script = read_script(f"CREATE TABLE s.t (a int, b varchar(9)); ALTER TABLE s.t {action};")
    assert script.not_read == ()
    name, *lines = shown_table(script.tables[0])
    assert f"{name.split()[0]} | {lines[-1].strip()}" == AFTER[action]


def test_a_key_made_later_is_that_of_a_table_made_with_it() -> None:
    later = "CREATE TABLE s.t (a int, b int); ALTER TABLE s.t ADD PRIMARY KEY (a); CREATE UNIQUE INDEX u ON s.t (b);"
    [made] = tables_of_sql(later, "later.sql")
    [at_once] = tables_of_sql("CREATE TABLE s.t (a int NOT NULL, b int, PRIMARY KEY (a), UNIQUE u (b))", "once.sql")
    assert (made.columns, made.primary_key, made.unique_keys) == (
        at_once.columns,
        at_once.primary_key,
        at_once.unique_keys,
    )


def test_a_table_like_another_has_its_columns_and_keys() -> None:
    original, copy = tables_of_sql("CREATE TABLE s.t (a int PRIMARY KEY, UNIQUE (a)); CREATE TABLE s.u LIKE s.t", "x")
    assert (copy.name, copy.columns, copy.primary_key, copy.unique_keys) == (
        "u",
        original.columns,
        original.primary_key,
        original.unique_keys,
    )


def test_a_key_of_an_expression_is_no_key_of_columns() -> None:
    [table] = tables_of_sql("CREATE TABLE s.t (a varchar(9) NOT NULL, b int, UNIQUE ((lower(a))), KEY k ((a), b))", "x")
    assert (table.unique_keys, table.indexes) == ((), ())


def test_a_partitioned_table_of_tidb_keeps_its_handle_apart_where_it_says_so() -> None:
    for word, clustered in (("CLUSTERED", True), ("NONCLUSTERED", False)):
        key = f"PRIMARY KEY (a) /*T![clustered_index] {word} */"
        [table] = tables_of_sql(f"CREATE TABLE s.t (a int, {key}) PARTITION BY HASH (a) PARTITIONS 2", "x")
        assert (table.primary_key, table.clustered) == (("a",), clustered)


WHERE = {
    "USE s; CREATE TABLE t (a int)": ["s.t"],
    "use `s`\nCREATE TABLE t (a int);": ["s.t"],
    "-- Host: localhost    Database: s\nCREATE TABLE t (a int)": ["s.t"],
    "-- Database: `s``x`\nCREATE TABLE t (a int)": ["s`x.t"],
    "-- Host: localhost    Database: \nCREATE TABLE `a b`.t (a int)": ["a b.t"],
    "-- Host: h    Database: s\r\nUSE u;\r\nCREATE TABLE t (a int);": ["u.t"],
    'CREATE TABLE "s"."t" ("a" int, PRIMARY KEY ("a"))': ["s.t"],
    "CREATE TABLE s.t (a int); DROP TABLE s.t; CREATE TABLE s.t (b int)": ["s.t"],
    "CREATE TABLE s.t (a int); CREATE TABLE IF NOT EXISTS s.t (b int)": ["s.t"],
    "CREATE TABLE s.t (a int); CREATE OR REPLACE TABLE s.t (b int)": ["s.t"],
    "CREATE TABLE s.t (a int); DROP DATABASE s": [],
    "CREATE TABLE s.t (a int); CREATE TABLE s.t (b int)": ["s.t", "s.t"],
    "CREATE TABLE s.t (a int); RENAME TABLE s.t TO s.u, s.u TO x.v": ["x.v"],
    "CREATE TABLE s.t (a int); RENAME TABLE IF EXISTS s.x TO s.y, s.t TO s.u": ["s.u"],
}


@pytest.mark.parametrize("sql", WHERE)
def test_a_table_has_the_schema_that_the_script_says(sql: str) -> None:
    assert names(sql) == WHERE[sql]


def test_the_charset_of_the_database_is_that_of_tables_without_one() -> None:
    [table] = tables_of_sql(
        "CREATE DATABASE s CHARACTER SET latin1 COLLATE latin1_bin; USE s; CREATE TABLE t (a text)", "x"
    )
    assert (table.charset, table.columns[0].collation) == ("latin1", "latin1_bin")


NO_END = "is never closed (it opens on line 3): nothing behind it can be read"
NOT_READ = {
    "CREATE TABLE s.u (a uuid)": "table s.u: 'uuid': unknown column type 'uuid'",
    "CREATE TABLE s.u (a)": "table s.u: the column 'a' has no type",
    "CREATE TABLE s.u (a int, a int)": "table s.u: the table has two columns 'a'",
    "CREATE TABLE s.u (a int, KEY (b))": "table s.u: a key names the column 'b', which the table does not have",
    "CREATE TABLE s.u (a int, PRIMARY KEY)": "table s.u: a PRIMARY key has no columns",
    "CREATE TABLE s.u (a int": "table s.u: the list of columns is never closed",
    "CREATE TABLE s.u ()": "table s.u: the table has no column",
    "CREATE TABLE s.u (1)": "table s.u: the column '1' has no type",
    "CREATE TABLE s.u ('a' int)": "table s.u: \"'a' int\" is no definition of a column",
    "CREATE TABLE s.u SELECT * FROM s.t": "table s.u: its columns are those of a query: write them out",
    "CREATE TABLE s.u (a int) AS SELECT 1": "table s.u: a query adds columns to it: write its columns out",
    "CREATE TABLE s.u LIKE s.x": "table s.u: it is LIKE a table that is not in the script: write its columns out",
    "CREATE TABLE s.u": "table s.u: a CREATE TABLE without a list of columns: write its columns out",
    "CREATE TABLE": "there is no name of a table",
    "CREATE TABLE u (a int)": "the table 'u' has no schema: write `schema`.`u`, or USE before it",
    "CREATE TABLE s.u (a int); ALTER TABLE s.u ADD b": "table s.u: the column 'b' has no type",
    "CREATE TABLE s.u (a int); ALTER TABLE s.u DROP b": "table s.u: the table has no column 'b'",
    "CREATE TABLE s.u (a int); ALTER TABLE s.u FROB": "table s.u: ALTER TABLE … FROB: this action is unknown",
    "CREATE TABLE s.u (a int DEFAULT 'x)": f"the quote ' {NO_END}",
    "SELECT 1 /* no end": f"the comment /* {NO_END}",
}


@pytest.mark.parametrize("sql", NOT_READ)
def test_what_cannot_be_read_is_one_sentence_and_the_tables_before_it_are_there(sql: str) -> None:
    script = read_script(f"CREATE TABLE s.t (a int);\n\n{sql}")
    assert [table.id for table in script.tables] == [("s", "t")]
    [one] = script.not_read
    number = sql.count(";") + 2
    assert one.text == f"statement {number} (line 3): {NOT_READ[sql]}"
    with pytest.raises(UsageError, match=r"^my\.sql, statement"):
        tables_of_sql(f"CREATE TABLE s.t (a int);\n\n{sql}", "my.sql")


def test_a_table_that_cannot_be_read_does_not_end_the_reading() -> None:
    script = read_script("CREATE TABLE s.a (x strange); CREATE TABLE s.b (x int); ALTER TABLE s.a ADD KEY (x);")
    assert [table.name for table in script.tables] == ["b"]
    assert [one.table for one in script.not_read] == ["s.a"]


TEMPORARY = "table u: a temporary table has no messages"
TABLES_OF_OTHERS = {
    "CREATE TEMPORARY TABLE s.u (a int)": TEMPORARY,
    "CREATE GLOBAL TEMPORARY TABLE IF NOT EXISTS u (a int) ON COMMIT DELETE ROWS": TEMPORARY,
    "ALTER TABLE s.u ADD KEY (a); ALTER TABLE s.u ADD KEY (b)": (
        "table s.u: it is altered, and the script does not create it"
    ),
}


@pytest.mark.parametrize("sql", TABLES_OF_OTHERS)
def test_tables_that_the_script_does_not_make_are_named_once_and_refuse_nothing(sql: str) -> None:
    given = f"CREATE TABLE s.t (a int); {sql}"
    assert [one.text for one in read_script(given).passed_over] == [f"statement 2 (line 1): {TABLES_OF_OTHERS[sql]}"]
    assert [table.name for table in tables_of_sql(given, "x")] == ["t"]


DEFAULTS = {
    "decimal(65,30) DEFAULT 1.5": "1.5" + "0" * 29,
    "binary(2) DEFAULT 0x4142": "AB",
    "binary(2) DEFAULT x'ff00'": Expression("x'ff00'"),
    "varchar(9) DEFAULT _utf8mb4'x'": "x",
    "varchar(9) DEFAULT N'it''s' NOT NULL": "it's",
    "int DEFAULT 1e9999999": Expression("1e9999999"),
}


@pytest.mark.parametrize("definition", DEFAULTS)
def test_a_default_is_read_whatever_its_size_and_introducer(definition: str) -> None:
    [table] = tables_of_sql(f"CREATE TABLE s.t (c {definition})", "x")
    assert table.columns[0].default == DEFAULTS[definition]


# -- files


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("ä".encode(), "ä"),
        (b"\xef\xbb\xbfa", "a"),
        ("aä".encode("utf-16"), "aä"),
        (b"/*!40101 SET NAMES latin1 */;\n\xe4", "/*!40101 SET NAMES latin1 */;\nä"),
        (b"SET NAMES gbk;\n\x81\x5c'", "SET NAMES gbk;\n乗'"),
        (b"SET NAMES euckr;\x8c\x63", "SET NAMES euckr;똠"),
        ("SET NAMES binary;ä".encode(), "SET NAMES binary;ä"),
        (b"SET NAMES binary;\xe4", "SET NAMES binary;\ufffd"),
        (b"INSERT INTO t VALUES ('\xff\xfe\x00');", "INSERT INTO t VALUES ('\ufffd\ufffd\x00');"),
    ],
)
def test_a_file_is_read_in_its_own_charset(content: bytes, text: str) -> None:
    assert text_of(content) == text


def test_rows_of_any_bytes_hide_no_table(tmp_path: Path) -> None:
    rows = bytes(byte for byte in range(256) if byte not in b"'\\")
    (tmp_path / "my.sql").write_bytes(b"INSERT INTO s.x VALUES ('" + rows * 9 + b"');CREATE TABLE s.t (a int);")
    assert [table.id for table in read_sql(tmp_path / "my.sql", "--schema").tables] == [("s", "t")]


def test_tables_without_a_schema_are_in_the_one_that_the_file_is_named_after(tmp_path: Path) -> None:
    file = tmp_path / "shop.sql"
    file.write_text("DROP TABLE IF EXISTS t; CREATE TABLE t (a int); CREATE TABLE x.u (a int);", encoding="utf-8")
    assert [table.id for table in tables_of_file(file, "--tables")] == [("shop", "t"), ("x", "u")]
    assert read_sql(file, "--schema").tables == tuple(tables_of_file(file, "--tables"))
    file.write_text("USE y; CREATE TABLE t (a int);", encoding="utf-8")
    assert [table.id for table in tables_of_file(file, "--tables")] == [("y", "t")]


def test_a_folder_of_dumpling_has_the_schema_in_the_names_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "a.t-schema.sql").write_text("CREATE TABLE t (a int);", encoding="utf-8")
    (tmp_path / "b.t-schema.sql").write_text("CREATE TABLE t (a strange);", encoding="utf-8")
    (tmp_path / "b.t.0.sql").write_text("INSERT INTO t VALUES (1);", encoding="utf-8")
    script = read_sql(tmp_path, "--schema")
    assert [table.id for table in script.tables] == [("a", "t")]
    [one] = script.not_read
    assert one.text.startswith("b.t-schema.sql, statement 1 (line 1): table b.t: ")


def test_a_folder_or_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path, what in (
        (tmp_path, "a folder without *-schema.sql"),
        (tmp_path / "no.sql", "cannot be read (No such file"),
    ):
        with pytest.raises(UsageError) as refused:
            read_sql(path, "--schema")
        assert str(refused.value).startswith(f"--schema {path}: {what}")


def test_views_triggers_and_routines_are_told_of_by_kind_and_name() -> None:
    script = read_script(
        """
        /*!50001 CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`%` SQL SECURITY DEFINER VIEW `v` AS SELECT ';' AS `b` */;
        CREATE OR REPLACE VIEW `v` AS SELECT 1;
        DELIMITER ;;
        CREATE DEFINER=`root`@`%` TRIGGER `t` BEFORE INSERT ON `x` FOR EACH ROW BEGIN CREATE TABLE never (a int); END ;;
        CREATE PROCEDURE `p`() BEGIN SELECT 1; END ;;
        DELIMITER ;
        CREATE TABLE s.kept (id int);
        """
    )
    assert script.others == (("view", "v"), ("trigger", "t"), ("procedure", "p"))
    assert [one.name for one in script.tables] == ["kept"]


@pytest.mark.parametrize(
    ("sql", "numbers"),
    [
        ("CREATE TABLE t (a int); RENAME TABLE a TO b; RENAME TABLE x TO y", [2, 3]),
        ("USE s; CREATE TEMPORARY TABLE z (a int); ALTER TABLE z ADD b int", [2]),
        ("RENAME TABLE s.a TO s.b; ALTER TABLE s.b ADD c int; ALTER TABLE s.c ADD c int", [1, 3]),
    ],
)
def test_each_ignored_table_is_named_once(sql: str, numbers: list[int]) -> None:
    assert [one.number for one in read_script(sql).passed_over] == numbers


def test_an_index_on_a_table_called_event_is_no_event() -> None:
    assert read_script("CREATE FULLTEXT INDEX f ON event (a)").others == ()
