"""What is read of SQL without its grammar."""

from __future__ import annotations

import pytest

from reference_impl.sql_tokens import statements


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("drop table a; drop table b;", ["drop table a", "drop table b"]),
        (
            "create table a (x decimal(5,2), y int); drop table a",
            ["create table a (x decimal(5,2), y int)", "drop table a"],
        ),
        ("insert into a values (';', ((1)));select 1", ["insert into a values (';', ((1)))", "select 1"]),
        (" ; ;", []),
    ],
)
def test_statements_end_at_semicolons_outside_parentheses_and_texts(text: str, found: list[str]) -> None:
    assert statements(text) == found
