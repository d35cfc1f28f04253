"""What a Canal-JSON decoder must refuse, one fault at a time, and for which class."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reference_impl.canal_json import Options
from tests.unit.canal_json.messages import OMIT, ROW, changed, column, one_column, refusal


@pytest.mark.parametrize("data", [*(b"nonsense", b'{"id":NaN}', b'{"id":"\xff"}', b'{"id":"\\ud800"}', b"[" * 100_000)])
def test_a_value_that_is_not_json_is_a_syntax_fault(data: bytes) -> None:
    assert refusal(data) == "syntax"


def test_a_value_that_is_cut_anywhere_is_a_syntax_fault() -> None:
    whole = json.dumps(changed()).encode()
    assert {refusal(whole[:end]) for end in range(1, len(whole))} == {"syntax"}


@pytest.mark.parametrize("name", changed().keys() - {"_tidb"})
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


@pytest.mark.parametrize("kind", ["lz4", "snappy"])
def test_a_value_that_is_not_compressed_as_configured_is_a_syntax_fault(kind: str) -> None:
    options = Options(large_message_handle_compression=kind)
    assert refusal(changed(), options=options) == "syntax"
