"""Schemas and values of columns that a Debezium JSON decoder must refuse, one fault at a time, and for which class."""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, Table
from tests.unit.debezium_json.messages import column_message, compact, refusal, without_schema

# Members of a column's schema, what stands in the payload, the class.
VALUE_FAULTS: list[tuple[dict[str, Any], Any, str]] = [
    ({"type": "int16"}, 2**15, "range"),
    ({"type": "int32"}, -(2**31) - 1, "range"),
    ({"type": "float"}, 1e39, "range"),
    ({"type": "int32", "name": "io.debezium.time.Date"}, 2932897, "range"),
    ({"type": "int32", "name": "io.debezium.time.Date"}, -719163, "range"),
    ({"type": "int64", "name": "io.debezium.time.Timestamp"}, 253402300800000, "range"),
    ({"type": "int64", "name": "io.debezium.time.MicroTimestamp"}, 2**63 - 1, "range"),
    ({"type": "int64", "name": "io.debezium.time.MicroTime"}, 3020399000001, "range"),
    ({"type": "string", "name": "io.debezium.time.ZonedTimestamp"}, "2024-01-01 00:00:00", "type"),
    ({"type": "string", "name": "io.debezium.time.ZonedTimestamp"}, "2024-01-01T00:00:00", "type"),
    ({"type": "string", "name": "io.debezium.time.ZonedTimestamp"}, "2024-13-01T00:00:00Z", "range"),
    ({"type": "int32", "name": "io.debezium.time.Year"}, 1900, "range"),
    ({"type": "int32", "name": "io.debezium.time.Year"}, "x", "type"),
    ({"type": "string", "name": "io.debezium.data.EnumSet", "parameters": {"allowed": "a,b"}}, "a,c", "range"),
    ({"type": "string", "name": "io.debezium.data.Json"}, "{", "type"),
    ({"type": "string", "name": "io.debezium.data.TiDBVectorFloat32"}, "1,2", "type"),
]


@pytest.mark.parametrize(("field", "given", "reason"), VALUE_FAULTS)
def test_a_value_that_its_schema_does_not_allow_is_refused(field: dict[str, Any], given: Any, reason: str) -> None:
    assert refusal(column_message(field, given)) == reason


def test_a_double_beyond_all_doubles_is_out_of_range() -> None:
    for field in ({"type": "double"}, {"type": "double", "tidb_type": "decimal"}):
        assert refusal(compact(column_message(field, 0)).replace(b'"c":0', b'"c":1e400')) == "range"


# Column type of a table without schema, what stands in the payload, the class.
@pytest.mark.parametrize(
    ("kind", "given", "reason"),
    [
        ("datetime", 1, "type"), ("datetime(4)", 1, "type"), ("time(1)", 10000, "type"),
        ("timestamp(2)", "2024-01-01T00:00:00Z", "type"), ("timestamp(2)", "2024-01-01T00:00:00.123Z", "type"),
        ("bit(1)", "AQ==", "type"), ("bit(2)", True, "type"), ("vector(2)", "[1]", "range"),
    ],
)  # fmt: skip
def test_a_value_that_its_table_does_not_allow_is_refused(kind: str, given: Any, reason: str) -> None:
    table = Table("test", "table1", (Column("c", parse_column_type(kind)),))
    assert refusal(without_schema({"payload.after": {"c": given}}), table) == reason


@pytest.mark.parametrize("given", [[], {}, [1]])
def test_a_value_of_no_type_is_refused(given: Any) -> None:
    assert refusal(without_schema({"payload.after": {"c": given}})) == "type"
