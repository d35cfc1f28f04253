"""The text of a value in a message, for a reader who follows the documents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from differential.sides import Side
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Record, RowChange, Table
from reference_impl.protocols import CANAL, CONNECTOR
from reference_impl.wire import event_to_json

__all__ = ["cell_text"]


def cell_text(side: Side, records: tuple[Record, ...], table: Table, column: str) -> str | None:
    """The text of the column in the first message with a row; None if no message has it."""
    for record in records:
        row = _json_row(record) if side.traits.family in (CANAL.name, CONNECTOR.name) else _decoded(side, record, table)
        if row is not None and column in row:
            found = row[column]
            return str(found) if isinstance(found, _Number) else json.dumps(found, ensure_ascii=False)
    return None


class _Number(str):
    """A number as the message spells it."""

    __slots__ = ()


def _json_row(record: Record) -> Mapping[str, Any] | None:
    try:
        tree = json.loads(record.value or b"null", parse_float=_Number, parse_int=_Number)
    except (ValueError, RecursionError):
        return None
    if not isinstance(tree, dict):
        return None
    if isinstance(data := tree.get("data"), list) and data:
        return data[0] if isinstance(data[0], dict) else None
    payload = tree.get("payload", tree)
    found = (payload.get("after") or payload.get("before")) if isinstance(payload, dict) else None
    return found if isinstance(found, dict) else None


def _decoded(side: Side, record: Record, table: Table) -> Mapping[str, Any] | None:
    try:
        events = side.decoder().decode([record], [table])
    except (Rejected, Unsupported):
        return None
    for event in events:
        if isinstance(event, RowChange):
            tree = event_to_json(event)
            found = tree.get("after") or tree.get("before")
            return found if isinstance(found, dict) else None
    return None
