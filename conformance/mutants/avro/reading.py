"""Decoders that read the values of columns wrongly.  [AV-052, AV-075b … AV-107]"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from typing import Any

from conformance.mutants.avro.edits import (
    Applies,
    any_column,
    decoder,
    in_families,
    is_signed,
    is_unsigned,
    read_rows,
    read_values,
)
from conformance.mutants.avro.forgery import Tree
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context
from reference_impl.avro.types import allowed
from reference_impl.column_types import BINARY, TEXT, Family
from reference_impl.floats import nearest_float32
from reference_impl.model import Column
from reference_impl.zones import zone_of

__all__ = ["MUTANTS"]

_BITS_OF_BYTE = 8
_DATE = re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])")
_DECIMAL, _BIT = in_families(Family.DECIMAL), in_families(Family.BIT)


def _signed(bits: int) -> Callable[[str, Column], str]:
    return lambda value, column: str(int(value) - (1 << bits)) if int(value) >> (bits - 1) else value


def _masked(bits: int) -> Callable[[str, Column], str]:
    return lambda value, column: str(int(value) & (1 << bits) - 1)


def _through_a_double(value: str, column: Column) -> str:
    return str(int(float(value)))


def _in_32_bits(value: str, column: Column) -> str:
    try:
        return repr(nearest_float32(value))
    except OverflowError:
        return "3.4028234663852886e38"


def _decimal_rounded(value: str, column: Column) -> str:
    return f"{float(value):.{column.type.scale or 0}f}"


def _hours_of_a_day(value: str, column: Column) -> str:
    found = re.fullmatch(r"(-?)(\d+)(:.*)", value)
    assert found is not None
    return f"{found[1]}{int(found[2]) % 24:02d}{found[3]}"


def _other_end(value: str, column: Column) -> str:
    size = (column.type.bits + 7) // 8
    return str(int.from_bytes(int(value).to_bytes(size, "big"), "little"))


def _left_aligned(value: str, column: Column) -> str:
    """As if zero bytes before the others did not count."""
    size = (column.type.bits + 7) // 8
    length = max(1, (int(value).bit_length() + 7) // 8)
    return str(int(value) << _BITS_OF_BYTE * (size - length))


def _to_zero(value: str, column: Column) -> str:
    return base64.b64encode(base64.b64decode(value).partition(b"\0")[0]).decode("ascii")


def _index(value: str, column: Column) -> str:
    return str(column.type.members.index(value) + 1) if value in column.type.members else value


def _mask(value: str, column: Column) -> str:
    return str(sum(1 << column.type.members.index(label) for label in value.split(",") if label in column.type.members))


# (name, requirement, clause, which columns, what becomes of a value, what else it breaks)
_Row = tuple[str, str, str, Applies, Callable[[Any, Column], Any], *tuple[str, ...]]
_READ: tuple[_Row, ...] = (
    ("tinyint-read-unsigned", "AV-075b", "TINYINT is read without a sign", is_signed(Family.TINYINT), _masked(8)),
    ("int-read-in-24-bits", "AV-077b", "INT is read of 24 bits", is_signed(Family.INT), _masked(24)),
    ("int-unsigned-read-signed", "AV-078b", "INT UNSIGNED is read with a sign", is_unsigned(Family.INT), _signed(32)),
    ("bigint-read-through-a-double", "AV-079b", "BIGINT is rounded", is_signed(Family.BIGINT), _through_a_double),
    (
        "bigint-unsigned-read-through-a-double",
        "AV-080b",
        "BIGINT UNSIGNED is rounded",
        is_unsigned(Family.BIGINT),
        _through_a_double,
        "AV-080d",
    ),
    (
        "digits-read-through-a-double",
        "AV-081a",
        "digits of BIGINT UNSIGNED are rounded",
        is_unsigned(Family.BIGINT),
        _through_a_double,
    ),
    (
        "bigint-unsigned-read-signed",
        "AV-080d",
        "a negative long of BIGINT UNSIGNED stays negative",
        is_unsigned(Family.BIGINT),
        _signed(64),
    ),
    (
        "float-read-of-six-digits",
        "AV-082d",
        "FLOAT is read with six digits",
        in_families(Family.FLOAT),
        lambda value, column: f"{float(value):.6g}",
    ),
    ("double-read-in-32-bits", "AV-083b", "DOUBLE is read in 32 bits", in_families(Family.DOUBLE), _in_32_bits),
    (
        "decimal-text-read-rounded",
        "AV-085a",
        "DECIMAL is rounded to a double",
        _DECIMAL,
        _decimal_rounded,
        "AV-104",
    ),
    (
        "decimal-read-rounded",
        "AV-104",
        "DECIMAL is rounded to a double",
        _DECIMAL,
        _decimal_rounded,
        "AV-085a",
        "AV-100",
    ),
    (
        "decimal-read-without-sign",
        "AV-100",
        "DECIMAL loses its sign",
        _DECIMAL,
        lambda value, column: value.lstrip("-"),
        "AV-104",
    ),
    (
        "text-read-trimmed",
        "AV-087b",
        "a text loses blanks at its end",
        in_families(*TEXT),
        lambda value, column: value.rstrip(" "),
    ),
    (
        "bytes-read-to-zero",
        "AV-088b",
        "bytes end before the first zero",
        in_families(*BINARY),
        _to_zero,
    ),
    (
        "enum-read-as-index-from-0",
        "AV-089c",
        "ENUM is the first of its labels",
        in_families(Family.ENUM),
        lambda value, column: column.type.members[0],
    ),
    (
        "set-read-of-one",
        "AV-090c",
        "SET has its first label alone",
        in_families(Family.SET),
        lambda value, column: value.partition(",")[0],
    ),
    (
        "labels-read-escaped",
        "AV-107",
        "labels are answered as they stand in `allowed`",
        in_families(Family.ENUM, Family.SET),
        lambda value, column: allowed(value) if value in column.type.members else value,
        "AV-089c",
    ),
    (
        "json-read-twice",
        "AV-091b",
        "JSON is a string in JSON",
        in_families(Family.JSON),
        lambda value, column: json.dumps(value),
    ),
    (
        "zero-date-read-as-epoch",
        "AV-092b",
        "the zero date is the first of 1970",
        in_families(Family.DATE),
        lambda value, column: value.replace("0000-00-00", "1970-01-01"),
    ),
    (
        "datetime-read-without-fraction",
        "AV-093b",
        "DATETIME loses its fraction",
        in_families(Family.DATETIME),
        lambda value, column: value.partition(".")[0],
    ),
    (
        "timestamp-read-without-fraction",
        "AV-094b",
        "TIMESTAMP loses its fraction",
        in_families(Family.TIMESTAMP),
        lambda value, column: value.partition(".")[0],
        "AV-094d",
    ),
    (
        "time-read-as-of-day",
        "AV-095b",
        "the hours of TIME are those of a day",
        in_families(Family.TIME),
        _hours_of_a_day,
    ),
    (
        "year-read-of-two-digits",
        "AV-096b",
        "YEAR has two digits",
        in_families(Family.YEAR),
        lambda value, column: str(int(value) % 100),
    ),
    (
        "vector-read-short",
        "AV-097b",
        "VECTOR loses its last number",
        in_families(Family.VECTOR),
        lambda value, column: value.rpartition(",")[0] + "]" if "," in value else "[]",
        "AV-203c",
    ),
    ("bit-read-little-endian", "AV-105", "the bytes of BIT are read backwards", _BIT, _other_end, "AV-105c"),
    (
        "bit-read-left-aligned",
        "AV-105c",
        "a BIT that begins with zeros is read from its first other byte",
        _BIT,
        _left_aligned,
        "AV-105",
    ),
)


def _reads() -> Iterator[Mutant]:
    for name, requirement, clause, applies, change, *also in _READ:
        yield decoder(name, requirement, clause, read_values(applies, change), *also)


def _images(change: Callable[[Any, Column], Any], applies: Applies = any_column) -> Callable[[Tree, Context], None]:
    """Values of columns that fit, NULL too, are answered otherwise."""

    def edit(event: Tree, context: Context) -> None:
        for image in filter(None, (event.get("before"), event.get("after"))):
            for name, value in image.items():
                column = context.steady_column(event["schema"], event["table"], name)
                if column is not None and applies(column) and column.generated != "virtual":
                    image[name] = change(value, column)

    return edit


def _dates_as_days(event: Tree, context: Context) -> None:
    """A text that looks like a date is answered as days since 1970, as Avro's own dates are."""
    for image in filter(None, (event.get("before"), event.get("after"))):
        for name, value in image.items():
            if isinstance(value, str) and _DATE.fullmatch(value):
                image[name] = str((date.fromisoformat(value) - date(1970, 1, 1)).days)


