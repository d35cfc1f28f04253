"""Tables, rows and schemas for the Avro tests, and short ways to write, read and refuse."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from reference_impl import options as option_strings
from reference_impl.avro import Decoder, Encoder, Options
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import ABSENT, Column, Default, Event, Key, Record, RowChange, Table, Value
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.registry import MemoryRegistry, RegisteredSchema
from reference_impl.settings import Settings

# The time stamp of the worked messages; its physical time is 1591943372224 ms.
TS = 417318403368288260

INT = {"type": "int", "connect.parameters": {"tidb_type": "INT"}}
ID = {"name": "id", "type": INT}
EXTENSION = [
    {"default": "", "name": "_tidb_op", "type": "string"},
    {"default": 0, "name": "_tidb_commit_ts", "type": "long"},
    {"default": 0, "name": "_tidb_commit_physical_time", "type": "long"},
]


def column(name: str, kind: str, *, nullable: bool = True, default: Default = ABSENT, generated: Any = None) -> Column:
    """A column of a type text."""
    return Column(name, parse_column_type(kind), nullable, default, generated=generated)


def table_of(
    *columns: Column,
    schema: str = "test",
    name: str = "t",
    key: tuple[str, ...] = ("id",),
    unique: tuple[str, ...] = (),
) -> Table:
    """A table with these columns after `id`, which is its key unless told otherwise."""
    whole = (column("id", "int", nullable=False), *columns)
    return Table(schema, name, whole, primary_key=key, unique_keys=(Key("u", unique),) if unique else ())


PERSON = table_of(column("age", "int"), name="person")


def options(**given: str) -> Options:
    """Options by their names, `-` as `_`."""
    return option_strings.parse(Options, {name.replace("_", "-"): value for name, value in given.items()})


WATERMARKS = options(enable_tidb_extension="true", avro_enable_watermark="true")
"""The mode for tests, in which statements and watermarks are written."""


def insert(table: Table, commit_ts: int = TS, **row: Value) -> RowChange:
    """An insert of a row; `id` is 1 unless it is given."""
    return RowChange("insert", table.schema, table.name, commit_ts, after={"id": "1", **row})


class Written:
    """What an encoder wrote: its records, and the schemas it registered."""

    def __init__(self, records: tuple[Record, ...], registry: MemoryRegistry) -> None:
        self.records = records
        self.registry = registry

    @property
    def subjects(self) -> list[str]:
        """Subjects in the order of registration."""
        return [one.subject for one in self.registry.requests]

    def text(self, part: str = "value") -> str:
        """The schema that was registered last for that part."""
        return [one.schema for one in self.registry.requests if one.subject.endswith(f"-{part}")][-1]

    def schema(self, part: str = "value") -> Any:
        """The same as JSON."""
        return json.loads(self.text(part))


def write(
    table: Table | None,
    *events: Event,
    profile: Profile = NEWARCH,
    given: Options | None = None,
    settings: Mapping[str, Any] | None = None,
    defects: frozenset[str] = frozenset(),
) -> Written:
    """Events of one table, written."""
    registry = MemoryRegistry()
    surroundings = Settings(registry=registry, **(settings or {}))
    encoder = Encoder(given or Options(), profile, settings=surroundings, defects=defects)
    return Written(encoder.encode(events, [] if table is None else [table]).records, registry)


def body_of(data: bytes | None) -> str:
    """The bytes after the header, in hexadecimal digits."""
    assert data is not None
    assert data[0] == 0
    return data[5:].hex()


def field_of(written: Written, name: str) -> str:
    """The text of one field of the value's schema."""
    fields = written.schema()["fields"]
    text = next(json.dumps(f, ensure_ascii=False, separators=(",", ":")) for f in fields if f["name"] == name)
    assert text in written.text() or "\\u003" in written.text()
    return text


def schema(*fields: Any, name: str = "t", namespace: str = "default.test", **more: Any) -> str:
    """The text of a record's schema."""
    return json.dumps({"type": "record", "name": name, "namespace": namespace, "fields": list(fields)} | more)


def numbered(*texts: str) -> MemoryRegistry:
    """A registry that holds these texts as 1, 2, …"""
    return MemoryRegistry(RegisteredSchema(n, f"s{n}", text) for n, text in enumerate(texts, 1))


def record(key: str | None, value: str | None) -> Record:
    """A record of hexadecimal digits; a blank parts them for the reader's sake."""
    return Record(*(None if part is None else bytes.fromhex(part) for part in (key, value)))


def decode(
    registry: MemoryRegistry, *records: Record, tables: tuple[Table, ...] = (), given: Options | None = None
) -> list[Event]:
    """The events of records."""
    return Decoder(given or Options(), settings=Settings(registry=registry)).decode(records, tables)


def refusal(registry: MemoryRegistry, given_record: Record, given: Options | None = None) -> str:
    """The class of rejection of a record, or what it was read as."""
    try:
        return f"read as {decode(registry, given_record, given=given)}"
    except Rejected as e:
        return str(e.reason)
