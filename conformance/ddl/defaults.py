"""Turns the literal in a column's DEFAULT into a value string."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import NamedTuple

from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.errors import Rejected
from reference_impl.model import Column, Default, Expression
from reference_impl.sql_tokens import Kind, tokens
from reference_impl.values import check_text

__all__ = ["default_of"]

_CHARSET = r"(?:_[A-Za-z0-9]+\s*)?"
_BITS = re.compile(rf"{_CHARSET}(?:[bB]'([01]*)'|0b([01]+))\Z")
_HEX = re.compile(rf"{_CHARSET}(?:[xX]'([0-9A-Fa-f]*)'|0x([0-9A-Fa-f]+))\Z")
_BEFORE_TEXTS = ("N", "DATE", "TIME", "TIMESTAMP")  # N'text', DATE'2000-01-01'; also _utf8mb4'text'
_TRUTHS = {"TRUE": "1", "FALSE": "0"}
_EXACT = Context(prec=1000, rounding=ROUND_HALF_UP)
_NUMBER = re.compile(r"[+-]? ?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?\Z")


def default_of(column: Column) -> Default:
    """The default as a value string, if it is a literal that the column accepts; else the default unchanged.

    The default of a BINARY column has no zeros of padding: TiDB adds them when it stores the default
    (`reference_impl.stored_defaults`), while Debezium's connector reads the statement.
    """
    given = column.default
    if not isinstance(given, Expression):
        return given
    digits = _digits(given.text)
    if digits is not None and column.type.family in BINARY | TEXT:
        return _text_of_bytes(digits.number.to_bytes(digits.size), given)
    literal = _literal(given.text) if digits is None else str(digits.number)
    if literal is None:
        return given
    if column.type.family in BINARY:
        return literal
    try:
        value = _fitted(column, literal)
        check_text(column.type, value)
    except (Rejected, ArithmeticError):
        return given
    return value


class _Digits(NamedTuple):
    """A literal of hexadecimal or binary digits: its number, and its size in bytes."""

    number: int
    size: int


def _digits(text: str) -> _Digits | None:
    for pattern, base, per_byte in ((_HEX, 16, 2), (_BITS, 2, 8)):
        if found := pattern.match(text):
            digits = found[1] or found[2] or ""
            return _Digits(int(f"0{digits}", base), -(-len(digits) // per_byte))
    return None


def _text_of_bytes(content: bytes, given: Expression) -> Default:
    """The default of a column of bytes or text; bytes that are not UTF-8 stay a literal."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return given


def _literal(text: str) -> str | None:
    """The value of a literal other than `_Digits`, None for an expression."""
    if _NUMBER.match(text):
        return text.replace(" ", "")
    if text.upper() in _TRUTHS:
        return _TRUTHS[text.upper()]
    pieces = tokens(text)
    if len(pieces) > 1 and (pieces[0].text.startswith("_") or pieces[0].word in _BEFORE_TEXTS):
        pieces = pieces[1:]
    if not pieces or any(piece.kind is not Kind.STRING for piece in pieces):
        return None
    return "".join(piece.text for piece in pieces)  # texts side by side are one text


def _fitted(column: Column, literal: str) -> str:
    """The literal in the form of the column's values."""
    kind = column.type
    if kind.family is Family.DECIMAL:
        return f"{_EXACT.quantize(Decimal(literal), Decimal(1).scaleb(-(kind.scale or 0))):f}"
    if kind.family in INTEGERS or kind.family in (Family.YEAR, Family.BIT):
        return f"{_EXACT.quantize(Decimal(literal), Decimal(1)):f}"
    if kind.family in (Family.TIME, Family.DATETIME, Family.TIMESTAMP):
        whole, _, fraction = literal.partition(".")
        kept = fraction[: kind.fsp].ljust(kind.fsp, "0")
        return f"{whole}.{kept}" if kept else whole
    return literal
