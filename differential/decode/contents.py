"""The contents of a message other than changes: oddities and DDL statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from differential.model import Change, Place, Unreadable

__all__ = ["Content", "Oddity", "Statement"]


@dataclass(frozen=True, slots=True)
class Oddity:
    """A member that the dialect writes differently for the same event."""

    schema: str
    table: str
    place: Place
    path: tuple[str, ...]
    expected: str | None
    got: str | None


@dataclass(frozen=True, slots=True)
class Statement:
    """A DDL message."""

    schema: str
    table: str
    query: str
    place: Place
    # The message's name for the kind of statement: its `type`, TiDB's code of the action, or the types of its table
    # changes; None in a compressed message.
    kind: str | None = None
    commit_ts: int | None = None
    time: str = ""  # without a commit time stamp: the time of the statement as digits, in milliseconds since 1970
    changes: str = ""  # its table changes, as JSON of `ddl_messages`
    odd: str = ""  # the members that its dialect writes differently, as JSON: path, expected, got


Content: TypeAlias = Change | Statement | Unreadable | Oddity
