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


def _read_as_utf8(text: str, kind: ColumnType) -> str:
    return base64.b64encode(base64.b64decode(text).decode("latin-1").encode()).decode()


def _unpadded(text: str, kind: ColumnType) -> str:
    return text.rstrip("\0")


def _read_unpadded(text: str, kind: ColumnType) -> str:
    return base64.b64encode(base64.b64decode(text).rstrip(b"\0")).decode()


def _mojibake(text: str, kind: ColumnType) -> str:
    return text.encode("utf-8", "surrogatepass").decode("latin-1") if isinstance(text, str) else text


def _number_of(kind: ColumnType, value: Any) -> int:
    return kind.members.index(value) if isinstance(value, str) and value in kind.members else -1


def _labels(text: str, kind: ColumnType) -> str:
    return ",".join(label for bit, label in enumerate(kind.members) if int(text) >> bit & 1)


def _label(text: str, kind: ColumnType) -> str:
    return kind.members[int(text) - 1] if int(text) else ""


def _american(text: str, kind: ColumnType) -> str:
    year, month, day = text.split("-")
    return f"{month}/{day}/{year}"


def _iso(text: str, kind: ColumnType) -> str:
    return text.replace(" ", "T")


def _spaced(text: Any, kind: ColumnType) -> Any:
    return text.replace(",", ", ") if isinstance(text, str) else text  # a number stands for labels in another way


def _trimmed(text: Any, kind: ColumnType) -> Any:
    return text.rstrip(" ") if isinstance(text, str) else text


def _replaced(text: str, kind: ColumnType) -> str:
    return text.replace("\ufffd", "?")


_FAULTS: tuple[Fault, ...] = (
    Fault("CJ-390", "enum-label", "ENUM is its label", in_families(Family.ENUM), _label, None),
    Fault(
        "CJ-390",
        "enum-number",
        "ENUM is answered as a text of its number",
        in_families(Family.ENUM),
        None,
        lambda v, k: f"#{_number_of(k, v) + 1}",
        ("CJ-884",),
    ),
    Fault("CJ-391", "set-labels", "SET is its labels", in_families(Family.SET), _labels, None),
    Fault(
        "CJ-391",
        "set-blank",
        "SET is answered with a blank after each comma",
        in_families(Family.SET),
        None,
        _spaced,
        ("CJ-884",),
    ),
    Fault("CJ-392", "date-american", "DATE has the month first", in_families(Family.DATE), _american, _american),
    Fault(
        "CJ-393",
        "datetime-fraction",
        "DATETIME loses its fraction",
        lambda k: k.family is Family.DATETIME and bool(k.fsp),
        lambda t, k: f"{t[:19]}.",
        None,
    ),
    Fault("CJ-393", "datetime-iso", "DATETIME has a T", in_families(Family.DATETIME), _iso, _iso),
    Fault("CJ-394", "timestamp-iso", "TIMESTAMP has a T", in_families(Family.TIMESTAMP), _iso, _iso),
    Fault(
        "CJ-394",
        "timestamp-zone",
        "TIMESTAMP ends in its zone",
        in_families(Family.TIMESTAMP),
        lambda t, k: f"{t} UTC",
        None,
    ),
    Fault(
        "CJ-395",
        "time-unit",
        "TIME is in words",
        in_families(Family.TIME),
        lambda t, k: t.replace(":", "h", 1),
        lambda t, k: t.replace(":", "h", 1),
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
        "text-mojibake",
        "texts are decoded as Latin-1",
        lambda k: k.family in TEXT,
        _mojibake,
        _mojibake,
        ("CJ-402",),
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
        "CJ-398",
        "bytes-encoded",
        "characters become their UTF-8 bytes",
        lambda k: k.family in BINARY,
        None,
        _read_as_utf8,
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
        "CJ-400",
        "json-in-json",
        "JSON is a JSON string of its text",
        in_families(Family.JSON),
        lambda t, k: f"json:{t}",
        lambda t, k: f"json:{t}",
    ),
    Fault(
        "CJ-401",
        "vector-bare",
        "VECTOR has no brackets",
        in_families(Family.VECTOR),
        lambda t, k: t[1:-1],
        lambda t, k: t[1:-1],
    ),
    Fault("CJ-401", "vector-blanks", "VECTOR has a blank after each comma", in_families(Family.VECTOR), _spaced, None),
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
