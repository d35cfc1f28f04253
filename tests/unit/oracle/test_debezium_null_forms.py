"""What stands in place of a NULL is some form of the column's default, or a value that the row never had."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.oracle.debezium.null_forms import is_form_of_default
from conformance.oracle.rules import Place
from reference_impl.debezium_json import Options
from reference_impl.model import Expression
from reference_impl.profiles import NEWARCH
from reference_impl.settings import Settings
from reference_impl.wire import column_from_json

NOW = Expression("CURRENT_TIMESTAMP")


def place(kind: str, default: Any, got: Any, timezone: str = "UTC") -> Place:
    """A column of that type and default whose value is NULL, and what was given for it."""
    given = {"expression": default.text} if isinstance(default, Expression) else default
    column = column_from_json({"name": "a", "type": kind, "default": given})
    case = Case("debezium/test", "debezium", "encode", settings=Settings(timezone=timezone))
    path = ("value", "payload", "after", "a")
    return Place("encode", path, None, got, {}, case, Options(), NEWARCH, None, column, {})


FORMS: list[tuple[str, Any, list[Any], list[Any]]] = [
    # type, default, what are forms of it, what are none
    ("int", "5", [None, "5", 5, "05"], [0, 6, "6", True, "", "x"]),
    ("int", "1", [1], [True]),
    ("int", "0", [0, "0"], [False, 1]),
    ("bigint unsigned", "9223372036854775807", [9223372036854775807], [0, -1]),
    ("bigint unsigned", "9223372036854775808", [9223372036854775808, 0], [1, False]),
    ("int", "no number", ["no number", 0], [1, "0 number"]),
    ("float", "0.1", [0.1, "0.1", "0.10000000149011612"], ["0.2", True, "x", 0]),
    ("double", "0.1", ["0.1"], ["0.10000000149011612"]),
    ("decimal(5,2)", "1.50", ["1.5", 1.5], ["1.51", 0]),
    ("bit(4)", "5", [5, "5"], [0, "BQ=="]),
    ("year", "2024", [2024], [24, 0]),
    ("binary(3)", "a", ["a", "YQ==", "YQAA", "a\0\0"], ["b", "Yg==", "", 0, "YWE="]),
    ("varbinary(3)", "ab", ["ab", "YWI="], ["a", "YQ==", 1]),
    ("varbinary(3)", "aX", ["aX", "YVg="], ["a", "YQ=="]),
    ("varbinary(3)", "a", ["a", "YQ=="], ["aX", "YVg=", "\ud800"]),
    ("varbinary(9)", "XXXX", ["XXXX"], ["*"]),
    ("varbinary(9)", "", ["", "AAA="], ["*", "x"]),
    ("binary(2)", "\0", ["\0\0", "AAA="], ["*", "x"]),
    ("varbinary(9)", "\ud800", ["7aCA"], ["7aCB"]),
    ("varchar(9)", "x", ["x", None], ["y", "", "eA==", 0]),
    ("date", "2024-01-02", ["2024-01-02", None], [0, 19724, "2024-01-03"]),
    ("date", "0000-00-00", [0], [False, 1]),
    ("datetime", NOW, [0], [1, "1970-01-01T00:00:00"]),
    ("time", "01:02:03", [0, "01:02:03"], [1, "00:00:00", 3723000000]),
    ("timestamp", "0000-00-00 00:00:00", ["1970-01-01T00:00:00Z", "0000-00-00 00:00:00"], ["1970-01-02T00:00:00Z", 0]),
    ("timestamp", "0000-00-00 00:00:00", [], ["1970-01-01T00:00:00.5Z"]),
    ("timestamp", NOW, ["1970-01-01T00:00:00Z", "0000-00-00 00:00:00"], ["2024-01-01T00:00:00Z", 0]),
    ("timestamp", "2024-01-02 03:04:05", ["2024-01-02T03:04:05Z"], [0, 1704164645]),
    ("timestamp(3)", NOW, ["1970-01-01T00:00:00.000Z", "0000-00-00", "0000-00-00T00:00:00.000"], []),
    ("timestamp", NOW, [], ["0000-00-00xx", "0000-00-00T12:34:56Z", "0000-00-00T00:00:01Z", "0000-00-00T00:00:00ZZ"]),
    ("timestamp", NOW, [], ["1970-01-01T00:00:0000", "1970-01-01T00:00:0000Z", "1970-01-01T00:00:00.Z"]),
]


@pytest.mark.parametrize(
    ("kind", "default", "got", "is_form"),
    [
        *((kind, default, got, True) for kind, default, forms, _ in FORMS for got in forms),
        *((kind, default, got, False) for kind, default, _, others in FORMS for got in others),
    ],
)
def test_a_form_of_the_default_is_told_from_a_value_that_never_was(kind: str, default: Any, got: Any, is_form: bool):
    assert is_form_of_default(place(kind, default, got)) is is_form


@pytest.mark.parametrize(
    ("kind", "default", "got", "is_form"),
    [
        ("timestamp", "2024-01-02 03:04:05", "2024-01-01T19:04:05Z", True),  # the instant
        ("timestamp", "2024-01-02 03:04:05", "2024-01-02T03:04:05Z", True),  # its wall clock taken for that of UTC
        ("timestamp", "2024-01-02 03:04:05", "2024-01-01T11:04:05Z", True),  # converted twice
        ("timestamp", "2024-01-02 03:04:05", "2024-01-02T11:04:05Z", False),  # converted the wrong way
        ("timestamp", "2024-01-02 03:04:05", "2024-01-01T19:04:06Z", False),
        ("timestamp", "2024-01-02 03:04:05", "2024-01-01T19:04:05X", False),
        ("timestamp", "1970-01-01 08:00:05", "1970-01-01T00:00:05Z", True),  # there is no second conversion of it
        ("timestamp", "1970-01-01 08:00:05", "", False),
        ("timestamp", "2024-01-02", "2024-01-01T16:00:00Z", True),
        ("timestamp", "2024-01-02", "2024-01-02T00:00:00Z", True),  # its wall clock taken for that of UTC
        ("timestamp", "2024-01-02", "2024-01-02T08:00:00Z", False),
        ("timestamp(3)", "2024-01-02 03:04:05.120", "2024-01-01T19:04:05.12Z", True),
        ("timestamp(3)", "2024-01-02 03:04:05.120", "2024-01-01T19:04:05.120Z", True),
        ("timestamp(3)", "2024-01-02 03:04:05.120", "2024-01-01T19:04:05Z", False),
        ("timestamp(3)", "2024-01-02 03:04:05.120", "2024-01-01T19:04:05.21Z", False),
        ("timestamp(3)", "2024-01-02 03:04:05.000", "2024-01-01T19:04:05Z", True),
        ("timestamp(3)", "2024-01-02 03:04:05.000", "2024-01-01T19:04:05.0Z", True),
        ("timestamp", "2024-01-02 03:04:50", "2024-01-01T19:04:5000Z", False),  # zeros without a point are no fraction
        ("timestamp(3)", "2024-01-02 03:04:05.120", "2024-01-01T19:04:0512Z", False),
        ("timestamp", "2024-01-02 03:04:05", "2024-01-01T19:04:05ZZ", False),
    ],
)
def test_an_instant_is_a_form_in_each_of_the_zones_it_may_be_taken_for(
    kind: str, default: str, got: str, is_form: bool
) -> None:
    assert is_form_of_default(place(kind, default, got, "Asia/Shanghai")) is is_form


def test_a_column_without_a_default_has_no_forms_of_it() -> None:
    with pytest.raises(AssertionError):
        is_form_of_default(place("timestamp", None, ""))