def _in_utc(event: Tree, context: Context) -> None:
    """TIMESTAMP is taken to be in the zone of the server, and answered in UTC."""
    zone = zone_of(context.configuration["timezone"])

    def change(value: Any, column: Column) -> Any:
        if value is None or value.startswith("0000"):
            return value
        moment = datetime.fromisoformat(value).replace(tzinfo=zone).astimezone(UTC)
        return f"{moment:%Y-%m-%d %H:%M:%S}{value[19:]}"

    _images(change, in_families(Family.TIMESTAMP))(event, context)


_NULLS = (
    decoder(
        "null-read-as-empty",
        "AV-052",
        "NULL of a text is read as an empty one",
        read_rows(_images(lambda value, column: "" if value is None else value, in_families(*TEXT))),
    ),
    decoder(
        "empty-read-as-null",
        "AV-052",
        "an empty text is read as NULL",
        read_rows(_images(lambda value, column: value or None, in_families(*TEXT))),
    ),
    decoder("dates-read-as-days", "AV-206", "a date is answered in days", read_rows(_dates_as_days), "AV-092b"),
    decoder("timestamp-read-in-utc", "AV-094d", "TIMESTAMP is moved to UTC", read_rows(_in_utc), "AV-094b"),
)

MUTANTS: tuple[Mutant, ...] = (*_reads(), *_NULLS)
