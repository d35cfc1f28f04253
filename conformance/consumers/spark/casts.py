"""CAST of a text in Spark: which texts are numbers, days or moments."""

from __future__ import annotations

import base64
import datetime as dt
import re
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal, localcontext

from conformance.consumers.decimals import plain
from conformance.consumers.java import TRIMMED
from conformance.consumers.model import Basis, Refused, Rule
from conformance.consumers.mysql_types import MysqlType
from reference_impl.java_numbers import double_text, float_text

__all__ = ["BYTES", "TODAY", "cast", "decimal_text"]

TODAY = "today"
"""The placeholder for the day of a TIMESTAMP that was made from a time of day on the day of the job."""

_CAST = Rule("spark.cast", "A text that is no value of the column fails the job; up to Spark 3 it is NULL.", Basis.RUN)
_LETTERS = Rule("spark.letters", "A text with letters beyond ISO-8859-1 is no text of bytes.", Basis.RUN)

_NUMERAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,9})?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_CUT = re.compile(r"([+-]?)(\d*)(?:\.\d*)?", re.ASCII)
_REAL = re.compile(rf"(?:{_NUMERAL.pattern})[dDfF]?", re.ASCII)
_NAMES = {
    **dict.fromkeys(("inf", "+inf", "infinity", "+infinity"), "Infinity"),
    **dict.fromkeys(("-inf", "-infinity"), "-Infinity"),
    "nan": "NaN",
}
_DAY = re.compile(r"([+-]?)(\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T].*)?)?)?", re.ASCII | re.DOTALL)
_MOMENT = re.compile(
    r"([+-]?)(\d{4,6})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T](\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?)?)?)?)?"
    r"( ?(?:Z|UTC))?",
    re.ASCII,
)
_TIME = re.compile(r"T?(\d{1,2}):(\d{1,2})(:(\d{1,2})(\.\d*)?)?( ?Z)?", re.ASCII)
_BLANKS = f"{TRIMMED}\x7f"
_MOST_DIGITS, _LONGEST, _FRACTION = 38, 1000, len(".123456")
BYTES = frozenset({"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"})
_BITS = {**dict.fromkeys(("boolean", "bool", "tinyint", "smallint", "mediumint", "year"), 32), "int": 32, "integer": 32}


def cast(text: str | None, column_type: MysqlType, is_ansi: bool) -> str | None:
    """A text in a column of a type. Raises `Refused` where the cast fails and that is an error."""
    if text is None:
        return None
    if column_type.base in BYTES:
        return _encoded(text, is_ansi)
    read = _CASTS.get(column_type.base)
    if read is None:
        return text
    try:
        return read(text, column_type, is_ansi)
    except (ValueError, OverflowError):
        if is_ansi:
            raise Refused(_CAST) from None
        return None


def decimal_text(text: str, precision: int, scale: int) -> str:
    """The text of a number as a DECIMAL holds it.

    Raises `ValueError` for any other text, and for too many digits before the point.
    """
    if not _NUMERAL.fullmatch(text):
        raise ValueError(text)
    value = Decimal(text)
    if not value or value.adjusted() < precision - scale:
        with localcontext(prec=_LONGEST):
            value = value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
    if value and value.adjusted() >= precision - scale:
        raise ValueError(text)
    return plain(value)


def _encoded(text: str, is_ansi: bool) -> str:
    if is_ansi and any(ord(letter) > 0xFF for letter in text):
        raise Refused(_LETTERS)
    return base64.b64encode(text.encode("latin-1", "replace")).decode()


def _integer(text: str, column_type: MysqlType, is_ansi: bool) -> str:
    bits = _BITS.get(column_type.base, 64)
    if column_type.base == "bigint" and column_type.is_unsigned:
        return decimal_text(text.strip(TRIMMED), 20, 0)
    if column_type.base in ("int", "integer") and column_type.is_unsigned:
        bits = 64
    text = text.strip(_BLANKS)
    if not is_ansi and (cut := _CUT.fullmatch(text)) and text.strip("+-"):
        text = cut[1] + (cut[2] or "0")  # up to Spark 3 digits behind a point are cut off
    if not _WHOLE.fullmatch(text):
        raise ValueError(text)
    value = int(text)
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise ValueError(text)
    return str(value)


def _decimal(text: str, column_type: MysqlType, is_ansi: bool) -> str:
    precision = 10 if column_type.length is None else column_type.length
    return text if precision > _MOST_DIGITS else decimal_text(text.strip(TRIMMED), precision, column_type.scale or 0)


def _real(text: str, column_type: MysqlType, is_ansi: bool) -> str:
    text = text.strip(TRIMMED)
    if name := _NAMES.get(text.lower()):
        return name
    if not _REAL.fullmatch(text):
        raise ValueError(text)
    return (float_text if column_type.base == "float" else double_text)(float(text.rstrip("dDfF")))


def _day(text: str, column_type: MysqlType, is_ansi: bool) -> str:
    found = _DAY.fullmatch(text.strip(_BLANKS))
    if found is None:
        raise ValueError(text)
    sign, year, month, day = found.groups()
    return _date_text(sign, year, month, day)


def _date_text(sign: str, year: str, month: str | None, day: str | None) -> str:
    """Years of four digits at least, as Java writes them. Raises `ValueError` for a day that does not exist."""
    number = int(sign + year)
    dt.date(2000 + number % 400, int(month or 1), int(day or 1))
    head = f"+{number}" if number > 9999 else f"{'-' if number < 0 else ''}{abs(number):04}"
    return f"{head}-{int(month or 1):02}-{int(day or 1):02}"


def _moment(text: str, column_type: MysqlType, is_ansi: bool) -> str:
    text = text.strip(_BLANKS)
    found = _MOMENT.fullmatch(text)
    if found is None:
        if column_type.base == "timestamp" and (alone := _TIME.fullmatch(text)):
            return f"{TODAY} {dt.time(int(alone[1]), int(alone[2]), int(alone[4] or 0))}{(alone[5] or '')[:_FRACTION]}"
        raise ValueError(text)
    sign, year, month, day, hour, minute, second, fraction, _ = found.groups()
    time = dt.time(int(hour or 0), int(minute or 0), int(second or 0), int((fraction or "")[:6].ljust(6, "0")))
    return f"{_date_text(sign, year, month, day)} {time.isoformat()}"


_CASTS: Mapping[str, Callable[[str, MysqlType, bool], str]] = {
    **dict.fromkeys((*_BITS, "bigint"), _integer),
    "bit": lambda text, column_type, is_ansi: decimal_text(text.strip(TRIMMED), 20, 0),
    **dict.fromkeys(("decimal", "numeric"), _decimal),
    **dict.fromkeys(("float", "double", "real"), _real),
    "date": _day,
    **dict.fromkeys(("datetime", "timestamp"), _moment),
}
