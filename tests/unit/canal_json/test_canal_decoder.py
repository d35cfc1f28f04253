"""What a Canal-JSON decoder must accept, and what it makes of it."""

from __future__ import annotations

import base64
import json
import random
from dataclasses import replace
from typing import Any

import pytest

from reference_impl.canal_json import Decoder, Options, decode
from reference_impl.column_types import parse_column_type
from reference_impl.model import Claim, Column, DdlEvent, Index, Mask, Record, RowChange, Table, Value, Watermark
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
)

_INSERT = RowChange("insert", "test", "tp_int", COMMIT_TS, after=ROW)


def _compact(tree: dict[str, Any]) -> bytes:
    return json.dumps(tree, separators=(",", ":"), ensure_ascii=False).encode()


# The document's samples, comments and trailing commas taken away, elisions filled in from its other samples.
_SAMPLE_DDL = {
    "id": 0, "database": "test", "table": "", "pkNames": None, "isDdl": True, "type": "QUERY", "es": 1639633094670,
    "ts": 1639633095489, "sql": "drop database if exists test", "sqlType": None, "mysqlType": None, "data": None,
    "old": None, "_tidb": {"commitTs": 163963309467037594},
}  # fmt: skip
_SAMPLE_INSERT = changed(
    sqlType={"c_bigint": -5, "c_int": 4, "c_mediumint": 4, "c_smallint": 5, "c_tinyint": -6, "id": 4},
    data=[dict(sorted(ROW.items()))],
    _tidb={"commitTs": 163963314122145239},
)
_SAMPLE_WATERMARK = {
    "id": 0, "database": "", "table": "", "pkNames": None, "isDdl": False, "type": "TIDB_WATERMARK",
    "es": 1640007049196, "ts": 1640007050284, "sql": "", "sqlType": None, "mysqlType": None, "data": None, "old": None,
    "_tidb": {"watermarkTs": 429918007904436226},
}  # fmt: skip


@pytest.mark.parametrize(
    ("sample", "event"),
    [
        (_SAMPLE_DDL, DdlEvent("test", "", "drop database if exists test", commit_ts=163963309467037594)),
        (_SAMPLE_INSERT, replace(_INSERT, commit_ts=163963314122145239)),
        (_SAMPLE_WATERMARK, Watermark(429918007904436226)),
    ],
)
@pytest.mark.parametrize("options", [Options(), EXTENSION])
def test_a_sample_of_the_document_is_read_though_its_time_stamps_disagree(
    sample: dict[str, Any], event: object, options: Options
) -> None:
    assert decode_one(sample, options=options) == event


_NEW = ROW | {"c_int": "0", "c_tinyint": "0"}
# Members of the message, and what the event differs in from the insert.
ROWS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": "UPDATE", "old": [dict(ROW)], "data": [_NEW]}, {"op": "update", "before": ROW, "after": _NEW}),
    ({"type": "UPDATE", "old": [{"c_int": None}]}, {"op": "update", "before": {"c_int": None}}),  # nothing is filled in
    ({"type": "UPDATE", "old": [{}]}, {"op": "update", "before": {}}),
    *(({"type": "DELETE", "old": old}, {"op": "delete", "before": ROW, "after": None}) for old in (None, [dict(ROW)])),
    ({"_tidb": OMIT}, {"commit_ts": None}),
    (
        {"sqlType": {"c_int": 4}, "mysqlType": {"c_int": "int"}, "data": [{"c_int": "1"}]},
        {"after": {"c_int": "1"}},  # names of the key may be missing from the row
    ),
]


@pytest.mark.parametrize(("members", "event"), ROWS)
def test_a_row_message_becomes_a_row_event(members: dict[str, Any], event: dict[str, Any]) -> None:
    assert decode_one(changed(**members)) == replace(_INSERT, **event)


def test_any_order_of_members_any_blanks_and_any_escapes_are_the_same_message() -> None:
    dice = random.Random(7)

    def shuffled(tree: Any) -> Any:
        if not isinstance(tree, dict):
            return tree
        names = list(tree)
        dice.shuffle(names)
        return {name: shuffled(tree[name]) for name in names}

    everywhere = (
        json.dumps(shuffled(changed()), indent=2).replace("tp_int", "tp\\u005Fint").replace("test", "\\u0074est")
    )
    assert decode_one(b"\r\n " + everywhere.encode()) == _INSERT


