"""The row of an upstream dialect: what its cases are made of, and how its records are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.cases.negatives.texts import Amounts, DocumentForm
from reference_impl.model import Record

__all__ = ["FEW", "SOME", "Base", "DialectCases", "Negatives", "Numbering", "Position", "Space"]

# Numbers of changes of a valid record.
SOME = Amounts(4, 8, utf8=3, doubled=5, missing=6, renamed=6, exchanged=3, kinds=14, numbers=5)
FEW = Amounts(0, 4, utf8=1, doubled=2, missing=2, renamed=2, exchanged=1, kinds=5, numbers=1)


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a record in the stream."""

    source: Mapping[str, object]  # the positional members, as an encoder takes them in the `source` of an event
    second: float  # the UNIX time at which the statement ran
    rows_event: object = None  # equal for the rows of one rows event; None if unknown
    row: int = 0  # the position of the record among the rows of its rows event


@dataclass(frozen=True, slots=True)
class Space:
    """The options of a dialect, and those under which its cases are made."""

    # The values of every option, the default first.
    values: Mapping[str, tuple[str, ...]]
    # The options of the cases that are about values or partitions.
    value_options: Mapping[str, str]
    # Sets of options; under each set there are cases of flags, shapes, keys, statements, streams, times and snapshots.
    corpora_options: Sequence[Mapping[str, str]]
    # Under each of these sets there is a case of every column type.
    type_options: Sequence[Mapping[str, str]]
    # Under each of these sets there is a case of every default.
    default_options: Sequence[Mapping[str, str]] = ()
    # Under each of these sets there is a case of a TRUNCATE, which has a record among those of rows.
    truncation_options: Sequence[Mapping[str, str]] = ()
    # (column type, requirement): types at which the recorded producer stopped, and the requirement on that.
    stops: Sequence[tuple[str, str]] = ()
    # (option, value) with which statements have no records; the records of rows show only a part of the types.
    without_statements: tuple[str, str] | None = None
    # Whether the dialect prints a JSON value as JSON; None if it always does.
    readable_json: Callable[[str], bool] | None = None


@dataclass(frozen=True, slots=True)
class Base:
    """A valid record, and how many changes of it are made."""

    events: str  # the name of its events in `negatives.bases`
    options: Mapping[str, str]
    form: DocumentForm  # of its value
    amounts: Amounts


@dataclass(frozen=True, slots=True)
class Negatives:
    """The negatives of a dialect."""

    refused: str  # the requirement by which a decoder must refuse them
    bases: tuple[Base, ...]
    image: tuple[str | int, ...]  # the path of the row image in the value of a message
    beyond: Mapping[str, tuple[str, ...]]  # column → values that its type cannot hold
    keys: bool = False  # whether the key of the first base is changed as well


@dataclass(frozen=True, slots=True)
class Numbering:
    """How an event gets a number that shows in its records."""

    source: Callable[[int], Mapping[str, object]]  # number → the member of the event's `source` that holds it
    read: Callable[[Record], int | None]  # the number in a record; None if there is none


@dataclass(frozen=True, slots=True)
class DialectCases:
    """What the cases of a dialect are made of, and how its records are read."""

    ops: Mapping[str, str]  # operation → its word in messages; operations that the dialect lacks are left out
    topic: str  # the expression of topics, in which `{name}` is the configured name
    position: Callable[[Record], Position]  # the position of a record in the stream
    # The value of a column as it is written: by the tree of a message, the image (`before`, `after`), the number of the
    # row in the message, and the column.
    cell: Callable[[Any, str, int, str], Any]
    packs_rows: bool  # whether a record holds all rows of a rows event
    default_source: Mapping[str, object]  # the `source` of events without a known position
    space: Space
    negatives: Negatives
    answer_requirement: str  # the requirement that a decoder answers every input
    numbering: Numbering
