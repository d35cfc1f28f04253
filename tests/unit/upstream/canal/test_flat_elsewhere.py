"""What Canal wrote of workloads other than the shipped one: names with quotes in them, labels with blanks behind them.

Expected texts are those of real messages of 1.1.7 on MySQL 9.7.
"""

from __future__ import annotations

from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, RowChange, Table
from reference_impl.upstream.canal.encoder import Encoder
from tests.unit.upstream.canal.flat_messages import POSITION, shown, tree_of


def test_quotes_that_are_a_part_of_a_name_count_as_quotes_around_it() -> None:
    columns = tuple(Column(name, parse_column_type("int")) for name in ('"dq"', "c'1"))
    change = RowChange("insert", "d", "t", None, None, {'"dq"': "2", "c'1": "1"}, source=POSITION)
    [record] = Encoder().encode([change], [Table("d", "t", columns, ('"dq"',))]).records
    message = tree_of(record.value or b"")
    assert list(message["data"][0]) == list(message["mysqlType"]) == ["dq", "c'1"]
    assert message["pkNames"] == ["dq"]


def test_the_server_prints_labels_without_the_blanks_behind_them() -> None:
    assert shown("enum('t ','u  ')") == "enum('t ','u  ')"
    assert shown("enum('t ','u  ')", tsdb="false") == "enum('t','u')"
