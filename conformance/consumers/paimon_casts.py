"""Paimon's casts from the texts of a message to its types, and the texts that it refuses."""

from __future__ import annotations

import base64
import math
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from conformance.consumers.clock import DAY, day_after, day_text, time_text
from conformance.consumers.decimals import rounded_text
from conformance.consumers.flink.values import last_day
from conformance.consumers.java import double_of
from conformance.consumers.model import Basis, Refused, Rule
from reference_impl.java_numbers import double_text, float_text

__all__ = ["BAD_VALUE", "BARE_TYPE", "CASTS", "PaimonType", "bytes_of_base64"]

BARE_TYPE = Rule("paimon.bare-type", "A type without its members or length, as ENUM, SET or BIT, fails the job.")
BAD_VALUE = Rule("paimon.value", "A value that does not fit its type fails the job.")
_PRECISION = Rule("paimon.float", "A number fails unless a FLOAT holds it exactly or is printed like it.", Basis.RUN)
_TOO_LONG = Rule("paimon.length", "A text or bytes that are longer than the message's own type fail.", Basis.RUN)

_TIME = Rule(
    "paimon.time",
    "A TIME is milliseconds in 32 bits, rounded, and its hours are read as two digits: 24:00:01 is kept, 100:00:00"
    " becomes 00:00:00, 838:59:59 becomes 05:57:11.704, and a negative time fails.",
    Basis.RUN,
)

_VALUE_BITS = {"TINYINT": 7, "SMALLINT": 15, "INT": 31, "BIGINT": 63}
"""Bits of an integer without its sign."""
_INT, _LONG = 1 << 31, 1 << 63
_CLOCK = re.compile(r"\s*(\d{1,10})\s*(?::\s*(\d{1,10})\s*(?::\s*(\d{1,10})\s*(?:\.([^-+:]*))?)?)?", re.ASCII)
_OFFSET = re.compile(r"([-+])\s*(\d{1,10})\s*(?::\s*(\d{1,10})\s*)?", re.ASCII)
_MICROS_OF_UNIT = {0: 1_000_000, 3: 1000, 6: 1}
"""Fraction digits of a TIMESTAMP → microseconds in the unit of a number in it."""


@dataclass(frozen=True, slots=True)
class PaimonType:
    """A type of Paimon; for texts and bytes `precision` is the length, for ENUM and SET `members` are the labels."""

    root: str
    precision: int = 0
    scale: int = 0
    members: tuple[str, ...] = ()


def _boolean(text: str, column_type: PaimonType) -> str:
    word = text.lower()
    if word in ("t", "true", "y", "yes", "1"):
        return "true"
    if word in ("f", "false", "n", "no", "0"):
        return "false"
    raise Refused(BAD_VALUE)


def _integer(text: str, column_type: PaimonType) -> str:
    limit = 1 << _VALUE_BITS[column_type.root]
    if not re.fullmatch(r"[+-]?\d{1,400}", text, re.ASCII) or not -limit <= int(text) < limit:
        raise Refused(BAD_VALUE)
    return str(int(text))


def _floating(text: str, column_type: PaimonType) -> str:
    text = text.strip()
    try:
        value = double_of(text)
    except ValueError:
        raise Refused(BAD_VALUE) from None
    if value != value:
        return "NaN"
    if column_type.root == "DOUBLE":
        return double_text(value)
    found = float_text(value)
    if math.isinf(value):
        return found
    # A number beyond every float fails, and one that is neither exactly a float nor the text of one.
    is_beyond = "Infinity" in found
    if is_beyond or (_single(value) != value and Decimal(found) != Decimal(text.rstrip("fFdD"))):
        raise Refused(_PRECISION)
    return found


def _single(value: float) -> float:
    """The float of 32 bits that is nearest."""
    found: float = struct.unpack("f", struct.pack("f", value))[0]
    return found


def _decimal(text: str, column_type: PaimonType) -> str | None:
    try:
        return rounded_text(text, column_type.precision, column_type.scale)
    except (ValueError, InvalidOperation):
        raise Refused(BAD_VALUE) from None


def _date(text: str, column_type: PaimonType) -> str:
    if re.fullmatch(r"-?\d{1,19}", text, re.ASCII):  # days since 1970
        if not -_INT <= int(text) < _INT:
            raise Refused(BAD_VALUE)
        return day_text(int(text))
    if text != text.strip() and text.strip().isascii() and text.strip().isdecimal():
        return f"{int(text):04}-01-01"  # with blanks around it a number is a year
    day = _day(text.partition(" ")[0])
    if last_day(day) != day:
        raise Refused(BAD_VALUE)
    return day


def _day(text: str) -> str:
    found = re.fullmatch(r"(\d{4})-(\d{1,2})-(\d{1,2})", text, re.ASCII)
    if not found or not 1 <= int(found[2]) <= 12 or not 1 <= int(found[3]) <= 31:
        raise Refused(BAD_VALUE)
    return f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}"


def _time(text: str, column_type: PaimonType) -> str:
    return _time_of_millis(int(text) if re.fullmatch(r"-?\d{1,10}", text, re.ASCII) else _millis_of_clock(text))


