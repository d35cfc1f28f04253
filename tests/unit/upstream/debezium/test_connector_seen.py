"""The text of a statement in its record: what the parser of a version sees of it.  [DBZ-350]"""

from __future__ import annotations

import pytest
from connector_messages import CREATE, NEW, OLD, shown

from reference_impl.upstream.debezium.known_tables import KnownTables
from reference_impl.upstream.debezium.versions import VERSIONS


def texts(version: str, statement: str) -> list[str]:
    known = KnownTables(VERSIONS[version])
    known.apply(CREATE, "s")
    return [effect.ddl for effect in known.apply(statement, "s")]


@pytest.mark.parametrize(
    ("statement", "old", "new"),
    [
        ("/* l */ alter table t add b int /* t */;", "alter table t add b int", "alter table t add b int"),
        ("-- l\ncreate table u (a int) # t", "create table u (a int)", "create table u (a int)"),
        ("/* l */ rename table t to u /* t */", "rename table t to u", "rename table t to u"),
        ("create table u (a int /* in */)", "create table u (a int /* in */)", "create table u (a int /* in */)"),
        (
            "create table u (a int) /*!50100 partition by hash (a) */",
            "create table u (a int)",
            "create table u (a int) /*!50100 partition by hash (a)",
        ),
        ("create database x /* t */", "create database x", "create database x"),
        # A statement that the parser does not report has its whole text.
        ("/* l */ create index k on t (a) /* t */", *["/* l */ create index k on t (a) /* t */"] * 2),
        ('/* l */ create table t (b int) comment "x"', *['/* l */ create table t (b int) comment "x"'] * 2),
        # Only the newer parser turns double quotes into single ones, and leaves CREATE out.
        (
            """alter table t add `"b"` varchar(9) default "it's" comment '"c"' /* "d" */ first""",
            """alter table t add `"b"` varchar(9) default "it's" comment '"c"' /* "d" */ first""",
            """alter table t add `"b"` varchar(9) default 'it''s' comment '"c"' /* "d" */ first""",
        ),
        ("/* l */ create unique index k on t (a) /* t */", "create unique index k on t (a)", "unique index k on t (a)"),
    ],
)
def test_a_record_has_the_text_from_the_first_token_to_the_last(statement: str, old: str, new: str) -> None:
    assert [texts(version, statement) for version in (OLD, NEW)] == [[old], [new]]


def test_the_text_of_a_record_is_applied_as_its_statement() -> None:
    for version in VERSIONS:
        known = KnownTables(VERSIONS[version])
        known.apply(CREATE, "s")
        [effect] = known.apply("unique index k on t (a)", "s")
        assert (effect.ddl, known.tables["s", "t"].primary_key) == ("unique index k on t (a)", ("a",))


def test_a_comment_before_a_statement_without_a_record_changes_nothing() -> None:
    assert texts(NEW, "/* l */ truncate table t") == []


@pytest.mark.parametrize(
    ("comment", "is_seen"),
    [("/*!50100 , add d int */", True), ("/*! , add d int */", True), ("/*!80200 , add d int */", True)]
    + [(f"/*{begin} , add d int */", False) for begin in ("!80300", "!100100", "T!", "M!100100", "")],
)
def test_only_the_newer_parser_sees_executable_comments_up_to_a_release(comment: str, is_seen: bool) -> None:
    statement = f"alter table t add c int {comment}"
    assert shown(OLD, CREATE, statement) == "t(a, b*, c*)"
    assert shown(NEW, CREATE, statement) == ("t(a, b*, c*, d*)" if is_seen else "t(a, b*, c*)")
