"""DDL statements: those with messages, and the type of the change in a message.  [DBZ-300 … DBZ-302]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from reference_impl.debezium_json.json_text import literal
from reference_impl.debezium_json.statement import Renaming, renamings, statements
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Table

__all__ = [
    "CHANGE_TYPES",
    "CREATE_TABLES",
    "DROP_TABLE",
    "TRUNCATE_TABLE",
    "action_code",
    "change_id",
    "single_statements",
]

DROP_TABLE, TRUNCATE_TABLE, CREATE_TABLES = 4, 11, 60
_RENAME_TABLE, _RENAME_TABLES = 14, 47

# TiDB's action code, type of the change, and the names under which the action is known. Others have no message.
_ACTIONS: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (1, "CREATE", ("create schema",)),
    (3, "CREATE", ("create table",)),
    (CREATE_TABLES, "CREATE", ("create tables",)),
    (21, "CREATE", ("create view",)),
    (5, "ALTER", ("add column",)),
    (6, "ALTER", ("drop column",)),
    (12, "ALTER", ("modify column",)),
    (61, "ALTER", ("alter table multi-schema change", "multi-schema change")),
    (19, "ALTER", ("add table partition", "add partition")),
    (20, "ALTER", ("drop partition", "drop table partition")),
    (23, "ALTER", ("truncate partition", "truncate table partition")),
    (64, "ALTER", ("reorganize partition", "alter table reorganize partition")),
    (42, "ALTER", ("exchange partition", "exchange table partition")),
    (71, "ALTER", ("alter table partitioning", "alter table partition by")),
    (72, "ALTER", ("remove partitioning", "alter table remove partitioning")),
    (13, "ALTER", ("rebase auto id", "rebase auto_increment id")),
    (15, "ALTER", ("set default value",)),
    (17, "ALTER", ("modify table comment",)),
    (22, "ALTER", ("modify table charset and collate", "modify table charset/collate")),
    (26, "ALTER", ("modify schema charset and collate", "modify schema charset/collate")),
    (7, "ALTER", ("add index",)),
    (41, "ALTER", ("alter index visibility",)),
    (18, "ALTER", ("rename index",)),
    (_RENAME_TABLE, "ALTER", ("rename table",)),
    (_RENAME_TABLES, "ALTER", ("rename tables",)),
    (32, "ALTER", ("add primary key",)),
    (33, "ALTER", ("drop primary key",)),
    (2, "DROP", ("drop schema",)),
    (DROP_TABLE, "DROP", ("drop table",)),
    (8, "DROP", ("drop index",)),
    (24, "DROP", ("drop view",)),
    (TRUNCATE_TABLE, "DROP", ("truncate table",)),
)

CHANGE_TYPES: Mapping[int, str] = {code: kind for code, kind, _ in _ACTIONS}
_CODES: Mapping[str, int] = {name: code for code, _, names in _ACTIONS for name in names}


def action_code(event: DdlEvent) -> int | None:
    """The code of an action with a message, None for an action without one.

    Raises `Rejected` (class `semantics`) for an event without an action.
    """
    if event.action_code is not None:
        return event.action_code if event.action_code in CHANGE_TYPES else None
    if event.action is None:
        raise Rejected("semantics", "a ddl event without an action")
    return _CODES.get(event.action.lower())


def _quoted(*names: str) -> str:
    return ".".join("`" + name.replace("`", "``") + "`" for name in names)


def _session_schema(event: DdlEvent, renaming: Renaming) -> str | None:
    """The schema of names without one; None if the table before the statement does not show it."""
    before, old = event.table_before, renaming.old
    if before is None or old.schema is not None or before.name.lower() != old.table.lower():
        return None
    return before.schema


def _old_name(renaming: Renaming, event: DdlEvent, new_schema: str) -> tuple[str, str]:
    """Schema and name of a table before its renaming; without other knowledge its schema stays the same."""
    if _session_schema(event, renaming) is not None and event.table_before is not None:
        return event.table_before.id
    return renaming.old.schema or new_schema, renaming.old.table


def _with_tables(events: list[DdlEvent], tables: tuple[Table, ...]) -> Iterator[DdlEvent]:
    """Each event with the table at the same position."""
    for event, table in zip(events, tables, strict=True):
        yield replace(event, schema=table.schema, table=table.name, table_after=table, other_tables=())


def single_statements(event: DdlEvent) -> Iterator[DdlEvent]:
    """The event itself; for a statement about several tables an event for each table.  [DBZ-302]"""
    tables = (*([event.table_after] if event.table_after else ()), *event.other_tables)
    code = action_code(event)
    if code == CREATE_TABLES and len(parts := statements(event.query)) == len(tables) > 1:
        yield from _with_tables([replace(event, query=part) for part in parts], tables)
    elif code in (_RENAME_TABLE, _RENAME_TABLES) and len(pairs := renamings(event.query)) == len(tables) > 1:
        schema = _session_schema(event, pairs[0])
        queries = (
            f"RENAME TABLE {_quoted(*_old_name(pair, event, schema or table.schema))} TO "
            f"{_quoted(pair.new.schema or table.schema, pair.new.table)}"
            for pair, table in zip(pairs, tables, strict=True)
        )
        yield from _with_tables([replace(event, query=query) for query in queries], tables)
    else:
        yield event


def _id(schema: str, table: str) -> str:
    return f'"{schema}"."{table}"'


def change_id(event: DdlEvent, code: int) -> str:
    """`id` of a change as a JSON text; after a rename both names, the old one first.  [DBZ-323]"""
    new = _id(event.schema, event.table)
    if code not in (_RENAME_TABLE, _RENAME_TABLES):
        return literal(new)
    for renaming in renamings(event.query):
        if renaming.new.table == event.table and renaming.new.schema in (None, event.schema):
            return literal(f"{_id(*_old_name(renaming, event, event.schema))},{new}")
    before = event.table_before
    return literal(f"{_id(*before.id)},{new}" if before is not None else new)
