"""The values that are tried in a column."""

from __future__ import annotations

import pytest

from conformance.migration.samples import every_type
from conformance.migration.values import plain_value, values_of
from reference_impl.column_types import BINARY, TEXT
from reference_impl.model import Column
from reference_impl.values import check_text
from tests.unit.migration.tables import table

COLUMNS = [column for of in every_type() for column in of.columns]


def _column(declared: str) -> Column:
    return table(f"id int primary key, c {declared}").columns[1]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.type.text[:40])
def test_every_value_is_one_of_its_column(column: Column) -> None:
    values = values_of(column)
    assert values
    for value in values:
        if isinstance(value, str):
            check_text(column.type, value)
            assert "\ufffd" not in value
        elif isinstance(value, bytes):
            assert column.type.family in BINARY
            assert column.type.length is None or len(value) <= column.type.length or column.type.family.value == "blob"


@pytest.mark.parametrize(
    ("declared", "within"),
    [
        ("tinyint unsigned", ("0", "127", "128", "255")),
        ("bigint", ("-9223372036854775808", "9223372036854775807")),
        ("decimal(5,2)", ("999.99", "-999.99", "0.00", "0.01")),
        ("decimal(3,0) unsigned", ("999", "0", "1")),
        ("enum('a','b,c')", ("a", "b,c")),
        ("set('x','y')", ("", "x", "y", "x,y")),
        ("bit(9)", ("0", "256", "511")),
        ("datetime(3)", ("2024-02-29 12:34:56.123", "9999-12-31 23:59:59.000")),
        ("time", ("838:59:59", "-838:59:59", "100:00:00", "-12:30:00")),
        ("char(1)", ("a", "<", "数", "")),
        ("binary(3)", (b"\0\0\0",)),
        ("year", ("0", "1901", "2155")),
    ],
)
def test_the_boundaries_of_a_type_are_among_its_values(declared: str, within: tuple[object, ...]) -> None:
    assert {*within} <= {*values_of(_column(declared))}


def test_null_is_the_last_value_of_a_column_that_takes_it() -> None:
    assert values_of(_column("int"))[-1] is None
    assert None not in values_of(_column("int NOT NULL"))


def test_a_text_is_in_the_charset_of_its_column() -> None:
    values = values_of(_column("varchar(20) CHARACTER SET ascii"))
    assert all(value is None or str(value).isascii() for value in values)
    assert not any(
        ord(char) > 0xFFFF for value in values_of(_column("text CHARACTER SET utf8mb3")) for char in str(value)
    )


def test_a_column_declared_with_a_scale_has_floats_that_it_holds() -> None:
    assert all(len(str(value).partition(".")[2]) <= 2 for value in values_of(_column("float(7,2)")) if value)


def test_the_same_definition_has_the_same_values() -> None:
    assert values_of(_column("varchar(30)")) == values_of(_column("varchar(30)"))


@pytest.mark.parametrize("declared", ["int", "varchar(40)", "tinyint unsigned", "text"])
def test_plain_values_of_following_numbers_differ(declared: str) -> None:
    column = _column(declared)
    assert all(plain_value(column, n) != plain_value(column, n + 1) for n in range(3))
    assert column.type.family not in TEXT or isinstance(plain_value(column, 0), str)
