"""Reads the members of a DDL message that describe its statement: the kind and the table changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from differential.decode.ddl_tables import digest_of, version_differences
from differential.sides import TABLE_CHANGES, Side
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Record

__all__ = ["OF_SNAPSHOT", "TABLE_CHANGES", "StatementMembers", "TableChange", "changes_of", "statement_members"]

OF_SNAPSHOT = "statements of a snapshot"
"""The name under which statements of a snapshot are counted; they come before all changes."""


@dataclass(frozen=True, slots=True)
class TableChange:
    """An entry of `tableChanges`: the table after the statement.

    The names are empty if the entry has no table.
    """

    id: str  # the entry's own: names in quotes, schema and table joined by a dot
    columns: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()  # the columns of the primary key
    digest: str = ""  # equal for equally described tables
    # By number of a given version with these columns: the members that contradict it (path, expected, got).
    version_differences: tuple[tuple[int, tuple[tuple[str, str | None, str | None], ...]], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Schema and name joined by a dot, in lower case.

        For a renamed table, those of the old and the new name.
        """
        return tuple(name.lower() for name in self.id.replace('"', "").split(","))

    def is_of(self, schema: str, table: str) -> bool:
        """Whether the entry describes this table, by its present name."""
        return f"{schema}.{table}".replace('"', "").lower() == self.names[-1]


def changes_of(changes: str) -> tuple[TableChange, ...]:
    """The table changes in the JSON of `StatementMembers.changes`."""
    return tuple(
        TableChange(id_, tuple(columns), tuple(keys), digest, tuple((n, tuple(map(tuple, at))) for n, at in versions))
        for id_, columns, keys, digest, versions in orjson.loads(changes or "[]")
    )


def _table_change(change: Mapping[str, Any], side: Side, query: str) -> list[Any]:
    """An entry of `tableChanges` as a list, in the order of the fields of `TableChange`."""
    table = change.get("table") or {}
    columns = [str(column.get("name")) for column in table.get("columns") or ()]
    keys = [str(name) for name in table.get("primaryKeyColumnNames") or ()]
    bare = TableChange(str(change.get("id")))
    return [bare.id, columns, keys, digest_of(table), version_differences(side, bare.names[-1], query, table)]


class StatementMembers(NamedTuple):
    """The members of a DDL message that describe its statement."""

    kind: str | None  # see `Statement.kind`
    changes: str = ""  # JSON for `changes_of`, "" without table changes
    is_of_snapshot: bool = False


def statement_members(event: DdlEvent, record: Record, side: Side) -> StatementMembers:
    """The members of a DDL message of a side that describe its statement.

    Raises `Rejected` (class `schema`) for malformed table changes.
    """
    if event.action_code is not None:
        return StatementMembers(str(event.action_code))
    try:
        tree = orjson.loads(record.value or b"")
    except orjson.JSONDecodeError:
        return StatementMembers(None)
    payload = tree["payload"] if isinstance(tree.get("payload"), dict) else tree
    if TABLE_CHANGES not in payload:
        return StatementMembers(str(payload.get("type", payload.get("op"))))
    changes = payload[TABLE_CHANGES] or ()
    try:
        kinds = " ".join(str(change["type"]) for change in changes)
        entries = [_table_change(change, side, event.query) for change in changes]
        text = orjson.dumps(entries).decode() if entries else ""
    except (AttributeError, KeyError, TypeError):
        raise Rejected("schema", f"{TABLE_CHANGES!r} is no list of tables") from None
    return StatementMembers(kinds, text, str(payload["source"].get("snapshot")).lower() not in ("none", "false"))
