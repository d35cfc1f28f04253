"""The members of a message are compared with what its dialect writes for the rows in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from differential.decode.changes import ChangeReader
from differential.decode.contents import Oddity
from tests.unit.differential.streams import changes, messages, side


@pytest.mark.parametrize("mode", ["double", "string"])
def test_a_decimal_in_another_mode_than_that_of_its_side_is_reported_in_every_message(mode: str) -> None:
    """A double lacks the zeros at the end of a decimal, which the other modes write."""
    other = side("right", "debezium-connector", **{"decimal.handling.mode": mode})
    records = messages(other, changes(seed=3, count=12))
    reader = ChangeReader(side("right", "debezium-connector"))
    for record in records:
        paths = {one.path[:2] for one in reader.read(record) if isinstance(one, Oddity)}
        assert ("value", "schema") in paths
    assert not reader.counts["unchecked"]


def test_the_changes_of_a_table_that_was_not_given_are_counted() -> None:
    given = side("right", "canal-json")
    [record, *_] = messages(given, changes(seed=3, count=1))
    other = replace(record, value=(record.value or b"").replace(b'"table":"orders"', b'"table":"others"'))
    assert other != record
    reader = ChangeReader(given)
    assert list(reader.read(other)) == []
    assert reader.counts["changes of other tables"] == 1
