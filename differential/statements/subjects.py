"""Checks that a DDL message names the schema and tables of its statement."""

from __future__ import annotations

from collections.abc import Sequence

from differential.decode.ddl_messages import TableChange
from differential.statements.sql_text import Step

__all__ = ["names_agree_with"]


def names_agree_with(
    steps: Sequence[Step], schema: str, table: str, changes: Sequence[TableChange] = ()
) -> tuple[bool, bool, bool]:
    """Whether the schema, the tables, and the ids of a message are those of its statement's steps.

    Empty names match anything, and case is ignored. If several tables are dropped or renamed at once, a message may
    name all of them, with commas, although its statement is about one of them. A statement about a view or the like
    does not name its subject, so any table matches.
    """
    subjects = {
        (name[0].lower(), name[1].lower()) for step in steps for name in ((step.schema, step.table), *step.also)
    }
    schemas, tables = {schema_ for schema_, _ in subjects}, {name for _, name in subjects}
    is_unknown = any(not step.table and not step.verb.endswith(" DATABASE") for step in steps) or not steps
    several = any(step.verb in ("DROP TABLE", "RENAME TABLE") for step in steps)
    named = {table.lower(), *(table.lower().split(",") if several else ())}
    of_schema = not schema or not schemas or schema.lower() in schemas
    of_table = is_unknown or not table or not named.isdisjoint(tables)
    ids = {f"{schema_}.{name}".replace('"', "") for schema_, name in subjects}
    return of_schema, of_table, is_unknown or all(ids.issuperset(change.names) for change in changes)
