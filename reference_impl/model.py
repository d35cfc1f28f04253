"""The logical model: tables, row changes, DDL statements, watermarks, and Kafka records.

All classes are frozen and independent of protocols. A row maps column name to `Value`: the value string of the harness
protocol, except that bytes are `bytes`, and an ENUM or SET known only by number is an `Index` or `Mask`. SQL NULL is
None; a missing column is absent from the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from reference_impl.column_types import ColumnType

__all__ = [
    "ABSENT",
    "Absent",
    "Claim",
    "Column",
    "DdlEvent",
    "Default",
    "Encoded",
    "Event",
    "Expression",
    "Index",
    "Key",
    "Mask",
    "RawText",
    "Record",
    "Row",
    "RowChange",
    "RowOp",
    "Table",
    "Value",
    "Watermark",
]


@dataclass(frozen=True, slots=True)
class Index:
    """An ENUM value known only by its 1-based number; 0 is MySQL's invalid value."""

    number: int


@dataclass(frozen=True, slots=True)
class Mask:
    """A SET value known only by its bit mask; the first member is bit 0."""

    bits: int


@dataclass(frozen=True, slots=True)
class RawText:
    """Bytes of a character column that are not valid UTF-8."""

    data: bytes


Value: TypeAlias = str | bytes | Index | Mask | RawText | None
Row: TypeAlias = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Absent:
    """A column without a DEFAULT clause."""


ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class Expression:
    """A DEFAULT that the database computes, such as CURRENT_TIMESTAMP(6)."""

    text: str


Default: TypeAlias = Value | Expression | Absent


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table version. Raises `TypeError` for a type given as a text; use `parse_column_type`."""

    name: str
    # The parsed type; with the charset `binary` already a binary type.
    type: ColumnType
    nullable: bool = True
    # The DEFAULT clause: a value, an `Expression`, or `ABSENT` without one.
    default: Default = ABSENT
    # The column's own charset and collation; None if it has those of its table.
    charset: str | None = None
    collation: str | None = None
    # The kind of a generated column; None for an ordinary column.
    generated: Literal["virtual", "stored"] | None = None
    auto_increment: bool = False
    # ON UPDATE CURRENT_TIMESTAMP
    on_update_now: bool = False
    comment: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.type, ColumnType):
            raise TypeError(
                f"the type of column {self.name!r} is a ColumnType, not {self.type!r}: parse_column_type({self.type!r})"
            )


@dataclass(frozen=True, slots=True)
class Key:
    """A unique key or an index: its name, empty if the statement gives none, and its columns in index order."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One version of a table. Keys are listed in the order of their ids.

    Raises `TypeError` for a column that is not a `Column`.
    """

    schema: str
    name: str
    columns: tuple[Column, ...]
    # The names of the columns in index order; empty without a primary key.
    primary_key: tuple[str, ...] = ()
    unique_keys: tuple[Key, ...] = ()
    # Indexes that are not unique.
    indexes: tuple[Key, ...] = ()
    # Whether TiDB stores the rows in the order of the primary key.
    clustered: bool = True
    table_id: int | None = None
    # The id of the partition, for a table with a single one.
    partition_id: int | None = None
    charset: str | None = None
    comment: str | None = None
    # The CREATE TABLE statement, if it is known.
    create_sql: str | None = None
    _by_name: Mapping[str, Column] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        for column in self.columns:
            if not isinstance(column, Column):
                raise TypeError(f"columns of table {self.schema}.{self.name} are each a Column, not {column!r}")
        object.__setattr__(self, "_by_name", {column.name: column for column in self.columns})

    def column(self, name: str) -> Column | None:
        """The column of that name, or None."""
        return self._by_name.get(name)

    @property
    def id(self) -> tuple[str, str]:
        """(schema, name), by which events refer to a table."""
        return self.schema, self.name


RowOp: TypeAlias = Literal["insert", "update", "delete", "upsert", "read"]


@dataclass(frozen=True, slots=True)
class RowChange:
    """A change of one row."""

    op: RowOp
    schema: str
    table: str
    # The TSO of the transaction, milliseconds since 1970 << 18 | counter; None if the format does not carry it.
    commit_ts: int | None
    # The images of the row, column name → value; None where the row does not exist or is not sent.
    before: Row | None = None
    after: Row | None = None
    # The TSO at which the transaction began.
    start_ts: int | None = None
    partition_id: int | None = None
    # TiDB's number of a row without a key, in decimal digits.
    row_id: str | None = None
    # The position in the producer's stream, by the names of its dialect; None if the dialect has none.
    source: Mapping[str, object] | None = None

    @property
    def row(self) -> Row:
        """The row after the change, or the one before it if none is after it; empty without either."""
        return (self.before or {}) if self.after is None else self.after


@dataclass(frozen=True, slots=True)
class DdlEvent:
    """A DDL statement."""

    schema: str
    # Empty for a statement about a schema; after a rename the new name.
    table: str
    # The text of the statement.
    query: str
    # The name and the number of the action in TiDB, see `actions`.
    action: str | None = None
    action_code: int | None = None
    # A TSO, as in `RowChange`.
    commit_ts: int | None = None
    # The table version before and after the statement; None if it does not exist or is not known.
    table_before: Table | None = None
    table_after: Table | None = None
    # Versions, after the statement, of the other tables that it changes.
    other_tables: tuple[Table, ...] = ()
    # As in `RowChange`.
    source: Mapping[str, object] | None = None

    @property
    def tables_after(self) -> tuple[Table, ...]:
        """`table_after`, if there is one, and `other_tables`."""
        return self.other_tables if self.table_after is None else (self.table_after, *self.other_tables)


@dataclass(frozen=True, slots=True)
class Watermark:
    """A promise that all events with a smaller `commit_ts` (TSO) were sent.

    "resolved" in Open Protocol.
    """

    commit_ts: int


Event: TypeAlias = RowChange | DdlEvent | Watermark


@dataclass(frozen=True, slots=True)
class Record:
    """A Kafka record. A key or value of None is absent, b"" is empty."""

    key: bytes | None
    value: bytes | None
    partition: int | None = None
    topic: str | None = None
    # Pairs of name and value, in order.
    headers: tuple[tuple[str, bytes | None], ...] = ()
    offset: int | None = None
    # Milliseconds since 1970.
    timestamp: int | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A file put into claim-check storage: its location and its content."""

    location: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Encoded:
    """The result of one flush: records in order, and the claim-check files that they refer to."""

    records: tuple[Record, ...]
    claims: tuple[Claim, ...] = ()
