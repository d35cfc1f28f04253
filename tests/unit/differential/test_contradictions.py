"""What contradicts itself within a message is read whatever numbers the message holds."""

from __future__ import annotations

import json

import pytest

from differential.decode.changes import ChangeReader
from differential.decode.contents import Statement
from differential.decode.contradictions import contradictions, is_contradiction
from differential.sides import Side
from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, Record, RowChange, Table

SIDE = Side("left", "debezium-connector")
ROW = RowChange("insert", "shop", "t", 7 << 18, after={"id": "1"})


def test_a_number_beyond_a_double_hides_no_contradiction() -> None:
    value = b'{"op":"c","after":{"n":1e999},"source":{"ts_ms":7,"ts_us":8000,"snapshot":"false"}}'
    assert list(contradictions(SIDE, Record(None, value), [ROW])) == [(("value", "source", "ts_us"), "7000", "8000")]


@pytest.mark.parametrize(
    ("dialect", "value"),
    [
        (
            "canal",
            b'{"data":null,"database":"shop","es":1000,"gtid":"","id":1,"isDdl":true,"mysqlType":null,"old":null,'
            b'"pkNames":null,"sql":"TRUNCATE TABLE t","sqlType":null,"table":"t","ts":1000,"type":"TRUNCATE"}',
        ),
        (
            "canal-json",
            b'{"id":0,"database":"shop","table":"t","pkNames":null,"isDdl":true,"type":"TRUNCATE","es":1000,"ts":1000,'
            b'"sql":"TRUNCATE TABLE t","sqlType":null,"mysqlType":null,"data":null,"old":null}',
        ),
    ],
)
def test_an_added_key_of_a_statement_is_counted_with_those_of_its_topic(dialect: str, value: bytes) -> None:
    reader = ChangeReader(
        Side("left", dialect, tables=(Table("shop", "t", (Column("id", parse_column_type("int")),)),))
    )
    [read] = reader.read(Record(b"1", value, topic="t", partition=0, offset=3))
    assert isinstance(read, Statement)
    assert read.odd == ""
    assert [json.loads(what[1:])[:2] for what in reader.contradictions if is_contradiction(what)] == [["t", "key"]]
