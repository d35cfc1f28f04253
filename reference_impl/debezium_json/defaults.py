"""Defaults of columns: as `default` in a schema, and in place of NULL in a row.

[DBZ-140 … DBZ-149, DBZ-160 … DBZ-163]  Both are JSON texts; None is no such text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo

from reference_impl import epochs as clock
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.debezium_json.json_text import literal, number
from reference_impl.debezium_json.style import Style
from reference_impl.debezium_json.texts import base64_literal, bits_text, signed
from reference_impl.model import Column
from reference_impl.settings import Settings
from reference_impl.stored_defaults import stored_default
from reference_impl.zones import zone_of

__all__ = ["null_texts", "schema_default"]

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?", re.ASCII)
_INTEGER = re.compile(r"-?\d+", re.ASCII)
_TIME = re.compile(r"-?\d+:\d\d:\d\d(?:\.\d{1,6})?", re.ASCII)
_ZERO_DATE = "0000-00-00"
_LARGEST_SIGNED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class _Default:
    """A column with its default in the form of the catalogue: a TIMESTAMP in UTC."""

    text: str
    column: Column
    style: Style
    settings: Settings


def _number(text: str, bits: int) -> str | None:
    try:
        return number(text, bits) if _NUMBER.fullmatch(text) else None
    except OverflowError:
        return None


# In a schema


def _schema_number(d: _Default) -> str | None:
    return _number(d.text, 64)


def _schema_text(d: _Default) -> str | None:
    return literal(d.text)


def _bits(d: _Default) -> str | None:
    return bits_text(d.column.type, int(d.text)) if _INTEGER.fullmatch(d.text) else None


def _unless_null(d: _Default, text: str) -> str | None:
    """A substitute for an invalid default, for a NOT NULL column only."""
    return None if d.column.nullable else text


def _schema_date(d: _Default) -> str | None:
    day = clock.days(d.text)
    return _unless_null(d, "0") if day is None else str(day)


def _schema_datetime(d: _Default) -> str | None:
    if d.text.startswith(_ZERO_DATE):
        return _unless_null(d, "0")
    try:
        count = clock.micros(d.text)
    except ValueError:
        count = None
    return "0" if count is None else str(count // clock.datetime_unit(d.column.type))


def _zoned(d: _Default, zone: tzinfo) -> str | None:
    iso = clock.zoned(d.text, zone)
    return None if iso is None else f'"{iso}"'


def _schema_timestamp(d: _Default) -> str | None:
    return _zoned(d, UTC) or _unless_null(d, f'"{clock.EPOCH_TEXT}"')


def _schema_year(d: _Default) -> str | None:
    if not _INTEGER.fullmatch(d.text):
        return None
    year = int(d.text)
    return str(year + 2000 if year < 70 else year + 1900 if year < 100 else year)


def _time(d: _Default) -> str | None:
    return str(clock.time_micros(d.text)) if _TIME.fullmatch(d.text) else None


_SCHEMA: Mapping[Family, Callable[[_Default], str | None]] = {
    **dict.fromkeys((*INTEGERS, Family.FLOAT, Family.DOUBLE, Family.DECIMAL), _schema_number),
    **dict.fromkeys((*TEXT, *BINARY, Family.ENUM, Family.SET, Family.JSON, Family.VECTOR), _schema_text),
    Family.BIT: _bits,
    Family.DATE: _schema_date,
    Family.DATETIME: _schema_datetime,
    Family.TIMESTAMP: _schema_timestamp,
    Family.YEAR: _schema_year,
    Family.TIME: _time,
}


def _default(column: Column, style: Style, settings: Settings) -> _Default | None:
    text = stored_default(column, settings.timezone)
    return None if text is None else _Default(text, column, style, settings)


def schema_default(column: Column, style: Style, settings: Settings) -> str | None:
    """The member `default` of a column's schema.  [DBZ-055, DBZ-140 … DBZ-148]"""
    default = _default(column, style, settings)
    return None if default is None else _SCHEMA[column.type.family](default)


# In place of NULL


def _integer(d: _Default) -> str | None:
    if not _INTEGER.fullmatch(d.text):
        return None
    value = int(d.text)
    if value > _LARGEST_SIGNED:
        return "0" if d.style.large_default_as_zero else str(signed(value))
    return str(value)


def _float(d: _Default) -> str | None:
    return _number(d.text, d.style.float_default_bits)


def _binary(d: _Default) -> str | None:
    return base64_literal(d.text.encode("utf-8", "surrogatepass"))


def _label(d: _Default) -> str | None:
    return literal(d.text if d.text in d.column.type.members else "")


def _labels(d: _Default) -> str | None:
    known = {*d.text.split(",")} <= {*d.column.type.members}
    return literal(d.text if known else "")


def _date(d: _Default) -> str | None:
    day = clock.days(d.text)
    return None if day is None else str(day)


def _timestamp(d: _Default) -> str | None:
    # The defect mistakes the text in UTC for a wall clock of the configured zone.  [DBZ-163]
    return _zoned(d, zone_of(d.settings.timezone) if d.style.shifted_timestamp_default else UTC)


def _year(d: _Default) -> str | None:
    if d.style.year_default_as_text:
        return literal(d.text)
    return _integer(d)


def _time_or_zero(d: _Default) -> str | None:
    return "0" if d.style.time_default_as_zero else _time(d)


_NULL: Mapping[Family, Callable[[_Default], str | None]] = {
    **_SCHEMA,
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
    """The JSON of NULL in the column: `null`, or the default, once a member.  [DBZ-160, DBZ-162]"""
    default = _default(column, style, settings)
    text = None if default is None else _NULL[column.type.family](default)
    if default is None or text is None:
        return ("null",)
    if style.doubled_binary_default and column.type.family in BINARY:
        return text, literal(default.text)
    return (text,)
