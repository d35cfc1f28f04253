"""What the comparison works on: the change of one key on one side, and the difference between sides.

A change holds its row images as canonical JSON bytes, so that equal images are equal bytes in every dialect;
`canonical` tells how a value is written there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, TypeVar, dataclass_transform

__all__ = [
    "PARTLY",
    "UNKNOWN",
    "Cell",
    "Change",
    "Class",
    "Difference",
    "Failed",
    "Image",
    "Place",
    "Status",
    "Unreadable",
    "time_of",
]

# A value of an image: canonical text, SQL NULL, or a tagged form where there is no text ({"base64": …}).
Cell: TypeAlias = "str | dict[str, str] | None"
Image: TypeAlias = Mapping[str, Cell]

UNKNOWN = b""
"""An image that the format does not carry; None is a row that does not exist."""

PARTLY = b"?"
"""What an image begins with that has some of the columns: of the others nothing is said."""


class Class(StrEnum):
    """What kind of difference a row of the result is."""

    MISSING = "missing"
    EXTRA = "extra"
    DUPLICATE = "duplicate"
    REORDERED = "reordered"
    VALUE = "value"
    SHAPE = "shape"
    TYPE = "type"
    METADATA = "metadata"
    UNDECODABLE = "undecodable"


class Status(StrEnum):
    """Whether a difference has a name, and whether a document tells of it."""

    DOCUMENTED = "documented"
    UNDOCUMENTED = "undocumented"
    UNEXPLAINED = "unexplained"


T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def _value(*, order: bool = False) -> Callable[[type[T]], type[T]]:
    """A dataclass that is frozen to who checks types alone: of what there are millions, that makes one for a fifth."""
    return dataclass(slots=True, unsafe_hash=True, order=order)


@_value(order=True)
class Place:
    """Where a message stands on its side. Offsets order the messages of a partition."""

    topic: str = ""
    partition: int = 0
    offset: int = 0


@_value()
class Change:
    """What one message did to the row of one key.

    `key` is the canonical JSON of the key's values, folded as a case-insensitive collation would; a table without a key
    has the whole row. `before` and `after` are canonical images, None for no row, `UNKNOWN` where the message does not
    say, behind `PARTLY` where it says some of it. `moved` is set on both halves of an update that changed the key: they
    are one message. `instant` tells changes of one transaction from others as far as the message can ("" where it
    cannot): the time, and behind a blank the name of the transaction where the message has one.
    """

    schema: str
    table: str
    key: bytes
    op: str
    before: bytes | None
    after: bytes | None
    place: Place
    commit_ts: int | None = None
    instant: str = ""
    moved: bool = False


def time_of(instant: str) -> str:
    """The time that an instant begins with, in milliseconds."""
    return instant.partition(" ")[0]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A message that its dialect's decoder refuses: the class of the refusal, and why.

    Schema, table, key (canonical, or as it stands) and column are those that can be read nevertheless, else "".
    """

    place: Place
    reason: str
    why: str
    value: bytes | None
    schema: str = ""
    table: str = ""
    key: str = ""
    column: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """A message at which the suite itself failed, and how."""

    place: Place
    why: str


@dataclass(frozen=True, slots=True)
class Difference:
    """One row of the result. Sides that have no message there have no place; `divergence` is the id of its name."""

    pair: str
    kind: Class
    schema: str = ""
    table: str = ""
    column: str = ""
    key: str = ""
    commit_ts: int | None = None
    left: Place | None = None
    right: Place | None = None
    left_value: str | None = None
    right_value: str | None = None
    divergence: str | None = None
    status: Status = Status.UNEXPLAINED
