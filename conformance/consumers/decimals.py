"""Texts of exact decimals, at any length."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal, localcontext

__all__ = ["plain", "rounded_text", "unscaled_text"]

_MOST_DIGITS = 1000
_NUMERAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,9})?", re.ASCII)


def plain(number: Decimal) -> str:
    """A decimal without an exponent. Raises `ValueError` for NaN, infinity, and exponents of 1,000 or beyond."""
    if not number.is_finite() or not -_MOST_DIGITS < number.adjusted() < _MOST_DIGITS:
        raise ValueError(f"a number with the exponent {number.adjusted()}")
    return f"{number if number else abs(number):f}"


def rounded_text(text: str, precision: int, scale: int) -> str | None:
    """A number as a DECIMAL column of Flink or Paimon holds it; None if it has too many digits.

    Raises `ValueError` for a text that is not a number, `InvalidOperation` for a number beyond 2,000 digits.
    """
    if not _NUMERAL.fullmatch(text):
        raise ValueError(text)
    with localcontext(prec=2000):
        value = Decimal(text).quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
    return None if value and len(value.as_tuple().digits) > precision else f"{value or abs(value):f}"


def unscaled_text(value: bytes, scale: int) -> str:
    """Bytes, big-endian in two's complement, as a decimal with `scale` digits behind the point."""
    number = int.from_bytes(value, "big", signed=True)
    digits = str(abs(number)).rjust(scale + 1, "0")
    whole, fraction = (digits[:-scale], digits[-scale:]) if scale > 0 else (digits + "0" * -scale, "")
    return f"{'-' if number < 0 else ''}{whole}{'.' if fraction else ''}{fraction}"
