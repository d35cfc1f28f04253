"""Reads times: from counts and ISO texts to database texts.  [DBZ-217, DBZ-218, DBZ-220 … DBZ-222, §7.5]"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from reference_impl import epochs
from reference_impl.exact_json import Tree
from reference_impl.model import Value
from reference_impl.upstream.debezium.payload_column import (
    LOST,
    Lost,
    PayloadColumn,
    Reader,
    checked,
    integer_of,
    string_of,
)
from reference_impl.upstream.debezium.texts import old_extra, old_negative
from reference_impl.upstream.debezium.types import Form

__all__ = ["TIME_READERS"]


def _read_date(column: PayloadColumn) -> Reader:
    return lambda value: epochs.date_of_days(integer_of(column, value))


def _read_datetime(column: PayloadColumn) -> Reader:
    unit = 1 if column.form is Form.MICROS else 1000
    digits = column.column_type.fsp if column.exact else None
    return lambda value: epochs.datetime_of_micros(integer_of(column, value) * unit, digits)


def _read_time(column: PayloadColumn) -> Reader:
    unit = 1000 if column.form is Form.CONNECT_TIME else 1
    digits = column.column_type.fsp if column.exact else None
    is_garbled = not column.reading.options.traits.negative_times and not column.reading.snapshot and column.exact

    def read(value: Tree) -> Value | Lost:
        micros = integer_of(column, value) * unit
        if is_garbled and micros < 0:
            return _old_time(micros, column.column_type.fsp)
        return epochs.time_of_micros(micros, digits)

    return read


_LONGEST = (838 * 3600 + 59 * 60 + 59) * epochs.MICROS


def _old_time(micros: int, fsp: int) -> str | Lost:
    """The negative TIME that an old version writes as these microseconds; `LOST` if there are several.  [DBZ-222]"""
    if -micros > _LONGEST + 4 * epochs.MICROS:
        return epochs.time_of_micros(micros, fsp)
    extra = old_extra(fsp)
    whole, rest = divmod(-micros - extra, epochs.MICROS)
    if rest:
        return epochs.time_of_micros(micros, fsp)
    zeros = "." + "0" * fsp if fsp else ""
    candidates = []
    # The old version is off by a second. But where seconds, or minutes too, are zero, it borrows 64 units in place of
    # 60, and has 3 or 243 seconds too many.
    for seconds in (whole + (extra > 0), whole - 3, whole - 243):
        text = f"-{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{zeros}"
        if 0 < seconds * epochs.MICROS <= _LONGEST and old_negative(text, fsp) == micros:
            candidates.append(text)
    return candidates[0] if len(candidates) == 1 else LOST


_ZERO = "0000-00-00 00:00:00"
_EPOCH = re.compile(r"1970-01-01T00:00:00(?:\.(0+))?Z")


def _read_timestamp(column: PayloadColumn) -> Reader:
    digits = column.column_type.fsp if column.exact else None

    def read(value: Tree) -> Value:
        text = string_of(column, value)
        if column.reading.snapshot and digits and text.endswith("Z"):
            whole, _, fraction = text[:-1].partition(".")
            text = f"{whole}.{fraction.ljust(digits, '0')}Z"
        if match := _EPOCH.fullmatch(text):
            zeros = (match[1] or "") if digits is None else "0" * digits
            return f"{_ZERO}.{zeros}" if zeros else _ZERO
        return epochs.read_zoned(text, column.reading.zone, digits)

    return read


def _read_year(column: PayloadColumn) -> Reader:
    def read(value: Tree) -> Value:
        year = integer_of(column, value)
        return "0" if year == 1900 else checked(column, str(year))

    return read


TIME_READERS: Mapping[Form, Callable[[PayloadColumn], Reader]] = {
    **dict.fromkeys((Form.DATE, Form.CONNECT_DATE), _read_date),
    **dict.fromkeys((Form.TIME, Form.CONNECT_TIME), _read_time),
    **dict.fromkeys((Form.MILLIS, Form.MICROS, Form.CONNECT_TIMESTAMP), _read_datetime),
    Form.ZONED: _read_timestamp,
    Form.YEAR: _read_year,
}
