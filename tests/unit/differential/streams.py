"""Streams of changes of a small table, drawn from a seed, and faults put into their messages as bytes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from differential.sides import Side
from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, Event, Record, Row, RowChange, Table
from tests.unit.differential.building import lost as lost
from tests.unit.differential.building import numbered as numbered
from tests.unit.differential.building import op_of, side_of, written
from tests.unit.differential.building import repeated as repeated

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
TABLE = Table(
    "shop",
    "orders",
    tuple(Column(n, parse_column_type(k), nullable=n != "id") for n, k in COLUMNS),
    ("id",),
    create_sql="",
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
        made.append(
            RowChange(op_of(old, rows[key]), "shop", "orders", commit_ts, old, rows[key], start_ts=commit_ts - 1)
        )
    return made


def side(name: str, dialect: str, **options: str) -> Side:
    """A side of the small table; underscores in names of options stand for hyphens."""
    return side_of(name, dialect, [TABLE], **options)


def messages(of: Side, given: Sequence[Event]) -> list[Record]:
    """The messages of a side for events of the table, each with its offset; no tombstones."""
    return numbered(record for record in written(of, given, [TABLE]) if record.value is not None)


def cut(records: list[Record], at: int) -> list[Record]:
    """With one message cut in the middle."""
    value = records[at].value
    assert value is not None
    return numbered([*records[:at], replace(records[at], value=value[: len(value) // 2]), *records[at + 1 :]])
