"""What statements after CREATE TABLE make of its keys, columns and charsets."""

from __future__ import annotations

import pytest

from conformance.ddl import read_script, tables_of_sql
from reference_impl.model import Key


def test_a_key_with_the_name_of_its_constraint() -> None:
    [table] = tables_of_sql("CREATE TABLE s.t (a int, CONSTRAINT `PRIMARY` UNIQUE (a), CONSTRAINT UNIQUE (a))", "x")
    assert table.unique_keys == (Key("PRIMARY", ("a",)), Key("a", ("a",)))


@pytest.mark.parametrize(
    ("key", "name"), [("UNIQUE u (a)", "u"), ("PRIMARY KEY (a)", "`PRIMARY`"), ("KEY i (a)", "IF EXISTS i")]
)
def test_a_dropped_index_is_no_key_of_its_table(key: str, name: str) -> None:
    [table] = tables_of_sql(f"CREATE TABLE s.t (a int NOT NULL, b int, {key}); DROP INDEX {name} ON s.t;", "x")
    assert (table.primary_key, table.unique_keys, table.indexes) == ((), (), ())


@pytest.mark.parametrize(
    ("altered", "charset"),
    [
        ("ALTER DATABASE s READ ONLY = 1", "latin1"),
        ("ALTER DATABASE s CHARACTER SET gbk", "gbk"),
        ("USE s; ALTER DATABASE CHARACTER SET gbk", "gbk"),
        ("USE s; ALTER DATABASE CHAR SET = gbk", "gbk"),
        ("USE s; ALTER SCHEMA DEFAULT COLLATE utf8mb4_bin", "utf8mb4"),
        ("ALTER DATABASE s COLLATE uca1400_ai_ci", "latin1"),
        ("CREATE DATABASE IF NOT EXISTS s CHARACTER SET gbk", "latin1"),
        ("DROP DATABASE s; CREATE DATABASE IF NOT EXISTS s CHARACTER SET gbk", "gbk"),
        ("DROP DATABASE s", None),
    ],
)
def test_an_altered_database_changes_the_charset_of_later_tables(altered: str, charset: str | None) -> None:
    [table] = tables_of_sql(f"CREATE DATABASE s CHARACTER SET latin1; {altered}; CREATE TABLE s.t (a text)", "x")
    assert table.charset == charset


@pytest.mark.parametrize(
    "action",
    [
        "ADD COLUMN IF NOT EXISTS b int",
        "ADD COLUMN IF NOT EXISTS (A int, b int)",
        "DROP COLUMN IF EXISTS c",
        "MODIFY COLUMN IF EXISTS c int",
        "CHANGE COLUMN IF EXISTS c d int",
        "RENAME COLUMN IF EXISTS c TO d",
        "ALTER COLUMN IF EXISTS c SET DEFAULT 1",
        "ADD UNIQUE INDEX IF NOT EXISTS u (b)",
        "DROP PERIOD FOR SYSTEM_TIME",
    ],
)
def test_an_action_if_something_exists_is_ignored_where_it_does_not(action: str) -> None:
    create = "CREATE TABLE s.t (a int, b varchar(9), UNIQUE u (a))"
    assert tables_of_sql(f"{create}; ALTER TABLE s.t {action}", "x") == tables_of_sql(create, "x")


def test_a_new_default_charset_leaves_the_columns_that_are_there_theirs() -> None:
    create = "CREATE TABLE s.t (a text, b text CHARACTER SET gbk, n int) CHARSET=utf8mb4"
    [table] = tables_of_sql(f"{create}; ALTER TABLE s.t CHARSET=latin1, ADD c text", "x")
    assert table.charset == "latin1"
    assert [column.charset for column in table.columns] == ["utf8mb4", "gbk", None, None]


