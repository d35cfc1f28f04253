"""The short way against the long way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from differential.changes import ChangeReader
from differential.quick import QuickRows
from differential.sides import Side
from differential.slim import slim_rows
from tests.unit.differential.streams import changes, messages, side

SIDES = {
    "ticdc": side("left", "canal-json", enable_tidb_extension="true"),
    "ticdc without the extension": side("left", "canal-json"),
    "ticdc content-compatible": side("left", "canal-json", content_compatible="true"),
    "alibaba": side("left", "canal"),
    "alibaba on java 25": side("left", "canal", jdk="25"),
}


@pytest.mark.parametrize("of", SIDES.values(), ids=list(SIDES))
def test_the_short_way_gives_what_the_long_way_gives(of: Side) -> None:
    quick, reader = QuickRows(of), ChangeReader(of)
    records = messages(of, changes(seed=11, count=400))
    sure = [(record, row) for record in records if (row := quick.row(0, record)) is not None]
    assert len(sure) > 0.9 * len(records)
    for record, row in sure:
        assert [row] == list(slim_rows(reader, 0, record))


ODD = {
    "a position that nobody asked for": ('"gtid":""', '"gtid":"u:1"'),
    "no position": ('"gtid":""', '"gtid":null'),
    "no whole second": ('000,"gtid"', '001,"gtid"'),
    "members in another order": ('"gtid":"","id":1', '"id":1,"gtid":""'),
    "columns in another order": ('"mysqlType":{"id":"bigint",', '"mysqlType":{"amount":"decimal(10,2)","id":"bigint",'),
}


@pytest.mark.parametrize("fault", ODD)
def test_what_the_long_way_refuses_the_short_way_leaves_to_it(fault: str) -> None:
    of = SIDES["alibaba"]
    old, new = (text.encode() for text in ODD[fault])
    record = messages(of, changes(seed=11, count=1))[0]
    assert record.value is not None
    value = record.value.replace(old, new, 1)
    if fault.startswith("columns"):
        value = value.replace(b'"id":"bigint","amount":"decimal(10,2)"', b'"id":"bigint"', 1)
    assert value != record.value
    assert QuickRows(of).row(0, replace(record, value=value)) is None
