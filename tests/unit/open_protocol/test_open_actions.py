"""Codes of DDL statements, by the names that the document and TiDB's sources give them.  [OP-143 … OP-145]"""

from __future__ import annotations

import pytest

from reference_impl.actions import ACTIONS, CHANGES_COLUMNS, action_code, action_names
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent

# From 1 on, as the document lists them.
OF_THE_DOCUMENT = """
Create Schema; Drop Schema; Create Table; Drop Table; Add Column; Drop Column; Add Index; Drop Index; Add Foreign Key;
Drop Foreign Key; Truncate Table; Modify Column; Rebase Auto ID; Rename Table; Set Default Value; Shard RowID;
Modify Table Comment; Rename Index; Add Table Partition; Drop Table Partition; Create View;
Modify Table Charset And Collate; Truncate Table Partition; Drop View; Recover Table;
Modify Schema Charset And Collate; Lock Table; Unlock Table; Repair Table; Set TiFlash Replica;
Update TiFlash Replica Status; Add Primary Key; Drop Primary Key; Create Sequence; Alter Sequence; Drop Sequence
"""

# From 37 on, as TiDB names them where a job is shown; 66 was never given.
OF_TIDB = """
add columns; drop columns; modify auto id cache; rebase auto_random ID; alter index visibility; exchange partition;
add check constraint; drop check constraint; alter check constraint; alter table alter partition; rename tables;
drop indexes; alter table attributes; alter table partition attributes; create placement policy;
alter placement policy; drop placement policy; alter table partition placement; modify schema default placement;
alter table placement; alter cache table; alter table stats options; alter nocache table; create tables;
multi-schema change; flashback cluster; recover schema; reorganize partition; alter ttl info; -; alter ttl remove;
create resource group; alter resource group; drop resource group; alter table partitioning; remove partitioning;
add vector index; modify engine attribute; alter table mode; refresh meta; modify schema read-only
"""

# Numbers that TiCDC gives by itself, to statements that TiDB has no number for.
OF_TICDC = {230: "add full-text index", 231: "create hybrid index"}


def names(listed: str) -> list[str]:
    return [name.strip() for name in listed.replace("\n", " ").split(";")]


def ddl(action: str | None, code: int | None = None) -> DdlEvent:
    return DdlEvent("d", "t", "…", action=action, action_code=code)


def test_both_lists_are_as_long_as_the_numbers_go() -> None:
    assert (len(names(OF_THE_DOCUMENT)), len(names(OF_TIDB))) == (36, 77 - 36)


# The names in events where they are others than those of the lists.  [OP-143]
OF_EVENTS = {
    16: "shard row id",
    20: "drop partition",
    23: "truncate partition",
    40: "rebase auto random base",
    61: "alter table multi-schema change",
    73: "add columnar index",
}


def test_an_event_names_a_statement_as_listed_but_for_a_few() -> None:
    listed = {**dict(enumerate(names(OF_THE_DOCUMENT), 1)), **dict(enumerate(names(OF_TIDB), 37)), **OF_TICDC}
    assert {code: name.lower() for code, name in listed.items() if name != "-"} | OF_EVENTS == ACTIONS
    assert [code for code in OF_EVENTS if listed[code].lower() not in action_names(code)] == [16]  # nobody else's name


# By code: names in TiDB's sources and in documents beside that of an event.
MORE_NAMES = {
    13: ["rebase auto_increment ID"], 19: ["add partition"], 20: ["drop table partition"],
    22: ["modify table charset/collate"], 23: ["truncate table partition"], 26: ["modify schema charset/collate"],
    37: ["add multi-columns"], 38: ["drop multi-columns"], 39: ["modify auto-id cache"],
    40: ["rebase auto-random base", "rebase auto_random ID"], 42: ["exchange table partition"],
    48: ["drop multi-indexes"], 57: ["alter table cache"], 58: ["alter table statistics options"],
    59: ["alter table nocache"], 61: ["multi-schema change"], 63: ["flashback schema"],
    64: ["alter table reorganize partition"], 65: ["alter table ttl"], 67: ["alter table no_ttl"],
    71: ["alter table partition by"], 72: ["alter table remove partitioning"], 73: ["add vector index"],
}  # fmt: skip


@pytest.mark.parametrize("code", sorted(ACTIONS))
def test_a_statement_has_the_names_of_events_of_the_sources_and_of_the_documents_and_no_others(code: int) -> None:
    known = {ACTIONS[code], *(name.lower() for name in MORE_NAMES.get(code, ()))}
    assert action_names(code) == known
    assert {action_code(ddl(name.upper())) for name in known} == {code}


def test_names_are_those_of_all_codes_that_are_given() -> None:
    assert action_names(1, 2, 66) == {"create schema", "drop schema"}
    assert action_names() == action_names(66) == frozenset()


def test_statements_that_may_change_columns_are_those_of_columns_and_of_whole_tables_and_schemas() -> None:
    assert [ACTIONS[code] for code in sorted(CHANGES_COLUMNS)] == [
        *("drop schema", "create table", "drop table", "add column", "drop column", "modify column", "rename table"),
        *("modify table charset and collate", "recover table", "modify schema charset and collate", "repair table"),
        *("add columns", "drop columns", "rename tables", "create tables", "alter table multi-schema change"),
        *("flashback cluster", "recover schema"),
    ]


@pytest.mark.parametrize("code", [0, 66, 200, 255])
def test_a_number_is_carried_as_it_is_whatever_the_name_says(code: int) -> None:
    assert action_code(ddl("drop table", code)) == code


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        *((ddl(None, -1), "range"), (ddl("drop table", 256), "range")),
        *((ddl("paint table"), "semantics"), (ddl(None), "semantics"), (ddl(""), "semantics")),
    ],
)
def test_a_statement_without_a_number_that_fits_is_refused(event: DdlEvent, reason: str) -> None:
    with pytest.raises(Rejected) as refused:
        action_code(event)
    assert refused.value.reason == reason
