"""The upstream dialects that have cases, a row each; and the time of a statement in a record.

Only the position of a record and the time of its statement come from the record under judgement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from conformance.cases.upstream import canal, connector
from conformance.cases.upstream.lenient import tree_of
from conformance.cases.upstream.model import DialectCases
from conformance.cases.upstream.shared import MILLISECONDS
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
    """The values in a record of columns that a statement's clock filled, a DATE or DATETIME as if it were UTC.

    `zone` is that of the producer, in which a TIMESTAMP is written; `sessions` are the zones in which an image may have
    been filled: the clock of a DATETIME is the session's. Without any it was in UTC.

    A time is taken from the record only if the statement can have run then: not after the event, not more than `_SLACK`
    before it in the after image, and not before `begin` in the before image (None: unknown). Otherwise the value is the
    second of the event, and the record differs.
    """
    position = dialect.position(record)
    ran = datetime.fromtimestamp(position.second, UTC)
    tree, found = tree_of(record.value), {}
    for image, name in change.now:
        column = change.table.column(name)
        is_instant = column is not None and column.type.family is Family.TIMESTAMP
        read = _instant(dialect.cell(tree, image, row, name), zone if is_instant else "UTC")
        earliest = begin - _SLACK if begin and image == "before" else ran - _SLACK if begin else None
        clocks = ["UTC"] if is_instant or not sessions else sessions[image]
        possible = read is not None and any(
            (then := _on_clock(read, clock)) <= ran + timedelta(seconds=1) and (not earliest or then >= earliest)
            for clock in clocks
        )
        second = ran.replace(microsecond=0).astimezone(zone_of(clocks[0])).replace(tzinfo=UTC)
        found[image, name] = read if read is not None and possible else second
    return found


def _on_clock(read: datetime, zone: str) -> datetime:
    """The instant at which a clock in a zone shows the text that was read as if it were UTC."""
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
