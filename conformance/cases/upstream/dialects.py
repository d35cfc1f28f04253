"""The upstream dialects that have cases, a row each; and the values of a statement's clock in a record."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from conformance.cases.upstream import canal, connector
from conformance.cases.upstream.lenient import MILLISECONDS, tree_of
from conformance.cases.upstream.model import DialectCases
from conformance.catalogue.workload import Change
from reference_impl.column_types import Family
from reference_impl.model import Record
from reference_impl.protocols import CANAL, CONNECTOR, Rows
from reference_impl.zones import zone_of

__all__ = ["DIALECTS", "times_of"]

DIALECTS: Rows[DialectCases] = Rows({CANAL: canal.CASES, CONNECTOR: connector.CASES})

_TEXT = re.compile(r"(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(Z?)", re.ASCII)
_SLACK = timedelta(seconds=2)
_MICROSECONDS_FROM = 10**14
_EPOCH = datetime.fromtimestamp(0, UTC)


def times_of(
    dialect: DialectCases,
    change: Change,
    record: Record,
    row: int,
    zone: str,
    begin: datetime | None,
    sessions: Mapping[str, Sequence[str]] | None = None,
) -> dict[tuple[str, str], datetime]:
    """(image, column) → the value that the clock of a statement gave; a DATE or DATETIME as if it were UTC.

    A producer writes a TIMESTAMP in its `zone`. A DATETIME has the clock of the session: `sessions` are the zones in
    which an image (`before`, `after`) may have been filled; without them it is UTC.

    The value is that of the record if the statement can have run then: not after the second of the event and, where the
    recording has a known `begin`, not before the event in the after image or `begin` in the before image, give or take
    `_SLACK`. Else it is the second of the event, so that the record differs.
    """
    position = dialect.position(record)
    ran = datetime.fromtimestamp(position.second, UTC)
    tree = tree_of(record.value)
    values: dict[tuple[str, str], datetime] = {}
    for image, name in change.now:
        column = change.table.column(name)
        is_instant = column is not None and column.type.family is Family.TIMESTAMP
        read = _instant(dialect.cell(tree, image, row, name), zone if is_instant else "UTC")
        clocks = ["UTC"] if is_instant or not sessions else sessions[image]
        latest = ran + timedelta(seconds=1)
        earliest = None
        if begin is not None:
            earliest = (begin if image == "before" else ran) - _SLACK
        if read is not None and any(_is_within(_on_clock(read, clock), earliest, latest) for clock in clocks):
            values[image, name] = read
        else:
            values[image, name] = ran.replace(microsecond=0).astimezone(zone_of(clocks[0])).replace(tzinfo=UTC)
    return values


def _is_within(instant: datetime, earliest: datetime | None, latest: datetime) -> bool:
    return instant <= latest and (earliest is None or instant >= earliest)


def _on_clock(read: datetime, zone: str) -> datetime:
    """The instant at which a clock in a zone shows what `read` shows in UTC."""
    try:
        return read.replace(tzinfo=zone_of(zone)).astimezone(UTC)
    except OverflowError:
        return read


def _instant(written: Any, zone: str) -> datetime | None:
    """The time in a dialect's form: digits since the epoch, ISO 8601 in UTC, or MySQL's text in a zone."""
    if not isinstance(written, str):
        return None
    if re.fullmatch(r"[0-9]{10,16}", written, re.ASCII):
        number = int(written)
        return _EPOCH + timedelta(microseconds=number if number >= _MICROSECONDS_FROM else number * MILLISECONDS)
    text = _TEXT.fullmatch(written)
    if not text:
        return None
    try:
        read = datetime.fromisoformat(f"{text[1]} {text[2]}.{(text[3] or '').ljust(6, '0')}")
        return read.replace(tzinfo=UTC if text[4] else zone_of(zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
