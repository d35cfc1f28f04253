"""Decoders that get the values of a type wrong.  [DBZ-451g … DBZ-451t]

Values are in the form of the harness protocol: bytes are base64, members of ENUM and SET are labels.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from conformance.mutants.debezium.edits import Tree, decoder, in_families, read_rows, read_values
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]

Applies = Callable[[Column], bool]
Make = Callable[[Any, Column], Any]

# -- numbers -----------------------------------------------------------------------------------------------------------


def _through_double(value: str, column: Column) -> str:
    return str(int(float(value)))


def _signed(value: str, column: Column) -> str:
    number = int(value)
    return str(number - (1 << column.type.bits)) if number >> (column.type.bits - 1) else value


def _clamped(value: str, column: Column) -> str:
    return str(min(int(value), (1 << (column.type.bits - 1)) - 1))


def _big_endian(value: str, column: Column) -> str:
    size = (column.type.bits + 7) // 8
    return str(int.from_bytes(int(value).to_bytes(size, "little"), "big"))


def _turned(value: str, column: Column) -> str:
    return str(1 - int(value))


def _whole(value: str, column: Column) -> str:
    return value.partition(".")[0] if "e" not in value else value


def _narrowed(value: str, column: Column) -> str:
    try:
        return repr(struct.unpack("f", struct.pack("f", float(value)))[0])
    except OverflowError:
        return "0"


def _comma(value: str, column: Column) -> str:
    return value.replace(".", ",")


# -- texts -------------------------------------------------------------------------------------------------------------


def _mojibake(value: Any, column: Column) -> Any:
    return value.encode("utf-8", "surrogatepass").decode("latin-1") if isinstance(value, str) else value


def _trimmed(value: Any, column: Column) -> Any:
    return value.rstrip(" ") if isinstance(value, str) else value


def _coded_twice(value: str, column: Column) -> str:
    return base64.b64encode(value.encode()).decode()


def _unpadded(value: str, column: Column) -> str:
    return base64.b64encode(base64.b64decode(value).rstrip(b"\0")).decode()


def _next_label(value: Any, column: Column) -> Any:
    members = column.type.members
    return members[(members.index(value) + 1) % len(members)] if isinstance(value, str) and value in members else value


def _first_label(value: Any, column: Column) -> Any:
    return value.partition(",")[0] if isinstance(value, str) else value


def _in_json(value: str, column: Column) -> str:
    return json.dumps(value)


def _first_element(value: str, column: Column) -> str:
    return value.partition(",")[0].rstrip("]") + "]"


# -- times -------------------------------------------------------------------------------------------------------------


def _next_year(value: str, column: Column) -> str:
    return f"{(int(value[:4]) % 9999) + 1:04d}-01{value[7:]}"


def _without_fraction(value: str, column: Column) -> str:
    whole, point, digits = value.partition(".")
    return whole + point + "0" * len(digits)


def _without_sign(value: str, column: Column) -> str:
    return value.lstrip("-")


def _within_a_day(value: str, column: Column) -> str:
    sign, (hours, rest) = ("-" if value.startswith("-") else ""), value.lstrip("-").split(":", 1)
    return f"{sign}{int(hours) % 24:02d}:{rest}"


def _two_digits(value: str, column: Column) -> str:
    return str(int(value) % 100)


def _in_utc(text: str, zone: str) -> str:
    if zone == "UTC" or text.startswith("0000"):
        return text
    whole, dot, fraction = text.partition(".")
    there = datetime.fromisoformat(f"{whole}{zone}" if zone[0] in "+-" else whole)
    there = there.astimezone(UTC) if there.tzinfo else there.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    return there.isoformat(" ")[:19] + dot + fraction


def _utc(event: Tree, context: Context) -> None:
    zone = context.configuration.get("timezone", "UTC")
    for image in filter(None, (event.get("before"), event.get("after"))):
        for name, text in image.items():
            column = context.column(event["schema"], event["table"], name)
            if text is not None and column is not None and column.type.family is Family.TIMESTAMP:
                image[name] = _in_utc(text, zone)


def _bits(*, one: bool) -> Applies:
    return lambda column: column.type.family is Family.BIT and (column.type.bits == 1) == one


def _unsigned(*families: Family) -> Applies:
    return lambda column: column.type.family in families and column.type.unsigned


_CALENDAR = in_families(Family.DATE, Family.DATETIME)

# (requirement, name, what is wrong, columns, what is answered)
_FAULTS: tuple[tuple[str, str, str, Applies, Make], ...] = (
    ("DBZ-451g", "integers-double", "integers go through a 64-bit float", in_families(Family.BIGINT), _through_double),
    (
        "DBZ-451g",
        "unsigned-signed",
        "unsigned integers are read as signed",
        _unsigned(*(INTEGERS - {Family.BIGINT})),
        _signed,
    ),
    ("DBZ-451h", "bigint-signed", "BIGINT UNSIGNED is read as signed", _unsigned(Family.BIGINT), _signed),
    ("DBZ-451h", "bigint-clamped", "BIGINT UNSIGNED stops at the largest signed", _unsigned(Family.BIGINT), _clamped),
    ("DBZ-451i", "bits-big-endian", "the first byte of a BIT is the highest", _bits(one=False), _big_endian),
    ("DBZ-451i", "bit-turned", "true is 0", _bits(one=True), _turned),
    ("DBZ-451j", "float-whole", "floats lose their fraction", in_families(Family.FLOAT, Family.DOUBLE), _whole),
    ("DBZ-451j", "double-narrowed", "DOUBLE goes through a 32-bit float", in_families(Family.DOUBLE), _narrowed),
    ("DBZ-451k", "decimal-whole", "DECIMAL loses its fraction", in_families(Family.DECIMAL), _whole),
    ("DBZ-451k", "decimal-comma", "DECIMAL is answered with a comma", in_families(Family.DECIMAL), _comma),
    ("DBZ-451l", "date-month", "the month of dates is lost", _CALENDAR, _next_year),
    (
        "DBZ-451l",
        "datetime-fraction",
        "the fraction of DATETIME is lost",
        in_families(Family.DATETIME),
        _without_fraction,
    ),
    (
        "DBZ-451m",
        "timestamp-fraction",
        "the fraction of TIMESTAMP is lost",
        in_families(Family.TIMESTAMP),
        _without_fraction,
    ),
    ("DBZ-451n", "time-sign", "the minus sign of TIME is lost", in_families(Family.TIME), _without_sign),
    ("DBZ-451n", "time-a-day", "TIME is one of a day", in_families(Family.TIME), _within_a_day),
    ("DBZ-451o", "year-short", "YEAR has two digits", in_families(Family.YEAR), _two_digits),
    ("DBZ-451p", "text-mojibake", "texts are decoded as Latin-1", in_families(*TEXT), _mojibake),
    ("DBZ-451p", "text-trimmed", "blanks at the end of texts are lost", in_families(*TEXT), _trimmed),
    ("DBZ-451q", "bytes-coded", "bytes stay base64", in_families(*BINARY), _coded_twice),
    ("DBZ-451q", "binary-unpadded", "BINARY is not padded", in_families(Family.BINARY), _unpadded),
    ("DBZ-451r", "enum-next", "ENUM is the label after it", in_families(Family.ENUM), _next_label),
    ("DBZ-451r", "set-first", "SET is its first label", in_families(Family.SET), _first_label),
    ("DBZ-451s", "json-in-json", "JSON is a JSON string of its text", in_families(Family.JSON), _in_json),
    ("DBZ-451t", "vector-first", "VECTOR is its first number", in_families(Family.VECTOR), _first_element),
)

# What they break besides. The document is silent about VECTOR and about numbers beyond the largest signed one, so that
# the image is wrong as well; and where there are but two values, each is the one of the other image.
_ALSO: dict[str, tuple[str, ...]] = {
    "integers-double": ("DBZ-451e", "DBZ-451h"),
    "bigint-signed": ("DBZ-451e", "DBZ-451g"),
    "bigint-clamped": ("DBZ-451e", "DBZ-451g"),
    "bit-turned": ("DBZ-451e",),
    "enum-next": ("DBZ-451e",),
    "vector-first": ("DBZ-451e",),
}

MUTANTS: tuple[Mutant, ...] = (
    *(
        decoder(f"read-{name}", requirement, description, read_values(applies, make), *_ALSO.get(name, ()))
        for requirement, name, description, applies, make in _FAULTS
    ),
    decoder("read-timestamp-utc", "DBZ-451m", "TIMESTAMP is told in UTC", read_rows(_utc)),
)
