"""DDL statements: those with messages, and the type of the change in a message.  [DBZ-300 … DBZ-302]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from reference_impl.actions import CREATE_TABLES, DROP_TABLE, RENAMES, TRUNCATE_TABLE, known_code
from reference_impl.debezium_json.json_text import literal
from reference_impl.debezium_json.statement import Renaming, renamings
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Table
from reference_impl.sql_tokens import statements

__all__ = ["CHANGE_TYPES", "change_id", "sent_code", "single_statements"]

# The type of the table change in a message, by TiDB's code of the action. Other actions have no message.
CHANGE_TYPES: Mapping[int, str] = {
    **dict.fromkeys((1, 3, 21, CREATE_TABLES), "CREATE"),
    **dict.fromkeys(
        (5, 6, 7, 12, 13, 15, 17, 18, 19, 20, 22, 23, 26, 32, 33, 41, 42, 61, 64, 71, 72, *RENAMES), "ALTER"
    ),
    **dict.fromkeys((2, 8, 24, DROP_TABLE, TRUNCATE_TABLE), "DROP"),
}


def sent_code(event: DdlEvent) -> int | None:
    """The code of an action with a message, None for an action without one.

    Raises `Rejected` (class `semantics`) for an event without an action.
    """
    if event.action_code is None and event.action is None:
        raise Rejected("semantics", "a ddl event without an action")
    code = known_code(event)
    return code if code in CHANGE_TYPES else None


def single_statements(event: DdlEvent) -> Iterator[DdlEvent]:
    """The event itself; for a statement about several tables an event for each table.  [DBZ-302]"""
    tables = event.tables_after
    queries = _single_queries(event, tables)
    if len(tables) < 2 or len(queries) != len(tables):
        yield event
        return
    for query, table in zip(queries, tables, strict=True):
        yield replace(event, schema=table.schema, table=table.name, query=query, table_after=table, other_tables=())


def _single_queries(event: DdlEvent, tables: Sequence[Table]) -> list[str]:
    """A statement for each of the tables; another number of them, or none, where the event is not split."""
    code = sent_code(event)
    if code == CREATE_TABLES:
        return statements(event.query)
    renames = renamings(event.query) if code in RENAMES else []
    if len(renames) != len(tables):
        return []
    schema = _session_schema(event, renames[0]) if renames else None
    return [
        f"RENAME TABLE {_quoted(*_old_name(rename, event, schema or table.schema))} TO "
        f"{_quoted(rename.new.schema or table.schema, rename.new.table)}"
        for rename, table in zip(renames, tables, strict=True)
    ]


def change_id(event: DdlEvent, code: int) -> str:
    """`id` of a change as a JSON text; after a rename both names, the old one first.  [DBZ-323]"""
    new = _id(event.schema, event.table)
    if code not in RENAMES:
        return literal(new)
    for renaming in renamings(event.query):
        if renaming.new.table == event.table and renaming.new.schema in (None, event.schema):
            return literal(f"{_id(*_old_name(renaming, event, event.schema))},{new}")
    before = event.table_before
    return literal(f"{_id(*before.id)},{new}" if before is not None else new)


def _id(schema: str, table: str) -> str:
    return f'"{schema}"."{table}"'


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