def test_unknown_members_are_ignored() -> None:
    tidb = {"commitTs": COMMIT_TS, "rowkey": "AA==", "tableId": 7}
    assert decode_one(changed(gtid="", more={"a": [1.5]}, _tidb=tidb)) == _INSERT


@pytest.mark.parametrize("pk_names", [[], None])
@pytest.mark.parametrize("types", [{}, None])
def test_empty_lists_and_maps_may_be_null(pk_names: Any, types: Any) -> None:
    event = decode_one(changed(type="DELETE", pkNames=pk_names, sqlType=types, mysqlType=types, data=[{}]))
    assert event == RowChange("delete", "test", "tp_int", COMMIT_TS, before={})


def test_a_partial_row_of_the_handle_key_alone_is_a_row_with_these_columns() -> None:
    tidb = {"commitTs": COMMIT_TS, "onlyHandleKey": True}
    event = decode_one(changed(sqlType={"id": 4}, mysqlType={"id": "int"}, data=[{"id": "2"}], _tidb=tidb), TP_INT)
    assert event == RowChange("insert", "test", "tp_int", COMMIT_TS, after={"id": "2"})


# mysqlType, sqlType, text, value without a table
VALUES: list[tuple[str, int, str, Value]] = [
    ("int(11)", 4, "1", "1"),
    ("int(10) unsigned zerofill", 4, "1", "1"),
    ("bit", -7, "18446744073709551615", "18446744073709551615"),
    ("decimal", 3, "123.4560", "123.4560"),
    ("decimal(10,4)", 3, "123.4560", "123.4560"),
    ("decimal(10, 4)", 3, "123.4560", "123.4560"),
    ("float", 7, "-0", "-0"),
    ("float(10,3)", 7, "1.5", "1.5"),
    ("datetime", 93, "0000-00-00 00:00:00.000000", "0000-00-00 00:00:00.000000"),
    ("time(2)", 92, "-838:59:59.00", "-838:59:59.00"),
    ("year(4)", 12, "0", "0"),
    ("char", 1, "longer than one", "longer than one"),
    ("text", 2005, "\ufffd", "\ufffd"),
    ("binary", 2004, "a\u00e6\u0000", b"a\xe6\0"),
    ("blob", 2004, "".join(map(chr, range(256))), bytes(range(256))),
    ("enum", 4, "3", Index(3)),
    ("enum", 4, "0", Index(0)),
    ("enum('a','it''s','x,y')", 4, "2", "it's"),
    ("enum('a','b')", 4, "0", Index(0)),
    ("enum('a\\b','c\\nd')", 4, "1", "a\\b"),
    ("enum('a\\b','c\\nd')", 4, "2", "c\nd"),
    ("enum('blob','binary')", 4, "1", "blob"),
    ("set", -7, "5", Mask(5)),
    ("set('a','b','c')", -7, "5", "a,c"),
    ("set('a','b','c')", -7, "0", ""),
    ("json", 12, "null", "null"),
    ("vector", 12, "[1,2.5]", "[1,2.5]"),
]


@pytest.mark.parametrize(("kind", "code", "text", "value"), VALUES)
def test_a_value_is_what_its_text_and_mysql_type_say(kind: str, code: int, text: str, value: Value) -> None:
    event = decode_one(column(kind, text, code))
    assert isinstance(event, RowChange)
    assert event.after == {"c": value}


@pytest.mark.parametrize(
    ("declared", "kind", "code", "text", "value"),
    [
        ("enum('a','b')", "enum", 4, "2", "b"),
        ("enum('a','b')", "enum", 4, "0", Index(0)),
        ("set('a','b')", "set", -7, "3", "a,b"),
        ("enum('it''s')", "enum('it''s')", 4, "1", "it's"),
    ],
)
def test_a_known_table_gives_numbers_their_labels(declared: str, kind: str, code: int, text: str, value: Value) -> None:
    event = decode_one(column(kind, text, code), one_column(declared))
    assert isinstance(event, RowChange)
    assert event.after == {"c": value}


