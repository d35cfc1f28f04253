"""All that the cases know of one upstream dialect (`DialectCases`): what they are made of, and how records are read.

`dialects.DIALECTS` has one for each dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.cases.negatives.texts import Amounts, DocumentForm
from reference_impl.model import Record

__all__ = ["FEW", "SOME", "Base", "DialectCases", "Negatives", "Numbering", "OptionSets", "Position"]

# How many negatives of each kind are made of a valid record: of the richest one of a dialect, and of any other.
SOME = Amounts(cuts=4, flips=8, utf8=3, doubled=5, missing=6, renamed=6, exchanged=3, kinds=14, numbers=5)
FEW = Amounts(cuts=0, flips=4, utf8=1, doubled=2, missing=2, renamed=2, exchanged=1, kinds=5, numbers=1)


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a record in the stream."""

    source: Mapping[str, object]  # the positional members, as an encoder takes them in the `source` of an event
    second: float  # the UNIX time at which the statement ran
    rows_event: object = None  # equal for the rows of one rows event; None if unknown
    row: int = 0  # the position of the record among the rows of its rows event


@dataclass(frozen=True, slots=True)
class OptionSets:
    """The options of a dialect, and the sets of options (option → value) under which its cases are made."""

    # Option → all its values, the default first. Cases combine any two values of two options.
    known_values: Mapping[str, tuple[str, ...]]
    # The one set of the cases that are about tables, values and partitions rather than options.
    value_options: Mapping[str, str]
    # Under each of these sets there are the cases of `corpora._UNDER_OPTIONS`: flags, keys, statements, times …
    corpora_options: Sequence[Mapping[str, str]]
    # Under each of these sets there is a case of every column type that one of its options concerns.
    type_options: Sequence[Mapping[str, str]]
    # Under each of these sets there is a case of every column type with a default.
    default_options: Sequence[Mapping[str, str]] = ()
    # Under each of these sets there is a case of a TRUNCATE, which has a record among those of rows.
    truncation_options: Sequence[Mapping[str, str]] = ()
    # (column type, requirement): types that the dialect must refuse, since the recorded producer stopped at them.
    stops: Sequence[tuple[str, str]] = ()
    # (option, value) with which statements have no records. After one that alters a table, a decoder could know only a
    # part of the new types, so that there are no such decode cases. None if statements always have records.
    without_statements: tuple[str, str] | None = None
    # Text of a JSON value → whether the dialect prints it as JSON: else the value has no decode case. None if it always
    # does.
    prints_as_json: Callable[[str], bool] | None = None


@dataclass(frozen=True, slots=True)
class Base:
    """A valid record from which negatives are made."""

    events: str  # the name of its events in `negatives.bases`
    options: Mapping[str, str]
    form: DocumentForm  # of its value
    amounts: Amounts  # how many negatives of each kind


@dataclass(frozen=True, slots=True)
class Negatives:
    """The negatives of a dialect: valid records that are changed in one place."""

    requirement: str  # by which a decoder must refuse them
    bases: tuple[Base, ...]
    image_path: tuple[str | int, ...]  # of the row image in the value of the first base
    out_of_range: Mapping[str, tuple[str, ...]]  # column → values that its type cannot hold
    changes_key: bool = False  # whether the key of the first base is changed as well


@dataclass(frozen=True, slots=True)
class Numbering:
    """How an event gets a number that shows in its records, so that these are found again: see `engine.own_clock`."""

    source: Callable[[int], Mapping[str, object]]  # number → the member of the event's `source` that holds it
    read: Callable[[Record], int | None]  # the number in a record; None if there is none


@dataclass(frozen=True, slots=True)
class DialectCases:
    """What the cases of a dialect are made of, and how its records are read."""

    ops: Mapping[str, str]  # operation → its word in messages; operations that the dialect lacks are left out
    topic: str  # the expression of topics; `{name}` is the topic of a session, or the prefix of its topics
    position: Callable[[Record], Position]  # the position of a record in the stream
    # The value of a column as it is written: by the tree of a message, the image (`before`, `after`), the number of the
    # row in the message, and the column.
    cell: Callable[[Any, str, int, str], Any]
    packs_rows: bool  # whether a record holds all rows of a rows event
    default_source: Mapping[str, object]  # the `source` of events without a known position
    option_sets: OptionSets
    negatives: Negatives
    answer_requirement: str  # the requirement that a decoder answers every input
    numbering: Numbering
