"""Defaults of columns in their forms: in schemas, and in place of NULL in rows.  [DBZ-240 … DBZ-244]

The default of a column is an `Expression` with the text of the statement, or a value of the column.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import TypeAlias

from reference_impl import epochs
from reference_impl.column_types import Family
from reference_impl.java_numbers import double_text, float_text
from reference_impl.model import Column, Expression
from reference_impl.upstream.debezium.json_text import literal
from reference_impl.upstream.debezium.literals import EPOCH, Literal, LiteralKind, literal_of
from reference_impl.upstream.debezium.printed import as_hex, printed
from reference_impl.upstream.debezium.texts import Reading, bytes_text, decimal_text, micros_text, number_text
from reference_impl.upstream.debezium.types import Form

__all__ = ["ZEROES", "default_text", "null_text", "printed_default"]


_ZERO_TEXTS = (EPOCH, "0")  # defaults of a TIMESTAMP that count as zero

_BOOLEANS = ("true", "false")


def printed_default(column: Column) -> str | None:
    """The default of a BINARY column that a snapshot reads from the server, padded with `\\0` texts.  [DBZ-243]"""
    default = literal_of(column)
    if default is None:
        return None
    missing = column.type.characters - len(default.text)
    return default.text + "\\0" * missing


# A function from a literal default to its JSON text, None if the column then has no default.
_DefaultWriter: TypeAlias = Callable[[Literal, Column, Form, Reading], str | None]


# More digits than the largest double has with the fraction of any DECIMAL.
_ALL_DIGITS = Context(prec=400)


def _number(text: str) -> Decimal | None:
    """The number of a default; None for another text, and for a number beyond the range of a double."""
    if text.lower() in _BOOLEANS:
        return Decimal(text.lower() == "true")
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and math.isfinite(float(number)) else None


# The connector reads the default of a small integer as one of 32 bits.
_LIMITS: Mapping[Form, int] = {Form.INT16: 1 << 31, Form.INT32: 1 << 31, Form.INT64: 1 << 63}


def _integer(default: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    number = _number(default.text)
    if number is None:
        return None
    top = _LIMITS[form]
    rounded = int(number) if number == number.to_integral_value() else math.floor(number + Decimal("0.5"))
    return str(max(-top, min(top - 1, rounded)))


def _boolean(default: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    if default.kind is LiteralKind.BITS:
        return "true" if "1" in default.text else "false"
    number = _number(default.text)
    if number is None:
        return None
    return "true" if number else "false"


def _double(default: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    number = _number(default.text)
    return None if number is None else double_text(float(number))


def _float(default: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    number = _number(default.text)
    return None if number is None else number_text(float_text(float(number)))


def _decimal(default: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    number = _number(default.text)
    if number is None:
        return None
    scale = 0 if form is Form.UNSIGNED_DECIMAL else column.type.scale or 0
    unit = Decimal(1).scaleb(-scale)
    return decimal_text(f"{number.quantize(unit, ROUND_HALF_UP, _ALL_DIGITS):f}", form)


_DIGITS_OF_BITS = re.compile(r"-?[01]+|", re.ASCII)


def _bits(default: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    """The connector reads the digits of a statement as bits, whatever they are written as."""
    size = (column.type.bits + 7) // 8
    if isinstance(column.default, Expression):
        number = int(default.text or "0", 2) if _DIGITS_OF_BITS.fullmatch(default.text) else None
    else:
        number = int(default.text) if default.text.isdecimal() else None
    if number is None:
        return None
    return bytes_text((number & ((1 << 8 * size) - 1)).to_bytes(size, "little"), Form.BYTES)


def _string(default: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    return literal(default.text)


def _bytes(default: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    return bytes_text(default.text.encode("utf-8", "replace"), form)


def _zero(column: Column, text: str) -> str | None:
    """`text` in place of an invalid default of a NOT NULL column; None, no default, for a nullable column."""
    return None if column.nullable else text


_DATETIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d)(?::(\d\d)(?:\.(\d*))?)?)?", re.ASCII)
# A TIMESTAMP may have any separators, and numbers of one digit.
_TIMESTAMP = re.compile(
    r"(\d{1,4})\D+(\d\d?)\D+(\d\d?)(?:\D+(\d\d?)(?:\D+(\d\d?)(?:\D+(\d\d?)(?:\.(\d*))?)?)?)?", re.ASCII
)
_TIME = re.compile(r"(?:\d{4}-\d\d-\d\d )?(-?\d{1,3}:\d{1,2}(?::\d{1,2}(?:\.\d*)?)?)", re.ASCII)


def _wall_clock(form: re.Pattern[str], text: str) -> tuple[datetime, str] | None:
    """(date and time to the second, digits of the fraction) in a default; None for an invalid one."""
    match = form.fullmatch(text.strip())
    if match is None:
        return None
    *numbers, fraction = match.groups(default="")
    year, month, day, hour, minute, second = (int(number or 0) for number in numbers)
    try:
        return datetime(year, month, day, hour, minute, second), fraction
    except ValueError:
        return None


def _date(default: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    clock = _wall_clock(_DATETIME, default.text)
    return _zero(column, "0") if clock is None else str(epochs.days(clock[0].date().isoformat()))


_MICROSECONDS = 6


def _with_micros(text: str) -> str:
    """A time with six fractional digits; a default may have more digits than its column."""
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction[:_MICROSECONDS].ljust(_MICROSECONDS, '0')}"


def _datetime(default: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    clock = _wall_clock(_DATETIME, default.text)
    if clock is None:
        return _zero(column, "0")
    moment, fraction = clock
    micros = epochs.micros(_with_micros(f"{moment}.{fraction}"))
    return None if micros is None else micros_text(micros, form)


# A year of two digits: '20-1-1' is 2020 for a server, and the year 20 for the connector, in the calendar of that time.
_SHORT_YEAR = re.compile(r"\s*(\d\d?)(?=\D)", re.ASCII)
_JULIAN_LEAD = timedelta(days=2)  # the Julian date of a day in the first century, minus its Gregorian date
_CYCLE = 400  # the years after which the calendar repeats; Python has no year 0


def _in_first_century(moment: datetime) -> str:
    """The ISO text of a moment that stands a cycle of years too late."""
    year = moment.year - _CYCLE
    return f"{year:0{4 + (year < 0)}d}{moment.isoformat()[4:19]}"


def _timestamp(default: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    zero = _zero(column, f'"{epochs.EPOCH_TEXT}"')
    is_of_statement = isinstance(column.default, Expression)
    if default.kind is LiteralKind.NOW or (is_of_statement and default.text in _ZERO_TEXTS):
        return zero
    if default.kind is LiteralKind.NUMBER:
        return None
    short = _SHORT_YEAR.match(default.text) if is_of_statement else None
    text = default.text if short is None else f"{int(short[1]) + _CYCLE:04d}{default.text[short.end() :]}"
    clock = _wall_clock(_TIMESTAMP, text)
    if clock is None:
        return zero
    # A value is in the zone of the settings; the connector reads statements in the zone of its JVM, here UTC.
    zone = UTC if is_of_statement else reading.zone
    try:
        moment = clock[0].replace(tzinfo=zone).astimezone(UTC)
    except OverflowError:
        return zero
    fsp = column.type.fsp
    fraction = clock[1][:fsp].ljust(fsp, "0") if fsp else clock[1].rstrip("0")
    written = moment.isoformat()[:19] if short is None else _in_first_century(moment - _JULIAN_LEAD)
    return f'"{written}{"." if fraction else ""}{fraction}Z"'


def _time(default: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    match = _TIME.fullmatch(default.text)
    if default.kind is LiteralKind.NUMBER or not match:
        return None
    text = match[1] if match[1].count(":") == 2 else match[1] + ":00"
    micros = epochs.time_micros(_with_micros(text))
    if not reading.options.traits.negative_times and text.startswith(("-00:", "-0:")):
        micros = abs(micros)  # [DBZ-242]
    return micros_text(micros, form)


def _year(default: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    number = _number(default.text)
    if number is None:
        return None
    year = int(number)
    if not 0 <= year <= column.type.maximum:
        return None
    if year < 100:  # two digits
        year += 2000 if year < 70 else 1900
    return str(year)


DEFAULTS: Mapping[Form, _DefaultWriter] = {
    Form.BOOLEAN: _boolean,
    **dict.fromkeys((Form.INT16, Form.INT32, Form.INT64), _integer),
    Form.FLOAT: _float,
    **dict.fromkeys((Form.DOUBLE, Form.WIDENED), _double),
    **dict.fromkeys((Form.DECIMAL, Form.DECIMAL_DOUBLE, Form.DECIMAL_TEXT, Form.UNSIGNED_DECIMAL), _decimal),
    Form.BITS: _bits,
    **dict.fromkeys((Form.STRING, Form.ENUM, Form.SET), _string),
    **dict.fromkeys((Form.BYTES, Form.BASE64, Form.URL_SAFE, Form.HEX), _bytes),
    **dict.fromkeys((Form.DATE, Form.CONNECT_DATE), _date),
    **dict.fromkeys((Form.MILLIS, Form.MICROS, Form.CONNECT_TIMESTAMP), _datetime),
    **dict.fromkeys((Form.TIME, Form.CONNECT_TIME), _time),
    Form.ZONED: _timestamp,
    Form.YEAR: _year,
}

# The substitutes for NULL in a NOT NULL column without a default.  [DBZ-244]
ZEROES: Mapping[Form, str] = {
    Form.BOOLEAN: "false",
    **dict.fromkeys(
        (
            *(Form.INT16, Form.INT32, Form.INT64, Form.DATE, Form.CONNECT_DATE, Form.TIME, Form.CONNECT_TIME),
            *(Form.MILLIS, Form.MICROS, Form.CONNECT_TIMESTAMP, Form.YEAR),
        ),
        "0",
    ),
    **dict.fromkeys((Form.FLOAT, Form.DOUBLE, Form.WIDENED, Form.NOTHING, Form.DECIMAL_DOUBLE), "0.0"),
    **dict.fromkeys((Form.DECIMAL, Form.UNSIGNED_DECIMAL), '"AA=="'),
    Form.DECIMAL_TEXT: '"0"',
    **dict.fromkeys(
        (
            *(Form.STRING, Form.ENUM, Form.SET, Form.JSON),
            *(Form.BYTES, Form.BASE64, Form.URL_SAFE, Form.HEX, Form.BITS),
        ),
        '""',
    ),
    Form.ZONED: f'"{epochs.EPOCH_TEXT}"',
    Form.FLOATS: "[]",
    Form.POINT: '{"x":0.0,"y":0.0,"wkb":"","srid":null}',
    Form.GEOMETRY: '{"wkb":"","srid":null}',
}


def _as_printed(column: Column, default: Literal) -> Literal:
    """The quoted default as a snapshot reads it from the server."""
    if column.type.family is Family.BINARY:
        return Literal(default.kind, printed_default(column) or "")
    digits = as_hex(default.text)
    if digits is not None:
        return Literal(LiteralKind.HEX, digits[:-1])  # the connector loses the last digit  [DBZ-240]
    return Literal(default.kind, printed(column.type, default.text))


def default_text(column: Column, form: Form, reading: Reading) -> str | None:
    """The JSON text of a column's default, None without one.

    At a few literals that a server accepts the connector fails: TIME DEFAULT 0, TIMESTAMP DEFAULT 20200101000000. No
    record shows them, and they count as no default.
    """
    default = literal_of(column, newer_parser=reading.options.traits.newer_parser)
    if default is None or form not in DEFAULTS or column.generated is not None:
        return None
    if reading.snapshot and default.kind is LiteralKind.QUOTED:
        default = _as_printed(column, default)
    if default.kind is LiteralKind.HEX and not reading.options.traits.literal_defaults:
        return None
    return DEFAULTS[form](default, column, form, reading)


def null_text(column: Column, form: Form, default: str | None) -> str:
    """The JSON text for NULL: the default; without one null, or for a NOT NULL column the zero of its form."""
    if default is not None:
        return default
    return "null" if column.nullable else ZEROES[form]
