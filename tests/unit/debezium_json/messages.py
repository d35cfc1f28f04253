"""Messages for the Debezium JSON tests: one worked message as a tree, and short ways to change, write and read it."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

from reference_impl.column_types import parse_column_type
from reference_impl.debezium_json import Decoder, Encoder, Options
from reference_impl.errors import Rejected
from reference_impl.model import ABSENT, Column, Default, Event, Record, RowChange, Table, Value
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings

COMMIT_TS = 429819990172237824
NOW = 1701326309000
EXTENSION = Options(enable_tidb_extension=True)
BARE = Options(debezium_disable_schema=True)
TEST_CLUSTER = Settings(cluster_id="test_cluster", now_ms=NOW)

# Table of the document's example.
TABLE1 = Table("test", "table1", (Column("tiny", parse_column_type("tinyint"), False),), primary_key=("tiny",))

_FIELD = {"type": "int16", "optional": False, "field": "tiny"}
_VALUE: dict[str, Any] = {
    "payload": {
        "source": {
            "version": "2.4.0.Final", "connector": "TiCDC", "name": "test_cluster", "ts_ms": 0, "snapshot": "false",
            "db": "test", "table": "table1", "server_id": 0, "gtid": None, "file": "", "pos": 0, "row": 0, "thread": 0,
            "query": None, "commit_ts": 1, "cluster_id": "test_cluster",
        },
        "ts_ms": NOW, "transaction": None, "op": "c", "before": None, "after": {"tiny": 1},
    },
    "schema": {
        "type": "struct", "optional": False, "name": "test_cluster.test.table1.Envelope", "version": 1,
        "fields": [
            {"type": "struct", "optional": True, "field": "before", "fields": [_FIELD]},
            {"type": "struct", "optional": True, "field": "after", "fields": [_FIELD]},
            {"type": "string", "optional": False, "field": "op"},
        ],
    },
}  # fmt: skip

OMIT = object()


def _put(tree: Any, path: str, value: Any) -> None:
    *places, name = path.split(".")
    for place in places:
        tree = tree[int(place)] if isinstance(tree, list) else tree[place]
    if value is OMIT:
        del tree[name]
    elif isinstance(tree, list):
        tree[int(name)] = value
    else:
        tree[name] = value


def changed(changes: Mapping[str, Any] | None = None, *, base: Mapping[str, Any] = _VALUE) -> dict[str, Any]:
    """The insert of 1 into `table1` with some members replaced, named by paths with dots; `OMIT` leaves one out."""
    tree = copy.deepcopy(dict(base))
    for path, value in (changes or {}).items():
        _put(tree, path, copy.deepcopy(value) if value is not OMIT else value)
    return tree


def without_schema(changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """As `changed`, without the schema."""
    return changed({"schema": OMIT, **(changes or {})})


def column_message(field: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """An insert of a value into a column `c`; `field` is what its schema says beside the name."""
    declared = [{"optional": True, "field": "c", **field}]
    return changed(
        {"schema.fields.0.fields": declared, "schema.fields.1.fields": declared, "payload.after": {"c": value}}
    )


def named(kind: str, name: str, tidb_type: str | None = None, **parameters: str) -> dict[str, Any]:
    """The schema of a column of a named type: `connect.` is for those of Kafka Connect, all others are Debezium's."""
    prefix, short = ("org.apache.kafka.connect.data", name[8:]) if name[:8] == "connect." else ("io.debezium", name)
    field: dict[str, Any] = {"type": kind, "name": f"{prefix}.{short}"}
    field |= {"parameters": parameters} if parameters else {}
    return field | ({"tidb_type": tidb_type} if tidb_type is not None else {})


def compact(tree: Any) -> bytes:
    """A JSON text without blanks."""
    return json.dumps(tree, separators=(",", ":"), ensure_ascii=False).encode()


def decode_one(
    message: Any, *tables: Table, key: Any = None, options: Options | None = None, timezone: str = "UTC"
) -> Event:
    """The event of one message; message and key are trees or bytes."""
    value, key = (part if part is None or isinstance(part, bytes) else compact(part) for part in (message, key))
    [event] = Decoder(options, settings=Settings(timezone=timezone)).decode([Record(key, value)], tables)
    return event


def refusal(message: Any, *tables: Table, key: Any = None, options: Options | None = None) -> str:
    """The class for which a message is refused, or the event that it is read as."""
    try:
        return str(decode_one(message, *tables, key=key, options=options))
    except Rejected as e:
        return str(e.reason)


def write(
    *events: Event,
    tables: tuple[Table, ...] = (TABLE1,),
    options: Options | None = None,
    profile: Profile = NEWARCH,
    settings: Settings = TEST_CLUSTER,
    defects: frozenset[str] = frozenset(),
) -> list[tuple[str, str]]:
    """Key and value of each record of `events`."""
    records = Encoder(options, profile, settings=settings, defects=defects).encode(events, tables).records
    return [((record.key or b"").decode(), (record.value or b"").decode()) for record in records]


def one_column(kind: str, *, nullable: bool = True, default: Default = ABSENT, charset: str | None = None) -> Table:
    """A table with the one column `c`."""
    return Table("test", "t", (Column("c", parse_column_type(kind, charset), nullable, default),))


def field_and_value(
    table: Table,
    value: Value,
    *,
    options: Options | None = None,
    profile: Profile = NEWARCH,
    timezone: str = "UTC",
    defects: frozenset[str] = frozenset(),
) -> tuple[str, str]:
    """The schema of the one column of a table, and the JSON text of a value in it."""
    change = RowChange("insert", *table.id, COMMIT_TS, after={"c": value})
    settings = Settings(timezone=timezone)
    [(_, text)] = write(change, tables=(table,), options=options, profile=profile, settings=settings, defects=defects)
    payload, _, schema = text.partition(',"schema":')
    return (
        schema.partition('"field":"after","fields":[')[2].partition("]},{")[0],
        payload.partition('"after":{')[2].removesuffix("}}").removeprefix('"c":'),
    )
