"""`pkNames` follows the statements that Canal keeps: a key that is declared with its column is a part of it."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, DdlEvent, Event, RowChange, Table
from reference_impl.upstream.canal import Encoder
from tests.unit.upstream.canal.flat_messages import options, tree_of

_BESIDE = "create table t (a int primary key, b int not null)"
_DROP = "alter table t drop primary key"
_LISTED = "create table t (a int, b int not null, primary key (a))"


def _names(
    *statements: str, server: str = "", columns: Iterable[str] = "ab", name: str = "t", **members: str
) -> list[str] | None:
    """`pkNames` of a row after statements, of a table of which the server has that key."""
    made = tuple(Column(c, parse_column_type("int"), nullable=False) for c in columns)
    table = Table("s", name, made, primary_key=tuple(server))
    told: list[Event] = [DdlEvent("s", "t", text, commit_ts=1 << 40) for text in statements]
    row = RowChange("insert", "s", name, 1 << 40, after=dict.fromkeys(columns, "1"))
    data = Encoder(options(**members)).encode([*told, row], [table]).records[-1].value
    names: list[str] | None = tree_of(data)["pkNames"]
    return names


# (statements, the server's key after them, the names)
CHANGES = [
    ([_BESIDE], "a", ["a"]),
    ([_BESIDE, _DROP], "", ["a"]),
    ([_LISTED, _DROP], "", None),
    ([_BESIDE, "alter table t drop primary key", "alter table t add primary key (b)"], "b", ["a", "b"]),
    ([_LISTED, "alter table t drop primary key, add constraint p primary key using btree (b)"], "b", ["b"]),
    ([_BESIDE, "alter table t modify column a int"], "a", None),
    ([_BESIDE, "alter table t modify a int comment 'primary key'"], "a", None),
    ([_BESIDE, "alter table t modify a bigint primary key"], "a", ["a"]),
    ([_LISTED, "alter table t modify column a int"], "a", ["a"]),
    ([_BESIDE, "alter table `s`.`t` change `A` `a` bigint first"], "a", None),
    ([_BESIDE, "alter table t drop column a, add a int primary key"], "a", ["a"]),
    ([_BESIDE, "alter table t engine = InnoDB"], "a", ["a"]),
    (
        [_BESIDE, "create table if not exists t (a int, b int, primary key (b))", _DROP],
        "",
        ["a"],
    ),
    ([_BESIDE, "drop table t", _LISTED, _DROP], "", None),
    (
        [
            *(_BESIDE, "drop database s", "create database s", _LISTED.replace("table", "table if not exists")),
            "alter table t drop primary key",
        ],
        "",
        ["a"],  # Canal's table cache ignores DROP DATABASE
    ),
    ([_BESIDE, "alter table t rename to u", "rename table u to t", _DROP], "", ["a"]),
    ([_BESIDE.replace(" t ", " u "), "create table t like u", _DROP], "", ["a"]),
    ([_BESIDE.replace(" t ", " u "), "create table t (like u)", _DROP], "", None),
    ([_BESIDE, "drop database s", "create table t like unknown", _DROP], "", None),
    (["create table t (a int key, b int unique key)", _DROP], "", ["a"]),
    ([_BESIDE, "alter table t modify a bigint key, modify b bigint comment 'key'"], "a", ["a"]),
]


@pytest.mark.parametrize(("statements", "server", "names"), CHANGES)
def test_the_key_is_what_the_statements_left(statements: list[str], server: str, names: list[str] | None) -> None:
    assert _names(*statements, server=server) == names


def test_a_changed_name_goes_into_a_list_and_not_into_a_column_without_a_key() -> None:
    changed = "alter table t change a c int"
    assert _names(_LISTED, changed, server="c", columns="cb") == ["c"]
    assert _names(_BESIDE, changed, server="c", columns="cb") is None
    assert _names(_BESIDE, "alter table t rename column a to c", server="c", columns="cb") == ["c"]


def test_a_new_name_is_seen_alone_and_beside_options_of_the_table() -> None:
    dropped = _DROP.replace(" t ", " u ")
    assert _names(_BESIDE, "alter table t comment 'x', rename u, engine=innodb", dropped, name="u") == ["a"]
    assert _names(_BESIDE, "alter table t rename to u, add c int", dropped, name="u") is None


@pytest.mark.parametrize(
    ("renames", "names"),
    [
        ("rename column a to b, rename column b to a", ["b"]),
        ("rename column a to b, drop column b, add c int", ["b"]),
        ("change a b int primary key, change b a int", ["b"]),
    ],
)
def test_columns_that_exchange_their_names_keep_their_keys(renames: str, names: list[str]) -> None:
    assert _names(_BESIDE, f"alter table t {renames}", "alter table t drop primary key") == names


def test_a_column_may_be_called_period() -> None:
    beside = "create table t (period int primary key, b int)"
    dropped = "alter table t drop primary key"
    columns = ["b", "period"]
    assert _names(beside, dropped, columns=columns) == ["period"]
    assert _names(beside, "alter table t drop period", dropped, columns=columns) is None
    assert _names(beside, "alter table t drop period for system_time", dropped, columns=columns) == ["period"]


def test_a_table_that_the_parser_cannot_rename_has_the_key_of_the_server() -> None:
    dropped = "alter table u drop primary key"
    assert _names(_BESIDE, "rename table t to u", dropped, name="u") == ["a"]
    for rename in ("table if exists t to u", "tables t to u", "table t wait 5 to u", "table t nowait to u"):
        assert _names(_BESIDE, f"rename {rename}", dropped, name="u") is None


@pytest.mark.parametrize(
    "statement",
    [
        "alter table if exists t modify a int",
        "alter table t nowait add c int, drop a",
        "alter table t drop column if exists a",
        "drop table t wait 5",
        "rename table t wait 5 to u",
        "create or replace table t (a int, b int, primary key (b))",
        "create table t (a int, b int invisible)",
    ],
)
def test_a_statement_that_the_parser_cannot_parse_leaves_the_key(statement: str) -> None:
    assert _names(_BESIDE, statement, server="a") == ["a"]
    assert _names(_BESIDE, statement, "alter table t drop primary key") == ["a"]


@pytest.mark.parametrize("given", [{"tsdb": "false"}, {}])
def test_without_statements_the_key_is_the_servers(given: dict[str, str]) -> None:
    statements = [_BESIDE, _DROP] if given else [_DROP]
    assert _names(*statements, **given) is None
    assert _names("alter table t add primary key (b)", server="b", **given) == ["b"]


def test_a_key_that_the_statements_do_not_come_to_is_the_servers() -> None:
    assert _names(_BESIDE, "drop index `PRIMARY` on t") is None
    assert _names("create table t (a int key, b int)", server="a") == ["a"]


def test_a_statement_without_its_end_changes_nothing() -> None:
    cut = ["alter table t change", "alter table t change a", "alter table t rename column a to", "alter table t drop"]
    cut += ["alter table", "create table", "alter table t add primary key", "rename table t"]
    assert _names(_BESIDE, *cut, server="a") == ["a"]
