"""Finds the table, row and column that a refused message is about, as far as they can be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from differential.model import Unreadable
from differential.sides import Side
from reference_impl.errors import Rejected, Unsupported
from reference_impl.keys import handle_key
from reference_impl.model import Record, Table

__all__ = ["unreadable"]

_NAMES = (("database", "table"), ("scm", "tbl"), ("db", "table"))
_OF_MEMBERS = ("there is no member '", "' has the wrong JSON kind")  # a column may have the name of a member
_LENGTH_BYTES = 8  # Open Protocol: before a value
_VERSION_AND_LENGTH_BYTES = 16  # before a key


def unreadable(side: Side, record: Record, place: Any, refused: Rejected | Unsupported) -> Unreadable:
    """The refused message, with the table, key and column that can be read."""
    refusal = refused.reason if isinstance(refused, Rejected) else "unsupported"
    trees = list(_trees(record))
    schema, name = next(filter(all, map(_names_in, trees)), ("", ""))
    table = next((one for one in side.tables if one.id == (schema, name)), None)
    key = "" if table is None else _key_in(table, trees)
    column = "" if table is None else _column_in(table, str(refused))
    return Unreadable(place, str(refusal), str(refused), record.value, schema, name, key, column)


def _trees(record: Record) -> Iterator[Mapping[str, Any]]:
    """The objects of a message that may hold names and rows, including the key of Open Protocol."""
    for data in (record.value, record.key):
        for begin in (0, _LENGTH_BYTES, _VERSION_AND_LENGTH_BYTES):
            try:
                tree: Any = orjson.loads((data or b"")[begin:])
            except orjson.JSONDecodeError:
                continue
            if not isinstance(tree, dict):
                continue
            payload = tree.get("payload", tree)
            if isinstance(payload, dict):
                yield payload
                if isinstance(payload.get("source"), dict):
                    yield payload["source"]


def _names_in(tree: Mapping[str, Any]) -> tuple[str, str]:
    for schema, table in _NAMES:
        if isinstance(tree.get(schema), str) and isinstance(tree.get(table), str):
            return tree[schema], tree[table]
    return "", ""


def _key_in(table: Table, trees: list[Mapping[str, Any]]) -> str:
    """The key of the first row that has all key columns, in the spelling of the message."""
    names = handle_key(table)
    for tree in trees:
        for member in ("data", "after", "before", "u", "d", "p", "old"):
            row = tree.get(member)
            row = row[0] if isinstance(row, list) and row else row
            if names and isinstance(row, dict) and all(name in row for name in names):
                cells = [row[name].get("v") if isinstance(row[name], dict) else row[name] for name in names]
                return orjson.dumps([_text_of(cell) for cell in cells]).decode()
    return ""


def _text_of(cell: Any) -> str | None:
    return cell if cell is None or isinstance(cell, str) else orjson.dumps(cell).decode()


def _column_in(table: Table, why: str) -> str:
    """The column that a refusal names, the longest of several; "" if it is about a member of the message."""
    if any(words in why for words in _OF_MEMBERS):
        return ""
    forms = ("'{}'", ".{}'", ".{}:", ".{} ")  # 'price', 'after.price', data.price: …, mysqlType.price is …
    named = [column.name for column in table.columns if any(form.format(column.name) in why for form in forms)]
    return max(named, key=len, default="")
