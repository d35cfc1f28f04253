"""What a Canal-JSON decoder must refuse in the value of a column, for its type or its range."""

from __future__ import annotations

import json

import pytest

from reference_impl.canal_json import Decoder
from reference_impl.errors import Rejected
from reference_impl.model import Record
from tests.unit.canal_json.messages import column, refusal

WRONG_TYPES = [
    ("integer4", "1", 4), ("INT", "1", 4), ("int signed", "1", 4), ("int(x)", "1", 4),
    ("int unsigned unsigned", "1", 4), ("", "1", 4), ("geometry", "1", 2004), ("int", "1", 5), ("int", "1", 999),
    ("int", None, -5), ("tinyint unsigned", "127", 5), ("tinyint unsigned", "128", -6),
    ("mediumint unsigned", "16777215", -5), ("bigint unsigned", "9223372036854775808", -5), ("varchar", "a", 1),
    ("text", "a", 2004), ("int", "one", 4), ("int", "", 4), ("int", "01", 4), ("int", "+1", 4), ("int", "-0", 4),
    ("int", " 1", 4), ("int", "１", 4), ("int", "1.0", 4), ("int unsigned", "x", 4), ("bit", "b'1'", -7),
    ("decimal", "1e3", 3), ("decimal", ".5", 3), ("decimal(10,2)", "1.5", 3), ("float", "NaN", 7),
    ("double", "+Inf", 8), ("date", "2024-1-01", 91), ("date", "2024-01-01 00:00:00", 91),
    ("datetime", "2024-01-01", 93), ("datetime", "2024-01-01T00:00:00", 93), ("datetime(3)", "2024-01-01 00:00:00", 93),
    ("datetime", "2024-01-01 00:00:00.1234567", 93), ("time", "1:00:00", 92), ("year", "0000", 12), ("enum", "a", 4),
    ("enum", "-1", 4), ("set", "a,b", -7), ("json", "{", 12), ("json", "nul", 12), ("vector", "1,2", 12),
    ("vector", '["1"]', 12), ("vector", "[NaN]", 12), ("vector", "[true]", 12), ("vector", "[" * 100_000, 12),
    ("vector", "[1e9999999999999999999]", 12), ("json", "[" * 100_000, 12), ("varbinary", "Ā", 2004),
    ("blob", "测", 2004),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "code"), WRONG_TYPES)
def test_a_type_code_or_value_that_does_not_fit_its_mysql_type_is_a_type_fault(
    kind: str, text: str | None, code: int
) -> None:
    assert refusal(column(kind, text, code)) == "type"


# mysqlType, text, sqlType
OUT_OF_RANGE = [
    ("tinyint", "128", -6), ("tinyint", "-129", -6), ("tinyint unsigned", "256", 5), ("tinyint unsigned", "-1", -6),
    ("smallint", "32768", 5), ("mediumint", "8388608", 4), ("mediumint unsigned", "16777216", 4),
    ("int", "2147483648", 4), ("int unsigned", "4294967296", -5), ("bigint", "9223372036854775808", -5),
    ("bigint unsigned", "18446744073709551616", 3), ("bit", "18446744073709551616", -7), ("bit(1)", "2", -7),
    ("decimal(4,2)", "100.00", 3), ("decimal unsigned", "-1", 3), ("decimal", "9" * 66, 3),
    ("decimal", "0." + "1" * 31, 3), ("float", "1e39", 7), ("float unsigned", "-1", 7), ("double", "1e309", 8),
    ("date", "2024-13-01", 91), ("datetime", "2024-01-32 00:00:00", 93), ("timestamp", "2024-01-01 24:00:00", 93),
    ("time", "839:00:00", 92), ("time", "838:59:59.1", 92), ("time", "00:60:00", 92), ("year", "1900", 12),
    ("year", "2156", 12), ("enum", "65536", 4), ("enum('a','b')", "3", 4), ("set", "18446744073709551616", -7),
    ("set('a','b')", "4", -7), ("vector(2)", "[1]", 12), ("varchar(2)", "abc", 12), ("char(2)", "abc", 1),
    ("varbinary(2)", "abc", 2004), ("binary(2)", "abc", 2004), ("int", "9" * 5000, 4), ("int unsigned", "9" * 5000, -5),
    ("bit", "9" * 5000, -7), ("year", "9" * 5000, 12), ("enum", "9" * 5000, 4), ("decimal", "9" * 5000, 3),
    ("double", "9" * 5000, 8),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "code"), OUT_OF_RANGE)
def test_a_value_outside_its_type_is_a_range_fault(kind: str, text: str, code: int) -> None:
    assert refusal(column(kind, text, code)) == "range"


OF_ONE_CODE = [row for row in OUT_OF_RANGE if row[0] not in ("tinyint unsigned", "int unsigned", "bigint unsigned")]


BEHIND = [*((*row, "range") for row in OF_ONE_CODE), ("bigint unsigned", "9223372036854775808", -5, "type")]


@pytest.mark.parametrize(("kind", "text", "code", "reason"), BEHIND)
def test_what_is_refused_first_is_refused_behind_rows_of_the_same_table_too(
    kind: str, text: str, code: int, reason: str
) -> None:
    """Rows of a shape that is known are read in a quicker way."""
    rows = [column(kind, None, code), column(kind, None, code), column(kind, text, code)]
    records = [Record(None, json.dumps(tree).encode()) for tree in rows]
    assert len(Decoder().decode(records[:2])) == 2
    with pytest.raises(Rejected) as caught:
        Decoder().decode(records)
    assert caught.value.reason == reason
