"""The fast path leaves values beyond the limits of a form to the slow path: each way gives the same slim records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from conformance.ddl import tables_of_sql
from differential.decode.reader import SlimReader
from differential.sides import Side
from reference_impl.model import Record
from tests.unit.differential.building import row_change, written
from tests.unit.differential.slims import slims
from tests.unit.differential.test_quick import read_any

SQL = """CREATE TABLE shop.t (id INT PRIMARY KEY, d DATE, dt DATETIME, dt6 DATETIME(6), t TIME, t6 TIME(6), y YEAR,
  n INT, bu BIGINT UNSIGNED, f FLOAT, d8 DOUBLE, de DECIMAL(65,30), b BIT(64), e ENUM('new','paid'), s SET('x','y'),
  js JSON, c CHAR(4), vb VARBINARY(8))"""
TABLES = tables_of_sql(SQL, "t.sql")
ROW = {
    "id": "1",
    "d": "2024-02-29",
    "dt": "2024-02-29 23:59:59",
    "dt6": "2024-02-29 23:59:59.000001",
    "t": "23:59:59",
    "t6": "23:59:59.000001",
    "y": "2024",
    "n": "5",
    "bu": "7",
    "f": "1.5",
    "d8": "2.5",
    "de": f"1.{'0' * 29}1",
    "b": "9",
    "e": "new",
    "s": "x",
    "js": '{"a": 1}',
    "c": "plum",
    "vb": b"\x00\xff",
}
NUMBERS = (
    *("0", "-0", "-1", "1", "-0.0", "1.0", "1e0", "1e400", "-1e400", "1e-400", "NaN", "01", "true", "null", "2156"),
    *("86399999", "86400000", "86400001", "-86400000", "3020399999", "3020400000", "86400000000", "3020399000001"),
    *("2932896", "2932897", "-719528", "-719529", "253402300799999", "253402300800000", "-62135596800000"),
    *("2147483648", "9223372036854775808", "18446744073709551615", "18446744073709551616", f"{'9' * 65}", "5e-324"),
)
TEXTS = (
    *(
        "",
        "0",
        "-0",
        "1",
        "١",
        "00",
        " 1",
        "1e400",
        "NaN",
        "-Infinity",
        f"{'9' * 65}",
        f"0.{'9' * 30}",
        f"0.{'9' * 31}",
    ),
    *("0000-00-00", "0000-01-01", "1582-10-05", "1582-10-14", "9999-12-31", "2023-02-29", "2024-00-10", "2024-02-29"),
    *("0000-00-00 00:00:00", "1582-10-10 00:00:00", "2024-01-01 24:00:00", "2024-01-01 23:59:60", "24:00:00"),
    *("838:59:59", "838:59:59.000001", "839:00:00", "-00:00:00", "0000", "1900", "2155", "2156", "new", "paid,new"),
    *("x,y", "y,x", "x,x", ",", "18446744073709551615", "18446744073709551616", "AAAA", "AAA=", "AP8=", "AP9="),
    *(
        '{\\"a\\":1,\\"a\\":2}',
        '{\\"a\\":1.0}',
        '{\\"a\\":-0}',
        '{\\"a\\":NaN}',
        "\\ud800",
        "\\u0000",
        "\\u0031",
        "\\/",
    ),
    *("\udcff", "\udced\udca0\udc80", "\u2028", "é", "e\u0301", "\x7f", "\t"),
)
TOKENS = [*(text.encode() for text in NUMBERS), *(b'"%b"' % text.encode("utf-8", "surrogateescape") for text in TEXTS)]

VALUE = re.compile(rb'"(?:[^"\\]|\\.)*"|[^,}]+')

CONNECTOR = {"schemas.enable": "false"}
OPTIONS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "canal-json": ("canal-json", {"enable-tidb-extension": "true"}),
    "canal": ("canal", {}),
    "debezium": ("debezium", {"debezium-disable-schema": "true"}),
    "connector": ("debezium-connector", CONNECTOR),
    "connector of version 3": ("debezium-connector", {**CONNECTOR, "version": "3.6.1"}),
    "connector of Kafka Connect's times": ("debezium-connector", {**CONNECTOR, "time.precision.mode": "connect"}),
    "connector of texts": (
        "debezium-connector",
        {**CONNECTOR, "decimal.handling.mode": "string", "binary.handling.mode": "hex"},
    ),
}


def altered(record: Record, column: str) -> list[Record]:
    """The message with each of the tokens in place of the value of a column after the change."""
    assert record.value is not None
    name = b'"%b":' % column.encode()
    row = max(record.value.find(member) for member in (b'"data":', b'"after":'))
    begin = record.value.index(name, row) + len(name)
    value = VALUE.match(record.value, begin)
    assert value is not None
    return [
        replace(record, value=record.value[:begin] + token + record.value[value.end() :], offset=number)
        for number, token in enumerate(TOKENS)
    ]


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("op", ["insert", "update"])
def test_odd_values_are_read_alike_in_both_ways(name: str, op: str) -> None:
    dialect, options = OPTIONS[name]
    of = Side("left", dialect, options, tables=tuple(TABLES))
    before = {**ROW, "n": "6"} if op == "update" else None
    [record] = [one for one in written(of, [row_change(before, ROW)]) if one.value is not None]
    reader = SlimReader(0, of)
    assert len(reader.read_ordinary([record.value], [record.key])[0]) == 1
    taken = 0
    for column in ROW:
        given = altered(record, column)
        _, rest = reader.read_ordinary([one.value for one in given], [one.key for one in given])
        sure = [one for number, one in enumerate(given) if number not in rest]
        taken += len(sure)
        assert slims(reader, sure) == read_any(reader, sure), column
    assert taken > len(ROW)
