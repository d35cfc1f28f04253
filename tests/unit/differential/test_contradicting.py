"""What contradicts itself within a message is read whatever numbers the message holds."""

from __future__ import annotations

from differential.decode.contradicting import contradictions
from differential.sides import Side
from reference_impl.model import Record, RowChange

SIDE = Side("left", "debezium-connector")
ROW = RowChange("insert", "shop", "t", 7 << 18, after={"id": "1"})


def test_a_number_beyond_a_double_hides_no_contradiction() -> None:
    value = b'{"op":"c","after":{"n":1e999},"source":{"ts_ms":7,"ts_us":8000,"snapshot":"false"}}'
    assert list(contradictions(SIDE, Record(None, value), [ROW])) == [(("value", "source", "ts_us"), "7000", "8000")]
