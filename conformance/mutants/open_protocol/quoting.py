"""Encoders that get the quoting of binary strings wrong.  [OP-106, OP-130 … OP-138]"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import Wrap, encoder, in_families, values
from reference_impl.column_types import Family

__all__ = ["MUTANTS"]

_UNIT = re.compile(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\.|[^\\]", re.DOTALL)
_SHORT = {"\\a": 7, "\\b": 8, "\\t": 9, "\\n": 10, "\\v": 11, "\\f": 12, "\\r": 13}


def _quoted(change: Callable[[str], str]) -> Wrap:
    """Each unit of quoted bytes, a character or an escape, is what `change` makes of it."""
    return values(
        in_families(Family.BINARY, Family.VARBINARY),
        lambda text, column: "".join(change(unit) for unit in _UNIT.findall(text)),
    )


def _is_high(unit: str) -> bool:
    return unit[:2] == "\\x" and int(unit[2:], 16) >= 0x80


def _upper(unit: str) -> str:
    return unit[:2] + unit[2:].upper()


MUTANTS: tuple[Mutant, ...] = (
    encoder(
        "varbinary-cut-at-zero",
        "OP-106",
        "VARBINARY ends at a zero byte",
        values(in_families(Family.VARBINARY), lambda text, column: text.partition("\\x00")[0]),
    ),
    encoder(
        "bad-bytes-in-upper-case",
        "OP-130a",
        "a byte that is not UTF-8 is written with upper-case digits",
        _quoted(lambda u: _upper(u) if _is_high(u) else u),
    ),
    encoder(
        "quotation-mark-bare",
        "OP-131",
        "a quotation mark among bytes is bare",
        _quoted(lambda u: '"' if u == '\\"' else u),
    ),
    encoder(
        "backslash-bare",
        "OP-132",
        "a backslash among bytes is not doubled",
        _quoted(lambda u: "\\" if u == "\\\\" else u),
        "OP-106",
    ),
    encoder(
        "apostrophe-escaped",
        "OP-133",
        "an apostrophe among bytes has a backslash before it",
        _quoted(lambda u: "\\'" if u == "'" else u),
    ),
    encoder(
        "control-bytes-in-digits",
        "OP-134a",
        "the bytes 07 to 0d are written as digits, but for line feed and carriage return",
        _quoted(lambda u: f"\\x{_SHORT[u]:02x}" if u in _SHORT and u not in ("\\n", "\\r") else u),
    ),
    encoder(
        "quoted-in-ascii",
        "OP-136",
        "characters beyond ASCII among bytes are written in digits",
        _quoted(lambda u: u if u.isascii() else "".join(f"\\x{byte:02x}" for byte in u.encode())),
    ),
    encoder(
        "invisible-characters-raw",
        "OP-137",
        "characters that are not printable are written as they are",
        _quoted(lambda u: chr(int(u[2:], 16)) if u[:2] == "\\u" else u),
    ),
    encoder(
        "large-invisible-characters-in-pairs",
        "OP-138",
        "characters beyond U+FFFF are written as surrogates",
        _quoted(
            lambda u: (
                "".join(f"\\u{unit:04x}" for unit in struct.unpack(">2H", chr(int(u[2:], 16)).encode("utf-16-be")))
                if u[:2] == "\\U"
                else u
            )
        ),
    ),
)
