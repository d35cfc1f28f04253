"""Reads the members of a DDL message beside its statement: its kind and its table changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from differential.decode.ddl_tables import digest_of, unfit
from differential.sides import TABLE_CHANGES, Side
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Record

__all__ = ["OF_SNAPSHOT", "TABLE_CHANGES", "About", "TableChange", "about", "changes_of"]

OF_SNAPSHOT = "statements of a snapshot"
"""The name under which statements of a snapshot are counted; they come before all changes."""


@dataclass(frozen=True, slots=True)
class TableChange:
    """An entry of `tableChanges`: the names in the table after the statement.

    Empty if the entry has no table.

    `digest` is equal for equally described tables. `unfit` has, by version given, the members that contradict it.
    """

    id: str
    columns: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    digest: str = ""
    unfit: tuple[tuple[int, tuple[tuple[str, str | None, str | None], ...]], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Schema and name joined by a dot, in lower case.

        Of a renamed table the old and the new one.
        """
        return tuple(name.lower() for name in self.id.replace('"', "").split(","))

    def is_of(self, schema: str, table: str) -> bool:
        """Whether the entry describes this table, by its present name."""
        return f"{schema}.{table}".replace('"', "").lower() == self.names[-1]


def changes_of(changes: str) -> tuple[TableChange, ...]:
    """The table changes in the JSON of `About.changes`."""
    return tuple(
        TableChange(id_, tuple(columns), tuple(keys), digest, tuple((n, tuple(map(tuple, at))) for n, at in versions))
        for id_, columns, keys, digest, versions in orjson.loads(changes or "[]")
    )


def _table_change(change: Mapping[str, Any], side: Side, query: str) -> list[Any]:
    table = change.get("table") or {}
    columns = [str(column.get("name")) for column in table.get("columns") or ()]
    keys = [str(name) for name in table.get("primaryKeyColumnNames") or ()]
    bare = TableChange(str(change.get("id")))
    return [bare.id, columns, keys, digest_of(table), unfit(side, bare.names[-1], query, table)]


class About(NamedTuple):
    """The kind of a statement, its table changes as JSON, and whether it belongs to a snapshot.

    `kind` is None in a compressed message; `changes` is "" without table changes.
    """

    kind: str | None
    changes: str = ""
    of_snapshot: bool = False


def about(event: DdlEvent, record: Record, side: Side) -> About:
    """The kind and table changes in a DDL message of a side.

    Raises `Rejected` (class `schema`) for malformed table changes.
    """
    if event.action_code is not None:
        return About(str(event.action_code))
    try:
        tree = orjson.loads(record.value or b"")
    except orjson.JSONDecodeError:
        return About(None)
    payload = tree["payload"] if isinstance(tree.get("payload"), dict) else tree
    if TABLE_CHANGES not in payload:
        return About(str(payload.get("type", payload.get("op"))))
    changes = payload[TABLE_CHANGES] or ()
    try:
        kinds = " ".join(str(change["type"]) for change in changes)
        text = (
            orjson.dumps([_table_change(change, side, event.query) for change in changes]).decode() if changes else ""
        )
    except (AttributeError, KeyError, TypeError):
        raise Rejected("schema", f"{TABLE_CHANGES!r} is no list of tables") from None
    return About(kinds, text, str(payload["source"].get("snapshot")).lower() not in ("none", "false"))
