"""The data of a comparison: the change of a key on one side, and the difference between sides.

A change holds its row images as canonical JSON bytes (`decode.canonical`): equal images are equal bytes in every
dialect.
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
    "transaction_in",
]

# A value of an image: canonical text, SQL NULL, or a tagged form for bytes ({"base64": …}).
Cell: TypeAlias = "str | dict[str, str] | None"
Image: TypeAlias = Mapping[str, Cell]

UNKNOWN = b""
"""An image that the format does not carry; None stands for a row that does not exist."""

PARTLY = b"?"
"""The prefix of a partial image, which has only some of the columns; the others are unknown."""


class Class(StrEnum):
    """The class of a difference."""

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
    """Whether a divergence explains a difference, and whether a document mentions it."""

    DOCUMENTED = "documented"
    UNDOCUMENTED = "undocumented"
    UNEXPLAINED = "unexplained"


T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def _value(*, order: bool = False) -> Callable[[type[T]], type[T]]:
    """A dataclass that is frozen for the type checker only: five times cheaper to construct."""
    return dataclass(slots=True, unsafe_hash=True, order=order)


@_value(order=True)
class Place:
    """The place of a message on its side. Offsets order the messages of a partition."""

    topic: str = ""
    partition: int = 0
    offset: int = 0


@_value()
class Change:
    """The change of the row of one key by one message.

    `before` and `after` are canonical images: None without a row, `UNKNOWN` if the message lacks the image, prefixed by
    `PARTLY` if it has a part.
    """

    schema: str
    table: str
    # The canonical JSON of the key's values, case-folded for case-insensitive collations; the whole row for a table
    # without a key.
    key: bytes
    op: str  # `insert`, `update`, `delete`, `upsert` (insert or update), or `read` (by a snapshot)
    before: bytes | None
    after: bytes | None
    place: Place
    commit_ts: int | None = None  # the commit time stamp (TSO)
    # Milliseconds since 1970, a blank, and the name of the transaction, as far as the message has them.
    instant: str = ""
    moved: bool = False  # one half of an update that changed the key; both halves come from one message


def time_of(instant: str) -> str:
    """The time of an instant, in milliseconds as digits."""
    return instant.partition(" ")[0]


def transaction_in(instant: str) -> str:
    """The name of the transaction in an instant, "" if it has none."""
    return instant.partition(" ")[2]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A message that its dialect's decoder refuses.

    Schema, table, key and column are "" if they cannot be read.
    """

    place: Place
    refusal: str  # the class of the refusal
    why: str  # the message of the decoder
    value: bytes | None
    schema: str = ""
    table: str = ""
    key: str = ""  # in the spelling of the message
    column: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """A message at which the suite itself failed, with the error."""

    place: Place
    why: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between the two sides of a pair: a row of the result.

    A side without a message has no place (`left`, `right`). `divergence` is an id such as `DV-40`.
    """

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
