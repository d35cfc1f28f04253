"""The values that a decoder must answer: what Debezium JSON keeps of a column's value.

Values are those of the harness protocol; a `frozenset` holds alternatives.  [DBZ-104c, DBZ-119b, DBZ-123a, DBZ-134 …
DBZ-136, DBZ-160 … DBZ-163]
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from reference_impl.column_types import BINARY, ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.floats import plain
from reference_impl.model import Absent, Column, Expression, Index, Mask, RawText, Value
from reference_impl.settings import Settings
from reference_impl.values import check_text, to_wire
from reference_impl.zones import zone_of

__all__ = ["CURRENT", "SECONDS_END", "calendar_day", "default_text", "instant", "is_early", "is_wrapped", "known_value"]

CURRENT = "CURRENT_TIMESTAMP"

_CURRENT = re.compile(r"(?:CURRENT_TIMESTAMP|NOW|LOCALTIME|LOCALTIMESTAMP)(?:\(\d*\))?", re.IGNORECASE | re.ASCII)
_LARGEST_SIGNED = (1 << 63) - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
_FIRST_TEXT = "1970-01-01 00:00:01"
SECONDS_END = len(_FIRST_TEXT)
"""Where the seconds end in the text of a time."""


def calendar_day(text: str) -> date | None:
    """The day of a date text, with a year below 100 moved to 1970 … 2069; None for no existing day.  [DBZ-134]"""
    try:
        year = int(text[:4])
        if year < 70:
            year += 2000
        elif year < 100:
            year += 1900
        return date(year, int(text[5:7]), int(text[8:10]))
    except ValueError:
        return None


def instant(text: str, settings: Settings) -> datetime | None:
    """The instant of a TIMESTAMP text, in whole seconds; None for the zero TIMESTAMP.  [DBZ-136]"""
    try:
        local = datetime.fromisoformat(text[:SECONDS_END]).replace(tzinfo=zone_of(settings.timezone))
        moment = local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if moment >= _FIRST else None


def is_early(text: str) -> bool:
    """Whether the text of a TIMESTAMP is below `1970-01-01 00:00:01`, the smallest in UTC.  [DBZ-109a]"""
    return text < _FIRST_TEXT


def is_wrapped(column_type: ColumnType, value: Value) -> bool:
    """Whether a value is a BIGINT UNSIGNED above the largest signed number.  [DBZ-119b]"""
    large = column_type.family is Family.BIGINT and column_type.unsigned and isinstance(value, str)
    return large and int(str(value)) > _LARGEST_SIGNED


def default_text(column: Column) -> str | None:
    """The default of a column as a text, also of an expression; None without a default, and for DEFAULT NULL."""
    default = column.default
    if default is None or isinstance(default, Absent):
        return None
    if isinstance(default, Expression):
        return CURRENT if _CURRENT.fullmatch(default.text) else default.text
    return str(default)


# -- values --------------------------------------------------------------------------------------------------------


def _zero_fraction(column: Column) -> str:
    """The zero fraction of a second of a column: `.000` for three digits, "" for none."""
    return "." + "0" * column.type.fsp if column.type.fsp else ""


def _date(column: Column, text: str) -> Any:
    day = calendar_day(text)
    if day is None:
        return None if column.nullable else "1970-01-01"
    return day.isoformat()


def _datetime(column: Column, text: str) -> Any:
    day = calendar_day(text)
    if day is None:
        return None if column.nullable else f"1970-01-01 00:00:00{_zero_fraction(column)}"
    return f"{day.isoformat()} {text[11:]}"


def _in_session_zone(moment: datetime, fraction: str, settings: Settings) -> str:
    """The text of a moment in the time zone of the settings, with this fraction."""
    return moment.astimezone(zone_of(settings.timezone)).isoformat(" ")[:SECONDS_END] + fraction


def _timestamp(column: Column, text: str, settings: Settings) -> Any:
    """The values to answer for a TIMESTAMP.

    The zero TIMESTAMP is written as the start of 1970, which is no TIMESTAMP: a decoder may answer either.
    """
    zeros = _zero_fraction(column)
    start = {_in_session_zone(_EPOCH, zeros, settings), f"0000-00-00 00:00:00{zeros}"}
    if instant(text, settings) is None:
        return frozenset(start)
    return frozenset({text, *start}) if is_early(text) else text


def _decimal(column: Column, text: str) -> Any:
    """The number rounded to a 64-bit float, at the scale of the column.

    If rounding makes it too large for the type, a decoder may also answer the largest number of the type.
    """
    column_type, rounded = column.type, Decimal(plain(text, 64))
    digits, scale = column_type.length, column_type.scale
    assert digits is not None
    assert scale is not None
    digits_after_point = -int(rounded.as_tuple().exponent)
    at_scale = f"{rounded:.{scale}f}" if digits_after_point <= scale else f"{rounded:f}"
    if _is_value(column_type, at_scale):
        return at_scale
    sign, whole = "-" if rounded < 0 else "", "9" * (digits - scale) or "0"
    largest = f"{sign}{whole}" + ("." + "9" * scale if scale else "")
    return frozenset({at_scale, f"{rounded:f}", largest})


def _label(column_type: ColumnType, value: Index) -> Any:
    """The label of an ENUM; the invalid value is an empty text, unless that is a label.  [DBZ-104c]"""
    if 0 < value.number <= len(column_type.members):
        return column_type.members[value.number - 1]
    return "" if "" in column_type.members else {"index": "0"}


def _labels(column_type: ColumnType, value: Mask) -> str:
    return ",".join(label for bit, label in enumerate(column_type.members) if value.bits >> bit & 1)


# Family → what the format keeps of a text; of other families it keeps the text.
_KEPT_TEXT: Mapping[Family, Callable[[Column, str, Settings], Any]] = {
    Family.DATE: lambda column, text, settings: _date(column, text),
    Family.DATETIME: lambda column, text, settings: _datetime(column, text),
    Family.TIMESTAMP: _timestamp,
    Family.DECIMAL: lambda column, text, settings: _decimal(column, text),
}


def _kept_value(column: Column, value: Value, settings: Settings, *, typed: bool) -> Any:
    """The values to answer for a value that is not NULL."""
    if isinstance(value, RawText):
        return value.data.decode("utf-8", "replace")  # [DBZ-130a]
    if isinstance(value, Index):
        return _label(column.type, value)
    if isinstance(value, Mask):
        return _labels(column.type, value)
    if not isinstance(value, str):
        return to_wire(value)
    if not typed and is_wrapped(column.type, value):
        return frozenset({value, str(int(value) - (1 << 64))})
    of_text = _KEPT_TEXT.get(column.type.family)
    return of_text(column, value, settings) if of_text else value


# -- defaults in place of NULL -------------------------------------------------------------------------------------


def _is_value(column_type: ColumnType, text: str) -> bool:
    try:
        check_text(column_type, text)
    except Rejected:
        return False
    return True


def _default_binary(column: Column, text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    if column.type.family is Family.BINARY:
        data = data.ljust(column.type.characters, b"\0")
    return base64.b64encode(data).decode()


def _default_datetime(column: Column, text: str) -> Any:
    if text == CURRENT:
        return f"1970-01-01 00:00:00{_zero_fraction(column)}"
    return _datetime(column, text) if _is_value(column.type, text) else None


def _value_of_default(column: Column, text: str, settings: Settings) -> Any:
    """The value that stands for NULL in a column with this default; None if NULL stays NULL."""
    column_type = column.type
    if column_type.family in BINARY:
        return _default_binary(column, text)
    if column_type.family is Family.DATETIME:
        return _default_datetime(column, text)
    if column_type.family is Family.TIMESTAMP and instant(text, settings) is None:
        return None
    return _kept_value(column, text, settings, typed=True) if _is_value(column_type, text) else None


def _value_for_null(column: Column, text: str, settings: Settings, *, typed: bool) -> Any:
    """The values to answer for NULL in a column with a default: that of the default, or what defective producers write.

    A decoder cannot tell the values of recorded defects from right ones.  [DBZ-162a, DBZ-162c, DBZ-163]
    """
    column_type = column.type
    value = _value_of_default(column, text, settings)
    if value is None:
        return None
    others: set[str] = set()
    if column_type.family is Family.TIME:
        others = {f"00:00:00{_zero_fraction(column)}"}
    elif column_type.family is Family.TIMESTAMP:
        others = {_shifted_to_utc_twice(text, settings)}
    elif is_wrapped(column_type, value):
        others = {"0"} if typed else {"0", str(int(value) - (1 << 64))}
    if not others:
        return value
    return value | others if isinstance(value, frozenset) else frozenset({value, *others})


def _shifted_to_utc_twice(text: str, settings: Settings) -> str:
    """The default of a TIMESTAMP as recorded producers write it: converted to UTC twice.  [DBZ-163]"""
    moment = instant(text, settings)
    assert moment is not None
    return moment.isoformat(" ")[:SECONDS_END] + text[SECONDS_END:]


# Types whose fractional digits only a table shows.
_SCALED = frozenset({Family.DECIMAL, Family.DATETIME, Family.TIMESTAMP, Family.TIME})


def known_value(column: Column, value: Value, settings: Settings, *, typed: bool = True, scaled: bool = True) -> Any:
    """The value that a decoder must answer.

    `typed` says that the decoder knows whether an integer is unsigned, `scaled` that it knows the number of fractional
    digits. If it does not, the value is a `frozenset`, which is compared by value: any number of digits is right.
    """
    text = default_text(column)
    if value is not None:
        known = _kept_value(column, value, settings, typed=typed)
    elif text is None or column.generated is not None:
        return None
    else:
        known = _value_for_null(column, text, settings, typed=typed)
    has_any_scale = not scaled and column.type.family in _SCALED and isinstance(known, str)
    return frozenset({known}) if has_any_scale else known
