"""How the values of a reader are compared with the original ones, and which finding decides a reading."""

from __future__ import annotations

import pytest

from conformance.cases.model import Case
from conformance.compatibility.cells import Fidelity
from conformance.compatibility.decoders import _reading
from conformance.compatibility.values import BitForm, Columns
from conformance.consumers.mysql_types import MysqlType

TYPES: dict[str, MysqlType] = {"id": MysqlType.of("int"), "d": MysqlType.of("decimal(65,30)")}
LONG = "12345678901234567890123456789012345.123456789012345678901234567891"


@pytest.mark.parametrize("digits", [20, 27, 28, 29, 40, 60])
def test_a_decimal_that_is_cut_is_lossy_however_long_it_is(digits: int) -> None:
    cut = LONG.replace(".", "")[:digits]
    read = f"{cut[:35]}.{cut[35:]}" if digits > 35 else cut.ljust(35, "0")
    [trouble] = Columns(TYPES, "big").troubles([((None, {"d": LONG}), (None, {"d": read}))])
    assert (trouble.verdict, trouble.effect) == (Fidelity.LOSSY, "digits are lost")


@pytest.mark.parametrize(
    ("expected", "read"),
    [
        pytest.param("0.1000001", "0.1", id="six digits, the last five of them 0"),
        pytest.param("1234999.9", "1235000", id="six digits, rounded up to zeros"),
        pytest.param("9999999.9", "10000000", id="rounded to a higher power of ten"),
        pytest.param("0.30000000000000004441", "0.3", id="the shortest digits of a double"),
        pytest.param("9007199254740993", "9007199254740992", id="as many digits, all of a double"),
        pytest.param("16777217", "16777216", id="as many digits, all of a float"),
        pytest.param("-1234567.8", "-1234567", id="cut towards zero"),
    ],
)
def test_a_number_with_fewer_digits_is_lossy_also_if_the_last_of_them_are_zeros(expected, read) -> None:
    assert _verdict(expected, read) is Fidelity.LOSSY


@pytest.mark.parametrize(
    ("expected", "read"),
    [
        pytest.param("1234561", "1234570", id="rounded away from the nearest"),
        pytest.param("123456789", "123456788", id="as many digits"),
        pytest.param("-1234567.1", "-1234568", id="cut away from zero"),
        pytest.param("0.12", "0.1", id="fewer than six digits are no rounding"),
        pytest.param("0.1000021", "0.1", id="differs in the sixth digit"),
        pytest.param("1234567", "-1234567", id="another sign"),
        pytest.param("0.1", "0.10000000000000000555", id="more digits"),
    ],
)
def test_a_number_that_no_rounding_gives_is_another_value(expected, read) -> None:
    assert _verdict(expected, read) is Fidelity.WRONG


def _verdict(expected: str, read: str) -> Fidelity:
    [trouble] = Columns(TYPES, "big").troubles([((None, {"d": expected}), (None, {"d": read}))])
    return trouble.verdict


@pytest.mark.parametrize("form", ["number", "big", "little"])
def test_a_bit_is_its_number_or_its_bytes_in_the_order_of_the_reader(form: BitForm) -> None:
    columns = Columns({"b": MysqlType.of("bit(16)")}, form)
    for read_form, text in (("number", "1234"), ("big", "BNI="), ("little", "0gQ=")):
        assert (columns.troubles([((None, {"b": "1234"}), (None, {"b": text}))]) == []) is (form == read_form)


@pytest.mark.parametrize(("is_partial", "types"), [(True, {"int"}), (False, {"int", "decimal"})])
def test_a_type_whose_column_may_be_left_out_has_a_result_only_if_it_was_read(is_partial, types) -> None:
    pairs = [((None, {"id": "1", "d": "2"}), (None, {"id": "1"}))]
    columns = Columns(TYPES, "big", is_partial=is_partial)
    found = columns.by_type(columns.troubles(pairs), pairs)
    assert {label.partition("(")[0] for label in found} == types


@pytest.mark.parametrize(
    ("findings", "verdict"),
    [
        ([{"harm": "metadata"}, {"harm": "schema"}], Fidelity.LOSSY),
        ([{"harm": "schema"}, {"harm": "changed"}], Fidelity.WRONG),
        ([{"harm": "changed"}, {"harm": "lost", "kind": "refused"}], Fidelity.REJECTED),
        ([{"harm": "metadata"}], Fidelity.LOSSLESS),
    ],
)
def test_the_finding_that_weighs_most_decides_a_reading_wherever_it_stands(findings, verdict) -> None:
    case = Case("x", "canal-json", "decode")
    for order in (findings, findings[::-1]):
        given = [{"requirement": "CJ-1", "path": "event.after.v", **finding} for finding in order]
        assert _reading(case, {"verdict": "fail", "findings": given}).verdict is verdict
