"""The default of a TIMESTAMP that is an expression other than CURRENT_TIMESTAMP: nothing decides how it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conformance.oracle.tree import MISSING
from tests.unit.oracle.debezium_answers import blamed, case_of, ddl, row, with_message
from tests.unit.oracle.judging import beside_id

EXPRESSION = {"expression": "str_to_date('2024-01-02','%Y-%m-%d')"}
NOW = {"expression": "CURRENT_TIMESTAMP"}
EPOCH = "1970-01-01T00:00:00Z"
TIME = "2024-01-02 03:04:05"


def table_with(default: Any, kind: str = "timestamp", nullable: bool = False) -> dict[str, Any]:
    return beside_id({"name": "a", "type": kind, "nullable": nullable, "default": default})


def describing(default: Any) -> Callable[[Any], None]:
    """A fault: both images of a message describe their second column with this default."""

    def change(parts: Any) -> None:
        for image in parts["value"]["schema"]["fields"][:2]:
            column = image["fields"][1]
            column.pop("default", None)
            if default is not MISSING:
                column["default"] = default

    return change


def blamed_for(default: Any, described: Any, *, kind: str = "timestamp", nullable: bool = False) -> list[str]:
    """Who is blamed if a column with this default is described with that one."""
    insert = row("insert", base={"id": "1", "a": TIME})
    case = case_of("encode", insert, table=table_with(default, kind, nullable))
    return blamed(case, with_message(case, describing(described)))


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
        ("timestamp", "2024-02-30 00:00:00", "143a"),
        ("datetime", EXPRESSION, "142a"),
    ],
)
def test_every_other_default_of_a_time_is_decided(kind: str, default: Any, requirement: str) -> None:
    assert requirement in blamed_for(default, 7, kind=kind)


def test_nothing_else_in_the_description_of_such_a_timestamp_is_open() -> None:
    def change(parts: Any) -> None:
        parts["value"]["schema"]["fields"][1]["fields"][1]["type"] = "int64"

    case = case_of("encode", row("insert", base={"id": "1", "a": TIME}), table=table_with(EXPRESSION))
    assert blamed(case, with_message(case, change)) == ["109"]


def test_the_default_that_a_timestamp_had_before_is_wrong_beside_an_expression() -> None:
    before, after = table_with(TIME), table_with(EXPRESSION)
    insert = row("insert", ts=8 << 18, base={"id": "1", "a": TIME})
    case = case_of("encode", ddl(after=after, table_before=before), insert, table=before)
    assert blamed(case, with_message(case, describing(0), at=1)) == []
    assert blamed(case, with_message(case, describing(TIME), at=1)) == ["149"]
