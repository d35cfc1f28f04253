"""Converts temporal values between database texts and Debezium's counts since 1970 and ISO texts.

A wall clock counts as if it were in UTC.  [DBZ-106 … DBZ-110a, DBZ-134 … DBZ-136]
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

from reference_impl.column_types import ColumnType
from reference_impl.errors import Rejected

__all__ = [
    "DAY",
    "EPOCH_TEXT",
    "MICROS",
    "date_of_days",
    "datetime_of_micros",
    "datetime_unit",
    "days",
    "fraction",
    "micros",
    "read_zoned",
    "time_micros",
    "time_of_micros",
    "zoned",
]

MICROS = 1_000_000
DAY = 86_400 * MICROS
EPOCH_TEXT = "1970-01-01T00:00:00Z"

_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_EPOCH = datetime(1970, 1, 1)
_MAX_TIME = (838 * 3600 + 59 * 60 + 59) * MICROS
_MAX_MILLIS_FSP = 3

# The smallest TIMESTAMP.  [DBZ-136]
_MINIMUM = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
_MINIMUM_TEXT = "1970-01-01 00:00:01"
# A wall clock before this day is before the smallest TIMESTAMP in every zone.
_LONG_BEFORE = "1969-12-30"

_ZONED = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{1,6})?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII)


def days(text: str) -> int | None:
    """Days since 1970 of a date text, None for an invalid date.

    The years 0 to 69 mean 2000 to 2069, the years 70 to 99 mean 1970 to 1999.  [DBZ-134, DBZ-135]
    """
    try:
        year = int(text[:4])
        if year < 100:
            year += 2000 if year < 70 else 1900
        return date(year, int(text[5:7]), int(text[8:10])).toordinal() - _EPOCH_ORDINAL
    except ValueError:
        return None


def _clock_micros(text: str) -> int:
    """Microseconds of a text `H:MM:SS` with a fraction of up to six digits."""
    hours, minutes, rest = text.split(":")
    seconds, _, digits = rest.partition(".")
    whole = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    return whole * MICROS + (int(digits.ljust(6, "0")) if digits else 0)


def micros(text: str) -> int | None:
    """Microseconds since 1970 of a wall clock read as UTC; None for an invalid date.  [DBZ-107]"""
    day = days(text)
    return None if day is None else day * DAY + _clock_micros(text[11:])


def time_micros(text: str) -> int:
    """Microseconds of a TIME text, any sign and any hour.  [DBZ-110, DBZ-110a]"""
    return -_clock_micros(text[1:]) if text.startswith("-") else _clock_micros(text)


def fraction(micro: int, digits: int | None) -> str:
    """The fraction of a second with its point, in `digits` digits, or with None in as few as possible.

    Raises `Rejected` (class `type`) if `digits` is too small.
    """
    text = f"{micro:06d}"
    if digits is None:
        text = text.rstrip("0")
        return "." + text if text else ""
    if text[digits:].strip("0"):
        raise Rejected("type", f"a fraction .{text} in a column with {digits} fractional digits")
    return "." + text[:digits] if digits else ""


def _shown(count: int) -> str:
    """A number for a message; Python refuses to write thousands of digits."""
    return str(count) if count.bit_length() <= 64 else "a huge number of"


def date_of_days(count: int) -> str:
    """The date text of days since 1970. Raises `Rejected` (class `range`) beyond the years 1 to 9999."""
    try:
        return date.fromordinal(count + _EPOCH_ORDINAL).isoformat()
    except (ValueError, OverflowError):
        raise Rejected("range", f"{count} days since 1970 is no date") from None


def datetime_of_micros(count: int, digits: int | None) -> str:
    """The DATETIME text of microseconds since 1970, with `digits` as in `fraction`.

    Raises `Rejected`: class `range` beyond the years 1 to 9999, `type` as `fraction` does.
    """
    seconds, micro = divmod(count, MICROS)
    try:
        moment = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        raise Rejected("range", f"{_shown(count)} microseconds since 1970 is no date") from None
    return moment.isoformat(" ") + fraction(micro, digits)


def time_of_micros(count: int, digits: int | None) -> str:
    """The TIME text of microseconds, with `digits` as in `fraction`.

    Raises `Rejected`: class `range` beyond 838:59:59, `type` as `fraction` does.
    """
    if abs(count) > _MAX_TIME:
        raise Rejected("range", f"{_shown(count)} microseconds is outside -838:59:59 to 838:59:59")
    seconds, micro = divmod(abs(count), MICROS)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    sign = "-" if count < 0 else ""
    return f"{sign}{hour:02d}:{minute:02d}:{second:02d}{fraction(micro, digits)}"


def datetime_unit(column_type: ColumnType) -> int:
    """The unit of a DATETIME in microseconds: 1000 up to three fractional digits.  [DBZ-107, DBZ-108]"""
    return 1000 if column_type.fsp <= _MAX_MILLIS_FSP else 1


def zoned(text: str, zone: tzinfo, *, by_wall_clock: bool = False) -> str | None:
    """The ISO text in UTC of a TIMESTAMP text, with its fraction; None for the zero TIMESTAMP and other invalid times.

    With `by_wall_clock` a time is also too early if its wall clock is before the smallest TIMESTAMP.

    [DBZ-109, DBZ-136]
    """
    if text < (_MINIMUM_TEXT if by_wall_clock else _LONG_BEFORE):
        return None
    try:
        moment = datetime.fromisoformat(text[:19]).replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return f"{moment.isoformat()[:19]}{text[19:]}Z" if moment >= _MINIMUM else None


def read_zoned(text: str, zone: tzinfo, digits: int | None) -> str:
    """The wall clock in `zone` of an ISO text.

    It has `digits` fractional digits, or with None as many as the text.
    `EPOCH_TEXT`, which stands for zero TIMESTAMPs, may lack the fraction.  [DBZ-136]

    Raises `Rejected`: class `type` for a text of another form, `range` for an invalid instant.
    """
    match = _ZONED.fullmatch(text)
    if not match:
        raise Rejected("type", f"{text!r} is not a zoned time stamp")
    try:
        moment = datetime.fromisoformat(f"{match[1]}T{match[2]}").replace(tzinfo=UTC)
        if match[4]:
            offset = timedelta(hours=int(match[5]), minutes=int(match[6]))
            moment += offset if match[4] == "-" else -offset
        local = moment.astimezone(zone)
    except (ValueError, OverflowError):
        raise Rejected("range", f"{text} is no instant") from None
    decimals = (match[3] or "")[1:]
    if digits is None:
        shown = decimals
    elif text == EPOCH_TEXT:
        shown = "0" * digits
    elif decimals[digits:].strip("0") or len(decimals) < digits:
        raise Rejected("type", f"{text} does not have {digits} fractional digits")
    else:
        shown = decimals[:digits]
    return local.isoformat(" ")[:19] + ("." + shown if shown else "")
