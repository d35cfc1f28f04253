"""Streams of changes of a small table, drawn from a seed, and faults put into their messages as bytes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from differential.sides import Side, codec_of
from reference_impl.model import Record, Row, RowChange
from reference_impl.options import parse
from reference_impl.wire import table_from_json

COLUMNS = (
    ("id", "bigint"),
    ("amount", "decimal(10,2)"),
    ("rate", "double"),
    ("name", "varchar(20)"),
    ("state", "enum('new','paid')"),
    ("raw", "binary(4)"),
    ("doc", "json"),
    ("small", "int unsigned"),
    ("at", "datetime(3)"),
)
TABLE = table_from_json(
    {
        "schema": "shop",
        "name": "orders",
        "columns": [{"name": name, "type": kind, "nullable": name != "id"} for name, kind in COLUMNS],
        "primary_key": ["id"],
        "unique_keys": [],
        "indexes": [],
        "clustered": True,
        "create_sql": "",
    }
)
TYPES = {(TABLE.schema, TABLE.name, column.name): column.type for column in TABLE.columns}


def _row(random_: random.Random, key: int) -> Row:
    values: Mapping[str, Callable[[], str | bytes]] = {
        "amount": lambda: f"{random_.randint(0, 10**6)}.{random_.randint(0, 99):02}",
        "rate": lambda: repr(random_.random() * 10 ** random_.randint(-6, 12)),
        "name": lambda: random_.choice(["plain", 'a"b', "<&>", "\\", "été 😀", ""]) + str(random_.randint(0, 99)),
        "state": lambda: random_.choice(["new", "paid"]),
        "raw": lambda: bytes(random_.choices(range(256), k=4)),
        "doc": lambda: f'{{"b": [1, {random_.randint(0, 9)}.5], "a": {random_.randint(0, 10**20)}}}',
        "small": lambda: str(random_.choice([0, 5, 2**31, 2**32 - 1])),
        "at": lambda: f"2024-02-29 23:59:{random_.randint(0, 59):02}.{random_.randint(0, 999):03}",
    }
    return {"id": str(key)} | {name: None if random_.random() < 0.1 else make() for name, make in values.items()}


def changes(seed: int, count: int, keys: int = 12) -> list[RowChange]:
    """Inserts, updates and deletes of a few keys, each a transaction of its own."""
    random_ = random.Random(seed)
    rows: dict[int, Row] = {}
    made = []
    for n in range(count):
        key, commit_ts = random_.randrange(keys), 430_000_000_000_000_000 + n * 262_144
        old = rows.pop(key, None)
        if old is not None and random_.random() < 0.2:
            made.append(RowChange("delete", "shop", "orders", commit_ts, before=old, start_ts=commit_ts - 1))
            continue
        rows[key] = _row(random_, key)
        op = "insert" if old is None else "update"
        made.append(RowChange(op, "shop", "orders", commit_ts, before=old, after=rows[key], start_ts=commit_ts - 1))
    return made


def side(name: str, dialect: str, **options: str) -> Side:
    """A side of the small table; underscores in names of options stand for hyphens."""
    return Side(name, dialect, {n.replace("_", "-"): v for n, v in options.items()}, tables=(TABLE,))


def messages(of: Side, given: Sequence[RowChange]) -> list[Record]:
    """The messages of a side for the changes, each with its offset."""
    codec = codec_of(of.dialect)
    encoder = codec.encoder(parse(codec.options, of.options), of.profile, settings=of.settings)
    records = [record for change in given for record in encoder.encode([change], [TABLE]).records]
    return numbered(record for record in records if record.value is not None)


def numbered(records: object) -> list[Record]:
    """The records with offsets from 0."""
    return [replace(record, topic="t", partition=0, offset=n) for n, record in enumerate(records)]  # type: ignore[call-overload]


def lost(records: list[Record], at: int) -> list[Record]:
    """Without one message."""
    return numbered(records[:at] + records[at + 1 :])


def repeated(records: list[Record], at: int) -> list[Record]:
    """With one message twice."""
    return numbered(records[: at + 1] + records[at:])


def cut(records: list[Record], at: int) -> list[Record]:
    """With one message cut in the middle."""
    value = records[at].value
    assert value is not None
    return numbered([*records[:at], replace(records[at], value=value[: len(value) // 2]), *records[at + 1 :]])
