"""The fewest digits of floats of 32 and 64 bits, in plain notation and as Go's JSON writers print them."""

from __future__ import annotations

import pytest

from reference_impl.floats import is_number, json_number, nearest_float32, plain, same_float, shortest_digits


@pytest.mark.parametrize("text", ["1", "-1", "+1", "1.", ".5", "1.5", "1e5", "1E-5", "1e+5", "1e123456789", "-.5e-3"])
def test_a_number_is_one_in_other_languages_too(text: str) -> None:
    assert is_number(text)


@pytest.mark.parametrize(
    "text",
    ["", ".", "-", "1_0", " 1", "1 ", "1\n", "١", "e5", "1e", "1e1234567890", "nan", "inf", "0x1", "1.5.2", "--1"],
)
def test_what_python_alone_reads_is_no_number(text: str) -> None:
    assert not is_number(text)


# The text, its width, and the digits: 0.DIGITS × 10**exponent.
DIGITS = [
    ("1", 32, (False, "1", 1)),
    ("-1.50", 64, (True, "15", 1)),
    ("100", 64, (False, "1", 3)),
    ("0.001", 64, (False, "1", -2)),
    ("0", 32, (False, "0", 1)),
    ("0.0", 64, (False, "0", 1)),
    ("-0", 32, (True, "0", 1)),
    ("-0", 64, (True, "0", 1)),
    ("0.1", 32, (False, "1", 0)),
    ("0.100000001490116", 32, (False, "1", 0)),
    ("0.100000001490116", 64, (False, "100000001490116", 0)),
    # 123456789 is between 123456784 and 123456792; the nearer one needs eight digits.
    ("123456789", 32, (False, "12345679", 9)),
    ("16777217", 32, (False, "16777216", 8)),
    ("9.53702e-7", 32, (False, "953702", -6)),  # seven digits would be 9.537021e-7
    ("1.18982035e29", 32, (False, "118982035", 30)),
    ("9999999", 32, (False, "9999999", 7)),
    ("999999", 32, (False, "999999", 6)),
    ("3.4028235e38", 32, (False, "34028235", 39)),
    ("1.17549435e-38", 32, (False, "11754944", -37)),
    # Subnormal numbers: 2**-149, the smallest, and twice it.
    ("1e-45", 32, (False, "1", -44)),
    ("2.8e-45", 32, (False, "3", -44)),
    ("1.4e-44", 32, (False, "14", -43)),
    ("5e-324", 64, (False, "5", -323)),
    ("1.7976931348623157e308", 64, (False, "17976931348623157", 309)),
    # 2**-96: of eight digits the nearest, 1.2621774e-29, read as the float below; 1.2621775e-29 reads as it.
    ("1.262177448353618888e-29", 32, (False, "12621775", -28)),
    ("0.30000000000000004", 64, (False, "30000000000000004", 0)),
    ("1e21", 64, (False, "1", 22)),
]


@pytest.mark.parametrize(("text", "bits", "digits"), DIGITS)
def test_the_digits_are_the_fewest_that_read_back_as_the_float(
    text: str, bits: int, digits: tuple[bool, str, int]
) -> None:
    assert shortest_digits(text, bits) == digits


@pytest.mark.parametrize("exponent", range(-126, 128))
@pytest.mark.parametrize("above", [0, 1])
def test_no_fewer_digits_read_back_as_a_float_near_a_power_of_two(exponent: int, above: int) -> None:
    value = 2.0**exponent * (1 + above * 2**-23)
    _, digits, point = shortest_digits(repr(value), 32)
    assert nearest_float32(f"0.{digits}e{point}") == value
    if len(digits) > 6:
        floor = int(digits) // 10
        shorter = (f"0.{number}e{point}" for number in (floor, floor + 1))
        assert all(nearest_float32(text) != value for text in shorter if len(str(floor + 1)) == len(digits) - 1)


@pytest.mark.parametrize(
    ("text", "bits", "printed"),
    [
        ("1", 64, "1"), ("-0", 64, "-0"), ("1e7", 64, "10000000"), ("1e21", 64, "1" + "0" * 21),
        ("0.0001", 64, "0.0001"), ("1e-7", 32, "0.0000001"), ("5e-324", 64, "0." + "0" * 323 + "5"),
        ("123.456", 64, "123.456"), ("-12.5", 32, "-12.5"), ("0.5", 64, "0.5"), ("123456789", 32, "123456790"),
        ("16777216", 32, "16777216"),
    ],
)  # fmt: skip
def test_plain_notation_has_no_exponent_and_no_point_in_an_integer(text: str, bits: int, printed: str) -> None:
    assert plain(text, bits) == printed


# The text, its width, and what is printed, without and with short exponents.
PRINTED = [
    ("1", 64, "1", "1"),
    ("0", 64, "0", "0"),
    ("-0", 64, "-0", "-0"),
    ("0.000001", 64, "0.000001", "0.000001"),
    ("1e-7", 64, "1e-07", "1e-7"),
    ("-1.25e-7", 64, "-1.25e-07", "-1.25e-7"),
    ("9.5e-10", 64, "9.5e-10", "9.5e-10"),
    ("1e-10", 32, "1e-10", "1e-10"),
    ("1e-100", 64, "1e-100", "1e-100"),
    ("1e20", 64, "1" + "0" * 20, "1" + "0" * 20),
    ("999999999999999900000", 64, "999999999999999900000", "999999999999999900000"),
    ("1e21", 64, "1e+21", "1e+21"),
    ("-1.5e300", 64, "-1.5e+300", "-1.5e+300"),
    ("3.4028235e38", 32, "3.4028235e+38", "3.4028235e+38"),
    ("123456789", 32, "123456790", "123456790"),
]


@pytest.mark.parametrize(("text", "bits", "long", "short"), PRINTED)
def test_go_prints_an_exponent_below_a_millionth_and_from_1e21_on(text: str, bits: int, long: str, short: str) -> None:
    assert (json_number(text, bits, False), json_number(text, bits, True)) == (long, short)


@pytest.mark.parametrize(
    ("a", "b", "bits", "same"),
    [
        ("0", "-0", 32, True), ("0", "-0", 64, True), ("1", "1.0", 64, True), ("0.1", "0.10000000149011612", 32, True),
        ("0.1", "0.10000000149011612", 64, False), ("1", "2", 32, False), ("1", "x", 64, False), ("x", "1", 64, False),
        ("x", "x", 64, False), ("1e39", "1e39", 32, False), ("1", "1e39", 32, False), ("1e39", "1e39", 64, True),
        ("1e400", "1e400", 64, False), ("1_0", "10", 64, False),
    ],
)  # fmt: skip
def test_floats_are_the_same_as_numbers_of_their_width(a: str, b: str, bits: int, same: bool) -> None:
    assert same_float(a, b, bits) is same


def test_a_float_beyond_32_bits_is_an_overflow() -> None:
    assert nearest_float32("3.4028235e38") == 3.4028234663852886e38
    with pytest.raises(OverflowError):
        nearest_float32("3.5e38")
