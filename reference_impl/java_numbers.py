"""Prints binary floats as Java does: `Double.toString` and `Float.toString`.  [DBZ-425, DV-42, DV-103]

Up to Java 18 the digits are not always the fewest: 2e23 is `1.9999999999999998E23`; from 19 on they are, and it is
`2.0E23`. From ten million up, and below a thousandth, there is an exponent and at least one digit after the point.
`exact_text` prints a double like Java's `BigDecimal`: exactly, and without an exponent.

The digits up to Java 18 are those of `jdk.internal.math.FloatingDecimal`: `_digits` is its `dtoa`, whose estimates and
limits are repeated here since the digits depend on them. Names that end in `_b`, `_s` and `_m` are exponents of two and
five in its `B`, `S` and `M`: `rest`, `scale` and `margin` here.
"""

from __future__ import annotations

import math
import struct
from decimal import Context, Decimal
from functools import lru_cache

from reference_impl.floats import nearest_float32, shortest_digits

__all__ = ["FEWEST_DIGITS_SINCE", "double_text", "exact_text", "float_text"]

# The first release of Java that prints the fewest digits.
FEWEST_DIGITS_SINCE = 19

_FRACTION_BITS = 52
_IMPLICIT = 1 << _FRACTION_BITS
_GROWTH = 200  # more than the factor by which a number grows from one digit to the next
# Bits of 5**n as in Java's table, for all powers that fit into 64 bits.
_BITS_OF_5 = (0, *((5**n).bit_length() for n in range(1, 27)))


def _bits_of_5(power: int) -> int:
    return _BITS_OF_5[power] if power < len(_BITS_OF_5) else 3 * power


def _parts(value: float, single: bool) -> tuple[int, int, int]:
    """(fraction, exponent, number of significant bits) of a positive float: fraction × 2**(exponent - 52), 53 bits."""
    if single:
        bits = struct.unpack(">I", struct.pack(">f", value))[0]
        exponent, fraction, width, bias = bits >> 23, (bits & ((1 << 23) - 1)) << 29, 24, 127
    else:
        bits = struct.unpack(">Q", struct.pack(">d", value))[0]
        exponent, fraction, width, bias = bits >> 52, bits & (_IMPLICIT - 1), 53, 1023
    if exponent:
        return fraction | _IMPLICIT, exponent - bias, width
    shift = _FRACTION_BITS + 1 - fraction.bit_length()
    return fraction << shift, 1 - shift - bias, width - shift


def _whole(number: int, insignificant: int) -> tuple[str, int]:
    """Digits and decimal point of an integer, rounded to the digits that the float determines."""
    point = 0
    if insignificant:
        power = 10**insignificant
        number, rest = divmod(number, power)
        number += rest >= power >> 1
        point = insignificant
    digits = str(number)
    return digits.rstrip("0") or "0", point + len(digits)


def _digits(value: float, single: bool) -> tuple[str, int]:
    """(digits, point) of a positive float: the value is 0.DIGITS × 10**point."""
    fraction, exponent, width = _parts(value, single)
    zeros = (fraction & -fraction).bit_length() - 1
    used = _FRACTION_BITS + 1 - zeros
    tiny = max(0, used - exponent - 1)
    if -21 <= exponent <= 62 and tiny == 0:
        # How many of the last digits lie beyond the precision of a large number.
        above = exponent - width - 1
        insignificant = int(above * math.log10(2)) if exponent > width and above > 1 else 0
        shift = exponent - _FRACTION_BITS
        return _whole(fraction << shift if shift >= 0 else fraction >> -shift, insignificant)

    lead = fraction / _IMPLICIT
    tens = math.floor((lead - 1.5) * 0.289529654 + 0.176091259 + exponent * 0.301029995663981)
    five_b, five_s = max(0, -tens), max(0, tens)
    two_b, two_s = five_b + tiny + exponent, five_s + tiny
    two_m = two_b - width
    two_b -= used - 1
    common = min(two_b, two_s)
    two_b, two_s, two_m = two_b - common, two_s - common, two_m - common
    if used == 1:
        two_m -= 1
    if two_m < 0:
        two_b, two_s, two_m = two_b - two_m, two_s - two_m, 0
    rest = (fraction >> zeros) * 5**five_b << two_b
    scale = 5**five_s << two_s
    margin = 5**five_b << two_m
    size = max(used + two_b + _bits_of_5(five_b), two_s + 1 + _bits_of_5(five_s + 1))
    return _generated(rest, scale, margin, tens, size)


