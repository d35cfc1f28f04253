"""Encoders that get the values of rows wrong, NULL and what stands in its place apart.  [DBZ-100a … DBZ-139b]"""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from conformance.mutants.debezium.edits import encoder, in_families, values
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import reference
from reference_impl import exact_json
from reference_impl.column_types import BINARY, TEXT, Family
from reference_impl.debezium_json.types import allowed
from reference_impl.epochs import DAY, EPOCH_TEXT
from reference_impl.model import Column
from reference_impl.profiles import NEWARCH

__all__ = ["MUTANTS"]

Applies = Callable[[Column], bool]
Make = Callable[[Any, Column], Any]

# -- numbers and bits --------------------------------------------------------------------------------------------------


def _text(value: Any, column: Column) -> str:
    return str(value)


def _wrapped(value: int, column: Column) -> int:
    """As a signed number of the same width."""
    return value - (1 << column.type.bits) if value >> (column.type.bits - 1) else value


def _wrapped_short(value: int, column: Column) -> int:
    """As a signed number of the bytes that MEDIUMINT has."""
    return value - (1 << 24) if value >> 23 else value


def _without_sign(value: int, column: Column) -> int:
    return abs(value)


def _through_double(value: Any, column: Column) -> int:
    return int(float(value))


def _bytes(value: str) -> bytes:
    return base64.b64decode(value)


def _coded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _big_endian(value: str, column: Column) -> str:
    return _coded(_bytes(value)[::-1])


def _eight_bytes(value: str, column: Column) -> str:
    return _coded(_bytes(value).ljust(8, b"\0"))


def _pattern(value: str, column: Column) -> str:
    return f"{int.from_bytes(_bytes(value), 'little'):b}"


def _float32(value: Any) -> float:
    try:
        narrow = float(struct.unpack("f", struct.pack("f", float(value)))[0])
    except OverflowError:
        return 0.0
    return narrow if math.isfinite(narrow) else 0.0


def _widened(value: Any, column: Column) -> Any:
    """With the digits that a 32-bit float has as a 64-bit one."""
    return exact_json.loads(repr(_float32(value)))


def _two_places(value: Any, column: Column) -> Any:
    return exact_json.loads(repr(round(float(value), 2)))


def _two_digits(value: int, column: Column) -> int:
    return value % 100


# -- texts and bytes ---------------------------------------------------------------------------------------------------


def _mojibake(value: str, column: Column) -> str:
    return value.encode().decode("latin-1")


def _trimmed(value: str, column: Column) -> str:
    return value.rstrip(" ")


def _latin1(value: str, column: Column) -> str:
    return _bytes(value).decode("latin-1")


def _hex(value: str, column: Column) -> str:
    return f"0x{_bytes(value).hex()}"


def _unpadded(value: str, column: Column) -> str:
    return _coded(_bytes(value).rstrip(b"\0"))


def _utf8(value: str, column: Column) -> str:
    return _bytes(value).decode("utf-8", "replace")


def _coded_text(value: str, column: Column) -> str:
    return _coded(value.encode())


def _number(value: str, column: Column) -> Any:
    return column.type.members.index(value) + 1 if value in column.type.members else value


def _next_label(value: str, column: Column) -> str:
    """The label after it, as one gets who counts from 0."""
    at = _number(value, column)
    return column.type.members[at % len(column.type.members)] if isinstance(at, int) else value


def _mask(value: str, column: Column) -> int:
    return sum(1 << column.type.members.index(label) for label in value.split(",") if label)


def _labels_reversed(value: str, column: Column) -> str:
    return ",".join(reversed(value.split(",")))


def _spaced(value: str, column: Column) -> str:
    return value.replace(",", ", ")


def _as_array(value: str, column: Column) -> Any:
    return exact_json.loads(value)


def _in_string(value: str, column: Column) -> str:
    return json.dumps(value)


def _compact(value: str, column: Column) -> str:
    return json.dumps(json.loads(value), separators=(",", ":")) if len(value) < 1000 and "." not in value else value


def _long_elements(value: str, column: Column) -> str:
    return "[" + ",".join(repr(_float32(element)) for element in value[1:-1].split(",") if element) + "]"


def _escaped(value: str, column: Column) -> str:
    """As `allowed` has the label."""
    return allowed(replace(column.type, members=(value,)))


def _is_binary_collation(column: Column) -> bool:
    return column.type.family in TEXT and (column.collation or "").endswith("_bin")


def _is_by_charset(column: Column) -> bool:
    word = column.type.text.lower()
    return column.type.family in BINARY and ("char" in word or "text" in word)


# -- times -------------------------------------------------------------------------------------------------------------


def _times(factor: int) -> Make:
    return lambda value, column: value * factor


def _divided(divisor: int) -> Make:
    return lambda value, column: value // divisor


def _within_a_day(value: int, column: Column) -> int:
    return value % DAY


def _short_fraction(value: str, column: Column) -> str:
    whole, point, digits = value[:-1].partition(".")
    return whole + (point + digits.rstrip("0")).rstrip(".") + "Z"


