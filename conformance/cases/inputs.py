"""Inputs: events before they become cases for encoders and decoders of one protocol.

A database can produce every input: a row is inserted before it is updated or deleted, and time stamps rise from
transaction to transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from conformance.cases.equivalent_encodings import ENCODING_NAMES
from conformance.cases.model import Role
from conformance.cases.sql import create_table
from conformance.catalogue.corpora import load_action_codes
from reference_impl.column_types import parse_column_type
from reference_impl.errors import RejectionClass
from reference_impl.model import Column, DdlEvent, Event, Row, RowChange, RowOp, Table, Watermark
from reference_impl.registry import RegisteredSchema
from reference_impl.settings import Settings
from reference_impl.tso import compose

__all__ = [
    "BASE",
    "NOW",
    "Input",
    "altered",
    "change",
    "column",
    "commit_times",
    "ddl",
    "delete",
    "encoding_in_turn",
    "history",
    "insert",
    "numbered",
    "table",
    "timed",
    "update",
    "with_sql",
]

# The settings of a case by default, with a fixed wall clock.
NOW = Settings(now_ms=1700000000123)

# 2024-12-02 00:47:00.702 UTC: a time stamp of today's size, far beyond 2^53.
_FIRST_MS = 1733100420702


@dataclass(frozen=True, slots=True)
class Input:
    """An input before its role and protocol are known."""

    name: str
    """Becomes the case id, after the name of the protocol."""
    tables: tuple[Table, ...]
    events: tuple[Event, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    settings: Settings = NOW
    role: Role | None = None
    """The only role with cases; None: both have cases."""
    in_both_styles: bool = False
    """A decoder gets one more case whose records are in the style of `classic`."""
    encoding: str = ""
    """A decoder gets one more case in this encoding (see `equivalent_encodings`)."""
    blind: bool = False
    """A decoder gets one more case without the tables."""
    mixed: bool = False
    """A decoder gets one more case whose records alternate between the styles of all profiles, as after an upgrade."""
    repeated: tuple[int, ...] = ()
    """Positions of repeated events below a watermark; an answer may leave out any of them."""
    registered: tuple[RegisteredSchema, ...] = ()
    """Schemas of other subjects that are in the registry before the first record."""
    transactions: tuple[str, ...] = ()
    """The SQL statements after the set-up, if the events, which are net changes, do not determine them."""
    refused: frozenset[RejectionClass] = frozenset()
    """Classes with which an encoder must refuse the input; empty for a valid input."""
    requirements: tuple[str, ...] = ()
    """The requirements of the encode case and, with `repeated`, of the decode cases."""
    profiles: frozenset[str] = frozenset()
    """The profiles with the encode case; empty means every profile."""
    axes: Mapping[str, str] = field(default_factory=dict)


def encoding_in_turn(number: int) -> str:
    """The encoding of an input by its number: consecutive inputs take all encodings in turn."""
    return ENCODING_NAMES[number % len(ENCODING_NAMES)]


def commit_times(count: int, first: int = 0) -> list[int]:
    """`count` rising time stamps, 7 ms apart; the logical part rises too."""
    return [compose(_FIRST_MS + 7 * n, n + 1) for n in range(first, first + count)]


def timed(events: Iterable[Event]) -> tuple[Event, ...]:
    """The events with rising time stamps, each a transaction of its own. An existing time stamp stays."""
    in_order = list(events)
    times = commit_times(len(in_order))
    return tuple(
        event if isinstance(event, Watermark) or event.commit_ts is not None else replace(event, commit_ts=ts)
        for event, ts in zip(in_order, times, strict=True)
    )


def column(name: str, column_type: str, *, nullable: bool = True) -> Column:
    """A column with only type and nullability."""
    return Column(name, parse_column_type(column_type), nullable)


def table(
    name: str,
    columns: Sequence[Column],
    primary_key: Sequence[str] = ("id",),
    schema: str = "test",
    expressions: Mapping[str, str] | None = None,
) -> Table:
    """A table with its CREATE TABLE statement; `expressions` are those of its generated columns."""
    return with_sql(Table(schema, name, tuple(columns), primary_key=tuple(primary_key)), expressions)


def numbered(
    *columns: Column, name: str = "t", schema: str = "test", expressions: Mapping[str, str] | None = None
) -> Table:
    """A table with a column `id`, its primary key, before these columns."""
    return table(name, (column("id", "int", nullable=False), *columns), schema=schema, expressions=expressions)


def with_sql(table: Table, expressions: Mapping[str, str] | None = None) -> Table:
    """The table with its CREATE TABLE statement."""
    return replace(table, create_sql=create_table(table, expressions))


def change(table: Table, before: Row | None, after: Row | None, commit_ts: int | None = None) -> RowChange:
    """The row change from one image to the other."""
    op: RowOp = "update"
    if before is None:
        op = "insert"
    elif after is None:
        op = "delete"
    return RowChange(op, table.schema, table.name, commit_ts, before, after)


def insert(table: Table, row: Row, commit_ts: int | None = None) -> RowChange:
    """An insert."""
    return change(table, None, row, commit_ts)


def update(table: Table, before: Row, after: Row, commit_ts: int | None = None) -> RowChange:
    """An update."""
    return change(table, before, after, commit_ts)


def delete(table: Table, row: Row, commit_ts: int | None = None) -> RowChange:
    """A delete."""
    return change(table, row, None, commit_ts)


def history(table: Table, *rows: Sequence[Row | None]) -> tuple[Event, ...]:
    """The changes of rows, one row after the other: inserted as its first state, then changed to each next one.

    The state None deletes the row.
    """
    images = [pair for states in rows for pair in zip([None, *states], states, strict=False)]
    times = commit_times(len(images))
    return tuple(change(table, before, after, ts) for (before, after), ts in zip(images, times, strict=True))


def ddl(table: Table | None, query: str, action: str, **members: object) -> DdlEvent:
    """A DDL statement of a known action about a table, or about the schema `test` without one."""
    schema, name = table.id if table else ("test", "")
    return DdlEvent(schema, name, query, action, load_action_codes()[action], **members)  # type: ignore[arg-type]


def altered(before: Table, after: Table, query: str, action: str, **members: object) -> DdlEvent:
    """A DDL statement that turns one version of a table into another; it is about the name of the new version."""
    return ddl(after, query, action, table_before=before, table_after=after, **members)


BASE = numbered(column("a", "varchar(20)"))
"""The table of inputs that are not about tables."""
