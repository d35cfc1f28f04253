"""Defaults of columns in the form of TiDB's catalogue, where TiCDC reads them.  [AV-055 … AV-068]"""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

from reference_impl.column_types import Family
from reference_impl.model import Absent, Column, Expression
from reference_impl.zones import zone_of

__all__ = ["CURRENT", "stored_default"]

# The catalogue's text for a default that is the time of the change, with any fraction.
CURRENT = "CURRENT_TIMESTAMP"

_CURRENT = re.compile(r"(?:CURRENT_TIMESTAMP|NOW|LOCALTIME|LOCALTIMESTAMP)(?:\(\d*\))?", re.IGNORECASE | re.ASCII)
_SECONDS = len("2024-02-29 01:02:03")


def _in_utc(text: str, zone: tzinfo) -> str:
    try:
        there = datetime.fromisoformat(text[:_SECONDS]).replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return text  # the zero TIMESTAMP is not converted
    return there.isoformat(" ")[:_SECONDS] + text[_SECONDS:]


def stored_default(column: Column, timezone: str) -> str | None:
    """The default as a text; None without one, and for DEFAULT NULL.

    An expression gives its text; TIMESTAMP is in UTC, and BINARY is padded to its length.
    """
    given = column.default
    if given is None or isinstance(given, Absent):
        return None
    if isinstance(given, Expression):
        return CURRENT if _CURRENT.fullmatch(given.text) else given.text
    text = str(given)
    if column.type.family is Family.BINARY:
        return text + "\0" * (column.type.characters - len(text.encode("utf-8", "surrogatepass")))
    if column.type.family is Family.TIMESTAMP:
        return _in_utc(text, zone_of(timezone))
    return text
