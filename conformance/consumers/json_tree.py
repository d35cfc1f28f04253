"""Parses JSON as Java does: only the first document; numbers keep their text; of equal members the last counts."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_PREC, Decimal, InvalidOperation, localcontext
from typing import NoReturn, TypeAlias

from conformance.consumers.java import TRIMMED
from reference_impl.java_numbers import double_text

__all__ = [
    "Malformed",
    "Number",
    "Tree",
    "base64_of",
    "compact_json",
    "exact_text",
    "integer_of",
    "java_text",
    "narrowed",
    "parse",
    "quoted",
]

Tree: TypeAlias = "bool | str | Number | list[Tree] | dict[str, Tree] | None"


class Malformed(Exception):
    """The bytes are not JSON."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written."""

    text: str

    @property
    def is_integer(self) -> bool:
        """Whether the text has neither fraction nor exponent."""
        return not any(mark in self.text for mark in ".eE")

    @property
    def decimal(self) -> Decimal:
        """The value. Raises `Malformed` for an exponent beyond that of any `Decimal`."""
        try:
            return Decimal(self.text)
        except InvalidOperation:
            raise Malformed(f"a number with {len(self.text)} letters of exponent") from None


_MOST_DIGITS = 400
"""A longer integer is beyond every type of a reader."""


def integer_of(number: Number) -> int:
    """The whole part of a number. Raises `Malformed` for one beyond every type of a reader."""
    value = number.decimal
    if value.adjusted() > _MOST_DIGITS:
        raise Malformed(f"a number of {value.adjusted()} digits")
    return int(value)


_ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")


def base64_of(text: str) -> bytes:
    """Base64 as Jackson reads it: controls and blanks before each group of four are skipped, groups may be padded.

    Raises `ValueError` for a character outside base64's alphabet, and for a group that is cut or not padded.
    """
    found = bytearray()
    rest = text.strip(TRIMMED)
    while rest := rest.lstrip(TRIMMED):
        group, rest = rest[:4], rest[4:]
        letters = group.rstrip("=")
        if len(group) < 4 or not 2 <= len(letters) <= 4 or not _ALPHABET.issuperset(letters):
            raise ValueError(f"no base64: {group!r}")
        found += base64.b64decode(group)
    return bytes(found)


def _refuse(constant: str) -> NoReturn:
    raise Malformed(constant)


_STRICT, _LENIENT = (
    json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=_refuse, strict=strict)
    for strict in (True, False)
)
_BLANK = " \t\r\n"


def parse(value: bytes, *, controls: bool = False) -> Tree:
    """The first document of the bytes; the rest is ignored. `controls`: raw control characters are allowed.

    Raises `Malformed`.
    """
    try:
        text = value.decode("utf-8-sig").lstrip(_BLANK)
        found: Tree = (_LENIENT if controls else _STRICT).raw_decode(text)[0]
    except (ValueError, RecursionError) as e:
        raise Malformed(str(e)) from None
    return found


def narrowed(number: Number, bits: int, *, exact: bool = False) -> int:
    """The integer that Jackson's getter with `bits` bits returns for a number. Raises `Malformed`.

    A whole number is cut to its lowest bits. A number with a fraction is read as a double and limited to the range of
    Java's int or long, whose lowest bits are returned. If the reader keeps fractions `exact`, its whole part is cut,
    unless it is beyond every double.
    """
    if number.is_integer or (exact and not math.isinf(float(number.text))):
        value = integer_of(number)
    else:
        limit = 1 << (max(bits, 32) - 1)
        value = int(max(-limit, min(limit - 1, float(number.text))))
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half


def exact_text(number: Number) -> str:
    """A fraction as a BigDecimal read from JSON: without trailing zeros, and without a negative zero."""
    with localcontext(prec=MAX_PREC):
        value = number.decimal.normalize()
    return str(value) if value else "0"


def java_text(node: Tree, *, exact: bool = False) -> str:
    """Jackson's text of a node: `null` for null, an empty text for an object or a list.

    Numbers with a fraction are binary doubles, unless the reader keeps them `exact`.
    """
    if isinstance(node, str):
        return node
    if isinstance(node, bool):
        return "true" if node else "false"
    if node is None:
        return "null"
    if isinstance(node, Number):
        if node.is_integer:
            return node.text
        if math.isinf(double := float(node.text)):  # even for a reader that keeps fractions exact
            return "Infinity" if double > 0 else "-Infinity"
        return exact_text(node) if exact else double_text(double)
    return ""


_ESCAPES = {
    **{number: f"\\u{number:04X}" for number in range(0x20)},
    **str.maketrans({"\b": r"\b", "\t": r"\t", "\n": r"\n", "\f": r"\f", "\r": r"\r", '"': r"\"", "\\": r"\\"}),
}


def quoted(text: str) -> str:
    """A text as Jackson writes it in JSON."""
    return f'"{text.translate(_ESCAPES)}"'


def compact_json(node: Tree, scalar_text: Callable[[Tree], str]) -> str:
    """A node as JSON without blanks; `scalar_text` writes numbers, booleans and null."""
    if isinstance(node, dict):
        return "{" + ",".join(f"{quoted(name)}:{compact_json(part, scalar_text)}" for name, part in node.items()) + "}"
    if isinstance(node, list):
        return "[" + ",".join(compact_json(part, scalar_text) for part in node) + "]"
    return quoted(node) if isinstance(node, str) else scalar_text(node)
