"""What a DDL message says beside its statement."""

from __future__ import annotations

import orjson

from reference_impl.model import DdlEvent, Record

__all__ = ["kind_of"]


def kind_of(event: DdlEvent, record: Record) -> tuple[str | None, bool]:
    """What a message calls its statement, and whether it tells of what was there before the first change."""
    if event.action_code is not None:
        return str(event.action_code), False
    try:
        tree = orjson.loads(record.value or b"")
    except orjson.JSONDecodeError:
        return None, False
    told = tree.get("payload", tree)
    if "tableChanges" not in told:
        return str(told.get("type", told.get("op"))), False
    kinds = " ".join(str(change["type"]) for change in told["tableChanges"] or ())
    return kinds, str(told["source"].get("snapshot")).lower() not in ("none", "false")
