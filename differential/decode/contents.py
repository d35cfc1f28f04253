"""What a message holds beside its changes, and the type of all that is read from one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from differential.model import Change, Place, Unreadable

__all__ = ["Oddity", "Read", "Statement"]


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
    """A DDL message.

    `kind`: the message's name for the kind of statement: its `type`, TiDB's code of the action, or the types of its
    table changes; None in a compressed message. `at`: the time of the statement as digits, in milliseconds since 1970,
    in messages without a commit time stamp. `changes`: its table changes, in the JSON of `ddl_messages`. `odd`: the
    members that its dialect writes differently, as JSON: path, expected, got.
    """

    schema: str
    table: str
    query: str
    place: Place
    kind: str | None = None
    commit_ts: int | None = None
    at: str = ""
    changes: str = ""
    odd: str = ""


Read: TypeAlias = Change | Statement | Unreadable | Oddity
