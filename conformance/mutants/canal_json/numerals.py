"""Encoders and decoders that get the text of numbers wrong, and of BIT.  [CJ-380 … CJ-389]"""

from __future__ import annotations

from conformance.mutants.canal_json.edits import Fault, mutants_of
from conformance.mutants.model import Mutant
from reference_impl.column_types import INTEGERS, ColumnType

__all__ = ["MUTANTS"]


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
    Fault("CJ-382", "boolean-bool", "BOOLEAN is read as true or false", _is_boolean, None, lambda t, k: t != "0"),
)

MUTANTS: tuple[Mutant, ...] = tuple(mutants_of(_FAULTS))
