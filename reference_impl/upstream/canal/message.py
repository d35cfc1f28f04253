"""Reads a flat message into its members, checking their presence and JSON kind but not their meaning.

[CJ-510, CJ-654, CJ-721]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from reference_impl.exact_json import Tree
from reference_impl.faults import Faults
from reference_impl.model import RowOp
from reference_impl.upstream.canal.ddl import DDL_TYPES

__all__ = ["MEMBERS", "QUERY", "ROW_OPS", "Message", "TextRow", "read_message"]

TextRow: TypeAlias = dict[str, str | None]

ROW_OPS: Mapping[str, RowOp] = {"INSERT": "insert", "UPDATE": "update", "DELETE": "delete"}
QUERY = "QUERY"
# Messages about transactions, without rows and without a statement about tables.  [CJ-655]
_OTHER_TYPES = frozenset({"GTID", "XACOMMIT", "XAROLLBACK"})

_MAX_MS = 2**63 - 1


def _number(value: Tree) -> bool:
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def _text(value: Tree) -> bool:
    return isinstance(value, str)


def _flag(value: Tree) -> bool:
    return isinstance(value, bool)


def _row(value: Tree) -> bool:
    return isinstance(value, dict) and all(v is None or isinstance(v, str) for v in value.values())


# Canal writes an empty list or object as null.


def _list_of(fits: Callable[[Tree], bool]) -> Callable[[Tree], bool]:
    return lambda value: value is None or (isinstance(value, list) and value != [] and all(map(fits, value)))


def _object_of(fits: Callable[[Tree], bool]) -> Callable[[Tree], bool]:
    return lambda value: value is None or (isinstance(value, dict) and value != {} and all(map(fits, value.values())))


# Every message has all of these, in this order.  [CJ-721]
MEMBERS: Mapping[str, Callable[[Tree], bool]] = {
    "data": _list_of(_row),
    "database": _text,
    "es": _number,
    "gtid": _text,
    "id": _number,
    "isDdl": _flag,
    "mysqlType": _object_of(_text),
    "old": _list_of(_row),
    "pkNames": _list_of(_text),
    "sql": _text,
    "sqlType": _object_of(_number),
    "table": _text,
    "ts": _number,
    "type": _text,
}


@dataclass(frozen=True, slots=True)
class Message:
    """The members of a message, under their own names."""

    data: list[TextRow]
    database: str
    es: int
    gtid: str
    id: int
    is_ddl: bool
    mysql_type: dict[str, str]
    old: list[TextRow]
    pk_names: list[str]
    sql: str
    sql_type: dict[str, int]
    table: str
    ts: int
    type: str


# Null in a message without any column.
_OF_COLUMNS = ("data", "mysqlType", "old", "pkNames", "sqlType")


def _is_without_columns(tree: dict[str, Any]) -> bool:
    """Whether the message has no column at all, as an INSERT that names none has in a partial row image.  [DV-34]"""
    return tree["type"] == "INSERT" and all(tree[name] is None for name in _OF_COLUMNS)


def _check_rows(faults: Faults, tree: dict[str, Any], image: str) -> None:
    """Check that rows and type maps have the same columns, and `old` a row for each of `data`.  [CJ-510, DV-34]"""
    data, old = tree["data"], tree["old"]
    if image != "FULL" and _is_without_columns(tree):
        return
    if not faults.expect(data is not None, "schema", "there is no row in data"):
        return
    columns = list(data[0])
    for row in data:
        faults.expect(list(row) == columns, "schema", "the rows of data have not the same columns")
    for name in ("sqlType", "mysqlType"):
        faults.expect(list(tree[name] or ()) == columns, "schema", f"{name} and data have not the same columns")
    if old is not None and faults.expect(len(old) == len(data), "schema", "old has not as many rows as data"):
        faults.expect(all(row.keys() <= set(columns) for row in old), "schema", "old has a column that data has not")


def read_message(tree: Tree, faults: Faults, *, image: str) -> Message:
    """The message in a JSON tree; `image` is the `binlog_row_image`.

    An INSERT without any column has one empty row: it does not say how many there were.

    Raises `Rejected`: class `schema` for a member that is missing, unknown, out of place or of the wrong JSON kind,
    `type` for an unknown type of message or a number that is not an integer. Other faults are added to `faults`.
    """
    if not faults.expect(isinstance(tree, dict), "schema", "the message is not an object"):
        faults.raise_first("schema")
    for name, fits in MEMBERS.items():
        if faults.expect(name in tree, "schema", f"there is no member {name!r}"):
            faults.expect(fits(tree[name]), "schema", f"{name!r} has the wrong JSON kind")
    faults.expect(tree.keys() <= MEMBERS.keys(), "schema", f"unknown members {sorted(tree.keys() - MEMBERS.keys())}")
    faults.expect(list(tree) == list(MEMBERS), "schema", "the members are not in alphabetical order")
    faults.raise_first("schema")
    is_ddl, message_type = tree["isDdl"], tree["type"]
    known = DDL_TYPES if is_ddl else {*ROW_OPS, QUERY, *_OTHER_TYPES}
    faults.expect(message_type in known, "type", f"type {message_type!r} with isDdl {str(is_ddl).lower()}")
    if not is_ddl and message_type in ROW_OPS:
        _check_rows(faults, tree, image)
    faults.raise_first("schema")
    for name in ("es", "id", "ts"):
        if faults.expect(isinstance(tree[name], int), "type", f"{name} is not an integer"):
            faults.expect(0 <= tree[name] <= _MAX_MS, "range", f"{name} is {tree[name]}")
    for name, code in (tree["sqlType"] or {}).items():
        faults.expect(isinstance(code, int), "type", f"sqlType.{name} is not an integer")
    faults.raise_first("type")
    return Message(
        data=tree["data"] or ([{}] if message_type == "INSERT" else []),
        database=tree["database"],
        es=tree["es"],
        gtid=tree["gtid"],
        id=tree["id"],
        is_ddl=is_ddl,
        mysql_type=tree["mysqlType"] or {},
        old=tree["old"] or [],
        pk_names=tree["pkNames"] or [],
        sql=tree["sql"],
        sql_type=tree["sqlType"] or {},
        table=tree["table"],
        ts=tree["ts"],
        type=message_type,
    )
