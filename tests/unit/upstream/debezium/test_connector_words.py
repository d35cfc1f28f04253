"""Words that the parser of a version does not know, or takes for something else.  [DBZ-350, DBZ-355]"""

from __future__ import annotations

import pytest
from connector_messages import CREATE, MIDDLE, NEW, OLD, described, shown

from reference_impl.upstream.debezium.versions import VERSIONS


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
        "alter table t add c int default next value for s",
        "create table u (c int) sequence=1",
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
        ("alter table t add b int, table_checksum 1", "t(a*)", "t(a*, b*)"),
        ("alter table t alter constraint c enforced, add b int", "t(a*)", "t(a*, b*)"),
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
        "alter table t secondary_engine=e, add c int",
        "alter table t secondary_engine e, add c int",
        "create table u (b vector(3))",
        "alter table t add b vector(3), add c int",
    ],
)
def test_the_oldest_parser_knows_no_secondary_engine_and_no_vector(statement: str) -> None:
    old, middle, new = (shown(version, CREATE, statement) for version in (OLD, MIDDLE, NEW))
    assert old == shown(OLD, CREATE) != middle == new


NVARCHAR, VARCHAR, NCHAR = -9, 12, -15


@pytest.mark.parametrize(
    ("words", "code", "length", "is_known_to_older"),
    [
        ("nchar", NCHAR, 1, True),
        ("national character", NCHAR, 1, True),
        ("national character(3)", NCHAR, 3, True),
        ("nchar varchar(3)", NVARCHAR, 3, True),
        ("nchar varying(3)", NVARCHAR, 3, True),
        ("national char varying(3)", NVARCHAR, 3, True),
        ("national character varying(3)", NVARCHAR, 3, True),
        ("national varcharacter(3)", NVARCHAR, 3, False),
        ("varcharacter(3)", VARCHAR, 3, False),
        ("long char varying", VARCHAR, None, False),
        ("long character varying", VARCHAR, None, False),
        ("long varcharacter", VARCHAR, None, False),
    ],
)
def test_a_type_of_several_words_is_described_by_them(
    words: str, code: int, length: int | None, is_known_to_older: bool
) -> None:
    name, charset = words.partition("(")[0].upper(), "utf8mb4" if code == VARCHAR else "utf8"
    for version in VERSIONS:
        if version >= NEW or is_known_to_older:
            [a] = described(version, f"create table u (a {words} not null)")
            assert (a["typeName"], a["jdbcType"], a["length"], a["charsetName"]) == (name, code, length, charset)
        else:
            assert shown(version, f"create table u (a {words} not null)") == ""


@pytest.mark.parametrize(
    ("words", "code", "name", "charset"),
    [
        ("national char", -2, "BINARY", None),
        ("national character(3)", -2, "BINARY", None),
        ("national varchar(3)", VARCHAR, "VARCHAR", "latin1"),
        ("national varcharacter(3)", VARCHAR, "VARCHARACTER", "latin1"),
        ("nchar varchar(3)", VARCHAR, "VARCHAR", "latin1"),
        ("nchar(3)", NCHAR, "NCHAR", "utf8"),
        ("national char varying(3)", NVARCHAR, "NATIONAL CHAR VARYING", "utf8"),
    ],
)
def test_the_newest_parser_takes_a_national_type_before_binary_for_another(
    words: str, code: int, name: str, charset: str | None
) -> None:
    [a] = described(NEW, f"create table u (a {words} binary) charset latin1")
    assert (a["typeName"], a["jdbcType"], a["charsetName"]) == (f"{name} BINARY", code, charset)
    assert described(OLD, "create table u (a nchar(3) binary)")[0]["typeName"] == "NCHAR BINARY"


def test_only_one_parser_knows_the_length_of_a_vector_without_one() -> None:
    lengths = {version: described(version, "create table t (a vector)")[0]["length"] for version in (MIDDLE, NEW)}
    assert lengths == {MIDDLE: 2048, NEW: None}
    assert shown(OLD, "create table t (a vector)") == ""


def test_only_the_newest_parser_knows_an_srid_behind_other_attributes() -> None:
    for version in VERSIONS:
        assert shown(version, "create table t (a point srid 4326 not null)") == "t(a)"
        assert shown(version, "create table t (a point not null srid 4326)") == ("t(a)" if version >= NEW else "")


# Words that servers take for names, and a parser does not.
RESERVED = {
    OLD: "always stored cast nvarchar page_compressed retain returning yes",
    MIDDLE: "auto cast page_compressed secondary_engine system_time vector",
    NEW: "auto groups function engine_attribute offline online system url vector",
}


@pytest.mark.parametrize(
    ("version", "word"), [(version, word) for version in RESERVED for word in RESERVED[version].split()]
)
def test_a_name_that_is_a_word_to_the_parser_needs_quotes_or_a_schema(version: str, word: str) -> None:
    create = f"create table t (a int not null, `{word}` int, b int)"
    assert shown(version, create, f"alter table t drop `{word}`") == "t(a, b*)"
    assert shown(version, f"create table s.{word} (a int)") == f"{word}(a*)"
    for statement in (
        f"create table u (a int, {word} int)",
        f"create table u (a int, key (a, {word}))",
        f"create table {word} (a int)",
        f"alter table t drop {word}, drop b",
        f"alter table t add c int after {word}",
        f"alter table t alter {word} set default 5, drop b",
        f"rename table t to {word}",
    ):
        assert shown(version, create, statement) == shown(version, create)


@pytest.mark.parametrize(
    ("version", "statement", "known"),
    [
        (OLD, "create table u (b int(3), secondary_engine int)", "t(a, b*); u(b*, secondary_engine*)"),
        (OLD, "alter table t add secondary_engine int", "t(a, b*, secondary_engine*)"),
        (OLD, "create table u (vector int(3), key k (vector))", "t(a, b*); u(vector*)"),
        (OLD, "alter table t add c nvarchar(3)", "t(a, b*, c*)"),
        (OLD, "alter table t add c int generated always as (cast(a as signed))", "t(a, b*, c*)"),
        (OLD, "alter table t add unique key ((cast(a as char(9)))), add c int, page_compressed 1", "t(a, b*, c*)"),
        (MIDDLE, "alter table t add c vector(3), secondary_engine x", "t(a, b*, c*)"),
        (MIDDLE, "alter table t add c int, secondary_engine = x", "t(a, b*, c*)"),
        (NEW, "alter online table t add c int comment 'url'", "t(a, b*, c*)"),
        (NEW, "alter table t add c int engine_attribute '{}', engine_attribute = '{}'", "t(a, b*, c*)"),
    ],
)
def test_where_no_name_is_expected_such_a_word_is_known(version: str, statement: str, known: str) -> None:
    assert shown(version, CREATE, statement) == known


@pytest.mark.parametrize(
    "statement",
    [
        'create table "u" (c int)',
        'alter table t add "c" int',
        'alter table t add c int after "b"',
        'alter table t drop "b"',
        'rename table "t" to u',
        'drop table "t"',
        'create unique index "k" on t (a)',
    ],
)
def test_the_newest_parser_takes_a_name_in_double_quotes_for_a_text(statement: str) -> None:
    assert shown(NEW, CREATE, statement) == shown(NEW, CREATE)
    assert shown(OLD, CREATE, statement) == shown(OLD, CREATE, statement.replace('"', "`")) != shown(OLD, CREATE)
