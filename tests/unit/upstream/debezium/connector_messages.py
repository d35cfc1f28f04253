"""Messages for the tests of the connector: short ways to describe a table, to write a row and to read one back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from reference_impl import options as option_strings
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.exact_json import loads
from reference_impl.model import ABSENT, Column, Default, Event, Record, RowChange, Table, Value
from reference_impl.settings import Settings
from reference_impl.upstream.debezium import Decoder, Encoder, Options
from reference_impl.upstream.debezium.known_tables import KnownTables
from reference_impl.upstream.debezium.table_changes import table_change
from reference_impl.upstream.debezium.versions import VERSIONS

BARE = {"schemas.enable": "false"}
# One version for each parser of statements.
OLD, MIDDLE, NEW = "2.4.0", "3.0.7", "3.6.1"
CREATE = "create table t (a int not null, b int)"


def options(given: Mapping[str, str] | None = None) -> Options:
    """The options of those strings."""
    return option_strings.parse(Options, given or {})


def column(
    name: str, kind: str, *, nullable: bool = True, default: Default = ABSENT, charset: str | None = None
) -> Column:
    """A column of that type text."""
    return Column(name, parse_column_type(kind, charset), nullable, default, charset)


def table_of(*columns: Column, primary_key: tuple[str, ...] = ("id",)) -> Table:
    """The table `test.t` with a key `id` and those columns."""
    return Table("test", "t", (column("id", "int", nullable=False), *columns), primary_key, charset="utf8mb4")


def insert(**row: Value) -> RowChange:
    """An insertion into `test.t` of the row with `id` 1."""
    return RowChange("insert", "test", "t", None, None, {"id": "1", **row})


def write(
    events: Sequence[Event],
    tables: Sequence[Table] = (),
    given: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> tuple[Record, ...]:
    """The records of events, of the prefix `dbz`."""
    return Encoder(options(given), settings=settings or Settings(topic="dbz")).encode(events, tables).records


def tree_of(record: Record) -> Any:
    """The JSON of a record's value."""
    assert record.value is not None
    return loads(record.value)


def payload_of(record: Record) -> Any:
    """The payload of a record's value."""
    tree = tree_of(record)
    return tree["payload"] if "schema" in tree else tree


def text_of(kind: str, value: Value, given: Mapping[str, str] | None = None, op: str = "insert") -> str:
    """The JSON text of a value in a column `c` of that type."""
    change = RowChange("read" if op == "read" else "insert", "test", "t", None, None, {"id": "1", "c": value})
    record = write([change], [table_of(column("c", kind))], {**BARE, **(given or {})})[0]
    assert record.value is not None
    text = record.value.decode()
    start = text.index('"c":', text.index('"after":')) + len('"c":')
    return text[start : text.index('},"source":', start)]


def field_of(described: Column, given: Mapping[str, str] | None = None) -> Mapping[str, Any]:
    """The schema of a column, without its name and whether NULL may stand there."""
    value: Value = None
    record = write([insert(c=value)], [table_of(described)], given)[0]
    field = tree_of(record)["schema"]["fields"][1]["fields"][1]
    return {name: part for name, part in field.items() if name not in ("field", "optional")}


def changed(record: Record, *path: str | int, to: Any = None, drop: bool = False) -> Record:
    """The record with a member of its value changed or dropped."""
    assert record.value is not None
    tree = json.loads(record.value)
    place = tree
    for step in path[:-1]:
        place = place[step]
    if drop:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return Record(record.key, json.dumps(tree).encode(), record.partition, record.topic, record.headers)


def refusal(
    records: Sequence[Record], given: Mapping[str, str] | None = None, tables: Sequence[Table] = ()
) -> str | None:
    """The class for which a decoder refuses records, None if it does not."""
    try:
        Decoder(options(given)).decode(records, tables)
    except Rejected as e:
        return e.reason.value
    return None


def shown(version: str, *queries: str) -> str:
    """The tables that are known after the statements: their columns, with a * the nullable ones, and their keys."""
    known = KnownTables(VERSIONS[version])
    for query in queries:
        known.apply(query, "s")
    tables = (
        f"{name}({', '.join(c.name + '*' * c.nullable for c in table.columns)}) {','.join(table.primary_key)}".strip()
        for (_, name), table in sorted(known.tables.items())
    )
    return "; ".join(tables)


def described(version: str, *queries: str) -> list[dict[str, Any]]:
    """The columns in the record of the last statement."""
    known = KnownTables(VERSIONS[version])
    for query in queries[:-1]:
        known.apply(query, "s")
    [effect] = known.apply(queries[-1], "s")
    assert effect.change is not None, (version, queries)
    columns: list[dict[str, Any]] = json.loads(table_change(effect.change, VERSIONS[version]))["table"]["columns"]
    return columns
