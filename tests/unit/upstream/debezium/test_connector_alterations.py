"""Statements that the connector applies as each version's parser does.  [DBZ-350 … DBZ-353, DBZ-355]"""

from __future__ import annotations

import json

import pytest
from connector_messages import column, table_of

from reference_impl.model import Table
from reference_impl.upstream.debezium.known_tables import DdlEffect, KnownTables
from reference_impl.upstream.debezium.table_changes import table_change
from reference_impl.upstream.debezium.versions import VERSIONS

OLD, MIDDLE, NEW = "2.4.0", "3.0.7", "3.6.1"


def shown(version: str, *queries: str) -> str:
    """The tables that are known after the statements: their columns, with a * the nullable ones, and their keys."""
    known = KnownTables(VERSIONS[version])
    for query in queries:
        known.apply(query, "s")
    tables = (
        f"{name}({', '.join(c.name + '*' * c.nullable for c in table.columns)}) {','.join(table.primary_key)}".strip()
        for (_, name), table in sorted(known.tables.items())
    )
    return "; ".join(tables)


CREATE = "create table t (a int not null, b int)"


@pytest.mark.parametrize(
    ("statement", "old"),
    [
        ("alter table t wait 5 add c int", "t(a, b*, c*)"),
        ("alter table s.t nowait add c int", "t(a, b*, c*)"),
        ("alter online table if exists t add c int", "t(a, b*, c*)"),
        ("alter ignore table t add c int", "t(a, b*, c*)"),
        ("alter table t add column if not exists c int", "t(a, b*, c*)"),
        ("alter table t add c int, drop column if exists b", "t(a, c*)"),
        ("alter table t modify if exists b bigint not null", "t(a, b)"),
        ("alter table t change column if exists b c int", "t(a, c*)"),
        ("alter table t drop key if exists k, add c int", "t(a, b*, c*)"),
        ("alter table t add unique if not exists (a)", "t(a, b*) a"),
        ("create unique index if not exists k on t (a)", "t(a, b*) a"),
        ("create or replace unique index k on t (a)", "t(a, b*) a"),
        ("create unique index k on t (a) nowait", "t(a, b*) a"),
        ("create or replace table u (c int)", "t(a, b*); u(c*)"),
        ("create or replace temporary table u (c int)", "t(a, b*); u(c*)"),
        ("rename table t wait 5 to u", "u(a, b*)"),
        ("drop table if exists t, u nowait", ""),
        ("create table u (c int) transactional=1", "t(a, b*); u(c*)"),
        ("create table u (c int) encrypted=yes encryption_key_id=5", "t(a, b*); u(c*)"),
        ("create table u (c int) page_compressed=1 page_compression_level 9", "t(a, b*); u(c*)"),
        ("create table u (c int) with system versioning", "t(a, b*); u(c*)"),
        ("create table u (c int as (1) persistent)", "t(a, b*); u(c*)"),
        ("create table u (c varchar(36) default uuid())", "t(a, b*); u(c*)"),
        ("create table u (c date default current_date)", "t(a, b*); u(c*)"),
        ("alter table t add unique key k (a) ignored", "t(a, b*) a"),
        ("alter table t alter b set default now(), add c int", "t(a, b*, c*)"),
        # As sql_mode IGNORE_SPACE allows.
        ("alter table t add c timestamp default now ()", "t(a, b*, c*)"),
        ("alter table t add c timestamp default now() on update now ()", "t(a, b*, c*)"),
    ],
)
def test_the_newest_parser_knows_no_statement_of_mariadb(statement: str, old: str) -> None:
    assert [shown(version, CREATE, statement) for version in (OLD, MIDDLE, NEW)] == [old, old, "t(a, b*)"]


@pytest.mark.parametrize(
    "statement",
    [
        "rename table if exists t to u",
        "alter table t rename column if exists b to c, drop b",
        "alter table t rename key if exists k to l, drop b",
        "alter table t alter column if exists b set default 3, drop b",
        "alter table t add primary key if not exists (a)",
        "alter table t add unique key if not exists k (a)",
        "alter table t add constraint if not exists k check (b > 0), drop b",
        "create unique index k on t nowait (a)",
        "alter table t add system versioning",
        "alter table t drop system versioning, drop b",
        "alter table t add c int without system versioning",
        "alter table t add c timestamp(6) generated always as row start",
        "alter table t add period for p (a, b), drop b",
        "alter table t alter key k ignored, drop b",
    ],
)
def test_no_parser_knows_a_few_statements_of_mariadb(statement: str) -> None:
    assert {shown(version, CREATE, statement) for version in VERSIONS} == {"t(a, b*)"}


