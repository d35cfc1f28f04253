"""Floats as Java prints them; the texts are those of OpenJDK 17.0.15 and of what it recorded."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.java_numbers import double_text, exact_text, float_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (-123.456, "-123.456"),
        (0.001, "0.001"),
        (1e-4, "1.0E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (2e23, "1.9999999999999998E23"),
        (3.6296067924723154e25, "3.6296067924723153E25"),
        (2.0**62, "4.6116860184273879E18"),
        (123456789.12345679, "1.2345678912345679E8"),
        (5e-324, "4.9E-324"),
        (2.2250738585072014e-308, "2.2250738585072014E-308"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (math.nan, "NaN"),
        (-math.nan, "NaN"),
    ],
)
def test_a_double(value: float, text: str) -> None:
    assert double_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (0.01, "0.01"),
        (1e7, "1.0E7"),
        (16777216.0, "1.6777216E7"),
        (2020.0202, "2020.0201"),
        (5.754527299735156e25, "5.7545272E25"),
        (1.17549435e-38, "1.17549435E-38"),
        (1.4e-45, "1.4E-45"),
        (3.4028235e38, "3.4028235E38"),
        (1e100, "Infinity"),
        (math.nan, "NaN"),
    ],
)
def test_a_float(value: float, text: str) -> None:
    assert float_text(value) == text


def test_since_19_there_are_no_more_digits_than_it_takes() -> None:
    assert (double_text(2e23, java=19), float_text(5.754527299735156e25, java=25)) == ("2.0E23", "5.7545273E25")


def test_all_the_digits_of_a_double() -> None:
    assert exact_text(1e-4).startswith("0.000100000000000000004792173602385929598")
    assert (exact_text(1e7), exact_text(0.25)) == ("10000000", "0.25")


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([17, 21]))
def test_what_is_printed_reads_back_as_the_same_number(value: float, java: int) -> None:
    read = float(double_text(value, java))
    assert struct.pack(">d", read) == struct.pack(">d", value)
