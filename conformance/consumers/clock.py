"""Writes Debezium's integers as dates, times and time stamps; years beyond 9999 as Java writes them."""

from __future__ import annotations

import datetime as dt

__all__ = ["DAY", "day_after", "day_text", "duration_text", "moment_text", "time_text"]

DAY = 86_400_000_000
"""Microseconds of a day."""
_EPOCH = dt.datetime(1970, 1, 1)
_DAYS_OF_400_YEARS = 146_097


def day_text(days: int) -> str:
    """Days since 1970 as a date."""
    cycles = days // _DAYS_OF_400_YEARS
    day = dt.date(1970, 1, 1) + dt.timedelta(days=days - cycles * _DAYS_OF_400_YEARS)
    year = day.year + 400 * cycles
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04}-{day.month:02}-{day.day:02}"


def day_after(year: int, month: int, day: int) -> str:
    """The day after a date of any year."""
    cycles, year = divmod(year, 400)
    same_calendar = dt.date(2000 + year, month, day) - dt.date(1970, 1, 1)
    return day_text(same_calendar.days + 1 + (cycles - 5) * _DAYS_OF_400_YEARS)


def time_text(micros: int) -> str:
    """Microseconds since midnight as a time, with a fraction unless it is zero."""
    return str(_EPOCH + dt.timedelta(microseconds=micros))[11:]


def duration_text(micros: int) -> str:
    """Microseconds as a TIME of MySQL, which may be negative or longer than a day: `-838:59:59`."""
    hours, rest = divmod(abs(micros), 3_600_000_000)
    return f"{'-' if micros < 0 else ''}{hours:02}{time_text(rest)[2:]}"


def moment_text(micros: int) -> str:
    """Microseconds since 1970 in UTC as a date and time."""
    days, rest = divmod(micros, DAY)
    return f"{day_text(days)} {time_text(rest)}"
