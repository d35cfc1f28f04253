"""Statements that the connector applies as each version's parser does.  [DBZ-350 … DBZ-353, DBZ-355]"""

from __future__ import annotations

import pytest
from connector_messages import CREATE, MIDDLE, NEW, OLD, column, described, shown, table_of

from reference_impl.errors import Unsupported
from reference_impl.model import Table
from reference_impl.upstream.debezium.known_tables import DdlEffect, KnownTables
from reference_impl.upstream.debezium.options import Options
from reference_impl.upstream.debezium.types import form_of
from reference_impl.upstream.debezium.versions import VERSIONS


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
    a, b, c, d, e = described(
        version,
        "create table t (a varchar(5), b bit, c text char set gbk,"
        " d timestamp not null default current_timestamp on update current_timestamp) char set utf8mb4",
        "alter table t convert to character set latin1",
        "alter table t add e text",
    )
    assert tuple(column["charsetName"] for column in (a, c, e)) == charsets
    assert (b["length"], d["autoIncremented"]) == (length, is_set_by_server)


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
        columns = described(
            version, "create table t (a char(3) character set latin1 binary, b text binary, c binary(3))"
        )
        assert [(one["typeName"], one["length"], one["charsetName"]) for one in columns] == [
            ("CHAR BINARY", 3, "latin1"),
            ("TEXT BINARY", None, "utf8mb4"),
            ("BINARY", 3, None),
        ]


@pytest.mark.parametrize("end", ["a char varying(3)", "a nchar varying(3)", "a long varchar", "a long", "a varchar(3)"])
def test_the_older_parser_leaves_binary_out_of_long_and_varying_types(end: str) -> None:
    plain = end.partition(" ")[2].partition("(")[0].upper()
    older = f"{plain} BINARY" if plain == "VARCHAR" else plain
    names = [described(version, f"create table u ({end} binary)")[0]["typeName"] for version in (OLD, MIDDLE, NEW)]
    assert names == [older, older, f"{plain} BINARY"]


def test_labels_of_a_binary_type_are_not_described_and_its_values_not_written() -> None:
    for version in VERSIONS:
        known = KnownTables(VERSIONS[version])
        known.apply("create table t (a enum('x','y') binary)", "s")
        with pytest.raises(Unsupported, match="writes no value"):
            form_of(known.tables["s", "t"].columns[0].type, Options(version=version))
        [a, b] = described(version, "create table t (a enum('x','y') binary, b set('x','y') binary)")
        assert [(one["typeName"], one["length"], one["enumValues"]) for one in (a, b)] == [
            ("ENUM BINARY", 1, None),
            ("SET BINARY", 3, None),
        ]


@pytest.mark.parametrize("action", ["add c int unique", "modify b bigint not null unique", "change b c int unique key"])
def test_only_the_older_parser_sees_a_unique_column_of_an_alteration(action: str) -> None:
    for version in VERSIONS:
        column = "b" if action.startswith("modify") else "c"
        key = shown(version, CREATE, f"alter table t {action}").partition(") ")[2]
        assert key == ("" if version >= NEW else column)
        assert shown(version, "create table t (a int unique, b int)") == "t(a*, b*) a"


@pytest.mark.parametrize(
    ("columns", "old", "new"),
    [
        ("x int unique, y int", "t(a*, y*, x*) y", "t(a*, x*, y*)"),
        ("x int unique, y int unique, z int", "t(a*, y*, x*, z*) y", "t(a*, x*, y*, z*)"),
        ("x int, y int not null unique", "t(a*, x*, y) y", "t(a*, x*, y)"),
        ("x int unique, y int, z int not null unique", "t(a*, y*, x*, z*) y", "t(a*, x*, y*, z)"),
        ("x int, y int unique primary key", "t(a*, y*, x*) y", "t(a*, x*, y*)"),
        ("x serial, y int", "t(a*, y, x) y", "t(a*, x, y*)"),
        ("x int primary key, y int", "t(a*, x, y) x", "t(a*, x*, y*)"),
        ("x int, y int primary key", "t(a*, y*, x*) y", "t(a*, x*, y*)"),
        ("x int not null unique, y int primary key, z int", "t(a*, y, x, z) y", "t(a*, x, y*, z*)"),
        ("x int not null", "t(a*, x*)", "t(a*, x)"),
        ("x int not null, y int, z int not null", "t(a*, x, y, z*)", "t(a*, x, y*, z)"),
        ("x int not null, y int null, z int", "t(a*, x, y*, z*)", "t(a*, x, y*, z*)"),
        ("x int not null, y int null", "t(a*, x, y)", "t(a*, x, y*)"),
        ("y int, x int not null default 4", "t(a*, y*, x)", "t(a*, y*, x)"),
        ("y int, x int default 4 not null", "t(a*, y*, x*)", "t(a*, y*, x)"),
        # With a key among them, each is read by itself.
        ("x int unique, y int, index (y)", "t(a*, x*, y*) x", "t(a*, x*, y*)"),
    ],
)
def test_no_parser_sees_all_attributes_of_columns_that_are_added_in_parentheses(
    columns: str, old: str, new: str
) -> None:
    for version, expected in ((OLD, old), (MIDDLE, old), (NEW, new)):
        assert shown(version, "create table t (a int)", f"alter table t add ({columns})") == expected


def test_rows_have_the_key_and_the_nullability_that_the_parser_saw_of_columns_in_parentheses() -> None:
    table = table_of(column("x", "int", nullable=False))  # its key is `id`
    for version, key, is_nullable in ((OLD, ("id",), True), (NEW, (), False)):
        known = KnownTables(VERSIONS[version])
        known.apply("create table t (b int)", table.schema)
        known.apply("alter table t add (id int primary key, y int null, x int not null)", table.schema)
        known.learn(table)
        assert (known.tables[table.id].primary_key, known.tables[table.id].columns[1].nullable) == (key, is_nullable)


def test_the_newest_parser_sees_no_auto_increment_of_a_column_in_parentheses() -> None:
    add = "alter table t add (x int auto_increment unique, y timestamp default now() on update now())"
    for version, expected in ((OLD, [False, False, True]), (NEW, [False] * 3)):
        assert [c["autoIncremented"] for c in described(version, "create table t (a int)", add)] == expected


def test_the_newest_parser_sees_no_collation_of_a_column_in_parentheses() -> None:
    add = "alter table t add (x text collate latin1_bin, y text charset latin1 collate latin1_bin not null)"
    for version, expected in ((OLD, [None, "latin1", "latin1"]), (NEW, [None, "utf8mb4", "latin1"])):
        assert [c["charsetName"] for c in described(version, "create table t (a int)", add)] == expected


def test_only_the_newest_parser_sees_a_collation_that_is_not_next_to_the_type_of_a_text() -> None:
    columns = (
        "a text not null collate latin1_bin, b text collate latin1_bin not null, c enum('x') collate latin1_bin,"
        " d text character set gbk collate gbk_bin null, e text charset gbk not null collate gbk_bin"
    )
    for version in VERSIONS:
        charsets = [one["charsetName"] for one in described(version, f"create table t ({columns})")]
        unseen = "latin1" if version >= NEW else "utf8mb4"
        assert charsets == [unseen, "latin1", unseen, "gbk", "gbk"]


def test_a_type_is_described_with_its_sign() -> None:
    for version in VERSIONS:
        columns = described(version, "create table t (a int(5) signed not null, b decimal(5,2) signed, c int unsigned)")
        assert [one["typeName"] for one in columns] == ["INT SIGNED", "DECIMAL SIGNED", "INT UNSIGNED"]
