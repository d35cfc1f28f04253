"""Codes of DDL statements, by the names that the document and TiDB's sources give them.  [OP-143 … OP-145]"""

from __future__ import annotations

import pytest

from reference_impl.actions import ACTIONS, action_code
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


# The document writes two of them as nobody else does.
ANOTHER_SPELLING = {"Shard RowID": "shard row id", "rebase auto_random ID": "rebase auto random base"}


@pytest.mark.parametrize(
    ("code", "name"),
    [*enumerate(names(OF_THE_DOCUMENT), 1), *enumerate(names(OF_TIDB), 37), *OF_TICDC.items()],
    ids=str,
)
def test_a_statement_named_as_listed_has_the_number_listed(code: int, name: str) -> None:
    if name == "-":
        assert code not in ACTIONS
    else:
        assert action_code(ddl(ANOTHER_SPELLING.get(name, name))) == code


def test_both_lists_are_as_long_as_the_numbers_go() -> None:
    assert (len(names(OF_THE_DOCUMENT)), len(names(OF_TIDB))) == (36, 77 - 36)


@pytest.mark.parametrize("code", [0, 66, 200, 255])
def test_a_number_is_carried_as_it_is_whatever_the_name_says(code: int) -> None:
    assert action_code(ddl("drop table", code)) == code


@pytest.mark.parametrize(
    ("event", "reason"),
    [(ddl(None, -1), "range"), (ddl(None, 256), "range"), (ddl("paint table"), "semantics"), (ddl(None), "semantics")],
)
def test_a_statement_without_a_number_that_fits_is_refused(event: DdlEvent, reason: str) -> None:
    with pytest.raises(Rejected) as refused:
        action_code(event)
    assert refused.value.reason == reason