def _six_digits(value: str, column: Column) -> str:
    whole, _, digits = value[:-1].partition(".")
    return value if value == EPOCH_TEXT else f"{whole}.{digits.ljust(6, '0')}Z"


def _offset(value: str, column: Column) -> str:
    return f"{value[:-1]}+00:00"


def _blank(value: str, column: Column) -> str:
    return value.replace("T", " ").removesuffix("Z")


def _is_datetime(*, micro: bool) -> Applies:
    return lambda column: column.type.family is Family.DATETIME and (column.type.fsp > 3) == micro


def _signed(*families: Family) -> Applies:
    return lambda column: column.type.family in families and not column.type.unsigned


def _unsigned(*families: Family) -> Applies:
    return lambda column: column.type.family in families and column.type.unsigned


def _bits(*, one: bool) -> Applies:
    return lambda column: column.type.family is Family.BIT and (column.type.bits == 1) == one


def _is_boolean(column: Column) -> bool:
    return column.type.text == "tinyint(1)"


_TINY, _SMALL, _MEDIUM, _INT, _BIG = Family.TINYINT, Family.SMALLINT, Family.MEDIUMINT, Family.INT, Family.BIGINT

# (requirement, name, what is wrong, columns, what is written instead)
_FAULTS: tuple[tuple[str, str, str, Applies, Make], ...] = (
    ("DBZ-100a", "bit-number", "BIT(1) is 0 or 1", _bits(one=True), lambda v, c: int(v)),
    ("DBZ-100a", "bit-turned", "BIT(1) is turned round", _bits(one=True), lambda v, c: not v),
    ("DBZ-101a", "bits-big-endian", "BIT has its highest byte first", _bits(one=False), _big_endian),
    ("DBZ-101a", "bits-pattern", "BIT is its pattern of bits", _bits(one=False), _pattern),
    ("DBZ-101b", "bits-wide", "BIT has eight bytes", _bits(one=False), _eight_bytes),
    ("DBZ-102a", "text-mojibake", "texts are decoded as Latin-1", in_families(*TEXT), _mojibake),
    ("DBZ-102a", "text-trimmed", "blanks at the end of texts are lost", in_families(*TEXT), _trimmed),
    ("DBZ-103a", "bytes-latin-1", "bytes are characters", in_families(*BINARY), _latin1),
    ("DBZ-103a", "bytes-hex", "bytes are hexadecimal", in_families(*BINARY), _hex),
    ("DBZ-103b", "binary-unpadded", "BINARY is not padded", in_families(Family.BINARY), _unpadded),
    ("DBZ-104a", "enum-number", "ENUM is its number", in_families(Family.ENUM), _number),
    ("DBZ-104a", "enum-next", "ENUM is the label after it", in_families(Family.ENUM), _next_label),
    ("DBZ-105a", "set-mask", "SET is its number", in_families(Family.SET), _mask),
    ("DBZ-105a", "set-reversed", "SET has its labels last first", in_families(Family.SET), _labels_reversed),
    ("DBZ-105a", "set-blank", "SET has blanks after its commas", in_families(Family.SET), _spaced),
    ("DBZ-106a", "date-seconds", "DATE is in seconds", in_families(Family.DATE), _times(86_400)),
    ("DBZ-106a", "date-millis", "DATE is in milliseconds", in_families(Family.DATE), _times(86_400_000)),
    ("DBZ-107a", "datetime-micros", "DATETIME(3) is in microseconds", _is_datetime(micro=False), _times(1000)),
    ("DBZ-107a", "datetime-seconds", "DATETIME(3) is in seconds", _is_datetime(micro=False), _divided(1000)),
    ("DBZ-108a", "datetime-millis", "DATETIME(6) is in milliseconds", _is_datetime(micro=True), _divided(1000)),
    ("DBZ-109a", "timestamp-blank", "TIMESTAMP has a blank", in_families(Family.TIMESTAMP), _blank),
    ("DBZ-109a", "timestamp-offset", "TIMESTAMP ends in +00:00", in_families(Family.TIMESTAMP), _offset),
    ("DBZ-109b", "timestamp-short", "TIMESTAMP has few digits", in_families(Family.TIMESTAMP), _short_fraction),
    ("DBZ-109b", "timestamp-long", "TIMESTAMP has six digits", in_families(Family.TIMESTAMP), _six_digits),
    ("DBZ-110a", "time-sign", "the minus sign of TIME is lost", in_families(Family.TIME), _without_sign),
    ("DBZ-110a", "time-a-day", "TIME is one of a day", in_families(Family.TIME), _within_a_day),
    ("DBZ-110a", "time-millis", "TIME is in milliseconds", in_families(Family.TIME), _divided(1000)),
    ("DBZ-111a", "json-object", "JSON is an object, not a string", in_families(Family.JSON), _as_array),
    ("DBZ-111a", "json-in-json", "JSON is a JSON string of its text", in_families(Family.JSON), _in_string),
    ("DBZ-112a", "tinyint-signed", "TINYINT UNSIGNED is signed", _unsigned(_TINY), _wrapped),
    ("DBZ-112a", "tinyint-text", "TINYINT is a text", lambda c: c.type.family is _TINY and not _is_boolean(c), _text),
    ("DBZ-112b", "boolean-word", "BOOLEAN is true or false", _is_boolean, lambda v, c: v != 0),
    ("DBZ-113a", "smallint-text", "SMALLINT is a text", _signed(_SMALL), _text),
    ("DBZ-113a", "smallint-sign", "SMALLINT loses its sign", _signed(_SMALL), _without_sign),
    ("DBZ-114a", "smallint-signed", "SMALLINT UNSIGNED is signed", _unsigned(_SMALL), _wrapped),
    ("DBZ-115a", "mediumint-text", "MEDIUMINT is a text", in_families(_MEDIUM), _text),
    ("DBZ-115a", "mediumint-signed", "MEDIUMINT UNSIGNED is signed", _unsigned(_MEDIUM), _wrapped_short),
    ("DBZ-116a", "int-text", "INT is a text", _signed(_INT), _text),
    ("DBZ-116a", "int-sign", "INT loses its sign", _signed(_INT), _without_sign),
    ("DBZ-117a", "int-signed", "INT UNSIGNED is signed", _unsigned(_INT), _wrapped),
    ("DBZ-118a", "bigint-double", "BIGINT goes through a 64-bit float", _signed(_BIG), _through_double),
    ("DBZ-118a", "bigint-text", "BIGINT is a text", _signed(_BIG), _text),
    ("DBZ-120a", "float-places", "FLOAT has two places", in_families(Family.FLOAT), _two_places),
    ("DBZ-120b", "float-widened", "FLOAT has the digits of a 64-bit float", in_families(Family.FLOAT), _widened),
    ("DBZ-122a", "double-narrowed", "DOUBLE goes through a 32-bit float", in_families(Family.DOUBLE), _widened),
    ("DBZ-122a", "double-text", "DOUBLE is a text", in_families(Family.DOUBLE), _text),
    ("DBZ-123a", "decimal-text", "DECIMAL is a text", in_families(Family.DECIMAL), _text),
    ("DBZ-123a", "decimal-narrowed", "DECIMAL goes through a 32-bit float", in_families(Family.DECIMAL), _widened),
    ("DBZ-124a", "year-short", "YEAR has two digits", in_families(Family.YEAR), _two_digits),
    ("DBZ-124a", "year-text", "YEAR is a text", in_families(Family.YEAR), _text),
    ("DBZ-125a", "vector-blanks", "VECTOR has blanks", in_families(Family.VECTOR), _spaced),
    ("DBZ-125a", "vector-array", "VECTOR is an array", in_families(Family.VECTOR), _as_array),
    ("DBZ-125a", "vector-long", "VECTOR has the digits of 64-bit floats", in_families(Family.VECTOR), _long_elements),
    ("DBZ-130", "text-by-collation", "a binary collation makes base64", _is_binary_collation, _coded_text),
    ("DBZ-103a", "bytes-by-charset", "the charset binary is a text", _is_by_charset, _utf8),
    ("DBZ-132", "enum-escaped", "ENUM is escaped as in `allowed`", in_families(Family.ENUM), _escaped),
    ("DBZ-139b", "json-compact", "JSON has no blanks", in_families(Family.JSON), _compact),
)


