"""What a Canal-JSON decoder must refuse, in a message and in the value of a column, and for which class."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reference_impl.canal_json import Decoder
from reference_impl.errors import Rejected
from reference_impl.model import Record
from tests.unit.canal_json.messages import OMIT, ROW, changed, column, one_column, refusal


@pytest.mark.parametrize("data", [*(b"nonsense", b'{"id":NaN}', b'{"id":"\xff"}', b'{"id":"\\ud800"}', b"[" * 100_000)])
def test_a_value_that_is_not_json_is_a_syntax_fault(data: bytes) -> None:
    assert refusal(data) == "syntax"


def test_a_value_that_is_cut_anywhere_is_a_syntax_fault() -> None:
    whole = json.dumps(changed()).encode()
    assert {refusal(whole[:end]) for end in range(1, len(whole))} == {"syntax"}


@pytest.mark.parametrize("name", sorted(changed().keys() - {"_tidb"}))
def test_a_member_in_other_letters_does_not_count(name: str) -> None:
    tree = changed()
    tree[name.upper()] = tree.pop(name)
    assert refusal(tree) == "schema"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(changed())[:-1] + ',"id":0}',
        json.dumps(changed()).replace('"c_int": "2147483647"', '"c_int": "1", "c_int": "2147483647"'),
        json.dumps(changed()).replace('"commitTs"', '"commitTs": 1, "commitTs"'),
        json.dumps(changed())[:-1] + ',"unknown":{"a":1,"a":2}}',
    ],
)
def test_a_doubled_member_is_a_schema_fault(text: str) -> None:
    assert refusal(text.encode()) == "schema"


@pytest.mark.parametrize(
    ("table", "message", "reason"),
    [
        (one_column("decimal(10,4)"), column("decimal", "1.5", 3), "type"),
        (one_column("datetime(3)"), column("datetime", "2024-01-01 00:00:00", 93), "type"),
        (one_column("varchar(2)"), column("varchar", "abc", 12), "range"),
        (one_column("bit(1)"), column("bit", "2", -7), "range"),
        (one_column("enum('a')"), column("enum", "2", 4), "range"),
    ],
)
def test_a_known_table_narrows_what_a_value_may_be(table: Any, message: dict[str, Any], reason: str) -> None:
    assert (refusal(message, table), refusal(message)[:9]) == (reason, "RowChange")


# Two faults each; the class of the earlier one wins.
TWO_FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("schema", {"type": "UPSERT", "data": OMIT}),
    ("schema", {"es": -1, "mysqlType": {"id": "nonsense"}}),
    ("type", {"es": -1, "data": [dict(ROW) | {"c_int": "one"}]}),
    ("type", {"data": [dict(ROW) | {"id": "9999999999", "c_int": "one"}]}),
    ("type", {"old": [dict(ROW)], "_tidb": {"commitTs": 1.5}}),
    (
        "type",
        {
            "mysqlType": {"u": "int unsigned", "i": "int"},
            "sqlType": {"u": 4, "i": 5},
            "data": [{"u": "9" * 5000, "i": "1"}],
        },
    ),
    ("range", {"old": [dict(ROW)], "ts": -1}),
    ("range", {"old": [dict(ROW)], "data": [dict(ROW) | {"c_tinyint": "128"}]}),
]


@pytest.mark.parametrize(("reason", "members"), TWO_FAULTS)
def test_of_two_faults_the_class_that_is_looked_for_first_counts(reason: str, members: dict[str, Any]) -> None:
    assert refusal(changed(**members)) == reason


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
