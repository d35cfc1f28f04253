"""What the tests of Open Protocol share: small tables, and a look into records."""

from __future__ import annotations

from collections.abc import Iterable

from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, Event, Record, Row, RowChange, Table, Value
from reference_impl.open_protocol import Options, encode
from reference_impl.open_protocol.framing import frame, unframe
from reference_impl.profiles import NEWARCH, Profile


def column(name: str, kind: str, *, nullable: bool = True, generated: str | None = None) -> Column:
    """A column."""
    return Column(name, parse_column_type(kind), nullable, generated=generated)  # type: ignore[arg-type]


def table(*columns: Column, primary_key: tuple[str, ...] = (), name: str = "t", **more: object) -> Table:
    """A table of the schema `test`."""
    return Table("test", name, columns, primary_key, **more)  # type: ignore[arg-type]


AB = table(column("a", "tinyint", nullable=False), column("b", "int"), primary_key=("a",))
"""`test.t(a tinyint primary key, b int)`, the table of most of upstream's examples."""

A = '"a":{"t":1,"h":true,"f":11,"v":1}'
"""Its column `a` with the value 1, on the wire."""


def insert(row: Row, ts: int | None = 1, of: Table = AB, **more: object) -> RowChange:
    """An insert."""
    return RowChange("insert", of.schema, of.name, ts, after=row, **more)  # type: ignore[arg-type]


def update(before: Row, after: Row, ts: int = 2, of: Table = AB) -> RowChange:
    """An update."""
    return RowChange("update", of.schema, of.name, ts, before=before, after=after)


def delete(row: Row, ts: int = 3, of: Table = AB) -> RowChange:
    """A delete."""
    return RowChange("delete", of.schema, of.name, ts, before=row)


def events_of(records: Iterable[Record]) -> list[tuple[str, str]]:
    """The (key, value) JSON texts of every event in the records."""
    return [(k.decode(), v.decode()) for record in records for k, v in unframe(record.key, record.value)]


def texts(
    *events: Event,
    tables: Iterable[Table] = (AB,),
    profile: Profile = NEWARCH,
    defects: frozenset[str] = frozenset(),
    **options: object,
) -> list[tuple[str, str]]:
    """The (key, value) JSON texts that `events` become."""
    encoded = encode(events, tables, Options(**options), profile, defects=defects)  # type: ignore[arg-type]
    return events_of(encoded.records)


def column_text(kind: str, value: Value, profile: Profile = NEWARCH, *, nullable: bool = True) -> str:
    """The column object of one value, in a table of this column alone."""
    one = table(column("c", kind, nullable=nullable))
    [(_, text)] = texts(insert({"c": value}, of=one), tables=[one], profile=profile)
    return text.removeprefix('{"u":{"c":').removesuffix("}}")


def record(key: str, value: str | bytes) -> Record:
    """A record of one event."""
    return Record(*frame([(key.encode(), value if isinstance(value, bytes) else value.encode())]))