# What they break besides. Where there are but two values, each is the one of the other image; short years and the zero
# TIMESTAMP have rules of their own, and the document has none of VECTOR.
_ALSO: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("bit-turned", "enum-next"), ("DBZ-043b", "DBZ-043c")),
    **dict.fromkeys(("date-seconds", "date-millis"), ("DBZ-134",)),
    "bigint-text": ("DBZ-030a",),
    **dict.fromkeys(("boolean-word", "bit-number"), ("DBZ-030a", "DBZ-037")),
    "text-by-collation": ("DBZ-102a",),
    "enum-escaped": ("DBZ-104a",),
    "vector-array": ("DBZ-043b", "DBZ-043c"),
    "timestamp-blank": ("DBZ-043b", "DBZ-043c", "DBZ-136"),
    "timestamp-offset": ("DBZ-136",),
}


def _mutants() -> Iterator[Mutant]:
    for requirement, name, description, applies, make in _FAULTS:
        yield encoder(name, requirement, description, values(applies, make), *_ALSO.get(name, ()))
    yield encoder(
        "timestamp-early-zero",
        "DBZ-109a",
        "a TIMESTAMP whose wall clock is early is written as the zero one",
        reference(NEWARCH, "debezium/early-timestamp-as-zero"),
    )
    yield encoder(
        "text-raw",
        "DBZ-010a",
        "bytes that are not UTF-8 are copied",
        reference(NEWARCH, "debezium/raw-invalid-utf8"),
    )


MUTANTS: tuple[Mutant, ...] = tuple(_mutants())
