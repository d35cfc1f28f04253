"""A window of commit time, and the parsing of its limits.

TiCDC's dialects have TiDB's commit time stamps, upstream's the time of the binlog in milliseconds, often in whole
seconds. Sides with one clock are cut at the same point; for sides with two clocks `slack` is the largest offset between
them. `decode.window_filter` drops the changes outside the window.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from conformance.errors import UsageError
from reference_impl.tso import MAX_TSO, compose, physical_ms

__all__ = ["Window", "moment"]

_YEARS = (2000, 2200)  # the years of plausible time stamps


@dataclass(frozen=True, slots=True)
class Window:
    """A window of commit time, and the largest offset between the clocks of the sides."""

    begin: int = 0  # TSO
    end: int = MAX_TSO  # TSO, exclusive
    slack: int = 0  # milliseconds

    def has(self, time: int) -> bool:
        """Whether a time stamp is inside."""
        return self.begin <= time < self.end

    def reaches(self, time: int) -> bool:
        """Whether a time stamp is inside or within the slack: it may belong to a partner."""
        slack = compose(self.slack)
        return self.begin - slack <= time < self.end + slack


def moment(option: str, text: str) -> int:
    """The TSO of a time given as RFC 3339 with a zone, or as a TSO. Raises `UsageError`."""
    if text.isdecimal():
        try:
            year = datetime.fromtimestamp(physical_ms(int(text)) / 1000, UTC).year
        except (ValueError, OverflowError):
            year = 0
        if _YEARS[0] <= year < _YEARS[1]:
            return int(text)
        raise UsageError(f"{option} {text}: not a time stamp of TiDB (TSO); a time looks like 2026-01-31T12:00:00Z")
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{option} {text}: not a time; write 2026-01-31T12:00:00Z or a time stamp of TiDB") from None
    if given.tzinfo is None:
        time = given.isoformat()
        raise UsageError(f"{option} {text}: the zone is missing; write {time}Z or {time}+08:00")
    since = given - datetime.fromtimestamp(0, UTC)
    return compose(since.days * 86_400_000 + since.seconds * 1000 + since.microseconds // 1000)
