"""Codes of DDL statements: the numbers of TiDB's ActionType.  [OP-143 … OP-145, AV-130]

A code passes through unchanged; these names serve events that have only a code or only a name.
"""

from __future__ import annotations

from collections.abc import Mapping

from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent

__all__ = [
    "ACTIONS",
    "CHANGES_COLUMNS",
    "CREATE_TABLES",
    "DROP_TABLE",
    "RENAMES",
    "TRUNCATE_TABLE",
    "action_code",
    "action_names",
    "known_code",
]

# Names as in recordings; an action without a recording has its usual name.
ACTIONS: Mapping[int, str] = {
    1: "create schema",
    2: "drop schema",
    3: "create table",
    4: "drop table",
    5: "add column",
    6: "drop column",
    7: "add index",
    8: "drop index",
    9: "add foreign key",
    10: "drop foreign key",
    11: "truncate table",
    12: "modify column",
    13: "rebase auto id",
    14: "rename table",
    15: "set default value",
    16: "shard row id",
    17: "modify table comment",
    18: "rename index",
    19: "add table partition",
    20: "drop partition",
    21: "create view",
    22: "modify table charset and collate",
    23: "truncate partition",
    24: "drop view",
    25: "recover table",
    26: "modify schema charset and collate",
    27: "lock table",
    28: "unlock table",
    29: "repair table",
    30: "set tiflash replica",
    31: "update tiflash replica status",
    32: "add primary key",
    33: "drop primary key",
    34: "create sequence",
    35: "alter sequence",
    36: "drop sequence",
    37: "add columns",
    38: "drop columns",
    39: "modify auto id cache",
    40: "rebase auto random base",
    41: "alter index visibility",
    42: "exchange partition",
    43: "add check constraint",
    44: "drop check constraint",
    45: "alter check constraint",
    46: "alter table alter partition",
    47: "rename tables",
    48: "drop indexes",
    49: "alter table attributes",
    50: "alter table partition attributes",
    51: "create placement policy",
    52: "alter placement policy",
    53: "drop placement policy",
    54: "alter table partition placement",
    55: "modify schema default placement",
    56: "alter table placement",
    57: "alter cache table",
    58: "alter table stats options",
    59: "alter nocache table",
    60: "create tables",
    61: "alter table multi-schema change",
    62: "flashback cluster",
    63: "recover schema",
    64: "reorganize partition",
    65: "alter ttl info",
    67: "alter ttl remove",
    68: "create resource group",
    69: "alter resource group",
    70: "drop resource group",
    71: "alter table partitioning",
    72: "remove partitioning",
    73: "add columnar index",
    74: "modify engine attribute",
    75: "alter table mode",
    76: "refresh meta",
    77: "modify schema read-only",
    230: "add full-text index",
    231: "create hybrid index",
}

# Other names of actions, some of them used by TiDB itself.
_OTHER_NAMES: Mapping[str, int] = {
    "rebase auto_increment id": 13,
    "add partition": 19,
    "drop table partition": 20,
    "modify table charset/collate": 22,
    "truncate table partition": 23,
    "modify schema charset/collate": 26,
    "add multi-columns": 37,
    "drop multi-columns": 38,
    "modify auto-id cache": 39,
    "rebase auto-random base": 40,
    "rebase auto_random id": 40,
    "exchange table partition": 42,
    "drop multi-indexes": 48,
    "alter table cache": 57,
    "alter table statistics options": 58,
    "alter table nocache": 59,
    "multi-schema change": 61,
    "flashback schema": 63,
    "alter table reorganize partition": 64,
    "alter table ttl": 65,
    "alter table no_ttl": 67,
    "alter table partition by": 71,
    "alter table remove partitioning": 72,
    "add vector index": 73,
}

_CODES: Mapping[str, int] = {**{name: code for code, name in ACTIONS.items()}, **_OTHER_NAMES}

DROP_TABLE, TRUNCATE_TABLE, CREATE_TABLES = 4, 11, 60
RENAMES = frozenset({14, 47})  # of one table, and of several

# These actions may change the columns of a table.
CHANGES_COLUMNS = frozenset({2, 3, 4, 5, 6, 12, 14, 22, 25, 26, 29, 37, 38, 47, 60, 61, 62, 63})


def action_names(*codes: int) -> frozenset[str]:
    """All names of the actions with these codes; unknown codes have none."""
    return frozenset(name for name, code in _CODES.items() if code in codes)


def known_code(event: DdlEvent) -> int | None:
    """The code of a DDL event, by its number, else by its name; None without a number and a known name."""
    return _CODES.get((event.action or "").lower()) if event.action_code is None else event.action_code


def action_code(event: DdlEvent) -> int:
    """The code of a DDL event, by its number, else by its name.

    Raises `Rejected`: class `range` beyond 0 to 255, `semantics` if the event has neither.
    """
    code = known_code(event)
    if code is None:
        raise Rejected("semantics", f"DDL event without an action code, and with the unknown action {event.action!r}")
    if not 0 <= code <= 255:
        raise Rejected("range", f"DDL type {code} is outside 0 to 255")
    return code
