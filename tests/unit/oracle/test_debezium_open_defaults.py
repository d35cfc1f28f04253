"""The default of a TIMESTAMP that is neither a time nor CURRENT_TIMESTAMP: nothing decides how it is described."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.oracle.tree import MISSING
from tests.unit.oracle.debezium_answers import blamed, case_of, row, with_message
from tests.unit.oracle.judging import beside_id

EXPRESSION = {"expression": "str_to_date('2024-01-02','%Y-%m-%d')"}
NOW = {"expression": "CURRENT_TIMESTAMP"}
EPOCH = "1970-01-01T00:00:00Z"
TIME = "2024-01-02 03:04:05"


def blamed_for(default: Any, described: Any, *, kind: str = "timestamp", nullable: bool = False) -> list[str]:
    """Who is blamed if a column with this default is described with that one."""
    table = beside_id({"name": "a", "type": kind, "nullable": nullable, "default": default})
    case = case_of("encode", row("insert", base={"id": "1", "a": TIME}), table=table)

    def change(parts: Any) -> None:
        for image in parts["value"]["schema"]["fields"][:2]:
            column = image["fields"][1]
            column.pop("default", None)
            if described is not MISSING:
                column["default"] = described

    return blamed(case, with_message(case, change))


@pytest.mark.parametrize("nullable", [True, False])
@pytest.mark.parametrize("described", [MISSING, 0, EPOCH, "str_to_date('2024-01-02','%Y-%m-%d')"])
def test_a_timestamp_with_another_expression_may_be_described_with_anything(described: Any, nullable: bool) -> None:
    assert blamed_for(EXPRESSION, described, nullable=nullable) == []


@pytest.mark.parametrize(
    ("kind", "default", "requirement"),
    [
        ("timestamp", NOW, "143a"),
        ("timestamp", TIME, "143"),
        ("timestamp", "0000-00-00 00:00:00", "143a"),
        ("datetime", EXPRESSION, "142a"),
    ],
)
def test_every_other_default_of_a_time_is_decided(kind: str, default: Any, requirement: str) -> None:
    assert requirement in blamed_for(default, 7, kind=kind)
