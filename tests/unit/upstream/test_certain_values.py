"""Which values of a row a decoder of an upstream dialect must answer, and which its messages lose."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.oracle.upstream.dialects import DIALECTS
from conformance.oracle.upstream.model import UNCERTAIN
from reference_impl import options as option_strings
from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, RowChange, RowOp, Table, Value
from reference_impl.protocols import UPSTREAM

CERTAIN: list[tuple[str, str, RowOp, Value, dict[str, Any], bool]] = [
    # A snapshot has the six digits of a FLOAT that the server prints; NULL has none to lose.
    ("debezium-connector", "float", "read", "0.1", {}, False),
    ("debezium-connector", "float", "read", None, {}, True),
    ("debezium-connector", "float", "insert", "0.1", {}, True),
    ("debezium-connector", "double", "read", "0.1", {}, True),
    ("debezium-connector", "int", "read", None, {"default": "1"}, False),  # NULL may be written as the default
    # Canal reads the bytes of every text as UTF-8.  [DV-55]
    ("canal", "char(3)", "insert", "a", {"charset": "latin1"}, False),
    ("canal", "char(3)", "insert", None, {"charset": "latin1"}, True),
    ("canal", "char(3)", "insert", "a", {"charset": "utf8mb3"}, True),
    ("canal", "nchar(3)", "insert", "a", {"charset": "latin1"}, True),  # national columns are utf8mb3
    ("canal", "nchar varying(3)", "insert", "a", {"charset": "latin1"}, True),
]


@pytest.mark.parametrize(("protocol", "kind", "op", "value", "members", "is_certain"), CERTAIN)
def test_a_value_that_messages_keep_must_be_answered_and_any_other_need_not(
    protocol: str, kind: str, op: RowOp, value: Value, members: dict[str, Any], is_certain: bool
) -> None:
    column = Column("c", parse_column_type(kind), **members)
    change = RowChange(op, "test", "t", None, after={"c": value})
    options = option_strings.parse(UPSTREAM[protocol].options, {})
    after = DIALECTS[protocol].expected_row(change, Table("test", "t", (column,)), options).after
    assert after is not None
    assert (after["c"] is not UNCERTAIN) is is_certain
