"""What a DDL message says beside its statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import orjson

from differential.sql_text import Step
from reference_impl.model import DdlEvent, Record

__all__ = ["NAMES", "are_of", "kind_of"]

NAMES: Mapping[str, tuple[str, str]] = {
    "canal": ("database", "table"),
    "debezium": ("source.db", "source.table"),
    "open-protocol": ("scm", "tbl"),
    "avro": ("schema", "table"),
}
"""By family the members of a DDL message that name the schema and the table of its statement."""


def are_of(steps: Sequence[Step], schema: str, table: str) -> tuple[bool, bool]:
    """Whether the schema, and the tables, that a message names are those of the steps of its statement.

    An empty name is none, and case says nothing. Where several tables are dropped or renamed at once, a message may
    name all of them, with commas, though its own statement is about one. What a statement about a view or the like is
    about is not told, so that any table may be.
    """
    about = {(of[0].lower(), of[1].lower()) for step in steps for of in ((step.schema, step.table), *step.also)}
    schemas, tables = {of[0] for of in about}, {of[1] for of in about}
    untold = any(not step.table and not step.verb.endswith(" DATABASE") for step in steps) or not steps
    several = any(step.verb in ("DROP TABLE", "RENAME TABLE") for step in steps)
    named = {table.lower(), *(table.lower().split(",") if several else ())}
    return not schema or not schemas or schema.lower() in schemas, untold or not table or not named.isdisjoint(tables)


def kind_of(event: DdlEvent, record: Record) -> tuple[str | None, bool]:
    """What a message calls its statement, and whether it tells of what was there before the first change."""
    if event.action_code is not None:
        return str(event.action_code), False
    try:
        tree = orjson.loads(record.value or b"")
    except orjson.JSONDecodeError:
        return None, False
    told = tree.get("payload", tree)
    if "tableChanges" not in told:
        return str(told.get("type", told.get("op"))), False
    kinds = " ".join(str(change["type"]) for change in told["tableChanges"] or ())
    return kinds, str(told["source"].get("snapshot")).lower() not in ("none", "false")
