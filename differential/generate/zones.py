"""Brings the rows of the truth, whose TIMESTAMPs are in UTC, into the time zone of a side."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from reference_impl.column_types import Family
from reference_impl.model import Row, RowChange, Table

__all__ = ["in_zone"]

_SECONDS = len("0000-00-00 00:00:00")


def in_zone(change: RowChange, table: Table, zone: tzinfo) -> RowChange:
    """The change as a session in the zone sees it: the same instants, on another clock."""
    timestamps = [column.name for column in table.columns if column.type.family is Family.TIMESTAMP]
    if zone is UTC or not timestamps:
        return change

    def image_of(row: Row | None) -> Row | None:
        if row is None:
            return None
        texts = ((name, row.get(name)) for name in timestamps)
        return {**row, **{name: _on_clock(text, zone) for name, text in texts if isinstance(text, str)}}

    return replace(change, before=image_of(change.before), after=image_of(change.after))


def _on_clock(text: str, zone: tzinfo) -> str:
    """A time in UTC on the clock of a zone; the zero TIMESTAMP, which is not an instant, stays as it is."""
    try:
        moment = datetime.fromisoformat(text[:_SECONDS]).replace(tzinfo=UTC).astimezone(zone)
    except (ValueError, OverflowError):
        return text
    return moment.isoformat(" ")[:_SECONDS] + text[_SECONDS:]
