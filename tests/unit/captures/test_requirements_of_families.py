"""Which requirement speaks of a family of columns, by the checks of the registers: none is lost by another wording."""

from __future__ import annotations

import pytest

from conformance.captures.dialects import canal_json, open_protocol
from reference_impl.column_types import Family


@pytest.mark.parametrize(
    "requirements",
    [canal_json._CODES, open_protocol._VALUE_REQUIREMENTS],
    ids=["codes of Canal-JSON", "values of Open Protocol"],
)
def test_every_family_that_ticdc_sends_has_a_requirement(requirements: dict[Family, str]) -> None:
    assert set(Family) - requirements.keys() == {Family.GEOMETRY}
