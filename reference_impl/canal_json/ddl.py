"""The `type` of a DDL message: the kind of its statement.  [CJ-601 … CJ-610]"""

from __future__ import annotations

from collections.abc import Mapping

from reference_impl.canal_json.style import Style
from reference_impl.model import DdlEvent

__all__ = ["DDL_TYPES", "ddl_type"]

_CREATE_TABLES = 60

# TiDB's action code, `type`, and the names under which the action is known.
_ACTIONS: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (3, "CREATE", ("create table",)),
    (4, "ERASE", ("drop table",)),
    (11, "TRUNCATE", ("truncate table",)),
    (14, "RENAME", ("rename table",)),
    (47, "RENAME", ("rename tables",)),
    (7, "CINDEX", ("add index",)),
    (9, "CINDEX", ("add foreign key",)),
    (32, "CINDEX", ("add primary key",)),
    (8, "DINDEX", ("drop index",)),
    (10, "DINDEX", ("drop foreign key",)),
    (33, "DINDEX", ("drop primary key",)),
    (5, "ALTER", ("add column",)),
    (6, "ALTER", ("drop column",)),
    (12, "ALTER", ("modify column",)),
    (13, "ALTER", ("rebase auto_increment id", "rebase auto id")),
    (15, "ALTER", ("set default value",)),
    (17, "ALTER", ("modify table comment",)),
    (18, "ALTER", ("rename index",)),
    (19, "ALTER", ("add partition", "add table partition")),
    (20, "ALTER", ("drop partition", "drop table partition")),
    (22, "ALTER", ("modify table charset and collate",)),
    (23, "ALTER", ("truncate partition", "truncate table partition")),
    (37, "ALTER", ("add columns",)),
    (38, "ALTER", ("drop columns",)),
    (41, "ALTER", ("alter index visibility",)),
    (61, "ALTER", ("alter table multi-schema change", "multi-schema change")),
    (64, "ALTER", ("alter table reorganize partition", "reorganize partition")),
    (71, "ALTER", ("alter table partition by", "alter table partitioning")),
    (72, "ALTER", ("alter table remove partitioning", "remove partitioning")),
)

_BY_CODE: Mapping[int, str] = {code: kind for code, kind, _ in _ACTIONS}
_CODES: Mapping[str, int] = {name: code for code, _, names in _ACTIONS for name in names} | {
    "create tables": _CREATE_TABLES
}

DDL_TYPES = frozenset({*_BY_CODE.values(), "QUERY"})


def ddl_type(event: DdlEvent, style: Style) -> str:
    """The `type` of a DDL message; an action without a rule is `QUERY`.  [CJ-608, CJ-609]"""
    code = event.action_code
    if code is None and event.action is not None:
        code = _CODES.get(event.action.lower())
    if code is None:
        return "QUERY"
    return style.create_tables if code == _CREATE_TABLES else _BY_CODE.get(code, "QUERY")
