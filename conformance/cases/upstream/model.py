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
    """Where a record stands: the members that are free, as the encoder takes them; the second in which the statement

    ran, as a UNIX time; what is the same for the rows of one rows event (None where nothing tells), and which of its
    rows this one says to be.
    """

    source: Mapping[str, object]
    second: float
    rows_event: object = None
    row: int = 0


@dataclass(frozen=True, slots=True)
class Space:
    """The options of a dialect. `values` has those of every option, the default first.

    `plain` are the options of cases that are about values alone, `whole` those under which everything is written.
    `tried` are options under which every type is written, `filled` those under which every default is, `emptied` those
    under which a truncation is a row's record. `stops` are types of columns at which the producer was recorded to stop,
    with the requirement that says so. `silent` is the option, and its value, with which statements have no records,
    where those of rows tell types in part. `readable_json` says of a JSON value whether what is printed of it is JSON.
    """

    values: Mapping[str, tuple[str, ...]]
    plain: Mapping[str, str]
    whole: Sequence[Mapping[str, str]]
    tried: Sequence[Mapping[str, str]]
    filled: Sequence[Mapping[str, str]] = ()
    emptied: Sequence[Mapping[str, str]] = ()
    stops: Sequence[tuple[str, str]] = ()
    silent: tuple[str, str] | None = None
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
    """`ops` are the words of the operations, `topic` the expression of topics below a name, `nowhere` any position.

    `position` and `cell` read a record: the latter the value at (image, row, column), as it is written. `packs_rows`: a
    record holds all rows of a rows event. `space` are the options that cases have, `negatives` the records that must be
    refused, `answers` the requirement that a decoder answers, whatever it is given. `numbering` is None where records
    do not tell where they stand.
    """

    ops: Mapping[str, str]
    topic: str
    position: Callable[[Record], Position]
    cell: Callable[[Any, str, int, str], Any]
    packs_rows: bool
    nowhere: Mapping[str, object]
    space: Space
    negatives: Negatives
    answers: str
    numbering: Numbering | None = None
