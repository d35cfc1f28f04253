"""What a DDL message says beside its statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from differential.decode.told_tables import digest_of, unfit
from differential.sides import CHANGES, Side
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Record

__all__ = ["CHANGES", "OF_SNAPSHOT", "About", "TableChange", "about", "changes_of"]

OF_SNAPSHOT = "statements of a snapshot"
"""As which statements are counted that are of the time before all changes."""


@dataclass(frozen=True, slots=True)
class TableChange:
    """A member of `tableChanges`: the names of the table as it is after the statement, none where it does not tell.

    `digest` is the same where the tables are told alike, and `unfit` has where it is not the versions given.
    """

    id: str
    columns: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    digest: str = ""
    unfit: tuple[tuple[int, tuple[tuple[str, str | None, str | None], ...]], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Schema and name of the table with a dot between them, of a renamed one those of both."""
        return tuple(name.lower() for name in self.id.replace('"', "").split(","))

    def is_of(self, schema: str, table: str) -> bool:
        """Whether it tells of this table, by its present name."""
        return f"{schema}.{table}".replace('"', "").lower() == self.names[-1]


def changes_of(told: str) -> tuple[TableChange, ...]:
    """The table changes that `About.changes` tells."""
    return tuple(
        TableChange(id_, tuple(columns), tuple(keys), digest, tuple((n, tuple(map(tuple, at))) for n, at in versions))
        for id_, columns, keys, digest, versions in orjson.loads(told or "[]")
    )


def _told(change: Mapping[str, Any], side: Side, query: str) -> list[Any]:
    table = change.get("table") or {}
    columns = [str(column.get("name")) for column in table.get("columns") or ()]
    keys = [str(name) for name in table.get("primaryKeyColumnNames") or ()]
    bare = TableChange(str(change.get("id")))
    return [bare.id, columns, keys, digest_of(table), unfit(side, bare.names[-1], query, table)]


class About(NamedTuple):
    """What a message calls its statement, its table changes as JSON, and whether it is of the time before all changes.

    `kind` is None where it cannot be seen, `changes` is "" where there are none.
    """

    kind: str | None
    changes: str = ""
    of_snapshot: bool = False


def about(event: DdlEvent, record: Record, side: Side) -> About:
    """What a DDL message of a side says of its statement.

    Raises `Rejected` (class `schema`) where its table changes are none.
    """
    if event.action_code is not None:
        return About(str(event.action_code))
    try:
        tree = orjson.loads(record.value or b"")
    except orjson.JSONDecodeError:
        return About(None)
    told = tree.get("payload", tree)
    if CHANGES not in told:
        return About(str(told.get("type", told.get("op"))))
    changes = told[CHANGES] or ()
    try:
        kinds = " ".join(str(change["type"]) for change in changes)
        text = orjson.dumps([_told(change, side, event.query) for change in changes]).decode() if changes else ""
    except (AttributeError, KeyError, TypeError):
        raise Rejected("schema", f"{CHANGES!r} is no list of tables") from None
    return About(kinds, text, str(told["source"].get("snapshot")).lower() not in ("none", "false"))