def _millis_of_clock(text: str) -> int:
    """The milliseconds of a clock, none of whose parts has a limit: see _TIME.

    Its parser adds the offset of a zone, and reads minutes of an offset only behind seconds.
    """
    begin = next((text.index(sign) for sign in "-+" if sign in text), len(text))
    found, offset = _CLOCK.fullmatch(text[:begin]), _OFFSET.fullmatch(text[begin:])
    if not found or (begin < len(text) and (not offset or (offset[3] and not found[3]))):
        raise Refused(BAD_VALUE)
    hours, minutes, seconds = (int(part or 0) for part in found.groups()[:3])
    zone_hours, zone_minutes = (int(part or 0) for part in offset.groups()[1:]) if offset else (0, 0)
    if max(hours, minutes, seconds, zone_hours, zone_minutes) >= _INT:
        raise Refused(BAD_VALUE)
    sign = -1 if offset and offset[1] == "-" else 1
    hours, minutes = hours + sign * zone_hours, minutes + sign * zone_minutes
    digits = [int(digit) if "0" <= digit <= "9" else 0 for digit in f"{(found[4] or '').strip()[:4]:0<4}"]
    millis = 100 * digits[0] + 10 * digits[1] + digits[2] + (digits[3] >= 5)
    return _wrapped(3_600_000 * hours + 60_000 * minutes + 1000 * seconds + millis)


def _time_of_millis(millis: int) -> str:
    """The milliseconds of a TIME as Paimon's cast to STRING reads them, with their fraction: see _TIME."""
    if not -_INT <= millis < _INT:
        raise Refused(BAD_VALUE)
    seconds, part = divmod(millis if millis >= 0 else millis % (DAY // 1000), 1000)
    return f"{seconds // 3600 % 100:02}:{seconds // 60 % 60:02}:{seconds % 60:02}" + (f".{part:03}" if part else "")


def _wrapped(number: int) -> int:
    """An integer in the 32 bits of Java's int."""
    return (number + _INT) % (2 * _INT) - _INT


def _timestamp(text: str, column_type: PaimonType) -> str:
    if re.fullmatch(r"-?\d{1,19}", text, re.ASCII):  # since 1970, in the unit of the column
        if column_type.precision not in _MICROS_OF_UNIT or not -_LONG <= int(text) < _LONG:
            raise Refused(BAD_VALUE)
        scaled = int(text) * _MICROS_OF_UNIT[column_type.precision]
        if not column_type.precision:  # milliseconds have 64 bits
            scaled = 1000 * ((scaled // 1000 + _LONG) % (2 * _LONG) - _LONG)
        days, rest = divmod(scaled, DAY)
        return f"{day_text(_wrapped(days))} {time_text(rest)}"  # days have 32 bits
    day, has_clock, clock = text.partition(" ")
    day = last_day(_day(day))  # in a month that is too short, its last day
    if day.startswith("0000"):  # the formatter has years of an era, which begin with 1; that of a DATE has a year 0
        raise Refused(BAD_VALUE)
    if not has_clock:
        return f"{day} 00:00:00"
    found = re.fullmatch(r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,9}))?", clock, re.ASCII)
    if not found:
        raise Refused(BAD_VALUE)
    hour, minute, second = map(int, found.groups()[:3])
    fraction = found[4] or ""
    if (hour, minute, second) == (24, 0, 0) and not fraction.strip("0"):
        return f"{day_after(*map(int, day.split('-')))} 00:00:00"
    if hour > 23 or minute > 59 or second > 59:
        raise Refused(BAD_VALUE)
    whole, kept = f"{hour:02}:{minute:02}:{second:02}", fraction[: column_type.precision]
    return f"{day} {whole}" + (f".{kept}" if kept else "")


def _enum(text: str, column_type: PaimonType) -> str:
    """The label for the number in the message."""
    number = int(_integer(text, PaimonType("INT")))
    if not 1 <= number <= len(column_type.members):
        raise Refused(BAD_VALUE)
    return column_type.members[number - 1]


def _set(text: str, column_type: PaimonType) -> str:
    bits = int(_integer(text, PaimonType("INT")))
    if not 0 <= bits < 1 << len(column_type.members):
        raise Refused(BAD_VALUE)
    return ",".join(label for i, label in enumerate(column_type.members) if bits >> i & 1)


def _characters(text: str, column_type: PaimonType) -> str:
    """A text; one that is longer in UTF-16 than its CHAR or VARCHAR is refused."""
    if column_type.precision and len(text.encode("utf-16-be", "surrogatepass")) // 2 > column_type.precision:
        raise Refused(_TOO_LONG)
    return text


def _binary(text: str, column_type: PaimonType) -> str:
    """The bytes of a text in UTF-8, as base64; more bytes than the column's length are refused."""
    data = text.encode("utf-8", "replace")
    if len(data) > column_type.precision:
        raise Refused(_TOO_LONG)
    return base64.b64encode(data).decode()


def _bare(text: str, column_type: PaimonType) -> str:
    raise Refused(BARE_TYPE)


def bytes_of_base64(text: str) -> bytes:
    """The bytes of a text in base64, padded or not. Raises `Refused`."""
    if text and not text.rstrip("="):
        raise Refused(BAD_VALUE)
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), validate=True)
    except ValueError:
        raise Refused(BAD_VALUE) from None


CASTS: Mapping[str, Callable[[str, PaimonType], str | None]] = {
    "BOOLEAN": _boolean,
    **dict.fromkeys(_VALUE_BITS, _integer),
    "FLOAT": _floating,
    "DOUBLE": _floating,
    "DECIMAL": _decimal,
    "DATE": _date,
    "TIME": _time,
    "TIMESTAMP": _timestamp,
    "ENUM": _enum,
    "SET": _set,
    "BARE": _bare,
    "STRING": _characters,
    "BYTES": lambda text, column_type: base64.b64encode(text.encode("utf-8", "replace")).decode(),
    "BINARY": _binary,
    "BITS": lambda text, column_type: base64.b64encode(bytes_of_base64(text)).decode(),
}
