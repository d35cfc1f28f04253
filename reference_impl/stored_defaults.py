"""Defaults of columns in the form of TiDB's catalogue, where TiCDC reads them.  [AV-055 … AV-068]"""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

from reference_impl.column_types import Family
from reference_impl.model import Absent, Column, Expression
from reference_impl.zones import zone_of

__all__ = ["CURRENT", "stored_default"]

# The catalogue's text for a default of CURRENT_TIMESTAMP and its synonyms, with or without a precision.
CURRENT = "CURRENT_TIMESTAMP"

_CURRENT = re.compile(r"(?:CURRENT_TIMESTAMP|NOW|LOCALTIME|LOCALTIMESTAMP)(?:\(\d*\))?", re.IGNORECASE | re.ASCII)
_UP_TO_SECONDS = len("2024-02-29 01:02:03")


def _in_utc(text: str, zone: tzinfo) -> str:
    try:
        moment = datetime.fromisoformat(text[:_UP_TO_SECONDS]).replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return text  # the zero TIMESTAMP is not converted
    return moment.isoformat(" ")[:_UP_TO_SECONDS] + text[_UP_TO_SECONDS:]


def stored_default(column: Column, timezone: str) -> str | None:
    """The default as a text, None without a default and for DEFAULT NULL.

    An expression is its text; a TIMESTAMP is converted from `timezone` to UTC; a BINARY is padded to its length.
    """
    default = column.default
    if default is None or isinstance(default, Absent):
        return None
    if isinstance(default, Expression):
        return CURRENT if _CURRENT.fullmatch(default.text) else default.text
    text = str(default)
    if column.type.family is Family.BINARY:
        return text + "\0" * (column.type.characters - len(text.encode("utf-8", "surrogatepass")))
    if column.type.family is Family.TIMESTAMP:
        return _in_utc(text, zone_of(timezone))
    return text
