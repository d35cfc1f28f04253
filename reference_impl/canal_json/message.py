"""Reads a Canal-JSON message into its members, checking their presence and JSON kind but not their meaning.

[CJ-010, CJ-040 … CJ-046, CJ-880, CJ-881]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from reference_impl.canal_json.ddl import DDL_TYPES
from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree
from reference_impl.faults import Faults
from reference_impl.model import RowOp
from reference_impl.tso import MAX_TSO

__all__ = ["MAX_MS", "MEMBERS", "ROW_OPS", "WATERMARK", "Message", "TextRow", "read_message"]

TextRow: TypeAlias = dict[str, str | None]

WATERMARK = "TIDB_WATERMARK"
ROW_OPS: Mapping[str, RowOp] = {"INSERT": "insert", "UPDATE": "update", "DELETE": "delete"}

MAX_MS = 2**63 - 1


def _number(value: Tree) -> bool:
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def _text(value: Tree) -> bool:
    return isinstance(value, str)


def _flag(value: Tree) -> bool:
    return isinstance(value, bool)


def _names(value: Tree) -> bool:
    return value is None or (isinstance(value, list) and all(map(_text, value)))


def _numbers(value: Tree) -> bool:
    return value is None or (isinstance(value, dict) and all(map(_number, value.values())))


def _texts(value: Tree) -> bool:
    return value is None or (isinstance(value, dict) and all(map(_text, value.values())))


def _row(value: Tree) -> bool:
    return isinstance(value, dict) and all(v is None or isinstance(v, str) for v in value.values())


def _images(value: Tree) -> bool:
    return value is None or (isinstance(value, list) and all(map(_row, value)))


def _wrong_kind(name: str, value: Tree) -> str:
    """The fault of a member whose kind is wrong; where only values of its rows are, that of the first.  [CJ-034]"""
    rows = value if name in ("data", "old") and isinstance(value, list) else ()
    if all(isinstance(row, dict) for row in rows):
        for column, cell in (item for row in rows for item in row.items()):
            if not (cell is None or isinstance(cell, str)):
                return f"{name}.{column} is not a JSON string"
    return f"{name!r} has the wrong JSON kind"


# Every message has all of these.  [CJ-010]
MEMBERS: Mapping[str, Callable[[Tree], bool]] = {
    "id": _number,
    "database": _text,
    "table": _text,
    "pkNames": _names,
    "isDdl": _flag,
    "type": _text,
    "es": _number,
    "ts": _number,
    "sql": _text,
    "sqlType": _numbers,
    "mysqlType": _texts,
    "data": _images,
    "old": _images,
}

_EXTENSION: Mapping[str, Callable[[Tree], bool]] = {
    "commitTs": _number,
    "watermarkTs": _number,
    "onlyHandleKey": _flag,
    "claimCheckLocation": _text,
    "rowkey": _text,
}


@dataclass(frozen=True, slots=True)
class Message:
    """The members of a message that the decoder needs."""

    database: str
    table: str
    pk_names: list[str] | None
    is_ddl: bool
    type: str
    sql: str
    sql_type: dict[str, int] | None
    mysql_type: dict[str, str] | None
    data: list[TextRow] | None
    old: list[TextRow] | None
    commit_ts: int | None  # a TSO; None without the extension
    watermark_ts: int | None  # a TSO; every watermark has it
    location: str | None  # of the claim-check file with the whole message


def _integer(faults: Faults, name: str, value: Tree, maximum: int) -> None:
    if faults.expect(isinstance(value, int), "type", f"{name} is not an integer"):
        faults.expect(0 <= value <= maximum, "range", f"{name} is {value}")


def _event_kind(faults: Faults, is_ddl: bool, message_type: str) -> None:
    known = DDL_TYPES if is_ddl else {*ROW_OPS, WATERMARK}
    faults.expect(message_type in known, "type", f"type {message_type!r} with isDdl {str(is_ddl).lower()}")


def _row_shape(faults: Faults, tree: dict[str, Any]) -> None:
    """Check for exactly one row, and for its columns in both type maps.  [CJ-032, CJ-881]"""
    data, old = tree["data"], tree["old"]
    if not faults.expect(data is not None and len(data) == 1, "schema", "data does not have exactly one row"):
        return
    columns = data[0].keys()
    for name in ("sqlType", "mysqlType"):
        faults.expect((tree[name] or {}).keys() == columns, "schema", f"{name} and data have other columns")
    if old is not None and faults.expect(len(old) == 1, "schema", "old does not have exactly one row"):
        faults.expect(old[0].keys() <= columns, "schema", "old has a column that data has not")


def _extension_shape(faults: Faults, tree: dict[str, Any], watermark: bool, required: bool) -> dict[str, Any]:
    if "_tidb" not in tree:
        faults.expect(not (required or watermark), "schema", "there is no member '_tidb'")
        return {}
    tidb: dict[str, Any] = tree["_tidb"]
    if not faults.expect(isinstance(tidb, dict), "schema", "'_tidb' is not an object"):
        return {}
    for name, fits in _EXTENSION.items():
        faults.expect(name not in tidb or fits(tidb[name]), "schema", f"'_tidb.{name}' has the wrong JSON kind")
    time = "watermarkTs" if watermark else "commitTs"
    # A DDL event omits a commit time stamp of 0.  [CJ-042]
    zero = tree["isDdl"] and tree["es"] == 0
    faults.expect(time in tidb or zero, "schema", f"there is no member '_tidb.{time}'")
    return tidb


def read_message(tree: Tree, faults: Faults, *, extension: bool) -> Message:
    """The message in a JSON tree; with `extension` it must have `_tidb`.

    Raises `Rejected`: class `schema` for a member that is missing or of the wrong JSON kind, `type` for an unknown
    event type or a number that is not an integer. Numbers out of range are added to `faults`.
    """
    if not isinstance(tree, dict):
        raise Rejected("schema", "the message is not an object")
    for name, fits in MEMBERS.items():
        if faults.expect(name in tree, "schema", f"there is no member {name!r}") and not fits(tree[name]):
            faults.add("schema", _wrong_kind(name, tree[name]))
    faults.raise_first()
    is_ddl, message_type = tree["isDdl"], tree["type"]
    _event_kind(faults, is_ddl, message_type)
    if not is_ddl and message_type in ROW_OPS:
        _row_shape(faults, tree)
    tidb = _extension_shape(faults, tree, not is_ddl and message_type == WATERMARK, extension)
    faults.raise_first()
    _integer(faults, "id", tree["id"], MAX_MS)
    _integer(faults, "es", tree["es"], MAX_MS)
    _integer(faults, "ts", tree["ts"], MAX_MS)
    for name in ("commitTs", "watermarkTs"):
        if name in tidb:
            _integer(faults, f"_tidb.{name}", tidb[name], MAX_TSO)
    for name, code in (tree["sqlType"] or {}).items():
        faults.expect(isinstance(code, int), "type", f"sqlType.{name} is not an integer")
    faults.raise_first("type")
    return Message(
        database=tree["database"],
        table=tree["table"],
        pk_names=tree["pkNames"],
        is_ddl=is_ddl,
        type=message_type,
        sql=tree["sql"],
        sql_type=tree["sqlType"],
        mysql_type=tree["mysqlType"],
        data=tree["data"],
        old=tree["old"],
        commit_ts=tidb.get("commitTs", 0 if is_ddl and "_tidb" in tree else None),
        watermark_ts=tidb.get("watermarkTs"),
        location=tidb.get("claimCheckLocation"),
    )
