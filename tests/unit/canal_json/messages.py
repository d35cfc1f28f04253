"""Messages for the Canal-JSON tests: worked message W-1 as a tree, and short ways to change, write and read it."""

from __future__ import annotations

import copy
import json
from typing import Any

from reference_impl.canal_json import Decoder, Encoder, Options
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import Claim, Column, Event, Record, RowChange, Table, Value
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings

COMMIT_TS = 429819990172237824
EXTENSION = Options(enable_tidb_extension=True)

# Table and row of the document's example.
TP_INT = Table(
    "test",
    "tp_int",
    tuple(
        Column(name, parse_column_type(kind), nullable=name != "id")
        for name, kind in (
            ("id", "int"),
            ("c_tinyint", "tinyint"),
            ("c_smallint", "smallint"),
            ("c_mediumint", "mediumint"),
            ("c_int", "int"),
            ("c_bigint", "bigint"),
        )
    ),
    primary_key=("id",),
)
ROW: dict[str, Value] = {
    "id": "2",
    "c_tinyint": "127",
    "c_smallint": "32767",
    "c_mediumint": "8388607",
    "c_int": "2147483647",
    "c_bigint": "9223372036854775807",
}

_W1: dict[str, Any] = {
    "id": 0,
    "database": "test",
    "table": "tp_int",
    "pkNames": ["id"],
    "isDdl": False,
    "type": "INSERT",
    "es": 1639633141221,
    "ts": 1639633142960,
    "sql": "",
    "sqlType": {"id": 4, "c_tinyint": -6, "c_smallint": 5, "c_mediumint": 4, "c_int": 4, "c_bigint": -5},
    "mysqlType": {
        "id": "int",
        "c_tinyint": "tinyint",
        "c_smallint": "smallint",
        "c_mediumint": "mediumint",
        "c_int": "int",
        "c_bigint": "bigint",
    },
    "old": None,
    "data": [dict(ROW)],
    "_tidb": {"commitTs": COMMIT_TS},
}

OMIT = object()


def changed(**members: Any) -> dict[str, Any]:
    """Worked message W-1 with some top-level members replaced; `OMIT` leaves one out."""
    tree = copy.deepcopy(_W1) | members
    return {name: value for name, value in tree.items() if value is not OMIT}


def column(kind: str, text: str | None, code: int, **members: Any) -> dict[str, Any]:
    """An INSERT of a table with the one column `c`: its mysqlType, its text and its sqlType code."""
    return changed(pkNames=[], mysqlType={"c": kind}, sqlType={"c": code}, data=[{"c": text}]) | members


def one_column(kind: str, charset: str | None = None) -> Table:
    """A table with the one column `c`."""
    return Table("test", "tp_int", (Column("c", parse_column_type(kind, charset)),))


def _record(message: dict[str, Any] | bytes) -> Record:
    return Record(None, message if isinstance(message, bytes) else json.dumps(message).encode())


def decode_one(
    message: dict[str, Any] | bytes, *tables: Table, options: Options | None = None, claims: tuple[Claim, ...] = ()
) -> Event:
    """The event of one message, a tree or its bytes."""
    [event] = Decoder(options).decode([_record(message)], tables, claims)
    return event


def refusal(message: dict[str, Any] | bytes, *tables: Table, options: Options | None = None) -> str:
    """The class for which a message is refused, or the event that it is read as."""
    try:
        return str(decode_one(message, *tables, options=options))
    except Rejected as e:
        return str(e.reason)


def write(
    *events: Event,
    tables: tuple[Table, ...] = (TP_INT,),
    options: Options | None = None,
    profile: Profile = NEWARCH,
    settings: Settings | None = None,
) -> list[bytes]:
    """The values of the records of `events`."""
    records = Encoder(options, profile, settings=settings).encode(events, tables).records
    assert all(record.key is None and record.value is not None for record in records)
    return [record.value for record in records if record.value is not None]


def tree_of(data: bytes) -> dict[str, Any]:
    """A message as a tree."""
    tree: dict[str, Any] = json.loads(data)
    return tree


def text_of(kind: str, value: Value, *, charset: str | None = None, full: bool = False) -> tuple[str, int, str | None]:
    """(mysqlType, sqlType, text) of a value in a table with one column."""
    table = one_column(kind, charset)
    change = RowChange("insert", *table.id, COMMIT_TS, after={"c": value})
    [data] = write(change, tables=(table,), options=Options(content_compatible=full))
    tree = tree_of(data)
    return tree["mysqlType"]["c"], tree["sqlType"]["c"], tree["data"][0]["c"]
