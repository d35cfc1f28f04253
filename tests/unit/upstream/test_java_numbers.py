"""Floats as Java prints them; the texts are those of OpenJDK 17.0.15 and of what it recorded."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.java_numbers import double_text, exact_text, float_text

# What Java 17 prints, and what Java 19 and later do if that is another text.  [TV-401 … TV-416]
DOUBLES: list[tuple[float, str] | tuple[float, str, str]] = [
    (0.0, "0.0"),
    (-0.0, "-0.0"),
    (1.0, "1.0"),
    (-123.456, "-123.456"),
    (0.001, "0.001"),
    (1e-4, "1.0E-4"),
    (9999999.0, "9999999.0"),
    (1e7, "1.0E7"),
    (12345678.0, "1.2345678E7"),
    (1e21, "1.0E21"),
    (2e23, "1.9999999999999998E23", "2.0E23"),
    (3.6296067924723154e25, "3.6296067924723153E25", "3.6296067924723154E25"),
    (2.0**62, "4.6116860184273879E18", "4.611686018427388E18"),
    (123456789.12345679, "1.2345678912345679E8"),
    (5e-324, "4.9E-324"),
    (2.2250738585072014e-308, "2.2250738585072014E-308"),
    (1.7976931348623157e308, "1.7976931348623157E308"),
    (math.inf, "Infinity"),
    (-math.inf, "-Infinity"),
    (math.nan, "NaN"),
    (-math.nan, "NaN"),
]
FLOATS: list[tuple[float, str] | tuple[float, str, str]] = [
    (0.1, "0.1"),
    (0.01, "0.01"),
    (123.46, "123.46"),
    (1e7, "1.0E7"),
    (16777216.0, "1.6777216E7"),
    (2020.0202, "2020.0201"),
    (-2.7182818284, "-2.7182817"),
    (5.754527299735156e25, "5.7545272E25", "5.7545273E25"),
    (1.17549435e-38, "1.17549435E-38", "1.1754944E-38"),
    (1e-45, "1.4E-45"),
    (3.4028235e38, "3.4028235E38"),
    (1e100, "Infinity"),
    (math.nan, "NaN"),
]


@pytest.mark.parametrize(
    ("write", "value", "java_17", "java_25"),
    [*((double_text, *row, row[-1])[:4] for row in DOUBLES), *((float_text, *row, row[-1])[:4] for row in FLOATS)],
)
def test_a_float_has_the_digits_of_its_java(
    write: Callable[[float, int], str], value: float, java_17: str, java_25: str
) -> None:
    assert (write(value, 17), write(value, 19), write(value, 25)) == (java_17, java_25, java_25)


def test_all_the_digits_of_a_double() -> None:
    assert exact_text(1e-4).startswith("0.000100000000000000004792173602385929598")
    assert (exact_text(1e7), exact_text(0.25)) == ("10000000", "0.25")


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([17, 21]))
def test_what_is_printed_reads_back_as_the_same_number(value: float, java: int) -> None:
    read = float(double_text(value, java))
    assert struct.pack(">d", read) == struct.pack(">d", value)
