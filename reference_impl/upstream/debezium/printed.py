"""Defaults as MySQL's SHOW CREATE TABLE prints them: normalized to the column type.

A snapshot reads these texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TypeAlias

from reference_impl.column_types import ColumnType, Family

__all__ = ["as_hex", "printed"]

_Printer: TypeAlias = Callable[[ColumnType, str], str]

_MICROS = 10**6  # per second
_DATE = re.compile(r"(\d{4}|\d\d?)-(\d{1,2})-(\d{1,2})(?!\d)", re.ASCII)
_CLOCK = re.compile(r"(-?)(\d{1,3}):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?", re.ASCII)


def as_hex(text: str) -> str | None:
    """The hexadecimal digits in which the server prints a text with a character above U+FFFF, else None."""
    return text.encode("utf-8", "replace").hex().upper() if any(ord(c) > 0xFFFF for c in text) else None


def printed(column_type: ColumnType, text: str) -> str:
    """A quoted default as the server prints it, without quotes; a text that is not a value stays unchanged."""
    printer = _PRINTERS.get(column_type.family)
    return text if printer is None else printer(column_type, text)


def _char(column_type: ColumnType, text: str) -> str:
    return text.rstrip(" ")


def _set(column_type: ColumnType, text: str) -> str:
    """The members in declared order, each once."""
    chosen = text.split(",")
    return ",".join(member for member in column_type.members if member in chosen) or text


def _enum(column_type: ColumnType, text: str) -> str:
    """The member as declared, found without regard to letter case and trailing blanks."""
    return next((m for m in column_type.members if m.rstrip(" ").casefold() == text.rstrip(" ").casefold()), text)


def _rounded(fraction: str | None, fsp: int) -> int:
    """Microseconds (0 to 1,000,000) of the digits after the point, rounded half up to `fsp` digits."""
    unit: int = 10 ** (7 - fsp)  # in tenths of a microsecond
    tenths = int((fraction or "").ljust(7, "0")[:7])
    return (tenths + unit // 2) // unit * unit // 10


def _fraction(micros: int, fsp: int) -> str:
    """`.123` for 123000 microseconds and `fsp` 3; empty for `fsp` 0."""
    return f".{micros:06d}"[: 1 + fsp] if fsp else ""


def _date(column_type: ColumnType, text: str) -> str:
    """Month and day with two digits, and the year with four: those below 70 are of this century."""
    match = _DATE.match(text)
    if not match:
        return text
    year = int(match[1]) + (0 if len(match[1]) > 2 else 2000 if int(match[1]) < 70 else 1900)
    return f"{year:04d}-{int(match[2]):02d}-{int(match[3]):02d}"


def _datetime(column_type: ColumnType, text: str) -> str:
    """Two digits each and `fsp` decimals; a text without seconds or of the year 0 stays unchanged."""
    day = _DATE.match(text)
    clock = _CLOCK.search(text, day.end()) if day else None
    if not day or day[1] == "0000":  # Python's datetime has no year 0
        return text
    date = _date(column_type, text)
    if not clock:
        return f"{date} 00:00:00" + _fraction(0, column_type.fsp)
    if clock[4] is None:
        return text
    try:
        whole = datetime.fromisoformat(f"{date} {int(clock[2]):02d}:{int(clock[3]):02d}:{int(clock[4]):02d}")
        moment = whole + timedelta(microseconds=_rounded(clock[5], column_type.fsp))
    except (ValueError, OverflowError):
        return text
    return moment.isoformat(" ")[:19] + _fraction(moment.microsecond, column_type.fsp)


def _time(column_type: ColumnType, text: str) -> str:
    """Two digits each and `fsp` decimals."""
    match = _CLOCK.fullmatch(text)
    if not match:
        return text
    seconds = (int(match[2]) * 60 + int(match[3])) * 60 + int(match[4] or 0)
    seconds, micros = divmod(seconds * _MICROS + _rounded(match[5], column_type.fsp), _MICROS)
    hours, minutes, left = seconds // 3600, seconds // 60 % 60, seconds % 60
    return f"{match[1]}{hours:02d}:{minutes:02d}:{left:02d}{_fraction(micros, column_type.fsp)}"


_PRINTERS: Mapping[Family, _Printer] = {
    Family.CHAR: _char,
    Family.SET: _set,
    Family.ENUM: _enum,
    Family.DATE: _date,
    Family.DATETIME: _datetime,
    Family.TIMESTAMP: _datetime,
    Family.TIME: _time,
}
