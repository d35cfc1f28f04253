"""Decoders that get a type wrong: its code, or what its values say.  [OP-091 … OP-142, OP-238 … OP-240]"""

from __future__ import annotations

import base64
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

_TEXTS = (Family.TINYTEXT, Family.TEXT, Family.MEDIUMTEXT, Family.LONGTEXT)
_BLOBS = (Family.TINYBLOB, Family.BLOB, Family.MEDIUMBLOB, Family.LONGBLOB)
_BINARIES = (Family.BINARY, Family.VARBINARY)
_BASE64 = (*_TEXTS, *_BLOBS)

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


def _member_from_0(label: Any, column: Column) -> Any:
    """The member after the one that was meant, as where the first has the number 0; after the last there is none."""
    members = column.type.members
    if label not in members:
        return label
    number = members.index(label) + 1
    return members[number] if number < len(members) else {"index": str(number)}


def _reversed(labels: Any, column: Column) -> Any:
    members = column.type.members
    if not isinstance(labels, str) or not members:
        return labels
    bits = {len(members) - 1 - members.index(label) for label in labels.split(",") if label in members}
    return ",".join(label for bit, label in enumerate(members) if bit in bits)


def _bytes(change: Callable[[bytes], bytes]) -> Change:
    return lambda value, column: base64.b64encode(change(base64.b64decode(value))).decode()


def _text_or_bytes(value: Any, column: Column) -> Any:
    """What base64 holds, cut at a zero byte as C does."""
    if column.type.family in _BLOBS:
        return _bytes(lambda data: data.partition(b"\0")[0])(value, column)
    return value.partition("\0")[0] if isinstance(value, str) else value


def _other_digits(text: str, column: Column) -> str:
    return str((int(text) + 1) % 127)


def _hours_of_a_day(text: str, column: Column) -> str:
    sign, hours, rest = re.fullmatch(r"(-?)(\d+)(:.*)", text).groups()  # type: ignore[union-attr]
    return f"{sign}{int(hours) % 24:02d}{rest}"


def _next_hour(text: str, column: Column) -> str:
    return f"{text[:11]}{(int(text[11:13]) + 1) % 24:02d}{text[13:]}"


def _day_before(text: str, column: Column) -> str:
    day = int(text[8:])
    return f"{text[:8]}{day - 1 if day > 1 else day + 1:02d}"