@pytest.mark.parametrize("word", ["wait", "nowait", "`if`", "period"])
def test_columns_and_tables_may_have_names_like_words_of_mariadb(word: str) -> None:
    known = f"{word}(a, {word}*) a".replace("`", "")
    queries = (f"create table t (a int not null, {word} int)", f"alter table t add unique (a), rename {word}")
    assert shown(NEW, *queries) == known
    assert shown(NEW, *queries, f"rename table {word} to t", f"alter table t rename to {word}") == known


def test_tables_may_be_dropped_in_the_plural_since_a_version() -> None:
    assert [shown(version, CREATE, "drop tables t") for version in (OLD, MIDDLE, NEW)] == ["t(a, b*)", "t(a, b*)", ""]


def test_every_parser_knows_an_online_alteration() -> None:
    for version in VERSIONS:
        assert shown(version, CREATE, "alter online table t drop b") == "t(a)"


def test_a_table_that_is_known_is_not_replaced_except_like_another() -> None:
    for version in VERSIONS:
        assert shown(version, CREATE, "create table t (c int)") == "t(a, b*)"
        assert shown(version, CREATE, "create or replace table t (c int)") == "t(a, b*)"
        assert shown(version, CREATE, "/* x */ create or replace table t (c int)") == "t(a, b*)"
        assert shown(version, CREATE, "create table if not exists t (c int)") == "t(a, b*)"
        assert shown(version, CREATE, "create table u (c int)", "create table t like u") == "t(c*); u(c*)"


@pytest.mark.parametrize(
    "statement", ["create table t (c int)", "create table if not exists t (c int)", "create table u like v"]
)
def test_a_statement_that_makes_no_table_has_a_record_without_tables(statement: str) -> None:
    for version in VERSIONS:
        known = KnownTables(VERSIONS[version])
        known.apply(CREATE, "s")
        assert known.apply(statement, "s") == [DdlEffect(statement)], version


@pytest.mark.parametrize(
    ("actions", "columns"),
    [
        ("rename column a to b, rename column b to a", "t(a, c*, d*) a"),
        ("rename column c to b, rename column b to c", "t(a, c*, d*) a"),
        ("rename column d to a, rename column a to d", "t(b*, c*, d*) d"),
        ("change c d int, change d c int first", "t(c*, a, b*) a"),
        ("rename column a to d, drop column d", "t(b*, c*)"),
        ("drop column d, rename column a to d", "t(d, b*, c*) d"),
        ("add a int after c, drop a", "t(b*, c*, d*)"),
    ],
)
def test_a_column_with_the_name_of_another_replaces_it(actions: str, columns: str) -> None:
    create = "create table t (a int primary key, b int, c int, d int)"
    for version in VERSIONS:
        assert shown(version, create, f"alter table t {actions}") == columns


def test_a_column_that_is_added_if_it_does_not_exist_replaces_it() -> None:
    create = "create table t (a int primary key, b int)"
    assert shown(OLD, create, "alter table t add column if not exists (A int, b int)") == "t(A*, b*) a"
    assert shown(OLD, create, "alter table t add column if not exists b int not null first") == "t(b, a) a"


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("modify a bigint", {OLD: (False, 9, True), MIDDLE: (True, None, False), NEW: (True, None, False)}),
        ("change a a bigint", {OLD: (False, 9, True), MIDDLE: (False, None, True), NEW: (True, None, True)}),
        ("change a c bigint", {OLD: (False, 9, True), MIDDLE: (False, None, True), NEW: (True, None, True)}),
        ("change a c bigint null", {OLD: (True, 9, True), MIDDLE: (True, None, True), NEW: (True, None, True)}),
        ("modify a bigint(5) not null", {version: (False, 5, version == OLD) for version in (OLD, MIDDLE, NEW)}),
    ],
)
def test_each_version_leaves_other_parts_of_a_column_that_is_defined_anew(
    action: str, expected: dict[str, tuple[bool, int | None, bool]]
) -> None:
    for version, parts in expected.items():
        known = KnownTables(VERSIONS[version])
        known.apply("create table t (a int(9) not null auto_increment primary key)", "s")
        [effect] = known.apply(f"alter table t {action}", "s")
        assert effect.change is not None
        assert effect.change.after is not None
        [changed] = effect.change.after.columns
        size = changed.type.text.partition("(")[2].partition(")")[0]
        assert (changed.nullable, int(size) if size else None, changed.auto_increment) == parts, version


