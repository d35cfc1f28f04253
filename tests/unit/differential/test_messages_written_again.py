"""The members of a message are compared with what its dialect writes for the rows in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.ddl import tables_of_sql
from differential.decode.changes import ChangeReader
from differential.decode.contents import Oddity
from tests.unit.differential.building import row_change, side_of, written
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


SQL = "CREATE TABLE shop.t (id INT PRIMARY KEY, a DECIMAL(20,2), b DECIMAL(30,10), c DECIMAL(20,0))"


@pytest.mark.parametrize(
    ("a", "b", "c"),
    [
        ("1.50", "0.0000001000", "5"),
        ("12345678.90", "1.0000000000", "100000000000000000"),
        ("123456789012345678.99", "12345678901234567890.1234567891", "-12345678"),
        ("-0.01", "0.0000000000", None),
    ],
)
def test_doubles_with_an_exponent_are_reported_unless_the_side_writes_doubles(a: str, b: str, c: str | None) -> None:
    tables = tables_of_sql(SQL, "t.sql")
    doubles = side_of("right", "debezium-connector", tables, **{"decimal.handling.mode": "double"})
    [record, *_] = written(doubles, [row_change(None, {"id": "1", "a": a, "b": b, "c": c})])
    for reading, is_reported in ((doubles, False), (side_of("right", "debezium-connector", tables), True)):
        reader = ChangeReader(reading)
        assert any(isinstance(one, Oddity) for one in reader.read(record)) is is_reported
        assert not reader.counts["unchecked"]
