"""Defaults in schemas, also in place of NULL in rows: from the statement's text to the form of the column.

[DBZ-240 … DBZ-244]  A default comes as an `Expression`, the tokens of the statement, or as a value of its column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from enum import Enum, auto
from typing import TypeAlias

from reference_impl import epochs
from reference_impl.column_types import Family
from reference_impl.java_numbers import double_text, float_text
from reference_impl.model import Absent, Column, Expression
from reference_impl.upstream.debezium.json_text import literal
from reference_impl.upstream.debezium.printed import as_hex, printed
from reference_impl.upstream.debezium.texts import Reading, bytes_text, decimal_text, micros_text, number_text
from reference_impl.upstream.debezium.types import Form

__all__ = ["ZEROES", "Literal", "LiteralKind", "default_text", "literal_of", "null_text", "printed_default"]


class LiteralKind(Enum):
    """The kind of literal in which a default was written."""

    QUOTED = auto()
    NUMBER = auto()
    BITS = auto()
    HEX = auto()
    NOW = auto()


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal default: its kind, and its text in the statement without quotes."""

    kind: LiteralKind
    text: str


EPOCH = "1970-01-01 00:00:00"  # the connector's value for the statement's clock

_NOW = re.compile(r"(?:current_timestamp|now|localtime|localtimestamp)\s*(?:\(\s*\d*\s*\))?", re.IGNORECASE)
_QUOTED = re.compile(r"""(?:_[a-z0-9]+\s+)?(['"])(.*)\1""", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?\s*(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE)
_BITS = re.compile(r"b'([01]*)'", re.IGNORECASE)
_HEX = re.compile(r"0x([0-9a-f]+)|0b([01]+)|x'([0-9a-f]*)'", re.IGNORECASE)
_BOOLEANS = ("true", "false")


def literal_of(column: Column) -> Literal | None:
    """The literal default of a column; None without one, for NULL and for an expression."""
    given = column.default
    if given is None or isinstance(given, Absent):
        return None
    if not isinstance(given, Expression):
        text = str(given).replace("\\", "\\\\").replace("'", "''")
        return Literal(LiteralKind.QUOTED, text)
    text = given.text.strip()
    if _NOW.fullmatch(text):
        return Literal(LiteralKind.NOW, EPOCH)
    if found := _QUOTED.fullmatch(text):
        return Literal(LiteralKind.QUOTED, found[2])
    if found := _BITS.fullmatch(text):
        return Literal(LiteralKind.BITS, found[1])
    if found := _HEX.fullmatch(text):
        # The prefix and one more character are cut off, as if there were quotes.  [DBZ-240]
        return Literal(LiteralKind.HEX, found[3] if found[3] is not None else (found[1] or found[2])[:-1])
    if _NUMBER.fullmatch(text) or text.lower() in _BOOLEANS:
        return Literal(LiteralKind.NUMBER, text.replace(" ", ""))
    return None


def printed_default(column: Column) -> str | None:
    """The default that a snapshot reads from the server: BINARY is padded with a notation of zero bytes.  [DBZ-243]"""
    found = literal_of(column)
    if found is None:
        return None
    missing = column.type.characters - len(found.text)
    return found.text + "\\0" * missing


# A writer of defaults; None means no default.
_Made: TypeAlias = Callable[[Literal, Column, Form, Reading], str | None]


_LARGEST = 308  # digits of a double; no column holds a larger number


def _exact(text: str) -> Decimal | None:
    if text.lower() in _BOOLEANS:
        return Decimal(text.lower() == "true")
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) <= _LARGEST else None


_LIMITS: Mapping[Form, int] = {Form.INT16: 1 << 31, Form.INT32: 1 << 31, Form.INT64: 1 << 63}


