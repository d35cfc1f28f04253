"""Encoders and decoders that get the text of a type's values wrong, most faults in both directions.  [CJ-380 … CJ-402]

A decoder's values are in the form of the harness protocol: bytes are base64, members of ENUM and SET are labels.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from conformance.mutants.canal_json.edits import decoder, encoder, in_families, read_values, values
from conformance.mutants.model import Mutant
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family

__all__ = ["MUTANTS"]

Change = Callable[[Any, ColumnType], Any]
Applies = Callable[[ColumnType], bool]


@dataclass(frozen=True, slots=True)
class _Fault:
    """A fault in values of some types: written, and read where `read` is not None."""

    requirement: str
    name: str
    description: str
    applies: Applies
    write: Change | None
    read: Change | None
    may_also: tuple[str, ...] = ()


def _cut(text: str, kind: ColumnType) -> str:
    return text.partition(".")[0]


def _short_fraction(text: str, kind: ColumnType) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _seven_digits(text: str, kind: ColumnType) -> str:
    return format(
        Decimal(text).normalize().quantize(Decimal("0.001")) if abs(Decimal(text)) < 10**7 else Decimal(text), "f"
    )


def _scientific(text: str, kind: ColumnType) -> str:
    return f"{Decimal(text):E}" if Decimal(text) else text


def _as_double(text: str, kind: ColumnType) -> str:
    return format(Decimal(float(text)), "f")


def _signed(text: str, kind: ColumnType) -> str:
    """As a signed number of the same width."""
    number = int(text)
    return str(number - (1 << kind.bits)) if number >> (kind.bits - 1) else text


def _padded(text: str, kind: ColumnType) -> str:
    return text.zfill(kind.length or 0)


def _base64(text: str, kind: ColumnType) -> str:
    return base64.b64encode(text.encode("latin-1")).decode()


def _utf8(text: str, kind: ColumnType) -> str:
    return text.encode("latin-1").decode("utf-8", "replace")


def _read_as_utf8(text: str, kind: ColumnType) -> str:
    return base64.b64encode(base64.b64decode(text).decode("latin-1").encode()).decode()


def _unpadded(text: str, kind: ColumnType) -> str:
    return text.rstrip("\0")


def _read_unpadded(text: str, kind: ColumnType) -> str:
    return base64.b64encode(base64.b64decode(text).rstrip(b"\0")).decode()


def _mojibake(text: str, kind: ColumnType) -> str:
    return text.encode("utf-8", "surrogatepass").decode("latin-1") if isinstance(text, str) else text


def _is_boolean(kind: ColumnType) -> bool:
    return kind.text == "tinyint(1)"


def _signed_integer(kind: ColumnType) -> bool:
    return kind.family in INTEGERS and not kind.unsigned and not _is_boolean(kind)


def _unsigned_integer(kind: ColumnType) -> bool:
    return kind.family in INTEGERS and kind.unsigned


def _large(text: str) -> bool:
    return "." not in text and abs(Decimal(text)) >= 10**15


def _number_of(kind: ColumnType, value: Any) -> int:
    return kind.members.index(value) if isinstance(value, str) and value in kind.members else -1


def _next_label(value: Any, kind: ColumnType) -> Any:
    """The label before it, as one gets who counts from 0."""
    at = _number_of(kind, value)
    return kind.members[at - 1] if at > 0 else value


def _labels_reversed(value: Any, kind: ColumnType) -> Any:
    """The bits read from the other end."""
    if not isinstance(value, str) or len(kind.members) < 2:
        return value
    chosen = {len(kind.members) - 1 - kind.members.index(label) for label in value.split(",") if label}
    return ",".join(label for bit, label in enumerate(kind.members) if bit in chosen)


def _labels(text: str, kind: ColumnType) -> str:
    return ",".join(label for bit, label in enumerate(kind.members) if int(text) >> bit & 1)


def _label(text: str, kind: ColumnType) -> str:
    return kind.members[int(text) - 1] if int(text) else ""


def _from_zero(text: str, kind: ColumnType) -> str:
    return str(max(int(text) - 1, 0))


def _american(text: str, kind: ColumnType) -> str:
    year, month, day = text.split("-")
    return f"{month}/{day}/{year}"


def _zero_as_epoch(text: str, kind: ColumnType) -> str:
    return text.replace("0000-00-00", "1970-01-01")


def _iso(text: str, kind: ColumnType) -> str:
    return text.replace(" ", "T")


def _within_a_day(text: str, kind: ColumnType) -> str:
    sign, (hours, rest) = ("-" if text.startswith("-") else ""), text.lstrip("-").split(":", 1)
    return f"{sign}{int(hours) % 24:02d}:{rest}"


def _two_digits(text: str, kind: ColumnType) -> str:
    return text[-2:]


def _bits(text: str, kind: ColumnType) -> str:
    return format(int(text), "b")


def _modulo_255(text: str, kind: ColumnType) -> str:
    return str(int(text) & 0x7F)


def _spaced(text: Any, kind: ColumnType) -> Any:
    return text.replace(",", ", ") if isinstance(text, str) else text  # a number stands for labels in another way


def _widened(text: str, kind: ColumnType) -> str:
    """The elements with the digits that a 32-bit float has as a 64-bit one."""
    return "[" + ",".join(repr(struct.unpack("f", struct.pack("f", float(e)))[0]) for e in text[1:-1].split(",")) + "]"


def _first_only(text: str, kind: ColumnType) -> str:
    return text.partition(",")[0].rstrip("]") + "]"


def _json_object(text: str, kind: ColumnType) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _double_quoted(text: str, kind: ColumnType) -> str:
    return text.replace("9007199254740993", "9007199254740992")


def _trimmed(text: Any, kind: ColumnType) -> Any:
    return text.rstrip(" ") if isinstance(text, str) else text


def _replaced(text: str, kind: ColumnType) -> str:
    return text.replace("\ufffd", "?")


_ONE, _OTHER = in_families(Family.FLOAT), in_families(Family.DOUBLE)

_FAULTS: tuple[_Fault, ...] = (
    _Fault(
        "CJ-380",
        "integer-sign",
        "the minus sign of integers is lost",
        _signed_integer,
        lambda t, k: t.lstrip("-"),
        lambda t, k: t.lstrip("-"),
    ),
    _Fault(
        "CJ-380",
        "integer-double",
        "BIGINT goes through a 64-bit float",
        _signed_integer,
        lambda t, k: str(int(float(t))),
        None,
    ),
    _Fault("CJ-381", "unsigned-wraps", "unsigned integers are written as signed", _unsigned_integer, _signed, None),
    _Fault("CJ-381", "zerofill-pads", "ZEROFILL pads", lambda k: k.zerofill and k.family in INTEGERS, _padded, None),
    _Fault(
        "CJ-381",
        "unsigned-one-less",
        "unsigned integers are one less",
        _unsigned_integer,
        None,
        lambda t, k: str(max(int(t) - 1, 0)),
        ("CJ-883", "CJ-885"),
    ),
    _Fault(
        "CJ-382",
        "boolean-word",
        "BOOLEAN is true or false",
        _is_boolean,
        lambda t, k: "false" if t == "0" else "true",
        None,
    ),
    _Fault("CJ-382", "boolean-bool", "BOOLEAN is read as true or false", _is_boolean, None, lambda t, k: t != "0"),
    _Fault(
        "CJ-383",
        "float-digits",
        "FLOAT has the digits of a 64-bit float",
        lambda k: k.family is Family.FLOAT,
        lambda t, k: _widened(f"[{t}]", k)[1:-1] if "." in t else t,
        None,
        ("CJ-386", "CJ-385", "CJ-034b"),
    ),
    _Fault(
        "CJ-383",
        "float-text",
        "FLOAT is answered with a comma",
        _ONE,
        None,
        lambda t, k: t.replace(".", ",") if "." in t else t,
        ("CJ-386",),
    ),
    _Fault(
        "CJ-384",
        "double-digits",
        "DOUBLE has seven digits",
        _OTHER,
        lambda t, k: f"{t}0" if "." in t else t,
        None,
        ("CJ-386",),
    ),
    _Fault(
        "CJ-384",
        "double-comma",
        "DOUBLE is answered with a comma",
        _OTHER,
        None,
        lambda t, k: t.replace(".", ",") if "." in t else t,
        ("CJ-386",),
    ),
    _Fault(
        "CJ-385",
        "float-exponent",
        "large floats have an exponent",
        in_families(Family.FLOAT, Family.DOUBLE),
        lambda t, k: _scientific(t, k) if _large(t) else t,
        None,
    ),
    _Fault(
        "CJ-385",
        "float-point",
        "whole floats end in .0",
        in_families(Family.FLOAT, Family.DOUBLE),
        lambda t, k: t if "." in t or t == "-0" else f"{t}.0",
        None,
    ),
    _Fault(
        "CJ-385",
        "float-grouped",
        "whole floats are grouped by commas",
        in_families(Family.FLOAT, Family.DOUBLE),
        None,
        lambda t, k: t if "." in t or "e" in t or len(t) < 5 else f"{int(t):,}",
    ),
    _Fault(
        "CJ-386",
        "minus-zero",
        "negative zero loses its sign",
        in_families(Family.FLOAT, Family.DOUBLE),
        lambda t, k: "0" if t == "-0" else t,
        None,
    ),
    _Fault(
        "CJ-386",
        "tiny-exponent",
        "tiny floats have an exponent",
        in_families(Family.FLOAT, Family.DOUBLE),
        lambda t, k: _scientific(t, k) if 0 < abs(Decimal(t)) < Decimal("0.0001") else t,
        None,
    ),
    _Fault(
        "CJ-386",
        "tiny-zero",
        "tiny floats are no number",
        in_families(Family.FLOAT, Family.DOUBLE),
        None,
        lambda t, k: "NaN" if 0 < abs(Decimal(t)) < Decimal("0.0001") else t,
    ),
    _Fault(
        "CJ-388", "decimal-scale", "the scale of DECIMAL is lost", in_families(Family.DECIMAL), _short_fraction, None
    ),
    _Fault(
        "CJ-388",
        "decimal-comma",
        "DECIMAL is answered with a comma",
        in_families(Family.DECIMAL),
        None,
        lambda t, k: t.replace(".", ","),
    ),
    _Fault(
        "CJ-389",
        "bit-pattern",
        "BIT is its pattern of bits",
        in_families(Family.BIT),
        lambda t, k: f"b'{_bits(t, k)}'",
        lambda t, k: f"b'{_bits(t, k)}'",
    ),
    _Fault("CJ-390", "enum-label", "ENUM is its label", in_families(Family.ENUM), _label, None, ("CJ-034a", "CJ-035")),
    _Fault(
        "CJ-390",
        "enum-number",
        "ENUM is answered as a text of its number",
        in_families(Family.ENUM),
        None,
        lambda v, k: f"#{_number_of(k, v) + 1}",
        ("CJ-034a", "CJ-035", "CJ-884"),
    ),
    _Fault("CJ-391", "set-labels", "SET is its labels", in_families(Family.SET), _labels, None),
    _Fault(
        "CJ-391",
        "set-blank",
        "SET is answered with a blank after each comma",
        in_families(Family.SET),
        None,
        _spaced,
        ("CJ-884",),
    ),
    _Fault("CJ-392", "date-american", "DATE has the month first", in_families(Family.DATE), _american, _american),
    _Fault(
        "CJ-393",
        "datetime-fraction",
        "DATETIME loses its fraction",
        lambda k: k.family is Family.DATETIME and bool(k.fsp),
        lambda t, k: f"{t[:19]}.",
        None,
    ),
    _Fault("CJ-393", "datetime-iso", "DATETIME has a T", in_families(Family.DATETIME), _iso, _iso),
    _Fault("CJ-394", "timestamp-iso", "TIMESTAMP has a T", in_families(Family.TIMESTAMP), _iso, _iso, ("CJ-111",)),
    _Fault(
        "CJ-394",
        "timestamp-zone",
        "TIMESTAMP ends in its zone",
        in_families(Family.TIMESTAMP),
        lambda t, k: f"{t} UTC",
        None,
    ),
    _Fault(
        "CJ-395",
        "time-unit",
        "TIME is in words",
        in_families(Family.TIME),
        lambda t, k: t.replace(":", "h", 1),
        lambda t, k: t.replace(":", "h", 1),
    ),
    _Fault(
        "CJ-396",
        "year-date",
        "YEAR is a date",
        in_families(Family.YEAR),
        lambda t, k: f"{t}-01-01" if t != "0" else t,
        lambda t, k: f"{t}-01-01" if t != "0" else t,
    ),
    _Fault(
        "CJ-397",
        "text-mojibake",
        "texts are decoded as Latin-1",
        lambda k: k.family in TEXT,
        _mojibake,
        _mojibake,
        ("CJ-402",),
    ),
    _Fault(
        "CJ-397",
        "text-trimmed",
        "blanks at the end of texts are lost",
        lambda k: k.family in TEXT,
        lambda t, k: _trimmed(t, k),
        None,
        ("CJ-034a", "CJ-034b"),
    ),
    _Fault("CJ-398", "bytes-base64", "bytes are base64", lambda k: k.family in BINARY, _base64, None, ("CJ-034b",)),
    _Fault(
        "CJ-398", "bytes-utf8", "bytes are decoded as UTF-8", lambda k: k.family in BINARY, _utf8, None, ("CJ-034b",)
    ),
    _Fault(
        "CJ-398",
        "bytes-encoded",
        "characters become their UTF-8 bytes",
        lambda k: k.family in BINARY,
        None,
        _read_as_utf8,
    ),
    _Fault(
        "CJ-399",
        "binary-unpadded",
        "BINARY is not padded",
        in_families(Family.BINARY),
        _unpadded,
        _read_unpadded,
        ("CJ-034b",),
    ),
    _Fault(
        "CJ-400",
        "json-in-json",
        "JSON is a JSON string of its text",
        in_families(Family.JSON),
        lambda t, k: f"json:{t}",
        lambda t, k: f"json:{t}",
        ("CJ-035",),
    ),
    _Fault(
        "CJ-401",
        "vector-bare",
        "VECTOR has no brackets",
        in_families(Family.VECTOR),
        lambda t, k: t[1:-1],
        lambda t, k: t[1:-1],
    ),
    _Fault("CJ-401", "vector-blanks", "VECTOR has a blank after each comma", in_families(Family.VECTOR), _spaced, None),
    _Fault(
        "CJ-402",
        "raw-question-mark",
        "bytes that are not UTF-8 become question marks",
        lambda k: k.family in TEXT,
        _replaced,
        _replaced,
        ("CJ-397",),
    ),
)


def _of_types() -> Iterator[Mutant]:
    for fault in _FAULTS:
        if fault.write is not None:
            yield encoder(
                fault.name, fault.requirement, fault.description, values(fault.applies, fault.write), *fault.may_also
            )
        if fault.read is not None:
            yield decoder(
                f"read-{fault.name}",
                fault.requirement,
                fault.description,
                read_values(fault.applies, fault.read),
                *fault.may_also,
            )


MUTANTS: tuple[Mutant, ...] = tuple(_of_types())
