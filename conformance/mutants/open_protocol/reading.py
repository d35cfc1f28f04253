"""Decoders that get a type wrong: its code, or what its values say.  [OP-091 … OP-142, OP-238 … OP-240]"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import Any

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import Tree, decoder, in_families, misread, read_values, refuses
from conformance.mutants.wrappers import Context, accepts
from reference_impl.column_types import INTEGERS, Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]


Change = Callable[[Any, Column], Any]


def _signed(bits: int) -> Change:
    def change(text: str, column: Column) -> str:
        number = int(text)
        return str(number - (1 << bits)) if number >> (bits - 1) == 1 else text

    return change


def _unsigned(bits: int) -> Change:
    return lambda text, column: str(int(text) & ((1 << bits) - 1))


def _float32(text: str, column: Column) -> str:
    try:
        return repr(struct.unpack("<f", struct.pack("<f", float(text)))[0])
    except OverflowError:
        return "3.4028234663852886e+38"


def _hours_of_a_day(text: str, column: Column) -> str:
    sign, hours, rest = re.fullmatch(r"(-?)(\d+)(:.*)", text).groups()  # type: ignore[union-attr]
    return f"{sign}{int(hours) % 24:02d}{rest}"


def _next_hour(text: str, column: Column) -> str:
    return f"{text[:11]}{(int(text[11:13]) + 1) % 24:02d}{text[13:]}"


# (name, requirement, families, what is told, of what)
_VALUES: tuple[tuple[str, str, tuple[Family, ...], Change, str], ...] = (
    ("int-unsigned", "OP-094", (Family.INT,), _unsigned(32), "INT below 0 is told as a positive number"),
    ("double-read-into-32-bits", "OP-096", (Family.DOUBLE,), _float32, "DOUBLE is read into 32 bits"),
    (
        "timestamp-an-hour-late",
        "OP-098",
        (Family.TIMESTAMP,),
        _next_hour,
        "TIMESTAMP is moved by an hour, as by a zone",
    ),
    ("time-read-as-time-of-day", "OP-102", (Family.TIME,), _hours_of_a_day, "hours of TIME are those of a day"),
    ("datetime-an-hour-late", "OP-103", (Family.DATETIME,), _next_hour, "DATETIME is moved by an hour, as by a zone"),
    (
        "varchar-read-trimmed",
        "OP-106",
        (Family.VARCHAR,),
        lambda v, c: v.strip() if isinstance(v, str) else v,
        "VARCHAR loses white space at its ends",
    ),
    ("bit-in-16-bits", "OP-107", (Family.BIT,), lambda v, c: str(int(v) & 0xFFFF), "BIT keeps 16 bits"),
    (
        "vector-read-in-whole-numbers",
        "OP-109",
        (Family.VECTOR,),
        lambda v, c: re.sub(r"\.\d+", "", v),
        "elements of VECTOR lose their fraction",
    ),
    (
        "decimal-read-through-a-double",
        "OP-112",
        (Family.DECIMAL,),
        lambda v, c: f"{float(v):.{c.type.scale or 0}f}",
        "DECIMAL is read into a double",
    ),
    (
        "integers-through-a-double",
        "OP-238",
        tuple(INTEGERS),
        lambda v, c: str(int(float(v))),
        "integers are read into a double",
    ),
    (
        "bits-read-signed",
        "OP-239",
        (Family.BIT, Family.SET),
        lambda v, c: _signed(64)(v, c) if isinstance(v, str) and v.isdigit() else v,
        "BIT and SET are read as signed numbers",
    ),
)

# What lies outside a range or needs more escapes is a requirement of its own.
_MAY_ALSO = {
    "bit-in-16-bits": ("OP-239",),
    # Base64 of another alphabet may be read or refused; what comes of it must be the event that was sent.
    "base64-of-any-kind-read": ("OP-257",),
    # What may be refused may not be dropped.
}

# (name, requirement, class, words, of what)
_LAX: tuple[tuple[str, str, str, tuple[str, ...], str], ...] = (
    ("integers-as-text-read", "OP-094", "type", ("is not an integer",), "integers are not checked"),
    ("base64-of-any-kind-read", "OP-115", "type", ("not base64",), "base64 is not checked"),
    ("decimals-of-any-kind-read", "OP-112", "type", ("is not a decimal",), "DECIMAL is not checked"),
    ("dates-of-any-kind-read", "OP-101", "range", ("is no date",), "months and days are not checked"),
)


def _binary_to_text(*codes: int) -> Callable[[Tree, Tree, Context], None]:
    """The binary flag of these codes is not looked at where no table is told."""

    def edit(key: Tree, value: Tree, context: Context) -> None:
        for given in _columns(value):
            if given.get("t") in codes and "f" in given and not context.request.get("tables"):
                given["f"] ^= 1

    return edit


def _columns(value: Tree) -> list[Tree]:
    return [given for image in "upd" for given in (value.get(image) or {}).values() if isinstance(given, dict)]


def _has_code(*codes: int) -> Callable[[Tree, Tree], bool]:
    return lambda key, value: any(given.get("t") in codes for given in _columns(value))


def _without_flag(code: int) -> Callable[[Tree, Tree], bool]:
    return lambda key, value: any(given.get("t") == code and "f" not in given for given in _columns(value))


MUTANTS: tuple[Mutant, ...] = (
    *(
        decoder(name, requirement, description, read_values(in_families(*families), change), *_MAY_ALSO.get(name, ()))
        for name, requirement, families, change, description in _VALUES
    ),
    *(
        decoder(name, requirement, description, accepts(reason, *words), *_MAY_ALSO.get(name, ()))
        for name, requirement, reason, words, description in _LAX
    ),
    decoder(
        "replacement-character-as-question-mark",
        "OP-077",
        "U+FFFD is told as a question mark",
        read_values(
            in_families(Family.CHAR, Family.VARCHAR), lambda v, c: v.replace("\ufffd", "?") if isinstance(v, str) else v
        ),
        "OP-106",
    ),
    decoder(
        "code-14-refused",
        "OP-105",
        "the type code 14 is refused",
        refuses("type", _has_code(14)),
    ),
    decoder(
        "code-253-refused",
        "OP-116",
        "the type code 253 is refused",
        refuses("type", _has_code(253)),
    ),
    decoder(
        "year-without-flag-refused",
        "OP-240",
        "a YEAR without flags is refused",
        refuses("type", _without_flag(13)),
        "OP-044b",
    ),
    decoder(
        "binary-strings-as-text",
        "OP-142",
        "the binary flag of strings is not looked at",
        misread(_binary_to_text(15, 253, 254)),
        "OP-001",
    ),
)
