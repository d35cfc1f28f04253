"""Prints binary floats as Java does: `Double.toString` and `Float.toString`.  [DBZ-425, DV-42, DV-103]

Up to Java 18 the digits are not always the fewest: 2e23 is `1.9999999999999998E23`; from 19 on they are, and it is
`2.0E23`. From ten million up, and below a thousandth, there is an exponent and at least one digit after the point.
`exact_text` prints a double like Java's `BigDecimal`: exactly, and without an exponent.

Up to Java 18 the digits are those of `jdk.internal.math.FloatingDecimal.dtoa`. Its way is repeated here, since its
estimates and overflows decide some last digits:

1. `_parts` takes a float apart into a fraction of 53 bits and a power of two.
2. `_digits` prints a number without a fraction as the integer that it is (`_integer`).
3. For any other number it finds three integers: `rest / scale` is the number divided by 10**`tens`, with one digit
   before the point, and `margin / scale` is half the distance to the next float. In `dtoa` they are B, S and M.
4. `_generated` divides: the quotient is a digit, ten times the remainder the new `rest`. It ends where `rest` is within
   `margin`, for then the digits so far read back as the same float.
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


def _integer(number: int, unknown: int) -> tuple[str, int]:
    """(digits, point) of an integer, rounded to the digits that the float determines: all but the last `unknown`."""
    point = 0
    if unknown:
        power = 10**unknown
        number, rest = divmod(number, power)
        number += rest >= power >> 1
        point = unknown
    digits = str(number)
    return digits.rstrip("0") or "0", point + len(digits)


def _digits(value: float, single: bool) -> tuple[str, int]:
    """(digits, point) of a positive float: the value is 0.DIGITS × 10**point."""
    fraction, exponent, width = _parts(value, single)
    zeros = (fraction & -fraction).bit_length() - 1
    used = _FRACTION_BITS + 1 - zeros  # bits of the fraction without the zeros at its end
    behind_point = max(0, used - exponent - 1)  # bits of the number that stand behind its binary point
    if -21 <= exponent <= 62 and behind_point == 0:
        above = exponent - width - 1
        unknown = int(above * math.log10(2)) if above > 1 else 0
        shift = exponent - _FRACTION_BITS
        return _integer(fraction << shift if shift >= 0 else fraction >> -shift, unknown)

    lead = fraction / _IMPLICIT
    tens = math.floor((lead - 1.5) * 0.289529654 + 0.176091259 + exponent * 0.301029995663981)
    # The powers of five and two in `rest`, `scale` and `margin`; `margin` has those of five that `rest` has.
    fives_of_rest, fives_of_scale = max(0, -tens), max(0, tens)
    twos_of_scale = fives_of_scale + behind_point
    twos_of_rest = fives_of_rest + behind_point + exponent
    twos_of_margin = twos_of_rest - width - (used == 1)  # below a power of two the next float is nearer
    twos_of_rest -= used - 1
    shared = min(twos_of_rest, twos_of_scale, twos_of_margin)
    twos_of_rest, twos_of_scale, twos_of_margin = twos_of_rest - shared, twos_of_scale - shared, twos_of_margin - shared
    rest = (fraction >> zeros) * 5**fives_of_rest << twos_of_rest
    scale = 5**fives_of_scale << twos_of_scale
    margin = 5**fives_of_rest << twos_of_margin
    size = max(used + twos_of_rest + _bits_of_5(fives_of_rest), twos_of_scale + 1 + _bits_of_5(fives_of_scale + 1))
    return _generated(rest, scale, margin, tens, size)


def _generated(rest: int, scale: int, margin: int, tens: int, size: int) -> tuple[str, int]:
    """(digits, point) of rest / scale, to the digit where the rest is within the margin.

    Java computes in 32 or 64 bits if `size`, an estimate of the bits that it needs, permits; an overflow then changes
    the last digit.
    """
    width = 32 if size < 32 else 64 if size < 64 else 0
    if width and _GROWTH * max(scale, margin) < 1 << (width - 1):
        return _generated_without_overflow(rest, scale, margin, tens)
    digit, rest = divmod(rest, scale)
    rest, margin = rest * 10, margin * 10
    is_low, is_high = _ends(rest, scale, margin, width)
    digits: list[int] = []
    if digit or is_high:
        digits.append(digit)
    else:
        tens -= 1
    if tens < -3 or tens >= 8:
        is_low = is_high = False  # with an exponent there is a digit after the point
    while not (is_low or is_high):
        digit, rest = divmod(rest, scale)
        rest, margin = rest * 10, margin * 10
        is_low, is_high = _ends(rest, scale, margin, width)
        digits.append(digit)
    over = _wrapped(_wrapped(2 * rest, width) - scale * 10, width)
    text = "".join(map(str, digits))
    if is_high and (not is_low or over > 0 or (over == 0 and digits[-1] & 1)):
        number = str(int(text) + 1).rjust(len(text), "0")
        tens += len(number) - len(text)
        text = number.rstrip("0")
    return text, tens + 1


def _wrapped(number: int, width: int) -> int:
    """The number as a signed integer of `width` bits; 0 bits stand for Java's big integers, which do not overflow."""
    half = 1 << (width - 1) if width else 0
    return (number + half) % (2 * half) - half if width else number


def _ends(rest: int, scale: int, margin: int, width: int) -> tuple[bool, bool]:
    """Whether the digits may end here: as they are, and rounded up. `rest` and `margin` are times ten."""
    kept = _wrapped(margin, width)
    if kept <= 0:
        return True, True
    total, ten = _wrapped(rest + kept, width), scale * 10
    return rest < kept, total > ten or (total == ten and not width)  # of both equal, only big integers round up


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
