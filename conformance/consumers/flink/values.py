"""How Flink's JSON formats read one value into the type that the table declares."""

from __future__ import annotations

import base64
import datetime as dt
import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import InvalidOperation

from conformance.consumers.clock import day_after
from conformance.consumers.decimals import rounded_text
from conformance.consumers.flink.types import FlinkType
from conformance.consumers.java import TRIMMED, double_of
from conformance.consumers.json_tree import (
    Malformed,
    Number,
    Tree,
    base64_of,
    compact_json,
    exact_text,
    integer_of,
    java_text,
)
from conformance.consumers.model import Refused, Rule
from reference_impl.java_numbers import double_text, float_text

__all__ = ["ValueReader", "last_day"]

_UNREADABLE = Rule("flink.value", "A text that does not fit its declared type fails the job; leniently it is NULL.")
_ONE_FORM = Rule("flink.time-text", "Times are read in one form: SQL's by default, ISO-8601 by option.")

_VALUE_BITS = {"TINYINT": 7, "SMALLINT": 15, "INT": 31, "BIGINT": 63}
"""Bits of an integer without its sign."""
_LONGEST = 400  # characters of an integer; longer ones are refused unread
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_DATE = re.compile(r"(\d{4}|[+-]\d{5,9}|-\d{4})-(\d\d)-(\d\d)", re.ASCII)
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d)(?:\.(\d{0,9}))?", re.ASCII)
_CYCLE = 400
"""The Gregorian calendar repeats after so many years."""


@dataclass(frozen=True, slots=True)
class ValueReader:
    """Reads the values of a table by their declared types."""

    iso: bool
    """Whether times are written in ISO-8601."""
    keeps_millis: bool
    """Whether TIME keeps milliseconds (Flink 2)."""
    exact: bool
    """Whether the table has a DECIMAL column; Flink then reads all fractions exactly."""
    takes_large: bool = False
    """Whether an exact number may be larger than any double (Flink 2)."""

    def read(self, node: Tree, column_type: FlinkType) -> str | None:
        """The value as text, None for NULL. Raises `Refused`, by a rule of Flink."""
        if node is None:
            return None
        try:
            return _READERS[column_type.root](self, node, column_type)
        except (ValueError, ArithmeticError, Malformed):
            raise Refused(_UNREADABLE) from None

    def text(self, node: Tree) -> str:
        """The text of a node, as Jackson returns it."""
        if self.takes_large and self.exact and isinstance(node, Number) and not node.is_integer:
            return exact_text(node)
        return java_text(node, exact=self.exact)


def _boolean(reader: ValueReader, node: Tree, column_type: FlinkType) -> str:
    # `1` is not `true`: TINYINT(1) and BIT(1) declared BOOLEAN are silently false.
    return "true" if node is True or reader.text(node).strip(TRIMMED).lower() == "true" else "false"


def _integer(reader: ValueReader, node: Tree, column_type: FlinkType) -> str:
    bits = _VALUE_BITS[column_type.root]
    if isinstance(node, Number) and column_type.root in ("INT", "BIGINT") and -(2**bits) <= node.decimal < 2**bits:
        return str(integer_of(node))
    text = reader.text(node).strip(TRIMMED)
    if not _INTEGER.fullmatch(text) or len(text) > _LONGEST or not -(2**bits) <= int(text) < 2**bits:
        raise ValueError(text)
    return str(int(text))


def _floating(reader: ValueReader, node: Tree, column_type: FlinkType) -> str:
    value = double_of(reader.text(node).strip(TRIMMED))
    if value != value:
        return "NaN"
    return float_text(value) if column_type.root == "FLOAT" else double_text(value)


def _decimal(reader: ValueReader, node: Tree, column_type: FlinkType) -> str | None:
    try:
        # A value with too many digits becomes NULL, even in strict mode.
        return rounded_text(reader.text(node), column_type.precision, column_type.scale)
    except InvalidOperation:
        return None


def _day(text: str) -> str:
    year, month, day = _parts(text)
    dt.date(_same_calendar(year), month, day)  # refuse a day that does not exist
    return text


def _parts(text: str) -> tuple[int, int, int]:
    """Year, month and day."""
    found = _DATE.fullmatch(text)
    if not found:
        raise ValueError(text)
    return int(found[1]), int(found[2]), int(found[3])


def _same_calendar(year: int) -> int:
    """A year with the same calendar, in the range of Python's dates."""
    return year % _CYCLE + _CYCLE


def last_day(text: str) -> str:
    """Read a day as Flink's SQL format of a TIMESTAMP does: 31 in a shorter month is the last day of that month.

    Raises `ValueError`.
    """
    year, month, day = _parts(text)
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        raise ValueError(text)
    return f"{text[:-2]}{min(day, monthrange(_same_calendar(year), month)[1]):02}"


def _clock(text: str) -> tuple[int, int, int, str]:
    """Hours, minutes, seconds and the digits of the fraction; 24:00:00 gives 0, 0, 0."""
    found = _TIME.fullmatch(text)
    if not found:
        raise ValueError(text)
    hours, minutes, seconds = (int(found[i]) for i in (1, 2, 3))
    fraction = (found[4] or "").rstrip("0")
    if (hours, minutes, seconds, fraction) == (24, 0, 0, ""):
        return 0, 0, 0, ""
    dt.time(hours, minutes, seconds)
    return hours, minutes, seconds, fraction


def _time(reader: ValueReader, node: Tree, column_type: FlinkType) -> str:
    hours, minutes, seconds, fraction = _clock(reader.text(node))
    kept = fraction[:3] if reader.keeps_millis else ""
    return f"{hours:02}:{minutes:02}:{seconds:02}" + (f".{kept}" if kept else "")


def _timestamp(reader: ValueReader, node: Tree, column_type: FlinkType) -> str:
    text = reader.text(node)
    if column_type.root == "TIMESTAMP_LTZ":
        if not text.endswith("Z"):
            raise Refused(_ONE_FORM)
        text = text.removesuffix("Z")
    day, found, clock = text.partition("T" if reader.iso else " ")
    if not found:
        raise Refused(_ONE_FORM)
    if reader.iso and re.fullmatch(r"\d\d:\d\d", clock):
        clock += ":00"
    if reader.iso and clock.startswith("24"):
        raise ValueError(text)
    day = _day(day) if reader.iso else last_day(day)
    hours, minutes, seconds, fraction = _clock(clock)
    if clock.startswith("24"):
        day = day_after(*_parts(day))
        _parts(day)  # refuse a year that Java does not have
    return f"{day} {hours:02}:{minutes:02}:{seconds:02}" + (f".{fraction}" if fraction else "")


def _string(reader: ValueReader, node: Tree, column_type: FlinkType) -> str:
    return compact_json(node, reader.text) if isinstance(node, (list, dict)) else reader.text(node)


def _bytes(reader: ValueReader, node: Tree, column_type: FlinkType) -> str | None:
    if not isinstance(node, str):
        return None
    return base64.b64encode(base64_of(node)).decode()


_READERS: Mapping[str, Callable[[ValueReader, Tree, FlinkType], str | None]] = {
    "BOOLEAN": _boolean,
    **dict.fromkeys(_VALUE_BITS, _integer),
    "FLOAT": _floating,
    "DOUBLE": _floating,
    "DECIMAL": _decimal,
    "DATE": lambda reader, node, column_type: _day(reader.text(node)),
    "TIME": _time,
    "TIMESTAMP": _timestamp,
    "TIMESTAMP_LTZ": _timestamp,
    "STRING": _string,
    "BYTES": _bytes,
}