def _generated(rest: int, scale: int, margin: int, tens: int, size: int) -> tuple[str, int]:
    """(digits, point) of rest / scale, to the digit where the rest is within the margin.

    Java computes in 32 or 64 bits if `size`, an estimate of the bits that it needs, permits; an overflow then changes
    the last digit.
    """
    width = 32 if size < 32 else 64 if size < 64 else 0
    if width and _GROWTH * max(scale, margin) < 1 << (width - 1):
        return _generated_without_overflow(rest, scale, margin, tens)
    half = 1 << (width - 1) if width else 0
    ten = scale * 10

    def wrapped(number: int) -> int:
        return (number + half) % (2 * half) - half if width else number

    def ends(rest: int, margin: int) -> tuple[bool, bool]:
        """Whether the digits may end here, as they are (low) or rounded up (high)."""
        kept = wrapped(margin)
        if kept <= 0:
            return True, True
        total = wrapped(rest + kept)
        is_high = (
            total > ten if width else total >= ten
        )  # as in Java: only its big integers round up where both are equal
        return rest < kept, is_high

    digits: list[int] = []
    digit, rest = divmod(rest, scale)
    rest, margin = rest * 10, margin * 10
    low, high = ends(rest, margin)
    if digit or high:
        digits.append(digit)
    else:
        tens -= 1
    if tens < -3 or tens >= 8:
        low = high = False  # with an exponent there is a digit after the point
    while not (low or high):
        digit, rest = divmod(rest, scale)
        rest, margin = rest * 10, margin * 10
        low, high = ends(rest, margin)
        digits.append(digit)
    over = wrapped(wrapped(2 * rest) - ten)
    text = "".join(map(str, digits))
    if high and (not low or over > 0 or (over == 0 and digits[-1] & 1)):
        number = str(int(text) + 1).rjust(len(text), "0")
        tens += len(number) - len(text)
        text = number.rstrip("0")
    return text, tens + 1


def _generated_without_overflow(rest: int, scale: int, margin: int, tens: int) -> tuple[str, int]:
    """As `_generated`, but twice as fast: for numbers too small to overflow."""
    ten = scale * 10
    digit, rest = divmod(rest, scale)
    rest, margin = rest * 10, margin * 10
    low, high = rest < margin, rest + margin > ten
    number, count = digit, 1
    if not (digit or high):
        tens, count = tens - 1, 0
    if tens < -3 or tens >= 8:
        low = high = False
    while not (low or high):
        digit, rest = divmod(rest, scale)
        rest, margin = rest * 10, margin * 10
        low, high = rest < margin, rest + margin > ten
        number, count = number * 10 + digit, count + 1
    text = str(number).rjust(count, "0")
    if high and (not low or 2 * rest > ten or (2 * rest == ten and digit & 1)):
        more = str(number + 1).rjust(count, "0")
        tens += len(more) - len(text)
        text = more.rstrip("0")
    return text, tens + 1


def _fewest(value: float, single: bool) -> tuple[str, int]:
    """As `_digits`, with the fewest digits that read back, but at least the two that Java prints."""
    _, digits, point = shortest_digits(repr(value), 32 if single else 64)
    if len(digits) > 1:
        return digits, point
    nearest = Context(prec=2).create_decimal_from_float(value)
    return "".join(map(str, nearest.as_tuple().digits)).rstrip("0"), nearest.adjusted() + 1


@lru_cache(maxsize=65536)
def _magnitude(value: float, single: bool, java: int) -> str:
    """The text of a non-negative float, which is not NaN.

    Callers add the sign, since the cache confuses -0.0 and 0.0.
    """
    if math.isinf(value):
        return "Infinity"
    if value == 0:
        return "0.0"
    digits, point = (_fewest if java >= FEWEST_DIGITS_SINCE else _digits)(value, single)
    if 0 < point < 8:
        whole = digits[:point].ljust(point, "0")
        return f"{whole}.{digits[point:] or '0'}"
    if -3 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    return f"{digits[0]}.{digits[1:] or '0'}E{point - 1}"


def _printed(value: float, single: bool, java: int) -> str:
    if math.isnan(value):
        return "NaN"  # which has no sign in Java
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    return sign + _magnitude(abs(value), single, java)


def double_text(value: float, java: int = 17) -> str:
    """`Double.toString`: `1.0`, `1.0E7`, `1.0E-4`, `-0.0`, `Infinity`, `NaN`."""
    return _printed(value, single=False, java=java)


def float_text(value: float, java: int = 17) -> str:
    """`Float.toString` of the 32-bit float nearest to a value; `Infinity` beyond its range."""
    try:
        return _printed(nearest_float32(repr(value)), single=True, java=java)
    except OverflowError:
        return _printed(math.copysign(math.inf, value), single=True, java=java)


def exact_text(value: float) -> str:
    """All the digits of a finite double, without an exponent: `10000000`, `0.25`."""
    return f"{Decimal(value):f}"
