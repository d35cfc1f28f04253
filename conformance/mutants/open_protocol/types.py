"""Encoders that get a type wrong: its code, or how its values are written.  [OP-077 … OP-121]"""

from __future__ import annotations

import base64
import json
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
    member,
    pairs,
    row_column,
    rows,
    values,
)
from conformance.mutants.wrappers import Context, reference
from reference_impl import exact_json
from reference_impl.column_types import Family
from reference_impl.model import Column
from reference_impl.profiles import NEWARCH

__all__ = ["MUTANTS"]

_TEXTS = (Family.TINYTEXT, Family.TEXT, Family.MEDIUMTEXT, Family.LONGTEXT)
_BLOBS = (Family.TINYBLOB, Family.BLOB, Family.MEDIUMBLOB, Family.LONGBLOB)
_BINARIES = (Family.BINARY, Family.VARBINARY)

# -- codes -------------------------------------------------------------------------------------------------------------

# (family, requirement, a code that it is easily given)
_WRONG_CODES = (
    (Family.TINYINT, "OP-092", 2),
    (Family.SMALLINT, "OP-093", 3),
    (Family.INT, "OP-094", 8),
    (Family.FLOAT, "OP-095", 5),
    (Family.DOUBLE, "OP-096", 4),
    (Family.TIMESTAMP, "OP-098", 17),
    (Family.BIGINT, "OP-099", 3),
    (Family.MEDIUMINT, "OP-100", 3),
    (Family.DATE, "OP-101", 12),
    (Family.DATE, "OP-101a", 14),
    (Family.TIME, "OP-102", 19),
    (Family.DATETIME, "OP-103", 7),
    (Family.YEAR, "OP-104", 2),
    (Family.VARCHAR, "OP-106", 252),
    (Family.VARCHAR, "OP-106a", 253),
    (Family.VARBINARY, "OP-106", 254),
    (Family.BIT, "OP-107", 8),
    (Family.VECTOR, "OP-109", 252),
    (Family.JSON, "OP-111", 252),
    (Family.DECIMAL, "OP-112", 0),
    (Family.ENUM, "OP-113", 254),
    (Family.SET, "OP-114", 254),
    (Family.TINYTEXT, "OP-115", 252),
    (Family.TEXT, "OP-115", 249),
    (Family.MEDIUMBLOB, "OP-115", 251),
    (Family.LONGBLOB, "OP-115", 252),
    (Family.CHAR, "OP-117", 15),
    (Family.BINARY, "OP-117", 253),
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


def _decimal_number(text: str, column: Column) -> Any:
    return Decimal(text)


def _without_zeros(text: str, column: Column) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _json_value(text: str, column: Column) -> Any:
    return exact_json.loads(text)


def _label(number: int, column: Column) -> Any:
    return column.type.members[number - 1] if 0 < number <= len(column.type.members) else ""


def _labels(mask: int, column: Column) -> str:
    return ",".join(label for bit, label in enumerate(column.type.members) if mask >> bit & 1)


def _reversed_bits(mask: int, column: Column) -> int:
    count = len(column.type.members)
    return sum(1 << (count - 1 - bit) for bit in range(count) if mask >> bit & 1)


def _plain_text(text: str, column: Column) -> str:
    return base64.b64decode(text).decode("utf-8", "replace")


def _url_safe(text: str, column: Column) -> str:
    return text.replace("+", "-").replace("/", "_")


def _padded(text: str, column: Column) -> str:
    return text.ljust(column.type.length or 1)


def _zeros_stripped(text: str, column: Column) -> str:
    return re.sub(r"(\\x00)+$", "", text)


def _hours_of_a_day(text: str, column: Column) -> str:
    sign, hours, rest = re.fullmatch(r"(-?)(\d+)(:.*)", text).groups()  # type: ignore[union-attr]
    return f"{sign}{int(hours) % 24:02d}{rest}"


def _without_fraction(text: str, column: Column) -> str:
    return text.partition(".")[0]


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
        "bool-as-json-boolean",
        "OP-092",
        "0 and 1 of TINYINT are false and true",
        values(in_families(Family.TINYINT), lambda v, c: bool(v) if v in (0, 1) else v),
    ),
    encoder(
        "smallint-unsigned-read-signed",
        "OP-093",
        "SMALLINT UNSIGNED above 32767 is written negative",
        values(in_families(Family.SMALLINT), _signed(16)),
    ),
    encoder(
        "int-as-text", "OP-094", "INT is written as a string", values(in_families(Family.INT), lambda v, c: str(v))
    ),
    encoder(
        "int-unsigned-read-signed",
        "OP-094",
        "INT UNSIGNED above 2147483647 is written negative",
        values(in_families(Family.INT), _signed(32)),
    ),
    encoder(
        "float-as-text",
        "OP-095",
        "FLOAT is written as a string",
        values(in_families(Family.FLOAT), lambda v, c: str(v)),
    ),
    encoder(
        "float-widened",
        "OP-080",
        "FLOAT is written with the digits of the widened number",
        values(in_families(Family.FLOAT), lambda v, c: Decimal(repr(_float32(v)))),
    ),
    encoder(
        "double-in-32-bits",
        "OP-096",
        "DOUBLE is rounded to 32 bits",
        values(in_families(Family.DOUBLE), lambda v, c: Decimal(repr(_float32(v)))),
    ),
    encoder(
        "timestamp-without-fraction",
        "OP-098",
        "TIMESTAMP loses its fraction",
        values(in_families(Family.TIMESTAMP), _without_fraction),
        "OP-098a",
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
        "date-with-time",
        "OP-101",
        "DATE has a time of day",
        values(in_families(Family.DATE), lambda v, c: f"{v} 00:00:00"),
    ),
    encoder(
        "time-of-day", "OP-102", "hours of TIME are those of a day", values(in_families(Family.TIME), _hours_of_a_day)
    ),
    encoder(
        "time-unsigned", "OP-102", "TIME loses its sign", values(in_families(Family.TIME), lambda v, c: v.lstrip("-"))
    ),
    encoder(
        "datetime-in-a-zone",
        "OP-103",
        "DATETIME is moved into a time zone",
        values(in_families(Family.DATETIME), lambda v, c: _shifted(v, 8)),
    ),
    encoder(
        "datetime-iso-8601",
        "OP-103",
        "DATETIME has a T between date and time",
        values(in_families(Family.DATETIME), lambda v, c: v.replace(" ", "T")),
    ),
    encoder(
        "year-as-text", "OP-104", "YEAR is written as a string", values(in_families(Family.YEAR), lambda v, c: str(v))
    ),
    encoder(
        "varchar-in-base64",
        "OP-106",
        "VARCHAR is written in base64 as TEXT is",
        values(in_families(Family.VARCHAR), lambda v, c: base64.b64encode(v.encode()).decode()),
        "OP-077",
    ),
    encoder(
        "varchar-trimmed",
        "OP-106",
        "VARCHAR loses blanks at its end",
        values(in_families(Family.VARCHAR), lambda v, c: v.rstrip(" ")),
    ),
    encoder(
        "bit-as-bytes",
        "OP-107",
        "BIT is written as a string of its digits",
        values(in_families(Family.BIT), lambda v, c: f"{v:b}"),
    ),
    encoder("bit-signed", "OP-107", "BIT is written as a signed number", values(in_families(Family.BIT), _signed(64))),
    encoder(
        "vector-with-blanks",
        "OP-109",
        "VECTOR has a blank after each comma",
        values(in_families(Family.VECTOR), lambda v, c: v.replace(",", ", ")),
    ),
    encoder("vector-as-a-list", "OP-109", "VECTOR is a JSON array", values(in_families(Family.VECTOR), _json_value)),
    encoder(
        "json-embedded",
        "OP-111",
        "JSON is embedded as a document",
        values(in_families(Family.JSON), _json_value),
        "OP-119",
    ),
    encoder(
        "json-compact",
        "OP-111a",
        "JSON has no blanks",
        values(
            in_families(Family.JSON), lambda v, c: json.dumps(json.loads(v), separators=(",", ":"), ensure_ascii=False)
        ),
    ),
    encoder(
        "decimal-without-zeros",
        "OP-112",
        "DECIMAL loses zeros at its end",
        values(in_families(Family.DECIMAL), _without_zeros),
    ),
    encoder("decimal-as-number", "OP-112", "DECIMAL is a number", values(in_families(Family.DECIMAL), _decimal_number)),
    encoder(
        "decimal-through-a-double",
        "OP-112",
        "DECIMAL is rounded to a double",
        values(in_families(Family.DECIMAL), lambda v, c: f"{float(v):.{c.type.scale or 0}f}"),
    ),
    encoder("enum-label", "OP-113", "ENUM is written as its label", values(in_families(Family.ENUM), _label)),
    encoder(
        "enum-from-0", "OP-113", "ENUM is counted from 0", values(in_families(Family.ENUM), lambda v, c: max(v - 1, 0))
    ),
    encoder("set-labels", "OP-114", "SET is written as its labels", values(in_families(Family.SET), _labels)),
    encoder(
        "set-bits-reversed",
        "OP-114",
        "the first element of SET is the highest bit",
        values(in_families(Family.SET), _reversed_bits),
    ),
    encoder(
        "text-plain", "OP-115", "TEXT is written as it is, without base64", values(in_families(*_TEXTS), _plain_text)
    ),
    encoder(
        "blob-base64-for-urls",
        "OP-115",
        "BLOB is written in the alphabet of URLs",
        values(in_families(*_BLOBS), _url_safe),
    ),
    encoder(
        "blob-base64-without-padding",
        "OP-115",
        "BLOB is written in base64 without padding",
        values(in_families(*_BLOBS), lambda v, c: v.rstrip("=")),
    ),
    encoder(
        "char-padded", "OP-117", "CHAR is padded with blanks to its length", values(in_families(Family.CHAR), _padded)
    ),
    encoder(
        "binary-without-zeros",
        "OP-117",
        "BINARY loses zero bytes at its end",
        values(in_families(Family.BINARY), _zeros_stripped),
    ),
    encoder(
        "null-as-empty-text",
        "OP-119",
        "NULL is written as an empty string",
        member("v", lambda v, c: "" if v is None else v),
    ),
    encoder(
        "null-as-word",
        "OP-119",
        "NULL is written as the word null",
        member("v", lambda v, c: "null" if v is None else v),
    ),
    encoder(
        "null-under-code-6",
        "OP-119",
        "a column that is NULL has the code 6",
        columns(lambda c: True, lambda given, c: given.update(t=6) if given["v"] is None else None),
    ),
    encoder("code-as-name", "OP-090", "`t` is the name of the type", member("t", lambda t, c: str(c.type.family))),
    encoder(
        "code-left-out",
        "OP-090",
        "a column has no `t`",
        columns(lambda c: True, lambda given, c: given.pop("t") and None),
    ),
    encoder(
        "raw-bytes-in-text",
        "OP-077",
        "bytes of a text that are not UTF-8 are copied",
        reference(NEWARCH, "open-protocol/raw-invalid-utf8"),
    ),
    encoder(
        "short-exponent",
        "OP-079",
        "a small exponent has one digit",
        pairs(lambda given, context: [(k, re.sub(rb"e-0(\d)", rb"e-\1", v)) for k, v in given]),
    ),
    encoder(
        "minus-zero-without-sign",
        "OP-081",
        "minus zero is written as zero",
        values(in_families(Family.DOUBLE, Family.FLOAT), lambda v, c: 0 if v == 0 else v),
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_codes(), *_VALUES)