def test_a_collation_of_every_charset_names_none() -> None:
    create = "CREATE TABLE s.t (a text COLLATE uca1400_ai_ci, b text) {}COLLATE=uca1400_ai_ci"
    for charset in ("latin1", None):
        [table] = tables_of_sql(create.format(f"CHARSET={charset} " if charset else ""), "x")
        assert table.charset == charset
        assert [(c.charset, c.collation) for c in table.columns] == [(None, "uca1400_ai_ci")] * 2


def test_a_charset_by_default_is_no_name_of_a_charset() -> None:
    create = "CREATE DATABASE s CHARSET gbk; CREATE TABLE s.t (a text) CHARSET=DEFAULT"
    assert tables_of_sql(create, "x")[0].charset == "gbk"
    script = read_script(f"{create}; ALTER TABLE s.t CONVERT TO")
    assert "there is no name of a charset" in script.not_read[0].text


def test_a_table_is_converted_to_the_charset_of_its_schema_by_default() -> None:
    create = "CREATE TABLE s.t (a text) CHARSET=latin1; ALTER TABLE s.t CONVERT TO CHARACTER SET DEFAULT"
    for before, charset in (("", None), ("CREATE DATABASE s CHARSET gbk; ", "gbk")):
        [table] = tables_of_sql(f"{before}{create}", "x")
        assert (table.charset, table.columns[0].charset) == (charset, charset)


def test_a_key_without_a_name_has_the_first_free_one_of_its_column() -> None:
    create = "CREATE TABLE s.t (a int UNIQUE, b int, UNIQUE (a, b), KEY (a))"
    [table] = tables_of_sql(f"{create}; ALTER TABLE s.t DROP INDEX a, RENAME INDEX a_2 TO u, DROP INDEX a_3", "x")
    assert (table.unique_keys, table.indexes) == ((Key("u", ("a", "b")),), ())


def test_a_key_without_a_name_is_not_called_like_the_primary_key() -> None:
    [table] = tables_of_sql("CREATE TABLE s.t (`Primary` int UNIQUE, b int PRIMARY KEY)", "x")
    assert table.unique_keys == (Key("Primary_2", ("Primary",)),)


def test_a_key_without_a_name_leaves_the_names_of_others_to_them() -> None:
    [table] = tables_of_sql("CREATE TABLE s.t (a int UNIQUE, b int, UNIQUE (b), KEY A (b), UNIQUE b (a, b))", "x")
    assert table.unique_keys == (Key("a_2", ("a",)), Key("b_2", ("b",)), Key("b", ("a", "b")))
    assert table.indexes == (Key("A", ("b",)),)


def test_a_replaced_unique_index_has_its_new_columns() -> None:
    create = "CREATE TABLE s.t (a int, b int, UNIQUE i (a))"
    [table] = tables_of_sql(f"{create}; CREATE OR REPLACE UNIQUE INDEX i ON s.t (b)", "x")
    assert table.unique_keys == (Key("i", ("b",)),)


def test_a_column_is_never_renamed_to_another_one() -> None:
    script = read_script("CREATE TABLE s.t (a int, b int); ALTER TABLE s.t RENAME COLUMN a TO B")
    assert "the table has two columns 'b'" in script.not_read[0].text


@pytest.mark.parametrize(
    "actions",
    [
        "RENAME COLUMN a TO b, RENAME COLUMN B TO c, RENAME COLUMN c TO a",
        "CHANGE a b int, CHANGE COLUMN b c varchar(9), CHANGE c a text",
    ],
)
def test_columns_may_exchange_their_names_in_one_statement(actions: str) -> None:
    create = "CREATE TABLE s.t (a int PRIMARY KEY, b varchar(9), c text, KEY i (b, a))"
    [table] = tables_of_sql(f"{create}; ALTER TABLE s.t {actions}", "x")
    assert [(column.name, column.type.text) for column in table.columns] == [
        ("b", "int"),
        ("c", "varchar(9)"),
        ("a", "text"),
    ]
    assert (table.primary_key, table.indexes) == (("b",), (Key("i", ("c", "b")),))


