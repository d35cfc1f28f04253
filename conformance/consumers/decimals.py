"""Exact decimals from their unscaled value, at any length."""

from __future__ import annotations

from decimal import Decimal

__all__ = ["plain", "unscaled_text"]

_MOST_DIGITS = 1000


def plain(number: Decimal) -> str:
    """A decimal without an exponent. Raises `ValueError` for NaN, infinity, and exponents of 1,000 or beyond."""
    if not number.is_finite() or not -_MOST_DIGITS < number.adjusted() < _MOST_DIGITS:
        raise ValueError(f"a number with the exponent {number.adjusted()}")
    return f"{number if number else abs(number):f}"


def unscaled_text(value: bytes, scale: int) -> str:
    """Bytes, big-endian in two's complement, as a decimal with `scale` digits behind the point."""
    number = int.from_bytes(value, "big", signed=True)
    digits = str(abs(number)).rjust(scale + 1, "0")
    whole, fraction = (digits[:-scale], digits[-scale:]) if scale > 0 else (digits + "0" * -scale, "")
    return f"{'-' if number < 0 else ''}{whole}{'.' if fraction else ''}{fraction}"