def _integer(given: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    number = _exact(given.text)
    if number is None:
        return None
    top = _LIMITS[form]
    rounded = int(number) if number == number.to_integral_value() else int((number + Decimal("0.5")).__floor__())
    return str(max(-top, min(top - 1, rounded)))


def _boolean(given: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    if given.kind is LiteralKind.BITS:
        return "true" if "1" in given.text else "false"
    number = _exact(given.text)
    return None if number is None else "true" if number else "false"


def _double(given: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    number = _exact(given.text)
    return None if number is None else double_text(float(number))


def _float(given: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    number = _exact(given.text)
    return None if number is None else number_text(float_text(float(number)))


def _decimal(given: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    number = _exact(given.text)
    if number is None:
        return None
    unit = Decimal(1).scaleb(-(column.type.scale or 0)) if form is not Form.UNSIGNED_DECIMAL else Decimal(1)
    return decimal_text(f"{number.quantize(unit, ROUND_HALF_UP, Context(prec=2 * _LARGEST)):f}", form)


def _bits(given: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    size = (column.type.bits + 7) // 8
    if given.kind is LiteralKind.BITS:
        number = int(given.text or "0", 2)
    elif given.text.isdecimal() and (
        reading.options.traits.literal_defaults or not isinstance(column.default, Expression)
    ):
        number = int(given.text)
    else:
        return None
    return bytes_text((number & ((1 << 8 * size) - 1)).to_bytes(size, "little"), Form.BYTES)


def _string(given: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    return literal(given.text)


def _bytes(given: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    return bytes_text(given.text.encode("utf-8", "replace"), form)


def _zero(column: Column, text: str) -> str | None:
    return None if column.nullable else text


_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[ T].*)?", re.ASCII)
_DATETIME = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d)(?:\.(\d*))?)?", re.ASCII)
_TIME = re.compile(r"(?:\d{4}-\d\d-\d\d )?(-?\d{1,3}:\d{1,2}(?::\d{1,2}(?:\.\d*)?)?)", re.ASCII)


def _is_calendar(text: str) -> bool:
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True


def _date(given: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    if not (_DATE.fullmatch(given.text) and _is_calendar(given.text)):
        return _zero(column, "0")
    return str(epochs.days(given.text[:10]))


_MICROSECONDS = 6


def _fine(text: str) -> str:
    """A clock with microseconds; a default keeps more digits than its column."""
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction[:_MICROSECONDS].ljust(_MICROSECONDS, '0')}"


def _datetime(given: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    found = _DATETIME.fullmatch(given.text)
    if not found or not _is_calendar(given.text):
        return _zero(column, "0")
    clock = found[2] or "00:00:00"
    micros = epochs.micros(_fine(f"{found[1]} {clock}.{found[3] or ''}"))
    return None if micros is None else micros_text(micros, form)


def _timestamp(given: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    zero = _zero(column, f'"{epochs.EPOCH_TEXT}"')
    if given.kind is LiteralKind.NOW:
        return zero
    if given.kind is LiteralKind.NUMBER:
        return None
    found = _DATETIME.fullmatch(given.text)
    if not found or not _is_calendar(given.text):
        return zero
    text = f"{found[1]} {found[2] or '00:00:00'}"
    # Values of the model are in the zone of values; the worker reads statements in its own zone, here UTC.
    zone = UTC if isinstance(column.default, Expression) else reading.zone
    moment = datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)
    fraction = (found[3] or "")[: column.type.fsp].ljust(column.type.fsp, "0")
    return f'"{moment.isoformat()[:19]}{"." if fraction else ""}{fraction}Z"'


def _time(given: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    found = _TIME.fullmatch(given.text)
    if given.kind is LiteralKind.NUMBER or not found:
        return None
    text = found[1] if found[1].count(":") == 2 else found[1] + ":00"
    micros = epochs.time_micros(_fine(text))
    if not reading.options.traits.negative_times and text.startswith(("-00:", "-0:")):
        micros = abs(micros)  # [DBZ-242]
    return micros_text(micros, form)


def _year(given: Literal, column: Column, form: Form, reading: Reading) -> str | None:
    number = _exact(given.text)
    if number is None:
        return None
    year = int(number)
    if not 0 <= year <= column.type.maximum:
        return None
    return str(year + (2000 if year < 70 else 1900) if year < 100 else year)


DEFAULTS: Mapping[Form, _Made] = {
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


def _in_double_quotes(column: Column) -> bool:
    return isinstance(column.default, Expression) and column.default.text.lstrip().startswith('"')


def _as_printed(column: Column, given: Literal) -> Literal:
    """The quoted default that a snapshot reads from the server."""
    if column.type.family is Family.BINARY:
        return Literal(given.kind, printed_default(column) or "")
    digits = as_hex(given.text)
    if digits is not None:
        return Literal(LiteralKind.HEX, digits[:-1])  # it loses the last digit [DBZ-240]
    return Literal(given.kind, printed(column.type, given.text))


def default_text(column: Column, form: Form, reading: Reading) -> str | None:
    """The JSON text of a column's default, None without one."""
    given = literal_of(column)
    if given is None or form not in DEFAULTS or column.generated is not None:
        return None
    if reading.snapshot and given.kind is LiteralKind.QUOTED:
        given = _as_printed(column, given)
    elif reading.options.traits.newer_parser and _in_double_quotes(column):
        given = Literal(given.kind, given.text.replace("'", "''"))
    if given.kind is LiteralKind.HEX and not reading.options.traits.literal_defaults:
        return None
    return DEFAULTS[form](given, column, form, reading)


def null_text(column: Column, form: Form, default: str | None) -> str:
    """The JSON for NULL: the default, or null, or in a NOT NULL column a zero of the form."""
    if default is not None:
        return default
    return "null" if column.nullable else ZEROES[form]