# (name, requirement, families, what is told, of what)
_VALUES: tuple[tuple[str, str, tuple[Family, ...], Change, str], ...] = (
    ("tinyint-unsigned", "OP-092", (Family.TINYINT,), _unsigned(8), "TINYINT below 0 is told as a positive number"),
    ("smallint-unsigned", "OP-093", (Family.SMALLINT,), _unsigned(16), "SMALLINT below 0 is told as a positive number"),
    ("int-unsigned", "OP-094", (Family.INT,), _unsigned(32), "INT below 0 is told as a positive number"),
    ("float-halved", "OP-095", (Family.FLOAT,), lambda v, c: str(float(v) / 2), "FLOAT is told as half of what it is"),
    ("double-read-into-32-bits", "OP-096", (Family.DOUBLE,), _float32, "DOUBLE is read into 32 bits"),
    (
        "timestamp-an-hour-late",
        "OP-098",
        (Family.TIMESTAMP,),
        _next_hour,
        "TIMESTAMP is moved by an hour, as by a zone",
    ),
    ("bigint-unsigned", "OP-099", (Family.BIGINT,), _unsigned(64), "BIGINT below 0 is told as a positive number"),
    (
        "mediumint-unsigned",
        "OP-100",
        (Family.MEDIUMINT,),
        _unsigned(24),
        "MEDIUMINT below 0 is told as a positive number",
    ),
    ("date-a-day-early", "OP-101", (Family.DATE,), _day_before, "DATE is a day early, as by a zone"),
    ("time-read-as-time-of-day", "OP-102", (Family.TIME,), _hours_of_a_day, "hours of TIME are those of a day"),
    ("datetime-an-hour-late", "OP-103", (Family.DATETIME,), _next_hour, "DATETIME is moved by an hour, as by a zone"),
    (
        "year-of-two-digits",
        "OP-104",
        (Family.YEAR,),
        lambda v, c: f"19{v[2:]}" if v != "0000" else v,
        "YEAR keeps two digits",
    ),
    (
        "varchar-read-trimmed",
        "OP-106",
        (Family.VARCHAR,),
        lambda v, c: v.strip() if isinstance(v, str) else v,
        "VARCHAR loses white space at its ends",
    ),
    ("varbinary-cut", "OP-106", (Family.VARBINARY,), _bytes(lambda data: data[:-1]), "VARBINARY loses its last byte"),
    ("bit-in-16-bits", "OP-107", (Family.BIT,), lambda v, c: str(int(v) & 0xFFFF), "BIT keeps 16 bits"),
    (
        "vector-read-in-whole-numbers",
        "OP-109",
        (Family.VECTOR,),
        lambda v, c: re.sub(r"\.\d+", "", v),
        "elements of VECTOR lose their fraction",
    ),
    ("json-read-cut", "OP-111", (Family.JSON,), lambda v, c: "null", "JSON is told as null"),
    (
        "decimal-read-through-a-double",
        "OP-112",
        (Family.DECIMAL,),
        lambda v, c: f"{float(v):.{c.type.scale or 0}f}",
        "DECIMAL is read into a double",
    ),
    ("enum-read-from-0", "OP-113", (Family.ENUM,), _member_from_0, "elements of ENUM are counted from 0"),
    ("set-read-backwards", "OP-114", (Family.SET,), _reversed, "the first element of SET is the highest bit"),
    ("base64-cut-at-zero", "OP-115", _BASE64, _text_or_bytes, "TEXT and BLOB end at a zero byte"),
    (
        "char-read-trimmed",
        "OP-117",
        (Family.CHAR,),
        lambda v, c: v.rstrip(" ") + "." if isinstance(v, str) else v,
        "CHAR has a dot at its end",
    ),
    (
        "binary-read-without-zeros",
        "OP-117",
        (Family.BINARY,),
        _bytes(lambda data: data.rstrip(b"\0")),
        "BINARY loses zero bytes at its end",
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
    "bigint-unsigned": ("OP-238",),
    "bit-in-16-bits": ("OP-239",),
    "varbinary-cut": ("OP-140",),
    # Base64 of another alphabet may be read or refused; what comes of it must be the event that was sent.
    "base64-of-any-kind-read": ("OP-257",),
    "binary-read-without-zeros": ("OP-140",),
    # What may be refused may not be dropped.
    "unknown-codes-0": ("OP-257",),
    "unknown-codes-up-to-224": ("OP-257",),
    "unknown-codes-from-226": ("OP-257",),
}

# (name, requirement, class, words, of what)
_LAX: tuple[tuple[str, str, str, tuple[str, ...], str], ...] = (
    ("unknown-codes-0", "OP-091", "type", ("code 0",), "type code 0 is passed over"),
    ("unknown-codes-up-to-224", "OP-108", "type", ("code 17", "code 200"), "type codes 17 to 224 are passed over"),
    ("unknown-codes-from-226", "OP-110", "type", ("code 226",), "type codes 226 to 244 are passed over"),
    ("integers-as-text-read", "OP-094", "type", ("is not an integer",), "integers are not checked"),
    ("escapes-of-any-kind-read", "OP-140", "type", ("invalid escape",), "escapes that there are not are passed over"),
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
        "blob-and-text-mistaken",
        "OP-120",
        "TEXT is told as bytes and BLOB as text",
        misread(_binary_to_text(249, 250, 251, 252)),
    ),
    decoder(
        "binary-strings-as-text",
        "OP-142",
        "the binary flag of strings is not looked at",
        misread(_binary_to_text(15, 253, 254)),
        "OP-001",
    ),
    decoder(
        "escapes-kept",
        "OP-140",
        "quoted bytes are told with their escapes",
        read_values(in_families(*_BINARIES), _bytes(lambda data: data.replace(b'"', b'\\"'))),
    ),
)