def test_on_update_stays_with_a_changed_column_of_the_newest_version() -> None:
    create = "create table t (a timestamp(3) default current_timestamp(3) on update current_timestamp(3))"
    for version in VERSIONS:
        known = KnownTables(VERSIONS[version])
        known.apply(create, "s")
        known.apply("alter table t change a b timestamp(6) null", "s")
        assert known.tables["s", "t"].columns[0].on_update_now is (version >= NEW)


def test_a_key_that_a_statement_makes_nullable_is_so_in_the_rows_behind_it() -> None:
    table = table_of(column("a", "bigint", nullable=False))
    for version, nullable in ((OLD, False), (MIDDLE, True), (NEW, True)):
        known = KnownTables(VERSIONS[version])
        known.apply("create table t (id int, a int primary key)", table.schema)
        known.apply("alter table t modify a bigint", table.schema)
        known.learn(table)
        assert known.tables[table.id].columns[1].nullable is nullable
        known.apply("alter table t modify a bigint not null", table.schema)
        known.learn(table)
        assert not known.tables[table.id].columns[1].nullable


@pytest.mark.parametrize(
    ("version", "charsets", "length", "is_set_by_server"),
    [
        (OLD, ("utf8mb4", "gbk", "utf8mb4"), None, False),
        (MIDDLE, ("utf8mb4", "gbk", "utf8mb4"), 1, False),
        (NEW, ("latin1", "latin1", "latin1"), 1, True),
    ],
)
def test_each_version_has_its_parsers_charsets_lengths_of_bit_and_on_update(
    version: str, charsets: tuple[str, ...], length: int | None, is_set_by_server: bool
) -> None:
    known = KnownTables(VERSIONS[version])
    known.apply(
        "create table t (a varchar(5), b bit, c text char set gbk,"
        " d timestamp not null default current_timestamp on update current_timestamp) char set utf8mb4",
        "s",
    )
    known.apply("alter table t convert to character set latin1", "s")
    [effect] = known.apply("alter table t add e text", "s")
    assert effect.change is not None
    a, b, c, d, e = json.loads(table_change(effect.change, VERSIONS[version]))["table"]["columns"]
    assert tuple(column["charsetName"] for column in (a, c, e)) == charsets
    assert (b["length"], d["autoIncremented"]) == (length, is_set_by_server)


@pytest.mark.parametrize(
    ("statement", "old", "new"),
    [
        ("create temporary table u (b int)", "t(a*); u(b*)", "t(a*); u(b*)"),
        ("create temporary table t (b int)", "t(a*)", "t(a*)"),
        ("drop temporary table t", "", ""),
        ("drop temporary tables t", "t(a*)", ""),
        ("alter table t secondary_engine=null, add b int", "t(a*)", "t(a*, b*)"),
        ("alter table t page_compressed='ON', add b int", "t(a*)", "t(a*, b*)"),
        ("alter table t add b char(3) ascii", "t(a*)", "t(a*, b*)"),
        ("alter table t convert to char set ascii, add b int", "t(a*)", "t(a*, b*)"),
        ("DROP TEMPORARY TABLE IF EXISTS `t` /* generated by server */", "t(a*)", "t(a*)"),
        # Attributes of columns; as options of a table, of an index, and as names, the words are known.
        ("alter table t add b text compressed", "t(a*)", "t(a*)"),
        ("alter table t add b text column_format compressed", "t(a*)", "t(a*)"),
        ("alter table t add compressed int, row_format compressed", "t(a*, compressed*)", "t(a*, compressed*)"),
        ("alter table t modify a int engine_attribute='{}', add b int", "t(a*)", "t(a*, b*)"),
        ("alter table t add b int secondary_engine_attribute '{}'", "t(a*)", "t(a*, b*)"),
        ("alter table t add b int not secondary", "t(a*)", "t(a*, b*)"),
        ("alter table t engine_attribute='{}', add b int", "t(a*, b*)", "t(a*, b*)"),
        ("alter table t secondary_load", "t(a*)", "t(a*)"),
        ("alter table t add secondary_load int", "t(a*, secondary_load*)", "t(a*, secondary_load*)"),
        ("alter table t add b int, autoextend_size = 4M", "t(a*)", "t(a*, b*)"),
        ("alter table t add b date default date '2020-01-01'", "t(a*)", "t(a*, b*)"),
        ("alter table t alter a set default timestamp'2020-01-01 00:00:00', add b int", "t(a*)", "t(a*, b*)"),
    ],
)
def test_a_statement_with_words_that_a_parser_does_not_know_changes_nothing(statement: str, old: str, new: str) -> None:
    create = "create table t (a int)"
    assert [shown(version, create, statement) for version in (OLD, MIDDLE, NEW)] == [old, old, new]


