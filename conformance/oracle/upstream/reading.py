"""What a record is about, taken leniently out of its bytes: a small reader of its own, which judges nothing.

It tells kinds of records apart, and gives a record of rows one `Mark` a row. It must not refuse: of a record that
cannot be read it says what can still be seen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from conformance.cases.upstream.lenient import payload_of, tree_of
from conformance.oracle.upstream.alignment import Mark
from reference_impl.model import Record

__all__ = ["READERS", "TOMBSTONE", "Sight", "SightKind"]


class SightKind(StrEnum):
    """What a record is."""

    ROWS = "rows"
    DDL = "a statement that changes a schema"
    STATEMENT = "the text of a statement"
    TRANSACTION = "the border of a transaction without rows"
    TRUNCATION = "the truncation of a table"
    OTHER = "neither rows nor anything that is known"


@dataclass(frozen=True, slots=True)
class Sight:
    """A record as it is seen: its kind, and for rows their marks in order and the columns of the first."""

    kind: SightKind
    marks: tuple[Mark, ...] = ()
    columns: tuple[str, ...] = ()


def _canonical(tree: Any) -> str:
    return json.dumps(tree, sort_keys=True, ensure_ascii=False)


def _text(tree: Any, name: str) -> str | None:
    value = tree.get(name) if isinstance(tree, Mapping) else None
    return value if isinstance(value, str) else None


def _glimpse(data: bytes | None, name: str) -> str | None:
    """The text of a member of a document that cannot be read, as far as it can be seen."""
    found = re.search(rb'"%s"\s*:\s*"((?:[^"\\]|\\.)*)"' % name.encode(), data or b"")
    return found[1].decode("utf-8", "replace") if found else None


# -- Canal: one message a rows event -------------------------------------------------------------------------------

_CANAL_OPS = ("INSERT", "UPDATE", "DELETE")


def _canal(record: Record) -> Sight:
    tree = tree_of(record.value)
    if not isinstance(tree, dict):
        schema, table, op = (_glimpse(record.value, name) for name in ("database", "table", "type"))
        return Sight(SightKind.ROWS, (Mark(schema, table, op, None, None),))
    op, data = _text(tree, "type"), tree.get("data")
    if tree.get("isDdl") is True:
        return Sight(SightKind.DDL)
    if op not in _CANAL_OPS and data is None:
        return Sight(SightKind.STATEMENT if tree.get("sql") else SightKind.OTHER)
    keys = tree.get("pkNames")
    names = [name for name in keys if isinstance(name, str)] if isinstance(keys, list) else []
    rows = data if isinstance(data, list) and data else [None]
    schema, table = _text(tree, "database"), _text(tree, "table")
    marks = tuple(_canal_row(schema, table, op, names, row) for row in rows)
    return Sight(SightKind.ROWS, marks, _columns(rows[0]))


def _columns(row: Any) -> tuple[str, ...]:
    return tuple(row) if isinstance(row, dict) else ()


def _canal_row(schema: str | None, table: str | None, op: str | None, names: list[str], row: Any) -> Mark:
    if not isinstance(row, dict):
        return Mark(schema, table, op, None, None)
    key = _canonical([row.get(name) for name in names]) if names else ""
    return Mark(schema, table, op, key, _canonical(row))


# -- Debezium: one record a row, and what goes with it -------------------------------------------------------------

_ROW_OPS = ("c", "u", "d", "r")
TOMBSTONE = "tombstone"
"""What the mark of a tombstone has for an operation."""


def _debezium(record: Record) -> Sight:
    key = _canonical(payload_of(tree_of(record.key)))
    topic = (record.topic or "").split(".", 2)
    schema, table = (topic[1], topic[2]) if len(topic) > 2 else (None, None)
    if record.value is None:
        return Sight(SightKind.ROWS, (Mark(schema, table, TOMBSTONE, key, ""),))
    payload = payload_of(tree_of(record.value))
    if not isinstance(payload, dict):
        mark = Mark(schema, table, _glimpse(record.value, "op"), key, None)
        return Sight(SightKind.ROWS, (mark,)) if table is not None else Sight(SightKind.OTHER)
    if "ddl" in payload:
        return Sight(SightKind.DDL)
    if "status" in payload:
        return Sight(SightKind.TRANSACTION)
    op = _text(payload, "op")
    if op == "t":
        return Sight(SightKind.TRUNCATION)
    source = payload.get("source")
    schema, table = _text(source, "db") or schema, _text(source, "table") or table
    if op not in _ROW_OPS and table is None:
        return Sight(SightKind.OTHER)
    body = _canonical([payload.get("before"), payload.get("after")])
    columns = _columns(payload.get("after")) or _columns(payload.get("before"))
    return Sight(SightKind.ROWS, (Mark(schema, table, op, key, body),), columns)


READERS: Mapping[str, Callable[[Record], Sight]] = {"canal": _canal, "debezium-connector": _debezium}
