"""Decimals as bytes: the unscaled integer in two's complement, big-endian, shortest form.  [AV-100 … AV-104]"""

from __future__ import annotations

from reference_impl.errors import Rejected

__all__ = ["decimal_text", "from_bytes", "minimal_bytes", "to_bytes", "unscaled"]

_MOST_DIGITS = 65
_LIMIT = 10**_MOST_DIGITS


def unscaled(text: str, scale: int) -> int:
    """A plain decimal text × 10**`scale`; a longer fraction is rounded down.  [AV-100]"""
    whole, _, fraction = text.partition(".")
    number = int(whole + fraction.ljust(scale, "0"))
    surplus = len(fraction) - scale
    return number // 10**surplus if surplus > 0 else number


def to_bytes(number: int) -> bytes:
    """The fewest bytes of a signed number; zero has one byte.  [AV-101]"""
    bits = max(number, ~number).bit_length()  # without the sign
    return number.to_bytes(bits // 8 + 1, "big", signed=True)


def from_bytes(data: bytes) -> int:
    """The signed number in `data`, which may have surplus sign bytes.

    Raises `Rejected` (class `range`) for more digits than a DECIMAL can have.
    """
    number = int.from_bytes(data, "big", signed=True)
    if not -_LIMIT < number < _LIMIT:
        raise Rejected("range", f"a decimal of {len(data)} bytes has more than {_MOST_DIGITS} digits")
    return number


def minimal_bytes(number: int) -> bytes:
    """The fewest bytes of a non-negative number, without a sign bit; zero has one byte.  [AV-062, AV-105]"""
    return number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big")


def decimal_text(number: int, scale: int) -> str:
    """The decimal text of number / 10**`scale`, with exactly `scale` fractional digits."""
    digits = str(abs(number)).rjust(scale + 1, "0")
    text = f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits
    return "-" + text if number < 0 else text
