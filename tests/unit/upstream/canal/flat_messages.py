"""Messages for the tests of Alibaba Canal: the worked flat message as a tree, and short ways to write and read one."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

from reference_impl import options as option_strings
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import Column, Event, Record, RowChange, Table, Value
from reference_impl.settings import Settings
from reference_impl.upstream.canal import Decoder, Encoder, Options

# Where the worked message stands.
POSITION = {"id": "7", "es": "1639633141000", "ts": "1639633142960", "gtid": ""}

ROW: dict[str, Value] = {"id": "2", "c_tinyint": "127", "c_int": "2147483647"}
TP_INT = Table(
    "test",
    "tp_int",
    tuple(
        Column(name, parse_column_type(kind), nullable=name != "id")
        for name, kind in (("id", "int"), ("c_tinyint", "tinyint"), ("c_int", "int"))
    ),
    primary_key=("id",),
)

_WORKED: dict[str, Any] = {
    "data": [dict(ROW)],
    "database": "test",
    "es": 1639633141000,
    "gtid": "",
    "id": 7,
    "isDdl": False,
    "mysqlType": {"id": "int", "c_tinyint": "tinyint", "c_int": "int"},
    "old": None,
    "pkNames": ["id"],
    "sql": "",
    "sqlType": {"id": 4, "c_tinyint": -6, "c_int": 4},
    "table": "tp_int",
    "ts": 1639633142960,
    "type": "INSERT",
}

OMIT = object()


def options(**members: str) -> Options:
    """Options by the strings of the harness protocol."""
    return option_strings.parse(Options, members)


def changed(**members: Any) -> dict[str, Any]:
    """The worked message with some members replaced, in their place; `OMIT` leaves one out."""
    tree = copy.deepcopy(_WORKED)
    for name, value in members.items():
        tree[name] = value
    return {name: value for name, value in tree.items() if value is not OMIT}


def column(kind: str, text: str | None, code: int, **members: Any) -> dict[str, Any]:
    """An INSERT of a table with the one column `c`: its mysqlType, its text and its sqlType code."""
    return changed(pkNames=None, mysqlType={"c": kind}, sqlType={"c": code}, data=[{"c": text}]) | members


def tree_of(data: bytes) -> dict[str, Any]:
    """A message as a tree."""
    tree: dict[str, Any] = json.loads(data)
    return tree


def _record(message: dict[str, Any] | bytes) -> Record:
    text = message if isinstance(message, bytes) else json.dumps(message, ensure_ascii=False).encode()
    return Record(None, text)


def decode_one(message: dict[str, Any] | bytes, *tables: Table, with_options: Options | None = None) -> list[Event]:
    """The events of one message, a tree or its bytes."""
    return Decoder(with_options).decode([_record(message)], tables)


def refusal(message: dict[str, Any] | bytes, *tables: Table, with_options: Options | None = None) -> str:
    """The class for which a message is refused, or the events that it is read as."""
    try:
        return str(decode_one(message, *tables, with_options=with_options))
    except Rejected as e:
        return str(e.reason)


def row_event(op: Any, before: Any = None, after: Any = None, table: Table = TP_INT, **source: object) -> RowChange:
    """A row change of `table` at the position of the worked message."""
    return RowChange(op, table.schema, table.name, None, before, after, source={**POSITION, **source})


def write(
    *events: Event,
    tables: Sequence[Table] = (TP_INT,),
    with_options: Options | None = None,
    settings: Settings | None = None,
) -> list[bytes]:
    """The values of the records of `events`."""
    records = Encoder(with_options, settings=settings).encode(events, tables).records
    assert all(record.key is None and record.value is not None for record in records)
    return [record.value for record in records if record.value is not None]


def table_of(kind: str, charset: str | None = None, **members: Any) -> Table:
    """A table with the one column `c`."""
    column_ = Column("c", parse_column_type(kind, charset), charset=charset)
    return Table("test", "tp_int", (column_,), **members)


def text_of(
    kind: str, value: Value, charset: str | None = None, with_options: Options | None = None
) -> tuple[str, int, str | None]:
    """(mysqlType, sqlType, text) of a value in a table with one column."""
    table = table_of(kind, charset)
    [data] = write(row_event("insert", after={"c": value}, table=table), tables=[table], with_options=with_options)
    tree = tree_of(data)
    return tree["mysqlType"]["c"], tree["sqlType"]["c"], tree["data"][0]["c"]


def shown(kind: str, charset: str | None = None, **given: str) -> str:
    """The mysqlType of a column with these options."""
    return text_of(kind, None, charset, options(**given))[0]
