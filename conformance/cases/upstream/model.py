"""What the cases of an upstream dialect are made of: the row of a dialect, and its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.cases.negatives.texts import Amounts, Shape
from reference_impl.model import Record

__all__ = ["Base", "DialectCases", "Negatives", "Numbering", "Position", "Space"]


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a record: its free members in the encoder's form, and the time and rows of its statement.

    `second` is the UNIX time at which the statement ran; `rows_event` is equal for the rows of one rows event (None
    where it is unknown), and `row` the position of the record among them.
    """

    source: Mapping[str, object]
    second: float
    rows_event: object = None
    row: int = 0


@dataclass(frozen=True, slots=True)
class Space:
    """The options of a dialect, and those under which its cases are made."""

    # The values of every option, the default first.
    values: Mapping[str, tuple[str, ...]]
    # Of cases that are about values alone.
    plain: Mapping[str, str]
    # Under which everything is written,
    whole: Sequence[Mapping[str, str]]
    # every type,
    tried: Sequence[Mapping[str, str]]
    # every default,
    filled: Sequence[Mapping[str, str]] = ()
    # and a truncation, as a record among those of rows.
    emptied: Sequence[Mapping[str, str]] = ()
    # Types of columns at which the producer was recorded to stop, with the requirement that says so.
    stops: Sequence[tuple[str, str]] = ()
    # The option, and its value, with which statements have no records, where those of rows tell types in part.
    silent: tuple[str, str] | None = None
    # Whether what is printed of a JSON value is JSON; None if it always is.
    readable_json: Callable[[str], bool] | None = None


@dataclass(frozen=True, slots=True)
class Base:
    """A valid record that is changed: the events it is made of, what is known of its form, and how often."""

    events: str
    options: Mapping[str, str]
    shape: Shape
    amounts: Amounts


@dataclass(frozen=True, slots=True)
class Negatives:
    """The negatives of a dialect. `beyond` are values that a column's type does not hold, below `image`."""

    refused: str
    bases: tuple[Base, ...]
    image: tuple[str | int, ...]
    beyond: Mapping[str, tuple[str, ...]]
    keys: bool = False


@dataclass(frozen=True, slots=True)
class Numbering:
    """How an event of a dialect is given a number (a member of its `source`), and how that is read from a record."""

    given: Callable[[int], Mapping[str, object]]
    read: Callable[[Record], int | None]


@dataclass(frozen=True, slots=True)
class DialectCases:
    """What the cases of a dialect are made of, and how a record of it is looked at."""

    # The words of the operations that it has.
    ops: Mapping[str, str]
    # The expression of topics below a name.
    topic: str
    # The position of a record in the stream.
    position: Callable[[Record], Position]
    # The value at (image, row, column) of a message, as it is written.
    cell: Callable[[Any, str, int, str], Any]
    # Whether a record holds all rows of a rows event.
    packs_rows: bool
    # Any position, in the form for an encoder.
    default_source: Mapping[str, object]
    # The options that cases have.
    space: Space
    # Records that must be refused.
    negatives: Negatives
    # The requirement that a decoder answers, whatever its input.
    answers: str
    # None if records have no positions.
    numbering: Numbering | None = None
