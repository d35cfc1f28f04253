"""What a Canal-JSON decoder must refuse, one fault at a time, and for which class."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from reference_impl.canal_json import Decoder, Options
from reference_impl.errors import Rejected
from reference_impl.model import Claim, Record
from tests.unit.canal_json.messages import (
    COMMIT_TS,
    EXTENSION,
    OMIT,
    ROW,
    TP_INT,
    changed,
    column,
    decode_one,
    one_column,
    refusal,
)

_DDL = {"isDdl": True, "type": "ALTER", "sql": "x", "pkNames": None, "sqlType": None, "mysqlType": None, "data": None}
_WATERMARK = _DDL | {
    "isDdl": False,
    "type": "TIDB_WATERMARK",
    "sql": "",
    "database": "",
    "table": "",
    "_tidb": {"watermarkTs": 1},
}
_MEMBERS = [
    "id",
    "database",
    "table",
    "pkNames",
    "isDdl",
    "type",
    "es",
    "ts",
    "sql",
    "sqlType",
    "mysqlType",
    "data",
    "old",
]


@pytest.mark.parametrize("value", [None, b""])
def test_a_record_without_a_value_is_a_framing_fault(value: bytes | None) -> None:
    with pytest.raises(Rejected) as caught:
        Decoder().decode([Record(None, value)])
    assert caught.value.reason == "framing"


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b"nonsense",
        b"{}{}",
        b'\xef\xbb\xbf{"id":0}',
        b'{"id":NaN}',
        b'{"id":01}',
        b'{"id":0,}',
        b'{"id":0} // comment',
        b'{"id":"\xff"}',
        b'{"id":"\\ud800"}',
        b'{"id":"raw\ttab"}',
        b'{"id":0,"id":0',
        b"[" * 100_000,
    ],
)
def test_a_value_that_is_not_json_is_a_syntax_fault(data: bytes) -> None:
    assert refusal(data) == "syntax"


def test_a_value_that_is_cut_anywhere_is_a_syntax_fault() -> None:
    whole = json.dumps(changed()).encode()
    assert {refusal(whole[:end]) for end in range(1, len(whole))} == {"syntax"}


@pytest.mark.parametrize("name", _MEMBERS)
def test_a_missing_member_is_a_schema_fault(name: str) -> None:
    assert refusal(changed(**{name: OMIT})) == "schema"


@pytest.mark.parametrize("name", _MEMBERS)
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
    "members",
    [
        {"id": "0"},
        {"id": None},
        {"database": None},
        {"table": 1},
        {"pkNames": "id"},
        {"pkNames": [1]},
        {"isDdl": "false"},
        {"isDdl": 0},
        {"type": None},
        {"es": "1639633141221"},
        {"es": True},
        {"ts": None},
        {"sql": None},
        {"sqlType": []},
        {"sqlType": {"id": "4"}},
        {"sqlType": None},
        {"mysqlType": {"id": 4}},
        {"mysqlType": None},
        {"data": None},
        {"data": {}},
        {"data": []},
        {"data": [dict(ROW), dict(ROW)]},
        {"data": [None]},
        {"data": [dict(ROW) | {"c_int": 1}]},
        {"data": [dict(ROW) | {"c_int": True}]},
        {"data": [dict(ROW) | {"more": "1"}]},
        {"data": [{"id": "2"}]},
        {"old": [None]},
        {"type": "UPDATE", "old": []},
        {"type": "UPDATE", "old": [{"more": "1"}]},
        {"type": "UPDATE", "old": [{"c_int": 1}]},
        {"type": "UPDATE", "old": {}},
        {"_tidb": None},
        {"_tidb": {}},
        {"_tidb": {"commitTs": "1"}},
        {"_tidb": {"commitTs": None}},
        {"_tidb": {"commitTs": 1, "onlyHandleKey": "true"}},
        {"_tidb": {"commitTs": 1, "claimCheckLocation": 1}},
        _DDL | {"_tidb": {}},
        _WATERMARK | {"_tidb": OMIT},
        _WATERMARK | {"_tidb": {"commitTs": 1}},
    ],
)
def test_a_member_of_the_wrong_kind_or_shape_is_a_schema_fault(members: dict[str, Any]) -> None:
    assert refusal(changed(**members)) == "schema"


def test_a_message_that_is_not_an_object_is_a_schema_fault() -> None:
    assert [refusal(data) for data in (b"[]", b"1", b"null", b'"text"')] == ["schema"] * 4


def test_a_message_without_the_extension_is_a_schema_fault_where_the_extension_is_on() -> None:
    assert refusal(changed(_tidb=OMIT), options=EXTENSION) == "schema"


@pytest.mark.parametrize(
    "members",
    [
        {"type": "UPSERT"},
        {"type": "insert"},
        {"type": "CREATE"},
        {"type": "QUERY"},
        _DDL | {"type": "INSERT"},
        _DDL | {"type": "TIDB_WATERMARK"},
        _DDL | {"type": "create"},
        {"id": 0.5},
        {"es": 1.5},
        {"ts": 1e3},
        {"_tidb": {"commitTs": 1.0}},
    ],
)
def test_an_unknown_event_type_or_a_number_with_a_fraction_is_a_type_fault(members: dict[str, Any]) -> None:
    assert refusal(changed(**members)) == "type"


@pytest.mark.parametrize(
    "members",
    [
        {"id": -1},
        {"es": -1},
        {"ts": 2**63},
        {"_tidb": {"commitTs": -1}},
        {"_tidb": {"commitTs": 2**64}},
        _WATERMARK | {"_tidb": {"watermarkTs": 2**64}},
    ],
)
def test_a_number_of_the_envelope_outside_64_bits_is_a_range_fault(members: dict[str, Any]) -> None:
    assert refusal(changed(**members)) == "range"


@pytest.mark.parametrize(
    "members",
    [
        {"old": [dict(ROW)]},
        {"type": "UPDATE", "old": None},
        {"type": "DELETE", "old": [dict(ROW) | {"c_int": "0"}]},
        {"type": "DELETE", "old": [{}]},
        {"sql": "insert into tp_int"},
        {"pkNames": ["id", "id"]},
        _DDL | {"sql": ""},
        _DDL | {"data": [{}]},
        _DDL | {"old": [{}]},
        _DDL | {"pkNames": ["id"]},
        _DDL | {"sqlType": {"id": 4}},
        _DDL | {"mysqlType": {"id": "int"}},
        _WATERMARK | {"database": "test"},
        _WATERMARK | {"table": "t"},
        _WATERMARK | {"sql": "x"},
        _WATERMARK | {"data": [{}]},
    ],
)
def test_a_message_that_contradicts_itself_is_a_fault_of_semantics(members: dict[str, Any]) -> None:
    assert refusal(changed(**members)) == "semantics"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (one_column("varchar(10)"), column("int", "1", 4)),
        (one_column("int unsigned"), column("int", "1", 4)),
        (replace(one_column("int"), columns=()), column("int", "1", 4)),
        (replace(TP_INT, primary_key=()), changed()),
    ],
)
def test_a_message_that_contradicts_the_table_is_a_fault_of_semantics(table: Any, message: dict[str, Any]) -> None:
    assert refusal(message, table) == "semantics"


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


# A fault in the third row of a table, where a decoder may have learnt from the first two what rows look like.
LATE_FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("schema", {"isDdl": 0}),
    ("schema", {"id": False}),
    ("schema", {"data": [dict(ROW), dict(ROW)]}),
    ("schema", {"data": []}),
    ("schema", {"type": "UPDATE", "old": []}),
    ("schema", {"type": "UPDATE", "old": [{"more": "1"}]}),
    ("schema", {"data": [dict(ROW) | {"c_int": 1}]}),
    ("schema", {"sqlType": changed()["sqlType"] | {"c_tinyint": True}}),
    ("type", {"type": "UPSERT"}),
    ("type", {"sqlType": changed()["sqlType"] | {"c_int": 4.0}}),
    ("type", {"data": [dict(ROW) | {"c_int": "x"}]}),
    ("type", {"type": "UPDATE", "old": [{"c_int": "x"}]}),
    ("range", {"es": -1}),
    ("range", {"ts": 2**63}),
    ("range", {"_tidb": {"commitTs": -1}}),
    ("range", {"data": [dict(ROW) | {"c_tinyint": "128"}]}),
    ("semantics", {"old": [dict(ROW)]}),
    ("semantics", {"sql": "x"}),
    ("semantics", {"pkNames": ["id", "id"]}),
    ("semantics", {"type": "DELETE", "old": [{}]}),
]


@pytest.mark.parametrize(("reason", "members"), LATE_FAULTS)
def test_a_faulty_row_is_refused_also_when_good_rows_of_its_table_came_before(
    reason: str, members: dict[str, Any]
) -> None:
    good, bad = (
        Record(None, json.dumps(tree, separators=(",", ":")).encode()) for tree in (changed(), changed(**members))
    )
    with pytest.raises(Rejected) as caught:
        Decoder().decode([good, good, bad])
    assert caught.value.reason == reason


@pytest.mark.parametrize("kind", ["lz4", "snappy"])
def test_a_value_that_is_not_compressed_as_configured_is_a_syntax_fault(kind: str) -> None:
    options = Options(large_message_handle_compression=kind)
    assert refusal(changed(), options=options) == "syntax"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "semantics"),
        (b"{", "syntax"),
        (b"[]", "schema"),
        (b'{"key":null}', "schema"),
        (b'{"key":null,"value":"?"}', "type"),
        (b'{"key":null,"value":"ew=="}', "syntax"),
    ],
)
def test_a_claim_check_that_does_not_lead_to_a_message_is_refused(content: bytes | None, reason: str) -> None:
    message = changed(_tidb={"commitTs": COMMIT_TS, "claimCheckLocation": "s3:/bucket/x.json"})
    claims = () if content is None else (Claim("file:///elsewhere/x.json", content),)
    with pytest.raises(Rejected) as caught:
        decode_one(message, claims=claims)
    assert caught.value.reason == reason
