"""`type` of a DDL message, by the number of the statement and by its name.  [CJ-601 … CJ-609]"""

from __future__ import annotations

import pytest

from reference_impl.canal_json.ddl import ddl_type
from reference_impl.canal_json.style import style_of
from reference_impl.model import DdlEvent
from reference_impl.profiles import NEWARCH

STYLE = style_of(NEWARCH)

# Number, `type`, and the names that TiDB has for the statement where it shows a job and in the document's list.
STATEMENTS = [
    (3, "CREATE", "create table"),  # CJ-601
    (4, "ERASE", "drop table"),  # CJ-602
    (11, "TRUNCATE", "truncate table"),  # CJ-603
    (14, "RENAME", "rename table"),  # CJ-604
    (47, "RENAME", "rename tables"),
    (7, "CINDEX", "add index"),  # CJ-605
    (32, "CINDEX", "add primary key"),
    (9, "CINDEX", "add foreign key"),
    (8, "DINDEX", "drop index"),  # CJ-606
    (33, "DINDEX", "drop primary key"),
    (10, "DINDEX", "drop foreign key"),
    (5, "ALTER", "add column"),  # CJ-607
    (37, "ALTER", "add columns"),
    (37, "ALTER", "add multi-columns"),
    (6, "ALTER", "drop column"),
    (38, "ALTER", "drop columns"),
    (38, "ALTER", "drop multi-columns"),
    (12, "ALTER", "modify column"),
    (13, "ALTER", "rebase auto_increment ID"),
    (13, "ALTER", "Rebase Auto ID"),
    (15, "ALTER", "set default value"),
    (17, "ALTER", "modify table comment"),
    (18, "ALTER", "rename index"),
    (41, "ALTER", "alter index visibility"),
    (22, "ALTER", "modify table charset and collate"),
    (22, "ALTER", "modify table charset/collate"),
    (61, "ALTER", "alter table multi-schema change"),
    (61, "ALTER", "multi-schema change"),
    (19, "ALTER", "add partition"),
    (19, "ALTER", "Add Table Partition"),
    (20, "ALTER", "drop partition"),
    (20, "ALTER", "Drop Table Partition"),
    (23, "ALTER", "truncate partition"),
    (23, "ALTER", "Truncate Table Partition"),
    (64, "ALTER", "alter table reorganize partition"),
    (64, "ALTER", "reorganize partition"),
    (71, "ALTER", "alter table partition by"),
    (71, "ALTER", "alter table partitioning"),
    (72, "ALTER", "alter table remove partitioning"),
    (72, "ALTER", "remove partitioning"),
    (1, "QUERY", "create schema"),  # CJ-608
    (2, "QUERY", "drop schema"),
    (26, "QUERY", "modify schema charset and collate"),
    (21, "QUERY", "create view"),
    (24, "QUERY", "drop view"),
    (25, "QUERY", "recover table"),
    (42, "QUERY", "exchange partition"),  # CJ-609
    (48, "QUERY", "drop indexes"),
    (65, "QUERY", "alter ttl info"),
    (67, "QUERY", "alter ttl remove"),
    (73, "QUERY", "add columnar index"),
    (230, "QUERY", "add full-text index"),
]


def ddl(action: str | None, code: int | None) -> DdlEvent:
    return DdlEvent("d", "t", "…", action, code)


@pytest.mark.parametrize(("code", "kind", "name"), STATEMENTS)
def test_a_statement_has_the_type_of_its_kind(code: int, kind: str, name: str) -> None:
    assert ddl_type(ddl(None, code), STYLE) == kind
    assert ddl_type(ddl(name, None), STYLE) == kind
    assert ddl_type(ddl("what it is called", code), STYLE) == kind


def test_no_number_but_those_has_a_type_of_its_own() -> None:
    """60, the tables of a restore, is left to the profile."""
    named = {code for code, kind, _ in STATEMENTS if kind != "QUERY"} | {60}
    assert {code for code in range(256) if ddl_type(ddl(None, code), STYLE) != "QUERY"} - {60} == named - {60}


def test_a_statement_of_no_known_name_is_a_query() -> None:
    assert ddl_type(ddl("paint table", None), STYLE) == ddl_type(ddl(None, None), STYLE) == "QUERY"
