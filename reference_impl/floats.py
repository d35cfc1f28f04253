"""Shortest decimal digits of 32-bit and 64-bit floats, and their plain notation.

FLOAT is a 32-bit number: its digits are those of the 32-bit value, never of the widened one.  [CJ-383 … CJ-386, OP-080]
"""

from __future__ import annotations

import json
import math
import re
import struct
from decimal import ROUND_CEILING, Context
from functools import lru_cache

__all__ = [
    "finite",
    "is_number",
    "json_number",
    "nearest_float32",
    "plain",
    "same_float",
    "shortest_digits",
    "vector_text",
]

_FLOAT32 = struct.Struct("<f")
_SMALLEST_NORMAL = 2.0**-126
# No column holds a larger exponent, and Python's Decimal cannot read it.
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,9})?", re.ASCII)


def is_number(text: str) -> bool:
    """Whether a text is a number in other languages too: no blanks, underscores or non-ASCII digits."""
    return _NUMBER.fullmatch(text) is not None


def finite(text: str, bits: int) -> str:
    """The text itself, if a float of `bits` width can hold its number.

    Raises ValueError for a text that is not a number, such as NaN, and OverflowError beyond the range.
    """
    if not is_number(text):
        raise ValueError(f"{text!r} is not a number")
    if math.isinf(nearest_float32(text) if bits == 32 else float(text)):
        raise OverflowError(f"{text} is beyond {bits} bits")
    return text


def nearest_float32(text: str) -> float:
    """The 32-bit float nearest to a decimal text, as a Python float. Raises OverflowError beyond the range."""
    value: float = _FLOAT32.unpack(_FLOAT32.pack(float(text)))[0]
    return value


def shortest_digits(text: str, bits: int) -> tuple[bool, str, int]:
    """(negative, digits, exponent) of the float nearest to `text`: its value is 0.DIGITS × 10**exponent.

    The digits are the fewest that read back as the same float of `bits` width; zero has the digits "0", exponent 1.
    """
    value = nearest_float32(text) if bits == 32 else float(text)
    printed = _shortest32(abs(value)) if bits == 32 else repr(abs(value))
    mantissa, _, exponent = printed.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    point = len(whole) + int(exponent or 0)
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    stripped = stripped.rstrip("0")
    negative = math.copysign(1.0, value) < 0
    return (negative, stripped, point) if stripped else (negative, "0", 1)


def _shortest32(value: float) -> str:
    # A normal number keeps six digits; a subnormal one may need fewer.
    for precision in range(6 if value >= _SMALLEST_NORMAL else 1, 9):
        text = f"{value:.{precision}g}"
        if nearest_float32(text) == value:
            return text
        # The float below a power of two is nearer than the one above, so digits rounded up may identify the number
        # where the nearest ones do not.
        if math.frexp(value)[0] == 0.5:
            text = f"{Context(prec=precision, rounding=ROUND_CEILING).create_decimal_from_float(value):.{precision}g}"
            if nearest_float32(text) == value:
                return text
    return f"{value:.9g}"


@lru_cache(maxsize=65536)
def plain(text: str, bits: int) -> str:
    """The shortest digits in plain notation, never an exponent: `1`, `0.0001`, `-0`, `10000000`.  [CJ-383 … CJ-386]"""
    negative, digits, point = shortest_digits(text, bits)
    if point <= 0:
        body = "0." + "0" * -point + digits
    elif point >= len(digits):
        body = digits + "0" * (point - len(digits))
    else:
        body = digits[:point] + "." + digits[point:]
    return "-" + body if negative else body


def vector_text(text: str) -> str:
    """The text of a VECTOR with its elements in plain notation. Raises OverflowError for one beyond 32 bits."""
    return "[" + ",".join(plain(element, 32) for element in json.loads(text, parse_int=str, parse_float=str)) + "]"


@lru_cache(maxsize=65536)
def json_number(text: str, bits: int, short_exponent: bool) -> str:
    """The float nearest to `text` as Go's JSON writers print it.  [OP-079 … OP-081, AV-059]

    Plain digits from 1e-6 up to, not including, 1e21; beyond them an exponent of at least two digits, or with
    `short_exponent` without the zero of a negative one.

    Raises ValueError or OverflowError as `finite` does.
    """
    negative, digits, point = shortest_digits(finite(text, bits), bits)
    exponent = point - 1
    if -6 <= exponent < 21:
        return plain(text, bits)
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    power = f"{exponent:+d}" if short_exponent and exponent < 0 else f"{exponent:+03d}"
    return f"{'-' if negative else ''}{mantissa}e{power}"


def same_float(a: str, b: str, bits: int) -> bool:
    """Whether two texts are equal IEEE numbers of that width. -0 equals 0, a text beyond the width equals none."""
    if not (is_number(a) and is_number(b)):
        return False
    try:
        first, second = (nearest_float32(text) if bits == 32 else float(text) for text in (a, b))
    except OverflowError:
        return False
    return first == second and math.isfinite(first)
