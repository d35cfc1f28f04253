"""Encoders and decoders that get the text of numbers wrong, and of BIT.  [CJ-380 … CJ-389]"""

from __future__ import annotations

import struct
from decimal import Decimal

from conformance.mutants.canal_json.edits import Fault, in_families, mutants_of
from conformance.mutants.model import Mutant
from reference_impl.column_types import INTEGERS, ColumnType, Family

__all__ = ["MUTANTS"]


def _short_fraction(text: str, kind: ColumnType) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _scientific(text: str, kind: ColumnType) -> str:
    return f"{Decimal(text):E}" if Decimal(text) else text


def _signed(text: str, kind: ColumnType) -> str:
    """As a signed number of the same width."""
    number = int(text)
    return str(number - (1 << kind.bits)) if number >> (kind.bits - 1) else text


def _padded(text: str, kind: ColumnType) -> str:
    return text.zfill(kind.length or 0)


def _is_boolean(kind: ColumnType) -> bool:
    return kind.text == "tinyint(1)"


def _signed_integer(kind: ColumnType) -> bool:
    return kind.family in INTEGERS and not kind.unsigned and not _is_boolean(kind)


def _unsigned_integer(kind: ColumnType) -> bool:
    return kind.family in INTEGERS and kind.unsigned


def _large(text: str) -> bool:
    return "." not in text and abs(Decimal(text)) >= 10**15


def _bits(text: str, kind: ColumnType) -> str:
    return format(int(text), "b")


def _widened(text: str, kind: ColumnType) -> str:
    """The elements with the digits that a 32-bit float has as a 64-bit one."""
    return "[" + ",".join(repr(struct.unpack("f", struct.pack("f", float(e)))[0]) for e in text[1:-1].split(",")) + "]"


_ONE, _OTHER = in_families(Family.FLOAT), in_families(Family.DOUBLE)

_FAULTS: tuple[Fault, ...] = (
    Fault(
        "CJ-380",
        "integer-sign",
        "the minus sign of integers is lost",
        _signed_integer,
        lambda t, k: t.lstrip("-"),
        lambda t, k: t.lstrip("-"),
    ),
    Fault(
        "CJ-380",
        "integer-double",
        "BIGINT goes through a 64-bit float",
        _signed_integer,
        lambda t, k: str(int(float(t))),
        None,
    ),
    Fault("CJ-381", "unsigned-wraps", "unsigned integers are written as signed", _unsigned_integer, _signed, None),
    Fault("CJ-381", "zerofill-pads", "ZEROFILL pads", lambda k: k.zerofill and k.family in INTEGERS, _padded, None),
    Fault(
        "CJ-381",
        "unsigned-one-less",
        "unsigned integers are one less",
        _unsigned_integer,
        None,
        lambda t, k: str(max(int(t) - 1, 0)),
        ("CJ-883", "CJ-885"),
    ),
    Fault(
        "CJ-382",
        "boolean-word",
        "BOOLEAN is true or false",
        _is_boolean,
        lambda t, k: "false" if t == "0" else "true",
        None,
    ),
    Fault("CJ-382", "boolean-bool", "BOOLEAN is read as true or false", _is_boolean, None, lambda t, k: t != "0"),
    Fault(
        "CJ-383",
        "float-digits",
        "FLOAT has the digits of a 64-bit float",
        lambda k: k.family is Family.FLOAT,
        lambda t, k: _widened(f"[{t}]", k)[1:-1] if "." in t else t,
        None,
        ("CJ-386",),
    ),
    Fault(
        "CJ-383",
        "float-text",
        "FLOAT is answered with a comma",
        _ONE,
        None,
        lambda t, k: t.replace(".", ",") if "." in t else t,
        ("CJ-386",),
    ),
    Fault(
        "CJ-384",
        "double-digits",
        "DOUBLE has seven digits",
        _OTHER,
        lambda t, k: f"{t}0" if "." in t else t,
        None,
        ("CJ-386",),
    ),
    Fault(
        "CJ-384",
        "double-comma",
        "DOUBLE is answered with a comma",
        _OTHER,
        None,
        lambda t, k: t.replace(".", ",") if "." in t else t,
        ("CJ-386",),
    ),
    Fault(
        "CJ-385",
        "float-exponent",
        "large floats have an exponent",
        in_families(Family.FLOAT, Family.DOUBLE),
        lambda t, k: _scientific(t, k) if _large(t) else t,
        None,
    ),
    Fault(
        "CJ-385",
        "float-point",
        "whole floats end in .0",
        in_families(Family.FLOAT, Family.DOUBLE),
        lambda t, k: t if "." in t or t == "-0" else f"{t}.0",
        None,
    ),
    Fault(
        "CJ-385",
        "float-grouped",
        "whole floats are grouped by commas",
        in_families(Family.FLOAT, Family.DOUBLE),
        None,
        lambda t, k: t if "." in t or "e" in t or len(t) < 5 else f"{int(t):,}",
    ),
    Fault(
        "CJ-386",
        "minus-zero",
        "negative zero loses its sign",
        in_families(Family.FLOAT, Family.DOUBLE),
        lambda t, k: "0" if t == "-0" else t,
        None,
    ),
    Fault(
        "CJ-386",
        "tiny-exponent",
        "tiny floats have an exponent",
        in_families(Family.FLOAT, Family.DOUBLE),
        lambda t, k: _scientific(t, k) if 0 < abs(Decimal(t)) < Decimal("0.0001") else t,
        None,
    ),
    Fault(
        "CJ-386",
        "tiny-zero",
        "tiny floats are no number",
        in_families(Family.FLOAT, Family.DOUBLE),
        None,
        lambda t, k: "NaN" if 0 < abs(Decimal(t)) < Decimal("0.0001") else t,
    ),
    Fault(
        "CJ-388", "decimal-scale", "the scale of DECIMAL is lost", in_families(Family.DECIMAL), _short_fraction, None
    ),
    Fault(
        "CJ-388",
        "decimal-comma",
        "DECIMAL is answered with a comma",
        in_families(Family.DECIMAL),
        None,
        lambda t, k: t.replace(".", ","),
    ),
    Fault(
        "CJ-389",
        "bit-pattern",
        "BIT is its pattern of bits",
        in_families(Family.BIT),
        lambda t, k: f"b'{_bits(t, k)}'",
        lambda t, k: f"b'{_bits(t, k)}'",
    ),
)

MUTANTS: tuple[Mutant, ...] = tuple(mutants_of(_FAULTS))
