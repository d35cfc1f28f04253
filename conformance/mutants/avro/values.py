"""Encoders that write the values of columns wrongly, or in other words.  [AV-075b … AV-108]"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from conformance.mutants.avro.edits import Applies, encoder, in_families, is_signed, is_unsigned, values
from conformance.mutants.avro.forgery import BEFORE, Forgery, Part, Tree
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import accepts
from reference_impl.avro.decimals import to_bytes
from reference_impl.avro.types import allowed
from reference_impl.column_types import BINARY, TEXT, Family
from reference_impl.floats import nearest_float32
from reference_impl.model import Column
from reference_impl.zones import zone_of

__all__ = ["MUTANTS"]

_MAX_LONG = 2**63 - 1
_LABELS = in_families(Family.ENUM, Family.SET)
_DECIMAL, _BIT = in_families(Family.DECIMAL), in_families(Family.BIT)
_TIMES = in_families(Family.DATETIME, Family.TIMESTAMP)
_BLOBS = BINARY - {Family.BINARY}


def _signed(bits: int) -> Callable[[int, Column], int]:
    return lambda value, column: value - (1 << bits) if value >> (bits - 1) else value


def _through_a_double(value: Any, column: Column) -> Any:
    return value if isinstance(value, str) else min(int(float(value)), _MAX_LONG)


def _digits_signed(value: Any, column: Column) -> Any:
    return str(int(value) - 2**64) if isinstance(value, str) and int(value) > _MAX_LONG else value


def _in_32_bits(value: float, column: Column) -> float:
    try:
        return nearest_float32(repr(value))
    except OverflowError:
        return 3.4028234663852886e38


def _decimal_through_a_double(value: Any, column: Column) -> Any:
    scale = column.type.scale or 0
    if isinstance(value, str):
        return f"{float(value):.{scale}f}"
    return to_bytes(round(float(int.from_bytes(value, "big", signed=True)) / 10**scale * 10**scale))


def _without_zeros(value: Any, column: Column) -> Any:
    return value.rstrip("0").rstrip(".") if isinstance(value, str) and "." in value else value


def _index(value: Any, column: Column) -> Any:
    return str(column.type.members.index(value) + 1) if value in column.type.members else value


def _mask(value: Any, column: Column) -> Any:
    return str(sum(1 << column.type.members.index(label) for label in value.split(",") if label in column.type.members))


def _sorted_labels(value: str, column: Column) -> str:
    return ",".join(sorted(value.split(","), reverse=True))


def _hours_of_a_day(value: str, column: Column) -> str:
    found = re.fullmatch(r"(-?)(\d+)(:.*)", value)
    assert found is not None
    return f"{found[1]}{int(found[2]) % 24:02d}{found[3]}"


def _padded_sign(value: Any, column: Column) -> Any:
    return value if isinstance(value, str) else (b"\xff" if value[0] >> 7 else b"\0") + value


def _magnitude(value: Any, column: Column) -> Any:
    return value if isinstance(value, str) else to_bytes(abs(int.from_bytes(value, "big", signed=True)))


def _unsigned_bytes(value: Any, column: Column) -> Any:
    """As if the highest bit were no sign: a zero byte before it is thought to be one too many."""
    return value[1:] if isinstance(value, bytes) and len(value) > 1 and value[0] == 0 else value


def _zeros_stripped(value: bytes, column: Column) -> bytes:
    return value.lstrip(b"\0") or b"\0"


def _short_hours(value: str, column: Column) -> str:
    return re.sub(r"^(-?)0(\d:)", r"\1\2", value)


# (name, requirement, clause, which columns, what becomes of a value, what else it breaks)
_Row = tuple[str, str, str, Applies, Callable[[Any, Column], Any], *tuple[str, ...]]
_WRONG: tuple[_Row, ...] = (
    (
        "tinyint-unsigned-read-signed",
        "AV-075b",
        "TINYINT UNSIGNED above 127 is negative",
        is_unsigned(Family.TINYINT),
        _signed(8),
    ),
    (
        "mediumint-in-16-bits",
        "AV-075b",
        "MEDIUMINT keeps 16 bits",
        in_families(Family.MEDIUMINT),
        lambda value, column: value & 0xFFFF,
    ),
    ("int-in-24-bits", "AV-077b", "INT keeps 24 bits", is_signed(Family.INT), lambda value, column: value & 0xFFFFFF),
    (
        "int-unsigned-clamped",
        "AV-078b",
        "INT UNSIGNED is at most 2147483647",
        is_unsigned(Family.INT),
        lambda value, column: min(value, 2**31 - 1),
    ),
    ("bigint-through-a-double", "AV-079b", "BIGINT is rounded", is_signed(Family.BIGINT), _through_a_double),
    (
        "bigint-unsigned-through-a-double",
        "AV-080b",
        "BIGINT UNSIGNED in mode long is rounded",
        is_unsigned(Family.BIGINT),
        lambda value, column: _through_a_double(value, column) if isinstance(value, int) and value >= 0 else value,
    ),
    (
        "bigint-unsigned-clamped",
        "AV-080c",
        "BIGINT UNSIGNED in mode long is at most the largest long",
        is_unsigned(Family.BIGINT),
        lambda value, column: _MAX_LONG if isinstance(value, int) and value < 0 else value,
        "AV-080b",
    ),
    (
        "bigint-digits-signed",
        "AV-081a",
        "digits of BIGINT UNSIGNED are those of a long",
        is_unsigned(Family.BIGINT),
        _digits_signed,
    ),
    (
        "float-of-six-digits",
        "AV-082d",
        "FLOAT is rounded to six digits, as it is printed",
        in_families(Family.FLOAT),
        lambda value, column: float(f"{value:.6g}"),
    ),
    ("double-in-32-bits", "AV-083b", "DOUBLE is rounded to 32 bits", in_families(Family.DOUBLE), _in_32_bits),
    (
        "decimal-text-rounded",
        "AV-085a",
        "DECIMAL in mode string is rounded to a double",
        _DECIMAL,
        lambda value, column: _decimal_through_a_double(value, column) if isinstance(value, str) else value,
        "AV-104",
    ),
    (
        "decimal-through-a-double",
        "AV-104",
        "DECIMAL is rounded to a double",
        _DECIMAL,
        _decimal_through_a_double,
        *("AV-085a", "AV-100"),
    ),
    (
        "decimal-text-without-zeros",
        "AV-085b",
        "DECIMAL in mode string loses zeros at its end",
        _DECIMAL,
        _without_zeros,
    ),
    ("decimal-without-sign", "AV-100", "DECIMAL loses its sign", _DECIMAL, _magnitude, "AV-104"),
    (
        "decimal-little-endian",
        "AV-100",
        "the bytes of DECIMAL stand backwards",
        _DECIMAL,
        lambda value, column: value if isinstance(value, str) else value[::-1],
        "AV-104",
    ),
    ("decimal-of-unsigned-bytes", "AV-100", "DECIMAL has no byte for its sign", _DECIMAL, _unsigned_bytes, "AV-104"),
    ("decimal-with-a-byte-more", "AV-101", "DECIMAL has a byte more than it needs", _DECIMAL, _padded_sign),
    (
        "text-trimmed",
        "AV-087b",
        "a text loses blanks at its end",
        in_families(*TEXT),
        lambda value, column: value.rstrip(" "),
    ),
    (
        "text-in-base64",
        "AV-087b",
        "TEXT is written in base64",
        in_families(Family.TEXT, Family.LONGTEXT),
        lambda value, column: base64.b64encode(value.encode()).decode(),
    ),
    (
        "blob-in-base64",
        "AV-088b",
        "BLOB is written in base64",
        in_families(*_BLOBS),
        lambda value, column: base64.b64encode(value),
    ),
    (
        "blob-to-the-first-zero",
        "AV-088b",
        "bytes end before the first zero",
        in_families(*_BLOBS),
        lambda value, column: value.partition(b"\0")[0],
    ),
    (
        "binary-without-zeros",
        "AV-088c",
        "BINARY loses zero bytes at its end",
        in_families(Family.BINARY),
        lambda value, column: value.rstrip(b"\0"),
    ),
    ("enum-index", "AV-089c", "ENUM is its number", in_families(Family.ENUM), _index),
    ("set-mask", "AV-090c", "SET is its mask", in_families(Family.SET), _mask),
    ("set-unordered", "AV-090d", "the labels of SET stand in no order", in_families(Family.SET), _sorted_labels),
    (
        "set-with-blanks",
        "AV-090c",
        "the labels of SET have blanks between",
        in_families(Family.SET),
        lambda value, column: value.replace(",", ", "),
    ),
    (
        "labels-escaped",
        "AV-107",
        "labels are escaped as in `allowed`",
        _LABELS,
        lambda value, column: allowed(value) if value in column.type.members else value,
        "AV-089c",
    ),
    (
        "json-twice",
        "AV-091b",
        "JSON is written as a string in JSON",
        in_families(Family.JSON),
        lambda value, column: json.dumps(value),
    ),
    (
        "json-compact",
        "AV-091c",
        "JSON has no blanks",
        in_families(Family.JSON),
        lambda value, column: json.dumps(json.loads(value), separators=(",", ":"), ensure_ascii=False),
    ),
    (
        "zero-date-as-epoch",
        "AV-092b",
        "the zero date is the first of 1970",
        in_families(Family.DATE),
        lambda value, column: value.replace("0000-00-00", "1970-01-01"),
    ),
    (
        "date-with-time",
        "AV-092c",
        "DATE has a time of day",
        in_families(Family.DATE),
        lambda value, column: f"{value} 00:00:00",
    ),
    (
        "date-of-digits",
        "AV-092c",
        "DATE has no hyphens",
        in_families(Family.DATE),
        lambda value, column: value.replace("-", ""),
    ),
    (
        "datetime-without-fraction",
        "AV-093b",
        "DATETIME loses its fraction",
        in_families(Family.DATETIME),
        lambda value, column: value.partition(".")[0],
        "AV-093c",
    ),
    (
        "datetime-iso-8601",
        "AV-093c",
        "DATETIME has a T between date and time",
        in_families(Family.DATETIME),
        lambda value, column: value.replace(" ", "T"),
    ),
    (
        "datetime-without-zeros",
        "AV-093c",
        "DATETIME loses zeros at its end",
        in_families(Family.DATETIME),
        _without_zeros,
    ),
    (
        "timestamp-without-fraction",
        "AV-094b",
        "TIMESTAMP loses its fraction",
        in_families(Family.TIMESTAMP),
        lambda value, column: value.partition(".")[0],
        "AV-094c",
    ),
    (
        "timestamp-iso-8601",
        "AV-094c",
        "TIMESTAMP has a T between date and time",
        in_families(Family.TIMESTAMP),
        lambda value, column: value.replace(" ", "T"),
    ),
    ("time-of-day", "AV-095b", "the hours of TIME are those of a day", in_families(Family.TIME), _hours_of_a_day),
    (
        "time-unsigned",
        "AV-095b",
        "TIME loses its sign",
        in_families(Family.TIME),
        lambda value, column: value.lstrip("-"),
    ),
    ("time-with-short-hours", "AV-095c", "the hours of TIME have one digit", in_families(Family.TIME), _short_hours),
    ("time-without-zeros", "AV-095c", "TIME loses zeros at its end", in_families(Family.TIME), _without_zeros),
    (
        "year-of-two-digits",
        "AV-096b",
        "YEAR has two digits",
        in_families(Family.YEAR),
        lambda value, column: value % 100,
    ),
    (
        "vector-with-blanks",
        "AV-097b",
        "VECTOR has a blank after each comma",
        in_families(Family.VECTOR),
        lambda value, column: value.replace(",", ", "),
    ),
    (
        "vector-without-brackets",
        "AV-097b",
        "VECTOR has no brackets",
        in_families(Family.VECTOR),
        lambda value, column: value.strip("[]"),
        "AV-003",
    ),
    ("bit-little-endian", "AV-105", "the bytes of BIT stand backwards", _BIT, lambda value, column: value[::-1]),
    (
        "bit-as-digits",
        "AV-105",
        "BIT is written as its binary digits",
        _BIT,
        lambda value, column: f"{int.from_bytes(value, 'big'):b}".encode(),
    ),
    ("bit-in-few-bytes", "AV-105b", "BIT has as few bytes as hold it", _BIT, _zeros_stripped),
)

# A wrong value in a key makes the key of a delete, or of a raw update, another one: these, in some case.
_IN_KEYS = (
    *("tinyint-unsigned-read-signed", "mediumint-in-16-bits", "bigint-through-a-double", "bigint-unsigned-clamped"),
    *("bigint-digits-signed", "year-of-two-digits", "float-of-six-digits", "double-in-32-bits", "blob-in-base64"),
    *("decimal-through-a-double", "decimal-without-sign", "decimal-little-endian", "decimal-of-unsigned-bytes"),
    *("bit-little-endian", "bit-as-digits", "enum-index", "set-mask", "set-with-blanks", "time-of-day"),
    *("time-unsigned", "datetime-without-fraction", "timestamp-without-fraction"),
)
_ALSO: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_IN_KEYS, ("AV-004a",)),
    **dict.fromkeys(("int-in-24-bits", "int-unsigned-clamped"), ("AV-004a", "AV-009a")),
}


def _values() -> Iterator[Mutant]:
    for name, requirement, clause, applies, change, *also in _WRONG:
        yield encoder(name, requirement, clause, values(applies, change), *also, *_ALSO.get(name, ()))


def _in_utc(datum: Tree, part: Part) -> None:
    """TIMESTAMP is in UTC, whatever the zone of the server."""
    zone = zone_of(part.context.configuration["timezone"])
    for row in filter(None, (datum, datum.get(BEFORE))):
        for name, column in part.columns.items():
            text = row.get(name)
            if text is not None and column.type.family is Family.TIMESTAMP and not text.startswith("0000"):
                moment = datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)
                row[name] = f"{moment:%Y-%m-%d %H:%M:%S}{text[19:]}"


_OTHERS = (
    encoder("timestamp-in-utc", "AV-094d", "TIMESTAMP is in UTC", Forgery(datum=_in_utc), "AV-094b", "AV-004a"),
    encoder(
        "enum-index-0-empty",
        "AV-108",
        "the invalid value of ENUM is let pass",
        accepts("range", "is not the number of a member"),
    ),
    encoder(
        "raw-text-let-pass", "AV-087c", "a text that is not UTF-8 is let pass", accepts("type", "not UTF-8"), "AV-213"
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_values(), *_OTHERS)
