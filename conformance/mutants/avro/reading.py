"""Decoders that read the values of columns wrongly.  [AV-052, AV-075b … AV-107]"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
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
from reference_impl.column_types import TEXT, Family
from reference_impl.floats import nearest_float32
from reference_impl.model import Column

__all__ = ["MUTANTS"]

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


# (name, requirement, clause, which columns, what becomes of a value, what else it breaks)
_Row = tuple[str, str, str, Applies, Callable[[Any, Column], Any], *tuple[str, ...]]
_READ: tuple[_Row, ...] = (
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
        "text-read-trimmed",
        "AV-087b",
        "a text loses blanks at its end",
        in_families(*TEXT),
        lambda value, column: value.rstrip(" "),
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
        "time-read-as-of-day",
        "AV-095b",
        "the hours of TIME are those of a day",
        in_families(Family.TIME),
        _hours_of_a_day,
    ),
    ("bit-read-little-endian", "AV-105", "the bytes of BIT are read backwards", _BIT, _other_end, "AV-105c"),
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


_NULLS = (
    decoder(
        "empty-read-as-null",
        "AV-052",
        "an empty text is read as NULL",
        read_rows(_images(lambda value, column: value or None, in_families(*TEXT))),
    ),
    decoder("dates-read-as-days", "AV-206", "a date is answered in days", read_rows(_dates_as_days), "AV-092b"),
)

MUTANTS: tuple[Mutant, ...] = (*_reads(), *_NULLS)
