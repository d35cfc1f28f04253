"""Exact decimals from their unscaled value, at any length."""

from __future__ import annotations

__all__ = ["unscaled_text"]


def unscaled_text(value: bytes, scale: int) -> str:
    """Bytes, big-endian in two's complement, as a decimal with `scale` digits behind the point."""
    number = int.from_bytes(value, "big", signed=True)
    digits = str(abs(number)).rjust(scale + 1, "0")
    whole, fraction = (digits[:-scale], digits[-scale:]) if scale > 0 else (digits + "0" * -scale, "")
    return f"{'-' if number < 0 else ''}{whole}{'.' if fraction else ''}{fraction}"
