"""Compares a DDL message, member by member, with what its dialect writes for its statement.

The encoder of the side writes the statement again. Members that do not follow from the statement are left out: its
kind and the resulting table (`DialectTraits.kind_member`); the names in `source`, which `statements.streams` checks;
and the positional members, except those that follow from the commit time stamp.  [CJ-626, CJ-654, DBZ-320]
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from differential.decode.member_differences import MemberDifference, Path, member_differences
from differential.sides import Side
from reference_impl.compression import decompress
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Event, Record
from reference_impl.open_protocol.framing import frame, unframe
from reference_impl.sql_tokens import tokens

__all__ = ["names_written", "statement_differences"]

# Every dialect has a message for this action, and it needs no table; no message states the action itself.
_ANY_ACTION = 4
_NAMES = (("source", "db"), ("source", "table"))


def _records(side: Side, event: DdlEvent) -> Sequence[Record]:
    code = _ANY_ACTION if event.action_code is None else event.action_code
    written = replace(event, action_code=code, commit_ts=event.commit_ts or 0)
    made = (event.schema, event.table) if _creates_table(event.query) else None
    before = [table for table in side.tables if table.id != made]
    return side.encoder().encode([written], before).records  # a new encoder each time, since it keeps state


def _creates_table(query: str) -> bool:
    words = [piece.word for piece in tokens(query)[:5]]  # CREATE OR REPLACE TEMPORARY TABLE
    return words[:1] == ["CREATE"] and "TABLE" in words


def statement_differences(side: Side, event: DdlEvent, record: Record) -> list[MemberDifference] | None:
    """The members of a DDL message that its dialect writes differently.

    None if its encoder refuses the statement.
    """
    traits = side.traits
    try:
        written = _records(side, event)
    except (Rejected, Unsupported):
        return None
    left_out: set[Path] = {*_NAMES, (traits.kind_member,)}
    left_out |= {("payload", *path) for path in left_out}
    left_out |= traits.positional - (traits.from_commit_ts if event.commit_ts else frozenset())
    kind = side.compression
    found = [
        list(member_differences(_decompressed(one, kind, side), _decompressed(record, kind, side), left_out))
        for one in written
    ]
    return min(found, key=len, default=None)


def _decompressed(record: Record, kind: str, side: Side) -> Record:
    """The record decompressed, as a whole or within Open Protocol's frames."""
    with suppress(Rejected, Unsupported):
        pairs = unframe(record.key, record.value)
        key, value = frame([(head, decompress(kind, body, side.largest)) for head, body in pairs])
        return replace(record, key=key, value=value)

    def decompressed(data: bytes | None) -> bytes | None:
        if data is None:
            return None
        try:
            return decompress(kind, data, side.largest)
        except (Rejected, Unsupported):
            return data

    return replace(record, key=decompressed(record.key), value=decompressed(record.value))


def names_written(side: Side, event: DdlEvent) -> tuple[str, str] | None:
    """The schema and table that the dialect writes for a statement, None without a message."""
    try:
        written: Sequence[Event] = side.decoder().decode(_records(side, event), side.tables)
    except (Rejected, Unsupported):
        return None
    return next(((one.schema, one.table) for one in written if isinstance(one, DdlEvent)), None)