@pytest.mark.parametrize(
    "actions",
    [
        "RENAME COLUMN a TO b, DROP COLUMN b, DROP PRIMARY KEY",
        "CHANGE a b int NOT NULL, ADD i int FIRST, DROP i, DROP PRIMARY KEY, DROP b",
        "ADD i int FIRST, ADD PRIMARY KEY (i), RENAME COLUMN a TO b, DROP PRIMARY KEY, DROP i, DROP b",
        "ADD KEY k (b), DROP KEY k, DROP PRIMARY KEY, DROP b, RENAME COLUMN a TO b",
    ],
)
def test_an_action_drops_what_is_there_before_the_statement(actions: str) -> None:
    create = "CREATE TABLE s.t (i text, a int NOT NULL, b text NOT NULL, PRIMARY KEY (b), KEY k (b))"
    [table] = tables_of_sql(f"{create}; ALTER TABLE s.t {actions}", "x")
    assert [(c.name, c.type.text) for c in table.columns] in (
        [("i", "text"), ("b", "int")],
        [("i", "int"), ("b", "int")],
    )
    assert table.primary_key == (("i",) if "ADD PRIMARY" in actions else ())
    assert table.indexes == ((Key("k", ("b",)),) if "ADD KEY" in actions else ())


@pytest.mark.parametrize("limit", ["WAIT 5", "NOWAIT"])
def test_the_time_that_a_statement_waits_for_its_table_is_no_part_of_what_it_does(limit: str) -> None:
    create = "CREATE TABLE s.t (a int, b int, KEY k (b))"
    sql = (
        f"{create}; ALTER TABLE s.t {limit} DROP a; RENAME TABLE s.t {limit} TO s.wait; DROP INDEX k ON s.wait {limit}"
    )
    [table] = tables_of_sql(sql, "x")
    assert (table.name, [column.name for column in table.columns], table.indexes) == ("wait", ["b"], ())
    assert read_script(f"{sql}; DROP TABLE s.wait {limit}").tables == ()


@pytest.mark.parametrize(
    ("actions", "missing"),
    [
        ("RENAME COLUMN a TO b, DROP COLUMN b", "b"),
        ("ADD b int, RENAME COLUMN b TO d", "b"),
        ("ADD b int, CHANGE b d int", "b"),
        ("RENAME COLUMN a TO b, RENAME COLUMN b TO d", "b"),
        ("CHANGE a b int, CHANGE b d int", "b"),
        ("RENAME COLUMN a TO b, ALTER a SET DEFAULT 1", "a"),
        ("MODIFY c int AFTER a, RENAME COLUMN a TO b", "a"),
        ("MODIFY b bigint, CHANGE a b int", "b"),
        ("RENAME COLUMN a TO b, MODIFY b bigint", "b"),
        ("RENAME COLUMN a TO b, ALTER b SET DEFAULT 1", "b"),
        ("RENAME COLUMN a TO c, RENAME COLUMN c TO a, MODIFY a bigint", "a"),
        ("DROP COLUMN c, DROP COLUMN c", "c"),
        ("DROP COLUMN IF EXISTS c, DROP COLUMN c", "c"),
    ],
)
def test_a_name_that_only_the_statement_gives_means_no_column_before_it(actions: str, missing: str) -> None:
    script = read_script(f"CREATE TABLE s.t (a int, c int); ALTER TABLE s.t {actions}")
    assert f"the table has no column '{missing}'" in script.not_read[0].text


