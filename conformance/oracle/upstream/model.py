"""What the oracle knows of an upstream dialect, and the events that a decoder must answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.oracle.upstream.reading import RecordSummary
from reference_impl.model import Column, RawText, Record, Row, RowChange, Table, Value
from reference_impl.values import to_wire

__all__ = ["UNCERTAIN", "DialectOracle", "ExpectedEvent", "Image", "image_of"]

UNCERTAIN = object()
"""Stands for a value in an image: any answer is right there."""

Image = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ExpectedEvent:
    """An event that a decoder must answer. Images are wire values by column; None if there is no image."""

    kind: str
    schema: str
    table: str
    op: str = ""
    query: str = ""
    before: Image | None = None
    after: Image | None = None
    # Whether the answer must have all columns of an image and no others; else only the columns in it must be right.
    is_whole: bool = True
    # The whole row before the update, where `before` has only the columns that changed: a decoder may add the others.
    whole_before: Image | None = None
    definition: Table | None = None


def image_of(row: Row | None, table: Table | None, keeps: Callable[[Column, Value], bool]) -> Image | None:
    """The wire values of a row; `UNCERTAIN` for those of unknown columns, and for those that the dialect loses.

    `keeps` says of a column and its value whether a record holds the value without loss.
    """
    if row is None:
        return None
    columns = {name: table.column(name) if table is not None else None for name in row}

    def is_certain(column: Column | None, value: Value) -> bool:
        return column is not None and not isinstance(value, RawText) and keeps(column, value)

    return {name: to_wire(value) if is_certain(columns[name], value) else UNCERTAIN for name, value in row.items()}


@dataclass(frozen=True, slots=True)
class DialectOracle:
    """How records and events of a dialect are judged; its rules are the checks of its register."""

    # What a record is about.
    summary: Callable[[Record], RecordSummary]
    # The event that a decoder must answer for a row change, by its table (None: unknown) and the options.
    expected_row: Callable[[RowChange, Table | None, Any], ExpectedEvent]
    # The statement in a record, or the number of its rows.
    statement_or_rows: Callable[[Record], ExpectedEvent | int]
    # Whether messages show the types of columns under these options.
    shows_types: Callable[[Any], bool]
    # Whether NULL stays NULL in a table that an earlier statement of the case made or altered; else the default in the
    # statement may stand in its place.  [DBZ-244]
    keeps_nulls_after_statement: bool
    # The paths of objects that hold the values of columns; with a schema beside it the payload is a level deeper.
    values_at: Sequence[str]
