"""Encoders and decoders that get the text of a type's values wrong, but of numbers.  [CJ-390 … CJ-402]

A decoder's values are in the form of the harness protocol: bytes are base64, members of ENUM and SET are labels.
"""

from __future__ import annotations

import base64
from typing import Any

from conformance.mutants.canal_json.edits import Fault, in_families, mutants_of
from conformance.mutants.model import Mutant
from reference_impl.column_types import BINARY, TEXT, ColumnType, Family

__all__ = ["MUTANTS"]


def _base64(text: str, kind: ColumnType) -> str:
    return base64.b64encode(text.encode("latin-1")).decode()


def _utf8(text: str, kind: ColumnType) -> str:
    return text.encode("latin-1").decode("utf-8", "replace")


def _unpadded(text: str, kind: ColumnType) -> str:
    return text.rstrip("\0")


def _read_unpadded(text: str, kind: ColumnType) -> str:
    return base64.b64encode(base64.b64decode(text).rstrip(b"\0")).decode()


def _trimmed(text: Any, kind: ColumnType) -> Any:
    return text.rstrip(" ") if isinstance(text, str) else text


def _replaced(text: str, kind: ColumnType) -> str:
    return text.replace("\ufffd", "?")


_FAULTS: tuple[Fault, ...] = (
    Fault(
        "CJ-394",
        "timestamp-zone",
        "TIMESTAMP ends in its zone",
        in_families(Family.TIMESTAMP),
        lambda t, k: f"{t} UTC",
        None,
    ),
    Fault(
        "CJ-396",
        "year-date",
        "YEAR is a date",
        in_families(Family.YEAR),
        lambda t, k: f"{t}-01-01" if t != "0" else t,
        lambda t, k: f"{t}-01-01" if t != "0" else t,
    ),
    Fault(
        "CJ-397",
        "text-trimmed",
        "blanks at the end of texts are lost",
        lambda k: k.family in TEXT,
        lambda t, k: _trimmed(t, k),
        None,
    ),
    Fault("CJ-398", "bytes-base64", "bytes are base64", lambda k: k.family in BINARY, _base64, None, ("CJ-034b",)),
    Fault(
        "CJ-398", "bytes-utf8", "bytes are decoded as UTF-8", lambda k: k.family in BINARY, _utf8, None, ("CJ-034b",)
    ),
    Fault(
        "CJ-399",
        "binary-unpadded",
        "BINARY is not padded",
        in_families(Family.BINARY),
        _unpadded,
        _read_unpadded,
        ("CJ-034b",),
    ),
    Fault(
        "CJ-402",
        "raw-question-mark",
        "bytes that are not UTF-8 become question marks",
        lambda k: k.family in TEXT,
        _replaced,
        None,
    ),
    Fault(
        "CJ-402",
        "raw-question-mark",
        "U+FFFD is read as a question mark",
        lambda k: k.family in TEXT,
        None,
        _replaced,
        ("CJ-397",),
    ),
)


MUTANTS: tuple[Mutant, ...] = tuple(mutants_of(_FAULTS))