@pytest.mark.parametrize(
    ("actions", "columns", "key"),
    [
        ("ADD a text, RENAME COLUMN a TO b", "b c a", "c"),
        ("ADD a text, CHANGE a b int, ADD KEY j (b)", "b c a", "c"),
        ("ADD d text AFTER b, RENAME COLUMN a TO b", "b d c", "c"),
        ("MODIFY c int AFTER d, CHANGE a d int FIRST, ADD b int", "d c b", "c"),
        ("ADD PRIMARY KEY (b), ADD b int FIRST", "b a c", "c"),
        ("ADD KEY k (a), RENAME KEY k TO j", "a c", "a"),
    ],
)
def test_after_and_keys_mean_the_columns_and_names_after_the_statement(actions: str, columns: str, key: str) -> None:
    [table] = tables_of_sql(f"CREATE TABLE s.t (a int, c int, KEY k (c)); ALTER TABLE s.t {actions}", "x")
    assert [column.name for column in table.columns] == columns.split()
    assert Key("k", (key,)) in table.indexes


@pytest.mark.parametrize(
    ("actions", "primary", "unique"),
    [
        ("DROP COLUMN b, ADD b varchar(9)", ("a", "b"), ("c", "b")),
        ("ADD (B varchar(9), d int), DROP b", ("a", "B"), ("c", "B")),
        ("DROP b, ADD COLUMN b varchar(9) FIRST, DROP KEY u, DROP PRIMARY KEY", (), None),
        ("DROP b, ADD d varchar(9)", ("a",), ("c",)),
    ],
)
def test_a_column_that_is_dropped_and_added_again_stays_in_its_keys(
    actions: str, primary: tuple[str, ...], unique: tuple[str, ...] | None
) -> None:
    create = "CREATE TABLE s.t (a int, b varchar(5), c int, PRIMARY KEY (a, b), UNIQUE u (c, b))"
    [table] = tables_of_sql(f"{create}; ALTER TABLE s.t {actions}", "x")
    assert table.primary_key == primary
    assert table.unique_keys == (() if unique is None else (Key("u", unique),))
    assert [column.name for column in table.columns if not column.nullable] == [
        column.name for column in table.columns if column.name in (primary or ("a",))
    ]


@pytest.mark.parametrize(
    "action", ["RENAME COLUMN IF EXISTS b TO c", "MODIFY IF EXISTS b text", "CHANGE IF EXISTS b c text"]
)
def test_if_exists_means_the_columns_before_the_statement(action: str) -> None:
    create = "CREATE TABLE s.t (a int); ALTER TABLE s.t ADD b int"
    [table] = tables_of_sql(f"{create}, {action}", "x")
    assert table.columns == tables_of_sql(create, "x")[0].columns


@pytest.mark.parametrize("actions", ["ADD COLUMN IF NOT EXISTS a int, DROP a", "DROP a, ADD IF NOT EXISTS a int"])
def test_if_not_exists_means_the_columns_before_the_statement(actions: str) -> None:
    [table] = tables_of_sql(f"CREATE TABLE s.t (a int, b int); ALTER TABLE s.t {actions}", "x")
    assert [column.name for column in table.columns] == ["b"]


@pytest.mark.parametrize(
    "actions",
    [
        "MODIFY a bigint, MODIFY a char(3)",
        "MODIFY a bigint, ALTER a SET DEFAULT 3",
        "ALTER A SET DEFAULT 2, ALTER a DROP DEFAULT",
        "MODIFY IF EXISTS a bigint, MODIFY IF EXISTS a char(3)",
    ],
)
def test_two_actions_never_change_one_column(actions: str) -> None:
    script = read_script(f"CREATE TABLE s.t (a int, c int); ALTER TABLE s.t {actions}")
    assert "two actions change the column 'a'" in script.not_read[0].text
    [table] = tables_of_sql("CREATE TABLE s.t (a int); ALTER TABLE s.t ADD c int, MODIFY c bigint, MODIFY c text", "x")
    assert [c.type.text for c in table.columns] == ["int", "text"]  # as in MariaDB


