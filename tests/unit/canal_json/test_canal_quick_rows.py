"""The fast path for rows of a known table: which messages it reads by itself, and which it leaves to the long way."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from reference_impl.canal_json import Decoder, Options
from reference_impl.canal_json.message import read_message
from reference_impl.canal_json.quick import QuickRows
from reference_impl.canal_json.rows import RowPlan, row_plan
from reference_impl.errors import Rejected
from reference_impl.faults import Faults
from reference_impl.model import Claim, Event, Mask, Record, RowChange
from tests.unit.canal_json.messages import COMMIT_TS, EXTENSION, OMIT, ROW, changed, column

_INSERT = RowChange("insert", "test", "tp_int", COMMIT_TS, after=ROW)
_NULLS = dict.fromkeys(ROW, None)


def plan_of(mysql_type: dict[str, str]) -> RowPlan:
    return row_plan(mysql_type, None, Faults())


def taught(example: dict[str, Any], *, extension: bool) -> QuickRows:
    """A fast path that has seen the example."""
    quick = QuickRows(extension=extension)
    message = read_message(example, Faults(), extension=extension)
    quick.learn(message, plan_of(example["mysqlType"]))
    return quick


# What differs from the message that was seen, and the event.
READ: list[tuple[dict[str, Any], RowChange]] = [
    ({}, _INSERT),
    ({"data": [_NULLS]}, replace(_INSERT, after=_NULLS)),
    *(({name: number}, _INSERT) for name in ("id", "es", "ts") for number in (0, 2**63 - 1)),
    ({"_tidb": {"commitTs": 0}}, replace(_INSERT, commit_ts=0)),
    ({"_tidb": {"commitTs": 1}}, replace(_INSERT, commit_ts=1)),
    ({"type": "DELETE"}, replace(_INSERT, op="delete", before=ROW, after=None)),
    ({"type": "UPDATE", "old": [dict(ROW)]}, replace(_INSERT, op="update", before=ROW)),
    ({"type": "UPDATE", "old": [{"c_int": "1"}]}, replace(_INSERT, op="update", before={"c_int": "1"})),
    ({"type": "UPDATE", "old": [{"c_bigint": None}]}, replace(_INSERT, op="update", before={"c_bigint": None})),
    ({"type": "UPDATE", "old": [{}]}, replace(_INSERT, op="update", before={})),
]


@pytest.mark.parametrize("extension", [False, True])
@pytest.mark.parametrize(("members", "event"), READ)
def test_a_row_like_the_one_before_is_read_at_once(extension: bool, members: dict[str, Any], event: RowChange) -> None:
    assert taught(changed(), extension=extension).row(changed(**members)) == event


def test_without_the_extension_a_row_without_it_is_read_at_once_too() -> None:
    plain = changed(_tidb=OMIT)
    event = replace(_INSERT, commit_ts=None)
    assert taught(changed(), extension=False).row(plain) == event
    assert taught(changed(), extension=True).row(plain) is None


_CODES, _TYPES = changed()["sqlType"], changed()["mysqlType"]

# What differs from the message that was seen, where the long way must decide.
LEFT: list[dict[str, Any]] = [
    *({name: OMIT} for name in changed() if name != "_tidb"),
    {"more": 1},
    *({"_tidb": tidb} for tidb in (None, [], {}, {"commitTs": 1, "onlyHandleKey": True}, {"watermarkTs": 1})),
    *({"_tidb": {"commitTs": number}} for number in (-1, 1.0, "1", None, True)),
    *({name: number} for name in ("id", "es", "ts") for number in (-1, 1.0, "1", None, True, 2**63)),
    *({"database": name} for name in ("other", None, ["test"])),
    *({"table": name} for name in ("other", None, ["tp_int"])),
    *({"sqlType": codes} for codes in (None, {}, _CODES | {"c_int": 5}, _CODES | {"c_int": 4.0})),
    *({"mysqlType": types} for types in (None, {}, _TYPES | {"c_int": "bigint"})),
    *({"pkNames": names} for names in (None, [], ["c_int"])),
    *({"isDdl": flag} for flag in (True, 0, None)),
    *({"sql": text} for text in ("x", None)),
    *({"type": kind} for kind in ("UPSERT", "insert", "ALTER", "TIDB_WATERMARK", None, ["INSERT"])),
    *({"data": rows} for rows in (None, {}, [], [dict(ROW)] * 2, ["row"], [{"id": "1"}], [ROW | {"more": "1"}])),
    *({"data": [ROW | {"c_int": value}]} for value in (1, True, "x", "2147483648", "-0")),
    *({"type": "UPDATE", "old": rows} for rows in (None, {}, [], [{}, {}], ["row"], [{"more": "1"}])),
    *({"type": "UPDATE", "old": [{"c_int": value}]} for value in (1, "x", "2147483648")),
    *({"type": kind, "old": [dict(ROW)]} for kind in ("INSERT", "DELETE")),
]


@pytest.mark.parametrize("members", LEFT)
def test_what_differs_from_the_row_before_is_left_to_the_long_way(members: dict[str, Any]) -> None:
    for extension in (False, True):
        assert taught(changed(), extension=extension).row(changed(**members)) is None


@pytest.mark.parametrize("tree", [None, [], "text", 1])
def test_what_is_no_object_is_left_to_the_long_way(tree: Any) -> None:
    assert taught(changed(), extension=False).row(tree) is None


def test_rows_of_several_tables_and_shapes_are_known_side_by_side() -> None:
    quick = taught(changed(), extension=False)
    other = column("set('a','b')", "3", -7)
    quick.learn(read_message(other, Faults(), extension=False), plan_of(other["mysqlType"]))
    assert quick.row(changed()) == _INSERT
    assert quick.row(other) == replace(_INSERT, after={"c": "a,b"})
    quick.forget()
    assert quick.row(changed()) is None


# mysqlType, text, the value that the fast path makes of it; False where it leaves the text to the long way.
VALUES: list[tuple[str, str | None, Any]] = [
    ("int", None, None),
    ("int", "1", "1"),
    ("int", "x", False),
    ("bigint unsigned", "9223372036854775807", "9223372036854775807"),
    ("bigint unsigned", "9223372036854775808", False),  # its code is another
    ("set", "5", Mask(5)),
    ("set('a','b')", "3", "a,b"),
    ("set('a','b')", "4", False),
    ("varbinary", "æ", b"\xe6"),
    ("varbinary", "Ā", False),
    ("json", "[1]", "[1]"),
    ("json", "[", False),
]


@pytest.mark.parametrize(("kind", "text", "value"), VALUES)
def test_the_fast_path_converts_what_it_is_sure_of(kind: str, text: str | None, value: Any) -> None:
    row: dict[str, Any] = {"c": text}
    assert plan_of({"c": kind}).read_quickly(row) is (value is not False)
    if value is not False:
        assert row == {"c": value}


def test_a_part_of_a_row_is_converted_only_where_it_may_be_a_part() -> None:
    plan = plan_of({"a": "int", "b": "set", "c": "set"})
    row: dict[str, Any] = {"b": "1", "c": "2"}
    assert plan.read_quickly(row, partial=True) is True
    assert row == {"b": Mask(1), "c": Mask(2)}


def _record(tree: dict[str, Any]) -> Record:
    return Record(None, json.dumps(tree, separators=(",", ":")).encode())


def _by_the_fast_path_alone(decoder: Decoder, tree: dict[str, Any]) -> Event | None:
    """The event of a message, None if the decoder takes the long way."""
    long_way: list[bytes] = []
    decoder._read = lambda value: long_way.append(value)  # type: ignore[assignment, method-assign]
    [event] = decoder.decode([_record(tree)])
    return None if long_way else event


def test_a_decoder_takes_the_fast_path_from_the_second_row_on() -> None:
    decoder = Decoder()
    assert decoder.decode([_record(changed())]) == [_INSERT]
    assert _by_the_fast_path_alone(decoder, changed()) == _INSERT


def test_a_row_of_a_claim_check_is_no_example_of_its_table() -> None:
    part = changed(sqlType={"id": 4}, mysqlType={"id": "int"}, data=[{"id": "2"}])
    part["_tidb"]["claimCheckLocation"] = "a.json"
    decoder = Decoder(Options(enable_tidb_extension=True, claim_check_raw_value=True))
    content = json.dumps(changed(_tidb={"commitTs": COMMIT_TS})).encode()
    assert decoder.decode([_record(part)], claims=[Claim("a.json", content)]) == [_INSERT]
    assert _by_the_fast_path_alone(decoder, changed(**{**part, "_tidb": {"commitTs": COMMIT_TS}})) is None
    assert _by_the_fast_path_alone(decoder, changed()) == _INSERT


def test_behind_a_row_with_the_extension_one_without_it_is_refused_where_the_extension_is_on() -> None:
    decoder = Decoder(EXTENSION)
    decoder.decode([_record(changed())])
    with pytest.raises(Rejected) as caught:
        decoder.decode([_record(changed(_tidb=OMIT))])
    assert caught.value.reason == "schema"
