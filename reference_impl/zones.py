"""Time zones as a changefeed names them: IANA names and offsets such as `+05:30`."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

from reference_impl.errors import Rejected

__all__ = ["zone_of"]

_OFFSET = re.compile(r"([+-])(0[0-9]|1[0-4]):([0-5][0-9])")


@cache
def zone_of(name: str) -> tzinfo:
    """The time zone of that name. Raises `Rejected` (class `semantics`) for an unknown name."""
    if name == "UTC":
        return UTC
    if match := _OFFSET.fullmatch(name):
        offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
        return timezone(-offset if match[1] == "-" else offset)
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise Rejected("semantics", f"{name!r} is not a time zone such as UTC, +05:30 or Asia/Tokyo") from None