@pytest.mark.parametrize(
    ("dropped", "left"),
    [("f", (("k",), ("f",))), ("k", ((), ("f",))), ("c", (("k",), ("f",))), ("`PRIMARY`", (("k",), ("f",)))],
)
def test_a_dropped_constraint_is_a_key_but_no_index(
    dropped: str, left: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    create = (
        "CREATE TABLE s.t (a int PRIMARY KEY, b int, UNIQUE k (a), CONSTRAINT f FOREIGN KEY (b) REFERENCES p (i),"
        " CONSTRAINT c CHECK (a > 0))"
    )
    [table] = tables_of_sql(f"{create}; ALTER TABLE s.t DROP CONSTRAINT {dropped}", "x")
    assert tuple(tuple(key.name for key in keys) for keys in (table.unique_keys, table.indexes)) == left
    assert table.primary_key == (() if dropped == "`PRIMARY`" else ("a",))


def test_a_column_may_be_called_system() -> None:
    sql = "CREATE TABLE s.t (a int); ALTER TABLE s.t ADD SYSTEM VERSIONING, ADD system int, DROP a"
    assert [column.name for column in tables_of_sql(sql, "x")[0].columns] == ["system"]


def test_tables_may_be_dropped_in_the_plural() -> None:
    assert read_script("CREATE TABLE s.t (a int); DROP TABLES s.t").tables == ()


def test_modify_may_mean_a_column_that_the_statement_adds_as_in_mariadb() -> None:
    [table] = tables_of_sql("CREATE TABLE s.t (a int); ALTER TABLE s.t ADD b int, MODIFY b text", "x")
    assert [(column.name, column.type.text) for column in table.columns] == [("a", "int"), ("b", "text")]


def test_a_column_may_be_dropped_if_it_exists_behind_another_drop() -> None:
    create = "CREATE TABLE s.t (a int, b int, c int)"
    for first in ("DROP COLUMN IF EXISTS b", "DROP b"):
        [table] = tables_of_sql(f"{create}; ALTER TABLE s.t {first}, DROP COLUMN IF EXISTS B", "x")
        assert [column.name for column in table.columns] == ["a", "c"]


@pytest.mark.parametrize(
    "actions",
    ["ADD KEY j (a), DROP KEY j", "ADD KEY IF NOT EXISTS J (a), DROP INDEX j", "ADD KEY j (a), RENAME KEY j TO i"],
)
def test_a_key_that_only_the_statement_adds_is_no_key_before_it(actions: str) -> None:
    script = read_script(f"CREATE TABLE s.t (a int, KEY k (a)); ALTER TABLE s.t {actions}")
    assert "the table has no key 'j'" in script.not_read[0].text


@pytest.mark.parametrize(
    ("actions", "a", "b"),
    [
        ("RENAME KEY a TO b, RENAME KEY B TO a", "b", "a"),
        ("RENAME KEY a TO c, RENAME KEY b TO a, ADD KEY b (c)", "c", "a"),
    ],
)
def test_keys_may_exchange_their_names_in_one_statement(actions: str, a: str, b: str) -> None:
    create = "CREATE TABLE s.t (a int, b int, c int, KEY a (a), KEY b (b))"
    [table] = tables_of_sql(f"{create}; ALTER TABLE s.t {actions}", "x")
    assert table.indexes[:2] == (Key(a, ("a",)), Key(b, ("b",)))


@pytest.mark.parametrize(
    "actions",
    [
        "ADD KEY IF NOT EXISTS k (b), DROP KEY k",
        "ADD UNIQUE IF NOT EXISTS k (b), DROP INDEX IF EXISTS k, DROP KEY IF EXISTS j, RENAME KEY IF EXISTS j TO i",
        "ADD KEY IF NOT EXISTS (a), ADD PRIMARY KEY IF NOT EXISTS (b), DROP KEY k",
    ],
)
def test_if_not_exists_means_the_keys_before_the_statement(actions: str) -> None:
    create = "CREATE TABLE s.t (a int, b int, PRIMARY KEY (a, b), KEY k (b), KEY a (a))"
    [table] = tables_of_sql(f"{create}; ALTER TABLE s.t {actions}", "x")
    assert (table.primary_key, table.unique_keys, table.indexes) == (("a", "b"), (), (Key("a", ("a",)),))


def test_an_index_that_no_message_shows_has_its_name_alone() -> None:
    create = "CREATE TABLE s.t (a int, b text, FULLTEXT KEY b (b), KEY (b(9)), KEY c ((a + 1)), d int)"
    later = "DROP KEY b, RENAME KEY c TO d, ADD KEY c (a), ADD KEY (d)"
    [table] = tables_of_sql(f"{create}; ALTER TABLE s.t {later}", "x")
    assert table.indexes == (Key("b_2", ("b",)), Key("c", ("a",)), Key("d_2", ("d",)))


@pytest.mark.parametrize(
    ("keys", "indexes"),
    [
        ("FOREIGN KEY (b) REFERENCES p (i)", (Key("b", ("b",)),)),
        ("FOREIGN KEY f (b) REFERENCES p (i)", (Key("f", ("b",)),)),
        ("CONSTRAINT c FOREIGN KEY f (b, a) REFERENCES p (i, j)", (Key("c", ("b", "a")),)),
        ("FOREIGN KEY (a) REFERENCES p (i)", ()),
        ("FOREIGN KEY (b) REFERENCES p (i), KEY k (b, a)", (Key("k", ("b", "a")),)),
        ("FOREIGN KEY (b) REFERENCES p (i), KEY k (a, b)", (Key("k", ("a", "b")), Key("b", ("b",)))),
    ],
)
def test_a_foreign_key_has_an_index_unless_a_key_begins_with_its_columns(keys: str, indexes: tuple[Key, ...]) -> None:
    later = keys.replace(", KEY", ", ADD KEY")
    for definition in (f", {keys})", f"); ALTER TABLE s.t ADD {later}"):
        [table] = tables_of_sql(f"CREATE TABLE s.t (a int PRIMARY KEY, b int{definition}", "x")
        assert {*table.indexes} == {*indexes}


def test_a_new_key_replaces_the_index_of_a_foreign_key() -> None:
    create = "CREATE TABLE s.t (a int, b int, FOREIGN KEY (b) REFERENCES p (i))"
    for key, name in (("UNIQUE b (b)", "b"), ("UNIQUE (b, a)", "b"), ("UNIQUE u (b, a)", "u")):
        [table] = tables_of_sql(f"{create}; ALTER TABLE s.t ADD {key}, DROP FOREIGN KEY t_ibfk_1", "x")
        assert (table.indexes, [key.name for key in table.unique_keys]) == ((), [name])
    [table] = tables_of_sql(f"{create}; ALTER TABLE s.t RENAME KEY b TO c, ADD KEY k (b, a)", "x")
    assert [key.name for key in table.indexes] == ["c", "k"]


@pytest.mark.parametrize("word", ["TO", "AS", "=", ""])
def test_the_new_name_of_a_table_may_stand_behind_to_as_or_an_equals_sign(word: str) -> None:
    script = read_script(f"CREATE TABLE s.t (a int); ALTER TABLE s.t RENAME {word} s.u, ADD b int", "x")
    assert [(table.name, len(table.columns)) for table in script.tables] == [("u", 2)]
    assert not script.not_read


@pytest.mark.parametrize("definition", ["a int AUTO_INCREMENT", "a int NULL AUTO_INCREMENT"])
def test_an_auto_increment_column_is_not_null_until_it_is_defined_anew(definition: str) -> None:
    created, altered, without = tables_of_sql(
        f"CREATE TABLE s.t ({definition}, UNIQUE (a));"
        f"CREATE TABLE s.u (b int); ALTER TABLE s.u ADD {definition} UNIQUE;"
        f"CREATE TABLE s.v ({definition}, UNIQUE (a)); ALTER TABLE s.v MODIFY a int",
        "x",
    )
    assert [table.columns[-1].nullable for table in (created, altered, without)] == [False, False, True]
