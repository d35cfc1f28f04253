"""Encoders that get a type wrong: its code, or how its values are written.  [OP-077 … OP-121]"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from typing import Any

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import (
    Tree,
    columns,
    encoder,
    images,
    in_families,
    row_column,
    rows,
    values,
)
from conformance.mutants.wrappers import Context, reference
from reference_impl.column_types import Family
from reference_impl.model import Column
from reference_impl.profiles import NEWARCH

__all__ = ["MUTANTS"]

_BLOBS = (Family.TINYBLOB, Family.BLOB, Family.MEDIUMBLOB, Family.LONGBLOB)

# -- codes -------------------------------------------------------------------------------------------------------------

# (family, requirement, a code that it is easily given)
_WRONG_CODES = (
    (Family.DATE, "OP-101a", 14),
    (Family.VARCHAR, "OP-106a", 253),
    (Family.TINYTEXT, "OP-115", 252),
    (Family.MEDIUMBLOB, "OP-115", 251),
    (Family.LONGBLOB, "OP-115", 252),
)


def _with_code(code: int, given: Tree, column: Column) -> None:
    given["t"] = code


def _codes() -> Iterator[Mutant]:
    for family, requirement, code in _WRONG_CODES:
        yield encoder(
            f"{family}-with-code-{code}",
            requirement,
            f"the code of {family.upper()} is {code}",
            columns(in_families(family), partial(_with_code, code)),
        )


# -- values ------------------------------------------------------------------------------------------------------------


def _float32(text: Any) -> float:
    """The number nearest to it in 32 bits, widened again."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", float(text)))[0])
    except OverflowError:
        return 3.4028234663852886e38


def _signed(bits: int) -> Callable[[Any, Column], Any]:
    return lambda value, column: value - (1 << bits) if value >> (bits - 1) == 1 and value > 0 else value


def _without_zeros(text: str, column: Column) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _url_safe(text: str, column: Column) -> str:
    return text.replace("+", "-").replace("/", "_")


def _hours_of_a_day(text: str, column: Column) -> str:
    sign, hours, rest = re.fullmatch(r"(-?)(\d+)(:.*)", text).groups()  # type: ignore[union-attr]
    return f"{sign}{int(hours) % 24:02d}{rest}"


def _shifted(text: str, hours: int) -> str:
    return f"{text[:11]}{(int(text[11:13]) + hours) % 24:02d}{text[13:]}"


def _timestamps_an_hour_off(key: Tree, value: Tree, context: Context) -> None:
    """As where a zone is taken to be without summer time."""
    if context.configuration["timezone"] == "UTC":
        return
    for image in images(value):
        for name, given in image.items():
            column = row_column(key, context, name)
            if column is not None and column.type.family is Family.TIMESTAMP and isinstance(given["v"], str):
                given["v"] = _shifted(given["v"], 1)


_VALUES = (
    encoder(
        "smallint-unsigned-read-signed",
        "OP-093",
        "SMALLINT UNSIGNED above 32767 is written negative",
        values(in_families(Family.SMALLINT), _signed(16)),
    ),
    encoder(
        "int-unsigned-read-signed",
        "OP-094",
        "INT UNSIGNED above 2147483647 is written negative",
        values(in_families(Family.INT), _signed(32)),
    ),
    encoder(
        "double-in-32-bits",
        "OP-096",
        "DOUBLE is rounded to 32 bits",
        values(in_families(Family.DOUBLE), lambda v, c: Decimal(repr(_float32(v)))),
    ),
    encoder(
        "fractions-without-zeros",
        "OP-098a",
        "the fraction of a temporal value loses zeros at its end",
        values(in_families(Family.TIMESTAMP, Family.DATETIME, Family.TIME), _without_zeros),
    ),
    encoder(
        "timestamp-an-hour-off",
        "OP-121",
        "TIMESTAMP is an hour off in a zone other than UTC",
        rows(_timestamps_an_hour_off),
    ),
    encoder(
        "bigint-through-a-double",
        "OP-099",
        "BIGINT is rounded to 53 bits",
        values(in_families(Family.BIGINT), lambda v, c: int(float(v))),
    ),
    encoder(
        "bigint-unsigned-read-signed",
        "OP-099",
        "BIGINT UNSIGNED above 2^63-1 is written negative",
        values(in_families(Family.BIGINT), _signed(64)),
    ),
    encoder(
        "mediumint-in-16-bits",
        "OP-100",
        "MEDIUMINT keeps 16 bits",
        values(in_families(Family.MEDIUMINT), lambda v, c: v & 0xFFFF),
    ),
    encoder(
        "time-of-day", "OP-102", "hours of TIME are those of a day", values(in_families(Family.TIME), _hours_of_a_day)
    ),
    encoder(
        "datetime-in-a-zone",
        "OP-103",
        "DATETIME is moved into a time zone",
        values(in_families(Family.DATETIME), lambda v, c: _shifted(v, 8)),
    ),
    encoder(
        "varchar-trimmed",
        "OP-106",
        "VARCHAR loses blanks at its end",
        values(in_families(Family.VARCHAR), lambda v, c: v.rstrip(" ")),
    ),
    encoder("bit-signed", "OP-107", "BIT is written as a signed number", values(in_families(Family.BIT), _signed(64))),
    encoder(
        "decimal-through-a-double",
        "OP-112",
        "DECIMAL is rounded to a double",
        values(in_families(Family.DECIMAL), lambda v, c: f"{float(v):.{c.type.scale or 0}f}"),
    ),
    encoder(
        "enum-from-0", "OP-113", "ENUM is counted from 0", values(in_families(Family.ENUM), lambda v, c: max(v - 1, 0))
    ),
    encoder(
        "blob-base64-for-urls",
        "OP-115",
        "BLOB is written in the alphabet of URLs",
        values(in_families(*_BLOBS), _url_safe),
    ),
    encoder(
        "null-under-code-6",
        "OP-119",
        "a column that is NULL has the code 6",
        columns(lambda c: True, lambda given, c: given.update(t=6) if given["v"] is None else None),
    ),
    encoder(
        "raw-bytes-in-text",
        "OP-077",
        "bytes of a text that are not UTF-8 are copied",
        reference(NEWARCH, "open-protocol/raw-invalid-utf8"),
    ),
    encoder(
        "minus-zero-without-sign",
        "OP-081",
        "minus zero is written as zero",
        values(in_families(Family.DOUBLE, Family.FLOAT), lambda v, c: 0 if v == 0 else v),
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_codes(), *_VALUES)
