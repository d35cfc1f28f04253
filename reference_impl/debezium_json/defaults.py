"""Writes defaults of columns as JSON texts: as `default` in a schema, and in place of NULL in a row.

A function of this module returns None for a default that is not written.  [DBZ-140 … DBZ-149, DBZ-160 … DBZ-163]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo

from reference_impl import epochs
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.debezium_json.json_text import literal, number
from reference_impl.debezium_json.style import Style
from reference_impl.debezium_json.texts import base64_literal, bits_of, bits_text, signed
from reference_impl.model import Column
from reference_impl.settings import Settings
from reference_impl.stored_defaults import stored_default
from reference_impl.zones import zone_of

__all__ = ["null_texts", "schema_default"]

# At most 99 digits: Python's `int` refuses a text of thousands.
_INTEGER = re.compile(r"-?\d{1,99}", re.ASCII)
_TIME = re.compile(r"-?\d{1,99}:\d\d:\d\d(?:\.\d{1,6})?", re.ASCII)
_ZERO_DATE = "0000-00-00"
_LARGEST_SIGNED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class _Default:
    """The default of a column, with all that its JSON text depends on."""

    text: str  # as TiDB's catalogue has it, see `stored_default`
    column: Column
    style: Style
    settings: Settings


def _number(text: str, bits: int) -> str | None:
    try:
        return number(text, bits)
    except (ValueError, OverflowError):
        return None


# The defaults in a schema


def _schema_number(default: _Default) -> str | None:
    return _number(default.text, 64)


def _schema_text(default: _Default) -> str | None:
    return literal(default.text)


def _bits(default: _Default) -> str | None:
    bits = bits_of(default.column.type, default.text)
    return None if bits is None else bits_text(default.column.type, bits)


def _unless_null(default: _Default, text: str) -> str | None:
    """The text that replaces an invalid default of a NOT NULL column; None for a nullable column."""
    return None if default.column.nullable else text


def _schema_date(default: _Default) -> str | None:
    day = epochs.days(default.text)
    return _unless_null(default, "0") if day is None else str(day)


def _schema_datetime(default: _Default) -> str | None:
    if default.text.startswith(_ZERO_DATE):
        return _unless_null(default, "0")
    try:
        count = epochs.micros(default.text)
    except ValueError:
        count = None
    if count is None:
        return "0"  # of a nullable column, too  [DBZ-142a]
    return str(count // epochs.datetime_unit(default.column.type))


def _zoned(default: _Default, zone: tzinfo) -> str | None:
    iso = epochs.zoned(default.text, zone)
    return None if iso is None else f'"{iso}"'


def _schema_timestamp(default: _Default) -> str | None:
    return _zoned(default, UTC) or _unless_null(default, f'"{epochs.EPOCH_TEXT}"')


def _schema_year(default: _Default) -> str | None:
    if not _INTEGER.fullmatch(default.text):
        return None
    year = int(default.text)
    if year < 100:  # two digits
        year += 2000 if year < 70 else 1900
    return str(year)


def _time(default: _Default) -> str | None:
    return str(epochs.time_micros(default.text)) if _TIME.fullmatch(default.text) else None


_IN_SCHEMA: Mapping[Family, Callable[[_Default], str | None]] = {
    **dict.fromkeys((*INTEGERS, Family.FLOAT, Family.DOUBLE, Family.DECIMAL), _schema_number),
    **dict.fromkeys((*TEXT, *BINARY, Family.ENUM, Family.SET, Family.JSON, Family.VECTOR), _schema_text),
    Family.BIT: _bits,
    Family.DATE: _schema_date,
    Family.DATETIME: _schema_datetime,
    Family.TIMESTAMP: _schema_timestamp,
    Family.YEAR: _schema_year,
    Family.TIME: _time,
}


def _default_of(column: Column, style: Style, settings: Settings) -> _Default | None:
    text = stored_default(column, settings.timezone)
    return None if text is None else _Default(text, column, style, settings)


def schema_default(column: Column, style: Style, settings: Settings) -> str | None:
    """The value of `default` in a column's schema, None without one.  [DBZ-055, DBZ-140 … DBZ-148]"""
    default = _default_of(column, style, settings)
    return None if default is None else _IN_SCHEMA[column.type.family](default)


# The defaults in place of NULL


def _integer(default: _Default) -> str | None:
    if not _INTEGER.fullmatch(default.text):
        return None
    value = int(default.text)
    if value > _LARGEST_SIGNED:
        return "0" if default.style.large_default_as_zero else str(signed(value))
    return str(value)


def _float(default: _Default) -> str | None:
    return _number(default.text, default.style.float_default_bits)


def _binary(default: _Default) -> str | None:
    return base64_literal(default.text.encode("utf-8", "surrogatepass"))


def _label(default: _Default) -> str | None:
    return literal(default.text if default.text in default.column.type.members else "")


def _labels(default: _Default) -> str | None:
    known = {*default.text.split(",")} <= {*default.column.type.members}
    return literal(default.text if known else "")


def _date(default: _Default) -> str | None:
    day = epochs.days(default.text)
    return None if day is None else str(day)


def _timestamp(default: _Default) -> str | None:
    # The defect mistakes the text in UTC for a wall clock of the configured zone.  [DBZ-163]
    return _zoned(default, zone_of(default.settings.timezone) if default.style.shifted_timestamp_default else UTC)


def _year(default: _Default) -> str | None:
    if default.style.year_default_as_text:
        return literal(default.text)
    return _integer(default)


def _time_or_zero(default: _Default) -> str | None:
    return "0" if default.style.time_default_as_zero else _time(default)


_FOR_NULL: Mapping[Family, Callable[[_Default], str | None]] = {
    **_IN_SCHEMA,
    **dict.fromkeys(INTEGERS, _integer),
    **dict.fromkeys(BINARY, _binary),
    Family.FLOAT: _float,
    Family.ENUM: _label,
    Family.SET: _labels,
    Family.DATE: _date,
    Family.TIMESTAMP: _timestamp,
    Family.YEAR: _year,
    Family.TIME: _time_or_zero,
}


def null_texts(column: Column, style: Style, settings: Settings) -> tuple[str, ...]:
    """The JSON texts for NULL in a column, one for each member that is written.

    `null` or the default; as a recorded defect, a binary default is written as two members.  [DBZ-160, DBZ-162]
    """
    default = _default_of(column, style, settings)
    text = None if default is None else _FOR_NULL[column.type.family](default)
    if default is None or text is None:
        return ("null",)
    if style.doubled_binary_default and column.type.family in BINARY:
        return text, literal(default.text)
    return (text,)
