"""How the values of a reader are compared with the original ones, and which finding decides a reading."""

from __future__ import annotations

import pytest

from conformance.cases.model import Case
from conformance.compatibility.cells import Verdict
from conformance.compatibility.decoders import _reading
from conformance.compatibility.values import Columns
from conformance.consumers.mysql_types import MysqlType

TYPES: dict[str, MysqlType] = {"id": MysqlType.of("int"), "d": MysqlType.of("decimal(65,30)")}
LONG = "12345678901234567890123456789012345.123456789012345678901234567891"


@pytest.mark.parametrize("digits", [20, 27, 28, 29, 40, 60])
def test_a_decimal_that_is_cut_is_lossy_however_long_it_is(digits: int) -> None:
    cut = LONG.replace(".", "")[:digits]
    read = f"{cut[:35]}.{cut[35:]}" if digits > 35 else cut.ljust(35, "0")
    [trouble] = Columns(TYPES, "big").troubles([((None, {"d": LONG}), (None, {"d": read}))])
    assert (trouble.verdict, trouble.effect) == (Verdict.LOSSY, "digits are lost")


@pytest.mark.parametrize(("is_partial", "types"), [(True, {"int"}), (False, {"int", "decimal"})])
def test_a_type_whose_column_may_be_left_out_has_a_result_only_if_it_was_read(is_partial, types) -> None:
    pairs = [((None, {"id": "1", "d": "2"}), (None, {"id": "1"}))]
    columns = Columns(TYPES, "big", is_partial=is_partial)
    found = columns.by_type(columns.troubles(pairs), pairs)
    assert {label.partition("(")[0] for label in found} == types


@pytest.mark.parametrize(
    ("findings", "verdict"),
    [
        ([{"harm": "metadata"}, {"harm": "schema"}], Verdict.LOSSY),
        ([{"harm": "schema"}, {"harm": "changed"}], Verdict.WRONG),
        ([{"harm": "changed"}, {"harm": "lost", "kind": "refused"}], Verdict.REJECTED),
        ([{"harm": "metadata"}], Verdict.LOSSLESS),
    ],
)
def test_the_finding_that_weighs_most_decides_a_reading_wherever_it_stands(findings, verdict) -> None:
    case = Case("x", "canal-json", "decode")
    for order in (findings, findings[::-1]):
        given = [{"requirement": "CJ-1", "path": "event.after.v", **finding} for finding in order]
        assert _reading(case, {"verdict": "fail", "findings": given}).verdict is verdict
