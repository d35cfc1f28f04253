"""Inputs: events before they become a case for an encoder or a decoder of one protocol.

A database can produce every input: a row is inserted before it is updated or deleted, and time stamps rise from
transaction to transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from conformance.cases.model import Role
from conformance.cases.sql import create_table
from reference_impl.column_types import parse_column_type
from reference_impl.errors import RejectionClass
from reference_impl.model import Column, DdlEvent, Event, Row, RowChange, Table, Watermark
from reference_impl.registry import RegisteredSchema
from reference_impl.settings import Settings
from reference_impl.tso import compose

__all__ = [
    "BOTH",
    "ENCODINGS",
    "NEWARCH_ONLY",
    "NOW",
    "Input",
    "change",
    "column",
    "commit_times",
    "ddl",
    "delete",
    "history",
    "insert",
    "lives",
    "table",
    "timed",
    "update",
    "with_sql",
]

# The settings of a case by default, with a fixed wall clock.
NOW = Settings(now_ms=1700000000123)

# The profiles whose style a decoder's records have.
NEWARCH_ONLY = ("newarch",)

# Free forms of JSON; an input takes one group of them: see `equivalent_encodings`.
ENCODINGS = (("shuffled",), ("spaced",), ("escaped",), ("unknown members",))

BOTH: frozenset[Role] = frozenset({"encode", "decode"})

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
    roles: frozenset[Role] = BOTH
    styles: tuple[str, ...] = NEWARCH_ONLY
    """A decoder gets a case for each of these profiles, with records in its style."""
    encodings: tuple[str, ...] = ()
    """A decoder gets one more case for each of these encodings of a writer."""
    blind: bool = False
    """A decoder gets one more case without the tables."""
    mixed: bool = False
    """A decoder gets one more case whose records alternate between the styles of all profiles, as after an upgrade."""
    repeated: tuple[int, ...] = ()
    """Positions of events that repeat below a watermark; an answer may leave out any of them."""
    registered: tuple[RegisteredSchema, ...] = ()
    """Schemas of other subjects that the registry has before the first record."""
    transactions: tuple[str, ...] = ()
    """The statements between set-up and end, if they do not follow from the events, which are net changes."""
    refused: frozenset[RejectionClass] = frozenset()
    """Classes with which an encoder must refuse the input; empty for a valid input."""
    requirements: tuple[str, ...] = ()
    """Those of the encoder's case."""
    profiles: frozenset[str] = frozenset()
    """The only profiles with this input; empty means every profile."""
    axes: Mapping[str, str] = field(default_factory=dict)


def commit_times(count: int, first: int = 0) -> list[int]:
    """`count` rising time stamps, 7 ms apart; the logical part rises too."""
    return [compose(_FIRST_MS + 7 * n, n + 1) for n in range(first, first + count)]


def timed(events: Iterable[Event]) -> tuple[Event, ...]:
    """The events with rising time stamps, each a transaction of its own. An existing time stamp stays."""
    given = list(events)
    times = commit_times(len(given))
    return tuple(
        event if isinstance(event, Watermark) or event.commit_ts is not None else replace(event, commit_ts=ts)
        for event, ts in zip(given, times, strict=True)
    )


def column(name: str, kind: str, *, nullable: bool = True) -> Column:
    """A column with only type and nullability."""
    return Column(name, parse_column_type(kind), nullable)


def table(
    name: str,
    columns: Sequence[Column],
    primary_key: Sequence[str] = ("id",),
    schema: str = "test",
    expressions: Mapping[str, str] | None = None,
) -> Table:
    """A table with its CREATE TABLE statement; `expressions` are those of its generated columns."""
    return with_sql(Table(schema, name, tuple(columns), primary_key=tuple(primary_key)), expressions)


def with_sql(given: Table, expressions: Mapping[str, str] | None = None) -> Table:
    """The table with its CREATE TABLE statement."""
    return replace(given, create_sql=create_table(given, expressions))


def change(given: Table, before: Row | None, after: Row | None, commit_ts: int | None = None) -> RowChange:
    """The row change from one image to the other."""
    op = "insert" if before is None else "delete" if after is None else "update"
    return RowChange(op, given.schema, given.name, commit_ts, before, after)  # type: ignore[arg-type]


def insert(given: Table, row: Row, commit_ts: int | None = None) -> RowChange:
    """An insert."""
    return change(given, None, row, commit_ts)


def update(given: Table, before: Row, after: Row, commit_ts: int | None = None) -> RowChange:
    """An update."""
    return change(given, before, after, commit_ts)


def delete(given: Table, row: Row, commit_ts: int | None = None) -> RowChange:
    """A delete."""
    return change(given, row, None, commit_ts)


def history(given: Table, states: Sequence[Row | None]) -> tuple[Event, ...]:
    """The life of one row: inserted as the first state, then each of the others in turn; None deletes it."""
    return lives(given, states)


def lives(given: Table, *rows: Sequence[Row | None]) -> tuple[Event, ...]:
    """Like `history`, for several rows, one after the other."""
    return timed(
        change(given, before, after) for states in rows for before, after in zip([None, *states], states, strict=False)
    )


def ddl(given: Table | None, query: str, action: str, code: int, **members: object) -> DdlEvent:
    """A DDL statement about a table, or about the schema `test` where there is none."""
    schema, name = given.id if given else ("test", "")
    return DdlEvent(schema, name, query, action, code, **members)  # type: ignore[arg-type]
