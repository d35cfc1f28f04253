"""The dialect that records look like."""

from __future__ import annotations

import pytest

from conformance.captures.likely import likely_dialect
from reference_impl.model import Record
from reference_impl.protocols import DIALECTS
from tests.unit.differential.generated import sent, side, transactions

GIVEN = transactions("shop", 10, 3)
OPTIONS = {
    "canal-json": {"enable-tidb-extension": "true"},
    "debezium": {"debezium-disable-schema": "true"},
    "debezium-connector": {"schemas.enable": "false"},
}


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name != "avro"])
@pytest.mark.parametrize("set_up", [{}, OPTIONS], ids=["default", "other options"])
def test_records_look_like_the_dialect_that_wrote_them(dialect: str, set_up: dict[str, dict[str, str]]) -> None:
    assert likely_dialect(sent(side("one", dialect, **set_up.get(dialect, {})), GIVEN)) == dialect


@pytest.mark.parametrize("value", [None, b"", b"{}", b"\0\0"])
def test_records_may_look_like_no_dialect(value: bytes | None) -> None:
    assert likely_dialect([Record(None, value)]) == ""


def test_framed_records_look_like_avro() -> None:
    assert likely_dialect([Record(None, b"\0\0\0\0\x07\x02a")]) == "avro"