@pytest.mark.parametrize(
    "statement",
    [
        "create table u (b int) secondary_engine=e",
        "create table u (b int) secondary_engine e",
        "alter table t secondary_engine=e",
        "alter table t secondary_engine e",
        "create table u (b vector(3))",
        "alter table t add b vector(3), add c int",
    ],
)
def test_the_oldest_parser_knows_no_secondary_engine_and_no_vector(statement: str) -> None:
    known = {version: KnownTables(VERSIONS[version]) for version in (OLD, MIDDLE, NEW)}
    for tables in known.values():
        tables.apply("create table t (a int)", "s")
    changes = {version: bool(tables.apply(statement, "s")[0].change) for version, tables in known.items()}
    assert changes == {OLD: False, MIDDLE: True, NEW: True}


@pytest.mark.parametrize(
    "statement",
    [
        "create table u (b int(3), secondary_engine int)",
        "alter table t add secondary_engine int",
        "create table u (vector int(3), key k (vector))",
    ],
)
def test_these_words_may_be_names_of_columns_to_the_oldest_parser(statement: str) -> None:
    known = KnownTables(VERSIONS[OLD])
    known.apply("create table t (a int)", "s")
    assert known.apply(statement, "s")[0].change is not None


def test_a_drop_of_temporary_tables_has_a_record_unless_the_server_made_it() -> None:
    known = KnownTables(VERSIONS[OLD])
    assert known.apply("DROP TEMPORARY TABLE IF EXISTS `t` /* generated by server */", "s") == []
    assert [effect.ddl for effect in known.apply("drop temporary table t", "s")] == ["DROP TEMPORARY TABLE `s`.`t`"]


def test_an_alteration_of_many_columns_does_not_make_the_table_once_a_column(monkeypatch: pytest.MonkeyPatch) -> None:
    known = KnownTables(VERSIONS[NEW])
    names = [f"c{n}" for n in range(200)]
    known.apply(f"create table t ({', '.join(f'{name} int' for name in names)})", "s")
    made: list[None] = []
    make = Table.__post_init__
    monkeypatch.setattr(Table, "__post_init__", lambda table: (made.append(None), make(table))[1])
    known.apply("alter table t " + ", ".join(f"rename column {name} to {name}x" for name in names), "s")
    assert [column.name for column in known.tables["s", "t"].columns] == [f"{name}x" for name in names]
    assert len(made) < 5


def test_the_type_of_a_text_column_has_the_word_binary() -> None:
    for version in VERSIONS:
        known = KnownTables(VERSIONS[version])
        [effect] = known.apply(
            "create table t (a char(3) character set latin1 binary, b text binary, c binary(3))", "s"
        )
        assert effect.change is not None
        columns = json.loads(table_change(effect.change, VERSIONS[version]))["table"]["columns"]
        shown = [(one["typeName"], one["length"], one["charsetName"]) for one in columns]
        assert shown == [("CHAR BINARY", 3, "latin1"), ("TEXT BINARY", None, "utf8mb4"), ("BINARY", 3, None)]


def test_the_older_parser_leaves_binary_out_of_a_type_of_two_words() -> None:
    statement = "create table u (a char varying(3) binary, b character varying(3) binary, c long varchar binary)"
    names = {}
    for version in (OLD, MIDDLE, NEW):
        [effect] = KnownTables(VERSIONS[version]).apply(statement, "s")
        assert effect.change is not None
        columns = json.loads(table_change(effect.change, VERSIONS[version]))["table"]["columns"]
        names[version] = [one["typeName"] for one in columns]
    plain = ["CHAR VARYING", "CHARACTER VARYING", "LONG VARCHAR"]
    assert names == {OLD: plain, MIDDLE: plain, NEW: [f"{name} BINARY" for name in plain]}