@pytest.mark.parametrize(
    ("members", "believed"),
    [
        ({"table": "tp_int", "type": "ALTER"}, False),
        ({"table": "other", "type": "ALTER"}, True),
        ({"table": "tp_int", "type": "TRUNCATE"}, True),  # which does not change its columns
        ({}, False),  # a database that is dropped takes all its tables along
    ],
)
def test_after_a_statement_that_may_change_columns_the_given_table_is_no_longer_believed(
    members: dict[str, str], believed: bool
) -> None:
    row = Record(None, _compact(column("enum", "1", 4)))
    events = decode([row, row, Record(None, _compact(_SAMPLE_DDL | members)), row], [one_column("enum('a')")])
    after: Value = "a" if believed else Index(1)
    assert [event.after for event in events if isinstance(event, RowChange)] == [{"c": "a"}, {"c": "a"}, {"c": after}]


def test_each_call_starts_from_the_tables_that_it_is_given() -> None:
    decoder, row = Decoder(), Record(None, _compact(column("enum", "1", 4)))
    seen = [decoder.decode([row], tables) for tables in ([one_column("enum('a')")], [], [one_column("enum('b')")])]
    rows = [event.after for [event] in seen if isinstance(event, RowChange)]
    assert rows == [{"c": "a"}, {"c": Index(1)}, {"c": "b"}]


def test_duplicates_and_watermarks_that_go_back_come_out_as_they_are() -> None:
    insert, early = _compact(changed()), _SAMPLE_WATERMARK | {"_tidb": {"watermarkTs": 1}}
    values = [_compact(_SAMPLE_WATERMARK), insert, insert, _compact(early)]
    expected = [Watermark(429918007904436226), _INSERT, _INSERT, Watermark(1)]
    assert decode([Record(None, value) for value in values]) == expected


def test_a_key_of_no_bytes_and_a_null_key_are_alike() -> None:
    value = _compact(changed())
    assert decode([Record(b"", value), Record(None, value)]) == [_INSERT, _INSERT]


@pytest.mark.parametrize("location", ["s3://bucket/a.json", "s3:/bucket/a.json", "a.json"])
@pytest.mark.parametrize("raw", [False, True])
def test_a_claim_check_is_resolved_by_the_name_of_its_file(location: str, raw: bool) -> None:
    options = Options(
        enable_tidb_extension=True,
        large_message_handle_option="claim-check",
        claim_check_storage_uri="s3://bucket",
        claim_check_raw_value=raw,
    )
    whole = _compact(changed())
    content = whole if raw else _compact({"key": None, "value": base64.b64encode(whole).decode()})
    message = changed(
        sqlType={"id": 4},
        mysqlType={"id": "int"},
        data=[{"id": "2"}],
        _tidb={"commitTs": COMMIT_TS, "claimCheckLocation": location},
    )
    assert decode_one(message, options=options, claims=(Claim("file:///claims/a.json", content),)) == _INSERT


def test_the_message_of_a_statement_may_lack_a_time_stamp_of_zero_or_the_extension() -> None:
    event = DdlEvent("test", "", "drop database if exists test")
    assert decode_one(_SAMPLE_DDL | {"es": 0, "_tidb": {}}) == replace(event, commit_ts=0)
    assert decode_one({name: value for name, value in _SAMPLE_DDL.items() if name != "_tidb"}) == event


@pytest.mark.parametrize("members", [*({name: 2**63 - 1} for name in ("id", "es", "ts")), {"id": 0, "es": 0, "ts": 0}])
def test_a_number_of_the_envelope_may_have_63_bits(members: dict[str, Any]) -> None:
    assert decode_one(changed(**members)) == _INSERT


@pytest.mark.parametrize("commit_ts", [0, 1, 2**64 - 1])
def test_a_time_stamp_may_have_64_bits(commit_ts: int) -> None:
    assert decode_one(changed(_tidb={"commitTs": commit_ts})) == replace(_INSERT, commit_ts=commit_ts)
    assert decode_one(_SAMPLE_WATERMARK | {"_tidb": {"watermarkTs": commit_ts}}) == Watermark(commit_ts)


def test_unsigned_values_of_either_code_follow_each_other() -> None:
    values = [("1", -5), ("9223372036854775808", 3), ("2", -5), (None, -5)]
    records = [Record(None, _compact(column("bigint unsigned", text, code))) for text, code in values]
    assert [e.after for e in decode(records) if isinstance(e, RowChange)] == [{"c": text} for text, _ in values]


def test_a_column_of_charset_binary_is_known_by_the_word_of_its_twin() -> None:
    table = Table("test", "tp_int", (Column("c", parse_column_type("varchar(9)", "binary")),))
    event = decode_one(column("varbinary", "æ", 2004), table)
    assert isinstance(event, RowChange)
    assert event.after == {"c": b"\xe6"}
